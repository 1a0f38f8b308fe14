//! Virtual devices, with tools of Android's SDK that only write down how they are
//! called. What they start is one phone in memory.

use crate::support::phones::{Phones, engine};
use crate::support::{Ask, Client, Server, client, folder, server_in, server_with};
use clawperator_adb::{DeviceEntry, DeviceState};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_engine::Discovery;
use clawperator_phone::{Deadline, Phone};
use clawperator_server::Sdk;
use futures_core::future::BoxFuture;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The phone that every emulator is.
const PHONE: &str = "avd";

/// The emulators that the tools have started.
#[derive(Debug)]
struct Started {
    phones: Arc<Phones>,
    folder: PathBuf,
}

impl Discovery for Started {
    fn find<'d>(&'d self, name: &'d str) -> BoxFuture<'d, Result<String, Failure>> {
        Box::pin(async move { Ok(name.to_owned()) })
    }

    fn connect<'d>(
        &'d self,
        wanted: Option<&'d str>,
        deadline: Deadline,
    ) -> BoxFuture<'d, Result<Phone, Failure>> {
        Box::pin(async move {
            let port = wanted.and_then(|serial| serial.strip_prefix("emulator-"));
            if !port.is_some_and(|port| self.folder.join(port).exists()) {
                return Err(Failure::of(ErrorCode::DeviceNotFound, "it does not run"));
            }
            self.phones.connect(Some(PHONE), deadline).await
        })
    }

    fn list(&self, _: Deadline) -> BoxFuture<'_, Result<Vec<DeviceEntry>, Failure>> {
        let entry = |file: fs::DirEntry| DeviceEntry {
            serial: format!("emulator-{}", file.file_name().display()),
            state: DeviceState::Device,
            details: Vec::new(),
        };
        let files = fs::read_dir(&self.folder).unwrap().flatten();
        let all = files.map(entry).collect();
        Box::pin(async move { Ok(all) })
    }
}

/// A server with an SDK of its own, whose emulators say that they are that device.
async fn server_with_sdk(folder: &Path, device: &str) -> Server {
    for inner in ["running", "avd", "sdk/emulator", "sdk/cmdline-tools/latest/bin"] {
        fs::create_dir_all(folder.join(inner)).unwrap();
    }
    let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/sdk/tool");
    let tools = [
        "emulator/emulator",
        "cmdline-tools/latest/bin/avdmanager",
        "cmdline-tools/latest/bin/sdkmanager",
        "adb",
    ];
    for name in tools {
        symlink(&tool, folder.join("sdk").join(name)).unwrap();
    }
    let phones = Phones::new([PHONE.to_owned()]);
    let named = phones.handset(PHONE).with(|phone| phone.properties.set("ro.boot.qemu.avd_name", device));
    assert!(named);
    let started = Arc::new(Started { phones, folder: folder.join("running") });
    let variable = |name: &str| match name {
        "ANDROID_HOME" => Some(folder.join("sdk").into()),
        "ANDROID_AVD_HOME" => Some(folder.join("avd").into()),
        _ => None,
    };
    let sdk = Sdk::from_environment(variable, folder, folder.join("sdk/adb"));
    server_in(folder, |app| {
        app.engine = engine(&started, folder, None);
        app.sdk = sdk;
    })
    .await
}

/// How the tools were called since this was asked last.
fn calls(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("calls")).unwrap_or_default();
    let _ = fs::remove_file(folder.join("calls"));
    text.lines().map(str::to_owned).collect()
}

async fn post(client: &Client, path: &str, body: Value) -> Value {
    client.post(&format!("/android/{path}"), &body).await.json()
}

async fn get(client: &Client, path: &str) -> Value {
    client.get(&format!("/android/emulators{path}")).await.json()
}

fn image(level: u32) -> String {
    let abi = if cfg!(target_arch = "aarch64") { "arm64-v8a" } else { "x86_64" };
    format!("system-images;android-{level};google_apis_playstore;{abi}")
}

