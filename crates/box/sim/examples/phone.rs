//! Serves one phone on a port until it is ended: `phone PORT`.

#![allow(clippy::print_stdout, reason = "an example talks to people")]

use clawperator_sim::{Handset, Setup, Welcome, serve};
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok()).unwrap_or(7555);
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("{}", listener.local_addr()?);
    serve(Handset::new(Setup::default()), listener, Welcome::default()).await;
    Ok(())
}
