//! The phone of a case: what its section `world` says, in memory, on its own clock.

use crate::case::{Case, Route};
use crate::shelf;
use bytes::Bytes;
use clawperator_adb::{Deadline, Device};
use clawperator_contract::Lane;
use clawperator_phone::Secret;
use clawperator_phone::vault::{ValueScope, Vault, VaultEntry};
use clawperator_sim::fault::Fault;
use clawperator_sim::{Handset, HostKeys, Latency, Setup, Welcome, app, ask, link};
use futures_core::future::BoxFuture;
use serde::Deserialize;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

/// What there is to say of a phone before an execution.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct World {
    /// What the case shows, for people.
    pub(crate) about: String,
    /// App files beside the built-in ones, by their paths from the folder of the cases.
    pub(crate) apps: Vec<String>,
    /// Commands that make the phone ready; no part of the log.
    pub(crate) setup: Vec<String>,
    /// What goes wrong from then on.
    pub(crate) faults: Vec<String>,
    /// What goes wrong on the resident lane, where that has to be said otherwise:
    /// the phone is asked more often there.
    pub(crate) resident_faults: Option<Vec<String>>,
    /// How slow the phone is.
    pub(crate) latency: Option<String>,
    /// What the phone's adb can do, if not all of it.
    pub(crate) features: Option<String>,
    /// Whether an ambiguous match is an error.
    pub(crate) strict: bool,
    /// Where waits stray to, and faults strike.
    pub(crate) seed: u64,
    /// Commands that something else than the host runs while the execution
    /// does, and how many milliseconds after its start; no part of the log.
    pub(crate) meanwhile: Vec<Meanwhile>,
    /// The state of the recorder; there is none without it.
    pub(crate) recordings: Option<shelf::State>,
    /// What people gave in the caller's session: name, value, and the app it is
    /// for, or `*` for every app.
    pub(crate) secrets: Vec<(String, String, String)>,
    /// The Operator app's package, if not the usual one.
    pub(crate) package: Option<String>,
    /// How long the Operator app's answer is waited for beyond the timeout.
    pub(crate) grace_ms: Option<u64>,
    /// When the execution is stopped from outside.
    pub(crate) stop_ms: Option<u64>,
    /// A command that runs beside the execution from before its start. Its
    /// output is golden; it is no part of the log.
    pub(crate) reader: Option<String>,
    /// Commands that show what became of the phone, and their output.
    pub(crate) after: Vec<String>,
    /// Why the case is about the resident server alone, if it is: then its golden
    /// answer is that of the resident lane.
    pub(crate) resident_lane: Option<String>,
    /// Why the answer is another one on the resident lane, if it is: then the file
    /// has that one, too.
    pub(crate) resident_differs: Option<String>,
    /// How the phone is reached, if not in memory.
    #[serde(skip)]
    pub(crate) way: Option<Arc<dyn Way>>,
}

/// A way to a phone that has the computer's clock and other things between.
pub(crate) trait Way: std::fmt::Debug + Send + Sync {
    /// Connects to the phone over all that is between.
    fn connect<'w>(&'w self, handset: &'w Arc<Handset>) -> BoxFuture<'w, Result<Device, String>>;
}

/// What happens to the phone while an execution runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Meanwhile {
    pub(crate) at_ms: u64,
    pub(crate) run: String,
}

/// A phone that is switched on, and how it meets hosts.
#[derive(Clone)]
pub(crate) struct Switched {
    pub(crate) handset: Arc<Handset>,
    welcome: Arc<Welcome>,
    way: Option<Arc<dyn Way>>,
}

/// Starts the resident server as its users do.
const SERVER: &str = "CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main -p 9008";

/// Long enough for anything that is no part of a case.
fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(120))
}

impl World {
    /// The caller's session.
    pub(crate) fn vault(&self) -> Option<Arc<Vault>> {
        let vault = Vault::default();
        for (name, value, app) in &self.secrets {
            vault.keep(VaultEntry {
                name: name.clone(),
                place: match app.as_str() {
                    "*" => ValueScope::Anywhere,
                    app => ValueScope::App(app.to_owned()),
                },
                values: vec![(String::new(), Secret::new(value.clone()))],
            });
        }
        (!self.secrets.is_empty()).then(|| Arc::new(vault))
    }

