//! Judges what was seen of a phone's Operator app. Pure.

use super::device::{ours, vitals};
use super::facts::DeviceFacts;
use super::verdict::{ANDROID, CheckVerdict, HOST, word};
use super::{Compatibility, OPERATOR_VERSION, OperatorUse, Remedy, compatibility};
use clawperator_contract::ErrorCode;
use clawperator_phone::{Operator, other_variant};

/// What the phone has of the Operator app, if it is there.
fn installed(facts: &DeviceFacts) -> Option<&Operator> {
    let operator = &vitals(facts)?.operator;
    operator.installed?.then_some(operator)
}

pub(super) fn presence(facts: &DeviceFacts) -> Option<CheckVerdict> {
    let operator = &vitals(facts)?.operator;
    let package = &facts.operator_package;
    let verdict = match (operator.installed?, operator.other_installed, facts.operator) {
        (true, ..) => CheckVerdict::pass(format!("the Operator app is installed ({package})")),
        (false, Some(true), wanted) => {
            let other = other_variant(package);
            let summary = format!("{package} is not installed, its variant {other} is");
            match wanted {
                OperatorUse::Wanted => CheckVerdict::warn(ErrorCode::OperatorVariantMismatch, summary)
                    .fix("Name the variant that is installed", HOST)
                    .shell(ours(facts, &format!("doctor --operator-package {}", word(&other)))),
                OperatorUse::NotAsked => CheckVerdict::pass(summary),
            }
        }
        (false, _, OperatorUse::NotAsked) => {
            CheckVerdict::pass("the Operator app is not installed; executions run without it")
        }
        (false, _, OperatorUse::Wanted) => {
            let line = ours(facts, "operator setup --apk FILE");
            CheckVerdict::warn(
                ErrorCode::OperatorNotInstalled,
                format!("the Operator app {package} is not installed"),
            )
            .fix("Install it, or run without it", HOST)
            .manual(format!("{line}, where FILE is the app's APK."))
        }
    };
    Some(verdict.evidence("package", package.as_str()))
}

pub(super) fn version(facts: &DeviceFacts) -> Option<CheckVerdict> {
    let operator = installed(facts)?;
    let fits = compatibility(operator.version.as_deref());
    let version = operator.version.as_deref().unwrap_or("?");
    let install = format!(
        "{}, where FILE is the APK of version {OPERATOR_VERSION}.",
        ours(facts, "operator setup --apk FILE")
    );
    let verdict = match fits.code() {
        None => CheckVerdict::pass(format!("its version {version} is one that this program works with")),
        Some(code) => {
            let said = match fits {
                Compatibility::Same | Compatibility::Other => format!("its version is {version}"),
                Compatibility::Invalid => format!("its version {version:?} is no version"),
                Compatibility::Unreadable => "the phone does not say its version".to_owned(),
            };
            let summary = format!("{said}; this program works with {OPERATOR_VERSION}");
            match facts.operator {
                OperatorUse::NotAsked => CheckVerdict::pass(summary + ", and executions run without the app"),
                OperatorUse::Wanted => CheckVerdict::warn(code, summary)
                    .fix("Install the version that fits, or run without it", HOST)
                    .manual(install),
            }
        }
    };
    Some(verdict.evidence("version", operator.version.clone()))
}

pub(super) fn service(facts: &DeviceFacts) -> Option<CheckVerdict> {
    let on = installed(facts)?.service?;
    let off = "its accessibility service is off; executions run without the app";
    Some(match (on, facts.operator) {
        (true, _) => CheckVerdict::pass("its accessibility service is on"),
        (false, OperatorUse::NotAsked) => CheckVerdict::pass(off),
        (false, OperatorUse::Wanted) => {
            let flag = format!("--operator-package {}", word(&facts.operator_package));
            CheckVerdict::warn(ErrorCode::DeviceAccessibilityNotRunning, off)
                .fix("Switch on what the app needs, if it is to be used", ANDROID)
                .shell(ours(facts, &format!("grant-device-permissions {flag}")))
                .remedy(Remedy::GrantOperator)
        }
    })
}
