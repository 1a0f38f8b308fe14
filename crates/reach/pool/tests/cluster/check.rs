//! The verdict: every tap that phones recorded against every result.

use crate::farm::{FarmPhone, host_name};
use crate::jobs::{JobPlan, TOUCHES, tapped_by};
use crate::phones::Tap;
use clawperator_engine::OutcomeKind;
use clawperator_pool::{JobResult, RunRecord};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What there is to compare.
#[derive(Debug)]
pub(crate) struct Evidence<'e> {
    pub(crate) plans: &'e [JobPlan],
    pub(crate) phones: &'e [FarmPhone],
    pub(crate) taps: &'e [Tap],
    pub(crate) results: &'e BTreeMap<String, JobResult>,
    pub(crate) runs: &'e BTreeMap<String, RunRecord>,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) violations: Vec<String>,
    /// How many jobs ended how.
    pub(crate) ends: BTreeMap<String, usize>,
}

/// What a result says of the taps of its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    /// All of them were done.
    All,
    /// So many were done, and the next one perhaps.
    First {
        done: usize,
        perhaps_one_more: bool,
    },
    Nothing,
    Unknown,
}

/// The taps of one job: the phone, which tap of the job, and the tap itself.
type JobTaps<'e> = Vec<(usize, &'e Tap)>;

impl Verdict {
    /// Compares everything.
    pub(crate) fn new(evidence: &Evidence<'_>) -> Self {
        let mut verdict = Self::default();
        let mut by_job: BTreeMap<usize, JobTaps<'_>> = BTreeMap::new();
        for tap in evidence.taps {
            let (job, touch) = tapped_by(tap.x, tap.y);
            by_job.entry(job).or_default().push((touch, tap));
        }
        let none = Vec::new();
        for plan in evidence.plans {
            let taps = by_job.get(&plan.number).unwrap_or(&none);
            verdict.check_job(evidence, plan, taps);
        }
        for phone in 0..evidence.phones.len() {
            verdict.check_phone(evidence, phone);
        }
        verdict
    }

    fn accuse(&mut self, plan: &JobPlan, what: &str, seen: &dyn std::fmt::Debug) {
        let JobPlan { number, id, wish, .. } = plan;
        let text =
            format!("job {number} ({id}, {}, repeatable {}): {what}: {seen:?}", wish.target, wish.repeatable);
        self.violations.push(text);
    }

    fn check_job(&mut self, evidence: &Evidence<'_>, plan: &JobPlan, taps: &JobTaps<'_>) {
        let result = evidence.results.get(plan.id.as_str());
        let phones: BTreeSet<usize> = taps.iter().map(|(_, tap)| tap.phone).collect();
        let mut times = [0_u32; TOUCHES];
        taps.iter().for_each(|(touch, _)| times[*touch] += 1);
        if phones.len() > 1 && !plan.wish.repeatable {
            self.accuse(plan, "it touched two phones", &(taps, result));
        }
        let starts = if plan.wish.repeatable { result.map_or(u32::MAX, |result| result.starts) } else { 1 };
        if times.iter().any(|times| *times > starts) {
            self.accuse(plan, "it was run more often than it may be", &(starts, taps, result));
        }
        let Some(result) = result else {
            *self.ends.entry("without a result".to_owned()).or_default() += 1;
            return self.accuse(plan, "it has no result", &taps);
        };
        let (claim, word) = claim_of(result);
        let on_it: Vec<usize> = taps
            .iter()
            .filter(|(_, tap)| {
                result.phone.as_ref().is_some_and(|phone| phone.serial == evidence.phones[tap.phone].address)
            })
            .map(|(touch, _)| *touch)
            .collect();
        let is_true = match (claim, plan.wish.repeatable) {
            (Claim::All, false) => on_it == [0, 1, 2],
            (Claim::All, true) => on_it.ends_with(&[0, 1, 2]),
            (Claim::First { done, perhaps_one_more }, repeatable) => {
                let least: Vec<usize> = (0..done).collect();
                let most: Vec<usize> = (0..=done).collect();
                let fits =
                    |wanted: &[usize]| if repeatable { on_it.ends_with(wanted) } else { on_it == wanted };
                fits(&least) || (perhaps_one_more && fits(&most))
            }
            (Claim::Nothing, _) => taps.is_empty(),
            (Claim::Unknown, _) => true,
        };
        if !is_true {
            self.accuse(plan, &format!("its result lies ({claim:?})"), &(taps, result));
        }
        if plan.wish.repeatable && word == "unknown" {
            self.accuse(plan, "it may be repeated, and was not", &(taps, result));
        }
        *self.ends.entry(word).or_default() += 1;
        let run = evidence.runs.get(plan.id.as_str());
        let is_held =
            |tap: &Tap| tap.token.is_none() || tap.token.as_ref() == run.and_then(|run| run.token.as_ref());
        if !plan.wish.repeatable && !taps.iter().all(|(_, tap)| is_held(tap)) {
            self.accuse(plan, "it touched a phone that had another token", &(taps, run));
        }
    }

