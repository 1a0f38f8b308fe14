//! What happens in a pool, as it happens: events of jobs, and phones whose state has changed.

use super::Caller;
use crate::account::Typed;
use crate::broker::{BrokerError, Bucket, Entry, Watch};
use crate::name::JobId;
use crate::record::{JobEvent, JobEventKind, PhoneRecord};
use clawperator_contract::Failure;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::sleep;

/// How long to wait before a reader asks again that was lost.
const AGAIN: Duration = Duration::from_secs(1);
const MOST_PHONES: usize = 10_000;

/// Something that happened in a pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum PoolNews {
    Job(Box<JobEvent>),
    Phone(Box<PhoneRecord>),
    /// The broker had lost this reader: list the phones and jobs again.
    Gap,
}

impl PoolNews {
    /// The same as a line for people.
    pub fn line(&self) -> String {
        match self {
            Self::Gap => "the broker had lost this reader, so something may be missing here".to_owned(),
            Self::Phone(phone) => format!("{}: {}", phone.phone, phone.state.word()),
            Self::Job(event) => {
                let place = event.phone.as_ref().map_or(String::new(), |phone| format!(" on {phone}"));
                let what = match &event.what {
                    JobEventKind::StepBegan { id, action, .. } => format!("{id} ({action}) began"),
                    JobEventKind::StepEnded { id, action, .. } => format!("{id} ({action}) ended"),
                    JobEventKind::Ended => "ended".to_owned(),
                };
                format!("{} {}{place}: {what}", event.job, event.command_id)
            }
        }
    }
}

/// What happens from now on.
#[derive(Debug)]
pub struct NewsFeed {
    caller: Caller,
    job: Option<JobId>,
    /// Events of jobs and, unless they are of one job only, phones.
    watches: Option<(Watch, Option<Watch>)>,
    /// Hosts write their phones again and again; only changes are news.
    known: BTreeMap<String, Vec<u8>>,
}

impl Caller {
    /// What happens from now on, in the pool or to one job.
    pub async fn news(&self, job: Option<&JobId>) -> Result<NewsFeed, Failure> {
        let watches = Some(self.watches(job).await?);
        Ok(NewsFeed { caller: self.clone(), job: job.cloned(), watches, known: BTreeMap::new() })
    }

    async fn watches(&self, job: Option<&JobId>) -> Result<(Watch, Option<Watch>), BrokerError> {
        let jobs = self.account.watch(Bucket::Events, job.map_or(">", JobId::as_str)).await?;
        let phones = match job {
            Some(_) => None,
            None => Some(self.account.watch(Bucket::Phones, ">").await?),
        };
        Ok((jobs, phones))
    }
}

impl NewsFeed {
    /// The next thing that happens. What happened while the connection was lost is missing.
    pub async fn next(&mut self) -> PoolNews {
        loop {
            let Some((jobs, phones)) = &mut self.watches else {
                sleep(AGAIN).await;
                self.watches = self.caller.watches(self.job.as_ref()).await.ok();
                if self.watches.is_some() {
                    return PoolNews::Gap;
                }
                continue;
            };
            let phone = async {
                match phones {
                    Some(phones) => phones.recv().await,
                    None => std::future::pending().await,
                }
            };
            let entry = tokio::select! {
                entry = phone => entry.map(|entry| (true, entry)),
                entry = jobs.recv() => entry.map(|entry| (false, entry)),
            };
            // What cannot be read was written by a newer program.
            let news = match entry {
                Some((true, entry)) => self.phone(entry),
                Some((false, entry)) => Typed::read(&entry).map(|read| PoolNews::Job(Box::new(read.value))),
                None => {
                    self.watches = None;
                    None
                }
            };
            if let Some(news) = news {
                return news;
            }
        }
    }

    fn phone(&mut self, entry: Entry) -> Option<PoolNews> {
        if self.known.get(&entry.key) == Some(&entry.value) {
            return None;
        }
        if self.known.len() >= MOST_PHONES {
            self.known.clear();
        }
        let read = Typed::read(&entry).map(|read| PoolNews::Phone(Box::new(read.value)));
        self.known.insert(entry.key, entry.value);
        read
    }
}
