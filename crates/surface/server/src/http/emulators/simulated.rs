//! Simulated emulators: each has a name that the caller chose, and a phone in the
//! box while it runs.

use super::{Emulator, Kind, StartKind, USUAL_NAME, already_running, not_found, not_running, started_json};
use crate::http::Api;
use crate::phone::blocking;
use crate::{App, BoxedPhone};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_private::{self as private, Concurrency};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

const MAX_EMULATORS: usize = 256;
/// The most of the file that is read.
const MAX_FILE: u64 = 1 << 20;

/// The emulators of a state folder. One change at a time.
#[derive(Debug, Default)]
pub(in crate::http) struct SimulatedEmulators(Mutex<()>);

/// The names of emulators, and of the phones that they have or had last.
type EmulatorNames = BTreeMap<String, Option<String>>;

/// A name and the phone that it has, if it runs.
struct EmulatorEntry {
    name: String,
    phone: Option<BoxedPhone>,
}

impl From<&EmulatorEntry> for Emulator {
    fn from(named: &EmulatorEntry) -> Self {
        Self {
            name: named.name.clone(),
            serial: named.phone.as_ref().map(|phone| phone.serial.clone()),
            avd: None,
        }
    }
}

/// What is done to emulators, one at a time.
struct EmulatorDesk<'a> {
    app: &'a App,
    file: PathBuf,
    known: EmulatorNames,
    running: Vec<BoxedPhone>,
}

impl<'a> EmulatorDesk<'a> {
    fn open(app: &'a App) -> Result<Self, Failure> {
        let file = app.state.join("emulators.json");
        let mut text = String::new();
        // A file that is not there names none.
        let read = private::open(&file).and_then(|file| file.take(MAX_FILE).read_to_string(&mut text));
        let known = read.ok().and_then(|_| serde_json::from_str(&text).ok());
        Ok(Self { app, file, known: known.unwrap_or_default(), running: app.boxed.list()? })
    }

    fn save(&self) -> Result<(), Failure> {
        let text = json!(self.known).to_string();
        let saved = private::folder(&self.app.state)
            .and_then(|()| private::replace(&self.file, text.as_bytes(), Concurrency::Processes));
        saved.map_err(|error| Failure::of(ErrorCode::StateFolderUnusable, error.to_string()))
    }

    /// Every emulator: those with a name, and the phones without one.
    fn all(&self) -> Vec<EmulatorEntry> {
        let named = self.known.keys().map(|name| self.find(name));
        let taken: Vec<_> = self.known.values().flatten().collect();
        let others = self.running.iter().filter(|phone| !taken.contains(&&phone.name));
        let others =
            others.map(|phone| EmulatorEntry { name: phone.name.clone(), phone: Some(phone.clone()) });
        named.flatten().chain(others).collect()
    }

    fn find(&self, name: &str) -> Option<EmulatorEntry> {
        let phone = match self.known.get(name) {
            Some(phone) => phone.as_deref(),
            None => Some(name),
        };
        let running = self.running.iter().find(|running| Some(running.name.as_str()) == phone);
        let found = self.known.contains_key(name) || running.is_some();
        found.then(|| EmulatorEntry { name: name.to_owned(), phone: running.cloned() })
    }

    fn require(&self, name: &str) -> Result<EmulatorEntry, Failure> {
        self.find(name).ok_or_else(|| not_found(name))
    }

    fn create(&mut self, name: &str) -> Result<(), Failure> {
        if self.find(name).is_some() || self.known.len() >= MAX_EMULATORS {
            let message = format!("there is an emulator \"{name}\" already, or {MAX_EMULATORS} others");
            return Err(Failure::of(ErrorCode::EmulatorAlreadyExists, message));
        }
        self.known.insert(name.to_owned(), None);
        self.save()
    }

    fn start(&mut self, name: &str) -> Result<BoxedPhone, Failure> {
        let phone = self.app.boxed.start(None)?;
        self.known.insert(name.to_owned(), Some(phone.name.clone()));
        self.save()?;
        Ok(phone)
    }
}

/// Does something with the emulators where it may block.
async fn at_desk<T: Send + 'static>(
    api: &Arc<Api>,
    work: impl FnOnce(&mut EmulatorDesk<'_>) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let api = api.clone();
    blocking(move || {
        let _alone = api.emulators.simulated.0.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut EmulatorDesk::open(&api.app)?)
    })
    .await
}

pub(super) async fn all(api: &Arc<Api>) -> Result<Vec<Emulator>, Failure> {
    at_desk(api, |desk| Ok(desk.all().iter().map(Emulator::from).collect())).await
}

/// Makes an emulator, which does not run yet.
pub(super) async fn create(api: &Arc<Api>, name: String) -> Result<(), Failure> {
    at_desk(api, move |desk| desk.create(&name)).await
}

pub(super) async fn start(api: &Arc<Api>, name: String) -> Result<Value, Failure> {
    at_desk(api, move |desk| {
        if desk.require(&name)?.phone.is_some() {
            return Err(already_running(&name));
        }
        let serial = desk.start(&name)?.serial;
        Ok(started_json(Kind::Simulated, &name, &serial, StartKind::Now))
    })
    .await
}

pub(super) async fn stop(api: &Arc<Api>, name: String) -> Result<(), Failure> {
    at_desk(api, move |desk| {
        let phone = desk.require(&name)?.phone.ok_or_else(|| not_running(&name))?;
        desk.app.boxed.stop(&phone.name)
    })
    .await
}

/// Removes an emulator, and stops it first.
pub(super) async fn delete(api: &Arc<Api>, name: String) -> Result<(), Failure> {
    at_desk(api, move |desk| {
        if let Some(phone) = desk.require(&name)?.phone {
            desk.app.boxed.stop(&phone.name)?;
        }
        desk.known.remove(&name);
        desk.save()
    })
    .await
}

/// Sees to it that an emulator runs, in one go: two requests share one.
pub(super) async fn provision(api: &Arc<Api>, name: Option<String>) -> Result<Value, Failure> {
    at_desk(api, move |desk| {
        let all = desk.all();
        let fits = |it: &&EmulatorEntry| name.as_ref().is_none_or(|name| it.name == *name);
        let mut running = all.iter().filter(fits).filter_map(|it| Some((it, it.phone.as_ref()?)));
        if let Some((it, phone)) = running.next() {
            return Ok(started_json(Kind::Simulated, &it.name, &phone.serial, StartKind::Before));
        }
        let there = all.iter().find(fits);
        let how = if there.is_some() { StartKind::Now } else { StartKind::New };
        let name = match there {
            Some(it) => it.name.clone(),
            None => name.unwrap_or_else(|| USUAL_NAME.to_owned()),
        };
        if there.is_none() {
            desk.create(&name)?;
        }
        Ok(started_json(Kind::Simulated, &name, &desk.start(&name)?.serial, how))
    })
    .await
}
