//! Runs of skills: a script in a process of its own, with a journal that its executions name.

use crate::engine::Engine;
use crate::request::Journal;
use clawperator_contract::Failure;
use clawperator_journal::{JournalFolder, SkillLog, SkillLogSetup, SkillOutcome};
use clawperator_redact::Secrets;
use clawperator_skills::script::{self, ProcessChannel, ScriptCall, ScriptResult, ScriptSkill};
use futures_core::future::BoxFuture;
use serde_json::Value;

/// A script to run.
#[derive(Debug)]
pub struct ScriptRequest<'s> {
    pub skill: ScriptSkill<'s>,
    /// What the caller wants of it. The engine names the run.
    pub call: ScriptCall<'s>,
    pub journal: Journal,
}

/// A script that ran.
#[derive(Debug)]
pub struct ScriptRan {
    pub result: Result<ScriptResult, Failure>,
    pub journal_problem: Option<String>,
}

impl Engine {
    /// Runs the script of a skill to its end; `live` gets its output as it
    /// comes, and `stop` ends it early.
    pub fn run_script<'f>(
        &'f self,
        request: ScriptRequest<'f>,
        live: &'f mut (dyn FnMut(ProcessChannel, &[u8]) + Send),
        stop: BoxFuture<'f, ()>,
    ) -> BoxFuture<'f, ScriptRan> {
        Box::pin(async move {
            let ScriptRequest { skill, mut call, journal } = request;
            let mut log = None;
            if let Journal::On(_) = journal {
                let run = self.new_skill_run();
                log = Some(self.skill_log(&skill, &call, &run));
                call.variables.run = Some(run);
            }
            let result = script::run(&skill, &call, live, Box::pin(stop)).await;
            if let Some(log) = &mut log {
                finish(log, &result);
            }
            ScriptRan { result, journal_problem: log.and_then(|log| log.problem().map(str::to_owned)) }
        })
    }

    fn new_skill_run(&self) -> String {
        let settings = &self.0.settings;
        let (now_ms, random) = (settings.clock.now_ms(), settings.ids.next());
        format!("skill-{now_ms}-{:08x}", random & 0xffff_ffff)
    }

    fn skill_log(&self, skill: &ScriptSkill<'_>, call: &ScriptCall<'_>, run: &str) -> SkillLog {
        let settings = &self.0.settings;
        SkillLog::begin(SkillLogSetup {
            folder: &JournalFolder::new(settings.state.join("journal")),
            version: settings.version,
            skill_run: run,
            skill_id: skill.id(),
            device: call.device,
            now_ms: settings.clock.now_ms(),
            secrets: call_secrets(call),
        })
    }
}

/// What a skill was given, which is nobody else's business.
fn call_secrets(call: &ScriptCall<'_>) -> Secrets {
    let mut secrets = Secrets::default();
    call.arguments.iter().for_each(|argument| secrets.add(argument));
    if let Some(Value::Object(inputs)) = call.inputs {
        for value in inputs.values() {
            match value {
                Value::String(text) => secrets.add(text),
                other => secrets.add(&other.to_string()),
            }
        }
    }
    secrets
}

fn finish(log: &mut SkillLog, result: &Result<ScriptResult, Failure>) {
    let said = match result {
        Ok(result) => result.skill_result.as_ref(),
        Err(failure) => failure.skill.as_ref().and_then(|skill| skill.skill_result.as_ref()),
    };
    for checkpoint in script::checkpoints(said) {
        log.checkpoint(&checkpoint.id, checkpoint.status.word(), checkpoint.note.as_deref());
    }
    log.end(match result {
        Ok(_) => SkillOutcome::Success,
        Err(failure) => SkillOutcome::Failed { code: failure.code.name(), message: &failure.message },
    });
}
