//! A stage for tests: Google's adbd, mksh and toybox from Debian's packages run in namespaces, and
//! only the commands of the phone's framework are stand-ins that ask a simulated phone.
//!
//! `clawperator-stage PACKAGES PHONE LISTEN [android7] [SCRIPT]` prints the address at which adbd
//! answers, and ends with its standard input. No part of the product; docs/genuine.md.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this program talks to people")]

#[cfg(target_os = "linux")]
mod first;
#[cfg(target_os = "linux")]
mod namespace;
#[cfg(target_os = "linux")]
mod outer;
#[cfg(target_os = "linux")]
mod root;
#[cfg(target_os = "linux")]
mod standin;

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    let mut words = std::env::args();
    let own = words.next().unwrap_or_default();
    let name = own.rsplit('/').next().unwrap_or_default();
    if root::is_standin(name) {
        return standin::run(name, words.collect());
    }
    let words: Vec<String> = words.collect();
    let done = match &words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [namespace::ENTER, folder, rest @ ..] => namespace::enter(folder, rest),
        [first::FIRST, folder, rest @ ..] => first::run(folder, rest),
        [packages, phone, listen, like @ ..] if like.len() < 3 => outer::run((packages, like), phone, listen),
        _ => Err(std::io::Error::other("usage: clawperator-stage PACKAGES PHONE LISTEN [VERSION [SCRIPT]]")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("clawperator-stage: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("clawperator-stage: it needs Linux");
    ExitCode::FAILURE
}
