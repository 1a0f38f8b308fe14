//! Tests of `sdk/avd.rs`.

use crate::support::{client, folder, server_in};
use clawperator_server::Sdk;
use serde_json::json;
use std::fs;
use std::path::Path;

/// Writes the two files that describe a virtual device.
fn describe(folder: &Path, name: &str, pointer: &str, config: &str) {
    let device = folder.join(format!("{name}.avd"));
    fs::create_dir_all(&device).unwrap();
    fs::write(folder.join(format!("{name}.ini")), pointer).unwrap();
    fs::write(device.join("config.ini"), config).unwrap();
}

#[tokio::test]
async fn the_files_of_a_virtual_device_are_read() {
    let folder = folder("avd_files");
    let avds = folder.join("avd");
    let pointer = "avd.ini.encoding=UTF-8\ntarget=android-34\n";
    let elsewhere = folder.join("elsewhere");
    let config = "PlayStore.enabled = yes\nabi.type=x86_64\nhw.device.name=pixel_7\r\n\
                  image.sysdir.1=system-images/android-35/google_apis_playstore/x86_64/\n";
    describe(&elsewhere, "pixel", "", config);
    fs::create_dir_all(&avds).unwrap();
    let path = elsewhere.join("pixel.avd");
    fs::write(avds.join("pixel.ini"), format!("{pointer}path={}\n", path.display())).unwrap();
    describe(&avds, "old", pointer, "abi.type=\nPlayStore.enabled=false\n");
    describe(&avds, "none", "", "");
    let variable = |name: &str| (name == "ANDROID_AVD_HOME").then(|| avds.clone().into());
    let sdk = Sdk::from_environment(variable, &folder, folder.join("adb"));
    let server = server_in(&folder, |app| app.sdk = sdk).await;
    let answer = client(&server).get("/android/emulators").await.json();
    let device = |name: &str| json!({"name": name, "type": "emulator", "exists": true, "running": false});
    let mut pixel = device("pixel");
    for (key, fact) in [
        ("apiLevel", json!(35)),
        ("abi", json!("x86_64")),
        ("deviceProfile", json!("pixel_7")),
        ("playStore", json!(true)),
    ] {
        pixel[key] = fact;
    }
    let mut old = device("old");
    (old["apiLevel"], old["playStore"]) = (json!(34), json!(false));
    assert_eq!(answer["avds"], json!([device("none"), old, pixel]));
}
