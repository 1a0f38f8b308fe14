//! `agent eval`: which tasks a model does, as a table.

use super::model::ModelChoice;
use crate::args::Args;
use crate::flags::agent as flags;
use crate::people::aligned;
use crate::world::{Answer, World};
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_lab::agent_eval::{AttemptResult, EvalReport, ModelSettings, Player, TasksFile, Which, run};
use std::path::Path;

pub(super) fn eval(args: &Args, world: &World) -> Result<Answer, Failure> {
    let Some(file) = args.argument() else {
        let message = "name the file with the tasks, such as evals/tasks.yaml";
        return Err(Failure::new(ErrorCode::MissingArgument, message));
    };
    let player = player(args, world)?;
    let mut tasks = TasksFile::read(Path::new(file))
        .map_err(|problems| Failure::new(ErrorCode::AgentTasksInvalid, problems.join("\n")))?;
    if let Some(part) = args.value(&flags::ONLY)? {
        tasks.tasks.retain(|task| task.id.contains(part));
    }
    let report = run(&tasks, &player, args.jobs(&flags::EVAL_JOBS)?);
    Ok(Answer::json_or(&report, args, || for_people(&report)).succeeded(report.ok))
}

fn player(args: &Args, world: &World) -> Result<Player, Failure> {
    match args.value(&flags::SCRIPTS)? {
        Some("solution") => return Ok(Player::Scripts(Which::Solution)),
        Some("trap") => return Ok(Player::Scripts(Which::Trap)),
        Some(other) => {
            let message = format!("{other:?} is neither solution nor trap");
            return Err(args.usage(&flags::SCRIPTS, message));
        }
        None => {}
    }
    let chosen = ModelChoice::read(args, world.clock)?;
    let step_time = super::model::step_time(args)?;
    let Some(settings) = chosen.http else {
        let message = "a script is for one task; --scripts plays the tasks' own scripts";
        return Err(args.usage(&flags::MODEL, message));
    };
    Ok(Player::Server(Box::new(ModelSettings {
        settings,
        price: chosen.price,
        budget: chosen.budget,
        step_time,
    })))
}

fn for_people(report: &EvalReport) -> String {
    let row = |task: &AttemptResult| {
        vec![
            if task.success { "done" } else { "not done" }.to_owned(),
            task.id.clone(),
            format!("level {}", task.level),
            task.status.to_owned(),
            format!("{} steps", task.steps),
            format!("{} tokens", task.input_tokens + task.output_tokens),
            format!("{:.1} s", task.took_ms as f64 / 1000.0),
        ]
    };
    let rows: Vec<Vec<String>> = report.tasks.iter().map(row).collect();
    let mut out: String = aligned(&rows).into_iter().map(|line| format!("{line}\n")).collect();
    for task in report.tasks.iter().filter(|task| !task.problems.is_empty()) {
        out.push_str(&format!("\n{}:\n", task.id));
        for problem in &task.problems {
            out.push_str(&format!("  {}\n", text::visible(problem)));
        }
    }
    let dollars = report.dollars.map_or(String::new(), |dollars| format!(", {dollars:.4} dollars"));
    out.push_str(&format!(
        "\n{}: {} of {} done, {} steps, {} tokens read, {} written{dollars}\n",
        report.model, report.done, report.tried, report.steps, report.input_tokens, report.output_tokens
    ));
    out
}
