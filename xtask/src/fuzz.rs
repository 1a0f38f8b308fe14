//! Runs the fuzzer (libFuzzer) on the doors of the program. It needs no nightly
//! compiler: the counters are a pass of LLVM.

use std::path::Path;
use std::process::{Command, ExitCode};

/// How long each door is tried, unless the caller says.
const SECONDS: &str = "60";
/// The counters that libFuzzer reads.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

/// Why the fuzzer cannot be built here.
pub(crate) fn compiler_is_missing() -> Option<String> {
    let mut compiler = Command::new(std::env::var_os("CXX").unwrap_or_else(|| "c++".into()));
    let works = compiler.arg("--version").output().is_ok_and(|ran| ran.status.success());
    // The fuzzer's own library is C++.
    (!works).then(|| "no C++ compiler: install g++ or clang".to_owned())
}

/// This machine's target. Cargo gets it, so that build scripts are built
/// without the counters.
fn target() -> Option<String> {
    let told = Command::new("rustc").arg("-vV").output().ok()?;
    let told = String::from_utf8(told.stdout).ok()?;
    Some(told.lines().find_map(|line| line.strip_prefix("host: "))?.to_owned())
}

/// Runs the fuzzer as the words say: a door and `--seconds N`, both optional.
pub(crate) fn fuzz(root: &Path, words: &[&str]) -> ExitCode {
    let (door, seconds) = match words {
        [] => (None, SECONDS),
        ["--seconds", seconds] => (None, *seconds),
        [door] => (Some(*door), SECONDS),
        [door, "--seconds", seconds] => (Some(*door), *seconds),
        _ => {
            eprintln!("cargo xtask fuzz [DOOR] [--seconds N]");
            return ExitCode::FAILURE;
        }
    };
    let corpora = root.join("fuzz/corpus");
    let known: Vec<String> = match std::fs::read_dir(&corpora) {
        Ok(folders) => folders.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect(),
        Err(error) => {
            eprintln!("{}: {error}", corpora.display());
            return ExitCode::FAILURE;
        }
    };
    let mut chosen: Vec<&String> =
        known.iter().filter(|name| door.is_none_or(|door| door == *name)).collect();
    chosen.sort();
    if chosen.is_empty() || seconds.parse::<u32>().is_err() {
        eprintln!("the doors are {}; N is a whole number", known.join(", "));
        return ExitCode::FAILURE;
    }
    if let Some(why) = compiler_is_missing() {
        eprintln!("{why}");
        return ExitCode::FAILURE;
    }
    let Some(target) = target() else {
        eprintln!("rustc -vV does not say what this machine is");
        return ExitCode::FAILURE;
    };
    let mut build = Command::new(env!("CARGO"));
    let build = build
        .args(["build", "--release", "--manifest-path", "fuzz/Cargo.toml", "--target", &target])
        .current_dir(root)
        .env("RUSTFLAGS", FLAGS)
        .status();
    if !build.is_ok_and(|status| status.success()) {
        return ExitCode::FAILURE;
    }
    let failed: Vec<&str> = chosen
        .iter()
        .filter(|door| !survives(root, &target, door, seconds))
        .map(|door| door.as_str())
        .collect();
    if failed.is_empty() {
        println!("{} doors, {seconds} seconds each: nothing found", chosen.len());
        return ExitCode::SUCCESS;
    }
    println!("found something: {}; the inputs are in fuzz/artifacts", failed.join(", "));
    ExitCode::FAILURE
}

/// Tries one door. What is new is kept out of the corpus in the repository.
fn survives(root: &Path, target: &str, door: &str, seconds: &str) -> bool {
    println!("== {door}");
    let (found, artifacts) = (root.join("fuzz/found").join(door), root.join("fuzz/artifacts"));
    for folder in [&found, &artifacts] {
        if let Err(error) = std::fs::create_dir_all(folder) {
            eprintln!("{}: {error}", folder.display());
            return false;
        }
    }
    let program = root.join("fuzz/target").join(target).join("release/door");
    let ran = Command::new(program)
        .arg(found)
        .arg(root.join("fuzz/corpus").join(door))
        .args(["-rss_limit_mb=1024", "-timeout=20", "-max_len=65536", "-print_final_stats=1"])
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/{door}-", artifacts.display()))
        .env("DOOR", door)
        .status();
    ran.is_ok_and(|status| status.success())
}
