//! `operator setup` and `grant-device-permissions`: the Operator app of a phone.

use super::args::Args;
use super::world::{Answer, World};
use super::{device, flags, sim};
use crate::phones::OPERATOR_PACKAGE;
use clawperator_contract::{ErrorCode, Failure, RouteChoice, text};
use clawperator_phone::{
    Deadline, GrantResult, Grants, Operator, PackageName, Phone, PhoneError, other_variant,
};
use clawperator_run::doctor::{Compatibility, OperatorUse, compatibility};
use clawperator_run::operator::RouteWish;
use serde_json::{Value, json};
use std::fs::File;
use std::io::Read;
use std::time::Duration;

/// The largest file that is installed.
const MAX_APK: u64 = 256 << 20;
/// How long things may take.
const ASK: Duration = Duration::from_secs(10);
const GRANT: Duration = Duration::from_secs(20);
const INSTALL: Duration = Duration::from_secs(300);

/// The Operator app that the flag names, or else the environment. An empty name is none.
pub(super) fn operator_package(args: &Args, world: &World) -> Result<Option<PackageName>, Failure> {
    if let Some(package) = flagged(args)? {
        return Ok(Some(package));
    }
    let Some(name) = world.phones.operator_package.as_deref().filter(|name| !name.is_empty()) else {
        return Ok(None);
    };
    PackageName::parse(name).map(Some).map_err(|error| {
        Failure::new(ErrorCode::Usage, format!("{OPERATOR_PACKAGE}: {error}")).hint(example())
    })
}

/// What is to run the steps: as the flag says, or else the environment.
pub(super) fn route(args: &Args, world: &World) -> Result<RouteWish, Failure> {
    let choice = flagged_route(args)?.unwrap_or(world.phones.route);
    let package = operator_package(args, world)?;
    Ok(match (choice, package) {
        (RouteChoice::Host, _) | (RouteChoice::Auto, None) => RouteWish::Host,
        (RouteChoice::Auto, Some(package)) => RouteWish::Auto(package),
        (RouteChoice::Operator, package) => {
            RouteWish::Operator(package.unwrap_or_else(PackageName::usual_operator))
        }
    })
}

pub(super) fn flagged_route(args: &Args) -> Result<Option<RouteChoice>, Failure> {
    args.word(&flags::ROUTE, RouteChoice::from_word)
}

pub(super) fn flagged(args: &Args) -> Result<Option<PackageName>, Failure> {
    let package = args.value(&flags::OPERATOR_PACKAGE)?.map(PackageName::parse);
    package.transpose().map_err(|error| {
        let rule = format!("names no package: {error}");
        args.fault(ErrorCode::Usage, &flags::OPERATOR_PACKAGE, rule).hint(example())
    })
}

fn example() -> String {
    format!("Name a package such as {}.", PackageName::usual_operator())
}

/// The Operator app that is named, or the usual one; and whether one was named.
pub(super) fn package(args: &Args, world: &World) -> Result<(PackageName, OperatorUse), Failure> {
    Ok(match operator_package(args, world)? {
        Some(package) => (package, OperatorUse::Wanted),
        None => (PackageName::usual_operator(), OperatorUse::NotAsked),
    })
}

pub(super) fn no_answer(error: &PhoneError) -> Failure {
    Failure::of(ErrorCode::DeviceShellUnavailable, error.to_string())
}

/// Says how to set up a phone. The command alone sets up nothing, so this is a failure.
pub(super) fn guide(args: &Args, world: &World) -> Answer {
    let answer = json!({
        "code": ErrorCode::Usage,
        "message": "setup alone does nothing. No app has to be installed: clawperator doctor checks whether a phone \
            can be used. To install the Operator app, name its file",
        "canonical": "clawperator operator setup --apk FILE",
    });
    Answer::value(&answer, args, world).succeeded(false)
}

pub(super) fn grant(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let (package, _) = package(args, world)?;
    let wanted = device::device_serial(args, world)?;
    let (serial, grants, after) = device::block_on_within(args, async {
        let lease = device::leased(wanted.as_deref(), "operator", world).await?;
        let phone = lease.phone();
        let before = ask(phone, &package).await?;
        if before.installed != Some(true) {
            return Err(missing(phone, package.as_str(), &before));
        }
        let grants = granted(phone, &package).await?;
        let after = ask(phone, &package).await?;
        Ok::<_, Failure>((phone.serial().to_owned(), grants, after))
    })?;
    if after.service != Some(true) {
        let message = format!("{serial} does not show the accessibility service of {package} as enabled");
        return Err(Failure::of(ErrorCode::OperatorGrantFailed, message));
    }
    let answer = json!({"operatorPackage": package.as_str(), "deviceId": serial, "permissions": grants_json(&grants),
        "message": format!("{package} has its permissions on {serial}")});
    Ok(Answer::value(&answer, args, world))
}

