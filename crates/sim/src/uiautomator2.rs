//! The server that `uiautomator2` starts on a phone: JSON-RPC over HTTP at a
//! port of the phone's own.
//!
//! It is what the phone does instead of running that server's code: the same
//! questions, answered from the phone's model.

mod child;
mod gesture;
mod http;
mod info;
mod method;
mod params;
mod pinch;
mod selector;

use crate::handset::Handset;
use crate::port::PortStream;
use bytes::{Bytes, BytesMut};
use clawperator_userland::{Call, Ended};
use http::{Parsed, Request};
use std::sync::Arc;
use tokio::task::JoinSet;

/// The class that is started.
pub(crate) const CLASS: &str = "com.wetest.uia2.Main";
const DEFAULT_PORT: u16 = 9008;
/// The most connections at a time.
const MAX_CONNECTIONS: usize = 32;
/// How much is sent at a time.
const PIECE: usize = 64 << 10;

const TAKEN: &str = "java.lang.IllegalStateException: UiAutomationService android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@5d1c0de already registered!\n";

/// Runs the server until it is killed.
pub(crate) async fn run(handset: &Handset, call: &mut Call, args: &[String]) -> Ended {
    let port = match args {
        [] => Some(DEFAULT_PORT),
        [option, port, ..] if option == "-p" => port.parse::<u16>().ok(),
        [..] => None,
    };
    let Some(port) = port else {
        call.err("Usage: -p PORT\n").await;
        return Ok(1);
    };
    // While the server runs it alone watches the screen.
    let Some(_watching) = handset.automation().connect() else {
        call.err(TAKEN).await;
        return Ok(1);
    };
    let listener = handset.ports().listen(&format!("tcp:{port}"));
    let (Some(mut listener), Some(shared)) = (listener, handset.shared()) else {
        call.err("java.net.BindException: bind failed: EADDRINUSE (Address already in use)\n")
            .await;
        return Ok(1);
    };
    call.out("[server] INFO: [UiAutomator2Server] Starting Server\n")
        .await?;
    // The connections end with the server: they are dropped with this.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            stream = listener.recv() => {
                let Some(stream) = stream else { return Ok(0) };
                while connections.len() >= MAX_CONNECTIONS {
                    connections.join_next().await;
                }
                connections.spawn(serve(Arc::clone(&shared), stream));
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Answers the requests of one connection, one after the other.
async fn serve(handset: Arc<Handset>, mut stream: PortStream) {
    let mut buffer = BytesMut::new();
    loop {
        let request = match http::parse(&buffer) {
            Parsed::Request(request, length) => {
                let _ = buffer.split_to(length);
                request
            }
            Parsed::More => match stream.from.recv().await {
                Some(more) => {
                    buffer.extend_from_slice(&more);
                    continue;
                }
                None => return,
            },
            Parsed::Wrong(status) => {
                send(&stream, http::response(status, "text/plain", b"", false)).await;
                return;
            }
        };
        let answer = answer(&handset, &request).await;
        if !send(&stream, answer).await || !request.keep_alive {
            return;
        }
    }
}

async fn answer(handset: &Arc<Handset>, request: &Request) -> Vec<u8> {
    let keep = request.keep_alive;
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/ping") => http::response(200, "text/plain", b"pong", keep),
        ("POST", "/jsonrpc/0") => {
            let body = method::call(handset, &request.body).await.to_string();
            http::response(200, "application/json", body.as_bytes(), keep)
        }
        _ => http::response(404, "text/plain", b"Not Found", keep),
    }
}

/// Sends bytes; whether the receiver is still there.
async fn send(stream: &PortStream, bytes: Vec<u8>) -> bool {
    let mut bytes = Bytes::from(bytes);
    while !bytes.is_empty() {
        let piece = bytes.split_to(bytes.len().min(PIECE));
        if stream.to.send(piece).await.is_err() {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests;
