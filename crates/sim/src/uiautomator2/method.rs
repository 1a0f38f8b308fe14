//! The server's methods: what each does with the phone.

use super::params::{MethodError, MethodResult, Params, missing};
use super::{child, gesture, info, pinch, selector};
use crate::handset::Handset;
use crate::latency::Cost;
use crate::phone::{Motion, Namespace, Phone, Press, Views, key_code};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clawperator_ui::{Node, NodeId, Tree};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The longest anything is waited for, and how often it is looked for.
const MAX_WAIT_MS: u64 = 120_000;
const POLL: Duration = Duration::from_millis(50);
/// How deep a dump is, unless the call says so.
const DEPTH: i64 = 50;

/// Answers one call.
pub(super) async fn call(handset: &Arc<Handset>, body: &[u8]) -> Value {
    let request: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
    let id = request.get("id").cloned().unwrap_or(Value::Null);
    let outcome = match request.get("method").and_then(Value::as_str) {
        None => Err(MethodError::Request),
        Some(name) => {
            // Named parameters are what the client sends when there are none.
            let params = request.get("params").and_then(Value::as_array).cloned();
            handset.disturb("");
            run(handset, name, &Params::new(params.unwrap_or_default())).await
        }
    };
    match outcome {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(wrong) => json!({"jsonrpc": "2.0", "id": id, "error": wrong.describe()}),
    }
}

/// What does a method at once.
type Quick = fn(&mut Phone, &Params) -> MethodResult;

/// Methods that look.
const LOOKS: &[(&str, Quick)] = &[
    ("clearLastToast", |_, _| Ok(Value::Bool(true))),
    ("clearLastTraversedText", |_, _| Ok(Value::Null)),
    ("count", |phone, params| {
        let tree = info::tree(phone, Views::All);
        Ok(json!(all(&tree, params.selector(0)?)?.len()))
    }),
    ("deviceInfo", |phone, _| Ok(info::device(phone))),
    ("dumpWindowHierarchy", |phone, params| {
        let important = params.flag(0).unwrap_or(false);
        let views = if important { Views::Important } else { Views::All };
        let depth = params.number(1).unwrap_or(DEPTH).max(0);
        Ok(info::hierarchy(phone, views, depth as usize).into())
    }),
    ("exist", |phone, params| {
        let tree = info::tree(phone, Views::All);
        Ok(json!(!all(&tree, params.selector(0)?)?.is_empty()))
    }),
    ("getClipboard", |phone, _| Ok(phone.clipboard.clone().into())),
    ("getConfigurator", |_, _| Ok(configurator())),
    ("getLastToast", |phone, _| {
        Ok(phone.toast.as_ref().map(|toast| toast.text.clone()).into())
    }),
    ("getLastTraversedText", |_, _| Ok(Value::Null)),
    ("getText", |phone, params| {
        first(phone, params.selector(0)?, |_, _, node| node.text.clone().into())
    }),
    ("isScreenOn", |phone, _| Ok(phone.power.awake.into())),
    ("objInfo", |phone, params| {
        first(phone, params.selector(0)?, |tree, id, _| info::object(tree, id))
    }),
    ("objInfoOfAllInstances", |phone, params| {
        let tree = info::tree(phone, Views::All);
        let found = all(&tree, params.selector(0)?)?;
        Ok(found.into_iter().map(|id| info::object(&tree, id)).collect())
    }),
    ("setConfigurator", |_, _| Ok(configurator())),
];

