//! The server's methods: what each does with the phone.

use super::params::{MethodError, MethodResult, Params, missing};
use super::{AutomatorServer, child, configurator, gesture, info, key, picture, pinch, selector};
use crate::fault::FaultPoint;
use crate::handset::Handset;
use crate::latency::Cost;
use crate::phone::{DumpViews, Motion, Namespace, Phone, PressLength};
use clawperator_ui::{Node, NodeId, Tree};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The longest anything is waited for, and how often it is looked for.
const MAX_WAIT_MS: u64 = 120_000;
const POLL: Duration = Duration::from_millis(50);

/// Methods that need no UiAutomation.
const WITHOUT_SLOT: &[&str] = &[
    "clearInputText",
    "clearLastToast",
    "getClipboard",
    "getConfigurator",
    "getLastToast",
    "pasteClipboard",
    "ping",
    "setClipboard",
    "setConfigurator",
];

pub(super) async fn call(server: &AutomatorServer, body: &[u8]) -> Value {
    let request: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
    let id = request.get("id").cloned().unwrap_or(Value::Null);
    let outcome = match request.get("method").and_then(Value::as_str) {
        None => Err(MethodError::Request),
        Some(name) => {
            // Named parameters are what the client sends when there are none.
            let params = request.get("params").and_then(Value::as_array).cloned();
            // What comes between a check and the act right after it is a fault of its own.
            let asks = FACTS.iter().chain(LOOKS).any(|row| row.0 == name);
            if asks || name == "dumpWindowHierarchy" {
                server.handset.disturb("");
            }
            take_time(server).await;
            run(server, name, &Params::new(params.unwrap_or_default())).await
        }
    };
    match outcome {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(wrong) => json!({"jsonrpc": "2.0", "id": id, "error": wrong.describe()}),
    }
}

/// Waits as long as any call takes, and the first one.
async fn take_time(server: &AutomatorServer) {
    let handset = &server.handset;
    let first = !std::mem::replace(&mut server.state().called, true);
    let mut late = handset.strike(FaultPoint::ServerLate).unwrap_or(0);
    if first {
        handset.spend(Cost::ServerFirst).await;
        late += handset.strike(FaultPoint::ServerFirstLate).unwrap_or(0);
    }
    handset.spend(Cost::ServerCall).await;
    if late > 0 {
        handset.time().sleep(Duration::from_millis(late)).await;
    }
}

/// What does a method at once.
type Quick = fn(&mut Phone, &Params) -> MethodResult;

/// Methods that ask what is known without a look at the screen.
const FACTS: &[(&str, Quick)] = &[
    ("clearLastTraversedText", |_, _| Ok(Value::Null)),
    ("deviceInfo", |phone, _| Ok(info::device(phone))),
    ("getClipboard", |phone, _| Ok(phone.clipboard.clone().into())),
    ("getLastTraversedText", |_, _| Ok(Value::Null)),
    ("isScreenOn", |phone, _| Ok(phone.power.awake.into())),
    ("ping", |_, _| Ok("pong".into())),
];

const LOOKS: &[(&str, Quick)] = &[
    ("count", |phone, params| {
        let tree = info::tree(phone, DumpViews::All);
        Ok(json!(all(&tree, params.selector(0)?)?.len()))
    }),
    ("exist", |phone, params| {
        let tree = info::tree(phone, DumpViews::All);
        Ok(json!(!all(&tree, params.selector(0)?)?.is_empty()))
    }),
    ("getText", |phone, params| first(phone, params.selector(0)?, |_, _, node| node.text.clone().into())),
    ("objInfo", |phone, params| first(phone, params.selector(0)?, |tree, id, _| info::object(tree, id))),
    ("objInfoOfAllInstances", |phone, params| {
        let tree = info::tree(phone, DumpViews::All);
        let found = all(&tree, params.selector(0)?)?;
        Ok(found.into_iter().map(|id| info::object(&tree, id)).collect())
    }),
];

/// Methods that do something; faults of the phone's input are theirs too.
const ACTS: &[(&str, Quick)] = &[
    ("clearInputText", |phone, _| {
        phone.press_named("CLEAR");
        Ok(Value::Null)
    }),
    ("clearTextField", |phone, params| write(phone, params.selector(0)?, "").map(|_| Value::Null)),
    ("freezeRotation", |phone, params| {
        let turns = if params.flag(0).unwrap_or(true) { "0" } else { "1" };
        phone.put_setting(Namespace::System, "accelerometer_rotation", Some(turns));
        Ok(Value::Null)
    }),
    ("injectInputEvent", |phone, params| {
        let motion = match params.number(0)? {
            0 => Motion::Down,
            1 => Motion::Up,
            2 => Motion::Move,
            _ => return Ok(Value::Bool(false)),
        };
        phone.motion(motion, params.point(1)?);
        Ok(Value::Bool(true))
    }),
    ("openNotification", open_shade),
    ("openQuickSettings", open_shade),
    ("pasteClipboard", |phone, _| {
        phone.press_named("PASTE");
        Ok(Value::Null)
    }),
    ("pressKeyCode", |phone, params| {
        let code = u32::try_from(params.number(0)?).map_err(|_| missing(0, "a key"))?;
        phone.press(code, PressLength::Short);
        Ok(Value::Bool(true))
    }),
    ("setClipboard", |phone, params| {
        let text = params.text(1).or(params.text(0))?;
        phone.copy(text);
        Ok(Value::Null)
    }),
    ("setOrientation", |phone, params| {
        let turns = match params.text(0)?.get(..1) {
            Some("l") => "1",
            Some("u") => "2",
            Some("r") => "3",
            _ => "0",
        };
        phone.put_setting(Namespace::System, "accelerometer_rotation", Some("0"));
        phone.put_setting(Namespace::System, "user_rotation", Some(turns));
        Ok(Value::Null)
    }),
    ("setText", |phone, params| write(phone, params.selector(0)?, params.text(1)?)),
    ("sleep", |phone, _| {
        phone.switch_screen(false);
        Ok(Value::Null)
    }),
    ("wakeUp", |phone, _| {
        phone.switch_screen(true);
        Ok(Value::Null)
    }),
];

