//! Jobs as callers see them: what waits and why, what is cancelled, kept, shared and sealed.

use crate::engine_support::{Phones, execution};
use crate::faulty::{Fault, FaultPlan, FaultyBroker};
use crate::folder;
use crate::memory::MemoryBroker;
use crate::support::{
    EPOCH_MS, HostSetup, any, caller, counting, name, roster_phone, touches, worker, worker_of,
};
use clawperator_contract::ErrorCode;
use clawperator_engine::{OutcomeKind, Request};
use clawperator_phone::Secret;
use clawperator_phone::vault::{ValueScope, Vault, VaultEntry};
use clawperator_pool::broker::{Broker, Bucket, Change, Expected};
use clawperator_pool::seal::SealKey;
use clawperator_pool::{
    Account, Caller, JobResult, JobStatus, JobWish, PhoneName, PhoneStage, Priority, RosterPhone, Tenant,
    WaitReason, Worker,
};
use clawperator_sim::fault::Fault as PhoneFault;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// A pool with one host.
struct Pool {
    phones: Arc<Phones>,
    caller: Caller,
    serving: tokio::task::JoinHandle<()>,
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn serve(worker: Worker) -> tokio::task::JoinHandle<()> {
    tokio::spawn(async move { worker.run(Box::pin(std::future::pending())).await.unwrap() })
}

fn shared(broker: &MemoryBroker) -> Arc<dyn Broker> {
    Arc::new(broker.clone())
}

/// A host called `one` with phones of these serials.
async fn pool(test: &str, serials: &[&str]) -> Pool {
    let broker = MemoryBroker::new(EPOCH_MS);
    let phones = Phones::new(serials.iter().map(|serial| (*serial).to_owned()));
    let roster = serials.iter().map(|serial| roster_phone(serial)).collect();
    let folder = folder(test);
    let setup =
        HostSetup { host: "one", broker: shared(&broker), phones: phones.clone(), roster, folder: &folder };
    let serving = serve(worker(setup));
    let caller = caller(&broker);
    while caller.phones().await.unwrap().len() < serials.len() {
        sleep(Duration::from_millis(50)).await;
    }
    Pool { phones, caller, serving }
}

fn sleeping(id: &str, millis: u64) -> Request {
    let actions = json!([{"id": "wait", "type": "sleep", "params": {"durationMs": millis}}]);
    Request::new(execution(id, &actions))
}

async fn end(caller: &Caller, request: Request, wish: &JobWish) -> JobResult {
    let id = caller.submit(request, wish).await.unwrap();
    timeout(Duration::from_secs(300), caller.result(&id)).await.unwrap().unwrap()
}

fn on(phone: &str) -> JobWish {
    JobWish::new(phone.parse().unwrap())
}

async fn why(caller: &Caller, command_id: &str) -> WaitReason {
    match caller.job(&clawperator_pool::JobId::of(command_id)).await.unwrap() {
        JobStatus::Waiting(waiting) => waiting.why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_job_says_why_it_waits_and_is_cancelled_while_it_does() {
    let pool = pool("why", &["a"]).await;
    let caller = &pool.caller;
    let nowhere = caller.submit(counting("nowhere"), &any("tablet")).await.unwrap();
    assert_eq!(why(caller, "nowhere").await, WaitReason::NoPhone);
    let long = caller.submit(sleeping("long", 20_000), &any("pixel")).await.unwrap();
    sleep(Duration::from_secs(1)).await;
    let behind = caller.submit(counting("behind"), &any("pixel")).await.unwrap();
    assert_eq!(why(caller, "behind").await, WaitReason::AllBusy { phones: 1 });
    for id in [&nowhere, &behind] {
        caller.cancel(id).await.unwrap();
        let ended = timeout(Duration::from_secs(15), caller.result(id)).await.unwrap().unwrap();
        assert!(ended.ended.outcome.json.contains("EXECUTION_CANCELLED"), "{}", ended.ended.outcome.json);
        assert!(ended.phone.is_none());
    }
    caller.cancel(&long).await.unwrap();
    let ended = timeout(Duration::from_secs(10), caller.result(&long)).await.unwrap().unwrap();
    assert!(ended.ended.outcome.json.contains("CANCELLED"), "{}", ended.ended.outcome.json);
    assert_eq!(touches(&pool.phones, "a"), 0);
}

#[tokio::test(start_paused = true)]
async fn a_job_that_waits_too_long_expires_and_touches_nothing() {
    let pool = pool("expires", &["a"]).await;
    let wish = JobWish { deadline: Duration::from_secs(30), ..any("tablet") };
    let ended = end(&pool.caller, counting("late"), &wish).await;
    assert!(ended.ended.outcome.json.contains("JOB_EXPIRED"), "{}", ended.ended.outcome.json);
    assert_eq!(touches(&pool.phones, "a"), 0);
}

#[tokio::test(start_paused = true)]
async fn the_same_id_is_the_same_job_and_never_another_one() {
    let pool = pool("same", &["a"]).await;
    let first = end(&pool.caller, counting("once"), &any("pixel")).await;
    let again = end(&pool.caller, counting("once"), &any("pixel")).await;
    assert_eq!(first.ended.outcome, again.ended.outcome);
    assert_eq!(touches(&pool.phones, "a"), 3);
    let high = JobWish { priority: Priority::High, ..any("pixel") };
    for (request, wish) in
        [(sleeping("once", 5), any("pixel")), (counting("once"), on("one/a")), (counting("once"), high)]
    {
        let refused = pool.caller.submit(request, &wish).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::IdempotencyConflict);
    }
    // For each phone of a class it is not the same as for one of them.
    let all = JobWish::new("all:pixel".parse().unwrap());
    let refused = pool.caller.phones_for(&name("pixel"), &counting("once"), &all).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::IdempotencyConflict);
    for _ in 0..2 {
        let phones = pool.caller.phones_for(&name("pixel"), &counting("each"), &all).await.unwrap();
        assert_eq!(phones.len(), 1);
    }
    let refused = pool.caller.submit(counting("each"), &any("pixel")).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::IdempotencyConflict);
    let typing = |text: &str| {
        let params = json!({"matcher": {"textEquals": "Nowhere"}, "text": text});
        let actions = json!([{"id": "type", "type": "enter_text", "params": params}]);
        Request::new(execution("typed", &actions))
    };
    end(&pool.caller, typing("one"), &any("pixel")).await;
    end(&pool.caller, typing("one"), &any("pixel")).await;
    let refused = pool.caller.submit(typing("two"), &any("pixel")).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::IdempotencyConflict);
}

