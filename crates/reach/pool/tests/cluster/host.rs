//! A host's process: a worker with an engine of its own, which reaches phones by address.

use clawperator_adb::{Device, DeviceEntry, HostIdentity};
use clawperator_contract::{ErrorCode, Failure, LaneWish};
use clawperator_engine::{Discovery, Engine, EngineLog, EngineSettings, IDLE_LIMIT, Ids};
use clawperator_events::Clock;
use clawperator_phone::{Deadline, Phone};
use clawperator_pool::access::{Connecting, PoolAccess, PoolConnections, connect};
use clawperator_pool::{Name, Roster, RosterPhone, Worker, WorkerSettings};
use futures_core::future::BoxFuture;
use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long a phone may take to take a connection.
const PROBE: Duration = Duration::from_secs(2);
/// The copies of every bucket.
pub(crate) const COPIES: u8 = 3;

/// What a host is started with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct HostSetup {
    pub(crate) host: String,
    pub(crate) folder: PathBuf,
    pub(crate) pool: String,
    pub(crate) phones: Vec<HostPhone>,
    /// Whether its phones are asked whether they are there.
    pub(crate) probes: bool,
}

/// A phone of a host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct HostPhone {
    pub(crate) address: String,
    pub(crate) classes: Vec<String>,
    pub(crate) hardware: Option<String>,
}

/// Reads the pool's address, for three nodes.
pub(crate) async fn connect_to(pool: &str) -> Result<PoolConnections, Failure> {
    connect(&PoolAccess { replicas: COPIES, ..PoolAccess::read(pool)? }, Connecting::Caller).await
}

/// The process: `worker FILE`.
pub(crate) async fn run(file: &Path) {
    let setup: HostSetup = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    // When the test is gone, the input ends, and so does this.
    std::thread::spawn(|| {
        let _ = std::io::stdin().read(&mut [0]);
        std::process::exit(0);
    });
    let log = log(&setup);
    let connected = match connect_to(&setup.pool).await {
        Ok(connected) => connected,
        Err(failure) => return log.write_line(&format!("it does not begin: {}", failure.message)),
    };
    let worker = worker(&setup, connected, log.clone());
    if let Err(failure) = worker.run(Box::pin(std::future::pending())).await {
        log.write_line(&format!("it ends: {}", failure.message));
    }
}

fn worker(setup: &HostSetup, connected: PoolConnections, log: HostLog) -> Worker {
    let PoolConnections { pool, tenants, .. } = connected;
    let name = |text: &str| text.parse::<Name>().unwrap();
    let roster = setup.phones.iter().map(|phone| RosterPhone {
        serial: phone.address.clone(),
        model: None,
        android: None,
        classes: phone.classes.iter().map(|class| name(class)).collect(),
        hardware: phone.hardware.clone(),
    });
    Worker::new(WorkerSettings {
        host: name(&setup.host),
        machine: format!("machine of {}", setup.host),
        instance: format!("{:016x}", random()),
        version: "0.0.0",
        pool: pool.unwrap(),
        tenants,
        engine: engine(&setup.folder),
        roster: Arc::new(ProbedRoster { phones: roster.collect(), probes: setup.probes }),
        seal: None,
        judge: |_| Err("no rules are sent here".to_owned()),
        journals: setup.folder.join("state/journal"),
        log: Arc::new(move |line| log.write_line(line)),
    })
}

fn engine(folder: &Path) -> Engine {
    let now = || u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap();
    Engine::new(EngineSettings {
        lane: LaneWish::Auto,
        discovery: Arc::new(Addresses),
        // Two hosts that reach a phone are two computers: their locks are not the same.
        locks: folder.join("locks"),
        state: folder.join("state"),
        pictures: folder.to_owned(),
        idle: Some(IDLE_LIMIT),
        recordings: None,
        clock: Arc::new(Clock::new(now)),
        ids: Ids::new(random),
        log: EngineLog::new(|_| ()),
        version: "0.0.0",
    })
}

/// A number that no other process has.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A file of lines with times.
#[derive(Clone)]
struct HostLog(Arc<Mutex<std::fs::File>>);

fn log(setup: &HostSetup) -> HostLog {
    let path = setup.folder.with_extension("log");
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    HostLog(Arc::new(Mutex::new(file)))
}

impl HostLog {
    fn write_line(&self, line: &str) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
        // A test that cannot log goes on.
        let _ = writeln!(self.0.lock().unwrap(), "{now} {line}");
    }
}

/// The phones that take connections.
#[derive(Debug)]
struct ProbedRoster {
    phones: Vec<RosterPhone>,
    probes: bool,
}

impl Roster for ProbedRoster {
    fn phones(&self) -> BoxFuture<'_, Result<Vec<RosterPhone>, Failure>> {
        Box::pin(async move {
            let probe = async |phone: &RosterPhone| {
                let answers = timeout(PROBE, TcpStream::connect(&phone.serial)).await;
                let is_there = !self.probes || matches!(answers, Ok(Ok(_)));
                is_there.then(|| phone.clone())
            };
            Ok(join_all(self.phones.iter().map(probe)).await.into_iter().flatten().collect())
        })
    }
}

/// Phones at addresses.
#[derive(Debug)]
struct Addresses;

impl Discovery for Addresses {
    fn find<'d>(&'d self, name: &'d str) -> BoxFuture<'d, Result<String, Failure>> {
        Box::pin(async move { Ok(name.to_owned()) })
    }

    fn connect<'d>(
        &'d self,
        wanted: Option<&'d str>,
        deadline: Deadline,
    ) -> BoxFuture<'d, Result<Phone, Failure>> {
        Box::pin(async move {
            let address = wanted.unwrap_or_default();
            let (banner, name) = ("host::features=shell_v2".to_owned(), "me@here".to_owned());
            let device = Device::connect(address, &HostIdentity { banner, key: None, name }, deadline).await;
            let device = device.map_err(|error| Failure::of(ErrorCode::DeviceOffline, error.to_string()))?;
            Ok(Phone::new(device, address))
        })
    }

    fn list(&self, _: Deadline) -> BoxFuture<'_, Result<Vec<DeviceEntry>, Failure>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}
