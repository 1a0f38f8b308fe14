//! A client of the resident server: one stream that stays open, and one call at a time on it.
//!
//! A call that looks may be asked once more on a new stream. One that acts is
//! sent once: if its answer is lost, it is unknown whether it was done.

pub(crate) use super::wire::excerpt;
use super::wire::{self, ResponseParse, ServerAnswer};
use bytes::{Bytes, BytesMut};
use clawperator_adb::{AdbError, Deadline, Device, ServiceStream};
use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

pub(crate) const SERVICE: &str = "tcp:9008";
/// The server hangs up after five seconds without a call: a stream that was idle
/// for longer than this is not used again.
const IDLE: Duration = Duration::from_secs(3);
/// What the server says when another program has taken its UiAutomation.
const NOT_CONNECTED: &str = "UiAutomation not connected";

/// What a call is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallPurpose {
    /// It changes nothing, so it may be asked twice.
    Look,
    Act,
}

/// A call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResidentCall<'c> {
    pub(crate) method: &'c str,
    pub(crate) params: &'c Value,
    pub(crate) purpose: CallPurpose,
}

/// Why a call has no result.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum CallError {
    /// Nothing was sent.
    #[error("nothing listens")]
    NotRunning,
    /// An app could show a screen that is not there. Nothing was sent.
    #[error("what listens may be an app")]
    Foreign,
    /// The phone could not be asked. Nothing was sent.
    #[error("{0}")]
    NotSent(AdbError),
    /// The call was sent, and its answer did not come: the connection to the phone
    /// is lost, or it took too long.
    #[error("{0}")]
    Lost(AdbError),
    /// The call was sent.
    #[error("the server closed the connection")]
    HungUp,
    /// The server runs, and another program has its UiAutomation. A gesture may
    /// have begun before it was taken.
    #[error("{NOT_CONNECTED}")]
    SlotLost,
    /// The server says that it did not work.
    #[error("{class}: {words}")]
    Exception {
        class: String,
        /// Its words, or the beginning of them.
        words: String,
    },
    /// The answer makes no sense; this is how it starts.
    #[error("{0:?}")]
    Unreadable(String),
}

/// The client. Dropping it closes its stream.
#[derive(Debug, Default)]
pub(crate) struct ResidentClient {
    /// The stream between calls: a call takes it and puts it back, so one that is
    /// dropped closes it.
    open: Mutex<Option<OpenStream>>,
    calls: AtomicU64,
}

#[derive(Debug)]
struct OpenStream {
    stream: ServiceStream,
    used: Instant,
}

impl ResidentClient {
    /// Calls a method. `open` opens a stream where there is none.
    pub(crate) async fn call(
        &self,
        call: ResidentCall<'_>,
        open: impl Future<Output = Result<ServiceStream, CallError>>,
        deadline: Deadline,
    ) -> Result<Value, CallError> {
        if let Some(open) = self.take() {
            let answered = self.exchange(open, call, deadline).await;
            let is_lost = matches!(answered, Err(CallError::Lost(_) | CallError::HungUp));
            if !is_lost || call.purpose == CallPurpose::Act || deadline.left().is_zero() {
                return answered;
            }
        }
        let stream = open.await?;
        self.exchange(OpenStream { stream, used: Instant::now() }, call, deadline).await
    }

    /// Keeps a stream for the next call.
    pub(crate) fn keep(&self, stream: ServiceStream) {
        self.put(OpenStream { stream, used: Instant::now() });
    }

    pub(crate) fn close(&self) {
        drop(self.take());
    }

    /// Tells whether the server still listens to a stream of ours for certain.
    pub(crate) fn is_open(&self) -> bool {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.as_ref().is_some_and(OpenStream::is_fresh)
    }

    fn put(&self, open: OpenStream) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(open);
    }

    /// The stream, if the server still listens to it for certain.
    fn take(&self) -> Option<OpenStream> {
        let kept = self.open.lock().unwrap_or_else(PoisonError::into_inner).take();
        kept.filter(OpenStream::is_fresh)
    }

    async fn exchange(
        &self,
        mut open: OpenStream,
        call: ResidentCall<'_>,
        deadline: Deadline,
    ) -> Result<Value, CallError> {
        let id = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let request = wire::request(id, call.method, call.params);
        let talking = talk(&mut open.stream, request.into());
        let response = deadline.run("the resident server", talking).await;
        let (bytes, response) = response.map_err(CallError::Lost)??;
        let answer = wire::answer(response.status, &bytes[response.body.0..response.body.1], id);
        // A stream on which something odd came is not used again.
        if response.keep_alive && !matches!(answer, ServerAnswer::Senseless(_)) {
            open.used = Instant::now();
            self.put(open);
        }
        match answer {
            ServerAnswer::Result(value) => Ok(value),
            ServerAnswer::Exception { class, words } => {
                if class.contains(NOT_CONNECTED) || words.contains(NOT_CONNECTED) {
                    return Err(CallError::SlotLost);
                }
                let (class, words) = (excerpt(&class), excerpt(&words));
                Err(CallError::Exception { class, words })
            }
            ServerAnswer::Senseless(start) => Err(CallError::Unreadable(start)),
        }
    }
}

impl OpenStream {
    fn is_fresh(&self) -> bool {
        self.used.elapsed() < IDLE
    }
}

/// Opens a stream to what listens at the server's port.
pub(crate) async fn open(device: &Device, deadline: Deadline) -> Result<ServiceStream, CallError> {
    let opened = device.open(SERVICE, deadline).await;
    opened.map_err(|error| match error {
        AdbError::NotOpened(_) => CallError::NotRunning,
        other => CallError::NotSent(other),
    })
}

/// Sends a request, and reads the response; what is wrong with it otherwise, or
/// with the connection.
async fn talk(
    stream: &mut ServiceStream,
    request: Bytes,
) -> Result<Result<(BytesMut, wire::Response), CallError>, AdbError> {
    let (mut reader, mut writer) = stream.split();
    if writer.send(request).await.is_err() {
        return Ok(Err(CallError::HungUp));
    }
    let mut bytes = BytesMut::new();
    loop {
        match wire::parse(&bytes) {
            ResponseParse::Whole(response) => return Ok(Ok((bytes, response))),
            ResponseParse::Wrong(why) => return Ok(Err(CallError::Unreadable(why))),
            ResponseParse::More => match reader.receive().await? {
                Some(more) => bytes.extend_from_slice(&more),
                None => return Ok(Err(CallError::HungUp)),
            },
        }
    }
}

#[cfg(test)]
mod tests;
