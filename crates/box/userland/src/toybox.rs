//! The basic commands, one row each. They know files and streams, not the shell.

mod about;
mod bytes;
mod change;
mod condition;
mod date;
mod dump;
pub(crate) mod escape;
mod expr;
mod find;
mod grep;
mod gzip;
mod lines;
mod list;
mod options;
mod posix;
mod process;
mod resize;
mod say;
mod sed;
mod tar;
mod text;

pub(crate) use change::mode_of;
pub(crate) use condition::ask as condition;

use crate::call::Call;
use crate::machine::{ExitResult, Program, Stop};
use futures_core::future::BoxFuture;
use std::sync::Arc;

/// One basic command.
pub(crate) struct BasicCommand {
    pub(crate) name: &'static str,
    pub(crate) usage: &'static str,
    pub(crate) run: for<'a> fn(&'a mut Call) -> BoxFuture<'a, ExitResult>,
}

/// Commands for which no word is an option.
const PLAIN: &[&str] = &["echo", "true", "false", ":", "sync", "test", "["];
/// Commands with an exit code of their own for what is wrong; others have 1.
const FAILS: &[(&str, u8)] = &[
    ("chroot", 125),
    ("cmp", 2),
    ("egrep", 2),
    ("env", 125),
    ("fgrep", 2),
    ("grep", 2),
    ("nohup", 125),
    ("sort", 2),
    ("timeout", 125),
];

impl Program for &'static BasicCommand {
    fn run<'a>(&'a self, call: &'a mut Call) -> BoxFuture<'a, ExitResult> {
        let mut options = call.args[1..].iter().take_while(|word| word.len() > 1 && word.starts_with('-'));
        let asked = options
            .find(|word| PLAIN.iter().all(|name| *name != self.name) && ABOUT.contains(&word.as_str()));
        if let Some(word) = asked {
            let title = "Toybox 0.8.9-android multicall binary";
            return Box::pin(call.print(match (word.as_str(), self.name) {
                ("--version", "sed") => "This is not GNU sed version 9.0\n".to_owned(),
                ("--version", _) => "toybox 0.8.9-android\n".to_owned(),
                (_, "toybox") => {
                    format!("{title} (see https://landley.net/toybox)\n\nusage: toybox {}\n", self.usage)
                }
                _ => format!("{title} (see toybox --help)\n\nusage: {} {}\n", self.name, self.usage),
            }));
        }
        let fails = FAILS.iter().find(|row| row.0 == self.name).map_or(1, |row| row.1);
        Box::pin(async move {
            (self.run)(call).await.map_err(|stop| match stop {
                Stop::Complaint(what, 1) => Stop::Complaint(what, fails),
                other => other,
            })
        })
    }
}

/// What every command answers about itself.
const ABOUT: &[&str] = &["--help", "--version"];

/// Makes a row of an async function.
macro_rules! row {
    ($name:literal, $usage:literal, $run:path) => {
        $crate::toybox::BasicCommand { name: $name, usage: $usage, run: |call| Box::pin($run(call)) }
    };
}
pub(crate) use row;

/// Every basic command, by what they are about.
const TABLES: &[&[BasicCommand]] = &[
    about::ROWS,
    bytes::ROWS,
    change::ROWS,
    condition::ROWS,
    date::ROWS,
    dump::ROWS,
    expr::ROWS,
    find::ROWS,
    grep::ROWS,
    gzip::ROWS,
    lines::ROWS,
    list::ROWS,
    process::ROWS,
    resize::ROWS,
    say::ROWS,
    sed::ROWS,
    tar::ROWS,
    text::ROWS,
];

/// The basic command of this name.
pub(crate) fn program(name: &str) -> Option<Arc<dyn Program>> {
    let row: &'static BasicCommand =
        TABLES.iter().flat_map(|rows| rows.iter()).find(|row| row.name == name)?;
    Some(Arc::new(row))
}

/// The names of all basic commands, sorted.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = TABLES.iter().flat_map(|rows| rows.iter()).map(|row| row.name).collect();
    names.sort_unstable();
    names
}
