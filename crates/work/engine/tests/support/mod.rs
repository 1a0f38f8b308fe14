//! Simulated phones over links in memory, and an engine for them.

use clawperator_adb::{AdbError, Connection, Device, DeviceEntry, DeviceState, HostIdentity};
use clawperator_contract::{CheckedExecution, ErrorCode, Failure, LaneWish, accept};
use clawperator_engine::{Discovery, Engine, EngineLog, EngineSettings, Ids, Outcome, Request};
use clawperator_events::Clock;
use clawperator_phone::{Deadline, Phone};
use clawperator_sim::{Handset, HostKeys, Latency, Setup, Welcome, serve_host};
use futures_core::future::BoxFuture;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// How many bytes are under way between host and phone.
const PIPE: usize = 64 << 10;

/// Where names or addresses lead.
#[derive(Default)]
pub(crate) struct Leads(std::sync::Mutex<BTreeMap<String, String>>);

impl Leads {
    pub(crate) fn set(&self, name: &str, serial: &str) {
        self.0.lock().unwrap().insert(name.to_owned(), serial.to_owned());
    }

    fn get(&self, name: &str) -> String {
        let found = self.0.lock().unwrap().get(name).cloned();
        found.unwrap_or_else(|| name.to_owned())
    }
}

/// Simulated phones in memory.
#[derive(Default)]
pub(crate) struct Phones {
    handsets: BTreeMap<String, Arc<Handset>>,
    /// The serials of names, which are looked up for each request.
    pub(crate) names: Leads,
    /// The serials of addresses, which are known after connecting.
    pub(crate) addresses: Leads,
    /// Where phones are reached that are behind something else.
    pub(crate) behind: Leads,
    /// How many connections were made.
    pub(crate) connections: AtomicUsize,
    /// Whether no host reaches them any more.
    pub(crate) is_away: std::sync::atomic::AtomicBool,
    /// The links, to cut them.
    links: std::sync::Mutex<Vec<tokio::task::JoinHandle<()>>>,
}

impl std::fmt::Debug for Phones {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Phones")
    }
}

impl Phones {
    pub(crate) fn new(names: impl IntoIterator<Item = String>) -> Arc<Self> {
        let handsets = names.into_iter().map(|name| {
            let setup = Setup {
                serial: name.clone(),
                // A phone is as slow as its name says.
                latency: Latency::from_word(&name).unwrap_or_default(),
                ..Setup::default()
            };
            (name, Handset::new(setup))
        });
        Arc::new(Self { handsets: handsets.collect(), ..Self::default() })
    }

    /// One of these phones, over links of its own.
    #[allow(dead_code, reason = "the tests of the pool use it")]
    pub(crate) fn clone_of(phones: &Self, name: &str) -> Arc<Self> {
        let handsets = BTreeMap::from([(name.to_owned(), phones.handset(name).clone())]);
        Arc::new(Self { handsets, ..Self::default() })
    }

    /// Cuts every connection, and lets no other be made.
    #[allow(dead_code, reason = "the tests of the pool use it")]
    pub(crate) fn go_away(&self) {
        self.is_away.store(true, Ordering::Relaxed);
        self.cut();
    }

    /// A phone.
    pub(crate) fn handset(&self, name: &str) -> &Arc<Handset> {
        &self.handsets[name]
    }

    /// Cuts every connection that there is.
    pub(crate) fn cut(&self) {
        for link in self.links.lock().unwrap().drain(..) {
            link.abort();
        }
    }

    /// What the hosts asked of a phone so far.
    pub(crate) fn asked(&self, name: &str) -> Vec<String> {
        let asked = self.handset(name).service_calls();
        asked.into_iter().map(|asked| asked.service).collect()
    }

    /// A new connection to a phone.
    pub(crate) async fn link(&self, name: &str, deadline: Deadline) -> Result<Device, Failure> {
        let handset = self.handset(name);
        if self.is_away.load(Ordering::Relaxed) {
            return Err(Failure::of(ErrorCode::DeviceOffline, "the phone is away"));
        }
        self.connections.fetch_add(1, Ordering::Relaxed);
        let host = HostIdentity {
            banner: "host::features=shell_v2".to_owned(),
            key: None,
            name: "me@here".to_owned(),
        };
        let offline = |error: AdbError| Failure::of(ErrorCode::DeviceOffline, error.to_string());
        let behind = self.behind.get(name);
        if behind != name {
            return Device::connect(&behind, &host, deadline).await.map_err(offline);
        }
        let (ours, its) = tokio::io::duplex(PIPE);
        let (reader, writer) = tokio::io::split(its);
        let welcome = Welcome { keys: HostKeys::NotAsked, ..Welcome::default() };
        let serving = serve_host(handset.clone(), reader, writer, Arc::new(welcome));
        self.links.lock().unwrap().push(tokio::spawn(async move {
            serving.await;
        }));
        let (reader, writer) = tokio::io::split(ours);
        let connecting = Connection::to_device(reader, writer, &host);
        let connection = deadline.run("connecting", connecting).await.map_err(offline)?;
        Ok(Device::Direct(Arc::new(connection)))
    }
}

