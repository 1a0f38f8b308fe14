//! `--pool`, `clawperator pool` and `clawperator worker`: phones of many computers.

#[cfg(feature = "pool")]
mod broker;
#[cfg(not(feature = "pool"))]
#[path = "pool/no_broker.rs"]
mod broker;
mod doctor;
mod roster;
mod serving;

pub(super) use serving::worker;

use super::args::Args;
use super::device::{asked_to_end, block_on, block_on_unless_asked};
use super::flags::{self, pool as own};
use super::progress::Progress;
use super::spec::PoolCommand;
use super::world::{Answer, World};
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_engine::{AbandonPolicy, Finished, Journal, Outcome, Request};
use clawperator_events::Pictures;
use clawperator_pool::access::{PoolAccess, PoolRole, connect};
use clawperator_pool::{
    Account, Caller, JobId, JobStatus, JobWish, Name, PhoneName, Priority, Target, USUAL_DEADLINE,
};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// The word for the pool of `pool up`.
const LOCAL: &str = "local";
/// How often a person hears why a job waits.
const TELL: Duration = Duration::from_secs(2);
/// How long a host may take to send a report.
const REPORT: Duration = Duration::from_secs(60);
/// How long a job that was interrupted may take to end.
const CANCELLING: Duration = Duration::from_secs(15);
/// The longest that a job waits or a phone is reserved.
const LONGEST: Duration = Duration::from_secs(7 * 86_400);

pub(super) fn run(command: PoolCommand, args: &Args, world: &mut World) -> Result<Answer, Failure> {
    match command {
        PoolCommand::Up => serving::up(args, world),
        PoolCommand::Init => broker::init(args, world),
        PoolCommand::Doctor => doctor::doctor(args, world),
        asking => {
            let access = access(args, world)?;
            let tenant = args.value(&own::TENANT)?;
            let answer = block_on_unless_asked(async {
                let caller = open(&access, tenant).await?;
                ask(asking, args, &caller).await
            })??;
            Ok(Answer::value(&answer, args, world))
        }
    }
}

/// Connects to a pool as a caller.
async fn open(access: &PoolAccess, tenant: Option<&str>) -> Result<Caller, Failure> {
    let connections = connect(access).await?;
    let names: Vec<&str> = connections.tenants.iter().map(|tenant| tenant.name.as_str()).collect();
    let known = names.join(", ");
    let unknown = || {
        let message = format!("the pool file has no tenant {:?}, but {known}", tenant.unwrap_or_default());
        Failure::of(ErrorCode::Usage, message)
    };
    let mut tenants = connections.tenants.iter();
    let found = tenants.find(|found| tenant.is_none_or(|wanted| found.name == wanted));
    let account = found.ok_or_else(unknown)?.broker.clone().into();
    let pool = connections.pool.filter(|_| access.role == PoolRole::Operator).map(Account::from);
    Ok(Caller { account, seal: access.seal_for.clone(), pool })
}

/// The pool of a server, if the command line names one.
pub(super) async fn of_server(args: &Args, world: &World) -> Result<Option<Caller>, Failure> {
    if !is_wanted(args, world)? {
        return Ok(None);
    }
    open(&access(args, world)?, args.value(&own::TENANT)?).await.map(Some)
}

/// The pool that the command line names, or else the environment.
fn named(args: &Args, world: &World) -> Result<Option<String>, Failure> {
    let flag = args.value(&own::POOL)?.map(str::to_owned);
    Ok(flag.or_else(|| world.phones.pool.clone()))
}

/// Whether the command is to run in a pool.
pub(super) fn is_wanted(args: &Args, world: &World) -> Result<bool, Failure> {
    Ok(named(args, world)?.is_some())
}

fn local_folder(world: &World) -> PathBuf {
    world.phones.state.join("pool")
}

/// How to reach the pool.
fn access(args: &Args, world: &World) -> Result<PoolAccess, Failure> {
    let Some(named) = named(args, world)? else {
        let message = "no pool is named";
        let hint = "Add --pool FILE or --pool nats://HOST:PORT, or start one with clawperator pool up and add --pool local.";
        return Err(Failure::new(ErrorCode::Usage, message).hint(hint));
    };
    if named != LOCAL {
        return PoolAccess::read(&named);
    }
    let file = local_folder(world).join("pool.json");
    if !file.exists() {
        let message = "no pool was started on this computer";
        return Err(
            Failure::new(ErrorCode::PoolUnavailable, message).hint("Start one with clawperator pool up.")
        );
    }
    PoolAccess::read(&file.to_string_lossy())
}

