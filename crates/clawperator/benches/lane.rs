//! One step as an agent takes it, and a task of ten steps, on a simulated phone
//! with the times of a Pixel: ours on both lanes, uiautomator2's own Python
//! client, raw adb. `cargo bench --bench lane` prints medians and ratios.
//!
//! The Python client and adb are those of `cargo xtask foreign`
//! (`target/foreign/venv`); without them only ours is measured, on the lane that
//! needs no file.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops when it cannot run"
)]

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const APP: &str = "com.clawperator.conformance";
const STEPS: usize = 15;
const TASKS: usize = 5;

/// A phone, a server of ours, and a home for both.
struct Bench {
    home: PathBuf,
    serial: String,
    adb: Option<Adb>,
}

/// How a touch and a look are asked for.
#[derive(Clone, Copy, PartialEq)]
enum How {
    /// As one execution, through a server of ours that runs.
    Warm,
    /// As one execution, by a new process that connects to the phone itself.
    Cold,
    /// As two commands, each by such a process.
    ColdTwice,
}

/// An adb server of our own.
struct Adb {
    program: PathBuf,
    python: PathBuf,
    port: u16,
    server: Child,
}

fn main() {
    let is_bench = std::env::args().any(|arg| arg == "--bench");
    if !is_bench {
        // `cargo test --all-targets` only wants to know that it builds.
        return;
    }
    let bench = Bench::start();
    let mut found: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    bench.ours("open", &[APP], "dump");
    let point = bench.point_of("Increment");
    for (what, times) in bench.steps("dump", point, How::Warm) {
        found.insert((what, "ours, dump"), median(times));
    }
    if let Some(adb) = &bench.adb {
        found.insert(("tap + tree, point", "raw adb"), median(bench.raw_adb(adb, point)));
    }
    found.insert(("task, one execution", "ours, dump"), median(bench.task("dump", 2)));
    if let Some(adb) = &bench.adb {
        bench.ours("lane", &["setup"], "auto");
        bench.ours("open", &[APP], "resident");
        for (who, how) in [
            ("ours, resident", How::Warm),
            ("ours, cold", How::Cold),
            ("ours, cold, two commands", How::ColdTwice),
        ] {
            for (what, times) in bench.steps("resident", point, how) {
                found.insert((what, who), median(times));
            }
        }
        found.insert(("task, one execution", "ours, resident"), median(bench.task("resident", TASKS)));
        found.insert(
            ("task, single commands", "ours, resident"),
            median(bench.single_commands("resident", TASKS)),
        );
        for (what, times) in bench.python(adb, point) {
            found.insert((what, "uiautomator2"), median(times));
        }
        bench.ours("lane", &["remove"], "auto");
    } else {
        println!(
            "lane: without target/foreign/venv there is nothing to compare with; see cargo xtask foreign"
        );
    }
    for ((what, who), ms) in &found {
        let peer = found.get(&(what, "uiautomator2"));
        let ratio = peer.map_or(String::new(), |peer| format!("  {:.2} of uiautomator2", ms / peer));
        println!("lane/{what:<24} {who:<24} {ms:>8.0} ms{ratio}");
    }
}

impl Bench {
    fn start() -> Self {
        let home = std::env::temp_dir().join(format!("clawperator-lane-{}", std::process::id()));
        std::fs::create_dir_all(&home).unwrap();
        let mut bench = Self { home, serial: String::new(), adb: None };
        let started = bench.program(&["sim", "start", "--latency", "pixel-like"]).output().unwrap();
        let started: Value = serde_json::from_slice(&started.stdout).unwrap();
        let serial = started["phones"][0]["serial"].as_str().or(started["serial"].as_str());
        bench.serial = serial.unwrap_or_else(|| panic!("{started}")).to_owned();
        bench.adb = Adb::start(&bench);
        let port = free_port().to_string();
        let served = bench.program(&["serve", "--background", "--port", &port]).output().unwrap();
        assert!(served.status.success(), "{served:?}");
        bench
    }

