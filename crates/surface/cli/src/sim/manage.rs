//! `sim stop`, `list`, `status`, `advance` and `finger`.

use super::phones::{phone_name, reach};
use crate::args::Args;
use crate::commands::sim as flags;
use crate::number;
use crate::world::{Answer, World};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_host::{self as sim, HostRequest, PhoneEntry, Registry, RunningPhone, State};
use serde_json::{Value, json};

pub(super) fn stop(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let registry = Registry::look(&world.sim_folder)?;
    let name = phone_name(args, args.argument())?;
    args.refuse_all_and(&flags::EVERY_PHONE, name, "a phone")?;
    let mut stopped = Vec::new();
    if args.has(&flags::EVERY_PHONE) {
        stopped = stop_all(&registry)?;
    } else {
        let running = sim::find(&registry, name)?;
        sim::stop(&running.entry, std::slice::from_ref(&running.phone))?;
        stopped.push(running.phone);
    }
    stopped.sort_by_key(|phone| phone.number);
    let stopped: Vec<_> = stopped.into_iter().map(|phone| phone.name).collect();
    Ok(Answer::value(&json!({ "stopped": stopped }), args, world))
}

/// Stops every phone that answers, then reports the first that does not.
fn stop_all(registry: &Registry) -> Result<Vec<PhoneEntry>, Failure> {
    let mut stopped = Vec::new();
    let mut silent = None;
    for (entry, state) in sim::processes(registry)? {
        match state {
            State::Running => {
                sim::stop(&entry, &entry.phones)?;
                stopped.extend(entry.phones);
            }
            State::Silent => {
                silent = silent
                    .or(Some(sim::SimError::Silent { phones: entry.names(), pid: entry.address.pid.get() }));
            }
        }
    }
    silent.map_or(Ok(stopped), |error| Err(error.into()))
}

pub(super) fn list(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let registry = Registry::look(&world.sim_folder)?;
    let phones = sim::phones(&registry)?;
    let shown = phones.iter().map(|RunningPhone { entry, phone, state }| {
        json!({"name": phone.name, "serial": phone.serial, "port": phone.port, "pid": entry.address.pid, "state": state.word(),
            "seed": phone.seed, "latency": entry.latency, "time": entry.time})
    });
    let shown: Vec<_> = shown.collect();
    Ok(Answer::value(&json!({ "phones": shown }), args, world))
}

pub(super) fn status(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let running = reach(args, args.argument(), world)?;
    let phone = running.phone.name.clone();
    let status: Value = sim::ask(&running.entry, &HostRequest::Status { phone })?;
    Ok(Answer::value(&status, args, world))
}

pub(super) fn advance(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let wanted = args.argument().ok_or_else(|| args.missing("a time"))?;
    let ms = number::read_whole(wanted, &(0..=sim::MAX_ADVANCE_MS));
    let ms = ms.map_err(|rule| Failure::of(ErrorCode::Usage, format!("MS {rule}")))?;
    let running = reach(args, args.second_argument(), world)?;
    let phone = running.phone.name.clone();
    let moved: Value = sim::ask(&running.entry, &HostRequest::Advance { phone, ms })?;
    let shown = json!({"phone": running.phone.name, "advancedMs": ms, "uptimeMs": moved["uptimeMs"]});
    Ok(Answer::value(&shown, args, world))
}

pub(super) fn finger(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let words: Vec<String> = args.arguments().into_iter().map(str::to_owned).collect();
    if words.is_empty() {
        return Err(args.missing("what the finger does"));
    }
    let running = reach(args, None, world)?;
    let phone = running.phone.name.clone();
    let shown = json!({"phone": phone, "finger": words});
    let _: Value = sim::ask(&running.entry, &HostRequest::Finger { phone, words })?;
    Ok(Answer::value(&shown, args, world))
}
