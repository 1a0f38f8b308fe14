//! What there is: phones, and the packages of a phone.

use super::given::Given;
use super::reach::{block_on, limit, reached_by, wanted};
use super::{Answer, World, output, sim};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_runtime::{Deadline, PackageFilter, PhoneError, REACH};
use serde_json::{Value, json};

/// Lists the phones that the adb server knows, and those in the box.
pub(super) fn devices(given: &Given, world: &mut World) -> Result<Answer, Failure> {
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
    Ok(Answer {
        text: output::render(&json!({ "devices": devices }), given.format(), world.colour),
        exit_code: 0,
    })
}

/// Lists the packages of a phone.
pub(super) fn packages(given: &Given, world: &mut World) -> Result<Answer, Failure> {
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
        let refused = |error: PhoneError| Failure::new(ErrorCode::DeviceShellUnavailable, error.to_string());
        Ok::<_, Failure>((phone.serial().to_owned(), listed.map_err(refused)?))
    })?;
    let (serial, packages) = packages?;
    let answer = json!({"packages": packages, "count": packages.len(), "deviceId": serial});
    Ok(Answer {
        text: output::render(&answer, given.format(), world.colour),
        exit_code: 0,
    })
}
