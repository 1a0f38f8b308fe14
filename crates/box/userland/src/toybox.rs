//! The basic commands, one row each. They know files and streams, not the shell.

mod about;
mod bytes;
mod change;
mod condition;
mod date;
pub(crate) mod escape;
mod expr;
mod find;
mod grep;
mod gzip;
mod lines;
mod list;
mod options;
mod process;
mod say;
mod sed;
mod tar;
mod text;

pub(crate) use change::mode_of;
pub(crate) use condition::ask as condition;

use crate::call::Call;
use crate::machine::{ExitResult, Program};
use futures_core::future::BoxFuture;
use std::sync::Arc;

/// One basic command.
pub(crate) struct BasicCommand {
    pub(crate) name: &'static str,
    pub(crate) usage: &'static str,
    pub(crate) run: for<'a> fn(&'a mut Call) -> BoxFuture<'a, ExitResult>,
}

impl Program for &'static BasicCommand {
    fn run<'a>(&'a self, call: &'a mut Call) -> BoxFuture<'a, ExitResult> {
        if call.args.get(1).is_some_and(|word| word == "--help")
            && call.args.len() == 2
            && self.name != "echo"
        {
            return Box::pin(call.print(format!("usage: {} {}\n", self.name, self.usage)));
        }
        (self.run)(call)
    }
}

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
    expr::ROWS,
    find::ROWS,
    grep::ROWS,
    gzip::ROWS,
    lines::ROWS,
    list::ROWS,
    process::ROWS,
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
