//! A list of jobs over the phones of a class: so many at a time, those that took longest before
//! first, so that the phones end at about the same time.

use super::{Caller, JobWish};
use crate::broker::Bucket;
use crate::job::JobResult;
use crate::name::JobId;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_engine::Request;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use tokio::task::JoinSet;

/// What came of a job of a list.
pub type ListedResult = Result<JobResult, Failure>;

impl Caller {
    /// Runs a list of jobs, at most `shards` at a time; the results in the order of the list. `tell`
    /// hears of each that has ended.
    pub async fn run_list(
        &self,
        jobs: Vec<(Request, JobWish)>,
        shards: usize,
        mut tell: impl FnMut(usize, &ListedResult),
    ) -> Result<Vec<ListedResult>, Failure> {
        let times = self.account.all::<u64>(Bucket::Times, "*").await?;
        let times: BTreeMap<String, u64> = times.into_iter().map(|time| (time.key, time.value)).collect();
        let took = |(_, wish): &(Request, JobWish)| times.get(&time_key(wish.label.as_deref()?)).copied();
        let count = jobs.len();
        // What was never run may take long.
        let mut waiting: Vec<_> = jobs.into_iter().enumerate().collect();
        waiting.sort_by_key(|(_, job)| Reverse(took(job).unwrap_or(u64::MAX)));
        let mut waiting = waiting.into_iter();
        let mut running = JoinSet::new();
        let mut results: Vec<Option<ListedResult>> = (0..count).map(|_| None).collect();
        loop {
            for (place, (request, wish)) in waiting.by_ref().take(shards.saturating_sub(running.len())) {
                let caller = self.clone();
                running.spawn(async move {
                    let limit = request.work.timeout();
                    let ran = async {
                        let id = caller.submit(request, &wish).await?;
                        caller.result_in_time(&id, wish.deadline, limit).await
                    };
                    (place, ran.await)
                });
            }
            let Some(ended) = running.join_next().await else { break };
            if let Ok((place, result)) = ended {
                tell(place, &result);
                results[place] = Some(result);
            }
        }
        let lost = || Err(Failure::of(ErrorCode::InternalError, "the job was not waited for"));
        Ok(results.into_iter().map(|result| result.unwrap_or_else(lost)).collect())
    }
}

/// The key of the last run time of jobs with this label.
pub(crate) fn time_key(label: &str) -> String {
    JobId::of(label).to_string()
}
