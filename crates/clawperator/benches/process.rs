//! What one `exec --validate-only` costs as a process, beside the cheapest
//! process there is: `cargo bench --bench process`.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops when it cannot run"
)]

use nix::sys::resource::{UsageWho, getrusage};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 300;
const LIMIT_MS: f64 = 5.0;
const LIMIT_MIB: f64 = 12.0;

fn main() {
    // `cargo test --all-targets` only wants to know that it builds and runs.
    let rounds = if std::env::args().any(|arg| arg == "--bench") {
        ROUNDS
    } else {
        1
    };
    let payload = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/open-settings.json");
    let mut ours = Command::new(env!("CARGO_BIN_EXE_clawperator"));
    ours.args(["exec", "--validate-only"]).arg(payload);
    let ours_ms = median_ms(&mut ours, rounds);
    // Linux reports the largest child so far, and never less than this process.
    let peak_mib = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss() as f64 / 1024.0;
    let floor_ms = median_ms(&mut Command::new("true"), rounds);
    println!(
        "process/exec --validate-only  median {ours_ms:.2} ms of {rounds} (limit {LIMIT_MS} ms: {:.2} of it)",
        ours_ms / LIMIT_MS
    );
    println!(
        "process/true                  median {floor_ms:.2} ms (ours takes {:.1} times as long)",
        ours_ms / floor_ms
    );
    println!(
        "process/peak memory           {peak_mib:.1} MiB (limit {LIMIT_MIB} MiB: {:.2} of it)",
        peak_mib / LIMIT_MIB
    );
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
