//! `devices` and `packages list`: the phones, and the packages of a phone.

use super::args::Args;
use super::device::{block_on, device_serial, limit};
use super::engine::engine;
use super::world::{Answer, World};
use super::{flags, operator, sim};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_phone::{Deadline, PackageFilter, REACH};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) fn devices(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let limit = limit(args)?;
    let engine = engine(world);
    let known = block_on(async { engine.devices(Deadline::after(limit)).await })?;
    let mut devices: Vec<Value> = match known {
        Ok(known) => known
            .iter()
            .map(|entry| json!({"serial": entry.serial, "state": entry.state.to_string()}))
            .collect(),
        // Simulated phones need no adb.
        Err(failure) if failure.code == ErrorCode::AdbNotFound => Vec::new(),
        Err(failure) => return Err(failure),
    };
    for (name, serial) in sim::running(world)? {
        match devices.iter_mut().find(|device| device["serial"] == serial) {
            Some(device) => device["sim"] = json!(name),
            None => devices.push(json!({"serial": serial, "state": "device", "sim": name})),
        }
    }
    Ok(Answer::value(&json!({ "devices": devices }), args, world))
}

pub(super) fn packages(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let wanted = device_serial(args, world)?;
    let filter = if args.has(&flags::THIRD_PARTY) { PackageFilter::ThirdParty } else { PackageFilter::All };
    let limit = limit(args)?;
    let packages = block_on(async {
        // A limit that the caller gives is for all of it.
        let deadline = Deadline::after(limit);
        let phone = engine(world).connect(wanted.as_deref(), deadline).await?;
        let deadline = if args.has(&flags::TIMEOUT) { deadline } else { Deadline::after(REACH) };
        let listed = phone.packages(filter, deadline).await.map_err(|error| operator::no_answer(&error))?;
        // An old phone cannot list its icons; its packages are known all the same.
        let apps = phone.launchable(deadline).await.unwrap_or_default();
        Ok::<_, Failure>((phone.serial().to_owned(), listed, apps))
    })?;
    let (serial, packages, apps) = packages?;
    let mut labels: BTreeMap<_, Option<String>> = BTreeMap::new();
    for app in apps.into_iter().filter(|app| packages.contains(&app.package)) {
        labels.entry(app.package).or_insert(app.label);
    }
    let apps: Vec<_> = labels
        .into_iter()
        .map(|(package, label)| match label {
            Some(label) => json!({"package": package, "label": label}),
            None => json!({ "package": package }),
        })
        .collect();
    let answer = json!({"packages": packages, "apps": apps, "count": packages.len(), "deviceId": serial});
    Ok(Answer::value(&answer, args, world))
}
