//! Does what is safe to do about a finding, and says what it did.

use super::examine::COMMAND;
use super::{DeviceFacts, DoctorSetup, Examination, Finding, Remedy};
use clawperator_adb::{Deadline, PrivateKey, ServerClient};
use clawperator_contract::Repair;
use clawperator_phone::devices::{PhoneChoice, connect};
use clawperator_phone::lock::{LockError, Locks, Owner};
use clawperator_phone::{GrantResult, KeyCode, Phone, Precondition};
use futures_core::future::BoxFuture;
use std::time::Duration;

/// Starting the server takes its time.
const START: Duration = Duration::from_secs(12);
const CONNECT: Duration = Duration::from_secs(8);
const ACT: Duration = Duration::from_secs(10);
/// How long a screen may take to come on, or a lock screen to go.
const SETTLE: Duration = Duration::from_secs(2);
const AGAIN: Duration = Duration::from_millis(50);

/// Does what the findings offer, one after the other.
pub fn repair<'f>(
    scene: &'f DoctorSetup,
    seen: &'f Examination,
    findings: &'f [Finding],
) -> BoxFuture<'f, Vec<Repair>> {
    Box::pin(async move {
        let way = |serial: &str| {
            let device = seen.devices.iter().find(|device| device.serial == serial);
            device.map_or_else(|| PhoneChoice::Direct(serial.to_owned()), DeviceFacts::way)
        };
        let mut repairs = Vec::new();
        for finding in findings {
            let Some(remedy) = finding.remedy else { continue };
            let serial = finding.check.device_id.as_deref();
            let came = match (remedy, serial) {
                (Remedy::StartServer, _) => start_server(scene).await,
                (Remedy::CleanLocks, _) => clean_locks(scene),
                (Remedy::MoveKey, _) => move_key(scene),
                (Remedy::Wake | Remedy::DismissKeyguard | Remedy::GrantOperator, Some(serial)) => {
                    on_phone(scene, &way(serial), remedy).await
                }
                (Remedy::Wake | Remedy::DismissKeyguard | Remedy::GrantOperator, None) => continue,
            };
            repairs.push(Repair {
                id: finding.check.id,
                device_id: serial.map(str::to_owned),
                done: came.is_ok(),
                summary: came.unwrap_or_else(|trouble| trouble),
            });
        }
        repairs
    })
}

async fn start_server(scene: &DoctorSetup) -> Result<String, String> {
    let server = ServerClient::from_environment(&scene.environment).map_err(|error| error.to_string())?;
    match server.version(scene.within(START)).await {
        Ok(_) => Ok(format!("started the adb server at {}", server.address())),
        Err(error) => Err(format!("the adb server was not started: {error}")),
    }
}

fn clean_locks(scene: &DoctorSetup) -> Result<String, String> {
    let told = |error: std::io::Error| format!("a mark was not removed: {error}");
    let leftovers = Locks::new(scene.locks.clone()).leftovers().map_err(told)?;
    for leftover in &leftovers {
        leftover.remove().map_err(told)?;
    }
    let serials: Vec<_> = leftovers.iter().map(|leftover| leftover.serial.as_str()).collect();
    Ok(format!("removed the marks of ended runs on {}", serials.join(", ")))
}

fn move_key(scene: &DoctorSetup) -> Result<String, String> {
    let path = scene.key_file.display();
    match PrivateKey::move_broken_aside(&scene.key_file) {
        Ok(Some(aside)) => Ok(format!("moved {path} to {}", aside.display())),
        Ok(None) => Err(format!("{path} was changed meanwhile; it was left alone")),
        Err(error) => Err(format!("{path} was not moved: {error}")),
    }
}

async fn on_phone(scene: &DoctorSetup, way: &PhoneChoice, remedy: Remedy) -> Result<String, String> {
    let told = |error: clawperator_phone::PhoneError| error.to_string();
    let phone = connect(way, &scene.reach(), scene.within(CONNECT)).await;
    let phone = phone.map_err(|error| error.to_string())?;
    let owner = Owner { pid: std::process::id(), command_id: COMMAND.to_owned(), since: scene.now };
    let locks = Locks::new(scene.locks.clone());
    let turn = locks.acquire(phone.serial(), &owner, None).await;
    // Without a folder for locks, no execution can hold the phone either.
    if let Err(error @ LockError::Conflict(_)) = &turn {
        return Err(error.to_string());
    }
    phone.recall_last_act(&scene.state.join("phones"));
    let deadline = scene.within(ACT);
    match remedy {
        Remedy::Wake => {
            phone.key(KeyCode::Wake, &Precondition::OnScreen, deadline).await.map_err(told)?;
            settle(&phone, deadline, |front| front.awake != Some(false)).await;
            Ok("pressed the wake-up key".to_owned())
        }
        Remedy::DismissKeyguard => {
            // A lock screen can only be dismissed while the screen is on.
            phone.key(KeyCode::Wake, &Precondition::OnScreen, deadline).await.map_err(told)?;
            phone.dismiss_keyguard(deadline).await.map_err(told)?;
            settle(&phone, deadline, |front| front.keyguard != Some(true)).await;
            Ok("pressed the wake-up key and asked the lock screen to go".to_owned())
        }
        Remedy::GrantOperator => {
            let package = &scene.operator_package;
            let granted = phone.grant_operator(package.as_str(), deadline).await;
            let granted = granted.map_err(told)?;
            let parts = [
                (granted.accessibility, "its accessibility service"),
                (granted.notifications, "notifications"),
                (granted.listener, "its notification listener"),
            ];
            let now = parts.into_iter().filter(|(granted, _)| *granted == GrantResult::Now);
            let now: Vec<_> = now.map(|(_, part)| part).collect();
            Ok(format!("switched on for {package}: {}", now.join(", ")))
        }
        Remedy::StartServer | Remedy::CleanLocks | Remedy::MoveKey => Err("nothing of a phone".to_owned()),
    }
}

/// Waits until the phone shows what was asked for; the checks that follow say whether it ever did.
async fn settle(phone: &Phone, deadline: Deadline, fine: impl Fn(&clawperator_phone::Foreground) -> bool) {
    let waiting = async {
        while phone.foreground(deadline).await.is_ok_and(|front| !fine(&front)) {
            tokio::time::sleep(AGAIN).await;
        }
    };
    // Too late is no failure here.
    let _ = tokio::time::timeout(SETTLE, waiting).await;
}