/// A broker that lost what it had confirmed brings a job back: with its order or without, and
/// without its result, which the ledger of its host has.
#[tokio::test(start_paused = true)]
async fn a_job_that_has_run_is_not_run_again_whatever_the_broker_forgot() {
    let broker = MemoryBroker::new(EPOCH_MS);
    let caller = caller(&broker);
    let mut stored = Vec::new();
    for (id, wish) in [("class", any("pixel")), ("named", on("one/a"))] {
        caller.submit(counting(id), &wish).await.unwrap();
    }
    for bucket in [Bucket::Jobs, Bucket::Orders] {
        let entries = broker.list(bucket, ">").await.unwrap();
        assert_eq!(entries.len(), 2);
        stored.extend(entries.into_iter().map(|entry| (bucket, entry)));
    }
    let (phones, folder) = (Phones::new(["a".to_owned()]), folder("forgot"));
    let roster = vec![roster_phone("a")];
    let setup =
        HostSetup { host: "one", broker: shared(&broker), phones: phones.clone(), roster, folder: &folder };
    let _serving = serve(worker(setup));
    let is_empty = async || {
        while !broker.list(Bucket::Jobs, ">").await.unwrap().is_empty() {
            sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(Duration::from_secs(60), is_empty()).await.unwrap();
    assert_eq!(touches(&phones, "a"), 6);
    for (forgets_order, forgotten) in [(false, 1), (true, 1), (false, 2)] {
        for bucket in &[Bucket::Runs, Bucket::Results][..forgotten] {
            for entry in broker.list(*bucket, ">").await.unwrap() {
                broker.remove(*bucket, entry.revision).await.unwrap();
            }
        }
        for (bucket, entry) in
            stored.iter().rev().filter(|(bucket, _)| *bucket == Bucket::Jobs || !forgets_order)
        {
            let (key, value, expected) = (entry.key.as_str(), entry.value.as_slice(), Expected::Absent);
            broker.store(Change { bucket: *bucket, key, value, expected }).await.unwrap();
        }
        timeout(Duration::from_secs(600), is_empty()).await.unwrap();
        assert!(broker.list(Bucket::Orders, ">").await.unwrap().is_empty());
        assert_eq!(touches(&phones, "a"), 6);
        for entry in broker.list(Bucket::Results, ">").await.unwrap() {
            let result: JobResult = serde_json::from_slice(&entry.value).unwrap();
            assert_eq!(result.ended.outcome.kind, OutcomeKind::Success);
            assert_eq!(result.phone, Some("one/a".parse().unwrap()));
        }
    }
}

/// Its caller's id looks like the id of a job: it is found by that as well.
#[tokio::test(start_paused = true)]
async fn a_job_whose_order_is_lost_ends_at_its_deadline_with_a_result() {
    let broker = MemoryBroker::new(EPOCH_MS);
    let (caller, command_id) = (caller(&broker), "507f1f77bcf86cd799439011");
    let wish = JobWish { deadline: Duration::from_secs(20), ..any("pixel") };
    let id = caller.submit(counting(command_id), &wish).await.unwrap();
    assert_eq!(id.as_str(), command_id);
    for order in broker.list(Bucket::Orders, ">").await.unwrap() {
        broker.remove(Bucket::Orders, order.revision).await.unwrap();
    }
    let (phones, folder) = (Phones::new(["a".to_owned()]), folder("lost"));
    let roster = vec![roster_phone("a")];
    let setup =
        HostSetup { host: "one", broker: shared(&broker), phones: phones.clone(), roster, folder: &folder };
    let _serving = serve(worker(setup));
    let result = timeout(Duration::from_secs(60), caller.result(&id)).await.unwrap().unwrap();
    assert_eq!(result.command_id, command_id);
    assert!(result.ended.outcome.json.contains("JOB_EXPIRED"), "{}", result.ended.outcome.json);
    // Sent again it is not run either: the result says so at once.
    let again = caller.submit(counting(command_id), &wish).await.unwrap();
    let same = timeout(Duration::from_secs(5), caller.result(&again)).await.unwrap().unwrap();
    assert_eq!((same.id, same.stored_ms), (result.id, result.stored_ms));
    assert_eq!(touches(&phones, "a"), 0);
}

/// From the start, or once it is in the pool.
#[tokio::test(start_paused = true)]
async fn a_tenant_whose_account_is_silent_delays_no_other() {
    for at in [0, 60] {
        let brokers = [MemoryBroker::new(EPOCH_MS), MemoryBroker::new(EPOCH_MS)];
        let plan = FaultPlan::new(at, Fault::FallsSilent, || ());
        let silent: Arc<dyn Broker> = Arc::new(FaultyBroker::new(&brokers[1], &plan));
        let accounts = [("app", shared(&brokers[0])), ("lab", silent)];
        let tenants = accounts.map(|(tenant, broker)| Tenant {
            name: name(tenant),
            account: Account::from(broker),
            weight: 1,
            quota: None,
        });
        let (leases, folder) = (MemoryBroker::new(EPOCH_MS), folder("silent"));
        let (phones, roster) = (Phones::new(["a".to_owned()]), vec![roster_phone("a")]);
        let setup = HostSetup { host: "one", broker: shared(&leases), phones, roster, folder: &folder };
        let serving = serve(worker_of(setup, tenants.into(), None));
        sleep(Duration::from_secs(90)).await;
        let app = caller(&brokers[0]);
        for number in 0..5 {
            let id = app.submit(sleeping(&format!("{at}-{number}"), 100), &any("pixel")).await.unwrap();
            let ended = timeout(Duration::from_secs(12), app.result(&id)).await;
            assert!(ended.is_ok(), "silent from call {at}: job {number} waited");
        }
        serving.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn a_host_that_begins_anew_knows_who_has_a_phone_and_what_is_open_on_it() {
    let brokers = [MemoryBroker::new(EPOCH_MS), MemoryBroker::new(EPOCH_MS), MemoryBroker::new(EPOCH_MS)];
    let (phones, folder) = (Phones::new(["a".to_owned()]), folder("anew"));
    let host = || {
        let tenants = [("app", &brokers[0]), ("lab", &brokers[1])].map(|(tenant, broker)| Tenant {
            name: name(tenant),
            account: Account::from(shared(broker)),
            weight: 1,
            quota: None,
        });
        let (phones, roster) = (phones.clone(), vec![roster_phone("a")]);
        let setup = HostSetup { host: "one", broker: shared(&brokers[2]), phones, roster, folder: &folder };
        serve(worker_of(setup, tenants.into(), None))
    };
    let (app, lab, phone) = (caller(&brokers[0]), caller(&brokers[1]), "one/a".parse().unwrap());
    let serving = host();
    sleep(Duration::from_secs(1)).await;
    app.reserve(&phone, Duration::from_secs(600), "a test").await.unwrap();
    sleep(Duration::from_secs(1)).await;
    assert_eq!(end(&app, counting("opens"), &on("one/a")).await.ended.outcome.kind, OutcomeKind::Success);
    serving.abort();
    let look = json!([{"id": "see", "type": "snapshot_ui"}]);
    let look = |id: &str| Request::new(execution(id, &look));
    let waits = lab.submit(look("waits"), &on("one/a")).await.unwrap();
    let serving = host();
    sleep(Duration::from_secs(20)).await;
    assert!(matches!(why(&lab, "waits").await, WaitReason::Reserved { .. }));
    let own = end(&app, look("own"), &on("one/a")).await.ended.outcome;
    assert!(own.json.contains("Counter: 3"), "{}", own.json);
    app.reserve(&phone, Duration::ZERO, "").await.unwrap();
    let seen = timeout(Duration::from_secs(60), lab.result(&waits)).await.unwrap().unwrap().ended.outcome;
    assert!(seen.kind == OutcomeKind::Success && !seen.json.contains("Counter"), "{}", seen.json);
    serving.abort();
}

#[tokio::test(start_paused = true)]
async fn without_a_host_a_caller_does_not_wait_for_ever() {
    let broker = MemoryBroker::new(EPOCH_MS);
    let caller = caller(&broker);
    let id = caller.submit(counting("alone"), &any("pixel")).await.unwrap();
    let (deadline, limit) = (Duration::from_secs(2), Duration::from_secs(30));
    let waited = timeout(Duration::from_secs(120), caller.result_in_time(&id, deadline, limit)).await;
    let failure = waited.unwrap().unwrap_err();
    assert_eq!(failure.code, ErrorCode::JobExpired);
    assert!(failure.message.contains("no phone of this class"), "{}", failure.message);
    assert_eq!(why(&caller, "alone").await, WaitReason::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn a_job_that_has_begun_is_not_said_to_have_expired() {
    let pool = pool("begun", &["a"]).await;
    let id = pool.caller.submit(sleeping("begun", 20_000), &any("pixel")).await.unwrap();
    sleep(Duration::from_secs(5)).await;
    pool.serving.abort();
    let (deadline, limit) = (Duration::from_secs(2), Duration::from_secs(30));
    let failure = pool.caller.result_in_time(&id, deadline, limit).await.unwrap_err();
    assert_eq!(failure.code, ErrorCode::ExecutionOutcomeUnknown);
    assert!(failure.message.contains("\"wait\" (sleep), which began"), "{}", failure.message);
}

#[tokio::test(start_paused = true)]
async fn a_reserved_phone_takes_only_jobs_that_name_it_until_its_time_is_over() {
    let pool = pool("reserved", &["a"]).await;
    let phone: PhoneName = "one/a".parse().unwrap();
    pool.caller.reserve(&phone, Duration::from_secs(120), "a test").await.unwrap();
    sleep(Duration::from_secs(1)).await;
    let seen = pool.caller.phone(&phone).await.unwrap();
    assert_eq!((seen.state, seen.why.as_deref()), (PhoneStage::Reserved, Some("a test")));
    let waits = pool.caller.submit(counting("waits"), &any("pixel")).await.unwrap();
    let named = end(&pool.caller, counting("named"), &on("one/a")).await;
    assert_eq!(named.ended.outcome.kind, OutcomeKind::Success);
    assert!(matches!(why(&pool.caller, "waits").await, WaitReason::Reserved { .. }));
    let later = timeout(Duration::from_secs(130), pool.caller.result(&waits)).await.unwrap().unwrap();
    assert!(later.waited_ms.unwrap() >= 100_000, "{:?}", later.waited_ms);
}

#[tokio::test(start_paused = true)]
async fn a_host_that_drains_takes_nothing_and_says_so() {
    let pool = pool("drains", &["a"]).await;
    pool.caller.drain(&name("one"), true).await.unwrap();
    sleep(Duration::from_secs(1)).await;
    let waits = pool.caller.submit(counting("waits"), &any("pixel")).await.unwrap();
    sleep(Duration::from_secs(20)).await;
    assert_eq!(why(&pool.caller, "waits").await, WaitReason::Drained);
    pool.caller.drain(&name("one"), false).await.unwrap();
    let ended = timeout(Duration::from_secs(20), pool.caller.result(&waits)).await.unwrap().unwrap();
    assert_eq!(ended.ended.outcome.kind, OutcomeKind::Success);
    let submitter = Caller { pool: None, ..pool.caller.clone() };
    let refused = submitter.drain(&name("one"), true).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::PoolRefused);
}

#[tokio::test(start_paused = true)]
async fn higher_priorities_come_first_and_tenants_take_weighted_turns() {
    let brokers = [MemoryBroker::new(EPOCH_MS), MemoryBroker::new(EPOCH_MS)];
    let leases = MemoryBroker::new(EPOCH_MS);
    let phones = Phones::new(["a".to_owned()]);
    let folder = folder("turns");
    let tenants = [("app", 2), ("lab", 1)].into_iter().zip(&brokers).map(|((tenant, weight), broker)| {
        Tenant { name: name(tenant), account: Account::from(shared(broker)), weight, quota: None }
    });
    let [app, lab] = [caller(&brokers[0]), caller(&brokers[1])];
    let mut sent = Vec::new();
    for number in 0..6 {
        for (tenant, caller) in [("app", &app), ("lab", &lab)] {
            let priority = if number < 3 { "low" } else { "high" };
            let wish = JobWish { priority: Priority::from_word(priority).unwrap(), ..any("pixel") };
            let id =
                caller.submit(sleeping(&format!("{tenant}-{priority}-{number}"), 100), &wish).await.unwrap();
            sent.push((caller, id));
        }
    }
    let roster = vec![roster_phone("a")];
    let setup = HostSetup { host: "one", broker: shared(&leases), phones, roster, folder: &folder };
    let serving = serve(worker_of(setup, tenants.collect(), None));
    for (caller, id) in &sent {
        timeout(Duration::from_secs(300), caller.result(id)).await.unwrap().unwrap();
    }
    serving.abort();
    let mut order = Vec::new();
    for broker in &brokers {
        for entry in broker.list(Bucket::Results, "*").await.unwrap() {
            let result: JobResult = serde_json::from_slice(&entry.value).unwrap();
            order.push((entry.stored_ms, result.command_id));
        }
    }
    order.sort();
    let order: Vec<&str> = order.iter().map(|(_, id)| id.as_str()).collect();
    // While both wait, one has two turns and the other one.
    let early = order.iter().take(6).filter(|id| id.starts_with("app")).count();
    assert_eq!(early, 4, "{order:?}");
    for tenant in ["app", "lab"] {
        let own: Vec<_> = order.iter().filter(|id| id.starts_with(tenant)).collect();
        assert!(own[..3].iter().all(|id| id.contains("high")), "{order:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_tenant_at_its_quota_waits_and_says_so() {
    let broker = MemoryBroker::new(EPOCH_MS);
    let phones = Phones::new(["a".to_owned(), "b".to_owned()]);
    let folder = folder("quota");
    let account = Account::from(shared(&broker));
    let tenant = Tenant { name: name("default"), account, weight: 1, quota: Some(1) };
    let roster = vec![roster_phone("a"), roster_phone("b")];
    let setup = HostSetup { host: "one", broker: shared(&broker), phones, roster, folder: &folder };
    let serving = serve(worker_of(setup, vec![tenant], None));
    let caller = caller(&broker);
    caller.submit(sleeping("first", 25_000), &any("pixel")).await.unwrap();
    let second = caller.submit(sleeping("second", 10), &any("pixel")).await.unwrap();
    // The host says every ten seconds how many run.
    sleep(Duration::from_secs(15)).await;
    assert_eq!(why(&caller, "second").await, WaitReason::Quota { running: 1 });
    timeout(Duration::from_secs(60), caller.result(&second)).await.unwrap().unwrap();
    serving.abort();
}

/// Types a value by its name.
fn typing(id: &str, value: &str) -> Request {
    let actions = json!([
        {"id": "open", "type": "open_uri", "params": {"uri": "clawform://login"}},
        {"id": "type", "type": "enter_text",
         "params": {"matcher": {"resourceId": "com.clawperator.form:id/input_email"}, "text": "{{secret:pin}}"}}
    ]);
    let vault = Vault::default();
    let values = vec![(String::new(), Secret::new(value.to_owned()))];
    vault.keep(VaultEntry { name: "pin".to_owned(), place: ValueScope::Anywhere, values });
    Request { vault: Some(Arc::new(vault)), ..Request::new(execution(id, &actions)) }
}

#[tokio::test(start_paused = true)]
async fn what_is_typed_is_in_no_entry_of_the_broker_and_reaches_the_phone() {
    const VALUE: &str = "47110815";
    let broker = MemoryBroker::new(EPOCH_MS);
    let phones = Phones::new(["a".to_owned()]);
    let folder = folder("sealed");
    let key = SealKey::random();
    let account = Account::from(shared(&broker));
    let tenant = Tenant { name: name("default"), account, weight: 1, quota: None };
    let unsealed = caller(&broker);
    let refused = unsealed.submit(typing("clear", VALUE), &any("pixel")).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::PoolRefused);
    let caller = Caller { seal: Some(key.lock()), ..unsealed };
    let roster = vec![roster_phone("a")];
    let setup =
        HostSetup { host: "one", broker: shared(&broker), phones: phones.clone(), roster, folder: &folder };
    let id = caller.submit(typing("sealed", VALUE), &any("pixel")).await.unwrap();
    let mut seen = Vec::new();
    let look = |seen: &mut Vec<u8>, entries: Vec<clawperator_pool::broker::Entry>| {
        entries.iter().for_each(|entry| seen.extend(&entry.value));
    };
    look(&mut seen, broker.list(Bucket::Orders, ">").await.unwrap());
    let serving = serve(worker_of(setup, vec![tenant], Some(key)));
    let ended = timeout(Duration::from_secs(120), caller.result(&id)).await.unwrap().unwrap();
    for &bucket in Bucket::ALL {
        look(&mut seen, broker.list(bucket, ">").await.unwrap());
    }
    serving.abort();
    assert_eq!(ended.ended.outcome.kind, OutcomeKind::Success, "{}", ended.ended.outcome.json);
    assert!(!String::from_utf8_lossy(&seen).contains(VALUE));
    assert!(phones.asked("a").iter().any(|line| line.contains(VALUE)), "{:?}", phones.asked("a"));
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_two_hosts_reach_is_touched_by_one_at_a_time_and_refuses_older_tokens() {
    let broker = MemoryBroker::new(EPOCH_MS);
    let phones = Phones::new(["a".to_owned()]);
    let folder = folder("shared");
    let roster = || vec![RosterPhone { hardware: Some("the phone".to_owned()), ..roster_phone("a") }];
    let serving: Vec<_> = ["one", "other"]
        .into_iter()
        .map(|host| {
            let phones = Phones::clone_of(&phones, "a");
            let setup =
                HostSetup { host, broker: shared(&broker), phones, roster: roster(), folder: &folder };
            serve(worker(setup))
        })
        .collect();
    let caller = caller(&broker);
    let mut jobs = Vec::new();
    for number in 0..6 {
        jobs.push(caller.submit(counting(&format!("job-{number}")), &any("pixel")).await.unwrap());
    }
    for job in &jobs {
        let ended = timeout(Duration::from_secs(300), caller.result(job)).await.unwrap().unwrap();
        assert_eq!(ended.ended.outcome.kind, OutcomeKind::Success, "{}", ended.ended.outcome.json);
    }
    assert_eq!(touches(&phones, "a"), 6 * 3);
    let lines = phones.asked("a");
    // Every touch compares the token of its lease, and tokens only grow.
    let tokens: Vec<&str> = lines
        .iter()
        .filter(|line| line.contains("input tap"))
        .map(|line| line.split("!= ").nth(1).unwrap().split(' ').next().unwrap())
        .collect();
    assert!(tokens.is_sorted(), "{tokens:?}");
    serving.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test(start_paused = true)]
async fn a_phone_is_clean_for_the_next_job_or_takes_none() {
    let pool = pool("clean", &["a"]).await;
    let open = json!({"id": "open", "type": "open_uri", "params": {"uri": "clawform://login"}});
    let matcher = json!({"resourceId": "com.clawperator.form:id/input_email"});
    let typed = json!({"id": "type", "type": "enter_text", "params": {"matcher": matcher, "text": "first"}});
    let home = json!({"id": "home", "type": "press_key", "params": {"key": "home"}});
    let see = json!({"id": "see", "type": "snapshot_ui"});
    let job = |id: &str, actions: serde_json::Value| Request::new(execution(id, &actions));
    let ran = async |request| {
        let ended = end(&pool.caller, request, &any("pixel")).await.ended.outcome;
        assert_eq!(ended.kind, OutcomeKind::Success, "{}", ended.json);
        ended.json
    };
    // It is neither opened by its name nor in front at the end.
    ran(job("leaves", json!([open, typed, home]))).await;
    let seen = ran(job("looks", json!([open, see]))).await;
    assert!(seen.contains("input_email") && !seen.contains("first"), "{seen}");
    let faults = |plan: &[&str]| {
        let plan = PhoneFault::parse_all(plan.iter().copied()).unwrap();
        pool.phones.handset("a").faults(|faults| faults.set_plan(plan));
    };
    // Its result comes first.
    while pool.caller.phone(&"one/a".parse().unwrap()).await.unwrap().state != PhoneStage::Idle {
        sleep(Duration::from_millis(100)).await;
    }
    faults(&["input_refused"]);
    ran(job("stays", json!([open, see]))).await;
    let waits = pool.caller.submit(job("waits", json!([see])), &any("pixel")).await.unwrap();
    sleep(Duration::from_secs(25)).await;
    let why = why(&pool.caller, "waits").await.text();
    assert!(why.contains("cannot be cleaned"), "{why}");
    faults(&[]);
    let seen = timeout(Duration::from_secs(60), pool.caller.result(&waits)).await.unwrap().unwrap();
    let seen = seen.ended.outcome;
    assert!(seen.kind == OutcomeKind::Success && !seen.json.contains("input_email"), "{}", seen.json);
}

#[tokio::test(start_paused = true)]
async fn a_phone_on_which_another_host_has_died_is_cleaned_first() {
    let broker = MemoryBroker::new(EPOCH_MS);
    let (phones, folder) = (Phones::new(["a".to_owned()]), folder("died"));
    let host = |host| {
        let roster = vec![RosterPhone { hardware: Some("a".to_owned()), ..roster_phone("a") }];
        let phones = Phones::clone_of(&phones, "a");
        serve(worker(HostSetup { host, broker: shared(&broker), phones, roster, folder: &folder }))
    };
    let caller = caller(&broker);
    let serving = host("one");
    sleep(Duration::from_secs(1)).await;
    // What is reserved there is left as it is.
    caller.reserve(&"one/a".parse().unwrap(), Duration::from_secs(600), "a test").await.unwrap();
    sleep(Duration::from_secs(1)).await;
    end(&caller, counting("opens"), &on("one/a")).await;
    serving.abort();
    let serving = host("other");
    let look = json!([{"id": "see", "type": "snapshot_ui"}]);
    let seen = end(&caller, Request::new(execution("look", &look)), &on("other/a")).await.ended.outcome;
    assert!(seen.kind == OutcomeKind::Success && !seen.json.contains("Counter"), "{}", seen.json);
    serving.abort();
}
