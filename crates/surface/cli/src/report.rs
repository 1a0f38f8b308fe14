//! HTML reports of executions: written after a run, or later from its journal.

use super::args::Args;
use super::journal::{folder, journal_failure, named_journal, open, with_executions};
use super::output::write_file;
use super::world::{Answer, World};
use super::{flags, sim};
use crate::phones::Journaling;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_engine::Journal;
use clawperator_events::{EventLog, Pictures};
use clawperator_journal::JournalPath;
use clawperator_journal::report::{IncompleteJournal, SkillRun};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Whether an execution that is about to run writes a journal.
pub(super) fn journal(args: &Args, world: &World) -> Result<Journal, Failure> {
    check(args, world)?;
    if args.has(&flags::NO_JOURNAL) || world.phones.journal == Journaling::Off {
        return Ok(Journal::Off);
    }
    Ok(Journal::On(if args.has(&flags::REPORT) { Pictures::Taken } else { Pictures::Left }))
}

/// Checks the flags about the report that an execution writes.
pub(super) fn check(args: &Args, world: &World) -> Result<(), Failure> {
    let page = args.value(&flags::REPORT)?;
    if page.is_some() && args.has(&flags::NO_JOURNAL) {
        return Err(args.usage(&flags::REPORT, "--report needs the journal: remove --no-journal"));
    }
    if page.is_some() && world.phones.journal == Journaling::Off {
        let message = "--report needs the journal, and CLAWPERATOR_JOURNAL is off: unset it or set it to on";
        return Err(args.usage(&flags::REPORT, message));
    }
    if let Some(page) = page {
        // Now, before the phone is touched.
        let around = Path::new(page).parent().filter(|path| !path.as_os_str().is_empty());
        if page.is_empty() || Path::new(page).is_dir() || around.is_some_and(|path| !path.is_dir()) {
            let message = format!(
                "cannot write \"{}\": its folder does not exist, or it is a folder",
                page.escape_debug()
            );
            return Err(args.failure(ErrorCode::FileWriteFailed, &flags::REPORT, message));
        }
    }
    Ok(())
}

fn nothing_to_report(args: &Args, world: &mut World) {
    if matches!(args.value(&flags::REPORT), Ok(Some(_))) {
        (world.note)("there is no report: the execution did not begin now, or wrote no journal\n");
    }
}

/// Reports trouble with the journal, and writes the report that was asked for.
/// The execution is over: no trouble here changes its result.
pub(super) fn finish(args: &Args, log: Option<&Arc<EventLog>>, world: &mut World) {
    let Some(log) = log else {
        return nothing_to_report(args, world);
    };
    let incomplete = log.problem().map(|trouble| IncompleteJournal { trouble, end: log.end_of_run() });
    if let Some(IncompleteJournal { trouble, .. }) = &incomplete {
        (world.note)(&format!("cannot write the journal: {trouble}\n"));
    }
    // The flag was checked before the run.
    let Ok(Some(page)) = args.value(&flags::REPORT) else {
        return;
    };
    let (Some(path), Some(name)) = (log.path(), log.journal()) else {
        return nothing_to_report(args, world);
    };
    let written = open(&JournalPath { name, path }).and_then(|kept| {
        let told = clawperator_journal::report::page_of(&kept, incomplete.as_ref());
        write_file(Path::new(page), told.as_bytes())
    });
    if let Err(failure) = written {
        (world.note)(&format!("cannot write the report: {}\n", failure.message));
    }
}

/// Writes the report that was asked for of a skill's run. The run is over: no
/// trouble here changes its result.
pub(super) fn finish_run(args: &Args, run: Option<&str>, world: &mut World) {
    // The flag was checked before the run.
    let Ok(Some(page)) = args.value(&flags::REPORT) else {
        return;
    };
    let Some(run) = run else {
        return nothing_to_report(args, world);
    };
    let found = folder(world).find(run).map_err(|error| journal_failure(&error));
    let run = found.and_then(|found| with_executions(open(&found)?, world));
    if let Err(failure) = run.and_then(|run| write_page(&run, Path::new(page))) {
        (world.note)(&format!("cannot write the report: {}\n", failure.message));
    }
}

pub(super) fn report(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let run = with_executions(open(&named_journal(args, world)?)?, world)?;
    let kept = &run.journal;
    let answer = match (args.value(&flags::REPORT_OUT)?, args.value(&flags::FIXTURE)?) {
        (Some(_), Some(_)) => {
            let message = "use --out for a report or --fixture for an app file, not both";
            return Err(args.usage(&flags::FIXTURE, message));
        }
        (out, None) => {
            let out = out.map_or_else(|| PathBuf::from(format!("{}.html", kept.name)), PathBuf::from);
            let bytes = write_page(&run, &out)?;
            let status = clawperator_journal::report::status(kept);
            json!({"report": out, "bytes": bytes, "journal": kept.name, "status": status})
        }
        (None, Some(_)) if kept.skill_begin().is_some() => {
            let message = "a fixture is made of one execution: name one of those of the skill's run";
            return Err(args.usage(&flags::FIXTURE, message));
        }
        (None, Some(file)) => sim::fixture(args, kept, Path::new(file))?,
    };
    Ok(Answer::value(&answer, args, world))
}

fn write_page(run: &SkillRun, file: &Path) -> Result<usize, Failure> {
    let page = match run.journal.skill_begin() {
        Some(_) => clawperator_journal::report::skill_page(run),
        None => clawperator_journal::report::page(&run.journal),
    };
    write_file(file, page.as_bytes())?;
    Ok(page.len())
}
