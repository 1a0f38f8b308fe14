//! A build without simulated phones: none runs, and a command that needs one is
//! refused. It has the functions of `sim` that other commands use.

use super::args::Args;
use super::mistake::sim_not_built;
use super::world::World;
pub(super) use clawperator_apk::package_of;
use clawperator_contract::Failure;
use clawperator_engine::NamedPhones;
use clawperator_journal::StoredJournal;
use clawperator_run::doctor::SimFacts;
use clawperator_server::{BoxedPhone, BoxedPhones};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

pub(super) fn serial_of(name: String, _: &mut World) -> Result<String, Failure> {
    if name == "sim" || name.starts_with("sim-") { Err(sim_not_built()) } else { Ok(name) }
}

pub(super) fn have_running(count: usize, _: &mut World) -> Result<(), Failure> {
    if count == 0 { Ok(()) } else { Err(sim_not_built()) }
}

#[expect(clippy::unnecessary_wraps, reason = "with simulated phones it can fail")]
pub(super) fn running(_: &World) -> Result<Vec<(String, String)>, Failure> {
    Ok(Vec::new())
}

#[expect(clippy::unnecessary_wraps, reason = "with simulated phones it can fail")]
pub(super) fn facts(_: &World) -> Result<Vec<SimFacts>, Failure> {
    Ok(Vec::new())
}

pub(crate) fn named_phones(_: &World) -> Option<Arc<dyn NamedPhones>> {
    None
}

#[derive(Debug)]
struct NoPhones;

impl BoxedPhones for NoPhones {
    fn list(&self) -> Result<Vec<BoxedPhone>, Failure> {
        Ok(Vec::new())
    }

    fn start(&self, _: Option<&str>) -> Result<BoxedPhone, Failure> {
        Err(sim_not_built())
    }

    fn stop(&self, _: &str) -> Result<(), Failure> {
        Err(sim_not_built())
    }
}

pub(super) fn boxed_phones(_: &World) -> Arc<dyn BoxedPhones> {
    Arc::new(NoPhones)
}

pub(super) fn app_schema() -> Result<Value, Failure> {
    Err(sim_not_built())
}

pub(super) fn fixture(_: &Args, _: &StoredJournal, _: &Path) -> Result<Value, Failure> {
    Err(sim_not_built())
}
