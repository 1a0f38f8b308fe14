//! A bounded stream of events for subscribers. Sending never waits: a
//! subscriber that is too slow misses events and learns how many.

use crate::Event;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tokio::sync::broadcast::{self, error::RecvError};

/// An event, and which run it belongs to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunEvent {
    /// The run, as its owner names it.
    pub run_id: String,
    /// The serial of the phone; empty before the run has begun.
    // A `begin` has a `device` of its own.
    #[serde(rename = "deviceId")]
    pub device: String,
    /// Its number in the run, from 0 and without gaps.
    pub seq: u64,
    /// When, in microseconds since the run began.
    pub at_us: u64,
    #[serde(flatten)]
    pub event: Event,
}

/// Where the events of any number of runs can be subscribed to.
#[derive(Clone, Debug)]
pub struct EventStream(broadcast::Sender<Arc<RunEvent>>);

impl EventStream {
    /// A stream that holds this many events for a subscriber that is behind.
    pub fn new(capacity: usize) -> Self {
        Self(broadcast::Sender::new(capacity.max(1)))
    }

    /// Gets every event from now on.
    pub fn subscribe(&self) -> Subscriber {
        Subscriber(self.0.subscribe())
    }

    /// Tells whether there are subscribers.
    pub(crate) fn is_heard(&self) -> bool {
        self.0.receiver_count() > 0
    }

    pub(crate) fn send(&self, event: &Arc<RunEvent>) {
        // It fails only if there is no subscriber.
        let _ = self.0.send(event.clone());
    }
}

/// One subscription to an [`EventStream`].
#[derive(Debug)]
pub struct Subscriber(broadcast::Receiver<Arc<RunEvent>>);

/// What a subscriber gets.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamItem {
    Event(Arc<RunEvent>),
    /// The subscriber was too slow: so many events were dropped here.
    Gap {
        missed: u64,
    },
}

impl Subscriber {
    /// Waits for the next event; `None` when the stream is gone. Cancel-safe.
    pub async fn next(&mut self) -> Option<StreamItem> {
        match self.0.recv().await {
            Ok(event) => Some(StreamItem::Event(event)),
            Err(RecvError::Lagged(missed)) => Some(StreamItem::Gap { missed }),
            Err(RecvError::Closed) => None,
        }
    }
}
