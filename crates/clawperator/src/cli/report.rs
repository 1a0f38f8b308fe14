//! Pages of what executions did: while one runs, or afterwards from its
//! journal.

use super::command::{CommandSpec, OPTIONS, PLAIN, Run};
use super::given::{Given, flag_failure};
use super::journal::{folder, named, open};
use super::{Answer, World, flag};
use crate::phones::Journaling;
use crate::sim::app_file;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_journal::private::{self, Twins};
use clawperator_journal::report::Aside;
use clawperator_journal::{Clock, EventLog, Found, LogSetup, Pictures, StoredJournal};
use serde_json::json;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The command.
pub(super) const COMMAND: CommandSpec = CommandSpec {
    name: "report",
    about: "Writes a page of what an execution did, from its journal.",
    details: "The page is one HTML file that asks for nothing from anywhere. It has pictures if the execution ran \
        with --report, and draws the screens' elements if not. With --fixture it writes an app file for the \
        simulated phone instead, and the payload beside it, so that the run can be repeated there.",
    argument: Some((
        "JOURNAL",
        "The command id of an execution, the name of a journal, or its folder.",
    )),
    flags: &[(OPTIONS, flag::REPORT)],
    examples: &[
        "clawperator report click-1794734112345-abc1234 --out click.html",
        "clawperator report c1 --fixture world.yaml",
    ],
    run: Run::Act(report),
    ..PLAIN
};

/// The event log of an execution that is about to run, if it keeps one.
pub(super) fn event_log(given: &Given, world: &World) -> Result<Option<Arc<EventLog>>, Failure> {
    check(given, world)?;
    let left_out = given.has("no-journal") || world.phones.journal == Journaling::Off;
    if left_out {
        return Ok(None);
    }
    let pictures = if given.value("report").is_some() {
        Pictures::Taken
    } else {
        Pictures::Left
    };
    // The execution begins later, when there is a phone for it.
    let (now_ms, since) = (world.now_ms, Instant::now());
    let passed = move || u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
    let clock = Clock::new(move || now_ms.saturating_add(passed()));
    Ok(Some(Arc::new(EventLog::new(LogSetup {
        version: env!("CARGO_PKG_VERSION"),
        clock,
        pictures,
        journal: Some(folder(world)),
        subscribers: None,
    }))))
}

/// Judges what is said of the page that an execution is to leave.
pub(super) fn check(given: &Given, world: &World) -> Result<(), Failure> {
    let page = given.value("report");
    if page.is_some() && given.has("no-journal") {
        let message = "--report is made from the journal: leave --no-journal out";
        return Err(flag_failure(ErrorCode::Usage, "report", message));
    }
    if page.is_some() && world.phones.journal == Journaling::Off {
        let message = "--report is made from the journal: leave CLAWPERATOR_JOURNAL=off out";
        return Err(flag_failure(ErrorCode::Usage, "report", message));
    }
    if let Some(page) = page {
        // Better now than after the phone was touched.
        let around = Path::new(page)
            .parent()
            .filter(|path| !path.as_os_str().is_empty());
        if page.is_empty() || Path::new(page).is_dir() || around.is_some_and(|path| !path.is_dir()) {
            let message = format!("there can be no file \"{}\"", page.escape_debug());
            return Err(flag_failure(ErrorCode::FileWriteFailed, "report", message));
        }
    }
    Ok(())
}

/// Says what went wrong with the journal, and writes the page that was asked for.
/// The execution is over: nothing that goes wrong here changes its result.
pub(super) fn finish(given: &Given, log: &EventLog, world: &mut World) {
    let aside = log.problem().map(|trouble| Aside {
        trouble,
        end: log.end_of_run(),
    });
    if let Some(Aside { trouble, .. }) = &aside {
        (world.note)(&format!("the journal could not be written: {trouble}\n"));
    }
    let Some(page) = given.value("report") else { return };
    let Some(path) = log.path() else {
        (world.note)("there is no report: the execution did not begin, or left no journal\n");
        return;
    };
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let written = open(&Found { name, path }).and_then(|kept| {
        let told = clawperator_journal::report::page_of(&kept, aside.as_ref());
        write(Path::new(page), told.as_bytes())
    });
    if let Err(failure) = written {
        (world.note)(&format!("the report could not be written: {}\n", failure.message));
    }
}

fn report(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let kept = open(&named(given, world)?)?;
    let answer = match (given.value("out"), given.value("fixture")) {
        (Some(_), Some(_)) => {
            let message = "ask for a page with --out or for an app file with --fixture, not both";
            return Err(flag_failure(ErrorCode::Usage, "fixture", message));
        }
        (out, None) => {
            let out = out.map_or_else(|| PathBuf::from(format!("{}.html", kept.name)), PathBuf::from);
            let bytes = write_page(&kept, &out)?;
            let status = clawperator_journal::report::status(&kept);
            json!({"report": out, "bytes": bytes, "journal": kept.name, "status": status})
        }
        (None, Some(file)) => fixture(&kept, Path::new(file))?,
    };
    Ok(Answer::json(&answer, given, world))
}

fn write_page(kept: &StoredJournal, file: &Path) -> Result<usize, Failure> {
    let page = clawperator_journal::report::page(kept);
    write(file, page.as_bytes())?;
    Ok(page.len())
}

/// Writes a file, or leaves what was there as it was.
fn write(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    replace(file, bytes).map_err(|error| {
        let message = if file.as_os_str().is_empty() {
            "a file without a name cannot be written".to_owned()
        } else {
            format!("{} cannot be written: {error}", file.display())
        };
        Failure::of(ErrorCode::FileWriteFailed, message)
    })
}

/// Writes beside the file and moves it there, so that a full disk costs nobody
/// what is there already.
fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    // A link stays one; a pipe or a terminal is written to as it is.
    let file = match std::fs::canonicalize(file) {
        Ok(there) if there.is_file() => there,
        Ok(other) => return std::fs::write(other, bytes),
        Err(_) => file.to_owned(),
    };
    // Who reads it is for its owner to say: it shows what was on a screen.
    private::replace(&file, bytes, Twins::Processes)
}

/// Writes an app file, and the payload beside it.
fn fixture(kept: &StoredJournal, file: &Path) -> Result<serde_json::Value, Failure> {
    let made = crate::sim::fixture::fixture(kept)
        .map_err(|error| Failure::of(ErrorCode::JournalUnusable, error.to_string()))?;
    let payload = file.with_extension("json");
    if payload == file {
        let message = "--fixture names the app file, such as world.yaml: the payload is world.json";
        return Err(flag_failure(ErrorCode::Usage, "fixture", message));
    }
    // Whoever gets a world can start it.
    app_file::check(file, &made.world).map_err(|problems| {
        let first = problems.first().map(ToString::to_string).unwrap_or_default();
        let message = format!("no world can be made of this journal: {first}");
        Failure::new(ErrorCode::JournalUnusable, message)
    })?;
    write(file, made.world.as_bytes())?;
    write(&payload, made.payload.as_bytes())?;
    let (world, beside) = (file.display(), payload.display());
    let run = [
        format!("clawperator sim start --apps {world}"),
        format!("clawperator exec {beside} --device sim"),
    ];
    Ok(json!({"world": file, "payload": payload, "screens": made.screens, "unsure": made.unsure, "run": run}))
}