fn open_shade(phone: &mut Phone, _: &Params) -> MethodResult {
    phone.open_shade();
    Ok(Value::Bool(true))
}

/// Of these, those that inject input.
const INJECTS: &[&str] = &["injectInputEvent", "pressKeyCode"];

async fn run(server: &AutomatorServer, name: &str, params: &Params) -> MethodResult {
    let handset = &server.handset;
    let slot = WITHOUT_SLOT.contains(&name) || handset.automation.holds(server.ticket);
    if !slot {
        return Err(MethodError::NotConnected);
    }
    let quick = |table: &[(&str, Quick)]| table.iter().find(|row| row.0 == name).map(|row| row.1);
    if let Some(tell) = quick(FACTS) {
        return handset.with(|phone| tell(phone, params));
    }
    if let Some(look) = quick(LOOKS) {
        handset.spend(Cost::ServerTree).await;
        return handset.with(|phone| look(phone, params));
    }
    if let Some(act) = quick(ACTS) {
        handset.spend(Cost::ServerInput).await;
        if INJECTS.contains(&name) {
            gesture::inject(handset)?;
            if name == "pressKeyCode" && handset.strike(FaultPoint::KeyOvertaken).is_some() {
                handset.steal_focus();
            }
        }
        return handset.with(|phone| {
            let mut outcome = Ok(Value::Bool(true));
            for _ in 0..handset.input_times() {
                outcome = act(phone, params);
            }
            outcome
        });
    }
    match name {
        "clearLastToast" => {
            server.state().toasts_until = handset.with(Phone::number);
            Ok(Value::Null)
        }
        "dumpWindowHierarchy" => info::dump(server, params).await,
        "getConfigurator" => Ok(json!(server.state().configurator)),
        "getLastToast" => Ok(last_toast(server)),
        "pressKey" => key::run(handset, params).await,
        "setConfigurator" => {
            let mut state = server.state();
            state.configurator = state.configurator.with(params.selector(0)?);
            Ok(json!(state.configurator))
        }
        "takeScreenshot" => picture::run(handset, params).await,
        "waitForExists" => wait(handset, params, true).await,
        "waitForIdle" => {
            let ms = u64::try_from(params.number(0)?).unwrap_or(0).min(MAX_WAIT_MS);
            configurator::wait_for_idle(handset, Duration::from_millis(ms)).await;
            Ok(Value::Null)
        }
        "waitUntilGone" => wait(handset, params, false).await,
        "childByText" | "childByDescription" | "childByInstance" => child::run(handset, name, params).await,
        "gesture" | "pinchIn" | "pinchOut" => pinch::run(handset, name, params).await,
        name => gesture::run(handset, name, params).await,
    }
}

/// The last toast since the server started, or since that was forgotten. Without
/// its UiAutomation the server hears of none, and still answers.
fn last_toast(server: &AutomatorServer) -> Value {
    let mut state = server.state();
    if server.handset.automation.holds(server.ticket) {
        state.toast = server.handset.with(|phone| phone.toasts.last.clone());
    }
    let toast = state.toast.as_ref();
    let toast = toast.filter(|toast| toast.number > state.toasts_until);
    toast.map(|toast| toast.text.clone()).into()
}

async fn wait(handset: &Arc<Handset>, params: &Params, wanted: bool) -> MethodResult {
    let selector = params.selector(0)?;
    let ms = u64::try_from(params.number(1)?).unwrap_or(0).min(MAX_WAIT_MS);
    let deadline = handset.time().uptime() + Duration::from_millis(ms);
    loop {
        let tree = handset.with(|phone| info::tree(phone, DumpViews::All));
        if all(&tree, selector)?.is_empty() != wanted {
            return Ok(Value::Bool(true));
        }
        if handset.time().uptime() >= deadline {
            return Ok(Value::Bool(false));
        }
        handset.time().sleep(POLL).await;
    }
}

/// Every element a selector means.
pub(super) fn all(tree: &Tree, wanted: &Value) -> Result<Vec<NodeId>, MethodError> {
    selector::select(tree, wanted).map_err(MethodError::Params)
}

/// Tells something of the first element a selector means.
pub(super) fn first<R>(
    phone: &Phone,
    wanted: &Value,
    tell: impl FnOnce(&Tree, NodeId, &Node) -> R,
) -> Result<R, MethodError> {
    let tree = info::tree(phone, DumpViews::All);
    let found = all(&tree, wanted)?.into_iter().next();
    let id = found.ok_or_else(|| MethodError::NoObject(wanted.to_string().chars().take(500).collect()))?;
    Ok(tell(&tree, id, tree.node(id)))
}

/// Writes into a field instead of what is in it. The server does not look
/// whether the field took it.
fn write(phone: &mut Phone, wanted: &Value, text: &str) -> MethodResult {
    let at = first(phone, wanted, |_, _, node| node.bounds.center())?;
    phone.tap(at);
    if phone.can_write() {
        phone.press_named("CLEAR");
        phone.insert(text);
    }
    Ok(Value::Bool(true))
}
