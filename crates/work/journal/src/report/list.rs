//! The list of journals, for programs.

use super::status;
use crate::{JournalPath, StoredJournal};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// An object for each journal, the newest first. The executions of a skill's run
/// are in the line of the run, which is older than they are.
pub fn list(newest_first: &[JournalPath], limit: usize) -> Vec<Value> {
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
        let executions = kept.skill_begin().and_then(|begin| waiting.remove(&begin.skill_run));
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
        "status": status(kept),
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
        "status": status(kept),
        "errorCode": end.and_then(|end| end.code.as_ref()),
        "device": begin.and_then(|begin| begin.device.as_ref()),
        "startedMs": begin.map(|begin| begin.started_ms),
        "durationMs": end.map(|end| end.took_us / 1000),
        "checkpoints": kept.checkpoints().collect::<Vec<_>>(),
        "executions": executions,
    })
}
