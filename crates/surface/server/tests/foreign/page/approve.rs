//! The page of an approval request in Debian's Chromium.

use super::script_with;
use crate::support::phones::{Phones, engine};
use crate::support::{client, folder, server_in};
use clawperator_agent::approval::Desk;
use clawperator_events::Clock;
use serde_json::json;
use std::sync::Arc;

/// 2100: long after every request of these tests has expired.
const LATER_MS: u64 = 4_102_444_800_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn approval_page_takes_every_field_and_no_script() {
    let folder = folder("approve-page");
    let phones = Phones::new(["phone-1".to_owned()]);
    let server = server_in(&folder, |app| app.engine = engine(&phones, &folder, None)).await;
    let request = json!({"capability": "permission", "instruction": "Allow it."});
    let made = client(&server).post("/approvals", &request).await.json();
    let desk = Desk::open(&folder.join("state"), Arc::new(Clock::new(|| LATER_MS))).unwrap();
    assert_eq!(desk.list(None, 10).await.unwrap().len(), 1);
    let link = made["link"].as_str().unwrap();
    script_with("approve", &server, &[("EXPIRED", link)]).await;
}
