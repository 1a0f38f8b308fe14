//! Runs a script once, as a process, against a phone that listens on loopback. It runs on real
//! time. What the script's calls of this program keep is in a folder that goes with the run.

use super::expectation::{OutcomeError, TestOutcome};
use super::phone::TestPhone;
use super::recipe_run::refusal_outcome;
use super::stage::{Stage, TestJob};
use crate::temp_folder::TempFolder;
use clawperator_contract::Failure;
use clawperator_phone::PackageName;
use clawperator_sim::{Welcome, serve};
use clawperator_skills::script::{self, ScriptCall, ScriptResult, ScriptSkill, Variables};
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::net::TcpListener;

/// What a script needs of the computer.
#[derive(Clone, Debug)]
pub struct ScriptHost {
    pub program: PathBuf,
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
    let state = TempFolder::new("skill-test");
    std::fs::create_dir(&state.0).map_err(|error| format!("no folder for the run: {error}"))?;
    let inputs: Map<String, Value> = world.inputs.clone().into_iter().collect();
    let inputs = (!inputs.is_empty()).then_some(Value::Object(inputs));
    let call = ScriptCall {
        device: Some(&address),
        arguments: &world.arguments,
        inputs: inputs.as_ref(),
        timeout: None,
        expect: None,
        variables: Variables {
            inherited: variables(&state.0, host),
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
        script::run(&skill, &call, &mut |_, _| (), Box::pin(never)).await
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
    TestOutcome { outputs: outputs.into_iter().collect(), ..TestOutcome::default() }
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

/// What the script inherits, with this folder in the place of the user's: there the
/// calls of this program in a script keep what they keep.
fn variables(folder: &Path, host: &ScriptHost) -> Vec<(OsString, OsString)> {
    let own = [
        ("CLAWPERATOR_HOME", folder.to_owned()),
        ("CLAWPERATOR_LOCK_DIR", folder.join("locks")),
        ("CLAWPERATOR_LOG_DIR", folder.join("logs")),
    ];
    let replaced = |name: &OsString| own.iter().any(|(known, _)| name == known);
    let kept = host.inherited.iter().filter(|(name, _)| !replaced(name)).cloned();
    let own = own.iter().map(|(name, path)| ((*name).into(), path.into()));
    kept.chain(own).collect()
}