/// Methods that do something; faults of the phone's input are theirs too.
const ACTS: &[(&str, Quick)] = &[
    ("clearInputText", |phone, _| Ok(press(phone, "CLEAR"))),
    ("clearTextField", |phone, params| {
        write(phone, params.selector(0)?, "")
    }),
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
            _ => Motion::Cancel,
        };
        phone.motion(motion, params.pixel(1)?, params.pixel(2)?);
        Ok(Value::Bool(true))
    }),
    ("makeToast", |phone, params| {
        phone.show_toast("com.github.uiautomator", params.text(0)?.to_owned());
        Ok(Value::Bool(true))
    }),
    ("openNotification", |phone, _| {
        phone.open_shade();
        Ok(Value::Bool(true))
    }),
    ("openQuickSettings", |phone, _| {
        phone.open_shade();
        Ok(Value::Bool(true))
    }),
    ("pasteClipboard", |phone, _| Ok(press(phone, "PASTE"))),
    ("pressKey", |phone, params| {
        let name = params.text(0)?.to_ascii_uppercase();
        let known = KEYS.iter().find(|row| row.0 == name);
        Ok(press(phone, known.map_or(&name, |row| row.1)))
    }),
    ("pressKeyCode", |phone, params| {
        let code = u32::try_from(params.number(0)?).map_err(|_| missing(0, "a key"))?;
        phone.press(code, Press::Short);
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
    ("setText", |phone, params| {
        write(phone, params.selector(0)?, params.text(1)?)
    }),
    ("sleep", |phone, _| {
        phone.switch_screen(false);
        Ok(Value::Null)
    }),
    ("wakeUp", |phone, _| {
        phone.switch_screen(true);
        Ok(Value::Null)
    }),
];

/// Keys that have another name than the phone's.
const KEYS: &[(&str, &str)] = &[
    ("LEFT", "DPAD_LEFT"),
    ("RIGHT", "DPAD_RIGHT"),
    ("UP", "DPAD_UP"),
    ("DOWN", "DPAD_DOWN"),
    ("CENTER", "DPAD_CENTER"),
    ("DELETE", "DEL"),
    ("RECENT", "APP_SWITCH"),
];

async fn run(handset: &Arc<Handset>, name: &str, params: &Params) -> MethodResult {
    let quick = |table: &[(&str, Quick)]| table.iter().find(|row| row.0 == name).map(|row| row.1);
    if let Some(look) = quick(LOOKS) {
        handset.spend(Cost::Command).await;
        return handset.with(|phone| look(phone, params));
    }
    if let Some(act) = quick(ACTS) {
        handset.spend(Cost::Input).await;
        return handset.with(|phone| {
            let mut outcome = Ok(Value::Bool(true));
            for _ in 0..handset.input_times() {
                outcome = act(phone, params);
            }
            outcome
        });
    }
    match name {
        "takeScreenshot" => {
            handset.spend(Cost::Picture).await;
            let picture = handset.with(|phone| phone.picture());
            // Scale and quality are a JPEG's; every client reads a PNG too.
            Ok(picture.map_or(Value::Null, |picture| STANDARD.encode(picture.to_png()).into()))
        }
        "waitForExists" => wait(handset, params, true).await,
        "waitUntilGone" => wait(handset, params, false).await,
        "childByText" | "childByDescription" | "childByInstance" => child::run(handset, name, params).await,
        "gesture" | "pinchIn" | "pinchOut" => pinch::run(handset, name, params).await,
        name => gesture::run(handset, name, params).await,
    }
}

async fn wait(handset: &Arc<Handset>, params: &Params, wanted: bool) -> MethodResult {
    let selector = params.selector(0)?;
    let ms = u64::try_from(params.number(1)?).unwrap_or(0).min(MAX_WAIT_MS);
    let deadline = handset.time().uptime() + Duration::from_millis(ms);
    loop {
        let tree = handset.with(|phone| info::tree(phone, Views::All));
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
    let tree = info::tree(phone, Views::All);
    let found = all(&tree, wanted)?.into_iter().next();
    let id = found.ok_or_else(|| MethodError::NoObject(wanted.to_string().chars().take(500).collect()))?;
    Ok(tell(&tree, id, tree.node(id)))
}

/// Writes into a field instead of what is in it.
fn write(phone: &mut Phone, wanted: &Value, text: &str) -> MethodResult {
    let (x, y) = first(phone, wanted, |_, _, node| node.bounds.center())?;
    phone.tap(x, y);
    if !phone.can_write() {
        return Ok(Value::Bool(false));
    }
    press(phone, "CLEAR");
    phone.insert(text);
    Ok(Value::Bool(true))
}

fn press(phone: &mut Phone, name: &str) -> Value {
    let code = key_code(name);
    if let Some(code) = code {
        phone.press(code, Press::Short);
    }
    Value::Bool(code.is_some())
}

fn configurator() -> Value {
    json!({
        "actionAcknowledgmentTimeout": 3000,
        "keyInjectionDelay": 0,
        "scrollAcknowledgmentTimeout": 200,
        "waitForIdleTimeout": 0,
        "waitForSelectorTimeout": 0,
    })
}
