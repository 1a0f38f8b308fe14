//! One connection to NATS: every request has a deadline, and what the server refuses is an
//! error at once. It knows nothing of buckets.

use super::wire::{self, ApiError};
use crate::broker::BrokerError;
use async_nats::connection::State;
use async_nats::{
    Client, ClientError, ConnectOptions, Event, HeaderMap, Request, RequestErrorKind, ServerAddr,
    ServerError, Subscriber,
};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{broadcast, watch};
use tokio::time::{Instant, sleep, timeout};

pub(super) const CALL_AGE: Duration = Duration::from_secs(5);
/// A server that stands still is noticed after three of these.
const PING: Duration = Duration::from_secs(1);
/// How long to wait before a request is sent again that reached no node.
const RETRY: Duration = Duration::from_millis(200);
const RECONNECT_FIRST: Duration = Duration::from_millis(100);
const RECONNECT_LAST: Duration = Duration::from_secs(5);
/// How many refusals are kept for requests that have not seen them yet.
const REFUSALS_KEPT: usize = 64;

/// Where to connect, and as whom.
#[derive(Clone, Copy)]
pub struct Endpoint<'e> {
    pub servers: &'e [ServerAddr],
    /// The certificate that the servers' ones are signed with. With it, TLS is required.
    pub ca: Option<&'e Path>,
    pub seed: Option<&'e str>,
    /// What requests about streams begin with.
    pub api: &'static str,
    /// What the server's own lists call this connection.
    pub name: &'e str,
    /// How many copies buckets have that are missing; none if they are not to be made.
    pub replicas: Option<u8>,
    /// Whether it goes on trying if none of the servers takes it at first.
    pub keeps_trying: bool,
}

#[derive(Debug)]
pub(super) struct Link {
    client: Client,
    api: &'static str,
    refusals: broadcast::Sender<Arc<str>>,
    /// Why the last try to connect failed.
    trouble: watch::Sender<String>,
}

impl Link {
    pub(super) async fn connect(endpoint: Endpoint<'_>) -> Result<Self, BrokerError> {
        let (refusals, _) = broadcast::channel(REFUSALS_KEPT);
        let (trouble, _) = watch::channel("no server has answered yet".to_owned());
        let (heard, failed) = (refusals.clone(), trouble.clone());
        let mut options = ConnectOptions::new()
            .name(endpoint.name)
            .ping_interval(PING)
            .connection_timeout(CALL_AGE)
            .request_timeout(None)
            .reconnect_delay_callback(|attempts| {
                let doublings = u32::try_from(attempts).unwrap_or(u32::MAX).min(10);
                (RECONNECT_FIRST * 2_u32.pow(doublings)).min(RECONNECT_LAST)
            })
            .event_callback(move |event| {
                match event {
                    // An error means that no request waits.
                    Event::ServerError(ServerError::Other(text)) => drop(heard.send(text.into())),
                    Event::ClientError(ClientError::Other(text)) => drop(failed.send_replace(text)),
                    _ => {}
                }
                async {}
            });
        if let Some(seed) = endpoint.seed {
            options = options.nkey(seed.to_owned());
        }
        if let Some(ca) = endpoint.ca {
            options = options.add_root_certificates(ca.to_owned()).require_tls(true);
        }
        if endpoint.keeps_trying {
            options = options.retry_on_initial_connect();
        }
        let client = options.connect(endpoint.servers).await.map_err(|error| {
            let text = error.to_string();
            let is_refused = matches!(
                error.kind(),
                async_nats::ConnectErrorKind::Authentication
                    | async_nats::ConnectErrorKind::AuthorizationViolation
            );
            if is_refused { BrokerError::Refused(text) } else { BrokerError::Unavailable(text) }
        })?;
        Ok(Self { client, api: endpoint.api, refusals, trouble })
    }

    pub(super) fn version(&self) -> String {
        self.client.server_info().version
    }

    /// Asks the part of the server that keeps streams. What it says is the inner result.
    pub(super) async fn api<T: DeserializeOwned>(
        &self,
        what: &str,
        question: &serde_json::Value,
    ) -> Result<Result<T, ApiError>, BrokerError> {
        let payload = Bytes::from(question.to_string());
        let answer = self.ask(&format!("{}.{what}", self.api), HeaderMap::new(), payload).await?;
        wire::answer(&answer)
    }

