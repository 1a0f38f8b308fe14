//! Looks at this computer and at phones. It judges nothing.

use super::facts::{
    AdbProgram, AdbServer, DeviceFacts, Examination, FolderFacts, FoundPhones, HostFacts, LaneFacts,
    PhoneReach, Smoke, ViewState,
};
use super::{Depth, DoctorProgress, DoctorSetup};
use clawperator_adb::{AdbError, Deadline, DeviceEntry, DeviceState, ServerClient, StoredKey};
use clawperator_phone::devices::{Reach, connect, is_address};
use clawperator_phone::lock::{LockError, Locks, Owner};
use clawperator_phone::resident::mark::SetupMarks;
use clawperator_phone::{CaptureError, KeyCode, Phone, PhoneError, Precondition, Views};
use clawperator_private as private;
use futures_core::future::BoxFuture;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// How long each thing may take.
const PROGRAM: Duration = Duration::from_secs(5);
const SERVER: Duration = Duration::from_secs(5);
/// Starting it may be part of it.
const LIST: Duration = Duration::from_secs(5);
const CONNECT: Duration = Duration::from_secs(8);
/// On a slow phone each of some programs takes five seconds.
const VITALS: Duration = Duration::from_secs(100);
const STATE: Duration = Duration::from_secs(10);
const SIGN: Duration = Duration::from_secs(10);
/// A phone waits ten seconds itself for its screen to come to rest.
const LOOK: Duration = Duration::from_secs(30);
const PICTURE: Duration = Duration::from_secs(20);
const OPEN: Duration = Duration::from_secs(12);
/// How often one looks whether an app has come up.
const AGAIN: Duration = Duration::from_millis(100);

/// How often a screen is read before it is said that it cannot be.
const TRIES: u32 = 3;
/// How many phones are looked at at a time.
const AT_ONCE: usize = 16;
/// What doctor's own use of a phone is called.
pub(super) const COMMAND: &str = "doctor";
/// The app that every phone has.
const SETTINGS: &str = "com.android.settings";

impl DoctorSetup {
    pub(super) fn within(&self, usual: Duration) -> Deadline {
        Deadline::after(self.limit.map_or(usual, |limit| limit.min(usual)))
    }

    pub(super) fn reach(&self) -> Reach<'_> {
        Reach { environment: &self.environment, key_file: &self.key_file, name: &self.name }
    }
}

/// Looks at everything, phones at the same time.
pub fn examine<'f>(
    scene: &'f Arc<DoctorSetup>,
    progress: &'f Arc<DoctorProgress>,
) -> BoxFuture<'f, Examination> {
    Box::pin(async move {
        let mut host = look_at_host(scene, progress).await;
        let known = phones_to_check(scene, &mut host.server).await;
        let mut devices = Vec::with_capacity(known.len());
        for some in known.chunks(AT_ONCE) {
            let mut running = JoinSet::new();
            for entry in some {
                let (scene, progress, entry) = (Arc::clone(scene), Arc::clone(progress), entry.clone());
                running.spawn(async move { look_at_phone(&scene, &progress, entry).await });
            }
            while let Some(looked) = running.join_next().await {
                // One that panics is a fault of ours; the others' checks still count.
                devices.extend(looked);
            }
        }
        devices.sort_by(|one: &DeviceFacts, other| one.serial.cmp(&other.serial));
        for device in &devices {
            let list = match (&device.reached, device.on_server) {
                (PhoneReach::Ready, true) => &mut host.found.listed,
                (PhoneReach::Ready, false) => &mut host.found.direct,
                _ => &mut host.found.others,
            };
            list.push(device.serial.clone());
        }
        Examination { host, devices }
    })
}

async fn look_at_host(scene: &DoctorSetup, progress: &DoctorProgress) -> HostFacts {
    const HERE: &str = "this computer";
    let locks = Locks::new(scene.locks.clone());
    progress.at(HERE, "the adb program");
    let program = look_at_program(scene).await;
    progress.at(HERE, "the adb server");
    let server = look_at_server(scene).await;
    progress.over(HERE);
    // A folder that cannot be read fails the check of the folder itself.
    let stale = locks.leftovers().unwrap_or_default();
    HostFacts {
        state: folder(&scene.state),
        locks: FolderFacts {
            path: scene.locks.clone(),
            trouble: match locks.prepare() {
                Ok(()) => folder(&scene.locks).trouble,
                Err(error) => Some(error.to_string()),
            },
        },
        stale: stale.into_iter().map(|leftover| leftover.serial).collect(),
        program,
        server,
        key: StoredKey::at(&scene.key_file),
        key_file: scene.key_file.clone(),
        sims: scene.sims.clone(),
        sim_trouble: scene.sim_trouble.clone(),
        wanted: scene.wanted.clone(),
        found: FoundPhones::default(),
    }
}

