//! Runs a task, step by step.

use super::context::{Context, ModelTurn, TurnScreen, UNPICTURED};
use super::prompt::{self, UntrustedMarks};
use super::record::{StepFiles, StepRecord};
use super::stuck::{Due, StepVerdict, StuckWatch};
use super::{Focus, Hands, TaskLook, TaskPlan};
use crate::action::AgentAction;
use crate::model::{Message, MessagePart, Model, ModelError, ModelStep, Spending, ToolCall, ToolSpec, Usage};
use crate::people;
use crate::result::{Dispatched, ToolError, ToolResult};
use crate::session::{EndEntry, Session, SessionEntry, SessionError, Status, StepEntry, StoredSession};
use crate::tool::{NormalizedCall, TOOLS, normalize};
use clawperator_contract::ErrorCode;
use clawperator_contract::text::cut;
use clawperator_phone::Deadline;
use clawperator_phone::vault::literals;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::timeout;

/// How often a screen that cannot be seen is looked at again.
const LOOKS: u32 = 3;
/// How often a model that calls no tool hears so, in one step.
const MISTAKES: u32 = 2;
/// What a tool gets beyond the time that it asks for.
const GRACE: Duration = Duration::from_secs(15);

/// A task that is being done.
pub struct Task<'t> {
    pub plan: &'t TaskPlan,
    pub model: &'t mut Model,
    pub session: Option<&'t mut Session>,
    /// The steps that were done before, if it is resumed.
    pub before: Option<&'t StoredSession>,
    pub stop: Arc<Notify>,
    pub progress: &'t mut dyn FnMut(&StepEntry),
}

/// What came of a task.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskResult {
    /// In one word. `finished` is what the model says; it is not checked.
    pub status: Status,
    pub message: String,
    /// What to do about it, unless it finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    pub steps: u32,
    pub spent: Spending,
    pub took_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_trouble: Option<String>,
}

struct Halt {
    status: Status,
    message: String,
    hint: Option<String>,
}

impl Halt {
    fn new(status: Status, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), hint: None }
    }

    fn hint(self, hint: &str) -> Self {
        Self { hint: Some(hint.to_owned()), ..self }
    }
}

/// Does a task.
pub async fn run<H: Hands>(mut task: Task<'_>, hands: &mut H) -> TaskResult {
    let started = task.plan.clock.now_ms();
    let marks = UntrustedMarks::new(task.plan.random);
    let mut state = TaskState::new(&task, marks);
    let stop = task.stop.clone();
    let halt = loop {
        let step = state.step(&mut task, hands);
        let halted = tokio::select! {
            biased;
            () = stop.notified() => Err(Halt::new(Status::Stopped, "The task was stopped.")),
            done = Box::pin(step) => done,
        };
        if let Err(halt) = halted {
            break halt;
        }
    };
    let now = task.plan.clock.now_ms();
    let end = EndEntry {
        status: halt.status,
        message: halt.message.clone(),
        steps: state.steps,
        spent: state.spent,
        at_ms: now,
        journal: hands.journal(),
    };
    state.write(&mut task, |session| session.append(&SessionEntry::End(Box::new(end))));
    TaskResult {
        status: halt.status,
        message: halt.message,
        hint: halt.hint,
        steps: state.steps,
        spent: state.spent,
        took_ms: now.saturating_sub(started),
        session: task.session.as_ref().map(|session| session.id().to_string()),
        journal: hands.journal(),
        session_trouble: state.trouble,
    }
}

struct TaskState {
    context: Context,
    marks: UntrustedMarks,
    watch: StuckWatch,
    steps: u32,
    /// Steps of this run, without those before a pause.
    done: u32,
    spent: Spending,
    step_time: Duration,
    trouble: Option<String>,
}

pub(super) struct ScreenMoment {
    pub(super) look: TaskLook,
    pub(super) at_ms: u64,
    shown: TurnScreen,
    deadline: Deadline,
}

/// What the model wants, ready to be done.
pub(super) struct StepRequest {
    pub(super) step: ModelStep,
    pub(super) normalized: NormalizedCall,
    pub(super) usage: Usage,
}

impl TaskState {
    fn new(task: &Task<'_>, marks: UntrustedMarks) -> Self {
        let plan = task.plan;
        let tools = TOOLS.iter().map(|tool| ToolSpec {
            name: tool.name.to_owned(),
            description: tool.about.to_owned(),
            schema: tool.schema(),
        });
        let mut state = Self {
            context: Context {
                system: marks.system(),
                task: prompt::task(&plan.task),
                tools: Arc::new(tools.collect()),
                turns: Vec::new(),
                budget: plan.context,
            },
            watch: StuckWatch::default(),
            steps: 0,
            done: 0,
            spent: Spending::default(),
            step_time: plan.step_time,
            trouble: None,
            marks,
        };
        for step in task.before.iter().flat_map(|before| &before.steps) {
            state.remember(step, plan);
        }
        state
    }

