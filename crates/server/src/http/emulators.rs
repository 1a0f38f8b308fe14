//! Emulators. They are simulated phones: each has a name that the caller chose,
//! and a phone in the box while it runs.

use super::Api;
use super::answer::{Refused, ok};
use super::ask::{Ask, Name};
use crate::phone::blocking;
use crate::{App, BoxedPhone};
use axum::extract::State;
use axum::response::Response;
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_journal::private::{self, Concurrency};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The name where the caller chooses none.
const USUAL_NAME: &str = "clawperator-pixel";
/// The most emulators, and the longest name.
const MAX_EMULATORS: usize = 256;
const MAX_NAME: usize = 64;
/// The most of the file that is read.
const MAX_FILE: u64 = 1 << 20;

/// The emulators of a state folder. One change at a time.
#[derive(Debug, Default)]
pub(crate) struct Emulators(Mutex<()>);

/// The names of emulators, and of the phones that they have or had last.
type Known = BTreeMap<String, Option<String>>;

/// An emulator and the phone that it is, if it runs.
struct Emulator {
    name: String,
    phone: Option<BoxedPhone>,
}

/// What is done to emulators, while nobody else does.
struct Desk<'a> {
    app: &'a App,
    file: PathBuf,
    known: Known,
    running: Vec<BoxedPhone>,
}

impl<'a> Desk<'a> {
    fn open(app: &'a App) -> Result<Self, Failure> {
        let file = app.state.join("emulators.json");
        let mut text = String::new();
        // A file that is not there names none.
        let read = private::open(&file).and_then(|file| file.take(MAX_FILE).read_to_string(&mut text));
        let known = read.ok().and_then(|_| serde_json::from_str(&text).ok());
        Ok(Self {
            app,
            file,
            known: known.unwrap_or_default(),
            running: app.boxed.list()?,
        })
    }

    fn save(&self) -> Result<(), Failure> {
        let text = json!(self.known).to_string();
        let saved = private::folder(&self.app.state)
            .and_then(|()| private::replace(&self.file, text.as_bytes(), Concurrency::Processes));
        saved.map_err(|error| Failure::of(ErrorCode::StateFolderUnusable, error.to_string()))
    }

    /// Every emulator: those with a name, and the phones that nobody named.
    fn all(&self) -> Vec<Emulator> {
        let named = self.known.keys().map(|name| self.find(name));
        let taken: Vec<_> = self.known.values().flatten().collect();
        let others = self.running.iter().filter(|phone| !taken.contains(&&phone.name));
        let others = others.map(|phone| Emulator {
            name: phone.name.clone(),
            phone: Some(phone.clone()),
        });
        named.flatten().chain(others).collect()
    }

    fn find(&self, name: &str) -> Option<Emulator> {
        let phone = match self.known.get(name) {
            Some(phone) => phone.as_deref(),
            None => Some(name),
        };
        let running = self
            .running
            .iter()
            .find(|running| Some(running.name.as_str()) == phone);
        let found = self.known.contains_key(name) || running.is_some();
        found.then(|| Emulator {
            name: name.to_owned(),
            phone: running.cloned(),
        })
    }

    fn wanted(&self, name: &str) -> Result<Emulator, Failure> {
        self.find(name).ok_or_else(|| {
            let message = format!("there is no emulator \"{}\"", text::excerpt(name));
            Failure::of(ErrorCode::EmulatorNotFound, message)
        })
    }

    fn create(&mut self, name: &str) -> Result<(), Failure> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if name.is_empty() || name.len() > MAX_NAME || !name.bytes().all(plain) {
            let message = format!("a name has 1 to {MAX_NAME} letters, digits, -, _ or .");
            return Err(Failure::of(ErrorCode::InvalidRequest, message));
        }
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
    work: impl FnOnce(&mut Desk<'_>) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let api = api.clone();
    blocking(move || {
        let _alone = api.emulators.0.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut Desk::open(&api.app)?)
    })
    .await
}

fn shown(emulator: &Emulator) -> Value {
    let mut shown = json!({"name": emulator.name, "type": "simulated", "exists": true,
        "running": emulator.phone.is_some()});
    if let Some(phone) = &emulator.phone {
        shown["serial"] = json!(phone.serial);
    }
    shown
}

/// Every emulator.
pub(crate) async fn list(State(api): State<Arc<Api>>) -> Result<Response, Refused> {
    let all = at_desk(&api, |desk| Ok(desk.all().iter().map(shown).collect::<Vec<_>>()));
    Ok(ok(json!({"avds": all.await?})))
}

