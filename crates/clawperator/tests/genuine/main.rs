//! The program on a stage: the same lines on two phones that are alike, one of them behind
//! Google's adbd, mksh and toybox, have the same answers. docs/genuine.md.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]
#![allow(clippy::print_stdout, reason = "the test prints what it compared")]
#![cfg(all(target_os = "linux", feature = "sim"))]

#[path = "../../../box/stage/tests/support/stage.rs"]
mod stage;

use serde_json::Value;
use stage::Stage;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Keys whose values differ from run to run.
const OWN: &[&str] = &[
    "capturedAt",
    "commandId",
    "deviceId",
    "deviceSerial",
    "evidence",
    "filePath",
    "from",
    "outputFile",
    "path",
    "pid",
    "runningForSeconds",
    "serial",
    "skillRun",
    "summary",
    "taskId",
    "timestamp",
];

/// How an answer begins that is no failure.
const WORKED: &str = "worked";
/// Passes for the resident server's file; the simulated phone runs no code of it.
const JAR: &[u8] = b"PK\x03\x04 not the real one PK\x05\x06";

/// A phone, and how it is reached.
struct Desk {
    folder: PathBuf,
    /// What `--device` is.
    device: String,
    stage: Option<Stage>,
}

/// Whether there is a stage before a phone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reached {
    Straight,
    OnStage,
}

impl Desk {
    fn new(reached: Reached) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name =
            format!("clawperator-genuine-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("u2.jar"), JAR).unwrap();
        let mut desk = Self { folder, device: String::new(), stage: None };
        let started: Value =
            serde_json::from_slice(&desk.program(&["sim", "start", "--seed", "7"]).output().unwrap().stdout)
                .unwrap();
        desk.device = started["phones"][0]["serial"].as_str().unwrap().to_owned();
        if reached == Reached::OnStage {
            let stage = Stage::open(&desk.device, &[]).unwrap();
            desk.device.clone_from(&stage.address);
            desk.stage = Some(stage);
        }
        desk
    }

    fn program(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clawperator"));
        command.args(args).current_dir(&self.folder).stdin(Stdio::null());
        command
            .env("ANDROID_ADB_SERVER_PORT", "1")
            .env("ADB_PATH", "/nowhere/adb")
            .env("HOME", &self.folder)
            .env("CLAWPERATOR_SIM_DIR", self.folder.join("registry"))
            .env("CLAWPERATOR_LOCK_DIR", self.folder.join("locks"))
            .env("CLAWPERATOR_HOME", self.folder.join("state"))
            .env("CLAWPERATOR_SKILLS_REGISTRY", root().join("skills/skills-registry.json"));
        command
    }

    /// Runs a line of words, with the phone's and the folder's names in their places.
    fn run(&self, line: &[String]) -> Output {
        let words: Vec<String> = line
            .iter()
            .map(|word| word.replace("PHONE", &self.device).replace("FOLDER", self.folder.to_str().unwrap()))
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.program(&words).output().unwrap()
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = self.program(&["sim", "stop", "--all"]).output();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The words of a line as a shell splits them; `'` and `"` quote.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut quote, mut is_word) = (vec![String::new()], None, false);
    for letter in line.chars() {
        match (quote, letter) {
            (None, ' ') if is_word => {
                words.push(String::new());
                is_word = false;
            }
            (None, ' ') => {}
            (None, '\'' | '"') => (quote, is_word) = (Some(letter), true),
            (Some(open), letter) if open == letter => quote = None,
            (_, letter) => {
                words.last_mut().unwrap().push(letter);
                is_word = true;
            }
        }
    }
    words
}

