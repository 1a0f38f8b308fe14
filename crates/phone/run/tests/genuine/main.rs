//! The golden cases on a stage: Google's adbd, mksh and toybox run what this crate sends, and only
//! the commands of the phone's framework are the simulated phone's. `cargo xtask genuine test`
//! runs these; docs/genuine.md.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]
#![allow(clippy::print_stdout, reason = "the test prints what was not applicable")]

#[allow(dead_code, reason = "golden files are written where the phone is in memory")]
#[path = "../cases/case.rs"]
mod case;
#[path = "../cases/log.rs"]
mod log;
#[allow(dead_code, reason = "there is another clock")]
#[path = "../cases/play.rs"]
mod play;
#[path = "../cases/shelf.rs"]
mod shelf;
#[path = "../../../../box/stage/tests/support/stage.rs"]
mod stage;
#[path = "../cases/world.rs"]
mod world;

use case::{Case, Route};
use clawperator_adb::{
    Deadline, Device, DeviceState, HostIdentity, ServerAddress, ServerClient, smart_socket,
};
use clawperator_contract::Lane;
use clawperator_sim::{Handset, HostKeys, Welcome, serve};
use futures_core::future::BoxFuture;
use play::{Pictures, played};
use stage::Stage;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use world::{Way, World};

/// How many cases run at the same time. Most of the time they wait.
const WORKERS: usize = 8;
/// A case that takes longer than this on a clock of its own is left out, for time.
const LONGEST_MS: u64 = 8_000;
/// Faults that strike when the phone is asked for a service: on a stage each stand-in asks for one,
/// so they strike elsewhere.
const OF_SERVICES: &[&str] = &[
    "answer_lost",
    "connection_",
    "focus_stolen",
    "hang_up",
    "incoming_call",
    "missed_call",
    "reboot",
    "rotation",
];
/// Cases whose answer depends on how long a look takes.
const OF_TIME: &[&str] = &["169_scroll_until_grows", "196_timeout_in_a_retry"];

/// A stage before the phone of one case.
#[derive(Debug)]
struct OnStage {
    kind: &'static [&'static str],
    /// The adb server between.
    server: Option<u16>,
    stage: Mutex<Option<Arc<Stage>>>,
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(20))
}

impl OnStage {
    async fn stage(&self, handset: &Arc<Handset>) -> Result<Arc<Stage>, String> {
        if let Some(stage) = &*self.stage.lock().unwrap() {
            return Ok(Arc::clone(stage));
        }
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let phone = listener.local_addr().unwrap().to_string();
        let welcome = Welcome { keys: HostKeys::NotAsked, ..Welcome::default() };
        tokio::spawn(serve(Arc::clone(handset), listener, welcome));
        let stage = Arc::new(Stage::open(&phone, self.kind)?);
        *self.stage.lock().unwrap() = Some(Arc::clone(&stage));
        Ok(stage)
    }
}

impl Way for OnStage {
    fn connect<'w>(&'w self, handset: &'w Arc<Handset>) -> BoxFuture<'w, Result<Device, String>> {
        Box::pin(async move {
            let address = self.stage(handset).await?.address.clone();
            let Some(port) = self.server else {
                let banner = "host::features=shell_v2,cmd".to_owned();
                let host = HostIdentity { banner, key: None, name: "me@here".to_owned() };
                return Device::connect(&address, &host, soon()).await.map_err(|error| error.to_string());
            };
            let server = ServerClient::new(ServerAddress::new("127.0.0.1", port), "adb".into());
            let limit = soon();
            let through = async {
                server.connect(&address, limit).await?;
                loop {
                    let known = server.devices(limit).await?;
                    if known.iter().any(|one| one.serial == address && one.state == DeviceState::Device) {
                        return Device::on_server(server.clone(), &address, limit).await;
                    }
                }
            };
            through.await.map_err(|error| error.to_string())
        })
    }
}

