//! A memory of 10,000 files: how long it takes to index it, to see that nothing
//! has changed, and to search it.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark stops at what is wrong, and prints"
)]

use clawperator_agent::action::MemorySearch;
use clawperator_agent::memory::{Memory, MemorySettings};
use clawperator_contract::Number;
use std::path::{Path, PathBuf};
use std::time::Instant;

const FILES: usize = 10_000;
const ROUNDS: u32 = 50;
const WORDS: &[&str] = &[
    "settings",
    "wifi",
    "password",
    "kitchen",
    "lamp",
    "router",
    "office",
    "printer",
    "calendar",
    "meeting",
    "photo",
    "screenshot",
    "message",
    "contact",
    "payment",
    "order",
    "delivery",
    "address",
    "battery",
    "update",
    "browser",
    "download",
    "folder",
    "alarm",
    "music",
    "playlist",
    "ticket",
    "train",
    "hotel",
    "weather",
];

/// Notes of twenty lines, with a few words that are rare.
fn notes(folder: &Path) {
    let mut number = 1_u64;
    let mut next = |most: usize| {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (number >> 33) as usize % most
    };
    for file in 0..FILES {
        let place = folder.join(format!("memory/{:02}", file / 100));
        std::fs::create_dir_all(&place).unwrap();
        let mut text = format!("# Note {file}\n\n");
        for _ in 0..18 {
            let words: Vec<_> = (0..8).map(|_| WORDS[next(WORDS.len())]).collect();
            text.push_str(&format!("- {} rare{}\n", words.join(" "), next(2_000)));
        }
        std::fs::write(place.join(format!("{file}.md")), text).unwrap();
    }
}

fn ms(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1000.0
}

fn main() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("memory-bench");
    let _ = std::fs::remove_dir_all(&folder);
    notes(&folder);
    let index = folder.join("state/index.sqlite");
    let memory = Memory::open(&folder, Some(&index), MemorySettings::default()).unwrap();
    let began = Instant::now();
    let refreshed = memory.refresh().unwrap();
    println!("index {} files: {:.0} ms (limit 2000 ms)", refreshed.read, ms(began));
    let began = Instant::now();
    for _ in 0..ROUNDS {
        assert_eq!(memory.refresh().unwrap().read, 0);
    }
    println!("see that nothing has changed: {:.1} ms", ms(began) / f64::from(ROUNDS));
    for query in ["rare77", "rare77 kitchen", "wifi password kitchen router", "unknown words only"] {
        let (max_results, min_score) = (Number::from(6_u32), Number::new(0.2).unwrap());
        let search = MemorySearch { query: query.to_owned(), max_results, min_score, reason: None };
        memory.search_now(&search).unwrap();
        let began = Instant::now();
        for _ in 0..ROUNDS {
            memory.find(&search).unwrap();
        }
        println!("search \"{query}\": {:.2} ms (limit 5 ms)", ms(began) / f64::from(ROUNDS));
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