/// Writes a file to a folder, and removes it again.
fn folder(path: &Path) -> FolderFacts {
    let file = path.join(format!(".doctor-{}", std::process::id()));
    let tried = private::folder(path)
        .and_then(|()| std::fs::write(&file, b"doctor\n"))
        .and_then(|()| std::fs::remove_file(&file));
    FolderFacts { path: path.to_path_buf(), trouble: tried.err().map(|error| error.to_string()) }
}

async fn look_at_program(scene: &DoctorSetup) -> AdbProgram {
    let name = scene.environment.program.display().to_string();
    let server = match ServerClient::from_environment(&scene.environment) {
        Ok(server) => server,
        // The address is wrong, which says nothing of the program.
        Err(_) => ServerClient::new(
            clawperator_adb::ServerAddress::new("127.0.0.1", 1),
            scene.environment.program.clone(),
        ),
    };
    match server.program_version(scene.within(PROGRAM)).await {
        Ok(version) => AdbProgram::Version(version),
        Err(AdbError::NoProgram(_)) => AdbProgram::Missing(name),
        Err(error) => AdbProgram::Broken(error.to_string()),
    }
}

async fn look_at_server(scene: &DoctorSetup) -> AdbServer {
    let server = match ServerClient::from_environment(&scene.environment) {
        Ok(server) => server,
        Err(error) => return AdbServer::Misnamed(error.to_string()),
    };
    let address = server.address();
    match server.version_if_running(scene.within(SERVER)).await {
        Ok(version) => AdbServer::Answers { address, version },
        Err(AdbError::Refused { .. }) => AdbServer::NotRunning { address },
        Err(error) => AdbServer::Broken { address, trouble: error.to_string() },
    }
}

/// A phone that is known, before it was connected to.
#[derive(Clone)]
struct KnownPhone {
    serial: String,
    /// What the adb server says of it; nothing if it is not known there.
    state: Option<DeviceState>,
}

/// The phones to look at: those of the server and the simulated ones, or the one that is named.
async fn phones_to_check(scene: &DoctorSetup, server: &mut AdbServer) -> Vec<KnownPhone> {
    let mut listed = Vec::new();
    // A server that does not run is not started to see what it knows.
    if let (AdbServer::Answers { address, .. }, Ok(client)) =
        (&*server, ServerClient::from_environment(&scene.environment))
    {
        match client.devices(scene.within(LIST)).await {
            Ok(entries) => listed = entries,
            Err(error) => {
                *server = AdbServer::Broken { address: address.clone(), trouble: error.to_string() };
            }
        }
    }
    let mut known: Vec<_> = listed
        .into_iter()
        .map(|DeviceEntry { serial, state, .. }| KnownPhone { serial, state: Some(state) })
        .collect();
    let direct = |serial: &str| KnownPhone { serial: serial.to_owned(), state: None };
    let here = |known: &[KnownPhone], serial: &str| known.iter().any(|entry| entry.serial == serial);
    for sim in &scene.sims {
        if !here(&known, &sim.serial) {
            known.push(direct(&sim.serial));
        }
    }
    if let Some(wanted) = &scene.wanted {
        if !here(&known, wanted) && is_address(wanted) {
            known.push(direct(wanted));
        }
        known.retain(|entry| entry.serial == *wanted);
    }
    known
}

