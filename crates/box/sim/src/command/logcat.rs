//! `logcat` reads the phone's log, `log` writes into it.

mod options;

use super::ProcessRow;
use super::answer::CommandResult;
use crate::fault::FaultPoint;
use crate::handset::Handset;
use crate::phone::Phone;
use crate::phone::log::{Buffer, LogContext, LogEntry, LogMessage};
use clawperator_userland::{Call, ExitResult, Output, Write};
use options::{LogcatAct, LogcatOptions, StartAt};
use std::time::Duration;

/// How large each part of the log says it is, and its longest line.
const RING: &str = "ring buffer is 256 KiB";

/// The user of commands that came over adb.
const SHELL_UID: u32 = 2000;

/// What has been printed so far.
#[derive(Default)]
struct PrintedLines {
    /// The parts of the log that were begun.
    begun: Vec<Buffer>,
    last: Option<Buffer>,
    lines: usize,
}

pub(super) async fn run(handset: &Handset, call: &mut Call) -> ExitResult {
    let usual = call.env.get("ANDROID_LOG_TAGS").cloned().unwrap_or_default();
    let mut options = match LogcatOptions::parse(&call.args[1..], &usual) {
        Ok(options) => options,
        Err(text) => return CommandResult::wrong(1, format!("logcat: {text}\n")).give(call).await,
    };
    let said = match options.act {
        LogcatAct::Print => None,
        LogcatAct::Help => Some(options::USAGE.to_owned()),
        LogcatAct::Clear => {
            handset.with(|phone| phone.log.clear(&options.buffers));
            Some(String::new())
        }
        LogcatAct::Sizes => Some(handset.with(|phone| sizes(phone, &options.buffers))),
        LogcatAct::Nothing => Some(String::new()),
    };
    if let Some(said) = said {
        return CommandResult::ok(said).give(call).await;
    }
    let output = match &options.file {
        None => call.stdout.clone(),
        Some(file) => match call.create(file, Write::Append) {
            Ok(output) => output,
            Err(error) => return Ok(call.complain(format!("couldn't open output file: {error}")).await),
        },
    };
    if let Some(lines) = handset.strike(FaultPoint::LogcatEnds) {
        let lines = usize::try_from(lines).unwrap_or(usize::MAX);
        options.most = Some(options.most.unwrap_or(usize::MAX).min(lines));
    }
    follow(handset, &options, &output).await
}

async fn follow(handset: &Handset, options: &LogcatOptions, output: &Output) -> ExitResult {
    let mut printed = PrintedLines::default();
    let (first, mut next) = handset.with(|phone| (first(phone, options), phone.log.next()));
    let mut fresh: Vec<LogEntry> = handset.with(|phone| phone.log.since(first).cloned().collect());
    // What came in between is looked at in the next round.
    fresh.retain(|entry| entry.number < next);
    loop {
        let mut text = Vec::new();
        let users = LogUsers::of(handset);
        for entry in fresh.iter().filter(|entry| options.wants(entry)) {
            printed.lines += 1;
            let context = users.context(entry);
            if options.binary {
                text.extend(entry.binary(context));
            } else {
                text.extend(head(entry, options, &mut printed).into_bytes());
                text.extend(entry.print(options.style, context).into_bytes());
            }
            if options.most.is_some_and(|most| printed.lines >= most) {
                break;
            }
        }
        if !text.is_empty() {
            output.write(text).await?;
        }
        if options.ends || options.most.is_some_and(|most| printed.lines >= most) {
            return Ok(0);
        }
        (fresh, next) = handset
            .follow(|phone| {
                let entries: Vec<_> = phone.log.since(next).cloned().collect();
                (!entries.is_empty()).then(|| (entries, phone.log.next()))
            })
            .await;
    }
}

/// The number of the first line that is looked at.
fn first(phone: &Phone, options: &LogcatOptions) -> u64 {
    match &options.begin {
        StartAt::All => 0,
        StartAt::Last(count) => {
            let wanted = phone.log.since(0).filter(|entry| options.wants(entry));
            let numbers: Vec<_> = wanted.map(|entry| entry.number).collect();
            let place = numbers.len().saturating_sub(*count);
            numbers.get(place).copied().unwrap_or_else(|| phone.log.next())
        }
        StartAt::Since(since) => {
            let mut late = phone.log.since(0).filter(|entry| since.is_before(entry));
            late.next().map_or_else(|| phone.log.next(), |entry| entry.number)
        }
    }
}

/// What is printed with lines and is not in them.
struct LogUsers {
    booted: Duration,
    processes: Vec<ProcessRow>,
}

impl LogUsers {
    fn of(handset: &Handset) -> Self {
        Self { booted: handset.with(|phone| phone.clock.booted), processes: super::processes(handset) }
    }

    fn context(&self, entry: &LogEntry) -> LogContext {
        let owner = self.processes.iter().find(|process| process.pid == entry.pid);
        LogContext {
            booted: self.booted,
            // What has ended was a command of the shell.
            uid: owner.map_or(SHELL_UID, |process| process.uid),
        }
    }
}

fn head(entry: &LogEntry, options: &LogcatOptions, printed: &mut PrintedLines) -> String {
    let mut text = String::new();
    if !printed.begun.contains(&entry.buffer) {
        printed.begun.push(entry.buffer);
        text.push_str(&format!("--------- beginning of {}\n", entry.buffer.word()));
    } else if options.dividers && printed.last != Some(entry.buffer) {
        text.push_str(&format!("--------- switch to {}\n", entry.buffer.word()));
    }
    printed.last = Some(entry.buffer);
    text
}

fn sizes(phone: &Phone, buffers: &[Buffer]) -> String {
    let size = |buffer: &Buffer| {
        let entries = phone.log.since(0).filter(|entry| entry.buffer == *buffer);
        let bytes: usize = entries.map(|entry| entry.text.len() + entry.tag.len()).sum();
        format!(
            "{}: {RING} ({} KiB consumed, {bytes} B readable), max entry is 5120 B, max payload is 4068 B\n",
            buffer.word(),
            bytes.div_ceil(1024)
        )
    };
    buffers.iter().map(size).collect()
}

const LOG_USAGE: &str = "usage: log [-p PRIORITY] [-t TAG] [MESSAGE...]\n";

pub(super) async fn log(handset: &Handset, call: &mut Call) -> ExitResult {
    let mut words = call.args.iter().skip(1).peekable();
    let (mut level, mut tag) = ('I', "log".to_owned());
    while let Some(option) = words.next_if(|word| word.starts_with('-') && word.len() > 1) {
        match (option.as_str(), words.next()) {
            ("-t", Some(word)) => tag.clone_from(word),
            ("-p", Some(word)) => {
                let letter = word.chars().next().map_or('?', |letter| letter.to_ascii_uppercase());
                if !"VDIWEFS".contains(letter) {
                    let complaint = CommandResult::complaint(call, &format!("bad -p '{word}'"));
                    return complaint.give(call).await;
                }
                level = letter;
            }
            _ => return CommandResult::wrong(1, LOG_USAGE).give(call).await,
        }
    }
    let mut text = words.cloned().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        let read = call.stdin.read_all().await;
        String::from_utf8_lossy(&read).trim_end().clone_into(&mut text);
    }
    let said = LogMessage { buffer: Buffer::Main, pid: call.pid.0, level, tag: &tag, text: &text };
    handset.with(|phone| {
        let now = phone.clock.now();
        phone.log.add(now, said);
    });
    Ok(0)
}
