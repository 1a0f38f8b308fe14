//! `version`: this program's, and whether a phone's Operator app fits it.

use super::given::Given;
use super::{Answer, World, operator, reach};
use clawperator_contract::{FAILURE_EXIT_CODE, Failure};
use clawperator_runtime::doctor::{Compatibility, OPERATOR_VERSION, compatibility};
use clawperator_runtime::{Deadline, other_variant};
use serde_json::json;
use std::time::Duration;

/// How long a phone may take to say what it has.
const ASK: Duration = Duration::from_secs(10);
const OURS: &str = env!("CARGO_PKG_VERSION");

/// Prints versions.
pub(super) fn version(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    if !given.has("check-compat") {
        return Ok(Answer::json(&json!({ "cliVersion": OURS }), given, world));
    }
    let (package, _) = operator::package(given, world)?;
    let package = package.as_str();
    let wanted = reach::wanted(given, world)?;
    let (serial, app) = reach::block_on_unless_asked(async {
        let phone = reach::reached(wanted.as_deref(), world).await?;
        let app = phone.operator(package, Deadline::after(ASK)).await;
        Ok::<_, Failure>((
            phone.serial().to_owned(),
            app.map_err(|error| operator::no_answer(&error))?,
        ))
    })??;
    let mut answer = json!({"cliVersion": OURS, "operatorPackage": package, "operatorVersion": OPERATOR_VERSION,
        "deviceId": serial, "compatible": false});
    let setup = format!("clawperator operator setup --apk FILE --device {serial}");
    if app.installed == Some(true) {
        answer["apkVersion"] = json!(app.version);
        answer["apkVersionCode"] = json!(app.version_code);
        let verdict = compatibility(app.version.as_deref());
        answer["compatible"] = json!(verdict == Compatibility::Same);
        if let Some(code) = verdict.code() {
            let message = code.row().meaning;
            answer["error"] = json!({"code": code, "message": message});
            answer["remediation"] = json!(format!(
                "{setup}, where FILE is the APK of version {OPERATOR_VERSION}"
            ));
        }
    } else {
        let other = other_variant(package);
        let (code, remediation) = if app.other_installed == Some(true) {
            let line =
                format!("clawperator version --check-compat --operator-package {other} --device {serial}");
            (clawperator_contract::ErrorCode::OperatorVariantMismatch, line)
        } else {
            (clawperator_contract::ErrorCode::OperatorNotInstalled, setup)
        };
        answer["error"] = json!({"code": code, "message": code.row().meaning});
        answer["remediation"] = json!(remediation);
    }
    let exit_code = if answer["compatible"] == true {
        0
    } else {
        FAILURE_EXIT_CODE
    };
    Ok(Answer::json(&answer, given, world).exit(exit_code))
}
