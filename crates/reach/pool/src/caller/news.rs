//! What happens in a pool, as it happens: events of jobs, and phones whose state has changed.

use super::Caller;
use crate::account::Typed;
use crate::broker::{Bucket, Watch};
use crate::name::JobId;
use crate::record::{JobEvent, JobEventKind, PhoneRecord};
use clawperator_contract::Failure;
use serde::Serialize;
use std::collections::BTreeMap;

const MOST_PHONES: usize = 10_000;

/// Something that happened in a pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum PoolNews {
    Job(Box<JobEvent>),
    Phone(Box<PhoneRecord>),
}

impl PoolNews {
    /// The same as a line for people.
    pub fn line(&self) -> String {
        match self {
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

/// What happens from now on. It is a hint: after a lost connection some of it is missing.
#[derive(Debug)]
pub struct NewsFeed {
    jobs: Watch,
    phones: Option<Watch>,
    /// Hosts write their phones again and again; only changes are news.
    known: BTreeMap<String, Vec<u8>>,
}

impl Caller {
    /// What happens in the pool from now on.
    pub async fn news(&self) -> Result<NewsFeed, Failure> {
        let jobs = self.account.watch(Bucket::Events, ">").await?;
        let phones = Some(self.account.watch(Bucket::Phones, ">").await?);
        Ok(NewsFeed { jobs, phones, known: BTreeMap::new() })
    }

    /// What happens to one job from now on.
    pub async fn news_of(&self, job: &JobId) -> Result<NewsFeed, Failure> {
        let jobs = self.account.watch(Bucket::Events, job.as_str()).await?;
        Ok(NewsFeed { jobs, phones: None, known: BTreeMap::new() })
    }
}

impl NewsFeed {
    /// The next thing that happens; none when the broker has lost the connection.
    pub async fn next(&mut self) -> Option<PoolNews> {
        loop {
            let phone = async {
                match &mut self.phones {
                    Some(phones) => phones.recv().await,
                    None => std::future::pending().await,
                }
            };
            let (is_phone, entry) = tokio::select! {
                entry = phone => (true, entry?),
                entry = self.jobs.recv() => (false, entry?),
            };
            // What cannot be read was written by a newer program.
            let news = if is_phone {
                if self.known.get(&entry.key) == Some(&entry.value) {
                    continue;
                }
                if self.known.len() >= MOST_PHONES {
                    self.known.clear();
                }
                let read = Typed::read(&entry).map(|read| PoolNews::Phone(Box::new(read.value)));
                self.known.insert(entry.key, entry.value);
                read
            } else {
                Typed::read(&entry).map(|read| PoolNews::Job(Box::new(read.value)))
            };
            if news.is_some() {
                return news;
            }
        }
    }
}
