//! A pool on three real nodes on this machine: `cargo bench -p clawperator-pool --features nats
//! --bench pool`. Times are compared with those of the broker itself, in the same run.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    dead_code,
    reason = "a benchmark talks to people and stops at what is wrong"
)]

#[path = "../tests/cluster/farm.rs"]
mod farm;
#[path = "../tests/cluster/host.rs"]
mod host;
#[path = "../tests/cluster/jobs.rs"]
mod jobs;
#[path = "../tests/cluster/nodes.rs"]
mod nodes;
#[path = "../tests/cluster/phones.rs"]
mod phones;
#[path = "../tests/cluster/process.rs"]
mod process;
#[path = "../tests/cluster/proxy.rs"]
mod proxy;
#[path = "../tests/cluster/random.rs"]
mod random;
#[path = "../tests/cluster/results.rs"]
mod results;

use clawperator_engine::OutcomeKind;
use clawperator_pool::broker::{Bucket, Change, Expected};
use clawperator_pool::{Caller, JobId, JobWish};
use farm::{Farm, FarmSetup, HOSTS};
use futures_util::{StreamExt as _, stream};
use host::{HostPhone, HostSetup};
use jobs::{point_of, request, tapped_by};
use phones::now_us;
use results::Results;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// How much longer than the broker itself a job may take until its first act.
const ACT_LIMIT_MS: f64 = 50.0;
const QUEUED_LIMIT: f64 = 2_000.0;
const RENEWAL_LIMIT_MS: f64 = 50.0;
const MEMORY_LIMIT_MB: f64 = 150.0;
const LEADER_LIMIT_S: f64 = 10.0;
/// How large the messages of the comparison are: as large as an order.
const RAW_BYTES: usize = 600;

#[derive(Clone, Copy, Debug)]
struct Scale {
    phones: usize,
    one_by_one: usize,
    queued: usize,
    through: usize,
    registered: usize,
    senders: usize,
}

#[tokio::main]
async fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["phones", number] => phones::run(number.parse().unwrap()).await,
        ["worker", file] => host::run(Path::new(file)).await,
        _ => measure(words.iter().any(|word| word == "--bench")).await,
    }
}

async fn measure(is_bench: bool) {
    let Some(program) = std::env::var_os("NATS_SERVER").map(PathBuf::from) else {
        println!("skipped: NATS_SERVER names no program");
        return;
    };
    // `cargo test` runs this too: a little is enough to see that it works.
    let scale = if is_bench {
        Scale { phones: 200, one_by_one: 300, queued: 6_000, through: 3_000, registered: 1_000, senders: 256 }
    } else {
        Scale { phones: 6, one_by_one: 5, queued: 50, through: 20, registered: 30, senders: 16 }
    };
    let farm = Farm::start(&FarmSetup { program, phones: scale.phones, shared: 0 }).await;
    let caller = farm.caller().await;
    let raw = raw(&farm, &scale).await;
    queued(&farm, &scale, raw.a_second).await;
    for host in 0..HOSTS {
        farm.launch(host, &farm.host_setup(host));
    }
    registered(&caller, scale.phones).await;
    let mut number = 0;
    one_by_one(&farm, (&caller, &raw), &scale, &mut number).await;
    through(&farm, &caller, &scale, &mut number).await;
    leader_killed(&farm, &caller, &mut number).await;
    many_phones(&farm, &caller, &scale).await;
}

/// What the broker itself takes.
struct Raw {
    publish: Vec<Duration>,
    /// Published and fetched by a host that waits.
    pass: Vec<Duration>,
    a_second: f64,
}

