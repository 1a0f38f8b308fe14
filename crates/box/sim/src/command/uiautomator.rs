//! `uiautomator`: the screen as a tree, and what happens on it.

use super::answer::CommandResult;
use crate::automation::TAKEN;
use crate::fault::FaultPoint;
use crate::handset::Handset;
use crate::latency::{Cost, Latency};
use crate::phone::{DumpRefusal, DumpViews, EventKind, LATIN, PhoneEvent, SYSTEM_UI};
use bytes::Bytes;
use clawperator_ui::{Attributes, Node, Tree};
use clawperator_userland::{Call, DeviceFile, Errno, ExitResult, FileKind, OutputError, Write};
use std::time::Duration;

const USAGE: &str = "Usage: uiautomator COMMAND [OPTION...]

The commands are:
  dump [--compressed] [--windows] [FILE]
    Writes what is on the screen as XML; to /sdcard/window_dump.xml unless
    another file is named.
  events
    Prints accessibility events until it is interrupted.
  runtest
    Not supported by the simulated phone.
  help
    Prints this.
";

const DEFAULT_FILE: &str = "/sdcard/window_dump.xml";
/// What a screen is nested in, and how deep, if that is a fault.
const NEST: &str =
    r#"<node index="0" text="" resource-id="" class="android.view.View" package="" bounds="[0,0][1,1]">"#;
const LEVELS: usize = 1_000;
/// The exit code of a process that the phone killed.
const KILLED: u8 = 137;
/// How often a screen that moves is looked at again.
const LOOK: Duration = Duration::from_millis(500);

pub(super) async fn run(handset: &Handset, call: &mut Call) -> ExitResult {
    handset.spend(Cost::VirtualMachine).await;
    match call.args.get(1).map(String::as_str) {
        Some("dump") => dump(handset, call).await,
        Some("events") => events(handset, call).await,
        Some("runtest") => {
            let text = "uiautomator: the simulated phone cannot run test packages\n";
            CommandResult::wrong(1, text).give(call).await
        }
        _ => CommandResult::wrong(0, USAGE).give(call).await,
    }
}

async fn registered(call: &mut Call) -> ExitResult {
    let text = format!("{TAKEN}\n\tat android.app.UiAutomation.connect(UiAutomation.java:356)\nKilled\n");
    CommandResult::wrong(KILLED, text).give(call).await
}

async fn dump(handset: &Handset, call: &mut Call) -> ExitResult {
    let words = call.args.iter().skip(2);
    let (options, files): (Vec<String>, Vec<String>) = words.cloned().partition(|word| word.starts_with('-'));
    let compressed = options.iter().any(|option| option == "--compressed");
    let all = options.iter().any(|option| option == "--windows");
    let views = if compressed { DumpViews::Important } else { DumpViews::All };
    let file = files.last().map_or(DEFAULT_FILE, String::as_str);
    let Some(_watching) = handset.automation.connect() else {
        return registered(call).await;
    };
    let looked = look(handset, views).await.map(|xml| if all { in_windows(handset, &xml) } else { xml });
    let xml = match looked {
        Ok(xml) => xml,
        Err(refusal) => {
            let text = match refusal {
                DumpRefusal::NotIdle => "ERROR: could not get idle state.\n",
                DumpRefusal::NullRoot => "ERROR: null root node returned by UiTestAutomationBridge.\n",
            };
            return CommandResult::wrong(0, text).give(call).await;
        }
    };
    let path = call.path(file);
    let stale = handset.strike(FaultPoint::DumpStale).is_some();
    let cut = handset.strike(FaultPoint::DumpCutOff);
    let written = match (stale, cut) {
        // To a stream there is no old file to leave: what came last comes again.
        (true, _) if is_stream(call, &path) => handset.automation.last(),
        (true, _) => None,
        (false, Some(value)) => Some(cut_off(handset, &xml, value)),
        (false, None) => Some(xml.clone()),
    };
    if let Some(written) = written {
        save(handset, call, &path, spoilt(handset, written)).await?;
    }
    if !stale {
        handset.automation.remember(&xml);
    }
    call.out(format!("UI hierchary dumped to: {path}\n")).await?;
    Ok(0)
}

/// Waits until the screen is idle, then reads it.
async fn look(handset: &Handset, views: DumpViews) -> Result<String, DumpRefusal> {
    wait_for_idle(handset).await?;
    if handset.strike(FaultPoint::DumpNullRoot).is_some() {
        return Err(DumpRefusal::NullRoot);
    }
    let tree = handset.with(|phone| phone.dump(views))?;
    Ok(clawperator_ui::write(&tree, Attributes::Usual))
}