    /// Takes a step from before a pause into the context.
    fn remember(&mut self, step: &StepEntry, plan: &TaskPlan) {
        let screen = step.screen.as_ref();
        let short = prompt::short(screen.map_or("", |screen| &screen.app));
        let raw: Value = serde_json::from_str(&step.output.raw).unwrap_or_default();
        self.context.turns.push(ModelTurn {
            screen: TurnScreen {
                step: step.step,
                unpictured: UNPICTURED.to_owned(),
                listed: short.clone(),
                short,
                ..TurnScreen::default()
            },
            said: String::new(),
            call: ToolCall {
                id: format!("before-{}", step.step),
                name: step.tool.clone(),
                args: raw.get("args").cloned().unwrap_or_default(),
            },
            result: self.marks.result(step.result.ok, &step.result.text),
        });
        self.steps = self.steps.max(step.step);
        self.spent.add(step.usage, plan.price.as_ref());
    }

    async fn step<H: Hands>(&mut self, task: &mut Task<'_>, hands: &mut H) -> Result<(), Halt> {
        self.may_go_on(task.plan)?;
        let moment = self.look(task.plan, hands).await?;
        let (wanted, described) = tokio::join!(self.ask(task, &moment), hands.describe(moment.deadline));
        let wanted = wanted?;
        let action = &wanted.normalized.action;
        if let (Focus::Secret, AgentAction::Type(typed)) = (described.focus, action) {
            // The name of a value is no secret.
            for text in literals(&typed.text) {
                self.write(task, |session| session.hide(text));
            }
        }
        let (result, halt) = match action {
            _ if let Some(doubt) = wanted.normalized.doubt() => (ToolResult::failure(doubt), None),
            AgentAction::Finish(finish) => {
                let halt = Halt::new(Status::Finished, finish.message.clone());
                (ToolResult::success(finish.message.as_str()), Some(halt))
            }
            action => self.act(&moment, action, hands).await,
        };
        self.steps += 1;
        self.done += 1;
        let told = StepRecord {
            number: self.steps,
            moment: &moment,
            described: &described,
            wanted: &wanted,
            result: &result,
            now_ms: task.plan.clock.now_ms(),
        };
        self.record(task, &told);
        self.context.turns.push(ModelTurn {
            screen: moment.shown,
            said: wanted.step.said,
            call: wanted.step.call,
            result: self.marks.result(result.ok, &result.text) + &prompt::not_run(wanted.step.ignored_calls),
        });
        halt.map_or(Ok(()), Err)
    }

    /// Whether budget and steps are left.
    fn may_go_on(&self, plan: &TaskPlan) -> Result<(), Halt> {
        if let Some(why) = plan.budget.exceeded(&self.spent) {
            let halt = Halt::new(Status::OverBudget, why);
            return Err(halt.hint("Allow more with --budget, and resume the session."));
        }
        if self.done >= plan.max_steps {
            let message = format!("{} steps were done, and no more are allowed.", self.done);
            let halt = Halt::new(Status::MaxSteps, message);
            return Err(halt.hint("Allow more with --max-steps, and resume the session."));
        }
        Ok(())
    }

    async fn look<H: Hands>(&self, plan: &TaskPlan, hands: &mut H) -> Result<ScreenMoment, Halt> {
        let at_ms = plan.clock.now_ms();
        let deadline = Deadline::after(plan.step_time);
        let look = look(hands, deadline).await?;
        let shown = prompt::screen(&look, &self.marks, self.steps + 1);
        Ok(ScreenMoment { look, at_ms, shown, deadline })
    }

    /// Asks the model, and tells it if it calls no tool.
    async fn ask(&mut self, task: &mut Task<'_>, moment: &ScreenMoment) -> Result<StepRequest, Halt> {
        let mut conversation = self.context.conversation(&moment.shown);
        let sight = moment.look.sight();
        let price = task.plan.price.as_ref();
        let mut usage = Usage::default();
        for mistakes in 0.. {
            let asked = task.model.step(&conversation, &sight, moment.deadline).await;
            let cost = match &asked {
                Ok(step) => step.usage,
                Err(ModelError::Mistake { usage, .. }) => *usage,
                Err(_) => Usage::default(),
            };
            usage += cost;
            self.spent.add(cost, price);
            match asked {
                Ok(step) => {
                    let normalized = normalize(&step.call.name, &step.call.args);
                    return Ok(StepRequest { step, normalized, usage });
                }
                Err(ModelError::Mistake { why, .. }) if mistakes < MISTAKES => {
                    let told = format!("That was no step: {}. Call exactly one tool.", cut(&why, 300));
                    conversation.messages.push(Message::User(vec![MessagePart::Text(told)]));
                }
                Err(error) => {
                    return Err(Halt::new(Status::ModelFailed, error.to_string()).hint(error.hint()));
                }
            }
        }
        Err(Halt::new(Status::ModelFailed, "the model gave no step"))
    }