#[tokio::test]
async fn a_virtual_device_is_made_started_stopped_and_removed() {
    let folder = folder("http_avd");
    let server = server_with_sdk(&folder, "shop").await;
    let client = client(&server);
    let made = post(&client, "emulators/create", json!({"name": "shop"})).await;
    assert_eq!(made, json!({"ok": true, "type": "emulator", "avdName": "shop", "created": true}));
    let image = image(35);
    assert_eq!(
        calls(&folder),
        [
            format!("sdkmanager [--install] [{image}]"),
            format!("avdmanager [create] [avd] [--name] [shop] [--package] [{image}] [--device] [pixel_7]"),
        ]
    );
    let shown = get(&client, "/shop").await;
    assert_eq!(
        (&shown["apiLevel"], &shown["deviceProfile"], &shown["running"]),
        (&json!(35), &json!("pixel_7"), &json!(false))
    );
    let again = post(&client, "emulators/create", json!({"name": "shop"})).await;
    assert_eq!(again["error"]["code"], "EMULATOR_ALREADY_EXISTS");

    let started = post(&client, "emulators/shop/start", json!({})).await;
    let serial = started["serial"].as_str().unwrap_or_else(|| panic!("{started}"));
    let port = serial.strip_prefix("emulator-").unwrap();
    assert_eq!(
        started,
        json!({"ok": true, "type": "emulator", "avdName": "shop", "serial": serial, "booted": true,
            "created": false, "started": true, "reused": false})
    );
    assert_eq!(
        calls(&folder),
        [format!("emulator [-avd] [shop] [-port] [{port}] [-no-window] [-no-audio] [-no-boot-anim]")]
    );
    let running = json!([{"serial": serial, "avdName": "shop", "type": "emulator"}]);
    assert_eq!(get(&client, "/running").await["devices"], running);
    let again = post(&client, "emulators/shop/start", json!({})).await;
    assert_eq!(again["error"]["code"], "EMULATOR_ALREADY_RUNNING");
    let reused = post(&client, "provision/emulator", json!({"apiLevel": 35})).await;
    assert_eq!((&reused["serial"], &reused["reused"]), (&json!(serial), &json!(true)));
    let other = json!({"name": "shop", "apiLevel": 30});
    let unsupported = post(&client, "provision/emulator", other).await;
    assert_eq!(unsupported["error"]["code"], "EMULATOR_UNSUPPORTED");

    let stopped = post(&client, "emulators/shop/stop", json!({})).await;
    assert_eq!(stopped["stopped"], true, "{stopped}");
    let again = post(&client, "emulators/shop/stop", json!({})).await;
    assert_eq!(again["error"]["code"], "EMULATOR_NOT_RUNNING");
    let ask = Ask { method: "DELETE", path: "/android/emulators/shop", ..Ask::default() };
    assert_eq!(client.ask(ask).await.json()["deleted"], true);
    assert_eq!(
        calls(&folder),
        [format!("adb [-s] [{serial}] [emu] [kill]"), "avdmanager [delete] [avd] [--name] [shop]".to_owned(),]
    );
    assert_eq!(get(&client, "/shop").await["exists"], false);
}

#[tokio::test]
async fn provision_makes_the_usual_virtual_device_and_delete_stops_it() {
    let folder = folder("http_avd_provision");
    let server = server_with_sdk(&folder, "clawperator-pixel").await;
    let client = client(&server);
    let wish = json!({"apiLevel": 34, "abi": "x86", "deviceProfile": "Nexus 5X", "playStore": false});
    let new = post(&client, "provision/emulator", wish).await;
    assert_eq!((&new["created"], &new["started"]), (&json!(true), &json!(true)), "{new}");
    let image = "system-images;android-34;google_apis;x86";
    let create = format!(
        "avdmanager [create] [avd] [--name] [clawperator-pixel] [--package] [{image}] [--device] [Nexus 5X]"
    );
    assert_eq!(calls(&folder)[1], create);
    let ask = Ask { method: "DELETE", path: "/android/emulators/clawperator-pixel", ..Ask::default() };
    assert_eq!(client.ask(ask).await.json()["deleted"], true);
    assert_eq!(get(&client, "/running").await["devices"], json!([]));
    assert!(fs::read_dir(folder.join("running")).unwrap().next().is_none());
    // The image is there by now.
    let made =
        post(&client, "emulators/create", json!({"apiLevel": 34, "abi": "x86", "playStore": false})).await;
    assert_eq!(made["created"], true);
    assert!(calls(&folder).iter().all(|call| !call.starts_with("sdkmanager")));
}

#[tokio::test]
async fn what_the_tools_complain_of_is_told() {
    let folder = folder("http_avd_complaints");
    let server = server_with_sdk(&folder, "broken").await;
    let client = client(&server);
    let refused = post(&client, "emulators/create", json!({"apiLevel": 99})).await;
    assert_eq!(refused["error"]["code"], "ANDROID_SYSTEM_IMAGE_INSTALL_FAILED");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("license is not accepted"), "{message}");
    post(&client, "emulators/create", json!({"name": "broken"})).await;
    let refused = post(&client, "emulators/broken/start", json!({})).await;
    assert_eq!(refused["error"]["code"], "EMULATOR_START_FAILED");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("PANIC: Cannot find the system image"), "{message}");
    calls(&folder);
    // Nothing that a tool could take for a flag, a path or more than one word.
    for bad in [
        json!({"name": "-no-window"}),
        json!({"name": "../x"}),
        json!({"name": "a;b"}),
        json!({"deviceProfile": "--force"}),
        json!({"deviceProfile": "a$(id)"}),
        json!({"abi": "x86;id"}),
        json!({"apiLevel": 3}),
        json!({"playStore": "yes"}),
        json!({"type": "avd"}),
    ] {
        let refused = post(&client, "emulators/create", bad.clone()).await;
        assert_eq!(refused["error"]["code"], "INVALID_REQUEST", "{bad}");
    }
    assert_eq!(calls(&folder), [""; 0]);
}

#[tokio::test]
async fn without_the_tools_a_virtual_device_cannot_be_made() {
    let server = server_with("http_avd_none", |_| ()).await;
    let client = client(&server);
    let refused = post(&client, "emulators/create", json!({"type": "emulator"})).await;
    assert_eq!(refused["error"]["code"], "ANDROID_SDK_TOOL_MISSING");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("avdmanager is not there"), "{message}");
    let made = post(&client, "emulators/create", json!({"apiLevel": 34})).await;
    assert_eq!((&made["type"], &made["ignored"]), (&json!("simulated"), &json!(["apiLevel"])));
}