impl Drop for OnStage {
    fn drop(&mut self) {
        if let (Some(port), Some(stage)) = (self.server, &*self.stage.lock().unwrap()) {
            // The next stage may have the same address.
            let forget = smart_socket::encode(&format!("host:disconnect:{}", stage.address)).unwrap();
            let server = TcpStream::connect(("127.0.0.1", port));
            let forgotten = server.and_then(|mut server| {
                server.write_all(&forget)?;
                server.read_to_end(&mut Vec::new())
            });
            forgotten.map_or_else(|error| println!("adb's server is gone: {error}"), drop);
        }
    }
}

/// Google's adb server, on a port of its own.
struct Adb {
    _home: Pictures,
    port: u16,
    child: Child,
}

impl Adb {
    fn start() -> Self {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let home = Pictures::new();
        let mut server = stage::program("adb");
        server.args(["-P", &port.to_string(), "server", "nodaemon"]).env("HOME", &home.0);
        let child = server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut adb = Self { _home: home, port, child };
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(adb.child.try_wait().unwrap().is_none(), "the adb server has ended");
            std::thread::yield_now();
        }
        adb
    }
}

impl Drop for Adb {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How a case ended on the stage.
enum Verdict {
    Passed,
    NotApplicable(&'static str),
    Wrong(String),
}

fn verdict(case: &Case, way: &PlayedWay) -> Verdict {
    let lane = way.lane;
    let mut world = match World::read(case) {
        Ok(world) => world,
        Err(error) => return Verdict::Wrong(error),
    };
    if let Some(why) = not_applicable(case, &world, lane) {
        return Verdict::NotApplicable(why);
    }
    let stage = Mutex::default();
    world.way = Some(Arc::new(OnStage { kind: way.kind, server: way.server, stage }));
    let pictures = Pictures::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let found = runtime.block_on(Box::pin(played((case, &world), lane, &pictures.0)));
    let found = found.map(|mut found| {
        // That answer is compared where the phone is in memory.
        if world.resident_differs.is_some() {
            found.push(("resident".to_owned(), case.section("resident").to_owned()));
        }
        found
    });
    match found.map(|found| case.compare_answer(&found)) {
        Ok(None) => Verdict::Passed,
        Ok(Some(difference)) => Verdict::Wrong(difference),
        Err(error) => Verdict::Wrong(format!("{}: {error}", case.name)),
    }
}

/// Why a case cannot be played on a stage, if it cannot.
fn not_applicable(case: &Case, world: &World, lane: Lane) -> Option<&'static str> {
    let goes_wrong = |fault: &String| OF_SERVICES.iter().any(|name| fault.starts_with(name));
    let answer = case.section("envelope");
    let times_out =
        case.route == Route::Host && ["TIMEOUT", "MAX_DURATION"].iter().any(|word| answer.contains(word));
    let has_clock = !world.meanwhile.is_empty() || world.stop_ms.is_some() || world.latency.is_some();
    let end = case.section("commands").lines().rev().find_map(|line| line.split_once(" the end;"));
    let took = end.and_then(|(ms, _)| ms.trim().parse().ok()).unwrap_or(0);
    let reasons = [
        (world.features.is_some(), "the adbd of a stage has features of its own"),
        ((lane == Lane::Resident) != world.resident_lane.is_some(), "it plays on the other lane"),
        (world.faults_of(lane).iter().any(goes_wrong), "its faults count the phone's services"),
        (has_clock || times_out || OF_TIME.contains(&case.name.as_str()), "it needs a clock of its own"),
        (took > LONGEST_MS, "it takes too long"),
    ];
    reasons.into_iter().find_map(|(applies, why)| applies.then_some(why))
}

/// A case, and how it is played.
struct Turn<'t> {
    case: Case,
    way: &'t PlayedWay,
}

/// One way to play all cases.
struct PlayedWay {
    name: &'static str,
    lane: Lane,
    server: Option<u16>,
    /// The kind of stage.
    kind: &'static [&'static str],
    /// Of how many cases one is played.
    step: usize,
}

impl PlayedWay {
    const STRAIGHT: Self = Self { name: "straight", lane: Lane::Dump, server: None, kind: &[], step: 1 };
}

