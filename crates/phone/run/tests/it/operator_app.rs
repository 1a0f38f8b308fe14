//! The Operator app: found, installed, given what it needs, and judged.

use crate::adb_server::serve_list;
use crate::doctor::{OPERATOR, found, look, scene};
use crate::world::{both_protocols, connect_again, failure, faulty, plain, soon, type_in};
use clawperator_contract::CheckStatus::{Pass, Warn};
use clawperator_contract::ErrorCode;
use clawperator_phone::{GrantResult, Operator, PhoneError};
use clawperator_run::doctor::OperatorUse;

/// The app of another version, or another package.
fn app(package: &str, version: &str) -> String {
    include_str!("../../../../box/sim/apps/operator.yaml")
        .replace("package: com.clawperator.operator", &format!("package: {package}"))
        .replace(r#"{name: "0.5.3", code: 503}"#, &format!(r#"{{name: "{version}", code: 504}}"#))
}

#[tokio::test]
async fn the_app_is_installed_granted_and_found_again() {
    for world in both_protocols().await {
        let phone = &world.phone;
        type_in(&world, "pm uninstall com.clawperator.operator; true").await;
        let none = phone.operator(OPERATOR, soon()).await.unwrap();
        assert_eq!((none.installed, none.service), (Some(false), None));
        phone.install(app(OPERATOR, "0.5.4").as_bytes(), soon()).await.unwrap();
        let after = world.phone.round_trips();
        let grants = phone.grant_operator(OPERATOR, soon()).await.unwrap();
        assert_eq!(world.phone.round_trips() - after, 2);
        for granted in [grants.accessibility, grants.notifications, grants.listener] {
            assert_eq!(granted, GrantResult::Now);
        }
        let again = phone.grant_operator(OPERATOR, soon()).await.unwrap();
        for granted in [again.accessibility, again.notifications, again.listener] {
            assert_eq!(granted, GrantResult::Already);
        }
        let wanted = Operator {
            installed: Some(true),
            other_installed: Some(false),
            version: Some("0.5.4".to_owned()),
            version_code: Some(504),
            service: Some(true),
        };
        assert_eq!(phone.operator(OPERATOR, soon()).await.unwrap(), wanted);
        let files = connect_again(&world).await;
        let left = files.list("/data/local/tmp", soon()).await.unwrap();
        assert!(!left.iter().any(|file| file.name.contains("clawperator-install")));
    }
}

#[tokio::test]
async fn other_services_stay_on() {
    let world = plain().await;
    let services = "com.other/.Reader:com.clawperator.operator/clawperator.operator.Other";
    let line = format!("settings put secure enabled_accessibility_services {services}");
    type_in(&world, &line).await;
    world.phone.grant_operator(OPERATOR, soon()).await.unwrap();
    let device = connect_again(&world).await;
    let line = "settings get secure enabled_accessibility_services";
    let now = device.shell(line, bytes::Bytes::new(), soon()).await.unwrap();
    let now = String::from_utf8(now.stdout.to_vec()).unwrap();
    assert!(now.starts_with(services), "{now}");
    assert_eq!(now.trim().split(':').count(), 3, "{now}");
}

#[tokio::test]
async fn an_app_that_asks_for_nothing_needs_nothing() {
    let world = plain().await;
    let bare = app("com.clawperator.operator.dev", "0.5.3")
        .replace("permissions: [android.permission.POST_NOTIFICATIONS]\n", "");
    world.phone.install(bare.as_bytes(), soon()).await.unwrap();
    let package = "com.clawperator.operator.dev";
    let grants = world.phone.grant_operator(package, soon()).await.unwrap();
    assert_eq!(grants.notifications, GrantResult::Needless);
    assert_eq!(grants.accessibility, GrantResult::Now);
    let both = world.phone.operator(OPERATOR, soon()).await.unwrap();
    assert_eq!((both.installed, both.other_installed), (Some(true), Some(true)));
    assert_eq!(both.service, Some(false), "the other variant's is on");
}

#[tokio::test]
async fn what_the_phone_does_not_install_is_refused_in_its_words() {
    let world = plain().await;
    match failure(world.phone.install(b"no app", soon()).await) {
        PhoneError::Refused { excerpt, .. } => assert!(excerpt.contains("NOT_APK"), "{excerpt}"),
        other => panic!("{other}"),
    }
    let full = faulty(&["low_storage"]).await;
    let error = failure(full.phone.install(&vec![7; 100_000], soon()).await);
    assert!(matches!(error, PhoneError::Refused { .. }), "{error}");
    let error = failure(world.phone.grant_operator("a\0b", soon()).await);
    assert!(matches!(error, PhoneError::Nul(_)), "{error}");
    // It is there, and has no such service: nothing is written down for it.
    match failure(world.phone.grant_operator("com.android.settings", soon()).await) {
        PhoneError::Refused { excerpt, .. } => assert!(excerpt.contains("has no service"), "{excerpt}"),
        other => panic!("{other}"),
    }
    let device = connect_again(&world).await;
    let line = "settings get secure enabled_accessibility_services";
    let now = device.shell(line, bytes::Bytes::new(), soon()).await.unwrap();
    assert!(!String::from_utf8_lossy(&now.stdout).contains("com.android.settings"));
    let error = failure(world.phone.grant_operator("com.nobody", soon()).await);
    assert!(matches!(error, PhoneError::Refused { .. }), "{error}");
}

#[tokio::test]
async fn doctor_tells_missing_from_old_from_other() {
    let world = plain().await;
    let device = connect_again(&world).await;
    let mut scene = scene("operator", serve_list("sim-1 device\n", device).await);
    for version in ["0.5.4", "next"] {
        let apk = app(OPERATOR, version);
        world.phone.install(apk.as_bytes(), soon()).await.unwrap();
        scene.operator = OperatorUse::NotAsked;
        let (_, findings) = look(&scene).await;
        assert_eq!(found(&findings, "runtime.operator.version").0, Pass);
        scene.operator = OperatorUse::Wanted;
        let (_, findings) = look(&scene).await;
        let code = match version {
            "next" => ErrorCode::ApkVersionInvalid,
            _ => ErrorCode::VersionIncompatible,
        };
        assert_eq!(found(&findings, "runtime.operator.version"), (Warn, Some(code)));
        assert_eq!(found(&findings, "runtime.host").0, Pass);
    }
    type_in(&world, "pm uninstall com.clawperator.operator").await;
    for (operator, wanted) in [
        (OperatorUse::NotAsked, (Pass, None)),
        (OperatorUse::Wanted, (Warn, Some(ErrorCode::OperatorNotInstalled))),
    ] {
        scene.operator = operator;
        let (_, findings) = look(&scene).await;
        assert_eq!(found(&findings, "runtime.operator"), wanted);
    }
    let dev = app("com.clawperator.operator.dev", "0.5.3");
    world.phone.install(dev.as_bytes(), soon()).await.unwrap();
    let (_, findings) = look(&scene).await;
    assert_eq!(found(&findings, "runtime.operator"), (Warn, Some(ErrorCode::OperatorVariantMismatch)));
}
