//! Sends requests to a model's server: deadlines, limits, attempts. An answer
//! is used whole or not at all.

use super::anthropic::VERSION;
use super::base::BaseUrl;
use super::conversation::Conversation;
use super::dialect::{Dialect, ModelRequest, StreamError, error_text};
use super::error::{ModelError, beginning};
use super::key::ApiKey;
use super::limits::{ANSWER_TOKENS, CONNECT, MAX_ANSWER};
use super::reply::{ModelReply, ModelStep};
use super::retry::{AttemptFailure, ModelRetry, retry_after};
use super::sse::Events;
use bytes::Bytes;
use clawperator_phone::Deadline;
use futures_core::future::BoxFuture;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use serde_json::Value;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// How an answer comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// In pieces, as it is made.
    Stream,
    Whole,
}

/// Which model of which server.
#[derive(Clone, Debug)]
pub struct HttpSettings {
    pub dialect: Dialect,
    pub model: String,
    pub base: BaseUrl,
    /// The key; local servers need none.
    pub key: Option<ApiKey>,
    pub transfer: Transfer,
    /// How often a request is tried.
    pub retry: ModelRetry,
    /// Reads the time, in milliseconds since 1970, for dates in `Retry-After`.
    pub clock: fn() -> u64,
}

/// A model of a server.
#[derive(Debug)]
pub struct HttpModel {
    settings: HttpSettings,
    client: Client,
}

enum Attempt {
    Again(AttemptFailure, String),
    Never(ModelError),
}

impl HttpModel {
    /// Gets ready; nothing is sent yet.
    ///
    /// # Errors
    /// No client can be made, such as for lack of certificates.
    pub fn new(settings: HttpSettings) -> Result<Self, ModelError> {
        // Somebody may have installed one before; then that one is used.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            // A redirect would carry the key and the screen to another server.
            .redirect(Policy::none())
            .connect_timeout(CONNECT)
            .default_headers(headers(&settings)?)
            .user_agent(concat!("clawperator/", env!("CARGO_PKG_VERSION")));
        if settings.base.is_local() {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| ModelError::Client(error.to_string()))?;
        Ok(Self { settings, client })
    }

    /// The model's name.
    pub fn name(&self) -> &str {
        &self.settings.model
    }

