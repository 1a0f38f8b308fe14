//! `version`: this program's version, and whether a phone's Operator app fits.

use super::args::Args;
use super::world::{Answer, World};
use super::{device, flags, operator};
use clawperator_contract::Failure;
use clawperator_phone::other_variant;
use clawperator_run::doctor::{Compatibility, OPERATOR_VERSION, compatibility};
use serde_json::json;

const OURS: &str = env!("CARGO_PKG_VERSION");

pub(super) fn version(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    if !args.has(&flags::CHECK_COMPAT) {
        return Ok(Answer::value(&json!({ "cliVersion": OURS }), args, world));
    }
    let (package, _) = operator::package(args, world)?;
    let wanted = device::device_serial(args, world)?;
    let (serial, app) = device::block_on_within(args, async {
        let phone = device::reached(wanted.as_deref(), world).await?;
        let app = operator::ask(&phone, &package).await?;
        Ok::<_, Failure>((phone.serial().to_owned(), app))
    })?;
    let package = package.as_str();
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
            answer["remediation"] =
                json!(format!("{setup}, where FILE is the APK of version {OPERATOR_VERSION}"));
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
    Ok(Answer::value(&answer, args, world).succeeded(answer["compatible"] == true))
}
