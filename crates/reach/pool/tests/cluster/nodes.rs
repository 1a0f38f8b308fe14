//! Three nodes of a broker on this machine.

use crate::process::Process;
use serde_json::Value;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

/// How many nodes there are.
pub(crate) const NODES: usize = 3;
/// How far the ports of the routes are from those of the clients.
const ROUTES: u16 = 2_000;

/// The nodes of a broker.
#[derive(Debug)]
pub(crate) struct Nodes {
    program: PathBuf,
    folder: PathBuf,
    port: u16,
    running: [Mutex<Option<Process>>; NODES],
}

impl Nodes {
    /// Starts them, with their files in this folder.
    pub(crate) fn start(program: &Path, folder: &Path) -> Self {
        let (program, folder) = (program.to_owned(), folder.to_owned());
        let nodes = Self { program, folder, port: free_port(), running: Default::default() };
        for node in 0..NODES {
            let route = |to: usize| format!("\"nats://127.0.0.1:{}\"", nodes.port(to) + ROUTES);
            let routes: Vec<_> = (0..NODES).filter(|to| *to != node).map(route).collect();
            // What nodes tell of each other would lead around the proxies.
            let config = format!(
                "server_name: node-{node}\nlisten: \"127.0.0.1:{}\"\njetstream: {{ store_dir: \"node-{node}\" }}\n\
                 cluster: {{ name: cw, listen: \"127.0.0.1:{}\", no_advertise: true, routes: [{}] }}\n",
                nodes.port(node),
                nodes.port(node) + ROUTES,
                routes.join(", "),
            );
            std::fs::write(nodes.folder.join(format!("node-{node}.conf")), config).unwrap();
            nodes.launch(node);
        }
        nodes
    }

    pub(crate) fn port(&self, node: usize) -> u16 {
        self.port + u16::try_from(node).unwrap()
    }

    /// Their addresses, as `--pool` takes them.
    pub(crate) fn url(&self) -> String {
        (0..NODES).map(|node| format!("nats://127.0.0.1:{}", self.port(node))).collect::<Vec<_>>().join(",")
    }

    fn process(&self, node: usize) -> MutexGuard<'_, Option<Process>> {
        self.running[node].lock().unwrap()
    }

    /// Starts a node that does not run.
    pub(crate) fn launch(&self, node: usize) {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.folder).stdout(Stdio::null()).stderr(Stdio::null());
        command.args(["-c", &format!("node-{node}.conf"), "-l", &format!("node-{node}.log")]);
        *self.process(node) = Some(Process::start(&mut command));
    }

    /// Ends a node as with `kill -9`.
    pub(crate) fn kill(&self, node: usize) {
        drop(self.process(node).take());
    }

    pub(crate) fn stop(&self, node: usize) {
        self.process(node).iter().for_each(Process::stop);
    }

    pub(crate) fn go_on(&self, node: usize) {
        self.process(node).iter().for_each(Process::go_on);
    }

    /// Waits until all of them take connections.
    pub(crate) async fn answer(&self) {
        for node in 0..NODES {
            let until = Instant::now() + Duration::from_secs(20);
            while TcpStream::connect(("127.0.0.1", self.port(node))).await.is_err() {
                let log = self.folder.join(format!("node-{node}.log"));
                assert!(Instant::now() < until, "node {node} does not answer, see {}", log.display());
                sleep(Duration::from_millis(20)).await;
            }
        }
    }
}

/// The node that leads a stream.
pub(crate) async fn leader(client: &async_nats::Client, stream: &str) -> Option<usize> {
    let asked = client.request(format!("$JS.API.STREAM.INFO.{stream}"), "".into());
    let answer = tokio::time::timeout(Duration::from_secs(3), asked).await.ok()?.ok()?;
    let info: Value = serde_json::from_slice(&answer.payload).ok()?;
    info["cluster"]["leader"].as_str()?.strip_prefix("node-")?.parse().ok()
}

/// A port with free ones behind it, also for the routes.
fn free_port() -> u16 {
    let is_free = |port: u16| TcpListener::bind(("127.0.0.1", port)).is_ok();
    let are_free = |port: u16| (port..port + 3).all(is_free);
    let mut ports =
        std::iter::repeat_with(|| TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port());
    ports.find(|port| *port < 60_000 && are_free(*port) && are_free(port + ROUTES)).unwrap()
}
