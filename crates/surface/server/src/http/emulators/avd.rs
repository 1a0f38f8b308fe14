//! Virtual devices of Android's SDK: its tools make, start, stop and remove them,
//! and what a phone says of itself tells which of them runs.

use super::{Emulator, EmulatorWish, Kind, StartKind, USUAL_NAME, already_running, started_json};
use crate::http::Api;
use crate::phone::blocking;
use crate::sdk::{Avd, Tool, last_line, run};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_phone::{Deadline, PackageName, REACH, Vitals};
use clawperator_private as private;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::time::sleep;

/// How long a tool may take that works on files of this computer.
const TOOL: Duration = Duration::from_secs(60);
/// How long a system image may take, which is more than a gigabyte.
const DOWNLOAD: Duration = Duration::from_secs(30 * 60);
/// How long adb may take to see an emulator, or to see that it is gone.
const REGISTRATION: Duration = Duration::from_secs(60);
/// How long Android may take to start up.
const BOOT: Duration = Duration::from_secs(180);
/// How often an emulator is looked at meanwhile.
const POLL: Duration = Duration::from_millis(250);
/// How long an emulator may take to say what it is.
const ASK: Duration = Duration::from_secs(5);
/// How much of an emulator's log is read.
const MAX_LOG: u64 = 1 << 20;
/// The console ports that adb looks at. The next one is adb's own.
const PORTS: std::ops::RangeInclusive<u16> = 5554..=5682;

/// The device that is made where the caller does not say.
const API_LEVEL: u64 = 35;
const PROFILE: &str = "pixel_7";

/// What is kept of virtual devices while the server runs.
#[derive(Debug, Default)]
pub(in crate::http) struct Avds {
    /// One is made or removed at a time.
    changing: tokio::sync::Mutex<()>,
    /// Those that are being started, and their ports.
    starting: Mutex<BTreeMap<String, u16>>,
}

/// Every virtual device, by name: those that have files here, and others that run.
pub(super) async fn all(api: &Arc<Api>) -> Result<Vec<Emulator>, Failure> {
    let sdk = api.app.sdk.clone();
    let mut running = running(api).await?;
    let avds = blocking(move || Ok(sdk.avds())).await?;
    let mut all: Vec<_> = avds
        .into_iter()
        .map(|avd| Emulator { name: avd.name.clone(), serial: running.remove(&avd.name), avd: Some(avd) })
        .collect();
    let others = running.into_iter().map(|(name, serial)| Emulator {
        name: name.clone(),
        serial: Some(serial),
        avd: Some(Avd { name, ..Avd::default() }),
    });
    all.extend(others);
    Ok(all)
}

/// The serials of the emulators that answer, by the names of their devices.
async fn running(api: &Api) -> Result<BTreeMap<String, String>, Failure> {
    let mut running = BTreeMap::new();
    for serial in ready(api).await? {
        // One that does not answer cannot be used, so it does not count.
        if let Some(name) = vitals(api, &serial).await.and_then(|vitals| vitals.avd) {
            running.insert(name, serial);
        }
    }
    Ok(running)
}

/// The serials of emulators that adb can use.
async fn ready(api: &Api) -> Result<Vec<String>, Failure> {
    let known = match api.app.engine.devices(Deadline::after(REACH)).await {
        Ok(known) => known,
        // Without adb no emulator can be used.
        Err(failure) if failure.code == ErrorCode::AdbNotFound => Vec::new(),
        Err(failure) => return Err(failure),
    };
    let ready = known.into_iter().filter(|entry| entry.state.to_string() == "device");
    Ok(ready.map(|entry| entry.serial).filter(|serial| serial.starts_with("emulator-")).collect())
}

/// What an emulator says of itself, if it answers.
async fn vitals(api: &Api, serial: &str) -> Option<Vitals> {
    let deadline = Deadline::after(ASK);
    let phone = api.app.engine.connect(Some(serial), deadline).await.ok()?;
    let operator = PackageName::usual_operator();
    phone.vitals(operator.as_str(), deadline).await.ok()
}

/// Makes a virtual device, and installs its system image if it is not there.
pub(super) async fn create(api: &Arc<Api>, name: &str, wish: &EmulatorWish) -> Result<(), Failure> {
    let _alone = api.emulators.avds.changing.lock().await;
    make(api, name, wish).await
}

