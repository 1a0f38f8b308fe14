//! The environment of a script: what it needs to run and to call us, and nothing
//! else of the caller's. Pure.

use super::agent::CHOSEN;
use super::{ScriptCall, ScriptSkill};
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The variables that a script inherits. Each is named: a pattern such as
/// `ANDROID_*` would also hand on the passwords of signing keys.
const INHERITED: &[&str] = &[
    // What programs need.
    "HOME",
    "HOSTNAME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LOGNAME",
    "PATH",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    // How adb and the Android tools are found.
    "ADB_PATH",
    "ADB_SERVER_SOCKET",
    "ADB_VENDOR_KEYS",
    "ANDROID_ADB_SERVER_ADDRESS",
    "ANDROID_ADB_SERVER_PORT",
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    "ANDROID_SERIAL",
    // How this program is set up.
    "CLAWPERATOR_HOME",
    "CLAWPERATOR_JOURNAL",
    "CLAWPERATOR_LOCK_DIR",
    "CLAWPERATOR_LOG_DIR",
    "CLAWPERATOR_LOG_LEVEL",
    "CLAWPERATOR_SIM_DIR",
    // It tells that a script calls; the new script gets its own.
    SKILL_ID,
    "CLAWPERATOR_SKILLS_REGISTRY",
    // What the harnesses of agents read.
    CHOSEN,
    "CLAWPERATOR_SKILL_DEBUG",
    "CLAWPERATOR_SKILL_LOG_DIR",
    "CLAWPERATOR_SKILL_RETAIN_LOGS",
];

/// What a script inherits of the caller's variables.
pub fn inherited(all: impl IntoIterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    let known = |name: &OsStr| INHERITED.iter().any(|inherited| name == *inherited);
    let mut kept: Vec<_> = all.into_iter().filter(|(name, _)| known(name)).collect();
    kept.sort();
    kept
}

/// The variable with which a script knows its skill. What a script calls has it, too.
const SKILL_ID: &str = "CLAWPERATOR_SKILL_ID";

/// What a script's environment is made of, besides the skill and the call.
#[derive(Clone, Debug)]
pub struct Variables {
    /// What is inherited; see [`inherited`].
    pub inherited: Vec<(OsString, OsString)>,
    pub program: PathBuf,
    pub operator_package: String,
    pub route: &'static str,
    pub lane: &'static str,
    pub session: String,
    pub registry: PathBuf,
    /// The id of the run, for the journals of what the script calls.
    pub run: Option<String>,
}

impl Variables {
    /// Whether the script of another skill calls.
    pub(super) fn is_nested(&self) -> bool {
        self.value(SKILL_ID).is_some()
    }

    pub(super) fn value(&self, name: &str) -> Option<&OsStr> {
        let found = self.inherited.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_os_str())
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.value(name)?.to_str()
    }
}

/// The variables of a script; `agent` is the agent's program.
pub(super) fn of_script(
    skill: &ScriptSkill<'_>,
    call: &ScriptCall<'_>,
    agent: Option<&Path>,
    limit: Duration,
) -> Vec<(OsString, OsString)> {
    let variables = &call.variables;
    let mut own: Vec<(&str, OsString)> = vec![
        ("CLAWPERATOR_BIN", quoted(&variables.program)),
        ("CLAWPERATOR_OPERATOR_PACKAGE", (&variables.operator_package).into()),
        ("CLAWPERATOR_ROUTE", variables.route.into()),
        ("CLAWPERATOR_LANE", variables.lane.into()),
        ("CLAWPERATOR_SESSION", (&variables.session).into()),
        ("CLAWPERATOR_SKILLS_REGISTRY", (&variables.registry).into()),
        (SKILL_ID, skill.id().into()),
        ("CLAWPERATOR_SKILL_INPUTS", inputs(call).into()),
    ];
    if let Some(device) = call.device {
        own.push(("CLAWPERATOR_DEVICE_ID", device.into()));
    }
    if let Some(run) = &variables.run {
        own.push(("CLAWPERATOR_SKILL_RUN", run.into()));
    }
    if let (Some(agent), Some(program)) = (&skill.agent, agent) {
        let skill_file = skill.root.path().join(skill.entry.skill_file());
        own.extend([
            (CHOSEN, agent.name(variables).into()),
            ("CLAWPERATOR_SKILL_AGENT_CLI_PATH", program.into()),
            ("CLAWPERATOR_SKILL_AGENT_TIMEOUT_MS", limit.as_millis().to_string().into()),
            ("CLAWPERATOR_SKILL_PROGRAM", skill_file.into()),
        ]);
    }
    let is_ours = |name: &OsStr| own.iter().any(|(own, _)| name == *own);
    let mut all: Vec<_> = variables.inherited.iter().filter(|(name, _)| !is_ours(name)).cloned().collect();
    all.extend(own.into_iter().map(|(name, value)| (name.into(), value)));
    all
}

