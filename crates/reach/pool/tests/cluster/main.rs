//! The checker against three real nodes: many jobs, while hosts, nodes, the network and
//! phones fail. Then what phones recorded is compared with what results say.
//!
//! `cargo test -p clawperator-pool --features nats --test cluster -- --jobs 10000 --seed 1
//! --server PATH`. Without a `nats-server` it prints a line and passes.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    dead_code,
    reason = "a panic is how a test fails, it talks to people, and the benchmark uses more of it"
)]

mod check;
mod farm;
mod faults;
mod host;
mod jobs;
mod nodes;
mod phones;
mod process;
mod proxy;
mod random;
mod results;

use check::{Evidence, Verdict};
use clawperator_pool::broker::Bucket;
use clawperator_pool::{Caller, RunRecord};
use farm::{Farm, FarmSetup, HOSTS};
use faults::FaultLog;
use jobs::JobPlan;
use results::Results;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long nothing may change after the last fault before what is left is taken for lost.
const SETTLING: Duration = Duration::from_secs(150);
/// Every so many-th phone is reached by two hosts.
const SHARED: usize = 4;

/// What the command line says.
#[derive(Debug)]
struct Options {
    jobs: usize,
    seed: u64,
    phones: usize,
    /// How long there are faults.
    seconds: u64,
    server: PathBuf,
    /// Whether files stay also where nothing was wrong.
    keeps: bool,
}

impl Options {
    /// Nothing if there is no server, or the words are for another test.
    fn read() -> Option<Self> {
        let words: Vec<String> = std::env::args().skip(1).collect();
        let value = |name: &str| {
            let at = words.iter().position(|word| word == name)?;
            words.get(at + 1)
        };
        let number = |name: &str| value(name).map(|text| text.parse::<u64>().unwrap());
        let jobs = number("--jobs").unwrap_or(150);
        let server = value("--server").map(PathBuf::from).or_else(server);
        if words.first().is_some_and(|word| !word.starts_with("--")) || server.is_none() {
            println!("skipped: there is no nats-server here, or another test was asked for");
            return None;
        }
        Some(Self {
            jobs: usize::try_from(jobs).unwrap(),
            seed: number("--seed").unwrap_or(1),
            phones: usize::try_from(number("--phones").unwrap_or((jobs / 100).clamp(12, 60))).unwrap(),
            seconds: number("--seconds").unwrap_or((jobs / 20).max(36)),
            server: server?,
            keeps: words.iter().any(|word| word == "--keep"),
        })
    }
}

/// The program to test with, if there is one.
fn server() -> Option<PathBuf> {
    let named = std::env::var_os("NATS_SERVER").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&path).map(|folder| folder.join("nats-server"));
    named.or_else(|| found.find(|program| program.is_file()))
}

#[tokio::main]
async fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["phones", number] => phones::run(number.parse().unwrap()).await,
        ["worker", file] => host::run(Path::new(file)).await,
        _ => {
            let Some(options) = Options::read() else { return ExitCode::SUCCESS };
            return run(&options).await;
        }
    }
    ExitCode::SUCCESS
}