    /// Reads the case's world; a case without one has the usual phone.
    pub(crate) fn read(case: &Case) -> Result<Self, String> {
        let text = case.section("world");
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        clawperator_document::yaml::read(text).map_err(|error| format!("world: {error}"))
    }

    /// Switches the phone on and makes it ready.
    pub(crate) async fn switch_on(&self, (route, lane): (Route, Lane)) -> Result<Switched, String> {
        let named = self.latency.as_deref().unwrap_or("none");
        let latency = Latency::from_word(named).ok_or_else(|| format!("there is no latency {named:?}"))?;
        let mut apps = Vec::new();
        for name in &self.apps {
            let text = fs::read_to_string(Case::root().join(name));
            let text = text.map_err(|error| format!("{name}: {error}"))?;
            let app = app::parse(&text).map_err(|problems| format!("{name}: {problems:?}"))?;
            apps.push(Arc::new(app));
        }
        let handset = Handset::new(Setup { seed: self.seed, latency, apps, ..Setup::default() });
        let mut welcome = Welcome { keys: HostKeys::NotAsked, ..Welcome::default() };
        if let Some(features) = &self.features {
            welcome.features.clone_from(features);
        }
        let switched = Switched { handset, welcome: Arc::new(welcome), way: self.way.clone() };
        if route == Route::Operator {
            switched.ask("settings put secure accessibility_enabled 1").await?;
        }
        for line in &self.setup {
            switched.ask(line).await?;
        }
        match lane {
            // What goes wrong goes wrong from the first call on, not before.
            Lane::Resident => switched.start_server().await?,
            Lane::Dump => self.go_wrong(&switched, lane)?,
        }
        Ok(switched)
    }

    /// What goes wrong on this lane.
    pub(crate) fn faults_of(&self, lane: Lane) -> &[String] {
        match (lane, &self.resident_faults) {
            (Lane::Resident, Some(faults)) => faults,
            (Lane::Resident | Lane::Dump, _) => &self.faults,
        }
    }

    /// Whether a connection breaks on the resident lane.
    pub(crate) fn breaks_connections(&self, lane: Lane) -> bool {
        let mut faults = self.faults_of(lane).iter();
        lane == Lane::Resident && faults.any(|fault| fault.starts_with("connection_"))
    }

    /// Lets go wrong what does on this lane.
    pub(crate) fn go_wrong(&self, switched: &Switched, lane: Lane) -> Result<(), String> {
        let faults = self.faults_of(lane);
        let plan = Fault::parse_all(faults.iter().map(String::as_str)).map_err(|error| error.to_string())?;
        switched.handset.faults(|faults| faults.set_plan(plan));
        Ok(())
    }
}

impl Switched {
    /// Connects to the phone, usually over adb's bytes in memory: only there does
    /// time stand still while nothing waits for it.
    pub(crate) async fn connect(&self) -> Result<Device, String> {
        if let Some(way) = &self.way {
            return way.connect(&self.handset).await;
        }
        let connecting = link(&self.handset, &self.welcome);
        let connection = soon().run("connecting", connecting).await;
        connection.map_err(|error| format!("no connection: {error}"))
    }

    /// Starts the resident server, and waits until it listens.
    async fn start_server(&self) -> Result<(), String> {
        let device = self.connect().await?;
        let run = async |line: &str| {
            let output = device.shell(line, Bytes::new(), soon()).await;
            output.map_err(|error| format!("{line}: {error}")).map(|output| output.stdout)
        };
        run("echo jar > /data/local/tmp/u2.jar").await?;
        let server = device.clone();
        tokio::spawn(async move {
            // It ends with the phone, or because the case ends it.
            let _ = server.shell(SERVER, Bytes::new(), soon()).await;
        });
        for _ in 0..100 {
            let listening = run("sleep 0.01; cat /proc/net/tcp6").await?;
            if listening.windows(6).any(|six| six == b":2330 ") {
                return Ok(());
            }
        }
        Err("the resident server does not listen".to_owned())
    }

    /// Runs a command on a connection of its own: what it prints.
    pub(crate) async fn ask(&self, line: &str) -> Result<String, String> {
        ask(&self.handset, &self.welcome, line).await
    }
}
