//! What every surface needs.

use crate::agent::AgentTools;
use crate::approvals::Approvals;
use crate::http::Hosts;
use crate::sdk::Sdk;
use clawperator_contract::{Failure, LaneWish, LookAfter};
use clawperator_engine::{Engine, Journal};
use clawperator_events::Clock;
use clawperator_phone::vault::{Shelf, Vault};
use clawperator_pool::Caller;
use clawperator_run::operator::RouteWish;
use clawperator_skills::repo::Places;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::watch;

/// The session with what the user has set for all MCP clients.
pub(crate) const ALL_CLIENTS: &str = "mcp.default";

/// What every surface needs. Surfaces keep their own state in their own types.
#[derive(Debug)]
pub struct App {
    pub engine: Engine,
    pub version: &'static str,
    /// The state folder: journals, recordings, the token.
    pub state: PathBuf,
    pub skills: Places,
    /// The phone to use if a request names none.
    pub device: Option<String>,
    /// Whether runs leave a journal.
    pub journal: Journal,
    /// What runs the steps if a request does not say.
    pub route: RouteWish,
    /// Where trees come from if a request does not say.
    pub lane: LaneWish,
    /// When an execution is answered with what changed if a request does not say.
    pub looks: LookAfter,
    /// This program, for the scripts of skills.
    pub program: Option<PathBuf>,
    pub boxed: Arc<dyn BoxedPhones>,
    /// Where Android's SDK may be.
    pub sdk: Sdk,
    /// The bearer token; without one nothing is asked (stdio, tests).
    pub token: Option<String>,
    /// The names under which the server may be addressed.
    pub hosts: Hosts,
    /// Requests for a person's word.
    pub approvals: Approvals,
    pub agent: AgentTools,
    /// The pool, if the server was started with one.
    pub pool: Option<Caller>,
    /// Tells when the server ends.
    pub closing: Closing,
}

impl App {
    fn shelf(&self, session: &str) -> Option<Shelf> {
        let engine = self.engine.clone();
        let clock = Arc::new(Clock::new(move || engine.now_ms()));
        Shelf::new(&self.state, session, clock)
    }

    /// What people gave in a session. One that may not be called so has nothing.
    pub(crate) fn vault(&self, session: &str) -> Arc<Vault> {
        Arc::new(self.shelf(session).map(Vault::on).unwrap_or_default())
    }

    /// What people gave to an MCP client, and what the user has set for all of
    /// them. It ends with the client, unless its session has a name.
    pub(crate) fn client_vault(&self) -> Arc<Vault> {
        match &self.agent.session {
            Some(session) => self.vault(&format!("mcp.{session}")),
            None => Arc::new(self.shelf(ALL_CLIENTS).map(Vault::over).unwrap_or_default()),
        }
    }
}

/// Whether the server is about to end. Who keeps a response open for long, such
/// as a stream of events, ends it then.
#[derive(Clone, Debug)]
pub struct Closing(Arc<watch::Sender<bool>>);

impl Default for Closing {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Closing {
    /// Says that the server ends.
    pub fn close(&self) {
        self.0.send_replace(true);
    }

    /// Waits until the server ends.
    pub async fn closed(&self) {
        // The sender is ours, so it is there for as long as we wait.
        let _ = self.0.subscribe().wait_for(|closed| *closed).await;
    }
}

/// Starts and stops simulated phones. The program around the server has them.
pub trait BoxedPhones: fmt::Debug + Send + Sync {
    /// Every simulated phone. It blocks.
    ///
    /// # Errors
    /// Why they cannot be listed.
    fn list(&self) -> Result<Vec<BoxedPhone>, Failure>;

    /// Starts a phone, under that name if there is one. It blocks.
    ///
    /// # Errors
    /// Why it cannot be started.
    fn start(&self, name: Option<&str>) -> Result<BoxedPhone, Failure>;

    /// Stops the phone of a name. It blocks.
    ///
    /// # Errors
    /// Why it cannot be stopped.
    fn stop(&self, name: &str) -> Result<(), Failure>;
}

/// A simulated phone that is running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxedPhone {
    /// Its name, such as `sim-1`.
    pub name: String,
    /// Its serial, by which the engine finds it.
    pub serial: String,
}