    pub(super) async fn ask(
        &self,
        subject: &str,
        headers: HeaderMap,
        payload: Bytes,
    ) -> Result<Bytes, BrokerError> {
        let request = || Request::new().headers(headers.clone()).payload(payload.clone());
        let last = Instant::now() + CALL_AGE - RETRY;
        let asked = async {
            loop {
                self.connected().await;
                let error = match self.client.send_request(subject.to_owned(), request()).await {
                    Ok(answer) => return Ok(answer.payload),
                    Err(error) => error,
                };
                return Err(match error.kind() {
                    RequestErrorKind::NoResponders if !self.client.server_info().jetstream => {
                        BrokerError::Refused("it runs without JetStream; start it with -js".to_owned())
                    }
                    // While the nodes find a new leader: nothing was done, so it can be sent again.
                    RequestErrorKind::NoResponders if Instant::now() < last => {
                        sleep(RETRY).await;
                        continue;
                    }
                    RequestErrorKind::NoResponders => BrokerError::Unavailable(wire::NO_LEADER.to_owned()),
                    RequestErrorKind::MaxPayloadExceeded => BrokerError::Full("it is too large".to_owned()),
                    RequestErrorKind::InvalidSubject => {
                        BrokerError::Refused("the key is not valid".to_owned())
                    }
                    RequestErrorKind::TimedOut | RequestErrorKind::Other => {
                        BrokerError::Unavailable(error.to_string())
                    }
                });
            }
        };
        timeout(CALL_AGE, self.unless_refused(subject, asked)).await.unwrap_or_else(|_| {
            let lost = || format!("there is no connection: {}", self.trouble.borrow().as_str());
            Err(if self.is_connected() { silence() } else { BrokerError::Unavailable(lost()) })
        })
    }

    /// Does something that publishes to this subject, and ends it when the server refuses that:
    /// it says so on the side, and the request itself is never answered.
    pub(super) async fn unless_refused<T>(
        &self,
        subject: &str,
        work: impl Future<Output = Result<T, BrokerError>>,
    ) -> Result<T, BrokerError> {
        let mut refusals = self.refusals.subscribe();
        let named = format!("\"{subject}\"");
        let refusal = async {
            loop {
                match refusals.recv().await {
                    Ok(text) if text.contains(&named) => return BrokerError::Refused(text.to_string()),
                    Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                    // It cannot be: the sender is here.
                    Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
                }
            }
        };
        tokio::select! {
            done = work => done,
            refusal = refusal => Err(refusal),
        }
    }

    /// A new subject of this connection's own under a prefix, and what is sent to it.
    pub(super) async fn inbox(&self, prefix: &str) -> Result<(String, Subscriber), BrokerError> {
        let inbox = self.client.new_inbox().replacen("_INBOX", prefix, 1);
        let subscribed = timeout(CALL_AGE, self.client.subscribe(inbox.clone())).await;
        let messages = subscribed.map_err(|_| silence())?;
        Ok((inbox, messages.map_err(|error| BrokerError::Unavailable(error.to_string()))?))
    }

    /// Sends a message whose answers, if any, go to an inbox.
    pub(super) async fn send(
        &self,
        subject: &str,
        inbox: Option<String>,
        payload: Bytes,
    ) -> Result<(), BrokerError> {
        let subject = subject.to_owned();
        let sent = async {
            match inbox {
                Some(inbox) => self.client.publish_with_reply(subject, inbox, payload).await,
                None => self.client.publish(subject, payload).await,
            }
        };
        let sent = timeout(CALL_AGE, sent).await.map_err(|_| silence())?;
        sent.map_err(|error| BrokerError::Unavailable(error.to_string()))
    }

    pub(super) fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// Waits for the connection: a request that is sent before it is there would be kept and
    /// sent much later.
    pub(super) async fn connected(&self) {
        while !self.is_connected() {
            sleep(RECONNECT_FIRST).await;
        }
    }
}

pub(super) fn silence() -> BrokerError {
    BrokerError::Unavailable("nothing came in time".to_owned())
}
