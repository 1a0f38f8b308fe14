//! Emulators: virtual devices of Android's SDK where its tools are, and simulated phones
//! everywhere. A request may say which; the name of one that exists says it too.

mod avd;
mod simulated;

use super::Api;
use super::answer::{HttpError, HttpResult, ok};
use super::ask::{Ask, BodyFields, Name, invalid};
use crate::sdk::Avd;
use axum::extract::State;
use clawperator_contract::{ErrorCode, Failure, text, words};
use serde_json::{Value, json};
use std::sync::Arc;

/// The name where the caller chooses none.
const USUAL_NAME: &str = "clawperator-pixel";
const MAX_NAME: usize = 64;
/// The processors of system images.
pub(super) const ABIS: &[&str] = &["arm64-v8a", "x86_64", "x86", "armeabi-v7a"];
/// The oldest and the newest level of Android's interface that can be asked for.
pub(super) const API_LEVELS: (u64, u64) = (21, 99);

/// What is kept of emulators while the server runs.
#[derive(Debug, Default)]
pub(crate) struct Emulators {
    simulated: simulated::SimulatedEmulators,
    avds: avd::Avds,
}

words! {
    /// What an emulator is.
    pub(super) Kind {
        /// A virtual device of Android's SDK.
        Emulator = "emulator",
        Simulated = "simulated",
    }
}

/// An emulator, and its serial if it runs.
struct Emulator {
    name: String,
    serial: Option<String>,
    /// What is known of it, if it is a virtual device.
    avd: Option<Avd>,
}

impl Emulator {
    fn kind(&self) -> Kind {
        match self.avd {
            Some(_) => Kind::Emulator,
            None => Kind::Simulated,
        }
    }
}

/// How it came that an emulator runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StartKind {
    Before,
    /// It was there and has been started.
    Now,
    /// It was made and has been started.
    New,
}

fn started_json(kind: Kind, name: &str, serial: &str, how: StartKind) -> Value {
    json!({"type": kind.word(), "avdName": name, "serial": serial, "booted": true,
        "created": how == StartKind::New, "started": how != StartKind::Before, "reused": how == StartKind::Before})
}

fn not_found(name: &str) -> Failure {
    Failure::of(ErrorCode::EmulatorNotFound, format!("there is no emulator \"{}\"", text::excerpt(name)))
}

fn already_running(name: &str) -> Failure {
    Failure::of(ErrorCode::EmulatorAlreadyRunning, format!("the emulator \"{name}\" is running already"))
}

fn not_running(name: &str) -> Failure {
    Failure::of(ErrorCode::EmulatorNotRunning, format!("the emulator \"{name}\" is not running"))
}

/// An emulator that is wanted. What is not said is `None`.
#[derive(Clone, Debug, Default)]
struct EmulatorWish {
    name: Option<String>,
    kind: Option<Kind>,
    api_level: Option<u64>,
    abi: Option<String>,
    device_profile: Option<String>,
    play_store: Option<bool>,
}

impl EmulatorWish {
    fn read(fields: &BodyFields) -> HttpResult<Self> {
        let text = |name| fields.name(name, ErrorCode::InvalidRequest);
        let word = |name, words: &[&str]| match text(name)? {
            Some(word) if !words.contains(&word.as_str()) => {
                Err(invalid(&format!("{name} must be one of: {}", words.join(", "))))
            }
            word => Ok(word),
        };
        let kind = word("type", Kind::WORDS)?;
        let wish = Self {
            name: text("name")?,
            kind: kind.as_deref().and_then(Kind::from_word),
            api_level: fields.positive("apiLevel", ErrorCode::InvalidRequest)?,
            abi: word("abi", ABIS)?,
            device_profile: text("deviceProfile")?,
            play_store: fields.flag("playStore", ErrorCode::InvalidRequest)?,
        };
        if wish.name.as_deref().is_some_and(|name| !is_name(name, b"-_.")) {
            let rule =
                format!("1 to {MAX_NAME} letters, digits, -, _ or ., and begins with a letter or digit");
            return Err(invalid(&format!("a name has {rule}")));
        }
        // Such as `pixel_7` and `7in WSVGA (Tablet)`.
        if wish.device_profile.as_deref().is_some_and(|name| !is_name(name, b"-_. ()")) {
            return Err(invalid("deviceProfile is not the id of a device, such as pixel_7"));
        }
        let (least, most) = API_LEVELS;
        if wish.api_level.is_some_and(|level| !(least..=most).contains(&level)) {
            return Err(invalid(&format!("apiLevel must be from {least} to {most}")));
        }
        Ok(wish)
    }