/// Every window with its own tree, the highest first, as `--windows` writes them.
fn in_windows(handset: &Handset, front: &str) -> String {
    let (title, rotation, others) = handset.with(|phone| {
        let mut others = Tree::new(phone.display.rotation);
        phone.add_other_windows(&mut others);
        let title = phone.front_app().map(|app| app.label.clone()).unwrap_or_default();
        (title, phone.display.rotation, others)
    });
    let mut windows: Vec<(Node, Tree)> = Vec::new();
    for (id, node) in others.nodes() {
        if others.depth(id) == 0 {
            windows.push((node.clone(), Tree::new(rotation)));
        }
        if let Some((_, tree)) = windows.last_mut() {
            tree.push(others.depth(id), node.clone());
        }
    }
    let (head, inside) = front.split_at(front.find("<hierarchy").unwrap_or(0));
    let bounds = handset.with(|phone| phone.display.bounds());
    let mut text = format!("{head}<displays><display id=\"0\">");
    let hierarchy = |tree: &Tree| {
        let written = clawperator_ui::write(tree, Attributes::Usual);
        written[written.find("<hierarchy").unwrap_or(0)..].to_owned()
    };
    let system = windows.iter().rev().map(|(root, tree)| {
        let (title, kind) = match (root.package.as_str(), root.bounds.top) {
            (SYSTEM_UI, 0) => ("Status bar", "TYPE_SYSTEM"),
            (SYSTEM_UI, _) => ("Navigation bar", "TYPE_SYSTEM"),
            (package, _) if LATIN.starts_with(package) => ("", "TYPE_INPUT_METHOD"),
            _ => ("", "TYPE_SYSTEM"),
        };
        (title.to_owned(), root.bounds, kind, hierarchy(tree))
    });
    let all = system.chain([(title, bounds, "TYPE_APPLICATION", inside.to_owned())]).collect::<Vec<_>>();
    for (index, (title, bounds, kind, tree)) in all.iter().enumerate() {
        let title = title.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        let (active, layer) = (*kind == "TYPE_APPLICATION", all.len() - 1 - index);
        text.push_str(&format!(
            "<window index=\"{index}\" title=\"{title}\" bounds=\"{bounds}\" active=\"{active}\" focused=\"{active}\" accessibility-focused=\"false\" id=\"{}\" layer=\"{layer}\" type=\"{kind}\">{tree}</window>",
            layer + 1
        ));
    }
    text + "</display></displays>"
}

async fn wait_for_idle(handset: &Handset) -> Result<(), DumpRefusal> {
    let latency = handset.latency();
    let started = handset.time().uptime();
    let never = handset.strike(FaultPoint::DumpNotIdle).is_some();
    loop {
        let (busy, quiet) = handset.with(|phone| {
            let quiet = phone.clock.uptime_ms().saturating_sub(phone.last_activity_ms);
            (phone.is_busy(), Duration::from_millis(quiet))
        });
        let waited = handset.time().uptime().saturating_sub(started);
        let left = latency.longest_wait().saturating_sub(waited);
        if busy || never {
            if left.is_zero() {
                return Err(DumpRefusal::NotIdle);
            }
            handset.time().sleep(left.min(LOOK)).await;
            continue;
        }
        match latency.quiet_wait(quiet, waited) {
            Some(more) => handset.time().sleep(more).await,
            // The wait is over because the screen is still, or because it was long.
            None if latency == Latency::None || !left.is_zero() => return Ok(()),
            None => return Err(DumpRefusal::NotIdle),
        }
    }
}

/// A part of the text: as many bytes as the fault says, or a place of the seed's.
fn cut_off(handset: &Handset, xml: &str, value: u64) -> String {
    let length = match usize::try_from(value) {
        Ok(0) | Err(_) => handset.faults(|faults| faults.place(FaultPoint::DumpCutOff, xml.len())),
        Ok(value) => value.min(xml.len()),
    };
    xml[..xml.floor_char_boundary(length)].to_owned()
}

/// The text with what no reader takes, if there is such a fault.
fn spoilt(handset: &Handset, mut xml: String) -> Bytes {
    if handset.strike(FaultPoint::DumpDeep).is_some() {
        xml = nested(&xml);
    }
    let mut bytes = xml.into_bytes();
    if handset.strike(FaultPoint::DumpInvalid).is_some() {
        // No byte of any letter.
        bytes.insert(bytes.len() / 2, 0xff);
    }
    bytes.into()
}

/// The text with the screen in many elements.
pub(crate) fn nested(xml: &str) -> String {
    let (start, rest) = xml.split_at(xml.find("<node").unwrap_or(xml.len()));
    let (inside, end) = rest.split_at(rest.rfind("</hierarchy>").unwrap_or(rest.len()));
    let (open, close) = (NEST.repeat(LEVELS), "</node>".repeat(LEVELS));
    format!("{start}{open}{inside}{close}{end}")
}

fn is_stream(call: &Call, path: &str) -> bool {
    let kind = call.files(|files, actor| files.stat(actor, path).map(|stat| stat.kind));
    matches!(kind, Ok(FileKind::Device(DeviceFile::Terminal)))
        || path == "/dev/stdout"
        || path == "/proc/self/fd/1"
}

/// Writes the file; the real tool only tells the log when it cannot.
async fn save(handset: &Handset, call: &mut Call, path: &str, xml: Bytes) -> Result<(), OutputError> {
    let failed = |error: Errno| {
        let text = format!("failed to dump window to file: {path}: {error}");
        handset.with(|phone| phone.say('E', "AccessibilityNodeInfoDumper", &text));
    };
    let output = if is_stream(call, path) {
        call.stdout.clone()
    } else {
        match call.create(path, Write::Truncate) {
            Ok(output) => output,
            Err(error) => {
                failed(error);
                return Ok(());
            }
        }
    };
    match output.write(xml).await {
        Err(OutputError::File(error)) => {
            failed(error);
            Ok(())
        }
        other => other,
    }
}

async fn events(handset: &Handset, call: &mut Call) -> ExitResult {
    let Some(_watching) = handset.automation.connect() else {
        return registered(call).await;
    };
    let mut seen = handset.with(|phone| phone.events.back().map_or(0, |event| event.number));
    loop {
        let (lines, last) = handset
            .follow(|phone| {
                // A key is no event of accessibility.
                let is_told =
                    |event: &&PhoneEvent| event.number > seen && event.kind != EventKind::BackPressed;
                let lines: String = phone.events.iter().filter(is_told).map(PhoneEvent::print).collect();
                let last = phone.events.back()?.number;
                (!lines.is_empty()).then_some((lines, last))
            })
            .await;
        seen = last;
        call.out(lines).await?;
    }
}