async fn make(api: &Api, name: &str, wish: &EmulatorWish) -> Result<(), Failure> {
    let sdk = &api.app.sdk;
    let avd_manager = sdk.tool(Tool::AvdManager)?;
    let level = wish.api_level.unwrap_or(API_LEVEL);
    let tag = match wish.play_store {
        None | Some(true) => "google_apis_playstore",
        Some(false) => "google_apis",
    };
    let abi = wish.abi.as_deref().unwrap_or(usual_abi());
    let image = format!("system-images;android-{level};{tag};{abi}");
    if !sdk.has(&image) {
        let sdk_manager = sdk.tool(Tool::SdkManager)?;
        let installed = run(&sdk_manager, &["--install", &image], DOWNLOAD).await;
        installed.map_err(|complaint| complaint.of(ErrorCode::AndroidSystemImageInstallFailed))?;
    }
    let profile = wish.device_profile.as_deref().unwrap_or(PROFILE);
    let arguments = ["create", "avd", "--name", name, "--package", &image, "--device", profile];
    let made = run(&avd_manager, &arguments, TOOL).await;
    made.map_err(|complaint| complaint.of(ErrorCode::AndroidAvdCreateFailed))?;
    if !has_files(api, name).await? {
        let message = format!("avdmanager said that it made \"{name}\", but it is not there");
        return Err(Failure::of(ErrorCode::AndroidAvdCreateFailed, message));
    }
    Ok(())
}

async fn has_files(api: &Api, name: &str) -> Result<bool, Failure> {
    let (sdk, name) = (api.app.sdk.clone(), name.to_owned());
    blocking(move || Ok(sdk.avds().iter().any(|avd| avd.name == name))).await
}

/// The processor of this computer: images for others run slowly or not at all.
fn usual_abi() -> &'static str {
    if cfg!(target_arch = "aarch64") { "arm64-v8a" } else { "x86_64" }
}

/// Starts a virtual device and waits until Android has started up. It goes on
/// running when the server ends.
pub(super) async fn start(api: &Arc<Api>, name: &str) -> Result<String, Failure> {
    let program = api.app.sdk.tool(Tool::Emulator)?;
    if running(api).await?.contains_key(name) {
        return Err(already_running(name));
    }
    let slot = PortSlot::claim(api, name).await?;
    let log = api.app.state.join("emulators").join(format!("{name}.log"));
    let mut child = spawn(&program, name, slot.port, &log)
        .map_err(|error| failed_to_start(name, &format!("it cannot be started: {error}")))?;
    let serial = format!("emulator-{}", slot.port);
    let seen = tokio::select! {
        ended = child.wait() => {
            let how = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
            return Err(failed_to_start(name, &format!("it ended ({how}): {}", last_words(&log))));
        }
        seen = until_ready(api, &serial) => seen?,
    };
    match seen {
        BootProgress::Booted => Ok(serial),
        BootProgress::Nothing => {
            // It could not be used or stopped. It may have ended meanwhile.
            let _ = child.start_kill();
            let seconds = REGISTRATION.as_secs();
            let message = format!("adb did not see {serial} within {seconds} s, so it was ended");
            Err(failed_to_start(name, &message))
        }
        BootProgress::Booting => {
            let seconds = BOOT.as_secs();
            let message =
                format!("\"{name}\" runs as {serial}, but did not start up within {seconds} s; it goes on");
            Err(Failure::of(ErrorCode::EmulatorBootTimeout, message))
        }
    }
}

fn failed_to_start(name: &str, why: &str) -> Failure {
    Failure::of(ErrorCode::EmulatorStartFailed, format!("the emulator \"{name}\" does not run: {why}"))
}

/// A port that belongs to a device while it is being started.
struct PortSlot<'s> {
    api: &'s Api,
    name: String,
    port: u16,
}

impl<'s> PortSlot<'s> {
    async fn claim(api: &'s Api, name: &str) -> Result<Self, Failure> {
        let known = api.app.engine.devices(Deadline::after(REACH)).await?;
        let mut starting = lock(api);
        if starting.contains_key(name) {
            return Err(already_running(name));
        }
        let is_known = |port: u16| {
            let serial = format!("emulator-{port}");
            starting.values().any(|taken| *taken == port) || known.iter().any(|entry| entry.serial == serial)
        };
        let mut ports = PORTS.step_by(2).filter(|port| !is_known(*port));
        let Some(port) = ports.find(|port| is_free(*port) && is_free(port + 1)) else {
            return Err(failed_to_start(name, "all ports of emulators are in use"));
        };
        starting.insert(name.to_owned(), port);
        Ok(Self { api, name: name.to_owned(), port })
    }
}

impl Drop for PortSlot<'_> {
    fn drop(&mut self) {
        lock(self.api).remove(&self.name);
    }
}

fn lock(api: &Api) -> std::sync::MutexGuard<'_, BTreeMap<String, u16>> {
    api.emulators.avds.starting.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

