//! What the app does for each action, with the phone's own touches, keys and
//! tree, and the searches of the `ui` crate.

use super::answer::{OperatorFailure, OperatorResult, OperatorStep};
use super::{Variant, recording, scroll, snapshot};
use crate::handset::Handset;
use crate::latency::Cost;
use crate::phone::{DumpViews, Intent, Phone, key_code};
use clawperator_contract as contract;
use clawperator_contract::{ClickType, Key, Matcher, Matches, RetryPolicy, TextCheck, UncheckedWord};
use clawperator_ui::{Ability, Flag, NodeId, Point, Screen, SwipeLine, TextValidator};
use std::sync::Arc;
use std::time::Duration;

/// How long the app's finger stays.
const TAP: Duration = Duration::from_millis(120);
const LONG_PRESS: Duration = Duration::from_millis(650);
/// How often the app looks while it waits for a screen.
const POLL: Duration = Duration::from_millis(200);

pub(super) async fn run(handset: &Arc<Handset>, variant: Variant, step: &contract::Step) -> OperatorResult {
    use contract::Step as S;
    match step {
        S::OpenApp(it) => open_app(handset, it).await,
        S::OpenUri(it) => open_uri(handset, it).await,
        S::CloseApp(it) => Ok(OperatorStep::failure("UNSUPPORTED_RUNTIME_CLOSE")
            .with("application_id", &it.application_id)
            .with("message", "An app cannot end another; the host does that.")),
        S::TakeScreenshot(_) => Ok(OperatorStep::failure("UNSUPPORTED_RUNTIME_SCREENSHOT")
            .with("message", "The host takes screenshots.")),
        S::StartRecording(it) => Ok(recording::start(handset, variant, it.session_id.as_deref())),
        S::StopRecording(it) => Ok(recording::stop(handset, variant, it.session_id.as_deref())),
        S::WaitForNode(it) => wait_for_node(handset, it).await,
        S::WaitForNavigation(it) => Ok(wait_for_navigation(handset, it).await),
        S::Click(it) => click(handset, it).await,
        S::EnterText(it) => enter_text(handset, it).await,
        S::PressKey(it) => Ok(press_key(handset, it.key)),
        S::ReadText(it) => read_text(handset, it).await,
        S::ReadKeyValuePair(it) => Ok(read_key_value(handset, it).await),
        S::Scroll(it) => Ok(scroll::once(handset, it).await),
        S::ScrollUntil(it) => scroll::until(handset, it).await,
        S::ScrollAndClick(it) => scroll::and_click(handset, it).await,
        S::SnapshotUi(it) => snapshot::take(handset, variant, &it.retry).await,
        S::Sleep(it) => {
            handset.time().sleep(it.duration).await;
            Ok(OperatorStep::success().with("duration_ms", it.duration.as_millis()))
        }
        // What the app was not made for.
        _ => Err(OperatorFailure(format!("Unsupported action: {}", step.kind().name()))),
    }
}

/// Tries something until it works, as often as a policy says. The app adds
/// jitter to the waits; this one does not, so that every run is the same.
pub(super) async fn retry<T, E>(
    handset: &Handset,
    policy: &RetryPolicy,
    mut attempt: impl FnMut(&mut Phone) -> Result<T, E>,
) -> Result<T, E> {
    let mut tries = 0;
    loop {
        let result = handset.with(&mut attempt);
        tries += 1;
        match policy.delay_after(tries) {
            Some(delay) if result.is_err() => handset.time().sleep(delay).await,
            _ => return result,
        }
    }
}