async fn raw(farm: &Farm, scale: &Scale) -> Raw {
    let client = client(farm).await;
    let ask = async |subject: &str, question: serde_json::Value| {
        let answer = client.request(subject.to_owned(), question.to_string().into()).await;
        answer.unwrap_or_else(|error| panic!("{subject}: {error}"))
    };
    let stream = json!({"name": "RAW", "subjects": ["raw.>"], "num_replicas": 3, "storage": "file"});
    ask("$JS.API.STREAM.CREATE.RAW", stream).await;
    let config = json!({"durable_name": "raw", "filter_subject": "raw.two", "ack_policy": "explicit"});
    let consumer = json!({"stream_name": "RAW", "config": config});
    ask("$JS.API.CONSUMER.DURABLE.CREATE.RAW.raw", consumer).await;
    let payload = bytes::Bytes::from(vec![b'x'; RAW_BYTES]);
    let publish = async |subject: &'static str| {
        let began = Instant::now();
        client.request(subject, payload.clone()).await.unwrap();
        began.elapsed()
    };
    let (mut published, mut pass) = (Vec::new(), Vec::new());
    for _ in 0..scale.one_by_one {
        published.push(publish("raw.one").await);
    }
    let (next, inbox) = ("$JS.API.CONSUMER.MSG.NEXT.RAW.raw", client.new_inbox());
    let mut messages = client.subscribe(inbox.clone()).await.unwrap();
    let question = json!({"batch": 1, "expires": 5_000_000_000_u64}).to_string();
    for _ in 0..scale.one_by_one {
        let began = Instant::now();
        client.publish_with_reply(next, inbox.clone(), question.clone().into()).await.unwrap();
        let (fetched, _) = tokio::join!(messages.next(), publish("raw.two"));
        pass.push(began.elapsed());
        client.publish(fetched.unwrap().reply.unwrap(), "+ACK".into()).await.unwrap();
    }
    let began = Instant::now();
    let sent = stream::iter(0..scale.queued).for_each_concurrent(scale.senders, |_| async {
        publish("raw.many").await;
    });
    sent.await;
    let a_second = scale.queued as f64 / began.elapsed().as_secs_f64();
    report("raw publish", &mut published, "");
    report("raw publish, fetch", &mut pass, "");
    println!("pool/raw publishes      {a_second:.0} a second, {} at once", scale.senders);
    Raw { publish: published, pass, a_second }
}

async fn client(farm: &Farm) -> async_nats::Client {
    async_nats::connect(farm.nodes.url().split(',').collect::<Vec<_>>()).await.unwrap()
}

/// A job that taps once.
fn tap(number: usize) -> clawperator_engine::Request {
    let (x, y) = point_of(number, 0);
    let tap = json!([{"id": "tap", "type": "click", "params": {"coordinate": {"x": x, "y": y}}}]);
    request(&format!("tap-{number}"), &tap)
}

fn any(class: &str) -> JobWish {
    JobWish::new(format!("any:{class}").parse().unwrap())
}

/// Many callers at once, and no host: how fast jobs are taken in.
async fn queued(farm: &Farm, scale: &Scale, raw: f64) {
    let mut callers = Vec::new();
    for _ in 0..8 {
        callers.push(farm.caller().await);
    }
    let began = Instant::now();
    let (callers, wish) = (&callers, &any("nothing"));
    let sent = stream::iter(0..scale.queued).for_each_concurrent(scale.senders, |number| async move {
        let request = request(
            &format!("queued-{number}"),
            &json!([{"id": "s", "type": "sleep", "params": {"durationMs": 1}}]),
        );
        callers[number % callers.len()].submit(request, wish).await.unwrap();
    });
    sent.await;
    let a_second = scale.queued as f64 / began.elapsed().as_secs_f64();
    let verdict = if a_second >= QUEUED_LIMIT { "ok" } else { "TOO SLOW" };
    println!(
        "pool/queued             {a_second:.0} jobs a second, {} at once, {:.2} of raw publishes (limit {QUEUED_LIMIT}: {verdict})",
        scale.senders,
        a_second / raw,
    );
}

async fn registered(caller: &Caller, wanted: usize) {
    let began = Instant::now();
    while caller.phones().await.map_or(0, |phones| phones.len()) < wanted {
        assert!(began.elapsed() < Duration::from_secs(120), "not all phones are in the pool");
        sleep(Duration::from_millis(20)).await;
    }
}

