//! What every surface needs.

use clawperator_contract::Failure;
use clawperator_engine::{Engine, Journal};
use clawperator_runtime::operator::RouteWish;
use clawperator_skills::repo::Places;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// What every surface needs. Surfaces keep their own state in their own types.
#[derive(Debug)]
pub struct App {
    /// Runs everything.
    pub engine: Engine,
    /// The version of the program.
    pub version: &'static str,
    /// The state folder: journals, recordings, the token.
    pub state: PathBuf,
    /// Where skills are.
    pub skills: Places,
    /// The phone to use if a request names none.
    pub device: Option<String>,
    /// Whether runs leave a journal.
    pub journal: Journal,
    /// What runs the steps if a request does not say.
    pub route: RouteWish,
    /// The phones in the box.
    pub boxed: Arc<dyn BoxedPhones>,
    /// The bearer token; without one nothing is asked (stdio, tests).
    pub token: Option<String>,
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
