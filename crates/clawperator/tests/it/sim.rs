//! The simulated phone as processes: they start, are found, answer and end.

use crate::{clawperator, text};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A place for phones that no other test knows. What is left in it ends with
/// it.
pub(crate) struct Place {
    pub(crate) folder: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("clawperator-it-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder).unwrap();
        Self { folder }
    }

    pub(crate) fn registry(&self) -> PathBuf {
        self.folder.join("registry")
    }

    pub(crate) fn command(&self, args: &[&str]) -> std::process::Command {
        let mut command = self.program();
        command.arg("sim").args(args);
        command
    }

    /// The program, with phones of its own.
    pub(crate) fn program(&self) -> std::process::Command {
        let mut command = clawperator();
        command
            .env("CLAWPERATOR_SIM_DIR", self.registry())
            // A key of its own, too.
            .env("HOME", &self.folder)
            .env("CLAWPERATOR_LOCK_DIR", self.folder.join("locks"))
            .env("CLAWPERATOR_HOME", self.folder.join("state"));
        command
    }

    pub(crate) fn output(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Runs a command that prints JSON.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let printed = text(&self.output(args));
        serde_json::from_str(&printed).unwrap_or_else(|_| panic!("{args:?} printed {printed}"))
    }

    pub(crate) fn code(&self, args: &[&str]) -> String {
        let answer = self.json(args);
        answer["code"].as_str().unwrap_or_else(|| panic!("{args:?} printed {answer}")).to_owned()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let list = self.json(&["list"]);
        let phones = list["phones"].as_array().unwrap().iter();
        phones.map(|phone| phone["name"].as_str().unwrap().to_owned()).collect()
    }

    /// The processes that its files name.
    pub(crate) fn pids(&self) -> Vec<i32> {
        let Ok(files) = std::fs::read_dir(self.registry()) else {
            return Vec::new();
        };
        let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
        let names = names.filter(|name| name.ends_with(".json"));
        names.filter_map(|name| name.split('-').next()?.parse().ok()).collect()
    }

    /// A process's file in the registry with this extension.
    fn file_of(&self, pid: i32, extension: &str) -> Option<PathBuf> {
        let files = std::fs::read_dir(self.registry()).ok()?;
        let mut paths = files.filter_map(|file| Some(file.ok()?.path()));
        let start = format!("{pid}-");
        paths.find(|path| {
            path.extension().is_some_and(|it| it == extension)
                && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&start))
        })
    }

    /// What a process has written into the registry.
    pub(crate) fn entry(&self, pid: i32) -> Value {
        let path = self.file_of(pid, "json").unwrap();
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    /// Waits until a process of phones has ended: then its lock is free.
    pub(crate) fn wait_for_end(&self, pid: i32) {
        if let Some(path) = self.file_of(pid, "lock") {
            std::fs::File::open(path).unwrap().lock().unwrap();
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for pid in self.pids() {
            let _ = kill(pid, "KILL");
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

pub(crate) fn kill(pid: i32, signal: &str) -> nix::Result<()> {
    let signal: nix::sys::signal::Signal = format!("SIG{signal}").parse()?;
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), signal)
}

pub(crate) fn is_gone(pid: i32) -> bool {
    // A process that its parent has not asked about yet is still listed, as a zombie.
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let zombie = status.rsplit(')').next().is_some_and(|rest| rest.starts_with(" Z"));
    zombie || nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), None).is_err()
}

