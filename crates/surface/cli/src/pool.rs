//! `--pool`, `clawperator pool` and `clawperator worker`: phones of many computers.

#[cfg(feature = "pool")]
mod broker;
#[cfg(not(feature = "pool"))]
#[path = "pool/no_broker.rs"]
mod broker;
mod roster;
mod serving;

pub(super) use serving::worker;

use super::args::Args;
use super::device::{asked_to_end, block_on, block_on_unless_asked};
use super::flags::{self, pool as own};
use super::progress::Progress;
use super::spec::{Command, PoolCommand, SkillsCommand};
use super::world::{Answer, World};
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_engine::{AbandonPolicy, Finished, Outcome, OutcomeKind, Request, StoredOutcome};
use clawperator_pool::access::{Connecting, PoolAccess, PoolConnections, PoolRole, connect};
use clawperator_pool::{
    Caller, JobId, JobResult, JobStatus, JobWish, ListedResult, Name, PhoneName, Priority, Target,
    USUAL_DEADLINE, WaitReason,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
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

const NAME_ONE: &str =
    "Add --pool FILE or --pool nats://HOST:PORT, or start one with clawperator pool up and add --pool local.";

pub(super) fn run(command: PoolCommand, args: &Args, world: &mut World) -> Result<Answer, Failure> {
    match command {
        PoolCommand::Up => serving::up(args, world),
        PoolCommand::Init => broker::init(args, world),
        PoolCommand::Doctor => {
            let access = access(args, world)?;
            let found = block_on_unless_asked(async {
                for tenant in access.tenants.iter().skip(1).filter(|_| access.role == PoolRole::Operator) {
                    // Its buckets are made, too.
                    open(&PoolAccess { tenants: vec![tenant.clone()], ..access.clone() }).await?;
                }
                open(&access).await?.examine().await
            })??;
            let is_fine = found.checks.iter().all(|check| check.ok);
            Ok(Answer::value(&found, args, world).succeeded(is_fine))
        }
        asking => {
            let access = access(args, world)?;
            let asked = async { ask(asking, args, &open(&access).await?).await };
            let answer = block_on_unless_asked(asked)??;
            Ok(Answer::value(&answer, args, world))
        }
    }
}

/// Connects to a pool as a caller of the first tenant.
async fn open(access: &PoolAccess) -> Result<Caller, Failure> {
    let PoolConnections { pool, tenants } = connect(access, Connecting::Caller).await?;
    let account = tenants.into_iter().next().map(|tenant| tenant.account);
    let account = account.ok_or_else(|| Failure::of(ErrorCode::Usage, "the pool file has no tenant"))?;
    let pool = pool.filter(|_| access.role == PoolRole::Operator);
    Ok(Caller { account, seal: access.seal_for.clone(), pool })
}

/// The pool of a server, if the command line names one.
pub(super) async fn of_server(args: &Args, world: &World) -> Result<Option<Caller>, Failure> {
    if !is_wanted(args, world)? {
        return Ok(None);
    }
    open(&access(args, world)?).await.map(Some)
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

/// How to reach the pool, as the tenant that the command line names.
fn access(args: &Args, world: &World) -> Result<PoolAccess, Failure> {
    let Some(named) = named(args, world)? else {
        let message = "no pool is named";
        return Err(Failure::new(ErrorCode::Usage, message).hint(NAME_ONE));
    };
    let file = local_folder(world).join("pool.json");
    if named == LOCAL && !file.exists() {
        let message = "no pool was started on this computer";
        let hint = "Start one with clawperator pool up.";
        return Err(Failure::new(ErrorCode::PoolUnavailable, message).hint(hint));
    }
    let local = file.to_string_lossy();
    let mut access = PoolAccess::read(if named == LOCAL { &local } else { &named })?;
    if let Some(wanted) = args.value(&own::TENANT)? {
        let known: Vec<String> = access.tenants.iter().map(|tenant| tenant.name.to_string()).collect();
        access.tenants.retain(|tenant| tenant.name.as_str() == wanted);
        if access.tenants.is_empty() {
            let message = format!("the pool file has no tenant {wanted:?}, but {}", known.join(", "));
            return Err(Failure::of(ErrorCode::Usage, message));
        }
    }
    Ok(access)
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
            let id = caller.find(argument("a job")?).await?;
            if let Some(file) = args.bytes(&own::REPORT)? {
                let page = caller.report(&id, REPORT).await?;
                return write_report(&PathBuf::from(file), &page);
            }
            Ok(status(&id, &caller.job(&id).await?))
        }
        PoolCommand::Cancel => {
            let id = caller.find(argument("a job")?).await?;
            let is_asked = caller.cancel(&id).await?;
            Ok(json!({"job": id, "cancelled": if is_asked { "asked for" } else { "no: it has ended" }}))
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

fn write_report(file: &Path, page: &[u8]) -> Result<Value, Failure> {
    super::output::write_file(file, page)?;
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
fn job_wish(args: &Args, world: &World) -> Result<JobWish, Failure> {
    let on = args.value(&own::ON)?.or(args.value(&flags::DEVICE)?);
    let Some(on) = on else {
        let message = "a job needs a phone of the pool";
        let hint =
            "Add --on any:CLASS, --on all:CLASS or --on HOST/SERIAL; clawperator pool phones lists them.";
        return Err(Failure::new(ErrorCode::Usage, message).hint(hint));
    };
    let priority = args.word(&own::PRIORITY, Priority::from_any_case)?;
    // As on one phone, the same payload runs again, unless it is to run only once.
    let part = (!args.has(&flags::ONCE)).then(|| format!("{:x}-{:x}", world.now_ms, world.random));
    Ok(JobWish {
        priority: priority.unwrap_or(Priority::Normal),
        deadline: span(args, &own::DEADLINE)?.unwrap_or(USUAL_DEADLINE),
        repeatable: args.has(&own::REPEATABLE),
        label: args.value(&own::LABEL)?.map(str::to_owned),
        part,
        ..JobWish::new(on.parse()?)
    })
}

/// A request as a job has it: it goes on without its caller.
fn as_job(mut request: Request, access: &PoolAccess, world: &World) -> Request {
    if let Some(recipe) = request.recipe.as_mut().map(Arc::make_mut) {
        // What is sealed may have the key, so that hashes are the same on every host.
        recipe.source.key = access.seal_for.as_ref().map(|_| recipe.source.own_key(&world.phones.state));
    }
    Request { abandoned: AbandonPolicy::Continues, key: None, ..request }
}

/// Runs a request as a job of a pool.
pub(super) fn run_job(request: Request, args: &Args, world: &mut World) -> Result<Finished, Failure> {
    let (access, wish) = (access(args, world)?, job_wish(args, world)?);
    let report = args.value(&flags::REPORT)?;
    let request = as_job(request, &access, world);
    block_on(async {
        let asked = asked_to_end()?;
        let caller = open(&access).await?;
        tokio::pin!(asked);
        let Target::All(class) = &wish.target else {
            let limit = request.work.timeout();
            let id = caller.submit(request, &wish).await?;
            let ending = caller.result_in_time(&id, wish.deadline, limit);
            let ended = wait_for(&caller, &id, ending, (world, asked.as_mut())).await?;
            if let Some(file) = report {
                let written = async { write_report(Path::new(file), &caller.report(&id, REPORT).await?) };
                if let Err(failure) = written.await {
                    (world.note)(&format!("there is no report: {}\n", failure.message));
                }
            }
            return Ok(ended);
        };
        let phones = caller.phones_for(class, &request, &wish).await?;
        let jobs = phones.iter().map(|phone| (request.clone(), wish.on(phone))).collect();
        let ran = list_unless_asked(&caller, jobs, phones.len(), (world, asked.as_mut())).await?;
        all_results(&phones, ran)
    })?
}

/// Runs a list of jobs, each with its label, so many at a time.
pub(super) fn run_list(
    jobs: Vec<(Request, String)>,
    shards: usize,
    args: &Args,
    world: &mut World,
) -> Result<Vec<ListedResult>, Failure> {
    let (access, wish) = (access(args, world)?, job_wish(args, world)?);
    if matches!(wish.target, Target::All(_)) {
        return Err(args.invalid_value(&own::ON, "must be one phone or any:CLASS for a list", "all:"));
    }
    let jobs = jobs.into_iter().enumerate().map(|(number, (request, label))| {
        let part = wish.part.as_ref().map(|part| format!("{part} {number}"));
        (as_job(request, &access, world), JobWish { label: Some(label), part, ..wish.clone() })
    });
    let jobs = jobs.collect();
    block_on(async {
        let asked = asked_to_end()?;
        let caller = open(&access).await?;
        tokio::pin!(asked);
        list_unless_asked(&caller, jobs, shards, (world, asked.as_mut())).await
    })?
}

/// Runs a list of jobs; a signal cancels those that have not ended.
async fn list_unless_asked<A: Future<Output = ()> + Unpin>(
    caller: &Caller,
    jobs: Vec<(Request, JobWish)>,
    shards: usize,
    (world, asked): (&mut World, A),
) -> Result<Vec<ListedResult>, Failure> {
    let ids: Vec<JobId> = jobs.iter().map(|(request, wish)| wish.job_id(request)).collect();
    let labels: Vec<_> = jobs.iter().map(|(_, wish)| wish.label.clone().unwrap_or_default()).collect();
    let (mut ended, count) = (0, jobs.len());
    let tell = |place: usize, result: &ListedResult| {
        ended += 1;
        if world.progress == Progress::Shown {
            let took = result.as_ref().ok().and_then(|result| result.took_ms).unwrap_or_default();
            let line = format!("{ended} of {count}: {} after {took} ms\n", labels[place]);
            (world.note)(&text::escape_invisible(line));
        }
    };
    tokio::select! {
        results = caller.run_list(jobs, shards, tell) => results,
        () = asked => {
            for id in &ids {
                // One that was not sent or has ended is not there to be cancelled.
                let _ = caller.cancel(id).await;
            }
            let message = "interrupted; the jobs that were sent are to be cancelled";
            Err(Failure::new(ErrorCode::ExecutionCancelled, message))
        }
    }
}

/// Waits for the result of a job; a signal cancels it.
async fn wait_for<A: Future<Output = ()> + Unpin>(
    caller: &Caller,
    id: &JobId,
    ending: impl Future<Output = Result<JobResult, Failure>>,
    (world, asked): (&mut World, A),
) -> Result<Finished, Failure> {
    if world.progress == Progress::Shown {
        (world.note)(&format!("job {id}\n"));
    }
    let telling = async {
        let mut told = String::new();
        loop {
            sleep(TELL).await;
            let job = caller.job(id).await;
            // That no such phone is there is said in any case: it may be mistyped, and the wait is long.
            let is_nowhere =
                matches!(&job, Ok(JobStatus::Waiting(waiting)) if waiting.why == WaitReason::NoPhone);
            if world.progress == Progress::Hidden && !is_nowhere {
                continue;
            }
            let why = match job {
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
        result = ending => result?,
        () = asked => {
            caller.cancel(id).await?;
            let ended = timeout(CANCELLING, caller.result(id)).await;
            ended.unwrap_or_else(|_| {
                let message = format!("interrupted; the job {id} is to be cancelled and has not ended yet");
                Err(Failure::new(ErrorCode::ExecutionCancelled, message))
            })?
        }
        never = telling => never,
    };
    Ok(result.into_finished())
}

/// The results of jobs on several phones as one outcome.
fn all_results(phones: &[PhoneName], ran: Vec<ListedResult>) -> Result<Finished, Failure> {
    let mut results = Vec::new();
    let mut kind = OutcomeKind::Success;
    for (phone, result) in phones.iter().zip(ran) {
        let Finished { outcome, recipe, .. } = match result {
            Ok(result) => result.into_finished(),
            Err(failure) => failure.into(),
        };
        if outcome.kind() != OutcomeKind::Success {
            kind = OutcomeKind::Failed;
        }
        let mut shown = json!({"phone": phone, "outcome": outcome});
        if let Some(recipe) = recipe {
            shown["recipe"] = json!(recipe);
        }
        results.push(shown);
    }
    let json = json!({"count": results.len(), "results": results}).to_string();
    Ok(Outcome::Stored(StoredOutcome { kind, json }).into())
}

/// Shows what happens in a pool until interrupted, or until the job that is asked for has ended.
pub(super) fn watch(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let access = access(args, world)?;
    let is_json = args.asks_for_json();
    let watching = async {
        let caller = open(&access).await?;
        let job = match args.argument() {
            Some(job) => Some(caller.find(job).await?),
            None => None,
        };
        let mut news = caller.news(job.as_ref()).await?;
        let ended = async {
            match &job {
                Some(job) => caller.result(job).await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(ended);
        loop {
            let news = tokio::select! {
                result = &mut ended => return Ok(Some(result?.ended.outcome.kind)),
                news = news.next() => news,
            };
            let line = if is_json {
                format!("{}\n", json!(news))
            } else {
                format!("{}\n", text::visible(&news.line()))
            };
            (world.print)(line.as_bytes())
                .map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))?;
        }
    };
    let ended: Result<_, Failure> = block_on(async {
        let asked = asked_to_end()?;
        tokio::select! {
            ended = watching => ended,
            () = asked => Ok(None),
        }
    })?;
    let is_good = ended?.is_none_or(|kind| kind == OutcomeKind::Success);
    Ok(Answer::text("").succeeded(is_good))
}

/// Refuses flags of a pool where no pool is used: another phone than the one that is meant would be
/// touched.
pub(super) fn check_flags(args: &Args, world: &World) -> Result<(), Failure> {
    for flag in [&own::POOL, &own::ON].into_iter().filter(|flag| args.has(flag)) {
        if !serves(args.spec.command) {
            let rule = "is for exec, the commands of one step, skills run, skills test, watch, serve and mcp";
            return Err(args.fault(ErrorCode::Usage, flag, rule));
        }
    }
    let of_job = [&own::ON, &own::PRIORITY, &own::DEADLINE, &own::REPEATABLE, &own::TENANT];
    if let Some(flag) = of_job.into_iter().find(|flag| args.has(flag))
        && !is_wanted(args, world)?
    {
        return Err(args.fault(ErrorCode::Usage, flag, "is for a pool, and none is named").hint(NAME_ONE));
    }
    if args.has(&own::ON) && args.has(&flags::DEVICE) {
        let rule = "names a phone of the pool, and --device another one: leave one of them out";
        return Err(args.fault(ErrorCode::Usage, &own::ON, rule));
    }
    Ok(())
}

/// Whether a command can use a pool. Others would act on a phone of this computer instead.
const fn serves(command: Command) -> bool {
    matches!(
        command,
        Command::Exec
            | Command::Flat(_)
            | Command::Serve
            | Command::Mcp
            | Command::Watch
            | Command::Worker
            | Command::Pool(_)
            | Command::Skills(SkillsCommand::Run | SkillsCommand::Test)
    )
}
