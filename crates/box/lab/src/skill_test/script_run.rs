//! Runs a script once, as a process, against a phone that listens on loopback.
//! It runs on real time. What the script's calls of this program keep is in a
//! folder that goes with the run.

use super::expectation::{OutcomeError, SkillStatus, TestOutcome};
use super::phone::TestPhone;
use super::recipe_run::refusal_outcome;
use super::stage::{Stage, TestJob};
use clawperator_contract::Failure;
use clawperator_phone::PackageName;
use clawperator_sim::{Welcome, serve};
use clawperator_skills::script::{self, ScriptCall, ScriptResult, ScriptSkill, Variables};
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::net::TcpListener;

/// What a script needs of the computer.
#[derive(Clone, Debug)]
pub struct ScriptHost {
    pub program: PathBuf,
    /// The variables that a script inherits.
    pub inherited: Vec<(OsString, OsString)>,
}

/// Serves the phone on loopback until the runtime ends; its address.
async fn listen(phone: &TestPhone) -> std::io::Result<String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?.to_string();
    let welcome = Welcome::clone(&phone.welcome);
    tokio::spawn(serve(Arc::clone(&phone.handset), listener, welcome));
    Ok(address)
}

/// Runs a script: what came of it.
pub(super) async fn run(stage: &Stage<'_>, phone: &TestPhone) -> Result<TestOutcome, String> {
    let (TestJob { repo, subject, .. }, host, world) = (stage.job, &stage.options.host, &stage.world);
    let address = listen(phone).await;
    let address = address.map_err(|error| format!("the phone cannot listen: {error}"))?;
    let state = StateFolder::new().map_err(|error| format!("no folder for the run: {error}"))?;
    let inputs: Map<String, Value> = world.inputs.clone().into_iter().collect();
    let inputs = (!inputs.is_empty()).then_some(Value::Object(inputs));
    let call = ScriptCall {
        device: Some(&address),
        arguments: &world.arguments,
        inputs: inputs.as_ref(),
        timeout: None,
        expect: None,
        variables: Variables {
            inherited: state.variables(host),
            program: host.program.clone(),
            operator_package: PackageName::usual_operator().to_string(),
            route: "host",
            lane: "auto",
            session: "cli.test".to_owned(),
            registry: repo.registry_path.clone(),
            run: None,
        },
    };
    let ran = async {
        let skill = ScriptSkill::of(repo, repo.skill(&subject.id)?)?;
        let never = std::future::pending();
        script::run(&skill, &call, &mut |_, _| (), never).await
    };
    let ran: Result<ScriptResult, Failure> = Box::pin(ran).await;
    Ok(match ran {
        Ok(result) => script_outcome(result),
        Err(failure) => not_done(&failure),
    })
}

/// The outputs are those of the result frame.
fn script_outcome(result: ScriptResult) -> TestOutcome {
    let frame = result.skill_result.unwrap_or_default();
    let outputs = frame["outputs"].as_object().cloned().unwrap_or_default();
    TestOutcome {
        status: SkillStatus::Success,
        error: None,
        outputs: outputs.into_iter().collect(),
        phone: Vec::new(),
    }
}

/// A script that failed, with what it said last.
fn not_done(failure: &Failure) -> TestOutcome {
    let mut outcome = refusal_outcome(failure);
    let said = failure.skill.as_ref().and_then(|skill| skill.stderr.as_deref());
    let last = said.and_then(|said| said.lines().rfind(|line| !line.trim().is_empty()));
    if let (Some(OutcomeError { message, .. }), Some(last)) = (&mut outcome.error, last) {
        message.push_str(&format!("; it said last: {last}"));
    }
    outcome
}

/// Where the calls of this program in a script keep what they keep. It is
/// removed after the run.
struct StateFolder(PathBuf);

impl StateFolder {
    fn new() -> std::io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("clawperator-skill-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path)?;
        Ok(Self(path))
    }

    /// What the script inherits, with this folder in the place of the user's.
    fn variables(&self, host: &ScriptHost) -> Vec<(OsString, OsString)> {
        let own = [
            ("CLAWPERATOR_HOME", self.0.clone()),
            ("CLAWPERATOR_LOCK_DIR", self.0.join("locks")),
            ("CLAWPERATOR_LOG_DIR", self.0.join("logs")),
        ];
        let replaced = |name: &OsString| own.iter().any(|(known, _)| name == known);
        let kept = host.inherited.iter().filter(|(name, _)| !replaced(name)).cloned();
        let own = own.iter().map(|(name, path)| ((*name).into(), path.into()));
        kept.chain(own).collect()
    }
}

impl Drop for StateFolder {
    fn drop(&mut self) {
        // What stays behind is in the folder of temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
