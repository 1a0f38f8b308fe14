//! Files with tasks: what a model is asked to do, the phone it does it on, and
//! what must be so afterwards.

use crate::skill_test::{RawWorldFile, WorldFile, read_yaml};
use clawperator_agent::action::Capability;
use clawperator_agent::model::Script;
use clawperator_host::app_file;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The most bytes of such a file.
const MAX_FILE: usize = 4 << 20;
const MAX_TASKS: usize = 1000;
/// The most steps of a task that does not say.
const USUAL_STEPS: u32 = 25;

/// A file that was read and checked.
#[derive(Debug)]
pub struct TasksFile {
    pub tasks: Vec<EvalTask>,
}

/// A task.
#[derive(Debug)]
pub struct EvalTask {
    pub id: String,
    pub level: u8,
    pub task: String,
    pub world: WorldFile,
    /// What the last message must contain.
    pub says: Option<String>,
    /// What a person answers whom the model asks; without it the answer is no.
    pub human: Option<Human>,
    /// What a person allows if the policy asks; everything else is refused.
    pub approvals: Vec<Capability>,
    pub max_steps: u32,
    pub solution: Option<String>,
    /// A script that does what the screen says instead.
    pub trap: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFile {
    tasks: Vec<WrittenTask>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTask {
    id: String,
    level: u8,
    task: String,
    world: RawWorldFile,
    says: Option<String>,
    human: Option<Human>,
    #[serde(default)]
    approvals: Vec<Capability>,
    max_steps: Option<u32>,
    solution: Option<String>,
    trap: Option<String>,
}

/// What a person answers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
pub enum Human {
    Reject,
    Approve(PersonInput),
}

/// What a person gives.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum PersonInput {
    Text(String),
    /// The values of the fields that the model asks for, by their ids.
    Fields(BTreeMap<String, String>),
}

impl TasksFile {
    /// Reads a file, or says everything that is wrong with it.
    pub fn read(file: &Path) -> Result<Self, Vec<String>> {
        let shown = file.display().to_string();
        let text = app_file::read_text(file, MAX_FILE).map_err(|why| vec![format!("{shown}: it {why}")])?;
        let folder = file.parent().unwrap_or(file);
        let written: WrittenFile = read_yaml(&text, &shown)?;
        let mut problems = Vec::new();
        if written.tasks.len() > MAX_TASKS {
            problems.push(format!("{shown}: there are more than {MAX_TASKS} tasks"));
        }
        let mut tasks: Vec<EvalTask> = Vec::new();
        for task in written.tasks.into_iter().take(MAX_TASKS) {
            let shown = format!("{shown}: task {}", task.id);
            if tasks.iter().any(|other| other.id == task.id) {
                problems.push(format!("{shown}: there are two of this id"));
            }
            for (name, script) in [("solution", &task.solution), ("trap", &task.trap)] {
                let wrong = script.as_ref().and_then(|text| Script::parse(text).err());
                problems.extend(wrong.map(|why| format!("{shown}: {name}: {why}")));
            }
            match WorldFile::of(task.world, folder, &shown) {
                Ok(world) => tasks.push(EvalTask {
                    id: task.id,
                    level: task.level,
                    task: task.task,
                    world,
                    says: task.says,
                    human: task.human,
                    approvals: task.approvals,
                    max_steps: task.max_steps.unwrap_or(USUAL_STEPS),
                    solution: task.solution,
                    trap: task.trap,
                }),
                Err(wrong) => problems.extend(wrong),
            }
        }
        if problems.is_empty() { Ok(Self { tasks }) } else { Err(problems) }
    }
}
