//! One use of a phone, the same for every surface: find it, connect, lease it,
//! run an execution, release it. It does not know who asks.

use crate::devices::{REACH, Reach, resolve};
use crate::lease::{LeaseOptions, PhoneLease};
use crate::lock::{Guard, Locks};
use crate::phone::Phone;
use crate::run::{Route, RunOptions};
use clawperator_adb::Deadline;
use clawperator_contract::{ActionKind, Envelope, ErrorCode, Execution, Failure};
use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;

/// Which phone is meant, how to connect to it, and how to lock it.
#[derive(Clone, Debug)]
pub struct Visit<'v> {
    /// The phone that is named; without one it is the only one there is.
    pub wanted: Option<&'v str>,
    /// What is needed to reach phones.
    pub reach: Reach<'v>,
    /// The locks of all phones.
    pub locks: Locks,
    /// How long to wait for a phone that another execution has.
    pub wait: Option<Duration>,
    /// The folder in which what was seen of phones is stored.
    pub memory: Option<PathBuf>,
}

/// An execution that ran.
#[derive(Clone, Debug)]
pub struct Ran {
    /// What came of it.
    pub envelope: Envelope,
    /// The phone it ran on.
    pub serial: String,
}

impl Visit<'_> {
    /// The phone, connected.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn reached(&self, deadline: Deadline) -> Result<Phone, Failure> {
        Ok(resolve(self.wanted, &self.reach, deadline).await?)
    }

    /// The phone, connected, and locked until the guard is dropped.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub async fn taken(&self, command_id: &str) -> Result<(Phone, Guard), Failure> {
        let phone = self.reached(Deadline::after(REACH)).await?;
        let guard = self.locks.take(phone.serial(), command_id, self.wait).await?;
        Ok((phone, guard))
    }

    /// The phone, leased.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub async fn leased(&self, command_id: &str) -> Result<PhoneLease, Failure> {
        let (phone, guard) = self.taken(command_id).await?;
        Ok(self.lease(phone, Some(guard)))
    }

    fn lease(&self, phone: Phone, guard: Option<Guard>) -> PhoneLease {
        let options = LeaseOptions {
            memory: self.memory.clone(),
            guard: guard.map(|guard| Box::new(guard) as Box<dyn Send>),
        };
        PhoneLease::new(phone, options)
    }
}

/// Runs an execution on a phone until it ends, its time is up, or `stop` comes.
///
/// # Errors
/// The host-side error object: there is no phone, or what [`PhoneLease::run`]
/// says.
pub async fn run_on(
    visit: &Visit<'_>,
    execution: &Execution,
    options: &RunOptions,
    stop: impl Future<Output = ()> + Send,
) -> Result<Ran, Failure> {
    let mut stop = pin!(stop);
    let leasing = async {
        if needs_no_turn(execution, &options.route) {
            let phone = visit.reached(Deadline::after(REACH)).await?;
            return Ok(visit.lease(phone, None));
        }
        visit.leased(execution.command_id().as_str()).await
    };
    let mut lease = tokio::select! {
        biased;
        leased = leasing => leased?,
        () = &mut stop => {
            let message = "interrupted while waiting for the phone; nothing was sent to it";
            return Err(Failure::new(ErrorCode::ExecutionCancelled, message));
        }
    };
    let serial = lease.phone().serial().to_owned();
    let ran = lease.run(execution, options, stop).await;
    lease.release().await;
    let envelope = ran?;
    Ok(Ran { envelope, serial })
}

/// Stopping a recording of this computer sends the phone nothing that another
/// execution would notice.
fn needs_no_turn(execution: &Execution, route: &Route) -> bool {
    let mut actions = execution.actions().iter();
    match route {
        Route::Host => actions.all(|action| action.kind() == ActionKind::StopRecording),
        Route::Operator(_) => false,
    }
}