    fn program(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clawperator"));
        command
            .args(args)
            .env("HOME", &self.home)
            .env("CLAWPERATOR_SIM_DIR", self.home.join("sims"))
            .env("CLAWPERATOR_HOME", self.home.join("state"))
            .env("CLAWPERATOR_LOCK_DIR", self.home.join("locks"))
            .env("ANDROID_ADB_SERVER_PORT", "1")
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        if let Some(adb) = &self.adb {
            command.env("CLAWPERATOR_PYTHON", &adb.python);
        }
        command
    }

    /// Runs a command of ours that must succeed.
    fn ours(&self, command: &str, args: &[&str], lane: &str) -> Value {
        let mut words = vec![command];
        words.extend(args);
        words.extend(["--device", &self.serial, "--lane", lane]);
        let output = self.program(&words).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{words:?}: {said}");
        serde_json::from_str(&said).unwrap()
    }

    /// Where an element is.
    fn point_of(&self, text: &str) -> (i64, i64) {
        let found = self.ours("find", &["--text", text], "dump");
        let data = &found["envelope"]["stepResults"][0]["data"];
        let query: Value = serde_json::from_str(data["query"].as_str().unwrap()).unwrap();
        let bounds = &query["nodes"][0]["bounds"];
        let edge = |name: &str| bounds[name].as_i64().unwrap_or_else(|| panic!("{query}"));
        ((edge("left") + edge("right")) / 2, (edge("top") + edge("bottom")) / 2)
    }

