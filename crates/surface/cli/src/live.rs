//! Runs an execution on a phone and prints its envelope.

use super::args::Args;
use super::brief::{Brief, brief};
use super::device::{asked_to_end, block_on, device_serial, waiting};
use super::flat::FlatPayload;
use super::output::Format;
use super::progress::{self, Progress};
use super::spec::Command;
use super::world::{Answer, World};
use super::{flags, output, people, pool, report, secrets, warm};
use clawperator_contract::{CheckedExecution, DataKey, Envelope, FAILURE_EXIT_CODE, Failure, ViewStyle};
use clawperator_engine::{AbandonPolicy, Engine, Finished, Outcome, OutcomeKind, Request, Running};
use clawperator_run::{AGENT_LOOK, LastStep, Strictness};

/// Runs an execution on the phone that the command line names.
pub(super) fn run(args: &Args, checked: &CheckedExecution, world: &mut World) -> Result<Answer, Failure> {
    let finished = run_once(args, checked, world)?;
    if let Some(problem) = &finished.not_stored {
        (world.note)(&format!("the outcome is not stored, so --once cannot return it again: {problem}\n"));
    }
    // The journal of a job is on its host.
    if !pool::is_wanted(args, world)? {
        report::finish(args, finished.event_log.as_ref(), world);
    }
    if args.format == Format::Agent {
        return Ok(for_agent(args, &finished.outcome, world));
    }
    let exit_code = if finished.outcome.kind() == OutcomeKind::Success { 0 } else { FAILURE_EXIT_CODE };
    let for_people = args.format == Format::Pretty;
    match finished.outcome {
        Outcome::Error(failure) => return Err(*failure),
        Outcome::Ran(ref result) if result.warnings.list().is_empty() => {
            if let Some(text) = view_for_people(args, &result.envelope) {
                return Ok(Answer { text, exit_code });
            }
        }
        // Byte for byte what was printed the first time.
        Outcome::Stored(ref stored) if !for_people => {
            return Ok(Answer::text(format!("{}\n", stored.json)).exit(exit_code));
        }
        Outcome::Ran(_) | Outcome::Stored(_) => {}
    }
    let shown = for_people.then(|| people::execution(&serde_json::json!(finished.outcome), world.colour));
    let text = shown.flatten().unwrap_or_else(|| output::json(&finished.outcome, args.format));
    Ok(Answer { text, exit_code })
}

/// Runs an execution on a server that runs, or here.
fn run_once(args: &Args, checked: &CheckedExecution, world: &mut World) -> Result<Finished, Failure> {
    let request = request(args, checked, world)?;
    if pool::is_wanted(args, world)? {
        return pool::run_job(request, args, world);
    }
    if let Some(finished) = warm::run(&request, args, world)? {
        return Ok(finished);
    }
    let engine = super::engine::engine(world);
    block_on(until_ended(&engine, request, world))?
}

/// What came of an execution, and what the screen shows if an act failed.
fn for_agent(args: &Args, outcome: &Outcome, world: &mut World) -> Answer {
    let Brief { mut text, is_done } = brief(&serde_json::json!(outcome), args.looks_after());
    let is_failed_act = !is_done && outcome.kind() == OutcomeKind::Failed && args.looks_after();
    if let Some(screen) = is_failed_act.then(|| screen_now(args, world)).flatten() {
        text = clawperator_server::mcp::with_screen(&text, &screen);
    }
    Answer::text(text).succeeded(is_done)
}

/// What changed on the screen, if it can be seen; the failure before it is the one to report.
fn screen_now(args: &Args, world: &mut World) -> Option<String> {
    let payload = FlatPayload::look().into_json(world.now_ms, world.random);
    let checked = clawperator_contract::accept(payload.as_bytes()).ok()?;
    let finished = run_once(args, &checked, world).ok()?;
    let seen = brief(&serde_json::json!(finished.outcome), false);
    seen.is_done.then_some(seen.text)
}

/// The request that the command line makes. What is wrong with the command line
/// is reported before a phone is looked for, or started.
pub(super) fn request(
    args: &Args,
    checked: &CheckedExecution,
    world: &mut World,
) -> Result<Request, Failure> {
    let route = super::operator::route(args, world)?;
    let wait = waiting(args)?;
    let journal = report::journal(args, world)?;
    let key = args.has(&flags::ONCE).then(|| checked.execution.command_id().as_str().to_owned());
    // An agent that gives no time wants an answer rather than the tree.
    let is_short = matches!(args.spec.command, Command::Flat(_))
        && (args.format == Format::Agent || args.looks_after())
        && args.timeout()?.is_none();
    Ok(Request {
        patience: is_short.then_some(AGENT_LOOK),
        last: if args.looks_after() { LastStep::Shows } else { LastStep::Counts },
        // A job's phone is chosen in the pool.
        device: if pool::is_wanted(args, world)? { None } else { device_serial(args, world)? },
        wait,
        key,
        route,
        lane: world.phones.lane,
        strictness: strictness(args),
        journal,
        skill_run: world.phones.skill_run.clone(),
        vault: Some(secrets::vault(world)?),
        abandoned: AbandonPolicy::IsCancelled,
        ..Request::new(checked.clone())
    })
}

/// Runs a request to its end; a signal cancels it.
pub(super) async fn until_ended(
    engine: &Engine,
    request: Request,
    world: &mut World,
) -> Result<Finished, Failure> {
    let asked = asked_to_end()?;
    let execution = request.work.execution().cloned();
    let Running { id, events, mut outcome } = engine.execute(request);
    let ended = async {
        tokio::select! {
            biased;
            finished = &mut outcome => finished,
            () = asked => {
                engine.cancel(&id);
                outcome.await
            }
        }
    };
    match (world.progress, execution) {
        (Progress::Shown, Some(execution)) => {
            Ok(progress::show(&execution, events, ended, &mut world.note).await)
        }
        (Progress::Shown, None) | (Progress::Hidden, _) => {
            // A run without subscribers is faster.
            drop(events);
            Ok(ended.await)
        }
    }
}

/// The text of a compact view, for people.
fn view_for_people(args: &Args, envelope: &Envelope) -> Option<String> {
    let [step] = &envelope.step_results[..] else {
        return None;
    };
    let compact = step.data.get(DataKey::View.name()).map(String::as_str) == Some(ViewStyle::Compact.word());
    let wanted = args.format == Format::Pretty && step.success && compact;
    let text = step.data.get(DataKey::Text.name()).filter(|_| wanted)?;
    let warning = step.data.get(DataKey::MemoryWarning.name());
    let warning = warning.map_or(String::new(), |warning| format!("\n({warning})"));
    Some(format!("{text}{warning}\n"))
}

/// What to do when several elements fit.
pub(super) fn strictness(args: &Args) -> Strictness {
    if args.has(&flags::STRICT) || args.format == Format::Agent {
        Strictness::Unique
    } else {
        Strictness::First
    }
}