/// Looks at what can be seen; `None` while the screen is off.
pub(super) fn look<R>(phone: &Phone, work: impl FnOnce(&Screen<'_>) -> R) -> Option<R> {
    let tree = phone.tree(DumpViews::All)?;
    Some(work(&Screen::sized(&tree, phone.display.bounds())))
}

/// Finds an element and works on it.
fn on_element<R>(
    phone: &Phone,
    matcher: &Matcher,
    work: impl FnOnce(&Screen<'_>, NodeId) -> R,
) -> Result<R, OperatorFailure> {
    let found = look(phone, |screen| screen.first(&matcher.selector()).map(|id| work(screen, id)));
    found.flatten().ok_or_else(|| missing(matcher))
}

pub(super) fn is_there(phone: &Phone, matcher: &Matcher) -> bool {
    on_element(phone, matcher, |_, _| ()).is_ok()
}

pub(super) fn missing(matcher: &Matcher) -> OperatorFailure {
    OperatorFailure(format!("Node not found: {}", describe(matcher)))
}

/// A matcher as the app writes it.
fn describe(matcher: &Matcher) -> String {
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "null".to_owned());
    format!(
        "NodeMatcher(resourceId={}, role={}, textEquals={}, textContains={}, contentDescEquals={}, contentDescContains={})",
        text(&matcher.resource_id),
        text(&matcher.role),
        text(&matcher.text_equals),
        text(&matcher.text_contains),
        text(&matcher.content_desc_equals),
        text(&matcher.content_desc_contains),
    )
}

async fn open_app(handset: &Handset, step: &contract::OpenApp) -> OperatorResult {
    let name = &*step.application_id;
    retry(handset, &step.retry, |phone| {
        let package = phone.packages.get(name).filter(|package| package.enabled);
        let has_icon = package.is_some_and(|package| package.launcher().is_some());
        let started = has_icon && phone.start(&Intent::launch(name)).is_ok();
        started.then_some(()).ok_or_else(|| OperatorFailure(format!("App not found: {name}")))
    })
    .await?;
    Ok(OperatorStep::success().with("application_id", name))
}

async fn open_uri(handset: &Handset, step: &contract::OpenUri) -> OperatorResult {
    let intent = Intent {
        action: Some("android.intent.action.VIEW".to_owned()),
        data: Some((*step.uri).to_owned()),
        // FLAG_ACTIVITY_NEW_TASK
        flags: Some("0x10000000".to_owned()),
        ..Intent::default()
    };
    retry(handset, &step.retry, |phone| {
        let started = phone.start(&intent);
        started.map_err(|_| OperatorFailure(format!("URI_NOT_HANDLED: {}", step.uri)))
    })
    .await?;
    Ok(OperatorStep::success().with("uri", &step.uri))
}

async fn wait_for_node(handset: &Handset, step: &contract::WaitForNode) -> OperatorResult {
    let search = retry(handset, &step.retry, |phone| {
        on_element(phone, &step.matcher, |screen, id| {
            let node = screen.tree().node(id);
            OperatorStep::success()
                .with("resource_id", node.resource_id.as_deref().unwrap_or_default())
                .with("label", node.label())
        })
    });
    let Some(longest) = step.timeout else {
        return search.await;
    };
    let ms = longest.as_millis();
    tokio::select! {
        biased;
        found = search => found.map(|found| found.with("timeout_ms", ms)),
        () = handset.time().sleep(longest) => {
            Err(OperatorFailure(format!("Timed out after {ms}ms: {}", missing(&step.matcher).0)))
        }
    }
}

pub(super) fn front(phone: &Phone) -> Option<String> {
    let tree = phone.tree(DumpViews::All)?;
    tree.nodes().next().map(|(_, node)| node.package.clone())
}

/// An app counts only once another was in front: waiting for the app that is there already fails.
async fn wait_for_navigation(handset: &Handset, step: &contract::WaitForNavigation) -> OperatorStep {
    let wanted = step.expected_package.as_deref();
    let began = handset.time().uptime();
    let mut last = handset.with(|phone| front(phone));
    let mut left = last.as_deref() != wanted;
    loop {
        let (package, found) = handset.with(|phone| {
            let node = step.expected_node.as_ref();
            (front(phone), node.is_some_and(|node| is_there(phone, node)))
        });
        last = package.or(last);
        let arrived = wanted.is_some() && last.as_deref() == wanted;
        left |= !arrived;
        let elapsed = handset.time().uptime().saturating_sub(began);
        if (arrived && left) || found {
            let step = OperatorStep::success().maybe("resolved_package", last);
            return step.with("elapsed_ms", elapsed.as_millis());
        }
        if elapsed >= step.timeout {
            return OperatorStep::failure("NAVIGATION_TIMEOUT").maybe("last_package", last);
        }
        let pause = POLL.min(step.timeout.saturating_sub(elapsed));
        handset.time().sleep(pause).await;
    }
}

/// How an element is clicked.
enum ClickWay {
    /// The app tells the element that it was clicked; that takes no time.
    Tell(Point),
    Finger(Point),
    /// The element is focused without a touch, which changes nothing here.
    Nothing,
}

/// A kind of click as the app writes it.
pub(super) fn click_name(click: &UncheckedWord<ClickType>) -> &str {
    match click {
        UncheckedWord::Known(ClickType::Click) => "click",
        UncheckedWord::Known(ClickType::LongClick) => "long_click",
        UncheckedWord::Known(ClickType::Focus) => "focus",
        UncheckedWord::Unknown(word) => word,
    }
}

async fn click(handset: &Handset, step: &contract::Click) -> OperatorResult {
    let done = OperatorStep::success().with("click_types", click_name(&step.click_type));
    match &step.target {
        contract::ClickTarget::Node(matcher) => {
            click_node(handset, matcher, &step.click_type, &step.retry).await?;
            Ok(done)
        }
        contract::ClickTarget::Point(point) => {
            let at = Point::new(point.x.get() as i32, point.y.get() as i32);
            finger(handset, at, click_type(&step.click_type)?).await;
            Ok(done.with("coordinate", at.to_string()))
        }
    }
}

fn click_type(click: &UncheckedWord<ClickType>) -> Result<ClickType, OperatorFailure> {
    match click {
        UncheckedWord::Known(click) => Ok(*click),
        UncheckedWord::Unknown(word) => Err(OperatorFailure(format!("Unsupported click type: {word}"))),
    }
}

/// Clicks the first element that fits.
pub(super) async fn click_node(
    handset: &Handset,
    matcher: &Matcher,
    click: &UncheckedWord<ClickType>,
    policy: &RetryPolicy,
) -> Result<(), OperatorFailure> {
    let click = click_type(click)?;
    let way = retry(handset, policy, |phone| {
        on_element(phone, matcher, |screen, id| way(screen, id, click))?
            .ok_or_else(|| OperatorFailure(format!("Not focusable: {}", describe(matcher))))
    })
    .await?;
    match way {
        ClickWay::Finger(at) => finger(handset, at, click).await,
        ClickWay::Tell(at) => handset.with(|phone| match click {
            ClickType::LongClick => phone.swipe(at, at, LONG_PRESS.as_millis() as u64),
            ClickType::Click | ClickType::Focus => phone.tap(at),
        }),
        ClickWay::Nothing => {}
    }
    Ok(())
}

fn way(screen: &Screen<'_>, id: NodeId, click: ClickType) -> Option<ClickWay> {
    let tree = screen.tree();
    let ability = match click {
        ClickType::Click => Ability::Click,
        ClickType::LongClick => Ability::LongClick,
        ClickType::Focus => {
            let field = tree.nearest(id, Ability::Focus)?;
            // Only fields show that they have the focus.
            return Some(if tree.can(field, Ability::Edit) {
                ClickWay::Tell(tree.node(field).bounds.center())
            } else {
                ClickWay::Nothing
            });
        }
    };
    let enabled = |id: &NodeId| tree.node(*id).flags.has(Flag::Enabled);
    let taker = tree.nearest(id, ability).filter(enabled);
    let touch = taker.and_then(|taker| screen.touch(taker, Some(taker), None));
    Some(match touch {
        Some(touch) => ClickWay::Tell(touch.at),
        None => ClickWay::Finger(tree.node(id).bounds.center()),
    })
}

async fn finger(handset: &Handset, at: Point, click: ClickType) {
    let time = if click == ClickType::LongClick { LONG_PRESS } else { TAP };
    gesture(handset, SwipeLine { from: at, to: at }, time).await;
}

/// A finger moves, unless a fault drops or doubles it.
pub(super) async fn gesture(handset: &Handset, swipe: SwipeLine, time: Duration) {
    handset.spend(Cost::Input).await;
    handset.time().sleep(time).await;
    for _ in 0..handset.input_times() {
        handset.with(|phone| phone.swipe(swipe.from, swipe.to, time.as_millis() as u64));
    }
}

async fn enter_text(handset: &Handset, step: &contract::EnterText) -> OperatorResult {
    let matcher = &step.matcher;
    let refused = || OperatorFailure(format!("Text cannot be set: {}", describe(matcher)));
    retry(handset, &step.retry, |phone| {
        let (node, editable) = on_element(phone, matcher, |screen, id| {
            let field = screen.tree().nearest(id, Ability::Edit);
            (screen.tree().node(field.unwrap_or(id)).clone(), field.is_some())
        })?;
        if !editable || !node.flags.has(Flag::Enabled) {
            return Err(refused());
        }
        if !node.flags.has(Flag::Focused) {
            phone.tap(node.bounds.center());
        }
        let keys: Vec<u32> = ["CTRL_LEFT", "A"].into_iter().filter_map(key_code).collect();
        phone.press_together(&keys);
        phone.insert(&step.text);
        if !phone.can_write() {
            return Err(refused());
        }
        if step.submit {
            submit(phone, matcher);
        }
        Ok(())
    })
    .await?;
    Ok(OperatorStep::success().with("text", &step.text).with("submit", step.submit))
}

/// Submitting is one more click on the field, which may have moved by now.
fn submit(phone: &mut Phone, matcher: &Matcher) {
    let place = look(phone, |screen| {
        let focused = screen.nodes().find(|(_, node)| node.flags.has(Flag::Focused));
        let id = focused.map(|(id, _)| id).or_else(|| screen.first(&matcher.selector()))?;
        Some(screen.tree().node(id).bounds.center())
    });
    if let Some(at) = place.flatten() {
        phone.tap(at);
    }
}

fn press_key(handset: &Handset, key: Key) -> OperatorStep {
    let name = match key {
        Key::Back => "BACK",
        Key::Home => "HOME",
        Key::Recents => "APP_SWITCH",
    };
    handset.with(|phone| phone.press_named(name));
    OperatorStep::success().with("key", key.word())
}

/// Why there is nothing to read.
enum Unread {
    Container,
    Node,
    /// The text is not what was asked for.
    Mismatch(String),
}

/// The labels of what fits, inside the container if one is named.
fn labels(phone: &Phone, step: &contract::ReadText) -> Result<Vec<String>, Unread> {
    let container = step.container.as_ref();
    let unseen = || container.map_or(Ok(Vec::new()), |_| Err(Unread::Container));
    let found = look(phone, |screen| {
        let label = |id| screen.tree().node(id).label().to_owned();
        let wanted = step.matcher.selector();
        let outer = container.map(|matcher| screen.first(&matcher.selector()).ok_or(Unread::Container));
        Ok(match outer.transpose()? {
            Some(outer) => screen.inside(outer, &wanted).map(label).collect(),
            None => screen.all(&wanted).map(label).collect(),
        })
    });
    found.unwrap_or_else(unseen)
}

async fn read_text(handset: &Handset, step: &contract::ReadText) -> OperatorResult {
    let container = step.container.as_ref().map(|matcher| describe(matcher));
    if step.matches == Matches::All {
        return Ok(read_all(handset, step).await.maybe("container", container));
    }
    let validator = TextValidator::new(&step.check).map_err(|error| OperatorFailure(error.to_string()))?;
    let name = match &step.check {
        TextCheck::None => "none",
        TextCheck::Temperature => "temperature",
        TextCheck::Version => "version",
        TextCheck::Pattern(_) => "regex",
        TextCheck::Unknown(word) => word,
    };
    let read = retry(handset, &step.retry, |phone| {
        let first = labels(phone, step)?.into_iter().next();
        let text = first.filter(|text| !text.is_empty()).ok_or(Unread::Node)?;
        if validator.passes(&text) { Ok(text) } else { Err(Unread::Mismatch(text)) }
    });
    let step = match read.await {
        Ok(text) => OperatorStep::success().with("text", text).with("validator", name),
        Err(Unread::Mismatch(raw)) => {
            OperatorStep::failure("VALIDATOR_MISMATCH").with("raw_text", raw).with("validator", name)
        }
        Err(Unread::Container) => OperatorStep::failure("CONTAINER_NOT_FOUND"),
        // Only a search inside a container returns this; any other throws.
        Err(Unread::Node) if container.is_some() => OperatorStep::failure("NODE_NOT_FOUND"),
        Err(Unread::Node) => return Err(missing(&step.matcher)),
    };
    Ok(step.maybe("container", container))
}

/// Everything that fits; finding nothing is a success.
async fn read_all(handset: &Handset, step: &contract::ReadText) -> OperatorStep {
    let Ok(mut labels) = retry(handset, &step.retry, |phone| labels(phone, step)).await else {
        return OperatorStep::failure("CONTAINER_NOT_FOUND");
    };
    labels.retain(|label| !label.is_empty());
    // The app leaves line breaks as they are, which is not valid JSON.
    let quote = |text: &String| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let quoted: Vec<String> = labels.iter().map(quote).collect();
    OperatorStep::success()
        .with("text", format!("[{}]", quoted.join(",")))
        .with("all", true)
        .with("count", labels.len())
        .with("validator", "none")
}

async fn read_key_value(handset: &Handset, step: &contract::ReadKeyValuePair) -> OperatorStep {
    let read = retry(handset, &step.retry, |phone| {
        on_element(phone, &step.label_matcher, |screen, id| {
            let label = |id| screen.tree().node(id).label().to_owned();
            (label(id), screen.value_of(id).map(label))
        })
    });
    match read.await {
        Ok((label, Some(value))) => OperatorStep::success().with("label", label).with("value", value),
        Ok((label, None)) => OperatorStep::failure("VALUE_NODE_NOT_FOUND").with("label", label),
        Err(_) => OperatorStep::failure("NODE_NOT_FOUND"),
    }
}
