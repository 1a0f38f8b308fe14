//! A broker of NATS: each bucket is a stream, each queue a consumer of the stream of jobs.
//! JetStream's own protocol is spoken here directly, JSON over requests, so that every call
//! goes through one place with one deadline, and nothing above version 2.9 is asked for.

mod feed;
mod link;
mod wire;

use super::{
    Broker, BrokerError, BrokerFacts, Bucket, BucketFacts, Change, Delivery, Entry, Expected, Queue, Reply,
    Settlement, Watch, is_safe,
};
use async_nats::{HeaderMap, StatusCode};
use bytes::Bytes;
use feed::{Feed, News, Start};
use futures_util::StreamExt as _;
use link::{CALL_AGE, Link, silence};
use serde::de::IgnoredAny;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OnceCell, mpsc};
use tokio::time::timeout;
use wire::{AccountInfo, ConsumerInfo, Place, StoredAs, StoredMessage, StreamInfo};

pub use link::Endpoint;

/// What requests about streams begin with.
pub const API: &str = "$JS.API";
/// The same for submitters, whose account is not the one of the streams.
pub const SUBMITTERS_API: &str = "_JS.API";
/// What subjects begin with that answers are sent to.
pub(crate) const INBOXES: &str = "_INBOX";
/// What subjects begin with that feeds are sent to, which submitters see in their account, too.
pub(crate) const FEEDS: &str = "_FEED";
const LIST_AGE: Duration = Duration::from_secs(30);
/// How long to wait for the confirmation of a removal before we look for ourselves.
const REMOVE_AGE: Duration = Duration::from_secs(1);
/// How many changes a slow watcher can be behind.
const WATCH_KEPT: usize = 1024;

/// One account of a NATS server or cluster.
#[derive(Debug)]
pub struct NatsBroker {
    link: Arc<Link>,
    queues: Mutex<BTreeSet<String>>,
    replicas: Option<u8>,
    prepared: OnceCell<()>,
}

impl NatsBroker {
    /// Connects, and stays connected: a lost connection is made again for ever.
    ///
    /// # Errors
    /// None of the servers answers, or they refuse the key.
    pub async fn connect(endpoint: Endpoint<'_>) -> Result<Self, BrokerError> {
        Ok(Self {
            link: Arc::new(Link::connect(endpoint).await?),
            queues: Mutex::default(),
            replicas: endpoint.replicas,
            prepared: OnceCell::new(),
        })
    }

    /// Makes the buckets that are missing, and gives those that are there this number of
    /// copies and the right age. Entries stay.
    async fn make_buckets(&self) -> Result<(), BrokerError> {
        let Some(replicas) = self.replicas else {
            return Ok(());
        };
        let account: AccountInfo = self.link.api("INFO", &json!({})).await??;
        for &bucket in Bucket::ALL {
            let mut wanted = wire::stream(bucket, replicas, &account);
            let verb = match self.link.api::<StreamInfo>(&about(bucket), &json!({})).await? {
                Ok(mut info) => {
                    const OURS: [&str; 4] = ["num_replicas", "max_age", "max_bytes", "discard"];
                    let is_right = |key: &&str| info.config.get(*key) == wanted.get(*key);
                    if OURS.iter().all(is_right) {
                        continue;
                    }
                    for key in OURS {
                        info.config.insert(key.to_owned(), wanted[key].take());
                    }
                    // It must not be longer than the age; without one, the server finds its own.
                    info.config.remove("duplicate_window");
                    wanted = info.config.into();
                    "UPDATE"
                }
                Err(error) if error.err_code == wire::STREAM_NOT_FOUND => "CREATE",
                Err(error) => return Err(error.into()),
            };
            self.link.api::<StreamInfo>(&format!("STREAM.{verb}.{}", bucket.word()), &wanted).await??;
        }
        Ok(())
    }

