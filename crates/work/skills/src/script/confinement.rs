//! A script in the sandbox: what it may read, write and connect to.

use crate::process::{ProcessChannel, ProcessListener, ProcessResult, ProgramLaunch};
use clawperator_sandbox::{Job, Level, Limits, Network, Plan, Programs, Sandbox, SandboxError};
use std::ffi::OsString;
use std::path::PathBuf;
use std::pin::pin;
use tokio::sync::oneshot;

/// How a script is confined. It may always read its repository and this program.
#[derive(Clone, Debug)]
pub struct Confinement {
    pub sandbox: Sandbox,
    /// Whether it runs if the system lacks a part of the sandbox.
    pub level: Level,
    /// Files and folders that it may read besides.
    pub read: Vec<PathBuf>,
    pub write: Vec<PathBuf>,
    pub ports: Vec<u16>,
}

/// A script's confinement, and what is its own.
pub(super) struct ScriptConfinement<'i> {
    pub(super) confinement: &'i Confinement,
    pub(super) folder: PathBuf,
    pub(super) read: Vec<PathBuf>,
}

impl ScriptConfinement<'_> {
    /// Runs a program confined; see [`crate::process::run`].
    pub(super) async fn run(
        self,
        launch: ProgramLaunch,
        listen: &mut ProcessListener<'_>,
        stop: impl Future<Output = ()>,
    ) -> Result<ProcessResult, SandboxError> {
        let confinement = self.confinement;
        let variables = launch.variables.into_iter();
        let plan = Plan {
            program: launch.program.into(),
            arguments: launch.arguments,
            variables: variables.map(|(name, value)| with_own_scratch(name, value)).collect(),
            folder: self.folder,
            read: [self.read, confinement.read.clone()].concat(),
            write: confinement.write.clone(),
            network: Network::TcpPorts(confinement.ports.clone()),
            limits: Limits::default(),
            programs: Programs::All,
            level: confinement.level,
        };
        let (end, ended) = oneshot::channel::<()>();
        let job = Job {
            // What is kept of it is bounded.
            output_bytes: u64::MAX,
            stop: Box::pin(async move { drop(ended.await) }),
            ..Job::within(launch.limit)
        };
        let ran = {
            let mut running = pin!(confinement.sandbox.run(&plan, job, listen));
            tokio::select! {
                ran = &mut running => ran?,
                () = stop => {
                    drop(end);
                    running.await?
                }
            }
        };
        for missing in &ran.missing {
            let line = format!("[the script ran without a part of the sandbox: {missing}]\n");
            listen(ProcessChannel::Err, line.as_bytes());
        }
        Ok(ProcessResult { ending: ran.ending, took: ran.took, left_others: false })
    }
}

/// The caller's folder for temporary files is not there inside.
fn with_own_scratch(name: OsString, value: OsString) -> (OsString, OsString) {
    if name == "TMPDIR" { (name, "/tmp".into()) } else { (name, value) }
}