pub(super) fn setup(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let path = args.value(&flags::APK)?.ok_or_else(|| args.missing("--apk FILE"))?;
    let apk = read(path)?;
    let (named, asked) = package(args, world)?;
    let package = which(&apk, &named, asked)?;
    let wanted = device::device_serial(args, world)?;
    let (serial, grants, app) = device::block_on_within(args, async {
        let lease = device::leased(wanted.as_deref(), "operator", world).await?;
        let phone = lease.phone();
        let installed = phone.install(&apk, Deadline::after(INSTALL)).await;
        installed.map_err(|error| Failure::of(ErrorCode::OperatorInstallFailed, error.to_string()))?;
        let app = ask(phone, &package).await?;
        if app.installed != Some(true) {
            let message = format!(
                "the phone installed the file, but {package} is not there; the file holds another app"
            );
            return Err(Failure::of(ErrorCode::OperatorVerifyFailed, message));
        }
        let grants = granted(phone, &package).await?;
        Ok::<_, Failure>((phone.serial().to_owned(), grants, ask(phone, &package).await?))
    })?;
    if app.service != Some(true) {
        let message = format!("{serial} does not show the accessibility service of {package} as enabled");
        return Err(Failure::of(ErrorCode::OperatorVerifyFailed, message));
    }
    let compatible = compatibility(app.version.as_deref()) == Compatibility::Same;
    let answer = json!({"operatorPackage": package.as_str(), "deviceId": serial,
        "install": {"ok": true, "apk": path, "bytes": apk.len()},
        "permissions": grants_json(&grants),
        "verification": {"installed": true, "version": app.version, "versionCode": app.version_code,
            "accessibilityService": true, "compatible": compatible},
        "message": format!("{package} is installed on {serial} and has its permissions")});
    Ok(Answer::value(&answer, args, world))
}

fn read(path: &str) -> Result<Vec<u8>, Failure> {
    let code = ErrorCode::OperatorApkNotFound;
    let shown = text::excerpt(path);
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_APK + 1).read_to_end(&mut bytes));
    match read {
        Err(error) => Err(Failure::of(code, format!("cannot read \"{shown}\": {error}"))),
        Ok(_) if bytes.is_empty() => Err(Failure::of(code, format!("\"{shown}\" is empty"))),
        Ok(_) if bytes.len() as u64 > MAX_APK => {
            Err(Failure::of(code, format!("\"{shown}\" is larger than {MAX_APK} bytes")))
        }
        Ok(_) => Ok(bytes),
    }
}

/// The package in a file. It must be the one that is named; if none is named, the
/// usual one or its variant. Nothing has been sent to the phone yet.
fn which(apk: &[u8], package: &PackageName, asked: OperatorUse) -> Result<PackageName, Failure> {
    let found = sim::package_of(apk).and_then(|name| PackageName::parse(&name).ok());
    let Some(found) = found else {
        let message = "the file is not an APK, or its manifest cannot be read";
        return Err(Failure::of(ErrorCode::OperatorApkNotFound, message));
    };
    let other = other_variant(package.as_str());
    let fits = found == *package || asked == OperatorUse::NotAsked && found.as_str() == other;
    if fits {
        return Ok(found);
    }
    let message = format!("the file holds {found}, not {package}; nothing was installed");
    Err(Failure::of(ErrorCode::OperatorVerifyFailed, message))
}

pub(super) async fn ask(phone: &Phone, package: &PackageName) -> Result<Operator, Failure> {
    let asked = phone.operator(package.as_str(), Deadline::after(ASK)).await;
    let app = asked.map_err(|error| no_answer(&error))?;
    if app.installed.is_none() {
        let message = format!("{} did not say whether {package} is installed", phone.serial());
        return Err(Failure::of(ErrorCode::DeviceShellUnavailable, message));
    }
    Ok(app)
}

async fn granted(phone: &Phone, package: &PackageName) -> Result<Grants, Failure> {
    let granted = phone.grant_operator(package.as_str(), Deadline::after(GRANT)).await;
    granted.map_err(|error| Failure::of(ErrorCode::OperatorGrantFailed, error.to_string()))
}

fn missing(phone: &Phone, package: &str, app: &Operator) -> Failure {
    let serial = phone.serial();
    if app.other_installed == Some(true) {
        let other = other_variant(package);
        let message = format!("{package} is not installed on {serial}, but its variant {other} is");
        return Failure::new(ErrorCode::OperatorVariantMismatch, message)
            .hint(format!("Add --operator-package {other}."));
    }
    let message = format!("{package} is not installed on {serial}");
    let hint = format!(
        "Install it with clawperator operator setup --apk FILE --device {serial}, or run without it."
    );
    Failure::new(ErrorCode::OperatorNotInstalled, message).hint(hint)
}

fn grants_json(grants: &Grants) -> Value {
    let word = |granted: GrantResult| match granted {
        GrantResult::Already => "already",
        GrantResult::Now => "granted",
        GrantResult::Needless => "skipped",
    };
    json!({"accessibility": word(grants.accessibility), "notifications": word(grants.notifications),
        "notificationListener": word(grants.listener)})
}