async fn look_at_phone(scene: &DoctorSetup, progress: &DoctorProgress, known: KnownPhone) -> DeviceFacts {
    let sim = scene.sims.iter().find(|sim| sim.serial == known.serial);
    let mut facts = DeviceFacts {
        serial: known.serial.clone(),
        sim: sim.map(|sim| sim.name.clone()),
        on_server: known.state.is_some(),
        operator_package: scene.operator_package.to_string(),
        operator: scene.operator,
        ..DeviceFacts::default()
    };
    let unreached = match known.state {
        None | Some(DeviceState::Device) => None,
        Some(DeviceState::Offline) => Some(PhoneReach::Offline),
        Some(DeviceState::Unauthorized) => Some(PhoneReach::Unauthorized),
        Some(DeviceState::Other(words)) if words.starts_with("no permissions") => {
            Some(PhoneReach::NoPermission(words))
        }
        Some(DeviceState::Other(words)) => Some(PhoneReach::Other(words)),
    };
    if let Some(reached) = unreached {
        return DeviceFacts { reached, ..facts };
    }
    progress.at(&known.serial, "connecting");
    match connect(&facts.way(), &scene.reach(), scene.within(CONNECT)).await {
        Ok(phone) => {
            look_closer(scene, progress, &phone, &mut facts).await;
            facts.round_trips = phone.round_trips();
        }
        Err(AdbError::Unauthorized) => facts.reached = PhoneReach::Unauthorized,
        Err(error) => facts.reached = PhoneReach::Broken(error.to_string()),
    }
    progress.over(&known.serial);
    facts
}

/// Asks a phone that is connected. One that does not answer is asked nothing more.
async fn look_closer(scene: &DoctorSetup, progress: &DoctorProgress, phone: &Phone, facts: &mut DeviceFacts) {
    progress.at(phone.serial(), "its shell");
    let vitals = phone.vitals(scene.operator_package.as_str(), scene.within(VITALS)).await;
    let booted = vitals.as_ref().is_ok_and(|vitals| vitals.booted == Some(true));
    if vitals.is_err() {
        facts.answers = phone.answer(scene.within(SIGN)).await.is_ok();
    }
    facts.vitals = Some(vitals.map_err(|error| error.to_string()));
    if !booted {
        return;
    }
    // Looking at the screen would break in on an execution that does, too.
    let owner = Owner { pid: std::process::id(), command_id: COMMAND.to_owned(), since: scene.now };
    let turn = Locks::new(scene.locks.clone()).acquire(phone.serial(), &owner, None).await;
    if let Err(error @ LockError::Conflict(_)) = &turn {
        facts.view = Some(ViewState::InUse(error.to_string()));
    } else {
        progress.at(phone.serial(), "reading its screen");
        facts.view = Some(view(phone, scene.within(LOOK)).await);
    }
    progress.at(phone.serial(), "a picture of its screen");
    let picture = phone.screenshot(scene.within(PICTURE)).await;
    facts.picture = Some(picture.map(|png| png.len()).map_err(|error| error.to_string()));
    let state = phone.server_state(scene.within(STATE)).await;
    facts.lane =
        state.ok().map(|state| LaneFacts { state, set_up: SetupMarks::new(&scene.state).of(phone.serial()) });
    progress.at(phone.serial(), "trying what executions need");
    facts.trials = Some(super::trial::attempt(phone, |usual| scene.within(usual)).await);
    if scene.depth == Depth::Full && !matches!(facts.view, Some(ViewState::InUse(_))) {
        phone.recall_last_act(&scene.state.join("phones"));
        progress.at(phone.serial(), "opening an app");
        facts.smoke = Some(open_settings(phone, scene.within(OPEN)).await);
    }
}

/// Reads the screen; more than once where it may only have been the moment.
async fn view(phone: &Phone, deadline: Deadline) -> ViewState {
    let mut left = TRIES;
    loop {
        left -= 1;
        let error = match phone.capture(Views::All, deadline).await {
            Ok(tree) => return ViewState::Tree(tree.nodes().count()),
            Err(error) => error,
        };
        let came = match &error {
            // That took the phone ten seconds.
            PhoneError::Capture(CaptureError::NotIdle) => return ViewState::Restless,
            PhoneError::Capture(CaptureError::Busy(_)) => ViewState::Watched,
            PhoneError::Capture(_) => ViewState::None(error.to_string()),
            PhoneError::TooOld(_) => return ViewState::TooOld(error.to_string()),
            _ => return ViewState::None(error.to_string()),
        };
        if left == 0 {
            return came;
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// Opens an app, reads it, and leaves it again.
async fn open_settings(phone: &Phone, deadline: Deadline) -> Smoke {
    let opened = async {
        phone.launch(SETTINGS, deadline).await?;
        while phone.foreground(deadline).await?.package.as_deref() != Some(SETTINGS) {
            tokio::time::sleep(AGAIN).await;
        }
        phone.capture(Views::All, deadline).await?;
        phone.key(KeyCode::Home, &Precondition::OnScreen, deadline).await
    };
    match opened.await {
        Ok(()) => Smoke::Opened,
        Err(error) => Smoke::Failed(error.to_string()),
    }
}