async fn ask(command: PoolCommand, args: &Args, caller: &Caller) -> Result<Value, Failure> {
    let argument = |what: &str| args.argument().ok_or_else(|| args.missing(what));
    match command {
        PoolCommand::Phones => {
            let phones = caller.phones().await?;
            Ok(json!({"count": phones.len(), "phones": phones}))
        }
        PoolCommand::Hosts => {
            let hosts = caller.hosts().await?;
            Ok(json!({"count": hosts.len(), "hosts": hosts}))
        }
        PoolCommand::Jobs => Ok(json!(caller.jobs().await?)),
        PoolCommand::Job => {
            let id = JobId::meant(argument("a job")?);
            if let Some(file) = args.bytes(&own::REPORT)? {
                let page = caller.report(&id, REPORT).await?;
                return write_report(&PathBuf::from(file), &page);
            }
            Ok(status(&id, &caller.job(&id).await?))
        }
        PoolCommand::Cancel => {
            let id = JobId::meant(argument("a job")?);
            caller.cancel(&id).await?;
            Ok(json!({"job": id, "cancelled": "asked for"}))
        }
        PoolCommand::Reserve => {
            let phone: PhoneName = argument("a phone")?.parse()?;
            let time = span(args, &own::FOR)?.unwrap_or(Duration::from_secs(1800));
            caller.reserve(&phone, time, args.value(&own::WHY)?.unwrap_or_default()).await?;
            Ok(json!({"phone": phone, "reservedForSeconds": time.as_secs()}))
        }
        PoolCommand::Release => {
            let phone: PhoneName = argument("a phone")?.parse()?;
            caller.release(&phone).await?;
            Ok(json!({"phone": phone, "released": true}))
        }
        PoolCommand::Drain => {
            let host: Name = argument("a host")?.parse()?;
            let drains = !args.has(&own::UNDO);
            caller.drain(&host, drains).await?;
            Ok(json!({"host": host, "drains": drains}))
        }
        PoolCommand::Up | PoolCommand::Init | PoolCommand::Doctor => Ok(Value::Null),
    }
}

fn write_report(file: &PathBuf, page: &[u8]) -> Result<Value, Failure> {
    std::fs::write(file, page).map_err(|error| {
        Failure::of(ErrorCode::FileWriteFailed, format!("cannot write {}: {error}", file.display()))
    })?;
    Ok(json!({"report": file.display().to_string(), "bytes": page.len()}))
}

/// What is known of a job.
fn status(id: &JobId, status: &JobStatus) -> Value {
    match status {
        JobStatus::Waiting(waiting) => {
            json!({"job": id, "state": "waiting", "why": waiting.why.text(), "waiting": waiting})
        }
        JobStatus::Running(run) => json!({"job": id, "state": run.state.word(), "run": run}),
        JobStatus::Ended(result) => json!({"job": id, "state": "ended", "result": result}),
    }
}

/// A time such as 90s, 15m or 2h.
fn span(args: &Args, flag: &super::spec::FlagSpec) -> Result<Option<Duration>, Failure> {
    let Some(word) = args.value(flag)? else {
        return Ok(None);
    };
    let rule = "must be a time such as 90s, 15m or 2h, at most seven days";
    let (digits, unit) = word.split_at(word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len()));
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        _ => return Err(args.invalid_value(flag, rule, word)),
    };
    let count = digits.parse::<u64>().ok().and_then(|count| count.checked_mul(seconds));
    let time = count.map(Duration::from_secs).filter(|time| *time <= LONGEST);
    time.map(Some).ok_or_else(|| args.invalid_value(flag, rule, word))
}

