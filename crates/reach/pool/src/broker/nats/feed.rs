//! What the server sends by itself: all entries of a bucket, or those that are stored from
//! now on. The consumer behind it has no name of ours, and the server removes it soon after
//! its subscription has gone, however this process ends: none is left over.

use super::link::{CALL_AGE, Link, silence};
use super::wire::{self, ConsumerInfo, Place};
use crate::broker::{BrokerError, Bucket, Entry};
use async_nats::{Message, StatusCode, Subscriber};
use bytes::Bytes;
use futures_util::StreamExt as _;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;

#[derive(Clone, Copy, Debug)]
pub(super) enum Start {
    Last,
    New,
}

impl Start {
    const fn policy(self) -> &'static str {
        match self {
            Self::Last => "last_per_subject",
            Self::New => "new",
        }
    }

    /// How often the server says that there is nothing to say.
    const fn heartbeat(self) -> Duration {
        match self {
            Self::Last => Duration::from_millis(500),
            Self::New => Duration::from_secs(4),
        }
    }
}

#[derive(Debug)]
pub(super) enum News {
    Entry(Entry, u64),
    Nothing,
}

#[derive(Debug)]
pub(super) struct Feed {
    link: Arc<Link>,
    bucket: Bucket,
    start: Start,
    messages: Subscriber,
    /// How many messages have come; one that is missing shows in their numbers.
    number: u64,
    pub(super) pending: u64,
}

impl Feed {
    pub(super) async fn open(
        link: Arc<Link>,
        (bucket, keys): (Bucket, &str),
        start: Start,
    ) -> Result<Self, BrokerError> {
        let (inbox, messages) = link.inbox(super::FEEDS).await?;
        let question = json!({
            "stream_name": bucket.word(),
            "config": {
                "deliver_subject": inbox,
                "deliver_policy": start.policy(),
                "filter_subject": wire::subject(bucket, keys),
                "ack_policy": "none",
                "max_deliver": 1,
                "replay_policy": "instant",
                "flow_control": true,
                "idle_heartbeat": wire::nanos(start.heartbeat()),
                "inactive_threshold": wire::nanos(2 * start.heartbeat()),
                "mem_storage": true,
                "num_replicas": 1,
            },
        });
        let info: ConsumerInfo = link.api(&format!("CONSUMER.CREATE.{}", bucket.word()), &question).await??;
        Ok(Self { link, bucket, start, messages, number: 0, pending: info.num_pending })
    }

    /// What comes next. An error means that this feed is of no more use.
    pub(super) async fn next(&mut self) -> Result<News, BrokerError> {
        loop {
            let silent = (3 * self.start.heartbeat()).max(CALL_AGE);
            let waited = timeout(silent, self.messages.next()).await;
            let message = waited.ok().flatten().ok_or_else(silence)?;
            match message.status {
                None => return self.entry(&message),
                Some(StatusCode::IDLE_HEARTBEAT) => {
                    if self.pulse(&message).await? {
                        return Ok(News::Nothing);
                    }
                }
                Some(other) => return Err(BrokerError::Unavailable(format!("its feed ended with {other}"))),
            }
        }
    }

    fn entry(&mut self, message: &Message) -> Result<News, BrokerError> {
        let place = message.reply.as_deref().and_then(Place::parse);
        let known = place.and_then(|place| Some((place, place.entry(self.bucket, message)?)));
        let (place, entry) =
            known.ok_or_else(|| BrokerError::Unavailable("a message of its feed is strange".to_owned()))?;
        self.number += 1;
        self.require_number(place.number)?;
        Ok(News::Entry(entry, place.pending))
    }

    /// Answers a question whether we keep up. Says whether the server has nothing more.
    async fn pulse(&self, message: &Message) -> Result<bool, BrokerError> {
        let header = |name: &str| Some(message.headers.as_ref()?.get(name)?.as_str().to_owned());
        let stalled = header("Nats-Consumer-Stalled");
        if let Some(reply) = message.reply.as_ref().map(ToString::to_string).or(stalled) {
            self.link.send(&reply, None, Bytes::new()).await?;
            return Ok(false);
        }
        if let Some(last) = header("Nats-Last-Consumer").and_then(|last| last.parse().ok()) {
            self.require_number(last)?;
        }
        Ok(true)
    }

    fn require_number(&self, number: u64) -> Result<(), BrokerError> {
        if number == self.number {
            return Ok(());
        }
        Err(BrokerError::Unavailable("messages of its feed were lost".to_owned()))
    }
}

/// Passes on what a feed brings until it is lost or has no reader. A reader that is behind misses
/// entries.
pub(super) async fn pass_on(mut feed: Feed, changes: mpsc::Sender<Entry>) {
    let work = async {
        while let Ok(news) = feed.next().await {
            if let News::Entry(entry, _) = news {
                let _ = changes.try_send(entry);
            }
        }
    };
    tokio::select! {
        () = changes.closed() => {}
        () = work => {}
    }
}