    /// Taps of two jobs on a phone are never mixed, and a shared phone's tokens only grow.
    fn check_phone(&mut self, evidence: &Evidence<'_>, phone: usize) {
        let taps: Vec<&Tap> = evidence.taps.iter().filter(|tap| tap.phone == phone).collect();
        let FarmPhone { address, hosts, .. } = &evidence.phones[phone];
        let hosts: Vec<String> = hosts.iter().map(|host| host_name(*host)).collect();
        let mut left = BTreeSet::new();
        let mut users: BTreeMap<&str, usize> = BTreeMap::new();
        for pair in taps.windows(2) {
            let [(before, _), (after, _)] = [pair[0], pair[1]].map(|tap| tapped_by(tap.x, tap.y));
            if before != after {
                left.insert(before);
            }
            let comes_back = left.contains(&after) && !evidence.plans[after].wish.repeatable;
            if comes_back || pair[1].token < pair[0].token {
                let what = format!("phone {address} of {hosts:?}: taps of jobs are mixed");
                self.violations.push(format!("{what}: {pair:?}, jobs {before} and {after}"));
            }
        }
        for tap in taps {
            let (job, _) = tapped_by(tap.x, tap.y);
            let Some(token) = tap.token.as_deref() else { continue };
            if *users.entry(token).or_insert(job) != job {
                self.violations
                    .push(format!("phone {address}: two jobs touched it under one token: {tap:?}"));
            }
        }
    }
}

/// What a result says, and a word for it.
fn claim_of(result: &JobResult) -> (Claim, String) {
    let outcome = &result.ended.outcome;
    let json: Value = serde_json::from_str(&outcome.json).unwrap();
    let steps = ["/envelope/stepResults", "/stepResults", "/details/stepResults"];
    let steps = steps.iter().find_map(|path| json.pointer(path)?.as_array());
    let clicks: Vec<&Value> =
        steps.into_iter().flatten().filter(|step| step["actionType"] == "click").collect();
    let done = clicks.iter().filter(|step| step["success"] == true).count();
    let code = ["/code", "/envelope/errorCode", "/errorCode"];
    let code = code.iter().find_map(|path| json.pointer(path)?.as_str()).unwrap_or("none").to_owned();
    let dispatched = ["/details/dispatched", "/dispatched"];
    let dispatched = dispatched.iter().find_map(|path| json.pointer(path)?.as_str());
    match outcome.kind {
        OutcomeKind::Success => (Claim::All, "success".to_owned()),
        OutcomeKind::Failed => {
            let failed = clicks.iter().find(|step| step["success"] == false);
            let perhaps_one_more = failed.is_some_and(|step| step["data"]["dispatched"] != "no");
            (Claim::First { done, perhaps_one_more }, format!("failed, {code}"))
        }
        OutcomeKind::Error if code == "EXECUTION_OUTCOME_UNKNOWN" => (Claim::Unknown, "unknown".to_owned()),
        OutcomeKind::Error if steps.is_none() && dispatched == Some("unknown") => {
            (Claim::Unknown, format!("unknown, {code}"))
        }
        OutcomeKind::Error if steps.is_some() || dispatched.is_some() => {
            let perhaps_one_more = dispatched.is_some_and(|word| word != "no");
            (Claim::First { done, perhaps_one_more }, format!("stopped, {code}"))
        }
        OutcomeKind::Error => (Claim::Nothing, format!("not run, {code}")),
    }
}
