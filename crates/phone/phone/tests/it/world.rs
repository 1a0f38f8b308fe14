//! A simulated phone and connections to it: in memory, so that a test can stop
//! the clock, or on loopback.

use bytes::Bytes;
use clawperator_adb::{Deadline, Device, ServiceStream};
use clawperator_contract::{Lane, LaneWish};
use clawperator_phone::{Finger, Phone, PhoneError, Precondition, ResidentSetup, Views};
use clawperator_sim::fault::Fault;
use clawperator_sim::{Handset, HostKeys, Setup, Welcome, link, serve};
use clawperator_ui::{Point, Tree};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// The line that starts the resident server.
const SERVER: &str = "shell:echo jar >/data/local/tmp/u2.jar; CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main -p 9008";

pub(crate) fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(30))
}

pub(crate) struct World {
    pub(crate) handset: Arc<Handset>,
    pub(crate) phone: Arc<Phone>,
    welcome: Arc<Welcome>,
}

/// No key is asked for: making one takes seconds and is tested elsewhere.
pub(crate) fn welcome() -> Welcome {
    Welcome { keys: HostKeys::NotAsked, ..Welcome::default() }
}

pub(crate) async fn world(setup: Setup) -> World {
    world_with(setup, welcome()).await
}

pub(crate) async fn world_with(setup: Setup, welcome: Welcome) -> World {
    let (handset, welcome) = (Handset::new(setup), Arc::new(welcome));
    let phone = Arc::new(Phone::new(connected(&handset, &welcome).await, "sim-1"));
    World { handset, phone, welcome }
}

/// A connection to the phone over adb's bytes in memory.
pub(crate) async fn connected(handset: &Arc<Handset>, welcome: &Arc<Welcome>) -> Device {
    link(handset, welcome).await.unwrap()
}

/// A phone that listens on loopback.
pub(crate) async fn served(setup: Setup, welcome: Welcome) -> (Arc<Handset>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let handset = Handset::new(setup);
    tokio::spawn(serve(Arc::clone(&handset), listener, welcome));
    (handset, address)
}

pub(crate) async fn plain() -> World {
    world(Setup::default()).await
}

pub(crate) async fn faulty(faults: &[&str]) -> World {
    let faults = faults.iter().map(|fault| Fault::parse(fault).unwrap());
    world(Setup { faults: faults.collect(), ..Setup::default() }).await
}

/// Phones with both shell protocols, and with the old one alone.
pub(crate) async fn both_protocols() -> [World; 2] {
    [plain().await, world_with(Setup::default(), old_welcome()).await]
}

/// A phone without the new shell protocol.
pub(crate) fn old_welcome() -> Welcome {
    Welcome { features: "cmd".to_owned(), ..welcome() }
}

impl World {
    pub(crate) async fn tree(&self) -> Tree {
        self.phone.capture(Views::All, soon()).await.unwrap()
    }

    pub(crate) fn place(tree: &Tree, id: &str) -> Option<Point> {
        let suffix = format!(":id/{id}");
        let found = tree.nodes().find(|(_, node)| {
            let name = node.resource_id.as_deref();
            name.is_some_and(|name| name.ends_with(&suffix))
        });
        Some(found?.1.bounds.center())
    }

    pub(crate) async fn tap_id(&self, id: &str) {
        let at = Self::place(&self.tree().await, id).unwrap();
        self.phone.touch(Finger::Tap(at), &Precondition::OnScreen, soon()).await.unwrap();
    }

    pub(crate) async fn text_of(&self, id: &str) -> String {
        let suffix = format!(":id/{id}");
        let tree = self.tree().await;
        let mut nodes = tree.nodes();
        let found = nodes.find(|(_, node)| {
            let name = node.resource_id.as_deref();
            name.is_some_and(|name| name.ends_with(&suffix))
        });
        found.unwrap().1.text.clone()
    }

    /// Opens the form's notes and gives the field the focus.
    pub(crate) async fn open_notes(&self) {
        self.phone.launch("com.clawperator.form", soon()).await.unwrap();
        self.tap_id("open_notes").await;
        self.tap_id("input_notes").await;
    }
}

/// What went wrong, without the parts that differ from run to run.
pub(crate) fn failure<T: std::fmt::Debug>(result: Result<T, PhoneError>) -> PhoneError {
    result.unwrap_err()
}

/// A second connection to the same phone.
pub(crate) async fn connect_again(world: &World) -> Device {
    connected(&world.handset, &world.welcome).await
}

/// Runs a line in the phone's shell.
pub(crate) async fn type_in(world: &World, line: &str) {
    let device: Device = connect_again(world).await;
    let output = device.shell(line, Bytes::new(), soon()).await.unwrap();
    assert!(matches!(output.exit_code, Some(0) | None), "{line}");
}

/// Starts the server, which ends with what is returned, and uses it.
pub(crate) async fn on_the_resident_lane(world: &World) -> (Device, ServiceStream) {
    let device = connect_again(world).await;
    let mut stream = device.open(SERVER, soon()).await.unwrap();
    let mut printed = String::new();
    while !printed.contains("listening") {
        let more = stream.split().0.receive().await.unwrap().unwrap();
        printed.push_str(&String::from_utf8_lossy(&more));
    }
    let wish = LaneWish::Resident;
    let lane = world.phone.use_lane(wish, ResidentSetup::None, soon()).await;
    assert_eq!(lane.unwrap(), Lane::Resident);
    (device, stream)
}
