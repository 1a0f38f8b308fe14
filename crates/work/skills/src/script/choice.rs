//! Which script of a skill runs, with which arguments, and for how long. It
//! looks whether the file is there, and is pure otherwise.

use super::limits::{MOST_TIME, USUAL_TIME};
use super::verdict::failure;
use super::{ScriptCall, ScriptSkill};
use clawperator_contract::{ErrorCode, Failure};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The program that runs `.js` files.
const NODE: &str = "node";

#[derive(Debug)]
pub(super) struct SkillScript {
    pub(super) path: PathBuf,
}

impl SkillScript {
    pub(super) fn is_for_node(&self) -> bool {
        has_extension(&self.path, "js")
    }

    /// What is started: Node.js, or the script itself.
    pub(super) fn program(&self) -> &Path {
        if self.is_for_node() { Path::new(NODE) } else { &self.path }
    }

    /// What the program gets. An agent finds the phone in its environment.
    pub(super) fn arguments(&self, skill: &ScriptSkill<'_>, call: &ScriptCall<'_>) -> Vec<OsString> {
        let own = self.is_for_node().then(|| self.path.as_os_str().to_owned());
        let device = call.device.filter(|_| skill.agent.is_none());
        let given = device.into_iter().chain(call.arguments.iter().map(String::as_str));
        own.into_iter().chain(given.map(OsString::from)).collect()
    }
}

/// The script that runs: the first `.js`, else the first `.sh`, else the first.
pub(super) fn script(skill: &ScriptSkill<'_>) -> Result<SkillScript, Failure> {
    let missing = |message: String| failure(skill, ErrorCode::SkillScriptNotFound, message);
    let scripts = skill.entry.scripts().unwrap_or_default();
    let Some(chosen) = pick_script(&scripts, skill.agent.is_some()) else {
        return Err(missing(format!("the skill {} has no script to run", skill.id())));
    };
    let path = skill.root.file(chosen).map_err(|fault| {
        missing(format!("cannot run the script {chosen} of the skill {}: {fault}", skill.id()))
    })?;
    Ok(SkillScript { path })
}

fn pick_script<'s>(scripts: &[&'s str], has_agent: bool) -> Option<&'s str> {
    let first = |fits: &dyn Fn(&Path) -> bool| scripts.iter().copied().find(|script| fits(Path::new(script)));
    // What starts an agent has this name; other files may only help it.
    let harness = has_agent.then(|| first(&|script| script.ends_with("scripts/run.js")));
    harness
        .flatten()
        .or_else(|| first(&|script| has_extension(script, "js")))
        .or_else(|| first(&|script| has_extension(script, "sh")))
        .or_else(|| scripts.first().copied())
}

pub(super) fn limit(skill: &ScriptSkill<'_>, call: &ScriptCall<'_>) -> Duration {
    let own = skill.agent.as_ref().and_then(|agent| agent.timeout);
    call.timeout.or(own).unwrap_or(USUAL_TIME).min(MOST_TIME)
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_script_of_the_best_kind_is_chosen() {
        for (scripts, has_agent, expected) in [
            (&["a/x.py", "a/y.sh", "a/z.js", "a/w.js"][..], false, Some("a/z.js")),
            (&["a/x.py", "a/y.sh", "a/z.sh"], false, Some("a/y.sh")),
            (&["a/x.py", "a/y.rb"], false, Some("a/x.py")),
            (&[], false, None),
            (&["a/scripts/help.js", "a/scripts/run.js"], false, Some("a/scripts/help.js")),
            (&["a/scripts/help.js", "a/scripts/run.js"], true, Some("a/scripts/run.js")),
            (&["a/scripts/run.sh"], true, Some("a/scripts/run.sh")),
        ] {
            assert_eq!(pick_script(scripts, has_agent), expected, "{scripts:?}");
        }
    }
}
