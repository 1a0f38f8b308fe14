//! What one `exec --validate-only` and one click on a simulated phone cost as
//! processes, beside the cheapest process there is: `cargo bench --bench process`
//! ends with a failure if one is over its limit.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops when it cannot run"
)]

use nix::sys::resource::{UsageWho, getrusage};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 300;
const LIMIT_MS: f64 = 5.0;
const LIMIT_MIB: f64 = 12.0;
const LIMIT_CLICK_MS: f64 = 25.0;

/// Something that was measured, and the most it may be.
struct Measure {
    what: &'static str,
    found: f64,
    limit: f64,
    unit: &'static str,
}

impl Measure {
    fn line(&self) -> String {
        let Self { what, found, limit, unit } = self;
        let part = found / limit;
        format!("process/{what:<28} {found:.2} {unit} (limit {limit} {unit}: {part:.2} of it)")
    }
}

fn main() -> ExitCode {
    // `cargo test --all-targets` only wants to know that it builds and runs.
    let is_bench = std::env::args().any(|arg| arg == "--bench");
    let rounds = if is_bench { ROUNDS } else { 1 };
    let payload = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/open-settings.json");
    let mut ours = Command::new(env!("CARGO_BIN_EXE_clawperator"));
    ours.args(["exec", "--validate-only"]).arg(payload);
    let ours_ms = median_ms(&mut ours, rounds);
    // Linux reports the largest child so far, and never less than this process.
    let peak_mib = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss() as f64 / 1024.0;
    let floor_ms = median_ms(&mut Command::new("true"), rounds);
    println!(
        "process/true: median {floor_ms:.2} ms of {rounds}; exec --validate-only takes {:.1} times as long",
        ours_ms / floor_ms
    );
    let measures = [
        Measure { what: "exec --validate-only, median", found: ours_ms, limit: LIMIT_MS, unit: "ms" },
        Measure { what: "its peak memory", found: peak_mib, limit: LIMIT_MIB, unit: "MiB" },
        Measure {
            what: "click on a phone, median",
            found: click_ms(rounds.min(100)),
            limit: LIMIT_CLICK_MS,
            unit: "ms",
        },
    ];
    measures.iter().for_each(|measure| println!("{}", measure.line()));
    let over = measures.iter().filter(|measure| measure.found > measure.limit);
    let over: Vec<_> = over.map(|measure| measure.what).collect();
    if over.is_empty() || !is_bench {
        return ExitCode::SUCCESS;
    }
    println!("process: over the limit: {}", over.join("; "));
    ExitCode::FAILURE
}

/// A click from nothing: find the phone, connect, authenticate, look, touch.
fn click_ms(rounds: usize) -> f64 {
    let home = std::env::temp_dir().join(format!("clawperator-bench-{}", std::process::id()));
    std::fs::create_dir_all(&home).unwrap();
    let program = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clawperator"));
        command
            .args(args)
            .env("HOME", &home)
            .env("CLAWPERATOR_SIM_DIR", home.join("sims"))
            .env("CLAWPERATOR_HOME", home.join("state"))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    };
    for args in [&["sim", "start"] as &[_], &["open", "com.clawperator.conformance", "--device", "sim"]] {
        assert!(program(args).status().unwrap().success());
    }
    let took = median_ms(&mut program(&["click", "--text", "Increment", "--device", "sim"]), rounds);
    assert!(program(&["sim", "stop"]).status().unwrap().success());
    std::fs::remove_dir_all(&home).unwrap();
    took
}

fn median_ms(command: &mut Command, rounds: usize) -> f64 {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let began = Instant::now();
            assert!(command.status().unwrap().success());
            began.elapsed()
        })
        .collect();
    times.sort();
    times[rounds / 2].as_secs_f64() * 1_000.0
}
