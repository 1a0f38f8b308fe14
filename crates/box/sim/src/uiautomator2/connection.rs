//! One connection of the server's: requests in, answers out, until one side
//! has enough.

use super::http::{self, Parsed, Request};
use super::{Server, foreign, method};
use crate::fault::Point;
use crate::handset::Handset;
use crate::port::PortStream;
use bytes::{Bytes, BytesMut};
use std::sync::Arc;
use std::time::Duration;

/// How much is sent at a time.
const PIECE: usize = 64 << 10;
/// How long a connection may be silent before the server closes it.
const SILENCE: Duration = Duration::from_secs(5);
/// How a process ends that was killed.
const KILLED: u8 = 137;

/// Who answers a connection.
#[derive(Clone)]
pub(super) enum Responder {
    Server(Arc<Server>),
    /// Something else that listens there.
    Foreign(Arc<Handset>),
}

/// What a request gets.
#[derive(Debug, PartialEq, Eq)]
enum Reply {
    Whole(Vec<u8>),
    /// This, and then the connection ends.
    Last(Vec<u8>),
    Nothing,
}

impl Responder {
    fn handset(&self) -> &Arc<Handset> {
        match self {
            Self::Server(server) => &server.handset,
            Self::Foreign(handset) => handset,
        }
    }
}

/// Answers the requests of one connection, one after the other.
pub(super) async fn serve(responder: Responder, mut stream: PortStream) {
    let mut buffer = BytesMut::new();
    loop {
        let request = match http::parse(&buffer) {
            Parsed::Request(request, length) => {
                let _ = buffer.split_to(length);
                request
            }
            Parsed::More => match more(responder.handset(), &mut stream).await {
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
        let (bytes, last) = match answer(&responder, &request).await {
            Reply::Whole(bytes) => (bytes, !request.keep_alive),
            Reply::Last(bytes) => (bytes, true),
            Reply::Nothing => return,
        };
        if !send(&stream, bytes).await || last {
            return;
        }
    }
}

/// The next bytes; none when the other side is gone, or silent for too long.
async fn more(handset: &Handset, stream: &mut PortStream) -> Option<Bytes> {
    tokio::select! {
        more = stream.from.recv() => more,
        () = handset.time().sleep(SILENCE) => None,
    }
}

async fn answer(responder: &Responder, request: &Request) -> Reply {
    let keep = request.keep_alive;
    let plain = |status, text: &[u8]| Reply::Whole(http::response(status, "text/plain", text, keep));
    match (responder, request.path.as_str()) {
        (_, "/ping") => plain(200, b"pong"),
        (Responder::Server(server), "/stop") => {
            // The server closes every connection before it could answer.
            server.end(0);
            Reply::Nothing
        }
        (Responder::Server(server), "/jsonrpc/0") => call(server, request).await,
        (Responder::Foreign(handset), "/jsonrpc/0") => {
            let body = foreign::call(handset, &request.body).to_string();
            Reply::Whole(http::response(200, "application/json", body.as_bytes(), keep))
        }
        _ => plain(404, b"Not Found!!!"),
    }
}

/// Answers a call, or lets go wrong what is to.
async fn call(server: &Server, request: &Request) -> Reply {
    let strike = |point| server.handset.strike(point).is_some();
    if strike(Point::ServerKilled) {
        server.end(KILLED);
        return Reply::Nothing;
    }
    if strike(Point::ServerSlotStolen) {
        server.handset.automation().steal();
    }
    let body = method::call(server, &request.body).await.to_string();
    if strike(Point::ServerKilledAfter) {
        server.end(KILLED);
        return Reply::Nothing;
    }
    if strike(Point::ServerReset) {
        return Reply::Nothing;
    }
    let mut bytes = http::response(200, "application/json", body.as_bytes(), request.keep_alive);
    if strike(Point::ServerCutOff) {
        let length = server
            .handset
            .faults(|faults| faults.place(Point::ServerCutOff, bytes.len()));
        bytes.truncate(length);
        return Reply::Last(bytes);
    }
    Reply::Whole(bytes)
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
