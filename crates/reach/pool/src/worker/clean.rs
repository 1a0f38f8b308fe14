//! A phone between two users: apps that the job opened are closed, and its home screen shows.
//! A tenant that has reserved it finds it as its last job left it; others find it clean.
//! What the job borrowed was given back with the engine's own lease.

use super::lease::HostLease;
use super::phones::{PhoneWork, Reservation};
use super::{JobInHand, WorkerState};
use clawperator_contract::{
    ActionKind, Execution, Failure, LaneWish, ParamKey, Payload, PayloadAction, Step,
};
use clawperator_engine::{Permit, Request};
use clawperator_phone::Fence;
use futures_core::future::BoxFuture;
use std::collections::BTreeSet;
use std::sync::Arc;

const CLEANING_MS: u32 = 15_000;

pub(super) fn opened_apps(request: &Request) -> BTreeSet<String> {
    let actions = request.work.execution().map(Execution::actions).unwrap_or_default();
    let opened = actions.iter().filter_map(|action| match action.step() {
        Step::OpenApp(open) => Some(open.application_id.to_string()),
        _ => None,
    });
    opened.collect()
}

impl WorkerState {
    /// Makes a phone ready for the next user, unless the tenant of the job has reserved it. What is
    /// left when the lease is over, the next job on it closes first.
    pub(super) async fn clean(&self, hand: &JobInHand, lease: &HostLease, opened: Option<BTreeSet<String>>) {
        let now_ms = self.now_ms().unwrap_or(u64::MAX);
        let left = self.phones.change(&hand.serial, |phone| {
            if let Some(opened) = opened {
                phone.left.get_or_insert_default().extend(opened);
            }
            let is_kept = |held: &Reservation| held.tenant == hand.tenant && held.until_ms > now_ms;
            let is_kept = phone.reserved.as_ref().is_some_and(is_kept);
            phone.left.take_if(|_| !is_kept && !lease.fence.is_over())
        });
        let Some(left) = left.flatten() else {
            return;
        };
        self.phones.set_work(&hand.serial, PhoneWork::Cleaning);
        let close = |(number, package): (usize, String)| {
            let id = format!("close-{number}");
            PayloadAction::new(id, ActionKind::CloseApp).with(ParamKey::ApplicationId, package)
        };
        let mut actions: Vec<_> = left.into_iter().enumerate().map(close).collect();
        actions.push(PayloadAction::new("home", ActionKind::PressKey).with(ParamKey::Key, "home"));
        let id = format!("clean-{}", hand.id);
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
