//! `clawperator journal`: lists, shows and verifies the journals of executions.

use super::args::Args;
use super::flags;
use super::world::{Answer, World};
use clawperator_contract::{ErrorCode, FAILURE_EXIT_CODE, Failure};
use clawperator_journal::{EMPTY, Folder, JournalError, JournalPath, Judgement, StoredJournal};
use serde_json::{Value, json};

/// How many journals are listed by default.
const USUAL_LIMIT: usize = 50;

/// The folder of journals.
pub(super) fn folder(world: &World) -> Folder {
    Folder::new(world.phones.state.join("journal"))
}

/// The journal that a command line names.
pub(super) fn named(args: &Args, world: &World) -> Result<JournalPath, Failure> {
    let wanted = args
        .argument()
        .ok_or_else(|| args.missing("a command id or the name of a journal"))?;
    folder(world).find(wanted).map_err(|error| failed(&error))
}

/// The failure of a journal that cannot be read.
pub(super) fn failed(error: &JournalError) -> Failure {
    match error {
        JournalError::None(_) => Failure::of(ErrorCode::JournalNotFound, error.to_string()),
        JournalError::Io { .. } => Failure::new(ErrorCode::JournalUnusable, error.to_string())
            .hint("It must be a folder with a file journal.ndjson that you may read."),
    }
}

pub(super) fn open(found: &JournalPath) -> Result<StoredJournal, Failure> {
    StoredJournal::open(found).map_err(|error| failed(&error))
}

pub(super) fn list(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let limit = args.whole(&flags::JOURNAL_LIMIT, 0..=u64::MAX)?;
    let limit = limit.map_or(USUAL_LIMIT, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let found = folder(world).list().map_err(|error| failed(&error))?;
    let shown: Vec<Value> = found.iter().take(limit).map(line).collect();
    let answer = json!({"journals": shown, "count": found.len(), "folder": folder(world).path().display().to_string()});
    Ok(Answer::value(&answer, args, world))
}

fn line(found: &JournalPath) -> Value {
    let kept = match StoredJournal::open(found) {
        Ok(kept) => kept,
        // It may have been removed meanwhile, or have no first line yet.
        Err(error) => {
            return json!({"name": found.name, "status": "unreadable", "message": error.to_string()});
        }
    };
    let (begin, end) = (kept.begin(), kept.end());
    json!({
        "name": found.name,
        "commandId": begin.map(|begin| &begin.command_id),
        "status": clawperator_journal::report::status(&kept),
        "errorCode": end.and_then(|end| end.code.as_ref()),
        "device": begin.map(|begin| &begin.device),
        "startedMs": begin.map(|begin| begin.started_ms),
        "steps": end.map(|end| end.steps),
        "durationMs": end.map(|end| end.took_us / 1000),
    })
}

pub(super) fn show(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let kept = open(&named(args, world)?)?;
    let text = if args.asks_for_json() {
        String::from_utf8_lossy(&kept.text).into_owned()
    } else {
        clawperator_journal::report::text(&kept)
    };
    Ok(Answer { text, exit_code: 0 })
}

pub(super) fn verify(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let found = match (args.has(&flags::EVERY_JOURNAL), args.argument()) {
        (true, Some(_)) => {
            let message = "name a journal or use --all, not both";
            return Err(args.failure(ErrorCode::Usage, &flags::EVERY_JOURNAL, message));
        }
        (true, None) => folder(world).list().map_err(|error| failed(&error))?,
        (false, _) => vec![named(args, world)?],
    };
    let mut ok = true;
    let mut shown = Vec::new();
    for found in &found {
        let (fine, value) = match StoredJournal::open(found) {
            Ok(kept) => verified(&kept),
            Err(error) => (false, unreadable(found, &error)),
        };
        ok &= fine;
        shown.push(value);
    }
    let answer = json!({"ok": ok, "journals": shown});
    Ok(Answer::value(&answer, args, world).exit(if ok { 0 } else { FAILURE_EXIT_CODE }))
}

/// Whether a journal was not changed, and the answer about it.
fn verified(kept: &StoredJournal) -> (bool, Value) {
    let judgement = kept.judgement();
    let mut said = json!({"name": kept.name, "verdict": judgement.word(), "lines": kept.entries.len()});
    match judgement {
        Judgement::Whole { seal } => said["seal"] = json!(seal),
        Judgement::CutOff { unfinished: 0 } => {}
        // What comes after the last whole line.
        Judgement::CutOff { unfinished } => said["unfinishedBytes"] = json!(unfinished),
        Judgement::Empty => said["message"] = json!(EMPTY),
        Judgement::Changed { line, why } => {
            said["line"] = json!(line);
            said["message"] = json!(why);
        }
    }
    (judgement.holds(), said)
}

fn unreadable(found: &JournalPath, error: &JournalError) -> Value {
    json!({"name": found.name, "verdict": "unreadable", "message": error.to_string()})
}