/// The job that the command line describes.
fn job_wish(args: &Args) -> Result<JobWish, Failure> {
    let on = args.value(&own::ON)?.or(args.value(&flags::DEVICE)?);
    let Some(on) = on else {
        let message = "a job needs a phone of the pool";
        let hint =
            "Add --on any:CLASS, --on all:CLASS or --on HOST/SERIAL; clawperator pool phones lists them.";
        return Err(Failure::new(ErrorCode::Usage, message).hint(hint));
    };
    let priority = args.word(&own::PRIORITY, Priority::from_any_case)?;
    Ok(JobWish {
        priority: priority.unwrap_or(Priority::Normal),
        deadline: span(args, &own::DEADLINE)?.unwrap_or(USUAL_DEADLINE),
        repeatable: args.has(&own::REPEATABLE),
        ..JobWish::new(on.parse()?)
    })
}

/// Runs a request as a job of a pool.
pub(super) fn run_job(request: Request, args: &Args, world: &mut World) -> Result<Finished, Failure> {
    let (access, wish) = (access(args, world)?, job_wish(args)?);
    let tenant = args.value(&own::TENANT)?;
    // The journal is on the host; the report can be fetched from there.
    let journal = if request.journal == Journal::Off { Journal::Off } else { Journal::On(Pictures::Left) };
    let request = Request { abandoned: AbandonPolicy::Continues, key: None, journal, ..request };
    block_on(async {
        let asked = asked_to_end()?;
        let caller = open(&access, tenant).await?;
        tokio::pin!(asked);
        let Target::All(class) = &wish.target else {
            return wait_for(&caller, request, &wish, (world, asked.as_mut())).await;
        };
        let mut results = Vec::new();
        let phones = caller.phones_of(class).await?;
        for phone in &phones {
            let part = JobWish {
                target: Target::Phone(phone.clone()),
                part: Some(phone.to_string()),
                ..wish.clone()
            };
            results.push(caller.submit(request.clone(), &part).await?);
        }
        all_results(&caller, &phones, &results).await
    })?
}

/// Sends a job and waits for its result; a signal cancels it.
async fn wait_for<A: Future<Output = ()> + Unpin>(
    caller: &Caller,
    request: Request,
    wish: &JobWish,
    (world, asked): (&mut World, A),
) -> Result<Finished, Failure> {
    let id = caller.submit(request, wish).await?;
    let telling = async {
        let mut told = String::new();
        loop {
            sleep(TELL).await;
            if world.progress == Progress::Hidden {
                continue;
            }
            let why = match caller.job(&id).await {
                Ok(JobStatus::Waiting(waiting)) => format!("job {id} waits: {}\n", waiting.why.text()),
                Ok(JobStatus::Running(run)) => {
                    let phone = run.phone.map_or(run.host.to_string(), |phone| phone.to_string());
                    format!("job {id} runs on {phone}\n")
                }
                Ok(JobStatus::Ended(_)) | Err(_) => continue,
            };
            if why != told {
                (world.note)(&text::escape_invisible(why.clone()));
                told = why;
            }
        }
    };
    let result = tokio::select! {
        result = caller.result(&id) => result?,
        () = asked => {
            caller.cancel(&id).await?;
            let ended = timeout(CANCELLING, caller.result(&id)).await;
            ended.unwrap_or_else(|_| {
                let message = format!("interrupted; the job {id} is to be cancelled and has not ended yet");
                Err(Failure::new(ErrorCode::ExecutionCancelled, message))
            })?
        }
        never = telling => never,
    };
    Ok(result.ended.into())
}

/// The results of jobs on several phones as one outcome.
async fn all_results(caller: &Caller, phones: &[PhoneName], jobs: &[JobId]) -> Result<Finished, Failure> {
    let mut results = Vec::new();
    let mut is_good = true;
    for (phone, job) in phones.iter().zip(jobs) {
        let result = caller.result(job).await?;
        let outcome = Outcome::Stored(result.ended.outcome);
        is_good &= outcome.kind() == clawperator_engine::OutcomeKind::Success;
        results.push(json!({"phone": phone, "job": job, "outcome": outcome}));
    }
    let kind = if is_good {
        clawperator_engine::OutcomeKind::Success
    } else {
        clawperator_engine::OutcomeKind::Failed
    };
    let json = json!({"count": results.len(), "results": results}).to_string();
    Ok(Outcome::Stored(clawperator_engine::StoredOutcome { kind, json }).into())
}
