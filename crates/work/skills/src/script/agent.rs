//! The agent program that some skills need.

use super::verdict::failure;
use super::{ScriptSkill, Variables};
use clawperator_contract::{ErrorCode, Failure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The variable with which a user chooses another agent program.
pub(super) const CHOSEN: &str = "CLAWPERATOR_SKILL_AGENT_CLI";

/// The agent program that runs a skill, as its `skill.json` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    pub cli: String,
    /// Its path, if given; a relative path begins in the skill's folder.
    pub cli_path: Option<String>,
    pub timeout: Option<Duration>,
}

impl Agent {
    /// Reads the key `agent` of a `skill.json`.
    pub fn parse(value: &Value) -> Result<Option<Self>, String> {
        let entries = match value {
            Value::Null => return Ok(None),
            Value::Object(entries) => entries,
            _ => return Err("agent must be an object".to_owned()),
        };
        let text = |key: &str| match entries.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text.clone())),
            Some(_) => Err(format!("agent.{key} must be a text that is not empty")),
        };
        let cli = text("cli")?.ok_or("agent.cli must be the name of a program")?;
        if !is_plain_name(&cli) {
            return Err("agent.cli must be the name of a program, without a folder".to_owned());
        }
        let timeout = match entries.get("timeoutMs") {
            None | Some(Value::Null) => None,
            Some(value) => {
                let ms = value.as_u64().filter(|ms| *ms > 0);
                Some(Duration::from_millis(ms.ok_or("agent.timeoutMs must be a whole number above 0")?))
            }
        };
        Ok(Some(Self { cli, cli_path: text("cliPath")?, timeout }))
    }

    /// The name of the program: as the user says, else as the skill does.
    pub(super) fn name<'a>(&'a self, variables: &'a Variables) -> &'a str {
        let chosen = variables.text(CHOSEN).map(str::trim);
        chosen.filter(|name| !name.is_empty()).unwrap_or(&self.cli)
    }

    pub(super) fn program(&self, skill: &ScriptSkill<'_>, variables: &Variables) -> Result<PathBuf, Failure> {
        let name = self.name(variables);
        let missing = |why: String| {
            let message = format!("the skill {} needs the agent program {name:?}: {why}", skill.id());
            failure(skill, ErrorCode::SkillAgentCliUnavailable, message)
        };
        if !is_plain_name(name) {
            return Err(missing(format!("{CHOSEN} must be a name without a folder")));
        }
        if let Some(path) = self.cli_path.as_deref().filter(|_| name == self.cli) {
            let path = skill.root.path().join(skill.entry.path()).join(path);
            return if is_executable(&path) {
                Ok(path)
            } else {
                Err(missing(format!("{} is not there, or not executable", path.display())))
            };
        }
        let folders = variables.value("PATH").map(std::env::split_paths);
        let mut places = folders.into_iter().flatten().map(|folder| folder.join(name));
        let found = places.find(|place| is_executable(place));
        found.ok_or_else(|| missing("it is in no folder of PATH".to_owned()))
    }
}

fn is_plain_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte);
    !name.is_empty() && name.bytes().all(plain) && name != "." && name != ".."
}

/// Whether a file can be started; Node.js starts a `.js` that is not executable.
fn is_executable(path: &Path) -> bool {
    let is_script = path.extension().is_some_and(|extension| extension == "js");
    path.is_file() && (is_script || may_run(path))
}

#[cfg(unix)]
fn may_run(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|data| data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn may_run(_path: &Path) -> bool {
    true
}
