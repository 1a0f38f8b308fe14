//! One task, done once on a phone in memory. A script runs on a clock that is
//! paused, so a wait costs nothing; a server needs real time.

use super::person::Person;
use super::tasks_file::EvalTask;
use crate::skill_test::{TestOutcome, TestPhone};
use clawperator_agent::model::{Budget, HttpModel, HttpSettings, Model, Price, Script};
use clawperator_agent::session::Status;
use clawperator_agent::snapshot::Observer;
use clawperator_agent::task::{PhoneHands, Task, TaskClock, TaskPlan, TaskResult, run};
use clawperator_agent::toolbox::Toolbox;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// What came of one task.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AttemptResult {
    pub id: String,
    pub level: u8,
    pub success: bool,
    /// How the model's run ended, or `notStarted`.
    pub status: &'static str,
    pub steps: u32,
    pub input_tokens: u64,
    pub output_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dollars: Option<f64>,
    /// How long it took. With a script this is the phone's time.
    pub took_ms: u64,
    /// What is not as it should be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// Who does the tasks.
#[derive(Clone, Debug)]
pub enum Player {
    Scripts(Which),
    Server(Box<ModelSettings>),
}

/// Which script of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    Solution,
    /// The one that falls for what the screen says.
    Trap,
}

/// A model of a server, and what it may cost.
#[derive(Clone, Debug)]
pub struct ModelSettings {
    pub settings: HttpSettings,
    pub price: Option<Price>,
    pub budget: Budget,
    pub step_time: Duration,
}

impl Player {
    /// What the report calls it.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Scripts(Which::Solution) => "script: solution".to_owned(),
            Self::Scripts(Which::Trap) => "script: trap".to_owned(),
            Self::Server(server) => server.settings.model.clone(),
        }
    }

    pub(super) fn can_try(&self, task: &EvalTask) -> bool {
        match self {
            Self::Scripts(which) => which.of(task).is_some(),
            Self::Server(_) => true,
        }
    }

    fn model(&self, task: &EvalTask) -> Result<Model, String> {
        let model = match self {
            Self::Scripts(which) => {
                let text = which.of(task).unwrap_or_default();
                Script::parse(text).map(|script| Model::Script(Box::new(script)))
            }
            Self::Server(server) => {
                HttpModel::new(server.settings.clone()).map(|model| Model::Http(Box::new(model)))
            }
        };
        model.map_err(|error| error.to_string())
    }

    fn plan(&self, task: &EvalTask, clock: TaskClock) -> TaskPlan {
        let plan = TaskPlan {
            max_steps: task.max_steps,
            // Every task has its own marks, and the same ones each time.
            random: task.world.seed ^ 0x5eed_c1a0_0000_0000,
            ..TaskPlan::new(&task.task, clock)
        };
        match self {
            Self::Scripts(_) => plan,
            Self::Server(server) => {
                TaskPlan { budget: server.budget, price: server.price, step_time: server.step_time, ..plan }
            }
        }
    }
}

impl Which {
    fn of(self, task: &EvalTask) -> Option<&str> {
        match self {
            Self::Solution => task.solution.as_deref(),
            Self::Trap => task.trap.as_deref(),
        }
    }
}

pub(super) fn attempt(task: &EvalTask, player: &Player) -> AttemptResult {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all();
    if matches!(player, Player::Scripts(_)) {
        builder.start_paused(true);
    }
    let played = match builder.build() {
        Ok(runtime) => runtime.block_on(Box::pin(play(task, player))),
        Err(error) => Err(format!("no task can be started: {error}")),
    };
    let (ended, problems) = match played {
        Ok((ended, problems)) => (Some(ended), problems),
        Err(why) => (None, vec![why]),
    };
    let usage = ended.as_ref().map(|ended| ended.spent.usage).unwrap_or_default();
    AttemptResult {
        id: task.id.clone(),
        level: task.level,
        success: problems.is_empty(),
        status: ended.as_ref().map_or("notStarted", |ended| ended.status.word()),
        steps: ended.as_ref().map_or(0, |ended| ended.steps),
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        dollars: ended.as_ref().and_then(|ended| ended.spent.dollars),
        took_ms: ended.map_or(0, |ended| ended.took_ms),
        problems,
    }
}

async fn play(task: &EvalTask, player: &Player) -> Result<(TaskResult, Vec<String>), String> {
    let world = &task.world;
    let phone = TestPhone::switch_on(world, &world.conditions()).await?;
    let lease = phone.lease("eval").await?;
    let started = Instant::now();
    let passed = move || u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let observer = Observer::new(clawperator_events::Clock::new(passed));
    let person = Person::new(task, clawperator_events::Clock::new(passed))?;
    let toolbox = Toolbox { people: Some(person.people()), ..Toolbox::default() };
    let mut hands = PhoneHands::new(lease, observer, &player.name(), toolbox);
    let plan = player.plan(task, TaskClock::new(passed));
    let mut model = player.model(task)?;
    let doing = Task {
        plan: &plan,
        model: &mut model,
        session: None,
        before: None,
        stop: Arc::default(),
        progress: &mut |_| {},
    };
    let answering = async {
        person.answer().await;
        std::future::pending().await
    };
    let ended = tokio::select! {
        biased;
        ended = run(doing, &mut hands) => ended,
        never = answering => never,
    };
    hands.release(&ended).await;
    let (said, _) = phone.examine(world).await;
    let mut problems = end_problems(task, &ended);
    problems.extend(world.expect.problems(&TestOutcome { phone: said?, ..TestOutcome::default() }));
    Ok((ended, problems))
}

/// What is wrong with how it ended.
fn end_problems(task: &EvalTask, ended: &TaskResult) -> Vec<String> {
    let mut problems = Vec::new();
    if ended.status != Status::Finished {
        problems.push(format!("it ended as {}: {}", ended.status.word(), ended.message));
    }
    if let Some(wanted) = &task.says
        && !ended.message.contains(wanted.as_str())
    {
        problems.push(format!("it should say {wanted:?}, and says {:?}", ended.message));
    }
    problems
}
