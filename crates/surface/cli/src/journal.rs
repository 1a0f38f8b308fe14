//! `clawperator journal`: lists, shows and verifies the journals of executions.

use super::args::Args;
use super::flags;
use super::world::{Answer, World};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_journal::report::SkillRun;
use clawperator_journal::{EMPTY, JournalError, JournalFolder, JournalPath, Judgement, StoredJournal};
use serde_json::{Value, json};

/// How many journals are listed by default.
const USUAL_LIMIT: usize = 50;

pub(super) fn folder(world: &World) -> JournalFolder {
    JournalFolder::new(world.phones.state.join("journal"))
}

pub(super) fn named_journal(args: &Args, world: &World) -> Result<JournalPath, Failure> {
    let wanted = args.argument().ok_or_else(|| args.missing("a command id or the name of a journal"))?;
    folder(world).find(wanted).map_err(|error| journal_failure(&error))
}

pub(super) fn journal_failure(error: &JournalError) -> Failure {
    match error {
        JournalError::None(_) => Failure::of(ErrorCode::JournalNotFound, error.to_string()),
        JournalError::Io { .. } => Failure::new(ErrorCode::JournalUnusable, error.to_string())
            .hint("It must be a folder with a file journal.ndjson that you may read."),
    }
}

pub(super) fn open(found: &JournalPath) -> Result<StoredJournal, Failure> {
    StoredJournal::open(found).map_err(|error| journal_failure(&error))
}

pub(super) fn list(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let limit = args.whole(&flags::JOURNAL_LIMIT, 0..=u64::MAX)?;
    let limit = limit.map_or(USUAL_LIMIT, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let found = folder(world).list().map_err(|error| journal_failure(&error))?;
    let answer = json!({"journals": clawperator_journal::report::list(&found, limit), "count": found.len(), "folder": folder(world).path().display().to_string()});
    Ok(Answer::value(&answer, args, world))
}

/// A run of a skill with its executions; an execution is alone.
pub(super) fn with_executions(kept: StoredJournal, world: &World) -> Result<SkillRun, Failure> {
    SkillRun::of(kept, &folder(world)).map_err(|error| journal_failure(&error))
}

pub(super) fn show(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let run = with_executions(open(&named_journal(args, world)?)?, world)?;
    let all = [&run.journal].into_iter().chain(&run.executions);
    let text = if args.asks_for_json() {
        all.map(|kept| String::from_utf8_lossy(&kept.text).into_owned()).collect()
    } else if run.journal.skill_begin().is_some() {
        clawperator_journal::report::skill_text(&run)
    } else {
        clawperator_journal::report::text(&run.journal)
    };
    Ok(Answer { text, exit_code: 0 })
}

pub(super) fn verify(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    args.refuse_all_and(&flags::EVERY_JOURNAL, args.argument(), "a journal")?;
    let found = if args.has(&flags::EVERY_JOURNAL) {
        folder(world).list().map_err(|error| journal_failure(&error))?
    } else {
        vec![named_journal(args, world)?]
    };
    let one = args.argument().and(found.first()).cloned();
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
    // The name of a skill's run stands for its executions, too.
    if let Some(kept) = one.and_then(|found| StoredJournal::open(&found).ok()) {
        for execution in &with_executions(kept, world)?.executions {
            let (fine, value) = verified(execution);
            ok &= fine;
            shown.push(value);
        }
    }
    Ok(Answer::value(&json!({"ok": ok, "journals": shown}), args, world).succeeded(ok))
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
