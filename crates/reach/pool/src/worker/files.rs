//! Reports of jobs, for callers that ask: they stay on the host until then.

use super::WorkerState;
use crate::blob;
use crate::broker::Bucket;
use crate::job::JobResult;
use crate::name::JobId;
use clawperator_journal::{JournalFolder, StoredJournal, report};

impl WorkerState {
    /// Stores the report of a job that ran here, and takes the wish for it away.
    pub(super) async fn fetch(&self, tenant: usize, job: &JobId, wish: u64) {
        let account = &self.tenant(tenant).account;
        let Ok(Some(result)) = account.get::<JobResult>(Bucket::Results, job.as_str()).await else {
            return;
        };
        let is_ours = result.value.phone.is_some_and(|phone| phone.host == self.settings.host);
        if !is_ours {
            return;
        }
        let (folder, name) = (self.settings.journals.clone(), result.value.journal.unwrap_or_default());
        // Reading a journal blocks.
        let made = tokio::task::spawn_blocking(move || {
            let found = JournalFolder::new(folder).by_name(&name).map_err(|error| error.to_string())?;
            // By its whole name only: one of the same command id could be another tenant's.
            if found.name != name {
                return Err("its journal is not on the host any more".to_owned());
            }
            let journal = StoredJournal::open(&found).map_err(|error| error.to_string())?;
            Ok(report::page(&journal).into_bytes())
        });
        let report = made.await.unwrap_or_else(|error| Err(error.to_string()));
        if let Err(error) = blob::store(account, job, report).await {
            self.log(&format!("the report of {job} cannot be sent: {error}"));
            return;
        }
        let _ = account.remove(Bucket::Wishes, wish).await;
    }
}