/// What came of all turns: how many passed, how many had each reason not to be played, and what
/// went wrong.
#[derive(Default)]
struct Tally<'t> {
    passed: BTreeMap<&'t str, usize>,
    left_out: BTreeMap<(&'t str, &'static str), usize>,
    wrong: Vec<(Turn<'t>, String)>,
}

fn play<'t>(turn: Turn<'t>, tally: &Mutex<Tally<'t>>) {
    let verdict = verdict(&turn.case, turn.way);
    let mut tally = tally.lock().unwrap();
    match verdict {
        Verdict::Passed => *tally.passed.entry(turn.way.name).or_default() += 1,
        Verdict::NotApplicable(why) => *tally.left_out.entry((turn.way.name, why)).or_default() += 1,
        Verdict::Wrong(how) => tally.wrong.push((turn, how)),
    }
}

#[test]
fn every_case_gives_its_golden_answer_on_a_stage() {
    let adb = Adb::start();
    let ways = [
        PlayedWay::STRAIGHT,
        PlayedWay { name: "through adb's server", server: Some(adb.port), ..PlayedWay::STRAIGHT },
        PlayedWay { name: "on the resident lane", lane: Lane::Resident, ..PlayedWay::STRAIGHT },
        PlayedWay { name: "like Android 7", kind: &["7"], step: 8, ..PlayedWay::STRAIGHT },
    ];
    let turns = ways
        .iter()
        .flat_map(|way| Case::selected().into_iter().step_by(way.step).map(move |case| Turn { case, way }));
    let (turns, tally) = (Mutex::new(turns.collect::<Vec<_>>()), Mutex::new(Tally::default()));
    let next = || turns.lock().unwrap().pop();
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(turn) = next() {
                    play(turn, &tally);
                }
            });
        }
    });
    // The computer may have been busy.
    let again = std::mem::take(&mut tally.lock().unwrap().wrong);
    for (turn, how) in again {
        println!("{}, played again alone: {how}", turn.way.name);
        play(turn, &tally);
    }
    let tally = tally.into_inner().unwrap();
    tally.passed.iter().for_each(|(way, count)| println!("{way}: {count} passed"));
    for ((way, why), count) in &tally.left_out {
        println!("{way}: {count} not applicable: {why}");
    }
    let wrong: Vec<_> = tally.wrong.iter().map(|(turn, how)| format!("{}: {how}", turn.way.name)).collect();
    assert!(wrong.is_empty(), "{} wrong\n\n{}", wrong.len(), wrong.join("\n"));
}

/// Mistakes in what the shell is given, planted by a script of sed: the kind of stage that finds
/// each, and a case that goes wrong there. Three begin each line with what a phone may lack; one
/// takes the quotes from a value.
const PLANTED: &[(&[&str], &str)] = &[
    (&["14", "1s/^/r() { true; }; r || exit 9; /"], "001_click"),
    (&["14", "s/\\(set -- .text. \\)./\\1/"], "118_enter_text_odd_ascii"),
    (&["7", "1s/^/echo word | head -c 1 >\\/dev\\/null || exit 9; /"], "001_click"),
    (&["7", "1s/^/cat >\\/dev\\/null <<E || exit 9\\nhere\\nE\\n/"], "001_click"),
];

#[test]
fn planted_mistakes_are_found() {
    let wrong = |kind, name: &str| {
        let case = Case::selected().into_iter().find(|case| case.name.starts_with(name)).unwrap();
        match verdict(&case, &PlayedWay { kind, ..PlayedWay::STRAIGHT }) {
            Verdict::Passed => false,
            Verdict::Wrong(_) => true,
            Verdict::NotApplicable(why) => panic!("{name}: {why}"),
        }
    };
    for (kind, name) in PLANTED {
        assert!(wrong(kind, name), "{kind:?} was not found");
        let harmless: &[&str] = if kind[0] == "7" { &["7", "s/^//"] } else { &["14", "s/^//"] };
        assert!(!wrong(harmless, name), "{name}");
    }
}
