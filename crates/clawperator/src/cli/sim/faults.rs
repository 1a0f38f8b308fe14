//! `sim faults`: what can go wrong, what is to, and what did.

use super::named;
use super::start::faults as faults_of;
use crate::cli::given::{Given, flag_failure};
use crate::cli::{Answer, World};
use crate::sim::{self, FaultsNow, Registry, Request, SimError};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_sim::fault::{Fault, Point};
use serde_json::{Value, json};

pub(super) fn faults(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let set = faults_of(given, "set")?;
    if given.has("clear") && set.is_some() {
        let message = "--clear and --set do not go together: --set replaces what was set before";
        return Err(flag_failure(ErrorCode::Usage, "clear", message));
    }
    if given.has("points") {
        if given.has("clear") || set.is_some() {
            let message = "--points only lists what can go wrong; it goes with neither --set nor --clear";
            return Err(flag_failure(ErrorCode::Usage, "points", message));
        }
        return Ok(Answer::json(&json!({ "points": points() }), given, world));
    }
    let plan = if given.has("clear") { Some(Vec::new()) } else { set };
    let registry = Registry::look(&world.sim_folder)?;
    let name = named(given, given.argument())?;
    let running = match sim::find(&registry, name) {
        Err(SimError::NoneRunning) if plan.is_none() => {
            return Ok(Answer::json(&json!({ "points": points() }), given, world));
        }
        found => found?,
    };
    let request = Request::Faults {
        phone: running.phone.name.clone(),
        plan: plan.map(|plan| plan.iter().map(Fault::to_string).collect()),
    };
    let now: FaultsNow = sim::ask(&running.entry, &request)?;
    let shown = json!({"phone": running.phone.name, "plan": now.plan, "counts": now.counts});
    Ok(Answer::json(&shown, given, world))
}

fn points() -> Vec<Value> {
    let row = |(point, name, does): &(Point, &str, &str)| json!({"point": name, "value": point.value(), "does": does.trim()});
    Point::ALL.iter().map(row).collect()
}
