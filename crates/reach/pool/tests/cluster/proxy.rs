//! The network between a host and the nodes, as bad as a test wants it. What is held on its
//! way comes later, as with a real network, and not never: late messages are the evil ones.

use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::sleep;

/// How the network is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Weather {
    /// Every connection ends, and none is made.
    pub(crate) is_closed: bool,
    /// What the host sends is held.
    pub(crate) holds_up: bool,
    /// What the nodes send is held.
    pub(crate) holds_down: bool,
    /// How long every piece is under way.
    pub(crate) delay: Duration,
}

/// Which way a piece goes.
#[derive(Clone, Copy, Debug)]
enum Way {
    Up,
    Down,
}

impl Weather {
    fn holds(self, way: Way) -> bool {
        match way {
            Way::Up => self.holds_up,
            Way::Down => self.holds_down,
        }
    }
}

/// The ways of one host to all nodes.
#[derive(Debug)]
pub(crate) struct Proxy {
    weather: watch::Sender<Weather>,
    ports: Vec<u16>,
}

impl Proxy {
    /// Listens for a host, with one port for each node.
    pub(crate) async fn open(nodes: &[u16]) -> Self {
        let (weather, _) = watch::channel(Weather::default());
        let mut ports = Vec::new();
        for node in nodes {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            ports.push(listener.local_addr().unwrap().port());
            tokio::spawn(accept(listener, *node, weather.clone()));
        }
        Self { weather, ports }
    }

    /// What the host knows as the pool.
    pub(crate) fn url(&self) -> String {
        self.ports.iter().map(|port| format!("nats://127.0.0.1:{port}")).collect::<Vec<_>>().join(",")
    }

    pub(crate) fn set(&self, weather: Weather) {
        self.weather.send_replace(weather);
    }
}

async fn accept(listener: TcpListener, node: u16, weather: watch::Sender<Weather>) {
    loop {
        let Ok((host, _)) = listener.accept().await else { continue };
        if weather.borrow().is_closed {
            continue;
        }
        let weather = weather.subscribe();
        tokio::spawn(async move {
            if let Ok(node) = TcpStream::connect(("127.0.0.1", node)).await {
                pass_on(host, node, weather).await;
            }
        });
    }
}

async fn pass_on(host: TcpStream, node: TcpStream, weather: watch::Receiver<Weather>) {
    // Without it small pieces would wait; an error means that the connection has ended.
    let _ = (host.set_nodelay(true), node.set_nodelay(true));
    let ((from_host, to_host), (from_node, to_node)) = (host.into_split(), node.into_split());
    let both = async {
        let up = pump(from_host, to_node, (Way::Up, weather.clone()));
        let down = pump(from_node, to_host, (Way::Down, weather.clone()));
        tokio::join!(up, down)
    };
    let mut closing = weather.clone();
    tokio::select! {
        _ = both => {}
        // An error means that the test is over.
        _ = closing.wait_for(|weather| weather.is_closed) => {}
    }
}

/// Moves bytes from one side to the other until one of them ends.
async fn pump(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    (way, mut weather): (Way, watch::Receiver<Weather>),
) {
    let mut piece = vec![0; 64 << 10];
    while let Ok(length) = from.read(&mut piece).await {
        let delay = weather.borrow().delay;
        if !delay.is_zero() {
            sleep(delay).await;
        }
        if weather.wait_for(|weather| !weather.holds(way)).await.is_err() || length == 0 {
            break;
        }
        if to.write_all(&piece[..length]).await.is_err() {
            break;
        }
    }
    // The other side may be gone already.
    let _ = to.shutdown().await;
}
