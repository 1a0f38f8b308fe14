//! The runtime through adb's own server, unmodified: the way of every USB phone.
//!
//! `cargo xtask test` runs these in a network namespace that has loopback only.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]

#[path = "../support/campaign.rs"]
mod campaign;

use campaign::campaign;
use clawperator_adb::{Deadline, Device, DeviceState, ServerAddress, ServerClient};
use clawperator_contract::Lane;
use clawperator_phone::{DispatchState, Finger, Phone, PhoneError, Precondition};
use clawperator_sim::fault::Fault;
use clawperator_sim::{Handset, HostKeys, Setup, Welcome, serve};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};

/// An adb server of our own, on a port of its own.
struct Adb {
    home: PathBuf,
    port: u16,
    child: Child,
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(20))
}

impl Adb {
    async fn start(name: &str, port: u16) -> Self {
        let home = std::env::temp_dir().join(format!("clawperator-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&home).unwrap();
        let mut server = Command::new("adb");
        server.args(["-P", &port.to_string(), "server", "nodaemon"]);
        server.env("HOME", &home).stdin(Stdio::null());
        server.stdout(Stdio::null()).stderr(Stdio::null());
        let child = server.spawn().unwrap();
        let adb = Self { home, port, child };
        for _ in 0..200 {
            if TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
                return adb;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the adb server did not start");
    }

    fn server(&self) -> ServerClient {
        ServerClient::new(ServerAddress::new("127.0.0.1", self.port), "adb".into())
    }

    /// Connects the server to a phone, and to no other.
    async fn connect(&self, handset: &Arc<Handset>) -> Device {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let welcome = Welcome { keys: HostKeys::NotAsked, ..Welcome::default() };
        tokio::spawn(serve(Arc::clone(handset), listener, welcome));
        let server = self.server();
        self.disconnect_all();
        server.connect(&address, soon()).await.unwrap();
        for _ in 0..200 {
            let known = server.devices(soon()).await.unwrap();
            let is_ready = |entry: &clawperator_adb::DeviceEntry| {
                entry.serial == address && entry.state == DeviceState::Device
            };
            if known.iter().any(is_ready) {
                return Device::on_server(server, &address, soon()).await.unwrap();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the phone did not become ready");
    }

    /// Makes the server forget every phone.
    fn disconnect_all(&self) {
        let mut adb = Command::new("adb");
        adb.args(["-P", &self.port.to_string(), "disconnect"]);
        assert!(adb.env("HOME", &self.home).output().unwrap().status.success());
    }
}

impl Drop for Adb {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

#[tokio::test]
async fn every_outcome_is_true_through_adb_s_server() {
    let adb = Adb::start("campaign", 20_901).await;
    let tally = campaign(Lane::Dump, async |handset| adb.connect(handset).await).await;
    tally.judge("through adb's server");
}

#[tokio::test]
async fn every_outcome_is_true_on_the_resident_lane_through_adb_s_server() {
    let adb = Adb::start("resident", 20_903).await;
    let tally = campaign(Lane::Resident, async |handset| adb.connect(handset).await).await;
    tally.judge("through adb's server, with the resident server");
}

#[tokio::test]
async fn a_phone_that_is_lost_behind_adb_s_server_may_have_acted() {
    let adb = Adb::start("lost", 20_902).await;
    for fault in ["answer_lostx1", "hang_upx1", "rebootx1"] {
        let handset = Handset::new(Setup::default());
        let phone = Phone::new(adb.connect(&handset).await, "phone");
        let fault = Fault::parse(fault).unwrap();
        handset.faults(|faults| faults.set_plan(vec![fault]));
        let finger = Finger::Tap(clawperator_ui::Point { x: 540, y: 900 });
        let error = phone.touch(finger, &Precondition::OnScreen, soon()).await.unwrap_err();
        assert!(matches!(error, PhoneError::Lost { .. }), "{error}");
        assert_eq!(error.dispatched(), DispatchState::Unknown, "{fault}: {error}");
        // What is not there is not asked: the server refuses before that.
        adb.disconnect_all();
        let error = phone.touch(finger, &Precondition::OnScreen, soon()).await.unwrap_err();
        assert_eq!(error.dispatched(), DispatchState::No, "{error}");
    }
}