/// An answer without what differs from run to run.
fn comparable(output: &Output, desk: &Desk) -> String {
    fn take_out(value: &mut Value) {
        match value {
            Value::Object(object) => {
                object.retain(|key, _| {
                    !OWN.contains(&key.as_str()) && !key.ends_with("Ms") && !key.ends_with("_ms")
                });
                object.values_mut().for_each(take_out);
            }
            Value::Array(list) => list.iter_mut().for_each(take_out),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let printed = String::from_utf8_lossy(&output.stdout);
    let said = match serde_json::from_str::<Value>(&printed) {
        Ok(mut answer) => {
            take_out(&mut answer);
            format!("{answer:#}")
        }
        Err(_) => printed.into_owned(),
    };
    let said = said.replace(&desk.device, "PHONE").replace(desk.folder.to_str().unwrap(), "FOLDER");
    let worked = if output.status.success() { WORKED } else { "failed" };
    format!("{worked}\n{said}")
}

/// Whether every line is one that works.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    Work,
    MayFail,
}

/// Runs lines on two phones; their answers must be the same. If they are not, once more: the
/// computer may have been busy.
fn twice<L: AsRef<str>>(lines: &[L], kind: Lines) {
    let mut wrong = differences(lines, kind);
    if !wrong.is_empty() {
        println!("run again: {}", wrong.join("\n"));
        wrong = differences(lines, kind);
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
    println!("{} lines have the same answers", lines.len());
}

fn differences<L: AsRef<str>>(lines: &[L], kind: Lines) -> Vec<String> {
    let (straight, staged) = (Desk::new(Reached::Straight), Desk::new(Reached::OnStage));
    let mut wrong = Vec::new();
    for line in lines.iter().map(AsRef::as_ref) {
        let words = words(line);
        let (there, here) = std::thread::scope(|scope| {
            let here = scope.spawn(|| comparable(&straight.run(&words), &straight));
            (comparable(&staged.run(&words), &staged), here.join().unwrap())
        });
        let only = |one: &str, other: &str| -> String {
            let other: Vec<&str> = other.lines().collect();
            let lines = one.lines().filter(|line| !other.contains(line));
            lines.map(|line| format!("  {line}\n")).collect()
        };
        if here != there {
            let (straight, staged) = (only(&here, &there), only(&there, &here));
            wrong.push(format!("{line}\n straight:\n{straight} on the stage:\n{staged}"));
        } else if kind == Lines::Work && !here.starts_with(WORKED) {
            wrong.push(format!("{line}\n does not work:\n{here}"));
        }
    }
    wrong
}

#[test]
fn commands_have_the_same_answers() {
    let lines = [
        "open com.clawperator.conformance --device PHONE",
        "snapshot --view compact --device PHONE",
        "click --text Increment --device PHONE",
        "click --coordinate 194 431 --device PHONE",
        "read --text-contains Counter --device PHONE",
        "find --text Increment --device PHONE",
        "wait --text Increment --device PHONE",
        "press back --device PHONE",
        "press home --device PHONE",
        "press recents --device PHONE",
        "open clawform://login --device PHONE",
        "type 'a b\"c $HOME `id` \\ %s 日本 ; & |' --id com.clawperator.form:id/input_email --device PHONE",
        "observe --device PHONE",
        "screenshot --path FOLDER/screen.png --device PHONE",
        "packages list --third-party --device PHONE",
        "close com.clawperator.form --device PHONE",
        "open com.android.settings --device PHONE",
        "scroll down --device PHONE",
        "scroll-until --text System --device PHONE",
        "drag --coordinate 540 1800 --to-coordinate 540 600 --device PHONE",
        "doctor --device PHONE",
    ];
    twice(&lines, Lines::Work);
}

#[test]
fn the_commands_of_the_readme_and_the_examples_have_the_same_answers() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let lines = readme
        .lines()
        .filter_map(|line| line.strip_prefix("clawperator "))
        .filter(|line| line.contains("--device sim"));
    let lines: Vec<_> = lines
        .map(|line| line.replace("--device sim", "--device PHONE").replace("page.html", "FOLDER/page.html"))
        .collect();
    assert!(lines.len() > 5, "{lines:?}");
    let mut examples: Vec<_> =
        std::fs::read_dir(root().join("examples")).unwrap().map(|file| file.unwrap().path()).collect();
    examples.retain(|file| file.extension().is_some_and(|it| it == "json"));
    examples.sort();
    let examples = examples.iter().map(|file| format!("exec {} --device PHONE", file.display()));
    twice(&lines.into_iter().chain(examples).collect::<Vec<_>>(), Lines::Work);
}

#[test]
fn skills_have_the_same_answers() {
    let mut lines = Vec::new();
    for skill in std::fs::read_dir(root().join("skills")).unwrap().map(Result::unwrap) {
        for world in std::fs::read_dir(skill.path().join("tests")).into_iter().flatten() {
            let world = std::fs::read_to_string(world.unwrap().path()).unwrap();
            let inputs = world.lines().find_map(|line| line.strip_prefix("inputs: {")?.strip_suffix('}'));
            let inputs = inputs.into_iter().flat_map(|inputs| inputs.split(", "));
            let inputs: String =
                inputs.map(|input| format!(" --input '{}'", input.replace(": ", "="))).collect();
            lines.push(format!("skills run {}{inputs} --device PHONE", skill.file_name().display()));
        }
    }
    lines.sort();
    assert!(lines.len() > 10, "{lines:?}");
    twice(&lines, Lines::MayFail);
}

#[test]
fn the_resident_lane_has_the_same_answers() {
    let lines = [
        "lane setup --jar FOLDER/u2.jar --allow-unknown --idle 5 --device PHONE",
        "lane status --device PHONE",
        "open clawform://order --device PHONE",
        "snapshot --view compact --device PHONE",
        "type Ann --id com.clawperator.form:id/input_name --device PHONE",
        "press home --device PHONE",
        "lane stop --device PHONE",
        "lane status --device PHONE",
        "lane remove --device PHONE",
    ];
    twice(&lines, Lines::Work);
}

#[test]
fn a_recording_has_the_same_steps_and_is_replayed() {
    let lines = [
        "record start --session-id one --device PHONE",
        "sim finger touch Settings",
        // Until the recorder has looked.
        "sleep 1500 --device PHONE",
        "sim finger touch Apps",
        "sleep 1500 --device PHONE",
        "sim finger key BACK",
        "sleep 1500 --device PHONE",
        "record stop --device PHONE",
        "record compile",
        "record replay --device PHONE",
    ];
    twice(&lines, Lines::Work);
}
