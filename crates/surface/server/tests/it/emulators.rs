//! Emulators, which are phones in the box.

use crate::support::{Ask, Client, Names, client, server_with};
use serde_json::{Value, json};
use std::sync::Arc;

async fn post(client: &Client, path: &str, body: Value) -> Value {
    client.post(&format!("/android/{path}"), &body).await.json()
}

async fn get(client: &Client, path: &str) -> Value {
    client.get(&format!("/android/emulators{path}")).await.json()
}

#[tokio::test]
async fn an_emulator_is_made_started_stopped_and_removed() {
    let server = server_with("http_emulators", |app| app.boxed = Arc::new(Names::default())).await;
    let client = client(&server);
    assert_eq!(get(&client, "").await["avds"], json!([]));
    assert_eq!(get(&client, "/shop").await["exists"], false);
    let code = |answer: Value| answer["error"]["code"].as_str().unwrap().to_owned();
    assert_eq!(code(post(&client, "emulators/shop/start", json!({})).await), "EMULATOR_NOT_FOUND");
    let made = post(&client, "emulators/create", json!({"name": "shop"})).await;
    assert_eq!(made, json!({"ok": true, "type": "simulated", "avdName": "shop", "created": true}));
    let again = post(&client, "emulators/create", json!({"name": "shop"})).await;
    assert_eq!(code(again), "EMULATOR_ALREADY_EXISTS");
    for bad in ["", "a/b", "../x", "a b", "$(id)"] {
        let refused = post(&client, "emulators/create", json!({"name": bad})).await;
        assert_eq!(code(refused), "INVALID_REQUEST", "{bad}");
    }
    assert_eq!(code(post(&client, "emulators/shop/stop", json!({})).await), "EMULATOR_NOT_RUNNING");
    let started = post(&client, "emulators/shop/start", json!({})).await;
    assert_eq!((&started["serial"], &started["started"]), (&json!("sim-1:5555"), &json!(true)));
    assert_eq!(
        get(&client, "/running").await["devices"],
        json!([{"serial": "sim-1:5555", "avdName": "shop", "type": "simulated"}])
    );
    assert_eq!(code(post(&client, "emulators/shop/start", json!({})).await), "EMULATOR_ALREADY_RUNNING");
    let reused = post(&client, "provision/emulator", json!({})).await;
    assert_eq!((&reused["avdName"], &reused["reused"]), (&json!("shop"), &json!(true)));
    assert_eq!(post(&client, "emulators/shop/stop", json!({})).await["stopped"], true);
    let ask = Ask { method: "DELETE", path: "/android/emulators/shop", ..Ask::default() };
    assert_eq!(client.ask(ask).await.json()["deleted"], true);
    assert_eq!(get(&client, "/shop").await["exists"], false);
    let new = post(&client, "provision/emulator", json!({})).await;
    assert_eq!((&new["avdName"], &new["created"]), (&json!("clawperator-pixel"), &json!(true)));
}

#[tokio::test]
async fn of_several_phones_the_caller_must_name_one() {
    let server = server_with("http_several", |app| {
        app.boxed = Arc::new(Names::of(&["sim-1"]));
    })
    .await;
    let refused = client(&server).post("/snapshot", &json!({})).await;
    assert_eq!(refused.refusal(), (400, "MULTIPLE_DEVICES_DEVICE_ID_REQUIRED".to_owned()));
    assert_eq!(refused.json()["error"]["details"]["devices"], json!(["phone-1", "sim-1:5555"]));
    let named = client(&server).post("/snapshot", &json!({"deviceId": "phone-1"})).await;
    assert_eq!(named.status, 200);
}