    /// Asks for the next step.
    pub fn step<'f>(
        &'f self,
        conversation: &'f Conversation,
        deadline: Deadline,
    ) -> BoxFuture<'f, Result<ModelStep, ModelError>> {
        Box::pin(async move {
            let wish = ModelRequest {
                model: &self.settings.model,
                stream: self.settings.transfer == Transfer::Stream,
                answer_tokens: ANSWER_TOKENS,
            };
            let body = Bytes::from(self.settings.dialect.request(conversation, wish).to_string());
            let mut sent = 0;
            loop {
                sent += 1;
                let attempt = timeout(deadline.left(), self.attempt(body.clone())).await;
                let (failed, why) = match attempt {
                    Err(_) => return Err(ModelError::Late { attempts: sent }),
                    Ok(Ok(reply)) => return reply.step(&conversation.tools, sent),
                    Ok(Err(Attempt::Never(error))) => return Err(error),
                    Ok(Err(Attempt::Again(failed, why))) => (failed, self.hide(&why)),
                };
                match self.settings.retry.pause(failed, sent, deadline.left()) {
                    Some(pause) => sleep(pause).await,
                    None => return Err(given_up(failed, why, sent)),
                }
            }
        })
    }

    async fn attempt(&self, body: Bytes) -> Result<ModelReply, Attempt> {
        let url = self.settings.base.join(self.settings.dialect.path());
        let sent = self.client.post(url).body(body).send().await;
        let mut response = sent.map_err(|error| network_attempt(&error))?;
        let status = response.status();
        let wish = self.wished_pause(response.headers());
        if !status.is_success() {
            let text = refusal(&mut response).await;
            return Err(Attempt::Again(AttemptFailure::Status(status.as_u16(), wish), text));
        }
        let streamed = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok())
            .is_some_and(|kind| kind.starts_with("text/event-stream"));
        // A server that cannot stream answers at once, whatever was asked for.
        if streamed { self.read_stream(&mut response).await } else { self.read_whole(&mut response).await }
    }

    async fn read_whole(&self, response: &mut Response) -> Result<ModelReply, Attempt> {
        let mut bytes = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| network_attempt(&error))? {
            grow(bytes.len(), piece.len())?;
            bytes.extend_from_slice(&piece);
        }
        let body: Value = serde_json::from_slice(&bytes).map_err(|error| {
            if error.is_eof() {
                // Without a length, a lost connection looks like an end.
                Attempt::Again(AttemptFailure::Network, "the answer ends in the middle".to_owned())
            } else {
                unreadable(&error.to_string())
            }
        })?;
        self.settings.dialect.read(&body).map_err(|why| unreadable(&why))
    }

    async fn read_stream(&self, response: &mut Response) -> Result<ModelReply, Attempt> {
        let mut events = Events::default();
        let mut reply = ModelReply::default();
        let mut size = 0;
        while let Some(piece) = response.chunk().await.map_err(|error| network_attempt(&error))? {
            size = grow(size, piece.len())?;
            let ended = events.feed(&piece);
            let ended = ended.map_err(|_| Attempt::Never(ModelError::TooLarge(MAX_ANSWER)))?;
            for data in ended {
                let added = self.settings.dialect.event(&mut reply, &data);
                added.map_err(|error| match error {
                    StreamError::Unreadable(why) => unreadable(&why),
                    StreamError::Failed(why) => Attempt::Again(AttemptFailure::Network, beginning(&why)),
                })?;
            }
        }
        if reply.complete {
            Ok(reply)
        } else {
            let why = "the connection ended before the answer did".to_owned();
            Err(Attempt::Again(AttemptFailure::Network, why))
        }
    }

    fn wished_pause(&self, headers: &HeaderMap) -> Option<Duration> {
        let header = headers.get(RETRY_AFTER)?.to_str().ok()?;
        let now_s = i64::try_from((self.settings.clock)() / 1000).unwrap_or(i64::MAX);
        retry_after(header, now_s)
    }

    /// A server may repeat the key in what it says.
    fn hide(&self, text: &str) -> String {
        match &self.settings.key {
            Some(key) => text.replace(key.expose(), "[key]"),
            None => text.to_owned(),
        }
    }
}

fn headers(settings: &HttpSettings) -> Result<HeaderMap, ModelError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if settings.transfer == Transfer::Stream {
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
    }
    if settings.dialect == Dialect::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static(VERSION));
    }
    if let Some(key) = &settings.key {
        let (name, text) = match settings.dialect {
            Dialect::Anthropic => ("x-api-key", key.expose().to_owned()),
            Dialect::Chat | Dialect::Responses => {
                (AUTHORIZATION.as_str(), format!("Bearer {}", key.expose()))
            }
        };
        let value = HeaderValue::from_str(&text);
        let mut value = value.map_err(|_| ModelError::Client("the key cannot be sent".to_owned()))?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

async fn refusal(response: &mut Response) -> String {
    let mut bytes = Vec::new();
    while let Ok(Some(piece)) = response.chunk().await {
        bytes.extend_from_slice(&piece);
        if bytes.len() > 64 * 1024 {
            break;
        }
    }
    let text = match serde_json::from_slice::<Value>(&bytes) {
        Ok(value) => error_text(&value),
        Err(_) => String::from_utf8_lossy(&bytes).into_owned(),
    };
    beginning(&text)
}

fn given_up(failed: AttemptFailure, why: String, attempts: u32) -> ModelError {
    match failed {
        AttemptFailure::Status(status, retry_after) => {
            ModelError::Refused { status, text: why, retry_after, attempts }
        }
        AttemptFailure::Network => ModelError::Network { why, attempts },
    }
}

fn network_attempt(error: &reqwest::Error) -> Attempt {
    // The innermost cause says what happened; the address is the user's own.
    let mut why = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        why = inner.to_string();
        cause = inner.source();
    }
    Attempt::Again(AttemptFailure::Network, beginning(&why))
}

fn unreadable(why: &str) -> Attempt {
    Attempt::Never(ModelError::Unreadable(beginning(why)))
}

fn grow(size: usize, more: usize) -> Result<usize, Attempt> {
    let size = size.saturating_add(more);
    if size > MAX_ANSWER {
        return Err(Attempt::Never(ModelError::TooLarge(MAX_ANSWER)));
    }
    Ok(size)
}
