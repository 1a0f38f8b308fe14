//! The server that `uiautomator2` starts on a phone: JSON-RPC over HTTP at a
//! port of the phone's own.
//!
//! It is what the phone does instead of running that server's code: the same questions, answered
//! from the phone's model. `docs/u2-server.md` has the facts it follows.

mod child;
mod configurator;
mod connection;
pub(crate) mod foreign;
mod gesture;
mod http;
mod info;
mod key;
mod method;
mod params;
mod picture;
mod pinch;
mod selector;

use crate::automation::TAKEN;
use crate::handset::Handset;
use crate::latency::Cost;
use crate::phone::{Phone, Toast};
use crate::port::{Listener, Socket};
use clawperator_userland::{Call, ExitResult};
use configurator::Configurator;
use connection::Responder;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use tokio::task::JoinSet;

pub(crate) const CLASS: &str = "com.wetest.uia2.Main";
/// What the file with that class is called, at its end.
pub(crate) const JAR: &str = "u2.jar";
const DEFAULT_PORT: u16 = 9008;
const MAX_CONNECTIONS: usize = 32;

/// The server while it runs.
struct AutomatorServer {
    handset: Arc<Handset>,
    /// Its right to watch the screen.
    ticket: u64,
    state: Mutex<AutomatorState>,
    /// Told how the process ends, once it does.
    ends: watch::Sender<Option<u8>>,
}

/// What the server remembers from call to call.
#[derive(Debug, Default)]
struct AutomatorState {
    configurator: Configurator,
    /// Toasts up to this number are not told any more.
    toasts_until: u64,
    /// The last one that it has heard of.
    toast: Option<Toast>,
    called: bool,
    /// What the last dump showed, for a dump that lags behind.
    shown: Option<info::LastDump>,
}

impl AutomatorServer {
    fn state(&self) -> MutexGuard<'_, AutomatorState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the process, with this exit code.
    fn end(&self, code: u8) {
        self.ends.send_replace(Some(code));
    }
}

/// Runs the server until it is killed.
pub(crate) async fn run(handset: &Handset, call: &mut Call, args: &[String]) -> ExitResult {
    let port = match port(args) {
        Ok(port) => port,
        Err(wrong) => {
            call.err(wrong).await;
            return Ok(1);
        }
    };
    handset.spend(Cost::ServerStart).await;
    call.out("[server] INFO: [UiAutomator2Server] Starting Server\n").await?;
    // While the server runs it alone watches the screen.
    let Some(watching) = handset.automation.connect() else {
        call.err(format!("{TAKEN}\n")).await;
        return Ok(1);
    };
    let socket = Socket::open(call.identity.uid);
    let listener = handset.ports().listen(&format!("tcp:{port}"), socket);
    let (Some(listener), Some(shared)) = (listener, handset.shared()) else {
        call.err("java.net.BindException: bind failed: EADDRINUSE (Address already in use)\n").await;
        return Ok(1);
    };
    call.out(format!("[server] INFO: http server listening on *:{port}\n")).await?;
    let state = AutomatorState { toasts_until: handset.with(Phone::number), ..AutomatorState::default() };
    let (ends, mut ended) = watch::channel(None);
    let server = Arc::new(AutomatorServer {
        handset: shared,
        ticket: watching.ticket,
        state: Mutex::new(state),
        ends,
    });
    tokio::select! {
        () = serve(listener, Responder::Server(server)) => Ok(0),
        // The sender is in the server, which the other branch holds.
        code = ended.wait_for(Option::is_some) => Ok(code.ok().and_then(|code| *code).unwrap_or(0)),
    }
}

/// The port that the words name, or what is wrong with them.
fn port(args: &[String]) -> Result<u16, String> {
    let named = match args {
        [] => return Ok(DEFAULT_PORT),
        [option, port, ..] if option == "-p" || option == "--port" => port,
        [word, ..] => {
            return Err(format!("Unrecognized option: {word}\nusage: uiautomator2-server\n"));
        }
    };
    let port = named.parse::<u16>().ok().filter(|port| *port > 0);
    port.ok_or_else(|| format!("Invalid port: {named}. Must be an integer between 1 and 65535.\n"))
}

/// Answers connections; they end with this.
async fn serve(mut listener: Listener, responder: Responder) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            stream = listener.recv(), if connections.len() < MAX_CONNECTIONS => {
                let Some(stream) = stream else { return };
                connections.spawn(connection::serve(responder.clone(), stream));
            }
            Some(_) = connections.join_next() => {}
        }
    }
}
