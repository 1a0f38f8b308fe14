//! The loop: look, ask the model, do what it says, and record it, until it is
//! done or must not go on.
//!
//! It decides what the model reads and when to stop. It knows no terminal; what it does
//! to a phone goes through [`Hands`].

mod context;
mod phone_hands;
mod prompt;
mod record;
mod step;
mod stuck;

pub use clawperator_events::Clock as TaskClock;
pub use phone_hands::PhoneHands;
pub use step::{Task, TaskResult, run};

use crate::action::AgentAction;
use crate::model::script::ScriptElement;
use crate::model::{Budget, ModelPicture, Price, ScriptScreen};
use crate::result::ToolResult;
use clawperator_phone::Deadline;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// How many steps a task has, unless its caller says otherwise.
pub const USUAL_STEPS: u32 = 50;
/// The most steps of a task.
pub const MAX_STEPS: u32 = 1000;
/// How long looking and thinking may take in one step, unless the caller says otherwise.
pub const USUAL_STEP_TIME: Duration = Duration::from_secs(180);
/// How many letters a model reads at most, unless the caller says otherwise.
pub const USUAL_CONTEXT: usize = 200_000;

/// What is to be done, and within which limits.
#[derive(Clone, Debug)]
pub struct TaskPlan {
    pub task: String,
    pub max_steps: u32,
    /// How long a step may take; a tool that says how long it needs gets that.
    pub step_time: Duration,
    pub budget: Budget,
    pub price: Option<Price>,
    /// How many letters the model reads at most.
    pub context: usize,
    /// What makes the marks around untrusted text unguessable.
    pub random: u64,
    pub clock: Arc<TaskClock>,
}

impl TaskPlan {
    /// A task with the usual limits.
    pub fn new(task: &str, clock: TaskClock) -> Self {
        Self {
            task: task.to_owned(),
            max_steps: USUAL_STEPS,
            step_time: USUAL_STEP_TIME,
            budget: Budget::default(),
            price: None,
            context: USUAL_CONTEXT,
            random: 0,
            clock: Arc::new(clock),
        }
    }
}

/// What the loop needs of a phone and its tools.
pub trait Hands: Send {
    fn look(&mut self, deadline: Deadline) -> impl Future<Output = Result<TaskLook, String>> + Send;

    /// What else is recorded of that screen. It is asked for while the model
    /// thinks, so it costs no time.
    fn describe(&mut self, deadline: Deadline) -> impl Future<Output = ScreenDetails> + Send;

    /// Does what a model asks for, if it may. Places are those of the picture of the last look.
    fn act(&mut self, action: &AgentAction, deadline: Deadline) -> impl Future<Output = ToolResult> + Send;

    /// How long a person may take who is asked before an act.
    fn patience(&self) -> Duration {
        Duration::ZERO
    }

    /// The name of the journal of what is done to the phone, if there is one.
    fn journal(&self) -> Option<String> {
        None
    }
}

/// A screen, as a model sees it and as it is recorded.
#[derive(Clone, Debug, Default)]
pub struct TaskLook {
    pub app: String,
    /// What tells this screen from another.
    pub hash: String,
    pub size: [u32; 2],
    pub scaled: [u32; 2],
    pub picture: Option<ModelPicture>,
    pub elements: Vec<Element>,
    pub secure_windows: Vec<String>,
}

/// What else is recorded of a screen.
#[derive(Clone, Debug, Default)]
pub struct ScreenDetails {
    /// The tree as a dump, without what is in password fields.
    pub tree: Option<String>,
    /// Where the next text goes.
    pub focus: Focus,
}

/// Where typed text goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    /// Into a field that everybody may read, or nowhere.
    #[default]
    Open,
    Secret,
}

/// An element on the screen.
#[derive(Clone, Debug, Default)]
pub struct Element {
    pub id: String,
    pub text: String,
    pub desc: String,
    pub resource_id: String,
    pub class: String,
    pub clickable: bool,
    pub enabled: bool,
    /// Whether it is on, if it is something that can be on.
    pub checked: Option<bool>,
    /// The middle of it, in the picture.
    pub center: [i32; 2],
}

impl TaskLook {
    /// The screen, as a script needs it.
    pub fn sight(&self) -> ScriptScreen {
        let seen = |element: &Element| ScriptElement {
            text: element.text.clone(),
            desc: element.desc.clone(),
            id: element.resource_id.clone(),
            center: element.center.map(f64::from),
        };
        ScriptScreen {
            width: f64::from(self.scaled[0]),
            height: f64::from(self.scaled[1]),
            elements: self.elements.iter().map(seen).collect(),
        }
    }
}