    /// A touch and a look.
    fn steps(&self, lane: &str, (x, y): (i64, i64), how: How) -> [(&'static str, Vec<Duration>); 2] {
        let by_point = json!({"coordinate": {"x": x, "y": y}});
        let by_selector = json!({"matcher": {"textEquals": "Increment"}});
        [("tap + tree, point", by_point), ("tap + tree, selector", by_selector)].map(|(what, params)| {
            let touch = json!({"id": "a", "type": "click", "params": params});
            let look = json!({"id": "b", "type": "snapshot_ui"});
            let payloads = match how {
                How::Warm | How::Cold => vec![execution(&[touch, look])],
                How::ColdTwice => vec![execution(&[touch]), execution(&[look])],
            };
            (what, self.timed(&payloads, (lane, how), STEPS))
        })
    }

    fn timed(&self, payloads: &[String], (lane, how): (&str, How), rounds: usize) -> Vec<Duration> {
        let run = || {
            for payload in payloads {
                let mut args = vec![payload.as_str()];
                args.extend((how != How::Warm).then_some("--no-daemon"));
                self.ours("exec", &args, lane);
            }
        };
        // The first one opens connections.
        run();
        let round = |_| {
            let began = Instant::now();
            run();
            began.elapsed()
        };
        (0..rounds).map(round).collect()
    }

    fn task(&self, lane: &str, rounds: usize) -> Vec<Duration> {
        let actions: Vec<Value> =
            task().into_iter().enumerate().map(|(at, action)| numbered(at, action)).collect();
        self.timed(&[execution(&actions)], (lane, How::Warm), rounds)
    }

    fn single_commands(&self, lane: &str, rounds: usize) -> Vec<Duration> {
        let round = |_| {
            let began = Instant::now();
            for (at, action) in task().into_iter().enumerate() {
                self.ours("exec", &[&execution(&[numbered(at, action)])], lane);
            }
            began.elapsed()
        };
        (0..rounds).map(round).collect()
    }

    fn raw_adb(&self, adb: &Adb, (x, y): (i64, i64)) -> Vec<Duration> {
        let on_phone = |args: &[&str]| {
            let mut command = adb.command(&adb.program);
            command.args(["-s", &self.serial]).args(args);
            assert!(command.output().unwrap().status.success(), "{args:?}");
        };
        let tap = format!("input tap {x} {y}");
        let round = |_| {
            let began = Instant::now();
            on_phone(&["shell", &tap]);
            on_phone(&["exec-out", "uiautomator", "dump", "/dev/tty"]);
            began.elapsed()
        };
        (0..STEPS / 2).map(round).collect()
    }

    /// What uiautomator2's own client takes, by its own clock.
    fn python(&self, adb: &Adb, (x, y): (i64, i64)) -> Vec<(&'static str, Vec<Duration>)> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/lane_client.py");
        let mut command = adb.command(&adb.python);
        command.arg(script).args([x.to_string(), y.to_string(), STEPS.to_string(), TASKS.to_string()]);
        let output = command.env("PHONE", &self.serial).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let times: BTreeMap<String, Vec<f64>> = serde_json::from_str(&said).unwrap();
        let of = |name: &str| times[name].iter().map(|s| Duration::from_secs_f64(*s)).collect();
        vec![
            ("tap + tree, point", of("point")),
            ("tap + tree, selector", of("selector")),
            ("task, one execution", of("task")),
            ("task, single commands", of("task")),
        ]
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        for args in [&["serve", "stop"][..], &["sim", "stop", "--all"]] {
            let _ = self.program(args).stdout(Stdio::null()).status();
        }
        if let Some(adb) = &mut self.adb {
            let _ = adb.server.kill();
            let _ = adb.server.wait();
        }
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

impl Adb {
    fn start(bench: &Bench) -> Option<Self> {
        let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/foreign/venv");
        let python = venv.join("bin/python");
        let packages = std::fs::read_dir(venv.join("lib")).ok()?.flatten().next()?.path();
        let program = packages.join("site-packages/adbutils/binaries/adb");
        if !program.is_file() {
            return None;
        }
        let port = free_port();
        let mut server = Command::new(&program);
        server.args(["-P", &port.to_string(), "server", "nodaemon"]);
        server.env("HOME", &bench.home).stdin(Stdio::null());
        server.envs(["ADB_USB", "ADB_LIBUSB", "ADB_MDNS", "ADB_EMU"].map(|name| (name, "0")));
        let server = server.stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
        let adb = Self { program, python, port, server };
        for _ in 0..100 {
            let connected = adb.command(&adb.program).args(["connect", &bench.serial]).output();
            if connected.is_ok_and(|output| output.status.success()) {
                let waited =
                    adb.command(&adb.program).args(["-s", &bench.serial, "wait-for-device"]).status();
                return waited.is_ok_and(|status| status.success()).then_some(adb);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        None
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env("ANDROID_ADB_SERVER_PORT", self.port.to_string()).stdin(Stdio::null());
        command
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Open Settings, find a row below the fold, read a value, back, toggle, verify,
/// home.
fn task() -> Vec<Value> {
    let text = |text: &str| json!({"textEquals": text});
    vec![
        json!({"type": "open_app", "params": {"applicationId": "com.android.settings"}}),
        json!({"type": "wait_for_node", "params": {"matcher": text("Settings")}}),
        json!({"type": "scroll_and_click", "params": {"matcher": text("About phone")}}),
        json!({"type": "read_text", "params": {"matcher": text("Device name")}}),
        json!({"type": "press_key", "params": {"key": "back"}}),
        json!({"type": "scroll_and_click", "params": {"matcher": text("Display"), "direction": "up"}}),
        json!({"type": "click", "params": {"matcher": text("Dark theme")}}),
        json!({"type": "read_text", "params": {"matcher": text("Dark theme")}}),
        json!({"type": "press_key", "params": {"key": "back"}}),
        json!({"type": "press_key", "params": {"key": "home"}}),
    ]
}

fn numbered(at: usize, mut action: Value) -> Value {
    action["id"] = format!("s{at}").into();
    action
}

fn execution(actions: &[Value]) -> String {
    let execution = json!({"commandId": "bench", "taskId": "bench", "source": "bench",
        "expectedFormat": "android-ui-automator", "timeoutMs": 60_000, "actions": actions});
    execution.to_string()
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1_000.0
}