/// The emulators that run.
pub(crate) async fn running(State(api): State<Arc<Api>>) -> Result<Response, Refused> {
    let all = at_desk(&api, |desk| {
        let running = desk.all().into_iter();
        let device =
            |it: Emulator| Some(json!({"serial": it.phone?.serial, "avdName": it.name, "type": "simulated"}));
        Ok(running.filter_map(device).collect::<Vec<_>>())
    });
    Ok(ok(json!({"devices": all.await?})))
}

/// One emulator; also one that does not exist.
pub(crate) async fn get(State(api): State<Arc<Api>>, Name(name): Name) -> Result<Response, Refused> {
    let found = at_desk(&api, move |desk| {
        let none = json!({"name": name, "exists": false, "running": false});
        Ok(desk.find(&name).as_ref().map_or(none, shown))
    });
    Ok(ok(found.await?))
}

/// Makes an emulator, which does not run yet.
pub(crate) async fn create(State(api): State<Arc<Api>>, ask: Ask) -> Result<Response, Refused> {
    let name = ask.fields()?.name("name", ErrorCode::InvalidRequest)?;
    let name = name.unwrap_or_else(|| USUAL_NAME.to_owned());
    let made = at_desk(&api, move |desk| {
        desk.create(&name)?;
        Ok(json!({"type": "simulated", "avdName": name, "created": true}))
    });
    Ok(ok(made.await?))
}

/// What came of a start.
fn started(name: &str, phone: &BoxedPhone, how: &[&str]) -> Value {
    let mut answer = Map::new();
    answer.insert("type".to_owned(), "simulated".into());
    answer.insert("avdName".to_owned(), name.into());
    answer.insert("serial".to_owned(), phone.serial.as_str().into());
    answer.insert("booted".to_owned(), true.into());
    for word in ["created", "started", "reused"] {
        answer.insert(word.to_owned(), how.contains(&word).into());
    }
    Value::Object(answer)
}

/// Starts an emulator.
pub(crate) async fn start(State(api): State<Arc<Api>>, Name(name): Name) -> Result<Response, Refused> {
    let answer = at_desk(&api, move |desk| {
        if desk.wanted(&name)?.phone.is_some() {
            let message = format!("the emulator \"{name}\" is running already");
            return Err(Failure::of(ErrorCode::EmulatorAlreadyRunning, message));
        }
        Ok(started(&name, &desk.start(&name)?, &["started"]))
    });
    Ok(ok(answer.await?))
}

/// Stops an emulator.
pub(crate) async fn stop(State(api): State<Arc<Api>>, Name(name): Name) -> Result<Response, Refused> {
    let answer = at_desk(&api, move |desk| {
        let phone = desk.wanted(&name)?.phone.ok_or_else(|| {
            let message = format!("the emulator \"{name}\" is not running");
            Failure::of(ErrorCode::EmulatorNotRunning, message)
        })?;
        desk.app.boxed.stop(&phone.name)?;
        Ok(json!({"avdName": name, "stopped": true}))
    });
    Ok(ok(answer.await?))
}

/// Removes an emulator, and stops it first.
pub(crate) async fn delete(State(api): State<Arc<Api>>, Name(name): Name) -> Result<Response, Refused> {
    let answer = at_desk(&api, move |desk| {
        if let Some(phone) = desk.wanted(&name)?.phone {
            desk.app.boxed.stop(&phone.name)?;
        }
        desk.known.remove(&name);
        desk.save()?;
        Ok(json!({"avdName": name, "deleted": true}))
    });
    Ok(ok(answer.await?))
}

/// Sees to it that an emulator runs: one that does, or one that is there, or a
/// new one.
pub(crate) async fn provision(State(api): State<Arc<Api>>, ask: Ask) -> Result<Response, Refused> {
    let name = ask.fields()?.name("name", ErrorCode::InvalidRequest)?;
    let answer = at_desk(&api, move |desk| {
        let all = desk.all();
        let fits = |it: &&Emulator| name.as_ref().is_none_or(|name| it.name == *name);
        if let Some((it, phone)) = all
            .iter()
            .filter(fits)
            .find_map(|it| Some((it, it.phone.as_ref()?)))
        {
            return Ok(started(&it.name, phone, &["reused"]));
        }
        if let Some(it) = all.iter().find(fits) {
            return Ok(started(&it.name, &desk.start(&it.name)?, &["started"]));
        }
        let name = name.unwrap_or_else(|| USUAL_NAME.to_owned());
        desk.create(&name)?;
        Ok(started(&name, &desk.start(&name)?, &["created", "started"]))
    });
    Ok(ok(answer.await?))
}
