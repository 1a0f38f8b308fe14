//! One connection of the server's: requests in, answers out, until one side has enough.

use super::http::{self, HttpRequest, RequestParse};
use super::{AutomatorServer, foreign, method};
use crate::fault::FaultPoint;
use crate::handset::Handset;
use crate::port::PortStream;
use bytes::{Bytes, BytesMut};
use std::sync::Arc;
use std::time::Duration;

/// How long a connection may be silent before the server closes it.
const SILENCE: Duration = Duration::from_secs(5);
/// How a process ends that was killed.
const KILLED: u8 = 137;

/// Who answers a connection.
#[derive(Clone)]
pub(super) enum Responder {
    Server(Arc<AutomatorServer>),
    /// Something else that listens there.
    Foreign(Arc<Handset>),
}

/// What a request gets.
#[derive(Debug, PartialEq, Eq)]
enum HttpReply {
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
            RequestParse::Request(request, length) => {
                let _ = buffer.split_to(length);
                request
            }
            RequestParse::More => match more(responder.handset(), &mut stream).await {
                Some(more) => {
                    buffer.extend_from_slice(&more);
                    continue;
                }
                None => return,
            },
            RequestParse::Wrong(status) => {
                stream.send_all(http::response(status, "text/plain", b"", false)).await;
                return;
            }
        };
        let (bytes, last) = match answer(&responder, &request).await {
            HttpReply::Whole(bytes) => (bytes, !request.keep_alive),
            HttpReply::Last(bytes) => (bytes, true),
            HttpReply::Nothing => return,
        };
        if !stream.send_all(bytes).await || last {
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

async fn answer(responder: &Responder, request: &HttpRequest) -> HttpReply {
    let keep = request.keep_alive;
    let plain = |status, text: &[u8]| HttpReply::Whole(http::response(status, "text/plain", text, keep));
    match (responder, request.path.as_str()) {
        (_, "/ping") => plain(200, b"pong"),
        (Responder::Server(server), "/stop") => {
            // The server closes every connection before it could answer.
            server.end(0);
            HttpReply::Nothing
        }
        (Responder::Server(server), "/jsonrpc/0") => call(server, request).await,
        (Responder::Foreign(handset), "/jsonrpc/0") => {
            let body = foreign::call(handset, &request.body).to_string();
            HttpReply::Whole(http::response(200, "application/json", body.as_bytes(), keep))
        }
        _ => plain(404, b"Not Found!!!"),
    }
}

/// Answers a call, or lets go wrong what is to.
async fn call(server: &AutomatorServer, request: &HttpRequest) -> HttpReply {
    let strike = |point| server.handset.strike(point).is_some();
    if strike(FaultPoint::ServerKilled) {
        server.end(KILLED);
        return HttpReply::Nothing;
    }
    if strike(FaultPoint::ServerSlotStolen) {
        server.handset.automation.steal();
    }
    let body = method::call(server, &request.body).await.to_string();
    if strike(FaultPoint::ServerKilledAfter) {
        server.end(KILLED);
        return HttpReply::Nothing;
    }
    if strike(FaultPoint::ServerReset) {
        return HttpReply::Nothing;
    }
    let mut bytes = http::response(200, "application/json", body.as_bytes(), request.keep_alive);
    if strike(FaultPoint::ServerCutOff) {
        let length = server.handset.faults(|faults| faults.place(FaultPoint::ServerCutOff, bytes.len()));
        bytes.truncate(length);
        return HttpReply::Last(bytes);
    }
    HttpReply::Whole(bytes)
}
