//! The campaign on both ways to a phone: straight to it, and through a server
//! that answers as adb's does. `tests/foreign` runs it through adb's own server.

#[path = "../support/campaign.rs"]
mod support;

use crate::adb_server::serve_list;
use crate::world::{connected, soon, welcome};
use clawperator_adb::{Device, Server};
use std::sync::Arc;
use support::campaign;

#[tokio::test(start_paused = true)]
async fn every_outcome_is_true_straight_to_the_phone() {
    let tally = campaign(async |handset| connected(handset, &Arc::new(welcome())).await).await;
    tally.judge("direct");
}

#[tokio::test]
async fn every_outcome_is_true_through_a_server() {
    let tally = campaign(async |handset| {
        let device = connected(handset, &Arc::new(welcome())).await;
        let environment = serve_list("sim-1  device\n", device).await;
        let server = Server::from_environment(&environment).unwrap();
        Device::on_server(server, "sim-1", soon()).await.unwrap()
    });
    tally.await.judge("through a server");
}