/// The inputs as JSON: by name, or the arguments.
fn inputs(call: &ScriptCall<'_>) -> String {
    call.inputs.map_or_else(|| Value::from(call.arguments).to_string(), Value::to_string)
}

/// This program as scripts expect it: split at spaces, unless they are in quotes.
fn quoted(program: &Path) -> OsString {
    let mut quoted = OsString::new();
    let spaced = program.to_string_lossy().contains(' ');
    if spaced {
        quoted.push("\"");
    }
    quoted.push(program);
    if spaced {
        quoted.push("\"");
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::{RepoRoot, SkillEntry};
    use crate::script::Agent;
    use serde_json::json;
    use std::collections::BTreeMap;

    fn variables() -> Variables {
        let all = [
            ("PATH", "/bin"),
            ("HOME", "/home/u"),
            ("ANDROID_HOME", "/sdk"),
            ("ANDROID_KEYSTORE_PASSWORD", "hunter2"),
            ("AWS_SECRET_ACCESS_KEY", "hunter2"),
            ("OPENAI_API_KEY", "hunter2"),
            ("CLAWPERATOR_HOME", "/state"),
            ("CLAWPERATOR_SERVE_TOKEN", "hunter2"),
            ("CLAWPERATOR_BIN", "/old/bin"),
            ("CLAWPERATOR_DEVICE_ID", "another phone"),
            ("CLAWPERATOR_SKILL_RUN", "another run"),
            ("CLAWPERATOR_SKILLS_REGISTRY", "relative.json"),
            ("NODE_OPTIONS", "--require=/tmp/x.js"),
        ];
        let all = all.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        Variables {
            inherited: inherited(all),
            program: "/our bin/clawperator".into(),
            operator_package: "com.op".to_owned(),
            route: "host",
            lane: "auto",
            session: "cli.test".to_owned(),
            registry: "/r/skills/skills-registry.json".into(),
            run: Some("skill-1".to_owned()),
        }
    }

    fn of(device: Option<&str>, agent: Option<Agent>) -> BTreeMap<String, String> {
        let entry = json!({"id": "a.b", "path": "skills/a.b", "skillFile": "skills/a.b/SKILL.md"});
        let entry = SkillEntry::parse(entry.to_string().as_bytes()).unwrap();
        let root = RepoRoot::of_registry(Path::new("/skills-registry.json")).unwrap();
        let skill = ScriptSkill { entry: &entry, root: &root, agent, confinement: None };
        let arguments = ["x y".to_owned(), "--json".to_owned()];
        let call = ScriptCall {
            device,
            arguments: &arguments,
            inputs: None,
            timeout: None,
            expect: None,
            variables: variables(),
        };
        let all = of_script(&skill, &call, Some(Path::new("/bin/agent")), Duration::from_secs(9));
        let text = |value: OsString| value.into_string().unwrap();
        all.into_iter().map(|(name, value)| (text(name), text(value))).collect()
    }

    #[test]
    fn a_script_gets_what_it_needs_and_no_secret() {
        let all = of(None, None);
        let names: Vec<String> = all.keys().map(|name| name.replace("CLAWPERATOR_", "_")).collect();
        assert_eq!(
            names.join(" "),
            "ANDROID_HOME _BIN _HOME _LANE _OPERATOR_PACKAGE _ROUTE _SESSION _SKILLS_REGISTRY _SKILL_ID \
             _SKILL_INPUTS _SKILL_RUN HOME PATH"
        );
        assert!(!format!("{all:?}").contains("hunter2"));
        assert_eq!(all["CLAWPERATOR_BIN"], "\"/our bin/clawperator\"");
        assert_eq!(all["CLAWPERATOR_SKILL_INPUTS"], r#"["x y","--json"]"#);
        assert_eq!(all["CLAWPERATOR_SKILL_RUN"], "skill-1");
        assert_eq!(all["CLAWPERATOR_SKILLS_REGISTRY"], "/r/skills/skills-registry.json");
    }

    #[test]
    fn a_phone_and_an_agent_are_there_only_where_they_belong() {
        let agent = Agent { cli: "codex".to_owned(), cli_path: None, timeout: None };
        let all = of(Some("dev9"), Some(agent));
        assert_eq!(all["CLAWPERATOR_DEVICE_ID"], "dev9");
        assert_eq!(all["CLAWPERATOR_SKILL_AGENT_CLI"], "codex");
        assert_eq!(all["CLAWPERATOR_SKILL_AGENT_CLI_PATH"], "/bin/agent");
        assert_eq!(all["CLAWPERATOR_SKILL_AGENT_TIMEOUT_MS"], "9000");
        assert_eq!(all["CLAWPERATOR_SKILL_PROGRAM"], "/skills/a.b/SKILL.md");
        assert!(!of(None, None).contains_key("CLAWPERATOR_SKILL_PROGRAM"));
    }
}
