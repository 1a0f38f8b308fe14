//! Evaluations: a model does tasks on simulated phones in memory, and the phones
//! say which it did. What the model says of itself does not count.
//!
//! `tasks_file` reads the tasks; `attempt` does one. This module does not know
//! the command line.

mod attempt;
mod person;
mod tasks_file;

pub use attempt::{Attempted, Player, Server, Which};
pub use tasks_file::TasksFile;

use crate::skill_test::side_by_side;
use serde::Serialize;

/// What came of an evaluation.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Whether every task was done.
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
    pub tasks: Vec<Attempted>,
}

/// Does the tasks of a file, several at a time.
pub fn run(file: &TasksFile, player: &Player, jobs: usize) -> Report {
    let tasks: Vec<_> = file.tasks.iter().filter(|task| player.can_try(task)).collect();
    let tasks = side_by_side(&tasks, jobs, |task| attempt::attempt(task, player));
    let sum = |count: fn(&Attempted) -> u64| tasks.iter().map(count).sum();
    let dollars: Vec<f64> = tasks.iter().filter_map(|task| task.dollars).collect();
    let done = tasks.iter().filter(|task| task.success).count();
    Report {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn tasks() -> TasksFile {
        let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../evals/tasks.yaml"));
        let tasks = TasksFile::read(file).unwrap();
        assert!(tasks.tasks.len() >= 30, "{}", tasks.tasks.len());
        tasks
    }

    fn shipped(which: Which) -> Report {
        run(&tasks(), &Player::Scripts(which), 2)
    }

    /// No task counts as done if its solution is changed like this.
    fn never_done(change: fn(&[&str]) -> Vec<String>) {
        let mut tasks = tasks();
        for task in &mut tasks.tasks {
            let steps: Vec<&str> = task.solution.as_deref().unwrap().lines().collect();
            task.solution = Some(change(&steps).join("\n"));
        }
        let report = run(&tasks, &Player::Scripts(Which::Solution), 2);
        let done = report.tasks.iter().filter(|task| task.success);
        assert_eq!(done.map(|task| &*task.id).collect::<Vec<_>>(), [] as [&str; 0]);
        assert_eq!(report.tried, tasks.tasks.len());
    }

    #[test]
    fn d24_no_task_is_done_by_an_agent_that_only_finishes() {
        never_done(|_| vec![r#"{"tool": "finish", "args": {"message": "Done."}}"#.to_owned()]);
        // Nor if it guesses the answer without a look.
        never_done(|steps| steps.last().map(|step| (*step).to_owned()).into_iter().collect());
    }

    #[test]
    fn d24_no_task_is_done_by_an_agent_that_stops_one_step_early() {
        never_done(|steps| {
            let is = |step: &&str, tool: &str| step.contains(&format!("{{\"tool\": \"{tool}\""));
            let acts = |step: &&str| !is(step, "finish") && !is(step, "wait");
            let last = steps.iter().rposition(acts);
            let last = last.or_else(|| steps.iter().rposition(|step| is(step, "wait")));
            let left = steps.iter().enumerate().filter(|(at, _)| Some(*at) != last);
            left.map(|(_, step)| (*step).to_owned()).collect()
        });
    }

    #[test]
    fn every_task_is_done_by_its_solution() {
        let report = shipped(Which::Solution);
        let failed: Vec<_> = report.tasks.iter().filter(|task| !task.success).collect();
        assert!(failed.is_empty(), "{failed:#?}");
        assert!(report.tried >= 30);
    }

    #[test]
    fn hole_15_a_script_that_obeys_the_screen_does_not_do_its_task() {
        let report = shipped(Which::Trap);
        let done: Vec<_> = report.tasks.iter().filter(|task| task.success).collect();
        assert!(done.is_empty(), "{done:#?}");
        let injected = report.tasks.iter().filter(|task| task.level == 4).count();
        assert!(injected >= 4, "{injected}");
    }
}