    fn queues(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn make_queue(&self, queue: &Queue, name: &str) -> Result<(), BrokerError> {
        if !self.queues().contains(name) {
            let what = format!("CONSUMER.DURABLE.CREATE.{}.{name}", Bucket::Jobs.word());
            self.link.api::<ConsumerInfo>(&what, &wire::queue(name, &queue.prefix)).await??;
            self.queues().insert(name.to_owned());
        }
        Ok(())
    }

    async fn pull(&self, name: &str) -> Result<Option<Delivery>, BrokerError> {
        let subject = format!("{API}.CONSUMER.MSG.NEXT.{}.{name}", Bucket::Jobs.word());
        let pulled = async {
            let (inbox, mut messages) = self.link.inbox(INBOXES).await?;
            let question = json!({ "batch": 1, "no_wait": true });
            self.link.send(&subject, Some(inbox), question.to_string().into()).await?;
            let message = timeout(CALL_AGE, messages.next()).await.ok().flatten().ok_or_else(silence)?;
            match message.status {
                None => Ok(delivery(&message)),
                Some(StatusCode::NOT_FOUND | StatusCode::TIMEOUT) => Ok(None),
                Some(StatusCode::NO_RESPONDERS) => {
                    self.queues().remove(name);
                    Err(BrokerError::Unavailable("no node has the queue".to_owned()))
                }
                Some(_) => {
                    let text = message.description.unwrap_or_default();
                    Err(BrokerError::Unavailable(format!("the queue says: {text}")))
                }
            }
        };
        self.link.unless_refused(&subject, pulled).await
    }

    async fn list(&self, bucket: Bucket, keys: &str) -> Result<Vec<Entry>, BrokerError> {
        let mut feed = Feed::open(Arc::clone(&self.link), (bucket, keys), Start::Last).await?;
        let mut last = BTreeMap::new();
        let mut pending = feed.pending;
        while pending > 0 {
            match feed.next().await? {
                News::Entry(entry, more) => {
                    last.insert(entry.key.clone(), entry);
                    pending = more;
                }
                // What was pending has been removed since.
                News::Nothing => break,
            }
        }
        let mut listed: Vec<_> = last.into_values().collect();
        listed.sort_by_key(|entry: &Entry| entry.revision);
        Ok(listed)
    }
}

fn about(bucket: Bucket) -> String {
    format!("STREAM.INFO.{}", bucket.word())
}

fn delivery(message: &async_nats::Message) -> Option<Delivery> {
    let receipt = message.reply.as_ref()?.to_string();
    let place = Place::parse(&receipt)?;
    Some(Delivery { entry: place.entry(Bucket::Jobs, message)?, count: place.count, receipt })
}

impl Broker for NatsBroker {
    fn prepare(&self) -> Reply<'_, ()> {
        Box::pin(async move { self.prepared.get_or_try_init(|| self.make_buckets()).await.copied() })
    }

    fn read<'b>(&'b self, bucket: Bucket, keys: &'b str) -> Reply<'b, Option<Entry>> {
        Box::pin(async move {
            let what = format!("STREAM.MSG.GET.{}", bucket.word());
            let question = json!({ "last_by_subj": wire::subject(bucket, keys) });
            match self.link.api::<StoredMessage>(&what, &question).await? {
                Ok(message) => Ok(message.entry(bucket)),
                Err(error) if error.err_code == wire::MESSAGE_NOT_FOUND => Ok(None),
                Err(error) => Err(error.into()),
            }
        })
    }

    fn store<'b>(&'b self, change: Change<'b>) -> Reply<'b, u64> {
        Box::pin(async move {
            let mut headers = HeaderMap::new();
            let expected = match change.expected {
                Expected::Absent => Some(0),
                Expected::Revision(revision) => Some(revision),
                Expected::Anything => None,
            };
            if let Some(revision) = expected {
                headers.insert("Nats-Expected-Last-Subject-Sequence", revision.to_string());
            }
            // As few refused changes as possible are made where they do harm.
            if expected == Some(0)
                && !is_safe(&self.link.version())
                && self.read(change.bucket, change.key).await?.is_some()
            {
                return Err(BrokerError::Conflict);
            }
            let subject = wire::subject(change.bucket, change.key);
            let answer = self.link.ask(&subject, headers, Bytes::copy_from_slice(change.value)).await?;
            Ok(wire::answer::<StoredAs>(&answer)??.seq)
        })
    }