    /// Whether an emulator is what is wanted.
    fn fits(&self, emulator: &Emulator) -> bool {
        fn same<T: PartialEq>(wanted: Option<&T>, has: Option<&T>) -> bool {
            wanted.is_none() || wanted == has
        }
        let avd = emulator.avd.as_ref();
        same(self.name.as_ref(), Some(&emulator.name))
            && same(self.api_level.as_ref(), avd.and_then(|avd| avd.api_level.as_ref()))
            && same(self.abi.as_ref(), avd.and_then(|avd| avd.abi.as_ref()))
            && same(self.device_profile.as_ref(), avd.and_then(|avd| avd.device_profile.as_ref()))
            && same(self.play_store.as_ref(), avd.and_then(|avd| avd.play_store.as_ref()))
    }

    /// What a simulated phone does not have.
    fn ignored_fields(&self) -> Vec<&'static str> {
        let said = [
            ("apiLevel", self.api_level.is_some()),
            ("abi", self.abi.is_some()),
            ("deviceProfile", self.device_profile.is_some()),
            ("playStore", self.play_store.is_some()),
        ];
        said.iter().filter(|(_, said)| *said).map(|(name, _)| *name).collect()
    }
}

/// Whether a name has but letters, digits and these signs. A tool must not take it
/// for a flag or a path.
fn is_name(name: &str, signs: &[u8]) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || signs.contains(&byte);
    let begins = name.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    begins && name.len() <= MAX_NAME && name.bytes().all(plain)
}

async fn all_of(api: &Arc<Api>) -> Result<Vec<Emulator>, Failure> {
    let mut all = avd::all(api).await?;
    all.extend(simulated::all(api).await?);
    Ok(all)
}

/// The emulator of a name. A virtual device goes before a simulated phone.
async fn find(api: &Arc<Api>, name: &str) -> Result<Option<Emulator>, Failure> {
    Ok(all_of(api).await?.into_iter().find(|it| it.name == name))
}

async fn require(api: &Arc<Api>, name: &str) -> Result<Emulator, Failure> {
    find(api, name).await?.ok_or_else(|| not_found(name))
}

/// What to make where a request does not say.
fn usual_kind(api: &Api) -> Kind {
    if api.app.sdk.is_there() { Kind::Emulator } else { Kind::Simulated }
}

fn emulator_json(emulator: &Emulator) -> Value {
    let mut shown = json!({"name": emulator.name, "type": emulator.kind().word(), "exists": true,
        "running": emulator.serial.is_some()});
    if let Some(serial) = &emulator.serial {
        shown["serial"] = json!(serial);
    }
    if let Some(avd) = &emulator.avd {
        let facts = [
            ("apiLevel", avd.api_level.map(Value::from)),
            ("abi", avd.abi.clone().map(Value::from)),
            ("deviceProfile", avd.device_profile.clone().map(Value::from)),
            ("playStore", avd.play_store.map(Value::from)),
        ];
        for (key, fact) in facts {
            if let Some(fact) = fact {
                shown[key] = fact;
            }
        }
    }
    shown
}

pub(crate) async fn list(State(api): State<Arc<Api>>) -> HttpResult {
    let all: Vec<_> = all_of(&api).await?.iter().map(emulator_json).collect();
    Ok(ok(json!({"avds": all})))
}

