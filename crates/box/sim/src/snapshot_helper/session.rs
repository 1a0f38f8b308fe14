//! The helper as a server: a port of the phone's where each connection asks
//! one thing, in one line, and gets one answer.

use super::answer::{self, HelperRequest, SnapshotAnswer};
use super::{Extras, PACKAGE, PROTOCOL, finish};
use crate::handset::Handset;
use crate::instrumentation::Instrumentation;
use crate::port::{Listener, PortStream, Socket};
use bytes::BytesMut;
use clawperator_userland::{Call, ExitResult};
use std::sync::Arc;
use tokio::task::JoinSet;

/// The longest request, and the most connections at a time.
const MAX_REQUEST: usize = 2 << 20;
const MAX_CONNECTIONS: usize = 32;

/// What comes after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AfterRequest {
    More,
    Quit,
}

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SessionEnd {
    Quit,
    Stopped,
}

/// Serves the port until it gets a quit request, or its process ends.
pub(super) async fn run(
    running: &Instrumentation<'_>,
    call: &mut Call,
    port: &str,
    extras: &Extras,
) -> ExitResult {
    let handset = running.handset;
    let number: Option<u16> = port.parse().ok();
    let uid = handset.with(|phone| phone.packages.get(PACKAGE).map_or(0, |app| app.uid));
    let socket = Socket::local(uid);
    let listener = number.and_then(|port| handset.ports().listen(&format!("tcp:{port}"), socket));
    let (Some(listener), Some(shared)) = (listener, handset.shared()) else {
        let taken = SnapshotAnswer::failure("java.net.BindException", "The session's port cannot be used");
        return finish(call, &taken).await;
    };
    let ready = format!(
        "INSTRUMENTATION_STATUS: agentDeviceProtocol={PROTOCOL}\nINSTRUMENTATION_STATUS: sessionReady=true\nINSTRUMENTATION_STATUS: sessionPort={port}\nINSTRUMENTATION_STATUS_CODE: 2\n"
    );
    call.out(ready).await?;
    let ended = tokio::select! {
        () = serve(&shared, listener, extras) => SessionEnd::Quit,
        () = running.wait_for_end() => SessionEnd::Stopped,
    };
    if ended == SessionEnd::Stopped {
        call.out("INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n").await?;
        return Ok(0);
    }
    finish(call, &SnapshotAnswer::new([("sessionEnded", "true".to_owned())])).await
}

/// Answers connections until one of them says that it was the last.
async fn serve(handset: &Arc<Handset>, mut listener: Listener, extras: &Extras) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            stream = listener.recv(), if connections.len() < MAX_CONNECTIONS => {
                let Some(stream) = stream else { return };
                connections.spawn(converse(Arc::clone(handset), stream, extras.clone()));
            }
            Some(done) = connections.join_next() => {
                if matches!(done, Ok(AfterRequest::Quit)) {
                    return;
                }
            }
        }
    }
}

/// Answers the one request of a connection.
async fn converse(handset: Arc<Handset>, mut stream: PortStream, extras: Extras) -> AfterRequest {
    let Some(line) = request(&mut stream).await else {
        return AfterRequest::More;
    };
    let words: Vec<_> = line.split_whitespace().collect();
    let (ask, id) = match words[..] {
        ["snapshot", id] => (Some(HelperRequest::Snapshot), id),
        ["viewport", id] => (Some(HelperRequest::Viewport), id),
        ["gesture", id, payload] => (Some(HelperRequest::Gesture(payload.to_owned())), id),
        [_, id, ..] => (None, id),
        _ => (None, ""),
    };
    let quit = words.first() == Some(&"quit");
    let report = match ask {
        Some(ask) => answer::answer(&handset, &ask, &extras).await,
        None if quit => SnapshotAnswer::new([]),
        None => SnapshotAnswer::failure("java.lang.IllegalArgumentException", "unknown session command"),
    };
    let fields = report.fields.iter().map(|(name, value)| format!("{name}={value}\n"));
    let head: String = fields.collect();
    let text = format!("requestId={id}\n{head}\n{}", report.body.unwrap_or_default());
    stream.send_all(text).await;
    if quit { AfterRequest::Quit } else { AfterRequest::More }
}

/// The first line that comes; none if there is none, or it has no end.
async fn request(stream: &mut PortStream) -> Option<String> {
    let mut line = BytesMut::new();
    while line.len() < MAX_REQUEST {
        line.extend_from_slice(&stream.from.recv().await?);
        if let Some(end) = line.iter().position(|byte| *byte == b'\n') {
            return String::from_utf8(line[..end].to_vec()).ok();
        }
    }
    None
}
