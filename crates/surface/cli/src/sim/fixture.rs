//! `report --fixture`: writes an app file for the simulated phone from a journal.

use crate::args::Args;
use crate::flags;
use crate::output::write_file;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_host::app_file;
use clawperator_journal::StoredJournal;
use serde_json::json;
use std::path::Path;

/// Writes an app file, and the payload beside it.
pub(crate) fn fixture(args: &Args, kept: &StoredJournal, file: &Path) -> Result<serde_json::Value, Failure> {
    let made = clawperator_lab::fixture::fixture(kept)
        .map_err(|error| Failure::of(ErrorCode::JournalUnusable, error.to_string()))?;
    let payload = file.with_extension("json");
    if payload == file {
        let message = "--fixture names the app file, such as world.yaml: the payload is world.json";
        return Err(args.usage(&flags::FIXTURE, message));
    }
    // The app file that is written must be valid.
    app_file::check(file, &made.world).map_err(|problems| {
        let first = problems.first().map(ToString::to_string).unwrap_or_default();
        let message = format!("cannot make an app file from this journal: {first}");
        Failure::new(ErrorCode::JournalUnusable, message)
    })?;
    write_file(file, made.world.as_bytes())?;
    write_file(&payload, made.payload.as_bytes())?;
    let (world, beside) = (file.display(), payload.display());
    let run =
        [format!("clawperator sim start --apps {world}"), format!("clawperator exec {beside} --device sim")];
    Ok(json!({"world": file, "payload": payload, "screens": made.screens, "unsure": made.unsure, "run": run}))
}