async fn run(options: &Options) -> ExitCode {
    let began = Instant::now();
    let setup = FarmSetup { program: options.server.clone(), phones: options.phones, shared: SHARED };
    let farm = Farm::start(&setup).await;
    let caller = farm.caller().await;
    for host in 0..HOSTS {
        farm.launch(host, &farm.host_setup(host));
    }
    wait_for_phones(&farm, &caller).await;
    println!("{options:?}: began after {:?}, files in {}", began.elapsed(), farm.folder().display());
    let plans = JobPlan::all(options.seed, options.jobs, &farm.plan);
    let time = Duration::from_secs(options.seconds);
    let log = FaultLog::new(options.seed, time);
    let results = Arc::new(Results::default());
    let (account, followed) = (caller.account.clone(), results.clone());
    let following = tokio::spawn(async move { followed.follow(&account).await });
    let showing = show(&results, &plans);
    let (sent, ()) = tokio::select! {
        both = async { tokio::join!(jobs::send_all(&farm, &plans, time), faults::all(&farm, &log)) } => both,
        never = showing => never,
    };
    println!("{:.0?}: all is well again, {} results", began.elapsed(), results.number());
    let left = settle(&farm, &plans, (&caller, &results)).await;
    following.abort();
    let evidence = gather(&farm, &caller).await;
    let verdict = Verdict::new(&Evidence {
        plans: &plans,
        phones: &farm.plan,
        taps: &evidence.0,
        results: &results.all(),
        runs: &evidence.1,
    });
    let mut violations = verdict.violations.clone();
    violations.extend(results.changed().into_iter().map(|line| format!("a result was changed: {line}")));
    violations.extend(left);
    print_table(options, &verdict, &log);
    let (repeated, taps) = (sent - plans.len(), evidence.0.len());
    println!(
        "{taps} taps, {repeated} jobs sent again, {:.0?}, {} violations",
        began.elapsed(),
        violations.len()
    );
    std::fs::write(farm.folder().join("faults.log"), log.lines()).unwrap();
    if violations.is_empty() {
        if options.keeps {
            farm.keep_files();
        }
        return ExitCode::SUCCESS;
    }
    farm.keep_files();
    std::fs::write(farm.folder().join("violations.log"), violations.join("\n")).unwrap();
    for line in violations.iter().take(20) {
        println!("VIOLATION (seed {}): {}", options.seed, line.chars().take(2_000).collect::<String>());
    }
    println!("files are kept in {}", farm.folder().display());
    ExitCode::FAILURE
}

async fn wait_for_phones(farm: &Farm, caller: &Caller) {
    let wanted: usize = farm.plan.iter().map(|phone| phone.hosts.len()).sum();
    let until = Instant::now() + Duration::from_secs(60);
    while caller.phones().await.map_or(0, |phones| phones.len()) < wanted {
        assert!(Instant::now() < until, "the phones are not all in the pool");
        sleep(Duration::from_millis(200)).await;
    }
}

/// Shows how far it is, for ever.
async fn show<T>(results: &Results, plans: &[JobPlan]) -> T {
    let began = Instant::now();
    loop {
        sleep(Duration::from_secs(20)).await;
        println!("{:.0?}: {} of {} results", began.elapsed(), results.number(), plans.len());
    }
}

/// Waits until every job has a result and nothing is left of any; says what is left.
async fn settle(farm: &Farm, plans: &[JobPlan], (caller, results): (&Caller, &Results)) -> Vec<String> {
    let (mut before, mut until) = (0, Instant::now() + SETTLING);
    loop {
        for host in 0..HOSTS {
            if farm.has_ended(host) {
                farm.launch(host, &farm.host_setup(host));
            }
        }
        let mut left = Vec::new();
        if !results.list(&caller.account).await {
            left.push("the broker does not answer".to_owned());
        }
        let missing = plans.iter().filter(|plan| !results.has(plan.id.as_str())).count();
        if missing != before {
            (before, until) = (missing, Instant::now() + SETTLING);
        }
        if missing > 0 {
            left.push(format!("{missing} jobs have no result"));
        }
        for bucket in [Bucket::Jobs, Bucket::Orders, Bucket::Claims, Bucket::Leases] {
            let listed = caller.account.list(bucket, ">").await;
            let keys = listed.map(|listed| listed.into_iter().map(|entry| entry.key).collect::<Vec<_>>());
            if keys != Ok(Vec::new()) {
                left.push(format!("left in {bucket:?}: {keys:?}"));
            }
        }
        if left.is_empty() || Instant::now() > until {
            return left;
        }
        sleep(Duration::from_secs(1)).await;
    }
}

type Gathered = (Vec<phones::Tap>, BTreeMap<String, RunRecord>);

async fn gather(farm: &Farm, caller: &Caller) -> Gathered {
    let runs = loop {
        if let Ok(runs) = caller.account.all::<RunRecord>(Bucket::Runs, "*").await {
            break runs;
        }
    };
    (farm.phones.taps(), runs.into_iter().map(|run| (run.key, run.value)).collect())
}

fn print_table(options: &Options, verdict: &Verdict, log: &FaultLog) {
    println!("\njobs: {}, seed {}, {} phones, {HOSTS} hosts", options.jobs, options.seed, options.phones);
    for (end, number) in &verdict.ends {
        println!("  {end:<40} {number:>7}");
    }
    println!("faults:");
    for (fault, number) in log.counts() {
        println!("  {fault:<40} {number:>7}");
    }
}
