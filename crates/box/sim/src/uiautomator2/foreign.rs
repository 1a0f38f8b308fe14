//! An app of the phone that listens on the server's port, if that is a fault:
//! it answers as the server does, and shows a screen that is not there.

use super::connection::Responder;
use super::{DEFAULT_PORT, serve};
use crate::fault::FaultPoint;
use crate::handset::Handset;
use crate::port::{Ports, Socket};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::runtime::Handle;

const UID: u32 = 10_123;

/// What it shows: nothing of it is on any screen of the phone.
const FALSE_TREE: &str = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\r\n<hierarchy rotation=\"0\">\r\n  <node index=\"0\" text=\"This screen is not there\" resource-id=\"com.example.false:id/lie\" class=\"android.widget.TextView\" package=\"com.example.false\" content-desc=\"\" checkable=\"false\" checked=\"false\" clickable=\"true\" enabled=\"true\" focusable=\"true\" focused=\"false\" scrollable=\"false\" long-clickable=\"false\" password=\"false\" selected=\"false\" visible-to-user=\"true\" bounds=\"[0,0][1080,2400]\" drawing-order=\"0\" hint=\"\" display-id=\"0\" />\r\n</hierarchy>";

/// Lets the app listen, or not, as the phone's faults say.
pub(crate) fn settle(handset: &Handset, ports: &Ports) {
    let wanted = handset.plans(FaultPoint::ServerForeign);
    let address = format!("tcp:{DEFAULT_PORT}");
    let there = ports.sockets().into_iter().find(|(port, _)| *port == DEFAULT_PORT);
    match there {
        Some((_, socket)) if socket.uid == UID && !wanted => ports.close(&address),
        None if wanted && handset.strike(FaultPoint::ServerForeign).is_some() => {
            let (Ok(runtime), Some(shared)) = (Handle::try_current(), handset.shared()) else {
                return;
            };
            if let Some(listener) = ports.listen(&address, Socket::open(UID)) {
                runtime.spawn(serve(listener, Responder::Foreign(shared)));
            }
        }
        _ => {}
    }
}

/// Answers a call: it did everything, and sees what it wants to be seen.
pub(super) fn call(handset: &Arc<Handset>, body: &[u8]) -> Value {
    let request: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
    let result = match request.get("method").and_then(Value::as_str) {
        Some("dumpWindowHierarchy") => FALSE_TREE.into(),
        Some("deviceInfo") => handset.with(|phone| super::info::device(phone)),
        _ => Value::Bool(true),
    };
    json!({"jsonrpc": "2.0", "id": request.get("id"), "result": result})
}
