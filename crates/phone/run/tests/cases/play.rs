//! Runs a case once: everything in memory and on virtual time, so that a wait
//! of ten seconds takes none and ends to the millisecond.

use crate::case::{Case, Route, Sections};
use crate::log;
use crate::shelf::Shelf;
use crate::world::{Switched, World};
use clawperator_contract::{Envelope, Failure, Lane, LaneWish, accept};
use clawperator_phone::{Deadline, LeaseOptions, PackageName, Phone, PhoneLease, ResidentSetup};
use clawperator_run::operator::OperatorApp;
use clawperator_run::{Recordings, RunOptions, Strictness};
use clawperator_ui::read;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The folder of pictures as it is written down.
const PICTURES: &str = "PICTURES";
/// The name of the phone in adb.
const SERIAL: &str = "case";
/// The Operator app.
pub(crate) const OPERATOR: &str = "com.clawperator.operator";
/// How long the Operator app's answer is usually waited for beyond the timeout.
const GRACE_MS: u64 = 600;
/// A longer text of the Operator app is shown by its beginning and its length.
const LONG: usize = 300;

/// The golden sections of the case, or those of the same case on another lane.
pub(crate) fn play(case: &Case, lane: Lane) -> Result<Sections, String> {
    let pictures = Pictures::new();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(Box::pin(played((case, &World::read(case)?), lane, &pictures.0)))
}

/// The golden sections of the case in a world, played on the clock of this runtime.
pub(crate) async fn played(
    (case, world): (&Case, &World),
    lane: Lane,
    pictures: &Path,
) -> Result<Sections, String> {
    let switched = world.switch_on((case.route, lane)).await?;
    let breaks = world.breaks_connections(lane);
    if breaks {
        // That is drawn when a connection begins.
        world.go_wrong(&switched, lane)?;
    }
    let phone = Phone::new(switched.connect().await?, SERIAL);
    let mut lease = PhoneLease::new(phone, LeaseOptions::default());
    if lane == Lane::Resident {
        use_resident(lease.phone()).await?;
        if !breaks {
            world.go_wrong(&switched, lane)?;
        }
    }
    let before = switched.handset.service_calls().len();
    let began = switched.handset.time().uptime();
    for one in world.meanwhile.clone() {
        let switched = switched.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(one.at_ms)).await;
            // The command may end the connection it came over.
            let _ = switched.ask(&one.run).await;
        });
    }
    let reader = world.reader.clone().map(|line| {
        let switched = switched.clone();
        tokio::spawn(async move { switched.ask(&line).await })
    });
    let mut answer = match Box::pin(answered((case, lane), world, &mut lease, pictures)).await {
        Ok(envelope) => serde_json::to_value(envelope).unwrap(),
        Err(failure) => serde_json::to_value(failure).unwrap(),
    };
    let ended = switched.handset.time().uptime();
    let mut asked = switched.handset.service_calls().split_off(before);
    let others = world.meanwhile.iter().map(|one| &one.run).chain(&world.reader);
    let others: Vec<_> = others.collect();
    asked.retain(|one| !others.iter().any(|line| one.service.ends_with(*line)));
    // Calls of the resident server are no commands.
    if lane == Lane::Dump && world.way.is_none() && asked.len() as u64 != lease.phone().round_trips() {
        return Err(format!(
            "the phone was asked {} times, and {} were counted",
            asked.len(),
            lease.phone().round_trips()
        ));
    }
    let mut commands = log::write(&asked, (began, ended));
    if let (Some(line), Some(reader)) = (&world.reader, reader) {
        let said = reader.await.unwrap()?;
        commands.push_str(&format!("reader: {line}\n{said}"));
    }
    commands.push_str(&afterwards(world, &switched).await?);
    look_at_pictures(&mut answer, pictures)?;
    if world.resident_lane.is_none() {
        take_toasts_out(&mut answer);
    }
    let trees = match case.route {
        Route::Host => take_trees_out(&mut answer),
        Route::Operator => {
            shorten(&mut answer);
            Sections::new()
        }
    };
    let mut sections =
        vec![("envelope".to_owned(), format!("{answer:#}\n")), ("commands".to_owned(), commands)];
    sections.extend(trees);
    Ok(sections)
}

async fn use_resident(phone: &Phone) -> Result<(), String> {
    let deadline = Deadline::after(Duration::from_secs(10));
    let found = phone.use_lane(LaneWish::Resident, ResidentSetup::None, deadline);
    found.await.map_err(|error| error.to_string())?;
    // Nothing was done just now: the first look need not wait for an app.
    tokio::time::sleep(Duration::from_secs(1)).await;
    Ok(())
}

