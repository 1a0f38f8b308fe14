//! A phone between two users: all apps are closed, and its home screen shows.
//! A tenant that has reserved it finds it as its last job left it; others find it clean.
//! What the job borrowed was given back with the engine's own lease.

use super::lease::HostLease;
use super::phones::PhoneWork;
use super::{JobInHand, WorkerState};
use clawperator_contract::{
    ActionKind, Execution, Failure, LaneWish, ParamKey, Payload, PayloadAction, Status, Step,
};
use clawperator_engine::{Outcome, Permit, Request};
use clawperator_phone::{Deadline, Fence};
use futures_core::future::BoxFuture;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

const CLEANING_MS: u32 = 15_000;
/// How long the phone may take to say what is open.
const LOOK: Duration = Duration::from_secs(5);
/// What a phone shows and is no app that a user has.
const OF_SYSTEM: [&str; 3] = ["android", "com.android.systemui", "com.android.phone"];

pub(super) fn opened_apps(request: &Request) -> BTreeSet<String> {
    let actions = request.work.execution().map(Execution::actions).unwrap_or_default();
    let opened = actions.iter().filter_map(|action| match action.step() {
        Step::OpenApp(open) => Some(open.application_id.to_string()),
        _ => None,
    });
    opened.collect()
}

impl WorkerState {
    /// Makes a phone ready for the next user, unless the tenant of the job has reserved it, or says
    /// why it is not. What is left when the lease is over, the next job on it closes first.
    pub(super) async fn clean(&self, hand: &JobInHand, lease: &HostLease) -> Result<(), String> {
        let (serial, now_ms) = (&hand.serial, self.now_ms().unwrap_or(u64::MAX));
        // On one that other hosts reach by its address, another one may have died.
        let is_shared = self.phones.hardware(serial).as_ref() == Some(serial);
        let left = self.phones.change(serial, |phone| {
            if is_shared {
                phone.left.get_or_insert_default();
            }
            let is_kept = phone.reservation(now_ms).is_some_and(|held| held.tenant == hand.tenant);
            phone.left.clone().filter(|_| !is_kept && !lease.fence.is_over())
        });
        let Some(mut left) = left.flatten() else {
            return Ok(());
        };
        self.phones.set_work(&hand.serial, PhoneWork::Cleaning);
        left.extend(self.open_apps(serial).await.unwrap_or_default());
        let close = |(number, package): (usize, String)| {
            let id = format!("close-{number}");
            PayloadAction::new(id, ActionKind::CloseApp).with(ParamKey::ApplicationId, package)
        };
        let mut actions: Vec<_> = left.into_iter().enumerate().map(close).collect();
        actions.push(PayloadAction::new("home", ActionKind::PressKey).with(ParamKey::Key, "home"));
        let id = format!("clean-{}", hand.id);
        let checked = Payload::new(&id, "pool", CLEANING_MS.into(), &actions).check();
        let checked = checked.map_err(|refused| refused.message)?;
        let permit = Arc::new(CleanPermit(lease.fence.clone()));
        let lane = if self.phones.hardware(&hand.serial).is_some() { LaneWish::Dump } else { LaneWish::Auto };
        let request = Request {
            lane,
            device: Some(hand.serial.clone()),
            permit: Some(permit),
            ..Request::new(checked)
        };
        let why = match self.settings.engine.execute(request).outcome.await.outcome {
            Outcome::Ran(result) if result.envelope.status == Status::Success => {
                self.phones.wipe(serial);
                return Ok(());
            }
            Outcome::Ran(result) => result.envelope.error.unwrap_or_default(),
            Outcome::Error(failure) => failure.message,
            // It has no key.
            Outcome::Stored(_) => String::new(),
        };
        self.log(&format!("phone {serial} is not clean; the next job on it tries again: {why}"));
        Err(format!("it cannot be cleaned of what another job has left: {why}"))
    }

    /// The apps that are open on a phone, however a job has reached them, if the phone says.
    async fn open_apps(&self, serial: &str) -> Option<BTreeSet<String>> {
        let deadline = Deadline::after(LOOK);
        let phone = self.settings.engine.connect(Some(serial), deadline).await.ok()?;
        let mut open = phone.open_apps(deadline).await.ok()?;
        open.retain(|package| !OF_SYSTEM.contains(&package.as_str()));
        Some(open)
    }
}

#[derive(Debug)]
struct CleanPermit(Arc<Fence>);

impl Permit for CleanPermit {
    fn fence(&self) -> Arc<Fence> {
        self.0.clone()
    }

    fn begin<'p>(&'p self, _serial: &'p str) -> BoxFuture<'p, Result<(), Failure>> {
        Box::pin(std::future::ready(Ok(())))
    }
}
