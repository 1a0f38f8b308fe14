//! The wall of the pool with 200 phones and 60 changes a second.

use super::{TOKEN, script_with};
use crate::pool_memory::MemoryBroker;
use crate::support::server_with;
use clawperator_contract::accept;
use clawperator_engine::Request;
use clawperator_pool::broker::{Broker, Bucket};
use clawperator_pool::{
    Account, Caller, HostRecord, Job, JobEvent, JobEventKind, JobId, JobWish, PhoneRecord, PhoneStage,
    Priority, RunRecord, RunStage, Target,
};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const PHONES: usize = 200;
/// How many phones change in a second.
const CHANGES: u64 = 60;
const HOSTS: [&str; 3] = ["berlin", "lab-2", "osaka"];
const MODELS: [&str; 5] =
    ["Pixel 8", "Pixel 7a", "SM-S921B", "moto g84 5G", "<img src=x onerror=\"top.hacked=1\">"];

fn phone(number: usize, round: usize) -> PhoneRecord {
    let host = HOSTS[number % HOSTS.len()];
    let state = match (number + round * 7) % 20 {
        0..=8 => PhoneStage::Running,
        9 => PhoneStage::Cleaning,
        10 => PhoneStage::Reserved,
        11 if number.is_multiple_of(3) => PhoneStage::Quarantined,
        12 if number.is_multiple_of(5) => PhoneStage::Lost,
        13 if host == "osaka" => PhoneStage::Drained,
        _ => PhoneStage::Idle,
    };
    let why = match state {
        PhoneStage::Reserved => Some("a look at the new menu".to_owned()),
        PhoneStage::Quarantined => {
            Some("it was lost 3 times within ten minutes; see its cable and power".to_owned())
        }
        _ => None,
    };
    PhoneRecord {
        phone: format!("{host}/{:08X}", number * 7_919_331 + 0x2000_0000).parse().unwrap(),
        model: Some(MODELS[number % MODELS.len()].to_owned()),
        android: Some((12 + number % 4).to_string()),
        classes: vec!["phone".parse().unwrap(), "pixel".parse().unwrap()],
        state,
        why,
        until_ms: (state == PhoneStage::Reserved).then_some(1_794_994_200_000),
        job: (state == PhoneStage::Running).then(|| JobId::of(&nightly(number))),
        shared: false,
    }
}

fn nightly(number: usize) -> String {
    format!("nightly-login-{number}")
}

/// Stores a phone, and what its job does.
async fn store(account: &Account, number: usize, round: usize) {
    let phone = phone(number, round);
    account.put(Bucket::Phones, &phone.phone.key(), &phone).await.unwrap();
    if let Some(job) = phone.job {
        let action = ["click", "enter_text", "scroll", "read_text"][(number + round) % 4].to_owned();
        let what = JobEventKind::StepBegan { step: (number + round) % 9, id: "s".to_owned(), action };
        let (key, phone) = (job.to_string(), Some(phone.phone));
        let event = JobEvent { job, command_id: nightly(number), phone, what };
        account.put(Bucket::Events, &key, &event).await.unwrap();
    }
}

/// Stores the job of a phone that runs one.
async fn store_job(account: &Account, number: usize) {
    let PhoneRecord { phone, job: Some(id), .. } = phone(number, 0) else {
        return;
    };
    let host = phone.host.clone();
    let job = Job {
        part: None,
        command_id: nightly(number),
        target: Target::Phone(phone.clone()),
        priority: Priority::Normal,
        deadline_ms: 60_000,
        repeatable: false,
        label: None,
    };
    let run = RunRecord {
        state: RunStage::Started,
        starts: 1,
        host: host.clone(),
        instance: "first".to_owned(),
        phone: Some(phone),
        token: None,
        run: None,
    };
    account.put(Bucket::Jobs, &job.key(), &job).await.unwrap();
    account.put(Bucket::Claims, &format!("{host}.{id}"), &job.key()).await.unwrap();
    account.put(Bucket::Runs, id.as_str(), &run).await.unwrap();
}

async fn fill(account: &Account, caller: &Caller) {
    for number in 0..PHONES {
        store(account, number, 0).await;
        store_job(account, number).await;
    }
    for host in HOSTS {
        let record = HostRecord {
            host: host.parse().unwrap(),
            machine: host.to_owned(),
            instance: "first".to_owned(),
            version: "0.0.0".to_owned(),
            phones: PHONES / HOSTS.len(),
            running: 0,
            drains: false,
            quota: None,
            tenant_running: 0,
        };
        account.put(Bucket::Hosts, host, &record).await.unwrap();
    }
    for number in 0..40 {
        let payload = json!({"commandId": format!("shop-checkout-{number}"), "taskId": "t", "source": "test",
            "timeoutMs": 1000, "expectedFormat": "android-ui-automator",
            "actions": [{"id": "s", "type": "sleep", "params": {"durationMs": 1}}]});
        let on = ["any:pixel", "any:fold", "osaka/none"][number % 3];
        let request = Request::new(accept(payload.to_string().as_bytes()).unwrap());
        caller.submit(request, &JobWish::new(on.parse().unwrap())).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn page_shows_a_wall_of_200_phones_that_change_60_times_a_second() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let now_ms = u64::try_from(now.as_millis()).unwrap();
    let broker: Arc<dyn Broker> = Arc::new(MemoryBroker::new(now_ms));
    let account = Account::from(broker);
    let caller = Caller { account: account.clone(), seal: None, pool: None };
    fill(&account, &caller).await;
    let changing = tokio::spawn(async move {
        let mut ticks = tokio::time::interval(Duration::from_millis(1000 / CHANGES));
        for round in 1.. {
            for number in 0..PHONES {
                ticks.tick().await;
                store(&account, number, round).await;
            }
        }
    });
    let server = server_with("page-wall", |app| {
        app.pool = Some(caller);
        app.token = Some(TOKEN.to_owned());
    });
    script_with("wall", &server.await, &[]).await;
    changing.abort();
}
