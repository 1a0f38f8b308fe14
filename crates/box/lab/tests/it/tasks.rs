//! The shipped tasks: what does them, and what does not.

use clawperator_lab::agent_eval::{EvalReport, Player, TasksFile, Which, run};
use std::path::Path;

fn tasks() -> TasksFile {
    let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../evals/tasks.yaml"));
    let tasks = TasksFile::read(file).unwrap();
    assert!(tasks.tasks.len() >= 30, "{}", tasks.tasks.len());
    tasks
}

fn shipped(which: Which) -> EvalReport {
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
