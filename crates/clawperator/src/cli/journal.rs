//! `clawperator journal`: what executions left behind.

use super::command::{CommandSpec, GroupSpec, OPTIONS, PLAIN, Run};
use super::flag;
use super::given::{Given, flag_failure};
use super::{Answer, World};
use clawperator_contract::{ErrorCode, FAILURE_EXIT_CODE, Failure};
use clawperator_journal::{EMPTY, Folder, Found, JournalError, Judgement, StoredJournal};
use serde_json::{Value, json};

/// The group.
pub(crate) const GROUP: GroupSpec = GroupSpec {
    name: "journal",
    synonyms: &[],
    about: "Tells what executions did.",
    details: "Every execution on a phone leaves a journal in the state folder: what was sent, seen, decided and \
        waited for. Its lines are chained by their hashes, so that a change shows. CLAWPERATOR_JOURNAL=off or \
        --no-journal leaves none.",
};

const WHICH: (&str, &str) = (
    "JOURNAL",
    "The command id of an execution, the name of a journal, or its folder.",
);
/// How many journals are listed where nobody says.
const USUAL_LIMIT: usize = 50;

const IN_JOURNAL: CommandSpec = CommandSpec {
    group: GROUP.name,
    flags: &[],
    ..PLAIN
};

/// The commands, in the order of the help.
pub(crate) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "list",
        about: "Lists journals, the newest first.",
        flags: &[(OPTIONS, flag::JOURNAL_LIST)],
        examples: &[
            "clawperator journal list",
            "clawperator journal list --limit 5 --output pretty",
        ],
        run: Run::Act(list),
        ..IN_JOURNAL
    },
    CommandSpec {
        name: "show",
        about: "Shows a journal.",
        details: "Prints text for people; with --json the lines as they are kept.",
        argument: Some(WHICH),
        examples: &[
            "clawperator journal show click-1794734112345-abc1234",
            "clawperator journal show c1 --json",
        ],
        run: Run::Act(show),
        ..IN_JOURNAL
    },
    CommandSpec {
        name: "verify",
        about: "Tells whether journals are what was written.",
        details: "Ends with 1 and names the first bad line if one is not. A journal that is cut off is fine as \
            far as it goes: the run was killed, or goes on.",
        argument: Some(WHICH),
        flags: &[(OPTIONS, flag::JOURNAL_VERIFY)],
        examples: &[
            "clawperator journal verify c1",
            "clawperator journal verify --all",
        ],
        run: Run::Act(verify),
        ..IN_JOURNAL
    },
];

/// The folder of journals.
pub(super) fn folder(world: &World) -> Folder {
    Folder::new(world.phones.state.join("journal"))
}

/// The journal that a command line names.
pub(super) fn named(given: &Given, world: &World) -> Result<Found, Failure> {
    let wanted = given
        .argument()
        .ok_or_else(|| given.lacks("a command id or the name of a journal"))?;
    folder(world).find(wanted).map_err(|error| failed(&error))
}

/// What a journal that cannot be had is to a caller.
pub(super) fn failed(error: &JournalError) -> Failure {
    match error {
        JournalError::None(_) => Failure::of(ErrorCode::JournalNotFound, error.to_string()),
        JournalError::Io { .. } => Failure::new(ErrorCode::JournalUnusable, error.to_string())
            .hint("It must be a folder with a file journal.ndjson that you may read."),
    }
}

pub(super) fn open(found: &Found) -> Result<StoredJournal, Failure> {
    StoredJournal::open(found).map_err(|error| failed(&error))
}

fn list(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let limit = given.whole("limit", 0..=u64::MAX)?;
    let limit = limit.map_or(USUAL_LIMIT, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let found = folder(world).list().map_err(|error| failed(&error))?;
    let shown: Vec<Value> = found.iter().take(limit).map(line).collect();
    let answer = json!({"journals": shown, "count": found.len(), "folder": folder(world).path().display().to_string()});
    Ok(Answer::json(&answer, given, world))
}

fn line(found: &Found) -> Value {
    let kept = match StoredJournal::open(found) {
        Ok(kept) => kept,
        // It may have been removed in between, or never begun.
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

fn show(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let kept = open(&named(given, world)?)?;
    let text = if given.asks_for_json() {
        String::from_utf8_lossy(&kept.text).into_owned()
    } else {
        clawperator_journal::report::text(&kept)
    };
    Ok(Answer { text, exit_code: 0 })
}

fn verify(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let found = match (given.has("all"), given.argument()) {
        (true, Some(_)) => {
            let message = "name a journal or use --all, not both";
            return Err(flag_failure(ErrorCode::Usage, "all", message));
        }
        (true, None) => folder(world).list().map_err(|error| failed(&error))?,
        (false, _) => vec![named(given, world)?],
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
    Ok(Answer::json(&answer, given, world).exit(if ok { 0 } else { FAILURE_EXIT_CODE }))
}

/// Whether a journal is as it was written, and what is to be said of it.
fn verified(kept: &StoredJournal) -> (bool, Value) {
    let judgement = kept.judgement();
    let mut said = json!({"name": kept.name, "verdict": judgement.word(), "lines": kept.entries.len()});
    match judgement {
        Judgement::Whole { seal } => said["seal"] = json!(seal),
        Judgement::CutOff { unfinished: 0 } => {}
        // What stands behind the last line that is whole.
        Judgement::CutOff { unfinished } => said["unfinishedBytes"] = json!(unfinished),
        Judgement::Empty => said["message"] = json!(EMPTY),
        Judgement::Changed { line, why } => {
            said["line"] = json!(line);
            said["message"] = json!(why);
        }
    }
    (judgement.holds(), said)
}

fn unreadable(found: &Found, error: &JournalError) -> Value {
    json!({"name": found.name, "verdict": "unreadable", "message": error.to_string()})
}
