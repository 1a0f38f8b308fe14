//! Keys by the server's names for them.

use super::gesture::inject;
use super::params::{MethodResult, Params};
use crate::handset::Handset;
use crate::latency::Cost;
use crate::phone::DumpViews;
use serde_json::Value;
use std::time::Duration;

/// How long a key waits for a change of what is shown.
const CHANGE: Duration = Duration::from_secs(1);

/// What the server does after it pressed a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Nothing,
    Waits,
}

/// The server's names of keys, and the phone's.
const KEYS: &[(&str, &str, Then)] = &[
    ("back", "BACK", Then::Waits),
    ("camera", "CAMERA", Then::Nothing),
    ("center", "DPAD_CENTER", Then::Nothing),
    ("del", "DEL", Then::Nothing),
    ("delete", "DEL", Then::Nothing),
    ("down", "DPAD_DOWN", Then::Nothing),
    ("enter", "ENTER", Then::Nothing),
    ("home", "HOME", Then::Waits),
    ("left", "DPAD_LEFT", Then::Nothing),
    ("menu", "MENU", Then::Nothing),
    ("power", "POWER", Then::Nothing),
    ("recent", "APP_SWITCH", Then::Nothing),
    ("right", "DPAD_RIGHT", Then::Nothing),
    ("search", "SEARCH", Then::Nothing),
    ("up", "DPAD_UP", Then::Nothing),
    ("volume_down", "VOLUME_DOWN", Then::Nothing),
    ("volume_mute", "VOLUME_MUTE", Then::Nothing),
    ("volume_up", "VOLUME_UP", Then::Nothing),
];

/// Presses a key by its name: whether the server saw it work.
pub(super) async fn run(handset: &Handset, params: &Params) -> MethodResult {
    let wanted = params.text(0)?.to_ascii_lowercase();
    let Some((_, name, then)) = KEYS.iter().find(|row| row.0 == wanted) else {
        return Ok(Value::Bool(false));
    };
    handset.spend(Cost::ServerInput).await;
    inject(handset)?;
    let before = handset.with(|phone| phone.tree(DumpViews::All));
    for _ in 0..handset.input_times() {
        handset.with(|phone| phone.press_named(name));
    }
    let done = *then == Then::Nothing || handset.with(|phone| phone.tree(DumpViews::All)) != before;
    if !done {
        handset.linger(CHANGE).await;
    }
    Ok(Value::Bool(done))
}
