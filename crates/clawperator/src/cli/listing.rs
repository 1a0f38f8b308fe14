//! What there is: phones, and the packages of a phone.

use super::command::{CommandSpec, GroupSpec, OPTIONS, PLAIN, Run};
use super::flag;
use super::given::Given;
use super::reach::{block_on, limit, reached_by, wanted};
use super::{Answer, World, operator, sim};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_runtime::{Deadline, PackageFilter, REACH};
use serde_json::{Value, json};

/// What is installed on a phone.
pub(crate) const GROUP: GroupSpec = GroupSpec {
    name: "packages",
    synonyms: &[],
    about: "Tells what is installed on a phone.",
    details: "",
};

/// The commands about packages.
pub(crate) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    group: GROUP.name,
    name: "list",
    about: "Lists the packages of a phone.",
    flags: &[(OPTIONS, flag::PACKAGES)],
    examples: &[
        "clawperator packages list --device sim",
        "clawperator packages list --third-party",
    ],
    run: Run::Act(packages),
    ..PLAIN
}];

/// `devices`, which is in no group.
pub(super) const DEVICES: CommandSpec = CommandSpec {
    name: "devices",
    about: "Lists the phones that can be reached.",
    details: "Those that the adb server knows, in any state, and the simulated ones that run.",
    flags: &[],
    examples: &["clawperator devices", "clawperator devices --output pretty"],
    run: Run::Act(devices),
    ..PLAIN
};

/// Lists the phones that the adb server knows, and those in the box.
fn devices(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let limit = limit(given)?;
    let reach = world.phones.reach();
    let known = block_on(async { clawperator_runtime::list(&reach, Deadline::after(limit)).await })?;
    let mut devices: Vec<Value> = match known {
        Ok(known) => known
            .iter()
            .map(|entry| json!({"serial": entry.serial, "state": entry.state.to_string()}))
            .collect(),
        // Without adb there are still the phones in the box.
        Err(error) if error.code() == ErrorCode::AdbNotFound => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    for (name, serial) in sim::running(world)? {
        match devices.iter_mut().find(|device| device["serial"] == serial) {
            Some(device) => device["sim"] = json!(name),
            None => devices.push(json!({"serial": serial, "state": "device", "sim": name})),
        }
    }
    Ok(Answer::json(&json!({ "devices": devices }), given, world))
}

/// Lists the packages of a phone.
fn packages(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let wanted = wanted(given, world)?;
    let filter = if given.has("third-party") {
        PackageFilter::ThirdParty
    } else {
        PackageFilter::All
    };
    let limit = limit(given)?;
    let packages = block_on(async {
        // One limit for all of it, where the caller has one.
        let deadline = Deadline::after(limit);
        let phone = reached_by(deadline, wanted.as_deref(), world).await?;
        let deadline = given
            .value("timeout")
            .map_or_else(|| Deadline::after(REACH), |_| deadline);
        let listed = phone.packages(filter, deadline).await;
        let listed = listed.map_err(|error| operator::no_answer(&error))?;
        Ok::<_, Failure>((phone.serial().to_owned(), listed))
    })?;
    let (serial, packages) = packages?;
    let answer = json!({"packages": packages, "count": packages.len(), "deviceId": serial});
    Ok(Answer::json(&answer, given, world))
}