pub(crate) fn within(time: Duration, mut happened: impl FnMut() -> bool) -> bool {
    let since = Instant::now();
    while since.elapsed() < time {
        if happened() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

#[test]
fn a_phone_starts_shows_its_screen_and_stops() {
    let place = Place::new();
    let started = place.json(&["start", "--seed", "7"]);
    assert_eq!(started["phones"][0]["name"], "sim-1");
    assert_eq!((&started["seed"], &started["latency"]), (&7.into(), &"none".into()));
    let port = started["phones"][0]["port"].as_u64().unwrap();
    assert!(!(5555..=5585).contains(&port));
    assert!(std::net::TcpStream::connect(("127.0.0.1", port as u16)).is_ok());
    assert_eq!(place.names(), ["sim-1"]);

    let status = place.json(&["status", &format!("127.0.0.1:{port}")]);
    assert_eq!(status["deviceSerial"], "SIM0001");
    assert_eq!((&status["screen"], &status["seed"]), (&"on".into(), &7.into()));

    let file = place.folder.join("screen.png");
    let path = file.to_str().unwrap();
    let shown = text(&place.output(&["screen", "--out", path, "--tree"]));
    assert!(shown.contains("TextView \"Settings\" #icon ["), "{shown}");
    let png = std::fs::read(&file).unwrap();
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
    assert_eq!(png[16..24], [0, 0, 4, 56, 0, 0, 9, 96], "1080 by 2400");
    assert!(png.ends_with(b"IEND\xaeB`\x82"));
    let json = place.json(&["screen", "sim-1", "--tree", "--json"]);
    assert_eq!(json["bytes"], png.len());
    assert!(json["tree"].as_str().unwrap().contains("nexuslauncher"));
    let printed = place.output(&["screen", "--out", "-"]);
    assert_eq!(printed.stdout[..8], png[..8], "the picture and nothing else");
    assert!(printed.stdout.ends_with(b"IEND\xaeB`\x82"));
    let drawn = text(&place.output(&["screen", "--columns", "20"]));
    assert!(drawn.contains("\u{1b}[38;2;") && drawn.contains('▀'));
    assert_eq!(place.code(&["screen", "--out", "/nowhere/at/all.png"]), "FILE_WRITE_FAILED");

    assert_eq!(place.code(&["stop", "sim-9"]), "SIM_NOT_RUNNING");
    let pid = started["pid"].as_i64().unwrap() as i32;
    assert_eq!(place.json(&["stop"])["stopped"][0], "sim-1");
    assert!(place.names().is_empty() && place.pids().is_empty());
    assert_eq!(place.file_of(pid, "lock"), None);
    assert!(std::net::TcpStream::connect(("127.0.0.1", port as u16)).is_err());
}

#[test]
fn a_screen_is_shown_though_no_phone_runs_yet() {
    let place = Place::new();
    let output = place.output(&["screen", "--tree"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("starting one"));
    assert!(String::from_utf8_lossy(&output.stdout).contains("\"Settings\""));
    assert_eq!(place.names(), ["sim-1"]);
}

/// Its starter reads to the end of its output: a phone that kept the
/// pipe open would keep that reader waiting.
#[test]
fn a_background_phone_lets_go_of_its_starter() {
    let place = Place::new();
    let mut child = place.command(&["start"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert!(within(Duration::from_secs(10), || child.try_wait().unwrap().is_some()));
    let since = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(since.elapsed() < Duration::from_secs(2));
    let started: Value = serde_json::from_str(&text(&output)).unwrap();
    let pid = started["pid"].as_i64().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    if let Some(group) = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(2)) {
        assert_eq!(group, pid.to_string(), "it has a process group of its own");
    }
    assert_eq!(place.names(), ["sim-1"]);
}

#[test]
fn a_phone_that_was_killed_is_forgotten() {
    let place = Place::new();
    let pid = place.json(&["start"])["pid"].as_i64().unwrap() as i32;
    kill(pid, "KILL").unwrap();
    place.wait_for_end(pid);
    assert!(place.names().is_empty());
    assert_eq!(place.code(&["status"]), "SIM_NOT_RUNNING");
    assert!(place.pids().is_empty());
    assert_eq!(place.json(&["start"])["phones"][0]["name"], "sim-1");
}

#[test]
fn phones_of_one_process_are_told_apart() {
    let place = Place::new();
    let started = place.json(&["start", "--count", "3", "--time", "virtual", "--fault", "reboot@0%"]);
    assert_eq!(place.names(), ["sim-1", "sim-2", "sim-3"]);
    // What ends a phone must name it.
    let answer = place.json(&["stop"]);
    assert_eq!(answer["code"], "SIM_AMBIGUOUS", "{answer}");
    assert!(answer["message"].as_str().unwrap().contains("sim-1, sim-2, sim-3"));
    // Everything else takes the phone that was used last.
    assert_eq!(place.json(&["status"])["name"], "sim-1");
    assert_eq!(place.json(&["advance", "1500", "sim-2"])["uptimeMs"], 1500);
    assert_eq!(place.json(&["status"])["uptimeMs"], 1500);
    assert_eq!(place.json(&["status", "--device", "sim"])["name"], "sim-2");
    assert_eq!(place.json(&["faults"])["phone"], "sim-2");
    assert_eq!(place.json(&["status", "sim-2"])["uptimeMs"], 1500);
    assert_eq!(place.json(&["status", "sim-3"])["uptimeMs"], 0);
    let seed = started["seed"].as_u64().unwrap();
    assert_eq!(place.json(&["status", "sim-3"])["seed"], seed + 2);
    assert_eq!(place.json(&["list"])["phones"][1]["seed"], seed + 1);

    let faults = place.json(&["faults", "sim-2", "--set", "dump_stale@5%x2,offline", "--set", "rotation+1"]);
    let plan = serde_json::json!(["dump_stale@5%x2", "offline", "rotation+1"]);
    assert_eq!(faults["plan"], plan);
    assert_eq!(place.json(&["status", "sim-2"])["faults"]["plan"], plan);
    assert_eq!(place.json(&["faults", "SIM0001"])["plan"], serde_json::json!(["reboot@0%"]));
    assert_eq!(place.json(&["faults", "sim-2", "--clear"])["plan"], serde_json::json!([]));

    assert_eq!(place.json(&["stop", "sim-2"])["stopped"][0], "sim-2");
    assert_eq!(place.names(), ["sim-1", "sim-3"]);
    let second = place.json(&["start", "--count", "2"]);
    assert_eq!(second["phones"][0]["name"], "sim-2", "the lowest number that is free");
    assert_eq!(second["phones"][1]["name"], "sim-4");
    place.json(&["stop", "--all"]);
    assert!(place.pids().is_empty());
}

/// A process in the foreground, and its first line.
fn in_foreground(place: &Place, args: &[&str]) -> (Child, Value) {
    let mut child =
        place.command(&["start", "--foreground"]).args(args).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (child, serde_json::from_str(&line).unwrap())
}

#[test]
fn a_phone_in_the_foreground_ends_cleanly_when_it_is_told_to() {
    for signal in ["TERM", "INT"] {
        let place = Place::new();
        let (mut child, said) = in_foreground(&place, &["--no-auth"]);
        assert_eq!(said["pid"], child.id());
        assert_eq!(place.names(), ["sim-1"]);
        kill(child.id() as i32, signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
        assert!(place.pids().is_empty());
    }
}

#[test]
fn a_phone_that_nobody_uses_ends_by_itself() {
    let place = Place::new();
    let (mut child, _) = in_foreground(&place, &["--idle", "0.005"]);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(place.pids().is_empty());
}

#[test]
fn a_port_that_is_taken_is_a_clear_error() {
    let place = Place::new();
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for more in [&[][..], &["--foreground"]] {
        let args = [&["start", "--port", &port][..], more].concat();
        let answer = place.json(&args);
        assert_eq!(answer["code"], "SIM_START_FAILED", "{answer}");
        assert!(answer["message"].as_str().unwrap().contains(&port), "{answer}");
    }
    assert!(place.pids().is_empty());
}

#[test]
fn bad_app_files_are_named_with_line_and_column() {
    let place = Place::new();
    let apps = place.folder.join("apps");
    std::fs::create_dir(&apps).unwrap();
    let write = |name: &str, content: &str| {
        let path = apps.join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    write("bad.yaml", "package: com.example.bad\nscreens: [\n");
    let odd = write("odd.yaml", "package: com.example.odd\nlabel: Odd\nwheels: 4\n");
    write("readme.txt", "not an app");
    let answer = place.json(&["start", "--apps", apps.to_str().unwrap()]);
    assert_eq!(answer["code"], "SIM_APP_INVALID");
    let problems = answer["details"]["problems"].to_string();
    assert!(problems.contains("bad.yaml:") && problems.contains("odd.yaml:3:1"), "{answer}");

    let output = place.output(&["check", apps.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let shown = text(&output);
    assert!(shown.contains("  3 | wheels: 4\n    | ^\n"), "{shown}");
    let json = place.json(&["check", &odd, "--json"]);
    assert_eq!((&json["ok"], &json["files"][0]["problems"][0]["line"]), (&false.into(), &3.into()));
    assert_eq!(place.json(&["check", "/nowhere.yaml", "--json"])["ok"], false);
    let good = crate::root().join("crates/box/sim/apps/form.yaml");
    let output = place.output(&["check", good.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output).contains("fine"));
}

#[test]
fn an_app_of_one_s_own_is_on_the_phone() {
    let place = Place::new();
    let apps = place.folder.join("apps");
    std::fs::create_dir(&apps).unwrap();
    let own = include_str!("../../../box/sim/apps/form.yaml")
        .replace("com.clawperator.form", "com.example.own")
        .replace("label: Form", "label: Mine");
    std::fs::write(apps.join("own.yaml"), &own).unwrap();
    std::fs::write(apps.join("twin.yaml"), own).unwrap();
    let folder = apps.to_str().unwrap();
    assert_eq!(place.code(&["start", "--apps", folder]), "SIM_APP_INVALID");
    std::fs::remove_file(apps.join("twin.yaml")).unwrap();
    place.json(&["start", "--apps", apps.to_str().unwrap()]);
    let shown = text(&place.output(&["screen", "--tree"]));
    assert!(shown.contains("\"Mine\"") && shown.contains("\"Form\""), "{shown}");
}

#[test]
fn a_folder_that_others_could_have_made_is_refused() {
    let place = Place::new();
    let elsewhere = place.folder.join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, place.registry()).unwrap();
    for args in [&["list"][..], &["start"], &["screen"]] {
        assert_eq!(place.code(args), "SIM_REGISTRY_UNSAFE");
    }
    std::fs::remove_file(place.registry()).unwrap();
    std::fs::write(place.registry(), "").unwrap();
    assert_eq!(place.code(&["list"]), "SIM_REGISTRY_UNSAFE");
    std::fs::remove_file(place.registry()).unwrap();
}

#[test]
fn the_registry_is_nobody_else_s_to_read() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.json(&["start"]);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place.registry()), 0o700);
    for file in std::fs::read_dir(place.registry()).unwrap() {
        assert_eq!(mode(&file.unwrap().path()), 0o600);
    }
}

#[test]
fn who_does_not_know_the_token_gets_nothing() {
    use std::io::{Read, Write};
    let place = Place::new();
    let pid = place.json(&["start"])["pid"].as_i64().unwrap();
    let entry = place.entry(i32::try_from(pid).unwrap());
    let control = entry["control"].as_u64().unwrap() as u16;
    let ask = |letter: &[u8]| {
        let mut socket = std::net::TcpStream::connect(("127.0.0.1", control)).unwrap();
        let _ = socket.write_all(letter);
        let mut said = String::new();
        let _ = socket.read_to_string(&mut said);
        said
    };
    for letter in [
        &b"{\"token\":\"\",\"ask\":{\"do\":\"stop\",\"phones\":[\"sim-1\"]}}\n"[..],
        b"{\"token\":\"00000000000000000000000000000000\",\"ask\":{\"do\":\"hello\"}}\n",
        b"{\"ask\":{\"do\":\"hello\"}}\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\n",
        b"\xff\xfe\n",
    ] {
        assert!(ask(letter).starts_with("{\"error\":"), "{letter:?}");
    }
    ask(&[b' '; 3 << 20]);
    let token = entry["token"].as_str().unwrap();
    let letter = format!("{{\"token\":\"{token}\",\"ask\":{{\"do\":\"hello\"}}}}\n");
    assert_eq!(ask(letter.as_bytes()), "{\"ok\":{}}\n");
    assert_eq!(place.names(), ["sim-1"]);
}

#[test]
fn phones_that_start_at_the_same_time_get_names_of_their_own() {
    let place = Place::new();
    let start = || place.command(&["start"]).stdout(Stdio::null()).spawn().unwrap();
    let starting: Vec<_> = (0..4).map(|_| start()).collect();
    for mut child in starting {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(place.names(), ["sim-1", "sim-2", "sim-3", "sim-4"]);
    place.json(&["stop", "--all"]);
    assert!(place.pids().is_empty());
}

/// The number of a process that is gone can have come to another one, and its
/// port too.
#[test]
fn what_only_looks_like_a_phone_is_passed_over() {
    let place = Place::new();
    place.json(&["start"]);
    place.json(&["stop"]);
    let closed = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = closed.local_addr().unwrap().port();
    drop(closed);
    let mut other = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let pid = other.id();
    let entry = serde_json::json!({"pid": pid, "control": port, "token": "t", "started_ms": 0, "seed": 0,
        "latency": "none", "time": "real",
        "phones": [{"number": 1, "name": "sim-1", "serial": "127.0.0.1:1", "port": 1, "seed": 0}]});
    let stale = place.registry().join(format!("{pid}.json"));
    std::fs::write(&stale, entry.to_string()).unwrap();
    std::fs::write(place.registry().join("x.json"), b"\xff{").unwrap();
    std::fs::write(place.registry().join("y.json"), "{\"pid\":\"1\"}").unwrap();
    assert_eq!(place.json(&["start"])["phones"].as_array().unwrap().len(), 1);
    assert_eq!(place.names().len(), 1);
    let removed = !stale.exists();
    other.kill().unwrap();
    other.wait().unwrap();
    assert!(removed);
}

/// A container can share the folder and number its processes as it likes.
#[test]
fn a_phone_of_another_namespace_is_not_forgotten() {
    let place = Place::new();
    place.json(&["start"]);
    place.json(&["stop"]);
    let file = place.registry().join("999999999-1.json");
    let entry = serde_json::json!({"pid": 999_999_999, "control": 1, "token": "t", "started_ms": 0, "seed": 0,
        "latency": "none", "time": "real",
        "phones": [{"number": 1, "name": "sim-1", "serial": "127.0.0.1:1", "port": 1, "seed": 0}]});
    std::fs::write(&file, entry.to_string()).unwrap();
    let lock = std::fs::File::create(file.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    assert_eq!(place.json(&["start"])["phones"][0]["name"], "sim-2");
    assert_eq!(place.names(), ["sim-1", "sim-2"]);
    assert!(file.exists());
    drop(lock);
    assert_eq!(place.names(), ["sim-2"]);
    assert!(!file.exists() && !file.with_extension("lock").exists());
}

/// A dump of a screen with one button.
fn dump_with(button: &str) -> String {
    let rest = r#"checkable="false" checked="false" enabled="true" focusable="true" focused="false" scrollable="false" long-clickable="false" password="false" selected="false""#;
    format!(
        r#"<hierarchy rotation="0"><node index="0" text="" resource-id="" class="android.widget.FrameLayout" package="com.example.shop" content-desc="" clickable="false" {rest} bounds="[0,0][720,1600]"><node index="0" text="{button}" resource-id="com.example.shop:id/go" class="android.widget.Button" package="com.example.shop" content-desc="" clickable="true" {rest} bounds="[40,200][680,300]" /></node></hierarchy>"#
    )
}

#[test]
fn dumps_are_shown_as_screens_that_follow_each_other() {
    let place = Place::new();
    let files = ["Sign in", "Pay"].map(|button| {
        let file = place.folder.join(format!("{button}.xml"));
        std::fs::write(&file, dump_with(button)).unwrap();
        file.to_str().unwrap().to_owned()
    });
    place.json(&["start"]);
    let shown = place.json(&["dump", &files[0], &files[1]]);
    assert_eq!(shown["phone"], "sim-1", "{shown}");
    assert_eq!((&shown["width"], &shown["height"]), (&720.into(), &1600.into()));
    assert_eq!(shown["screens"][1]["component"], "com.example.shop/.Screen2");
    let run = |words: &[&str]| -> Value {
        let out = place.program().args(words).args(["--device", "sim"]).output().unwrap();
        serde_json::from_str(&text(&out)).unwrap()
    };
    let read = run(&["read", "--id", "com.example.shop:id/go"]);
    assert_eq!(read["envelope"]["stepResults"][0]["data"]["text"], "Sign in", "{read}");
    run(&["click", "--text", "Sign in"]);
    let waited = run(&["wait", "--text", "Pay"]);
    assert_eq!(waited["envelope"]["status"], "success", "{waited}");
    // Nothing of it is left beside the registry's own files.
    let left = std::fs::read_dir(place.registry()).unwrap();
    let left = left.filter(|file| file.as_ref().unwrap().path().extension().is_some_and(|end| end == "yaml"));
    assert_eq!(left.count(), 0);

    let world = place.folder.join("world.yaml");
    let world = world.to_str().unwrap();
    assert_eq!(place.json(&["dump", &files[0], "--out", world])["world"], world);
    assert_eq!(place.json(&["check", world, "--json"])["ok"], true);
    std::fs::write(&files[1], "ERROR: could not get idle state.").unwrap();
    assert_eq!(place.code(&["dump", &files[1]]), "SIM_APP_INVALID");
}
