//! The Operator app through an adb server. Everything else about this route is in
//! `cases/operator`, which speaks to the phone directly.

use crate::adb_server::serve_list;
use crate::doctor::OPERATOR;
use crate::world::{connect_again, plain, run, soon};
use bytes::Bytes;
use clawperator_adb::{Device, ServerClient};
use clawperator_contract::{Envelope, accept};
use clawperator_phone::{PackageName, Phone};
use clawperator_run::operator::OperatorApp;
use clawperator_run::{Route, RunOptions};
use serde_json::json;

#[tokio::test]
async fn an_adb_server_leads_to_the_app_as_well() {
    let world = plain().await;
    let device = connect_again(&world).await;
    let on = "settings put secure accessibility_enabled 1";
    device.shell(on, Bytes::new(), soon()).await.unwrap();
    let environment = serve_list("SIM0 device\n", device).await;
    let server = ServerClient::from_environment(&environment).unwrap();
    let device = Device::on_server(server, "SIM0", soon()).await.unwrap();
    let phone = Phone::new(device, "SIM0").into();
    let payload = json!({"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": 20_000,
        "expectedFormat": "android-ui-automator", "actions": [
            {"id": "close", "type": "close_app", "params": {"applicationId": "com.example"}},
            {"id": "sleep", "type": "sleep", "params": {"durationMs": 1}},
            {"id": "snap", "type": "snapshot_ui"}]});
    let execution = accept(payload.to_string().as_bytes()).unwrap().execution;
    let app = OperatorApp::new(PackageName::parse(OPERATOR).unwrap());
    let options = RunOptions { route: Route::Operator(app), ..RunOptions::default() };
    let by_app = run(&phone, &execution, &options).await.unwrap();
    assert!(by_app.step_results.iter().all(|step| step.success), "{by_app:?}");
    // Scripts that read a snapshot do not care which route it came by.
    let by_host = run(&phone, &execution, &RunOptions::default()).await.unwrap();
    let text = |envelope: Envelope| envelope.step_results[2].data["text"].clone();
    assert_eq!(text(by_app), text(by_host));
}
