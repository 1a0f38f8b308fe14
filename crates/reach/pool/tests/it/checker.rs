//! The checker: every touch that phones recorded against every result. A host dies or
//! stalls at each of its calls to the broker, one after the other.

use crate::engine_support::Phones;
use crate::faulty::{Fault, FaultPlan, FaultyBroker};
use crate::folder;
use crate::memory::MemoryBroker;
use crate::support::{EPOCH_MS, HostSetup, any, caller, counting, roster_phone, touches, worker};
use clawperator_engine::OutcomeKind;
use clawperator_pool::JobWish;
use clawperator_pool::broker::Broker;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// How many touches the job makes.
const TOUCHES: usize = 3;

#[tokio::test(start_paused = true)]
async fn a_job_runs_on_a_phone_of_its_class_and_has_the_envelope_of_one_phone() {
    let broker = MemoryBroker::new(EPOCH_MS);
    let phones = Phones::new(["a".to_owned()]);
    let folder = folder("plain");
    let plain: Arc<dyn Broker> = Arc::new(broker.clone());
    let roster = vec![roster_phone("a")];
    let host =
        worker(HostSetup { host: "one", broker: plain, phones: phones.clone(), roster, folder: &folder });
    let caller = caller(&broker);
    let id = caller.submit(counting("job-1"), &any("pixel")).await.unwrap();
    let serving = tokio::spawn(async move { host.run(Box::pin(std::future::pending())).await });
    let result = timeout(Duration::from_secs(120), caller.result(&id)).await.unwrap().unwrap();
    assert_eq!(result.ended.outcome.kind, OutcomeKind::Success, "{}", result.ended.outcome.json);
    assert!(result.ended.outcome.json.contains("Counter: 3"), "{}", result.ended.outcome.json);
    assert_eq!(touches(&phones, "a"), TOUCHES);
    assert_eq!(result.starts, 1);
    serving.abort();
}

/// What came of a run with a fault.
#[derive(Debug)]
struct Checked {
    kind: OutcomeKind,
    json: String,
    /// Touches of the first host's phone, and of the second's.
    touches: [usize; 2],
    hit: Option<String>,
}

/// Runs a job on a host that has a fault at one of its calls; another host comes later.
async fn with_fault(at: usize, fault: Fault, repeatable: bool) -> Checked {
    let broker = MemoryBroker::new(EPOCH_MS);
    let folder = folder(&format!("fault-{fault:?}-{at}-{repeatable}"));
    let phones = Phones::new(["a".to_owned(), "b".to_owned()]);
    let [first, second] = [Phones::clone_of(&phones, "a"), Phones::clone_of(&phones, "b")];
    let cut = first.clone();
    let plan = FaultPlan::new(at, fault, move || cut.go_away());
    let faulty: Arc<dyn Broker> = Arc::new(FaultyBroker::new(&broker, &plan));
    let plain: Arc<dyn Broker> = Arc::new(broker.clone());
    let host = |host, broker, phones: &Arc<Phones>, serial| {
        worker(HostSetup {
            host,
            broker,
            phones: phones.clone(),
            roster: vec![roster_phone(serial)],
            folder: &folder,
        })
    };
    let (one, other) = (host("one", faulty, &first, "a"), host("other", plain, &second, "b"));
    let caller = caller(&broker);
    let wish = JobWish { repeatable, ..any("pixel") };
    let id = caller.submit(counting("job-1"), &wish).await.unwrap();
    let serving = tokio::spawn(async move { one.run(Box::pin(std::future::pending())).await });
    // Long enough for the first host to have had the job in hand.
    let waited = timeout(Duration::from_secs(15), caller.result(&id)).await;
    let serving_too = tokio::spawn(async move { other.run(Box::pin(std::future::pending())).await });
    let result = match waited {
        Ok(result) => result.unwrap(),
        Err(_) => {
            let waited = timeout(Duration::from_secs(600), caller.result(&id)).await;
            waited
                .unwrap_or_else(|_| panic!("no end: {fault:?} at {at}: {:?}", plan.hit.lock().unwrap()))
                .unwrap()
        }
    };
    // Whatever comes late comes now.
    sleep(Duration::from_secs(200)).await;
    let again = caller.result(&id).await.unwrap();
    assert_eq!(again.ended.outcome, result.ended.outcome, "a result was changed");
    assert!(caller.jobs().await.unwrap().waiting.is_empty(), "the job is still there");
    serving.abort();
    serving_too.abort();
    let hit = plan.hit.lock().unwrap().clone();
    assert_eq!(hit.is_some() && fault != Fault::Stalls, plan.is_dead.load(Ordering::SeqCst));
    Checked {
        kind: result.ended.outcome.kind,
        json: result.ended.outcome.json,
        touches: [touches(&phones, "a"), touches(&phones, "b")],
        hit,
    }
}

fn check(checked: &Checked, repeatable: bool) {
    let Checked { kind, json, touches: [first, second], hit } = checked;
    let both = *first > 0 && *second > 0;
    assert!(!both || repeatable, "two phones were touched at {hit:?}: {checked:?}");
    assert!(*first <= TOUCHES && *second <= TOUCHES, "doubled at {hit:?}: {checked:?}");
    match kind {
        OutcomeKind::Success => {
            assert!(*first == TOUCHES || *second == TOUCHES, "a false success at {hit:?}: {checked:?}");
            assert!(json.contains("Counter: 3"), "{checked:?}");
        }
        OutcomeKind::Error => {
            assert!(json.contains("EXECUTION_OUTCOME_UNKNOWN"), "at {hit:?}: {checked:?}");
            assert_eq!(*second, 0, "unknown, and run again at {hit:?}: {checked:?}");
            assert!(!repeatable, "what may be repeated is repeated at {hit:?}: {checked:?}");
        }
        OutcomeKind::Failed => assert!(json.contains("LEASE_LOST"), "at {hit:?}: {checked:?}"),
    }
}

async fn enumerate(fault: Fault, repeatable: bool) {
    let mut hits = Vec::new();
    for at in 0.. {
        let checked = with_fault(at, fault, repeatable).await;
        check(&checked, repeatable);
        let Some(hit) = checked.hit else { break };
        // The job has long ended then.
        if at > 120 {
            break;
        }
        hits.push((hit, checked.kind, checked.touches));
    }
    for what in ["take", "store Claims", "store Runs", "store Leases", "store Results", "settle"] {
        assert!(hits.iter().any(|(hit, ..)| hit.starts_with(what)), "{what} was never hit: {hits:?}");
    }
    let unknown = hits.iter().filter(|(_, kind, _)| *kind == OutcomeKind::Error).count();
    println!("{fault:?}, repeatable {repeatable}: {} calls, {unknown} with an unknown outcome", hits.len());
}

#[tokio::test(start_paused = true)]
async fn a_host_that_dies_before_any_of_its_calls_leaves_one_honest_result() {
    enumerate(Fault::DiesBefore, false).await;
}

#[tokio::test(start_paused = true)]
async fn a_host_that_dies_after_any_of_its_calls_leaves_one_honest_result() {
    enumerate(Fault::DiesAfter, false).await;
}

#[tokio::test(start_paused = true)]
async fn a_host_that_dies_with_a_job_that_may_be_repeated_has_it_repeated() {
    enumerate(Fault::DiesBefore, true).await;
}

#[tokio::test(start_paused = true)]
async fn a_host_that_hears_nothing_for_a_while_touches_nothing_after_its_lease() {
    enumerate(Fault::Stalls, false).await;
}
