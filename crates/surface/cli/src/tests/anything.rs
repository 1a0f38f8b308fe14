//! Any words at all: the command line answers with a page, a plan or a refusal.

use super::line::answer_to;
use crate::commands::{every_flag, names};
use crate::parser;
use serde_json::Value;
use std::ffi::OsString;

/// How many lines are tried.
const LINES: u64 = 4_000;
const ODD: &[&str] = &[
    "", "-", "--", "---", "=", "--=", "--text=", "@e7", "@", "{", "{}", "[]", "\"", "\u{0}", "\u{9f}", "💥",
    "-1", "1e999", "0x10", "true", "null", " ", "\n", "sim", "down", "home", "-h", "-V", "-t", "-5", "x",
    "help", "action", "\u{feff}", "compact", "json",
];
const ODD_FLAGS: &[&str] = &["--text=a=b", "--coordinate", "--coordinate=1", "--no-such", "--json=yes"];

/// A sequence of numbers that looks random and is the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }
}

#[test]
fn any_words_get_an_answer() {
    let commands = names("");
    let flags: Vec<String> = every_flag().map(|flag| format!("--{}", flag.name)).collect();
    let odd = [ODD, ODD_FLAGS].concat();
    let long = "x".repeat(5_000);
    let mut numbers = Numbers(7);
    let mut refused = 0;
    for _ in 0..LINES {
        let mut words: Vec<&str> = vec![commands[numbers.below(commands.len())]];
        for _ in 0..numbers.below(6) {
            words.push(match numbers.below(8) {
                0..=3 => &flags[numbers.below(flags.len())],
                4 => &long,
                5 => commands[numbers.below(commands.len())],
                _ => odd[numbers.below(odd.len())],
            });
        }
        if numbers.below(10) == 0 {
            words.remove(0);
        }
        let line: Vec<OsString> = words.iter().map(Into::into).collect();
        if parser::parse(&line).is_err() {
            let answer = answer_to(&words, b"");
            let json: Value = serde_json::from_str(&answer.text).unwrap_or_else(|_| panic!("{words:?}"));
            assert!(json["code"].is_string() && answer.exit_code == 1, "{words:?}: {json}");
            refused += 1;
        }
    }
    assert!(refused > LINES / 10 && refused < LINES, "{refused} of {LINES} were refused");
}