/// Accepts and runs the payload.
async fn answered(
    (case, lane): (&Case, Lane),
    world: &World,
    lease: &mut PhoneLease,
    pictures: &Path,
) -> Result<Envelope, Failure> {
    let execution = &accept(case.section("payload").as_bytes())?.execution;
    let route = match case.route {
        Route::Host => clawperator_run::Route::Host,
        Route::Operator => {
            let package = world.package.as_deref().unwrap_or(OPERATOR);
            clawperator_run::Route::Operator(OperatorApp {
                grace: Duration::from_millis(world.grace_ms.unwrap_or(GRACE_MS)),
                ..OperatorApp::new(PackageName::parse(package).unwrap())
            })
        }
    };
    let options = RunOptions {
        route,
        strictness: if world.strict { Strictness::Unique } else { Strictness::First },
        lane: match lane {
            Lane::Dump => LaneWish::Dump,
            // It goes on without a server that was killed.
            Lane::Resident => LaneWish::Auto,
        },
        seed: world.seed,
        pictures: pictures.to_owned(),
        now_ms: 1_767_260_460_000,
        recordings: world.recordings.map(|state| Arc::new(Shelf::new(state)) as Arc<dyn Recordings>),
        vault: world.vault(),
        ..RunOptions::default()
    };
    let stop = async {
        match world.stop_ms {
            Some(0) => {}
            Some(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
            None => std::future::pending().await,
        }
    };
    clawperator_run::run(lease, execution, &options, Box::pin(stop)).await
}

/// What the commands of `after` print on a phone without faults.
async fn afterwards(world: &World, switched: &Switched) -> Result<String, String> {
    switched.handset.faults(|faults| faults.set_plan(Vec::new()));
    // While it runs, nothing else can read the screen.
    let _ = switched.ask("pkill -f com.wetest.uia2.Main").await;
    let mut text = String::new();
    for line in &world.after {
        let said = switched.ask(line).await?;
        text.push_str(&format!("after: {line}\n{said}"));
    }
    Ok(text)
}

/// The results of steps, wherever they stand.
fn steps(answer: &mut Value) -> Vec<&mut Value> {
    let holder = if answer.get("details").is_some() { &mut answer["details"] } else { answer };
    let steps = holder.get_mut("stepResults").and_then(Value::as_array_mut);
    steps.map(|steps| steps.iter_mut().collect()).unwrap_or_default()
}

/// Only one lane sees toasts; a case that runs on both does not tell of them.
fn take_toasts_out(answer: &mut Value) {
    for step in steps(answer) {
        if let Some(data) = step["data"].as_object_mut() {
            for key in ["toasts", "earlier_toasts", "toasts_age_ms"] {
                data.remove(key);
            }
        }
    }
}

/// Every picture that is said to be written is one; its folder is another one
/// every time.
fn look_at_pictures(answer: &mut Value, pictures: &Path) -> Result<(), String> {
    for step in steps(answer) {
        let done = step["success"] == true;
        let Some(path) = step["data"].get_mut("path").filter(|_| done) else {
            continue;
        };
        let named = PathBuf::from(path.as_str().unwrap_or_default());
        let bytes = fs::read(&named).map_err(|error| format!("{}: {error}", named.display()))?;
        if !bytes.starts_with(b"\x89PNG") {
            return Err(format!("{} is no picture", named.display()));
        }
        if let Ok(name) = named.strip_prefix(pictures) {
            *path = Value::from(format!("{PICTURES}/{}", name.display()));
        }
    }
    Ok(())
}

/// A tree reads better in a section of its own.
fn take_trees_out(answer: &mut Value) -> Sections {
    let mut trees = Sections::new();
    for step in steps(answer) {
        let name = format!("{}.xml", step["id"].as_str().unwrap_or_default());
        let Some(text) = step["data"].get_mut("text") else {
            continue;
        };
        let tree = text.as_str().filter(|text| text.starts_with("<?xml"));
        if let Some(tree) = tree {
            trees.push((name.clone(), format!("{tree}\n")));
            *text = Value::from(format!("(in {name})"));
        }
    }
    trees
}

/// What the Operator app answers may be very long; this keeps what tells one
/// answer from another.
fn shorten(value: &mut Value) {
    match value {
        Value::Object(object) => object.values_mut().for_each(shorten),
        Value::Array(list) => list.iter_mut().for_each(shorten),
        Value::String(text) => {
            if let Ok(tree) = read(text) {
                let package = tree.nodes().next().map(|(_, node)| node.package.clone());
                let texts = tree.nodes().map(|(_, node)| node.text.as_str());
                let texts: Vec<_> = texts.filter(|text| !text.is_empty()).take(3).collect();
                *text = format!("[a hierarchy of {} with {texts:?}]", package.unwrap_or_default());
            } else if text.chars().count() > LONG {
                let start: String = text.chars().take(40).collect();
                *text = format!("{start}… [{} characters]", text.chars().count());
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A folder for the pictures of one run, which goes with it.
pub(crate) struct Pictures(pub(crate) PathBuf);

impl Pictures {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("clawperator-cases-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Pictures {
    fn drop(&mut self) {
        // What stays behind is in the folder of temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}
