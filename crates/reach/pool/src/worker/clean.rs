//! A phone between two users: apps that the job opened are closed, and its home screen shows.
//! A tenant that has reserved it finds it as its last job left it; others find it clean.
//! What the job borrowed was given back with the engine's own lease.

use super::lease::HostLease;
use super::phones::{HostPhone, PhoneWork};
use super::{JobInHand, WorkerState};
use clawperator_contract::{
    ActionKind, Execution, Failure, LaneWish, ParamKey, Payload, PayloadAction, Step,
};
use clawperator_engine::{BoxFuture, Permit, Request};
use clawperator_phone::Fence;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How long cleaning a phone may take.
const CLEANING_MS: u32 = 15_000;

/// The apps that a job opens.
pub(super) fn opened_apps(request: &Request) -> BTreeSet<String> {
    let actions = request.work.execution().map(Execution::actions).unwrap_or_default();
    let opened = actions.iter().filter_map(|action| match action.step() {
        Step::OpenApp(open) => Some(open.application_id.to_string()),
        _ => None,
    });
    opened.collect()
}

impl WorkerState {
    /// Cleans what the jobs of another user have left, before a job begins.
    pub(super) async fn clean_before(&self, hand: &JobInHand, lease: &HostLease) {
        if self.is_kept(hand) {
            return;
        }
        let left = self.phones.change(&hand.serial, HostPhone::take_left).flatten();
        if let Some(left) = left {
            self.clean(hand, lease, left).await;
            let (tenant, job) = (hand.tenant, hand.job.id());
            self.phones.set_work(&hand.serial, PhoneWork::Job { tenant, job });
        }
    }

    /// Cleans a phone after a job, unless its user has reserved it.
    pub(super) async fn clean_after(&self, hand: &JobInHand, lease: &HostLease, opened: BTreeSet<String>) {
        let left = self.phones.change(&hand.serial, |phone| {
            phone.leave_open(opened);
            (!self.is_kept_phone(hand, phone)).then(|| phone.take_left()).flatten()
        });
        if let Some(left) = left.flatten() {
            self.clean(hand, lease, left).await;
        }
    }

    /// Whether a phone stays as it is: the tenant of the job has reserved it.
    fn is_kept(&self, hand: &JobInHand) -> bool {
        self.phones.all().get(&hand.serial).is_some_and(|phone| self.is_kept_phone(hand, phone))
    }

    fn is_kept_phone(&self, hand: &JobInHand, phone: &HostPhone) -> bool {
        let Ok(now_ms) = self.now_ms() else {
            return false;
        };
        phone.reservation().is_some_and(|held| held.tenant == hand.tenant && held.until_ms > now_ms)
    }

    /// Makes a phone ready for the next user, as far as the lease lives.
    async fn clean(&self, hand: &JobInHand, lease: &HostLease, opened: BTreeSet<String>) {
        if lease.fence.is_over() {
            // The next job on it cleans it first.
            self.phones.change(&hand.serial, |phone| phone.leave_open(opened));
            return;
        }
        self.phones.set_work(&hand.serial, PhoneWork::Cleaning);
        let close = |(number, package): (usize, String)| {
            let id = format!("close-{number}");
            PayloadAction::new(id, ActionKind::CloseApp).with(ParamKey::ApplicationId, package)
        };
        let mut actions: Vec<_> = opened.into_iter().enumerate().map(close).collect();
        actions.push(PayloadAction::new("home", ActionKind::PressKey).with(ParamKey::Key, "home"));
        let id = format!("clean-{}", hand.job.id());
        let Ok(checked) = Payload::new(&id, "pool", CLEANING_MS.into(), &actions).check() else {
            return;
        };
        let permit = Arc::new(CleanPermit(lease.fence.clone()));
        let lane = if self.phones.hardware(&hand.serial).is_some() { LaneWish::Dump } else { LaneWish::Auto };
        let request = Request {
            lane,
            device: Some(hand.serial.clone()),
            permit: Some(permit),
            ..Request::new(checked)
        };
        // A phone that cannot be cleaned shows in its state once it is lost.
        let _ = self.settings.engine.execute(request).outcome.await;
    }
}

/// The right to clean a phone: the lease of the job.
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
