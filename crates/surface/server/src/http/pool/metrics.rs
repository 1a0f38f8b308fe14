//! What can be counted in a pool, in the text format of Prometheus.

use crate::http::Api;
use crate::http::answer::HttpResult;
use crate::http::status::{PlainText, as_metrics};
use crate::pool::pool;
use axum::extract::State;
use clawperator_pool::{HostRecord, PhoneRecord, PhoneStage, PoolJobs, RunStage, Target};
use std::collections::BTreeMap;
use std::sync::Arc;

/// `GET /pool/metrics`
pub(crate) async fn metrics(State(api): State<Arc<Api>>) -> HttpResult {
    let pool = pool(&api.app)?;
    let (hosts, phones) = (pool.hosts().await?, pool.phones().await?);
    let jobs = pool.jobs().await?;
    let mut text = PlainText::default();
    count_phones(&mut text, &hosts, &phones);
    count_jobs(&mut text, &jobs, api.app.engine.now_ms());
    Ok(as_metrics(text))
}

fn count_phones(text: &mut PlainText, hosts: &[HostRecord], phones: &[PhoneRecord]) {
    let name = "clawperator_pool_hosts";
    text.metric(name, "gauge", "Hosts of the pool, by whether they take jobs.");
    for (word, drains) in [("no", false), ("yes", true)] {
        let count = hosts.iter().filter(|host| host.drains == drains).count();
        text.value(name, &format!("drains=\"{word}\""), count as u64);
    }
    let name = "clawperator_pool_phones";
    text.metric(name, "gauge", "Phones of the pool, by what they are doing.");
    for stage in PhoneStage::ALL {
        let count = phones.iter().filter(|phone| phone.state == *stage).count();
        text.value(name, &format!("state=\"{}\"", stage.word()), count as u64);
    }
}

fn count_jobs(text: &mut PlainText, jobs: &PoolJobs, now_ms: u64) {
    // Jobs that name a phone are one queue here: serials may be many, and hold anything.
    let mut queues: BTreeMap<(String, &str), (u64, u64)> = BTreeMap::new();
    for waiting in &jobs.waiting {
        let class = match &waiting.job.target {
            Target::Any(class) | Target::All(class) => class.to_string(),
            Target::Phone(_) => String::new(),
        };
        let (count, longest) = queues.entry((class, waiting.job.priority.word())).or_default();
        (*count, *longest) = (*count + 1, (*longest).max(now_ms.saturating_sub(waiting.stored_ms) / 1_000));
    }
    let labels = |(class, priority): &(String, &str)| format!("class=\"{class}\",priority=\"{priority}\"");
    let name = "clawperator_pool_jobs_waiting";
    text.metric(name, "gauge", "Jobs that wait, by class and priority; no class: they name a phone.");
    for (queue, (count, _)) in &queues {
        text.value(name, &labels(queue), *count);
    }
    let name = "clawperator_pool_longest_wait_seconds";
    text.metric(name, "gauge", "How long the oldest job of a queue has waited.");
    for (queue, (_, longest)) in &queues {
        text.value(name, &labels(queue), *longest);
    }
    let name = "clawperator_pool_jobs_running";
    text.metric(name, "gauge", "Jobs that hosts have in hand, by stage.");
    for stage in [RunStage::Claimed, RunStage::Started] {
        let count = jobs.running.iter().filter(|job| job.stage == stage).count();
        text.value(name, &format!("stage=\"{}\"", stage.word()), count as u64);
    }
}
