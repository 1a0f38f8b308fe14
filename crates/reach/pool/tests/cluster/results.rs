//! The results of jobs, as they come: each is stored once and never changes.

use clawperator_pool::broker::{Bucket, Entry};
use clawperator_pool::{Account, JobResult};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// How long nothing comes before results are listed.
const QUIET: Duration = Duration::from_secs(5);

/// The results that have come, by job.
#[derive(Debug, Default)]
pub(crate) struct Results {
    found: Mutex<BTreeMap<String, Entry>>,
    changed: Mutex<Vec<String>>,
}

impl Results {
    pub(crate) fn number(&self) -> usize {
        self.found.lock().unwrap().len()
    }

    pub(crate) fn has(&self, job: &str) -> bool {
        self.found.lock().unwrap().contains_key(job)
    }

    /// What was changed although it was stored.
    pub(crate) fn changed(&self) -> Vec<String> {
        self.changed.lock().unwrap().clone()
    }

    pub(crate) fn all(&self) -> BTreeMap<String, JobResult> {
        let found = self.found.lock().unwrap();
        let read =
            |(job, entry): (&String, &Entry)| (job.clone(), serde_json::from_slice(&entry.value).unwrap());
        found.iter().map(read).collect()
    }

    fn note(&self, entry: &Entry) {
        let before = self.found.lock().unwrap().insert(entry.key.clone(), entry.clone());
        if let Some(before) = before.filter(|before| before != entry) {
            let text = |entry: &Entry| String::from_utf8_lossy(&entry.value).into_owned();
            let (key, old, new) = (&entry.key, text(&before), text(entry));
            let revisions = (before.revision, entry.revision);
            self.changed.lock().unwrap().push(format!("{key} {revisions:?}: {old} became {new}"));
        }
    }

    /// Lists them once. Says whether the broker answered.
    pub(crate) async fn list(&self, account: &Account) -> bool {
        match account.list(Bucket::Results, "*").await {
            Ok(listed) => {
                listed.iter().for_each(|entry| self.note(entry));
                true
            }
            Err(_) => false,
        }
    }

    /// Notes what comes, for ever.
    pub(crate) async fn follow(&self, account: &Account) {
        loop {
            if let Ok(mut watch) = account.watch(Bucket::Results, "*").await {
                loop {
                    match timeout(QUIET, watch.recv()).await {
                        Ok(Some(entry)) => self.note(&entry),
                        Ok(None) => break,
                        Err(_) => {
                            self.list(account).await;
                        }
                    }
                }
            }
            sleep(Duration::from_secs(1)).await;
        }
    }
}
