//! The worlds of the crate `phone`, and executions in them.

#[path = "../../../phone/tests/it/world.rs"]
mod worlds;

pub(crate) use worlds::*;

use clawperator_contract::{Envelope, Execution, Failure};
use clawperator_phone::{LeaseOptions, Phone, PhoneLease};
use clawperator_run::RunOptions;
use std::sync::Arc;

/// Runs an execution on a lease of its own.
pub(crate) async fn run(
    phone: &Arc<Phone>,
    execution: &Execution,
    options: &RunOptions,
) -> Result<Envelope, Failure> {
    run_until(phone, execution, options, std::future::pending()).await
}

/// The same, until it is stopped.
pub(crate) async fn run_until(
    phone: &Arc<Phone>,
    execution: &Execution,
    options: &RunOptions,
    stop: impl Future<Output = ()> + Send,
) -> Result<Envelope, Failure> {
    let mut lease = PhoneLease::new(Arc::clone(phone), LeaseOptions::default());
    clawperator_run::run(&mut lease, execution, options, Box::pin(stop)).await
}