/// Starts the emulator without a window: the page shows its screen.
fn spawn(program: &Path, name: &str, port: u16, log: &Path) -> std::io::Result<Child> {
    if let Some(folder) = log.parent() {
        private::folder(folder)?;
    }
    let out = private::options().write(true).create(true).truncate(true).open(log)?;
    let mut command = Command::new(program);
    command
        .args(["-avd", name, "-port", &port.to_string()])
        .args(["-no-window", "-no-audio", "-no-boot-anim"])
        .stdin(Stdio::null())
        .stdout(out.try_clone()?)
        .stderr(out);
    // What is typed into the server's terminal is not for the emulator.
    #[cfg(unix)]
    command.process_group(0);
    command.spawn()
}

fn last_words(log: &Path) -> String {
    let mut bytes = Vec::new();
    // What cannot be read is not said.
    let _ = private::open(log).and_then(|file| file.take(MAX_LOG).read_to_end(&mut bytes));
    last_line(&String::from_utf8_lossy(&bytes))
}

/// How far an emulator came.
enum BootProgress {
    Nothing,
    Booting,
    Booted,
}

async fn until_ready(api: &Api, serial: &str) -> Result<BootProgress, Failure> {
    let registration = Deadline::after(REGISTRATION);
    while !ready(api).await?.iter().any(|it| it == serial) {
        if registration.left().is_zero() {
            return Ok(BootProgress::Nothing);
        }
        sleep(POLL).await;
    }
    let boot = Deadline::after(BOOT);
    loop {
        if vitals(api, serial).await.is_some_and(|it| it.booted == Some(true)) {
            return Ok(BootProgress::Booted);
        }
        if boot.left().is_zero() {
            return Ok(BootProgress::Booting);
        }
        sleep(POLL).await;
    }
}

/// Stops an emulator and waits until adb sees it no longer.
pub(super) async fn stop(api: &Api, serial: &str) -> Result<(), Failure> {
    let asked = run(api.app.sdk.adb(), &["-s", serial, "emu", "kill"], TOOL).await;
    asked.map_err(|complaint| complaint.of(ErrorCode::EmulatorStopFailed))?;
    let gone = Deadline::after(REGISTRATION);
    while ready(api).await?.iter().any(|it| it == serial) {
        if gone.left().is_zero() {
            let seconds = REGISTRATION.as_secs();
            let message = format!("{serial} was asked to end, and is still there after {seconds} s");
            return Err(Failure::of(ErrorCode::EmulatorStopFailed, message));
        }
        sleep(POLL).await;
    }
    Ok(())
}

/// Removes a virtual device, and stops it first.
pub(super) async fn delete(api: &Api, emulator: &Emulator) -> Result<(), Failure> {
    let avd_manager = api.app.sdk.tool(Tool::AvdManager)?;
    let _alone = api.emulators.avds.changing.lock().await;
    if let Some(serial) = &emulator.serial {
        stop(api, serial).await?;
    }
    let arguments = ["delete", "avd", "--name", &emulator.name];
    let removed = run(&avd_manager, &arguments, TOOL).await;
    removed.map_err(|complaint| complaint.of(ErrorCode::EmulatorDeleteFailed))?;
    if has_files(api, &emulator.name).await? {
        let message = format!("avdmanager said that it removed \"{}\", but it is there", emulator.name);
        return Err(Failure::of(ErrorCode::EmulatorDeleteFailed, message));
    }
    Ok(())
}

/// Sees to it that a virtual device runs: one that does, the usual one or the
/// first that is there, or a new one.
pub(super) async fn provision(api: &Arc<Api>, wish: &EmulatorWish) -> Result<Value, Failure> {
    let alone = api.emulators.avds.changing.lock().await;
    let (fitting, others): (Vec<_>, Vec<_>) = all(api).await?.into_iter().partition(|it| wish.fits(it));
    if let Some((name, serial)) = fitting.iter().find_map(|it| Some((&it.name, it.serial.as_ref()?))) {
        return Ok(started_json(Kind::Emulator, name, serial, StartKind::Before));
    }
    let usual = fitting.iter().find(|it| it.name == USUAL_NAME);
    let (name, how) = match usual.or(fitting.first()) {
        Some(there) => (there.name.clone(), StartKind::Now),
        None => {
            let name = wish.name.clone().unwrap_or_else(|| USUAL_NAME.to_owned());
            if others.iter().any(|it| it.name == name) {
                let message = format!("the emulator \"{name}\" is another one than is wanted");
                return Err(Failure::of(ErrorCode::EmulatorUnsupported, message));
            }
            make(api, &name, wish).await?;
            (name, StartKind::New)
        }
    };
    drop(alone);
    let serial = start(api, &name).await?;
    Ok(started_json(Kind::Emulator, &name, &serial, how))
}
