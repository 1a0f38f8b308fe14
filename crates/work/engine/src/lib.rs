//! Runs many requests on many phones: finds and connects phones, queues the
//! requests of each phone, and keeps the ledger and the event stream. A surface
//! parses and renders, and leaves everything else to an [`Engine`].

mod acts;
mod discovery;
mod engine;
pub mod ledger;
mod once;
mod order;
mod queue;
mod recipe;
mod request;
mod run;
mod runs;
mod skill;
mod turn;
mod warm;
mod work;

pub use acts::{ActLog, Acts, Hand};
pub use discovery::{AdbPhones, Discovery, NamedPhones};
pub use engine::{EVENTS_KEPT, Engine, EngineLog, EngineLogEntry, EngineSettings, Ids, RUN_EVENTS_KEPT};
pub use ledger::{BegunRun, Ledger, OutcomeKind, StoredOutcome};
pub use once::{KeyedWork, Once, WorkResult};
pub use order::{Ended, Message, Order, OrderError, VERSION};
pub use queue::MAX_WAITING;
pub use recipe::RecipeRun;
pub use request::{AbandonPolicy, Finished, Journal, Outcome, Permit, PhoneRequest, Request, RunId, Running};
pub use runs::{
    EndedRun, FoundRun, NextEnded, RUN_BYTES_KEPT, RUNS_KEPT, RefusedExecution, RunCounts, RunInfo, RunState,
    RunUnderWay,
};
pub use skill::{ScriptRan, ScriptRequest};
pub use warm::{HEALTH_CHECK_AFTER, IDLE_LIMIT};
pub use work::Work;