    /// Does an action, unless the model goes round in circles.
    async fn act<H: Hands>(
        &mut self,
        moment: &ScreenMoment,
        action: &AgentAction,
        hands: &mut H,
    ) -> (ToolResult, Option<Halt>) {
        let verdict = self.watch.judge(Due {
            screen: &moment.look.hash,
            action: &fingerprint(action),
            waits: matches!(action, AgentAction::Wait(_)),
        });
        let refused = |why: &str| {
            let message = format!("This was not done: {why}.");
            ToolResult::failure(ToolError::new(ErrorCode::AgentStuck, message))
        };
        match verdict {
            StepVerdict::Go => {}
            StepVerdict::Refuse(why) => return (refused(&why), None),
            StepVerdict::Stuck(why) => {
                let halt = Halt::new(Status::Stuck, format!("The task is stuck: {why}."));
                let halt = halt.hint("Look at the session's report, and word the task more precisely.");
                return (refused(&why), Some(halt));
            }
        }
        let own = self.step_time.max(own_time(action).saturating_add(GRACE));
        let time = own.saturating_add(hands.patience());
        let acting = hands.act(action, Deadline::after(time));
        let late = || {
            let message = format!("{} took longer than {} s.", action.kind(), time.as_secs());
            let error = ToolError::new(ErrorCode::AgentStepTimeout, message);
            ToolResult::failure(error).with_dispatched(Dispatched::Unknown)
        };
        let result = timeout(time, acting).await.unwrap_or_else(|_| late());
        (result, None)
    }

    /// Stores a step; what cannot be stored is trouble, and no reason to stop.
    fn record(&mut self, task: &mut Task<'_>, told: &StepRecord<'_>) {
        let mut kept = StepFiles::default();
        self.write(task, |session| {
            kept = StepFiles::store(session, &told.moment.look, told.described)?;
            Ok(())
        });
        let mut step = told.entry(kept);
        self.write(task, |session| session.append(&SessionEntry::Step(Box::new(step.clone()))));
        if let Some(session) = &task.session {
            step.output.thought = session.without_secrets(&step.output.thought);
        }
        (task.progress)(&step);
    }

    fn write(&mut self, task: &mut Task<'_>, work: impl FnOnce(&mut Session) -> Result<(), SessionError>) {
        if let Some(Err(error)) = task.session.as_deref_mut().map(work) {
            self.trouble.get_or_insert(error.to_string());
        }
    }
}

async fn look<H: Hands>(hands: &mut H, deadline: Deadline) -> Result<TaskLook, Halt> {
    let mut why = String::new();
    for _ in 0..LOOKS {
        match timeout(deadline.left(), hands.look(deadline)).await {
            Ok(Ok(look)) => return Ok(look),
            Ok(Err(error)) => why = error,
            Err(_) => why = "the phone did not show its screen in time".to_owned(),
        }
    }
    Err(Halt::new(Status::PhoneFailed, why)
        .hint("Check the phone with clawperator doctor, and resume the session."))
}

/// An action without what is only said about it.
fn fingerprint(action: &AgentAction) -> String {
    let mut value = serde_json::to_value(action).unwrap_or_default();
    if let Some(object) = value.as_object_mut() {
        object.shift_remove("reason");
    }
    value.to_string()
}

/// The time that an action asks for itself.
fn own_time(action: &AgentAction) -> Duration {
    let seconds = |number: f64| Duration::try_from_secs_f64(number).unwrap_or_default();
    match action {
        AgentAction::Exec(exec) => seconds(exec.timeout_sec.get()),
        AgentAction::RunScript(run) => seconds(run.timeout_sec.get()),
        AgentAction::RequestHumanAuth(ask) => {
            let once = people::time(ask.timeout_sec).saturating_add(GRACE.saturating_mul(4));
            once.saturating_mul(people::ROUNDS)
        }
        AgentAction::Process(process) => seconds(process.timeout_ms.get() / 1000.0),
        AgentAction::Wait(wait) => seconds(wait.duration_ms.get() / 1000.0),
        _ => Duration::ZERO,
    }
}
