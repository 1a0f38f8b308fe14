//! `clawperator journal`: lists, shows and verifies the journals of executions.

use super::args::Args;
use super::flags;
use super::world::{Answer, World};
use clawperator_contract::{ErrorCode, FAILURE_EXIT_CODE, Failure};
use clawperator_journal::report::SkillRun;
use clawperator_journal::{EMPTY, Folder, JournalError, JournalPath, Judgement, StoredJournal};
use serde_json::{Value, json};
use std::collections::BTreeMap;

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
    let answer = json!({"journals": lines(&found, limit), "count": found.len(), "folder": folder(world).path().display().to_string()});
    Ok(Answer::value(&answer, args, world))
}

/// A line for each journal, the newest first. The executions of a skill's run
/// are in the line of the run, which is older than they are.
fn lines(newest_first: &[JournalPath], limit: usize) -> Vec<Value> {
    let mut shown: Vec<Value> = Vec::new();
    // Executions whose run has not come yet, by the run.
    let mut waiting: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for found in newest_first {
        if shown.len() >= limit && waiting.is_empty() {
            break;
        }
        let kept = match StoredJournal::open(found) {
            Ok(kept) => kept,
            // It may have been removed meanwhile, or have no first line yet.
            Err(error) => {
                let said = json!({"name": found.name, "status": "unreadable", "message": error.to_string()});
                shown.extend((shown.len() < limit).then_some(said));
                continue;
            }
        };
        let run = kept.begin().and_then(|begin| begin.skill_run.as_deref());
        if let Some(run) = run.filter(|run| newest_first.iter().any(|other| other.is_of(run))) {
            let full = shown.len() >= limit && !waiting.contains_key(run);
            if !full {
                waiting.entry(run.to_owned()).or_default().insert(0, line(&kept));
            }
            continue;
        }
        let executions = kept
            .skill_begin()
            .and_then(|begin| waiting.remove(&begin.skill_run));
        if shown.len() < limit || executions.is_some() {
            shown.push(match kept.skill_begin() {
                Some(_) => skill_line(&kept, &executions.unwrap_or_default()),
                None => line(&kept),
            });
        }
    }
    shown
}

fn line(kept: &StoredJournal) -> Value {
    let (begin, end) = (kept.begin(), kept.end());
    json!({
        "name": kept.name,
        "commandId": begin.map(|begin| &begin.command_id),
        "status": clawperator_journal::report::status(kept),
        "errorCode": end.and_then(|end| end.code.as_ref()),
        "device": begin.map(|begin| &begin.device),
        "startedMs": begin.map(|begin| begin.started_ms),
        "steps": end.map(|end| end.steps),
        "durationMs": end.map(|end| end.took_us / 1000),
    })
}

fn skill_line(kept: &StoredJournal, executions: &[Value]) -> Value {
    let (begin, end) = (kept.skill_begin(), kept.skill_end());
    json!({
        "name": kept.name,
        "skillRun": begin.map(|begin| &begin.skill_run),
        "skillId": begin.map(|begin| &begin.skill_id),
        "status": clawperator_journal::report::status(kept),
        "errorCode": end.and_then(|end| end.code.as_ref()),
        "device": begin.and_then(|begin| begin.device.as_ref()),
        "startedMs": begin.map(|begin| begin.started_ms),
        "durationMs": end.map(|end| end.took_us / 1000),
        "checkpoints": kept.checkpoints().collect::<Vec<_>>(),
        "executions": executions,
    })
}

/// A run of a skill with its executions; an execution is alone.
pub(super) fn with_executions(kept: StoredJournal, world: &World) -> Result<SkillRun, Failure> {
    SkillRun::of(kept, &folder(world)).map_err(|error| failed(&error))
}

pub(super) fn show(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let run = with_executions(open(&named(args, world)?)?, world)?;
    let all = [&run.journal].into_iter().chain(&run.executions);
    let text = if args.asks_for_json() {
        all.map(|kept| String::from_utf8_lossy(&kept.text).into_owned())
            .collect()
    } else if run.journal.skill_begin().is_some() {
        clawperator_journal::report::skill_text(&run)
    } else {
        clawperator_journal::report::text(&run.journal)
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
