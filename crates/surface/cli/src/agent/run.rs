//! `agent run`, `resume` and `replay`: a model, or a session's own steps, on a phone.

use super::model::{ModelChoice, step_time};
use super::sessions::{LastSession, folder, named_session};
use super::tools::CommandTools;
use crate::args::Args;
use crate::device::{asked_to_end, block_on, device_serial, waiting};
use crate::engine::engine;
use crate::flags::agent as flags;
use crate::world::{Answer, World};
use crate::{report, secrets};
use clawperator_agent::model::{Budget, Model, Price, Script};
use clawperator_agent::session::{
    BeginEntry, ResumeEntry, Session, SessionEntry, SessionId, Status, StepEntry, StoredSession, script,
};
use clawperator_agent::snapshot::Observer;
use clawperator_agent::task::{
    MAX_STEPS, PhoneHands, Task, TaskClock, TaskPlan, TaskResult, USUAL_STEPS, run as run_task,
};
use clawperator_agent::toolbox::{Approval, Toolbox};
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_engine::{Acts, PhoneRequest};
use clawperator_phone::REACH;
use clawperator_phone::vault::Vault;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// The most letters of a thought in the progress.
const SHOWN: usize = 120;

/// What is to be done, by whom.
struct TaskOrder {
    task: String,
    model: Model,
    budget: Budget,
    price: Option<Price>,
    max_steps: u32,
    step_time: Duration,
    before: Option<StoredSession>,
    replay_of: Option<String>,
}

pub(super) fn run(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let task = args.argument().filter(|task| !text::is_blank(task));
    let Some(task) = task.map(str::to_owned) else {
        let message = "say what is to be done, such as 'Switch Wi-Fi off'";
        return Err(Failure::new(ErrorCode::MissingArgument, message));
    };
    carry_out(args, world, order(args, world, task)?)
}

pub(super) fn resume(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let before = named_session(args, LastSession::WithModel, world)?;
    let order = TaskOrder { before: Some(before.clone()), ..order(args, world, before.begin.task)? };
    carry_out(args, world, order)
}

pub(super) fn replay(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let session = named_session(args, LastSession::WithModel, world)?;
    let lines = script(&session);
    if args.has(&flags::SCRIPT_ONLY) {
        return Ok(Answer::text(lines));
    }
    let model = Script::parse(&lines);
    let model = model.map_err(|error| Failure::new(ErrorCode::AgentSessionUnusable, error.to_string()))?;
    let order = TaskOrder {
        task: session.begin.task,
        model: Model::Script(Box::new(model)),
        budget: Budget::default(),
        price: None,
        // A step can wait for its element.
        max_steps: MAX_STEPS,
        step_time: step_time(args)?,
        before: None,
        replay_of: Some(session.begin.session),
    };
    carry_out(args, world, order)
}

fn order(args: &Args, world: &World, task: String) -> Result<TaskOrder, Failure> {
    let chosen = ModelChoice::read(args, world.clock)?;
    let max_steps = args.whole(&flags::MAX_STEPS, 1..=u64::from(MAX_STEPS))?;
    Ok(TaskOrder {
        task,
        model: chosen.open()?,
        budget: chosen.budget,
        price: chosen.price,
        max_steps: max_steps.and_then(|most| u32::try_from(most).ok()).unwrap_or(USUAL_STEPS),
        step_time: step_time(args)?,
        before: None,
        replay_of: None,
    })
}

fn carry_out(args: &Args, world: &mut World, order: TaskOrder) -> Result<Answer, Failure> {
    let tools = CommandTools::read(args, world)?.with_people(args, world)?;
    // What a person gives in a task ends with it.
    let vault = Some(Arc::new(Vault::over(secrets::shelf(world)?)));
    let approval = if args.has(&flags::YES) { Approval::Given } else { Approval::Ask };
    let device = device_serial(args, world)?;
    let wait = waiting(args)?;
    let journal = report::journal(args, world)?;
    let engine = engine(world);
    let ended = block_on(async {
        let asked = asked_to_end()?;
        let wanted = PhoneRequest { device: device.as_deref(), wait, owner: "agent", reach: REACH };
        let toolbox = Toolbox { vault, ..tools.open().await? };
        let Acts { lease, options, log } = engine.begin_acts(wanted, journal).await?;
        let observer = Observer::new(clawperator_events::Clock::new(world.clock));
        let stop = log.stop().clone();
        let hands = PhoneHands {
            run: options,
            approval,
            log: Some(log),
            ..PhoneHands::new(lease, observer, order.model.name(), toolbox)
        };
        let doing = on_phone(order, hands, world, stop.clone());
        let mut doing = std::pin::pin!(doing);
        tokio::select! {
            biased;
            ended = &mut doing => ended,
            () = asked => {
                // The task ends by itself, and its session has an end.
                stop.notify_one();
                doing.await
            }
        }
    })??;
    Ok(Answer::value(&ended, args, world).succeeded(ended.status == Status::Finished))
}

async fn on_phone(
    mut order: TaskOrder,
    mut hands: PhoneHands,
    world: &mut World,
    stop: Arc<Notify>,
) -> Result<TaskResult, Failure> {
    let clock = world.clock;
    let mut session = open_session(&order, hands.lease.phone().serial(), world)?;
    if let Some(log) = &mut hands.log {
        // The journal is found under the session's name.
        log.begin(&mut hands.lease, Some(session.id().as_str()));
    }
    let plan = TaskPlan {
        max_steps: order.max_steps,
        step_time: order.step_time,
        budget: order.budget,
        price: order.price,
        random: (world.secret)().map_or(world.random, |number| number as u64),
        ..TaskPlan::new(&order.task, TaskClock::new(clock))
    };
    let note = &mut world.note;
    let task = Task {
        plan: &plan,
        model: &mut order.model,
        session: Some(&mut session),
        before: order.before.as_ref(),
        stop,
        progress: &mut |step| note(&progress_line(step)),
    };
    let mut ended = run_task(task, &mut hands).await;
    ended.message = session.without_secrets(&ended.message);
    hands.release(&ended).await;
    Ok(ended)
}

fn open_session(order: &TaskOrder, device: &str, world: &World) -> Result<Session, Failure> {
    let place = folder(world);
    let now_ms = (world.clock)();
    let model = order.model.name().to_owned();
    let Some(before) = &order.before else {
        let begin = BeginEntry {
            task: order.task.clone(),
            model,
            device: device.to_owned(),
            started_ms: now_ms,
            max_steps: order.max_steps,
            replay_of: order.replay_of.clone(),
            ..BeginEntry::default()
        };
        return Ok(Session::begin(&place, world.random, begin)?);
    };
    let Some(id) = SessionId::parse(&before.begin.session) else {
        let message = format!("{:?} is no name of a session", before.begin.session);
        return Err(Failure::new(ErrorCode::AgentSessionUnusable, message));
    };
    let mut session = Session::open(&place, &id)?;
    let resumed = ResumeEntry { at_ms: now_ms, model, max_steps: order.max_steps };
    session.append(&SessionEntry::Resumed(resumed))?;
    Ok(session)
}

/// A step in a line of progress. What a model says may hold anything.
fn progress_line(step: &StepEntry) -> String {
    let thought: String = step.output.thought.chars().take(SHOWN).collect();
    let done = if step.result.ok { "" } else { ", not done" };
    let line = format!("{}. {}{done}: {thought}", step.step, step.tool);
    format!("{}\n", text::visible(&line))
}