pub(crate) async fn running(State(api): State<Arc<Api>>) -> HttpResult {
    let all = all_of(&api).await?;
    let device = |it: &Emulator| {
        let serial = it.serial.as_ref()?;
        Some(json!({"serial": serial, "avdName": it.name, "type": it.kind().word()}))
    };
    Ok(ok(json!({"devices": all.iter().filter_map(device).collect::<Vec<_>>()})))
}

/// One emulator; also one that does not exist.
pub(crate) async fn get(State(api): State<Arc<Api>>, Name(name): Name) -> HttpResult {
    let found = find(&api, &name).await?;
    let none = || json!({"name": name, "exists": false, "running": false});
    Ok(ok(found.as_ref().map_or_else(none, emulator_json)))
}

/// Makes an emulator, which does not run yet.
pub(crate) async fn create(State(api): State<Arc<Api>>, ask: Ask) -> HttpResult {
    let wish = EmulatorWish::read(&ask.fields()?)?;
    let name = wish.name.clone().unwrap_or_else(|| USUAL_NAME.to_owned());
    if find(&api, &name).await?.is_some() {
        let message = format!("there is an emulator \"{name}\" already");
        return Err(HttpError::of(ErrorCode::EmulatorAlreadyExists, message));
    }
    let kind = wish.kind.unwrap_or_else(|| usual_kind(&api));
    let mut answer = json!({"type": kind.word(), "avdName": name, "created": true});
    match kind {
        Kind::Emulator => avd::create(&api, &name, &wish).await?,
        Kind::Simulated => {
            simulated::create(&api, name).await?;
            let ignored = wish.ignored_fields();
            if !ignored.is_empty() {
                answer["ignored"] = json!(ignored);
            }
        }
    }
    Ok(ok(answer))
}

pub(crate) async fn start(State(api): State<Arc<Api>>, Name(name): Name) -> HttpResult {
    let answer = match require(&api, &name).await?.kind() {
        Kind::Emulator => {
            let serial = avd::start(&api, &name).await?;
            started_json(Kind::Emulator, &name, &serial, StartKind::Now)
        }
        Kind::Simulated => simulated::start(&api, name).await?,
    };
    Ok(ok(answer))
}

pub(crate) async fn stop(State(api): State<Arc<Api>>, Name(name): Name) -> HttpResult {
    let found = require(&api, &name).await?;
    let answer = json!({"avdName": name, "stopped": true});
    match found.kind() {
        Kind::Emulator => {
            let serial = found.serial.ok_or_else(|| not_running(&name))?;
            avd::stop(&api, &serial).await?;
        }
        Kind::Simulated => simulated::stop(&api, name).await?,
    }
    Ok(ok(answer))
}

/// Removes an emulator, and stops it first.
pub(crate) async fn delete(State(api): State<Arc<Api>>, Name(name): Name) -> HttpResult {
    let found = require(&api, &name).await?;
    let answer = json!({"avdName": name, "deleted": true});
    match found.kind() {
        Kind::Emulator => avd::delete(&api, &found).await?,
        Kind::Simulated => simulated::delete(&api, name).await?,
    }
    Ok(ok(answer))
}

/// Sees to it that an emulator runs: one that does, or one that is there, or a new one.
pub(crate) async fn provision(State(api): State<Arc<Api>>, ask: Ask) -> HttpResult {
    let wish = EmulatorWish::read(&ask.fields()?)?;
    let there = match (&wish.kind, &wish.name) {
        (None, Some(name)) => find(&api, name).await?,
        _ => None,
    };
    let there = there.map(|it| it.kind());
    let answer = match wish.kind.or(there).unwrap_or_else(|| usual_kind(&api)) {
        Kind::Emulator => avd::provision(&api, &wish).await?,
        Kind::Simulated => simulated::provision(&api, wish.name).await?,
    };
    Ok(ok(answer))
}