/// One job after the other on idle phones: from its sending to its first act.
async fn one_by_one(farm: &Farm, (caller, raw): (&Caller, &Raw), scale: &Scale, number: &mut usize) {
    let mut sent = BTreeMap::new();
    // The first job of a phone connects to it, which is not what is measured.
    for _ in 0..scale.one_by_one + 20 {
        *number += 1;
        sent.insert(*number, now_us());
        let id = caller.submit(tap(*number), &any("phone")).await.unwrap();
        let result = caller.result(&id).await.unwrap();
        assert_eq!(result.ended.outcome.kind, OutcomeKind::Success, "{}", result.ended.outcome.json);
    }
    let taps = farm.phones.taps();
    let took = taps.iter().filter_map(|tap| {
        let began = sent.get(&tapped_by(tap.x, tap.y).0)?;
        Some(Duration::from_micros(tap.at_us.saturating_sub(*began)))
    });
    let mut took: Vec<Duration> = took.skip(20).collect();
    took.sort();
    // Stored one after the other before the first act: order, job, claim, run, lease, start.
    let own = 6.0 * at(&raw.publish, 0.5);
    let over = [at(&took, 0.5) - own, at(&took, 0.99) - at(&raw.pass, 0.99)];
    let verdict = if over[1] <= ACT_LIMIT_MS { "ok" } else { "TOO SLOW" };
    let ratio = at(&took, 0.5) / at(&raw.pass, 0.5);
    report(
        "submit to first act",
        &mut took,
        &format!(
            "; {ratio:.1} times raw publish and fetch; p99 {:.1} ms beyond it (limit {ACT_LIMIT_MS} ms: {verdict}); p50 {:.1} ms beyond six raw publishes",
            over[1], over[0]
        ),
    );
}

/// Jobs through the pool, and what renewals take meanwhile.
async fn through(farm: &Farm, caller: &Caller, scale: &Scale, number: &mut usize) {
    let results = Arc::new(Results::default());
    let (account, followed) = (caller.account.clone(), results.clone());
    let following = tokio::spawn(async move { followed.follow(&account).await });
    sleep(Duration::from_secs(1)).await;
    let renewals = tokio::spawn(renew(farm.caller().await));
    let first = *number + 1;
    *number += scale.through;
    let began = Instant::now();
    let ids: Mutex<Vec<JobId>> = Mutex::default();
    let (wish, ids) = (&any("phone"), &ids);
    let sent = stream::iter(first..=*number).for_each_concurrent(scale.senders, |number| async move {
        let id = caller.submit(tap(number), wish).await.unwrap();
        ids.lock().unwrap().push(id);
    });
    sent.await;
    let queued = began.elapsed();
    let ids = ids.lock().unwrap().clone();
    while !ids.iter().all(|id| results.has(id.as_str())) {
        assert!(began.elapsed() < Duration::from_secs(600), "{} of {} ended", results.number(), ids.len());
        sleep(Duration::from_millis(20)).await;
    }
    let took = began.elapsed();
    following.abort();
    renewals.abort();
    let all = results.all();
    assert!(ids.iter().all(|id| all[id.as_str()].ended.outcome.kind == OutcomeKind::Success));
    println!(
        "pool/through            {:.0} jobs a second of {}, {} phones in {HOSTS} hosts (queued in {:.1} s)",
        scale.through as f64 / took.as_secs_f64(),
        scale.through,
        scale.phones,
        queued.as_secs_f64(),
    );
    let mut renewed = RENEWED.lock().unwrap().clone();
    renewed.sort();
    let verdict = if at(&renewed, 0.99) <= RENEWAL_LIMIT_MS { "ok" } else { "TOO SLOW" };
    report("renewal, under load", &mut renewed, &format!(" (limit of p99 {RENEWAL_LIMIT_MS} ms: {verdict})"));
    for host in 0..HOSTS {
        let mb = farm.resident_mb(host).unwrap();
        let verdict = if mb <= MEMORY_LIMIT_MB { "ok" } else { "TOO MUCH" };
        let phones = farm.host_setup(host).phones.len();
        println!(
            "pool/memory             {mb:.0} MB resident of a host with {phones} phones (limit {MEMORY_LIMIT_MB} MB with 50: {verdict})"
        );
    }
}

static RENEWED: Mutex<Vec<Duration>> = Mutex::new(Vec::new());

/// Renews a lease again and again.
async fn renew(caller: Caller) {
    let change = |expected| Change { bucket: Bucket::Leases, key: "bench.lease", value: b"{}", expected };
    let mut revision = caller.account.store(change(Expected::Anything)).await.unwrap();
    loop {
        let began = Instant::now();
        revision = caller.account.store(change(Expected::Revision(revision))).await.unwrap();
        RENEWED.lock().unwrap().push(began.elapsed());
        sleep(Duration::from_millis(25)).await;
    }
}

