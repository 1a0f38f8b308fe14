//! Evaluations: a model does tasks on simulated phones in memory, and the phones
//! say which it did. What the model says of itself does not count.
//!
//! `tasks_file` reads the tasks; `attempt` does one. This module does not know the command line.

mod attempt;
mod person;
mod tasks_file;

pub use attempt::{AttemptResult, ModelSettings, Player, Which};
pub use tasks_file::TasksFile;

use crate::skill_test::side_by_side;
use serde::Serialize;

/// What came of an evaluation.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EvalReport {
    pub ok: bool,
    pub model: String,
    pub done: usize,
    pub tried: usize,
    /// What all of them cost, and how long they took.
    pub steps: u32,
    pub input_tokens: u64,
    pub output_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dollars: Option<f64>,
    /// The tasks, in the order of their file.
    pub tasks: Vec<AttemptResult>,
}

/// Does the tasks of a file, several at a time.
pub fn run(file: &TasksFile, player: &Player, jobs: usize) -> EvalReport {
    let tasks: Vec<_> = file.tasks.iter().filter(|task| player.can_try(task)).collect();
    let tasks = side_by_side(&tasks, jobs, |task| attempt::attempt(task, player));
    let sum = |count: fn(&AttemptResult) -> u64| tasks.iter().map(count).sum();
    let dollars: Vec<f64> = tasks.iter().filter_map(|task| task.dollars).collect();
    let done = tasks.iter().filter(|task| task.success).count();
    EvalReport {
        ok: done == tasks.len(),
        model: player.name(),
        done,
        tried: tasks.len(),
        steps: tasks.iter().map(|task| task.steps).sum(),
        input_tokens: sum(|task| task.input_tokens),
        output_tokens: sum(|task| task.output_tokens),
        dollars: (!dollars.is_empty()).then(|| dollars.iter().sum()),
        tasks,
    }
}
