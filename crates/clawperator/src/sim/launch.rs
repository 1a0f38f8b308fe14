//! Starts phones in a process of their own, which outlives this one.

use super::limits::START_TIME;
use super::{Entry, Registry, SimError, StartOptions, greet};
use crate::background::Launch;
use serde_json::Value;
use std::path::Path;

/// Starts the program again with these phones, and waits until they answer.
/// What it returns is the process's first line.
pub(crate) fn launch(
    program: &Path,
    options: &StartOptions,
    registry: &Registry,
) -> Result<(Value, Entry), SimError> {
    let process = Launch {
        program,
        arguments: options.arguments(),
        variables: vec![("CLAWPERATOR_SIM_DIR", registry.folder().into())],
        log: registry.fresh_log()?,
        limit: START_TIME,
    };
    let process = process.start().map_err(SimError::Spawn)?;
    let not_ready = || SimError::NotReady(registry.last_words());
    let said = process.first_line.as_deref().ok_or_else(not_ready);
    let ready = said.and_then(|line| {
        let said: Value = serde_json::from_str(line).map_err(|_| not_ready())?;
        if said.get("code").is_some() {
            return Err(SimError::Refused(said));
        }
        let mut entries = registry.entries()?.into_iter();
        // The number is its own only among those that live.
        let entry = entries.find(|entry| entry.pid == process.pid() && !entry.is_gone());
        let entry = entry.ok_or_else(not_ready)?;
        greet(&entry)?;
        Ok((said, entry))
    });
    match &ready {
        // Without a thread the system waits for it when this process ends.
        Ok(_) => drop(process.leave()),
        Err(_) => process.end(),
    }
    ready
}
