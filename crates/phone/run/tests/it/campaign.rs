//! The campaign on both ways to a phone: straight to it, and through a server
//! that answers as adb's does. `tests/foreign` runs it through adb's own server.

#[path = "../support/campaign.rs"]
mod support;

use crate::adb_server::serve_list;
use crate::world::{connected, old_welcome, soon, welcome};
use clawperator_adb::{Device, ServerClient};
use clawperator_contract::Lane;
use clawperator_sim::Welcome;
use std::sync::Arc;
use support::{Tally, campaign};

#[tokio::test(start_paused = true)]
async fn every_outcome_is_true_straight_to_the_phone() {
    straight(Lane::Dump, welcome()).await.judge("direct");
}

#[tokio::test(start_paused = true)]
async fn every_outcome_is_true_straight_to_an_old_phone() {
    straight(Lane::Dump, old_welcome()).await.judge("direct, with the old shell protocol");
}

#[tokio::test]
async fn every_outcome_is_true_through_a_server() {
    through_a_server(Lane::Dump, welcome()).await.judge("through a server");
}

#[tokio::test]
async fn every_outcome_is_true_through_a_server_to_an_old_phone() {
    through_a_server(Lane::Dump, old_welcome()).await.judge("through a server, with the old shell protocol");
}

#[tokio::test(start_paused = true)]
async fn every_outcome_is_true_on_the_resident_lane() {
    straight(Lane::Resident, welcome()).await.judge("direct, with the resident server");
}

#[tokio::test]
async fn every_outcome_is_true_on_the_resident_lane_through_a_server() {
    through_a_server(Lane::Resident, welcome()).await.judge("through a server, with the resident server");
}

async fn straight(lane: Lane, welcome: Welcome) -> Tally {
    let welcome = Arc::new(welcome);
    campaign(lane, async |handset| connected(handset, &welcome).await).await
}

async fn through_a_server(lane: Lane, welcome: Welcome) -> Tally {
    let welcome = Arc::new(welcome);
    let tally = campaign(lane, async |handset| {
        let device = connected(handset, &welcome).await;
        let environment = serve_list("sim-1  device\n", device).await;
        let server = ServerClient::from_environment(&environment).unwrap();
        Device::on_server(server, "sim-1", soon()).await.unwrap()
    });
    tally.await
}
