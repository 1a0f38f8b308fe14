//! `sim faults`: what can go wrong, what is to, and what did.

use super::phones::phone_name;
use super::start::faults as faults_of;
use crate::args::Args;
use crate::commands::sim as flags;
use crate::world::{Answer, World};
use clawperator_contract::Failure;
use clawperator_host::{self as sim, HostRequest, Registry, SimError};
use clawperator_sim::fault::{Fault, FaultPoint};
use serde_json::{Value, json};

pub(super) fn faults(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let set = faults_of(args, &flags::SET)?;
    if args.has(&flags::CLEAR) && set.is_some() {
        let message = "--clear and --set do not go together: --set replaces what was set before";
        return Err(args.usage(&flags::CLEAR, message));
    }
    if args.has(&flags::POINTS) {
        if args.has(&flags::CLEAR) || set.is_some() {
            let message = "--points only lists what can go wrong; it goes with neither --set nor --clear";
            return Err(args.usage(&flags::POINTS, message));
        }
        return Ok(Answer::value(&json!({ "points": points() }), args, world));
    }
    let plan = if args.has(&flags::CLEAR) { Some(Vec::new()) } else { set };
    let registry = Registry::look(&world.sim_folder)?;
    let name = phone_name(args, args.argument())?;
    let running = match sim::find_last(&registry, name) {
        Err(SimError::NoneRunning) if plan.is_none() => {
            return Ok(Answer::value(&json!({ "points": points() }), args, world));
        }
        found => found?,
    };
    let request = HostRequest::Faults {
        phone: running.phone.name.clone(),
        plan: plan.map(|plan| plan.iter().map(Fault::to_string).collect()),
    };
    let now: Value = sim::ask(&running.entry, &request)?;
    let shown = json!({"phone": running.phone.name, "plan": now["plan"], "counts": now["counts"]});
    Ok(Answer::value(&shown, args, world))
}

fn points() -> Vec<Value> {
    let row = |(point, name, does): &(FaultPoint, &str, &str)| json!({"point": name, "value": point.value(), "does": does.trim()});
    FaultPoint::ALL.iter().map(row).collect()
}