/// The leader of the jobs is killed while jobs are sent.
async fn leader_killed(farm: &Farm, caller: &Caller, number: &mut usize) {
    let client = client(farm).await;
    let node = nodes::leader(&client, "CW_JOB").await.unwrap();
    let (began, last) = (Instant::now(), Mutex::new((Instant::now(), Duration::ZERO)));
    let ids: Mutex<Vec<JobId>> = Mutex::default();
    let first = *number + 1;
    *number += 100_000;
    let (wish, ids, last) = (&any("phone"), &ids, &last);
    let work = stream::iter(first..=*number)
        .take_while(|_| std::future::ready(began.elapsed() < Duration::from_secs(20)))
        .for_each_concurrent(8, |number| async move {
            let id = caller.submit(tap(number), wish).await.unwrap();
            ids.lock().unwrap().push(id);
            note_gap(last);
            sleep(Duration::from_millis(400)).await;
        });
    let killing = async {
        sleep(Duration::from_secs(4)).await;
        farm.nodes.kill(node);
        sleep(Duration::from_secs(10)).await;
        farm.nodes.launch(node);
    };
    tokio::join!(work, killing);
    let ids = ids.lock().unwrap().clone();
    let results = Results::default();
    let settling = Instant::now();
    while !ids.iter().all(|id| results.has(id.as_str())) {
        results.list(&caller.account).await;
        assert!(settling.elapsed() < Duration::from_secs(300), "{} of {} ended", results.number(), ids.len());
        sleep(Duration::from_millis(500)).await;
    }
    let all = results.all();
    let good = ids.iter().filter(|id| all[id.as_str()].ended.outcome.kind == OutcomeKind::Success).count();
    let stopped = last.lock().unwrap().1.as_secs_f64();
    let verdict = if stopped <= LEADER_LIMIT_S && good == ids.len() { "ok" } else { "NOT OK" };
    println!(
        "pool/leader killed      submits stopped for {stopped:.1} s (limit {LEADER_LIMIT_S} s: {verdict}); {good} of {} runs ended well",
        ids.len()
    );
}

/// Notes that a job was taken, and the longest time between two of them.
fn note_gap(last: &Mutex<(Instant, Duration)>) {
    let mut last = last.lock().unwrap();
    let gap = last.0.elapsed();
    *last = (Instant::now(), last.1.max(gap));
}

/// How long it takes until very many phones are in the pool.
async fn many_phones(farm: &Farm, caller: &Caller, scale: &Scale) {
    let before = caller.phones().await.unwrap().len();
    let began = Instant::now();
    for host in 0..HOSTS {
        farm.kill(host);
        let (first, last) = (host * scale.registered / HOSTS, (host + 1) * scale.registered / HOSTS);
        let phones = (first..last).map(|phone| HostPhone {
            address: format!("phone-{phone}"),
            classes: vec!["many".to_owned()],
            hardware: None,
        });
        let setup = farm.host_setup(host);
        let (name, folder) = (format!("many-{host}"), setup.folder.with_file_name(format!("many-{host}")));
        let setup = HostSetup { host: name, folder, phones: phones.collect(), probes: false, ..setup };
        farm.launch(host, &setup);
    }
    let is_many = |phones: &Vec<clawperator_pool::PhoneRecord>| {
        phones.iter().filter(|phone| phone.phone.host.as_str().starts_with("many")).count()
            >= scale.registered
    };
    while !caller.phones().await.is_ok_and(|phones| is_many(&phones)) {
        assert!(began.elapsed() < Duration::from_secs(120), "not all phones are in the pool");
        sleep(Duration::from_millis(20)).await;
    }
    let took = began.elapsed();
    let listing = Instant::now();
    caller.phones().await.unwrap();
    println!(
        "pool/registered         {} phones of {HOSTS} hosts after {:.1} s ({before} were there before); listed in {:.0} ms",
        scale.registered,
        took.as_secs_f64(),
        listing.elapsed().as_secs_f64() * 1e3,
    );
}

/// A time of sorted ones, in milliseconds.
fn at(times: &[Duration], share: f64) -> f64 {
    times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3
}

fn report(what: &str, times: &mut [Duration], more: &str) {
    times.sort();
    println!(
        "pool/{what:<19} p50 {:.2} ms, p99 {:.2} ms of {}{more}",
        at(times, 0.5),
        at(times, 0.99),
        times.len()
    );
}
