//! One use of a phone, the same for every surface: it is found, reached and
//! taken, an execution runs on it, and it is let go of. Who asks, and how he is
//! answered, is not known here.

use crate::devices::{REACH, Reach, resolve};
use crate::lock::{Guard, Locks};
use crate::package_name::PackageName;
use crate::phone::Phone;
use crate::{operator, session};
use clawperator_adb::Deadline;
use clawperator_contract::{ActionKind, Envelope, ErrorCode, Execution, Failure};
use std::pin::pin;
use std::time::Duration;

/// Which phone is meant, the way to it, and how it becomes one's own.
#[derive(Clone, Debug)]
pub struct Visit<'v> {
    /// The phone that is named; without one it is the only one there is.
    pub wanted: Option<&'v str>,
    /// What is needed to reach phones.
    pub reach: Reach<'v>,
    /// Who has which phone.
    pub locks: Locks,
    /// How long to wait for a phone that another execution has.
    pub wait: Option<Duration>,
}

/// What runs the steps, and what that takes from outside.
#[derive(Clone, Debug)]
pub enum Route {
    /// This runtime.
    Host(session::Options),
    /// The Operator app on the phone.
    Operator(operator::Options),
}

/// An execution that ran.
#[derive(Clone, Debug)]
pub struct Ran {
    /// What came of it.
    pub envelope: Envelope,
    /// The phone it ran on.
    pub serial: String,
}

impl Route {
    /// Through that app, or without any.
    #[must_use]
    pub fn new(app: Option<PackageName>, session: session::Options) -> Self {
        match app {
            None => Self::Host(session),
            Some(package) => Self::Operator(operator::Options {
                package,
                session,
                grace: operator::GRACE,
                log_path: None,
            }),
        }
    }
}

impl Visit<'_> {
    /// The phone, connected.
    ///
    /// # Errors
    /// Why there is none, as a caller is told.
    pub async fn reached(&self, deadline: Deadline) -> Result<Phone, Failure> {
        Ok(resolve(self.wanted, &self.reach, deadline).await?)
    }

    /// The phone, connected, and nobody else's for as long as the guard is
    /// kept.
    ///
    /// # Errors
    /// Why it is not to be had, as a caller is told.
    pub async fn taken(&self, command_id: &str) -> Result<(Phone, Guard), Failure> {
        let phone = self.reached(Deadline::after(REACH)).await?;
        let guard = self.locks.take(phone.serial(), command_id, self.wait).await?;
        Ok((phone, guard))
    }
}

/// Runs an execution on a phone until it is done, its time is up, or it is
/// stopped.
///
/// # Errors
/// The host-side error object: no phone was had, or what [`session::run_until`]
/// and [`operator::run_until`] say.
pub async fn run_on(
    visit: &Visit<'_>,
    execution: &Execution,
    route: &Route,
    stop: impl Future<Output = ()>,
) -> Result<Ran, Failure> {
    let mut stop = pin!(stop);
    let ready = async {
        if needs_no_turn(execution, route) {
            let phone = visit.reached(Deadline::after(REACH)).await?;
            return Ok((phone, None));
        }
        let (phone, guard) = visit.taken(execution.command_id().as_str()).await?;
        Ok::<_, Failure>((phone, Some(guard)))
    };
    let (phone, _guard) = tokio::select! {
        biased;
        ready = ready => ready?,
        () = &mut stop => {
            let message = "interrupted before the phone was ours; nothing was sent to it";
            return Err(Failure::new(ErrorCode::ExecutionCancelled, message));
        }
    };
    let envelope = match route {
        Route::Host(options) => session::run_until(&phone, execution, options, stop).await?,
        Route::Operator(options) => operator::run_until(&phone, execution, options, stop).await?,
    };
    Ok(Ran {
        envelope,
        serial: phone.serial().to_owned(),
    })
}

/// Whoever only stops a recording of this computer sends the phone nothing that
/// another execution would notice.
fn needs_no_turn(execution: &Execution, route: &Route) -> bool {
    let mut actions = execution.actions().iter();
    match route {
        Route::Host(_) => actions.all(|action| action.kind() == ActionKind::StopRecording),
        Route::Operator(_) => false,
    }
}