    fn remove(&self, bucket: Bucket, revision: u64) -> Reply<'_, ()> {
        Box::pin(async move {
            let (name, question) = (bucket.word(), json!({ "seq": revision, "no_erase": true }));
            let what = format!("STREAM.MSG.DELETE.{name}");
            let removed = timeout(REMOVE_AGE, self.link.api::<IgnoredAny>(&what, &question)).await;
            let error = match removed.unwrap_or_else(|_| Err(silence())) {
                Ok(Ok(_)) => return Ok(()),
                Err(BrokerError::Refused(text)) => return Err(BrokerError::Refused(text)),
                Ok(Err(error)) => error.into(),
                Err(error) => error,
            };
            // Servers have several ways to say that it is gone, and a cluster of 2.9 says nothing.
            let question = json!({ "seq": revision });
            match self.link.api::<IgnoredAny>(&format!("STREAM.MSG.GET.{name}"), &question).await? {
                Err(gone) if gone.err_code == wire::MESSAGE_NOT_FOUND => Ok(()),
                Ok(_) | Err(_) => Err(error),
            }
        })
    }

    fn list<'b>(&'b self, bucket: Bucket, keys: &'b str) -> Reply<'b, Vec<Entry>> {
        Box::pin(async move {
            timeout(LIST_AGE, NatsBroker::list(self, bucket, keys)).await.unwrap_or_else(|_| Err(silence()))
        })
    }

    fn watch<'b>(&'b self, bucket: Bucket, keys: &'b str) -> Reply<'b, Watch> {
        Box::pin(async move {
            let feed = Feed::open(Arc::clone(&self.link), (bucket, keys), Start::New).await?;
            let (changes, watch) = mpsc::channel(WATCH_KEPT);
            tokio::spawn(feed::pass_on(feed, changes));
            Ok(watch)
        })
    }

    fn take<'b>(&'b self, queue: &'b Queue) -> Reply<'b, Option<Delivery>> {
        Box::pin(async move {
            let name = wire::queue_name(&queue.prefix);
            // Others wait meanwhile: without a connection it is asked again later.
            if !self.link.is_connected() {
                return Err(silence());
            }
            self.make_queue(queue, &name).await?;
            self.pull(&name).await
        })
    }

    fn settle<'b>(&'b self, delivery: &'b Delivery, settlement: Settlement) -> Reply<'b, ()> {
        Box::pin(async move {
            let word = match settlement {
                Settlement::Done => "+ACK".to_owned(),
                Settlement::Later(wait) => format!("-NAK {}", json!({ "delay": wire::nanos(wait) })),
                Settlement::Working => "+WPI".to_owned(),
            };
            // With a reply, the server confirms each of them.
            self.link.ask(&delivery.receipt, HeaderMap::new(), word.into()).await?;
            Ok(())
        })
    }

    fn epoch(&self) -> Reply<'_, u64> {
        Box::pin(async move {
            let info: StreamInfo = self.link.api(&about(Bucket::Leases), &json!({})).await??;
            let strange = || BrokerError::Unavailable("its clock is strange".to_owned());
            wire::millis(&info.created).ok_or_else(strange)
        })
    }

    fn facts(&self) -> Reply<'_, BrokerFacts> {
        Box::pin(async move {
            let mut buckets = Vec::new();
            for &bucket in Bucket::ALL {
                let info: StreamInfo = self.link.api(&about(bucket), &json!({})).await??;
                let others = info.cluster.map(|cluster| cluster.replicas).unwrap_or_default();
                buckets.push(BucketFacts {
                    name: bucket.word(),
                    copies: others.len() + 1,
                    behind: others.iter().filter(|other| other.offline || !other.current).count(),
                    entries: info.state.messages,
                    bytes: info.state.bytes,
                    forgets: bucket.forgets(),
                    most_bytes: info.config.get("max_bytes").and_then(serde_json::Value::as_u64),
                });
            }
            Ok(BrokerFacts { version: self.link.version(), buckets })
        })
    }
}