impl Discovery for Phones {
    fn find<'d>(&'d self, name: &'d str) -> BoxFuture<'d, Result<String, Failure>> {
        Box::pin(async move { Ok(self.names.get(name)) })
    }

    fn connect<'d>(
        &'d self,
        wanted: Option<&'d str>,
        deadline: Deadline,
    ) -> BoxFuture<'d, Result<Phone, Failure>> {
        Box::pin(async move {
            let found = match wanted {
                Some(name) => {
                    let serial = self.addresses.get(&self.names.get(name));
                    self.handsets.get_key_value(&serial).map(|(name, _)| name)
                }
                None => self.handsets.keys().next(),
            };
            let Some(name) = found else {
                return Err(Failure::of(ErrorCode::DeviceNotFound, "there is no such phone"));
            };
            Ok(Phone::new(self.link(name, deadline).await?, name.as_str()))
        })
    }

    fn list(&self, _: Deadline) -> BoxFuture<'_, Result<Vec<DeviceEntry>, Failure>> {
        let entry = |serial: &String| DeviceEntry {
            serial: serial.clone(),
            state: DeviceState::Device,
            details: Vec::new(),
        };
        let all = self.handsets.keys().map(entry).collect();
        Box::pin(async move { Ok(all) })
    }
}

/// An engine for these phones, with its files in that folder.
pub(crate) fn engine<D: Discovery + 'static>(
    phones: &Arc<D>,
    folder: &Path,
    idle: Option<Duration>,
) -> Engine {
    let numbers = AtomicU64::new(1);
    Engine::new(EngineSettings {
        lane: LaneWish::Auto,
        discovery: phones.clone(),
        locks: folder.join("locks"),
        state: folder.join("state"),
        pictures: folder.to_owned(),
        idle,
        recordings: None,
        clock: Arc::new(Clock::new(|| 1_794_700_000_000)),
        ids: Ids::new(move || numbers.fetch_add(1, Ordering::Relaxed)),
        log: EngineLog::new(|_| ()),
        version: "0.0.0",
    })
}

/// An execution of these actions.
pub(crate) fn execution(id: &str, actions: &Value) -> CheckedExecution {
    let payload = json!({"commandId": id, "taskId": "t", "source": "test", "timeoutMs": 30_000,
        "expectedFormat": "android-ui-automator", "actions": actions});
    accept(payload.to_string().as_bytes()).unwrap()
}

/// Opens the app with the counter.
pub(crate) fn open_counter() -> Value {
    json!([{"id": "open", "type": "open_app", "params": {"applicationId": "com.clawperator.conformance"}}])
}

/// Counts one more and reads the counter.
pub(crate) fn count() -> Value {
    json!([
        {"id": "count", "type": "click", "params": {"matcher": {"textEquals": "Increment"}}},
        {"id": "read", "type": "read_text", "params": {"matcher": {"textContains": "Counter"}}}
    ])
}

/// A request for a phone, which waits for its turn.
pub(crate) fn request(phone: &str, id: &str, actions: &Value) -> Request {
    Request {
        device: Some(phone.to_owned()),
        wait: Some(Duration::from_secs(600)),
        ..Request::new(execution(id, actions))
    }
}

/// Runs a request to its end.
pub(crate) async fn run(engine: &Engine, request: Request) -> Outcome {
    engine.execute(request).outcome.await.outcome
}

/// What the last step read.
pub(crate) fn text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Ran(result) => {
            let last = result.envelope.step_results.last().unwrap();
            last.data.get("text").cloned().unwrap_or_else(|| panic!("{last:?}"))
        }
        other => panic!("{other:?}"),
    }
}

/// The code of a request that has no envelope.
pub(crate) fn code(outcome: &Outcome) -> ErrorCode {
    match outcome {
        Outcome::Error(failure) => failure.code,
        other => panic!("{other:?}"),
    }
}
