//! A phone between two users: apps that the job opened are closed, and its home screen shows.
//! A tenant that has reserved it finds it as its last job left it; others find it clean.
//! What the job borrowed was given back with the engine's own lease.

use super::lease::HostLease;
use super::phones::PhoneWork;
use super::{JobInHand, WorkerState};
use clawperator_contract::{
    ActionKind, Execution, Failure, LaneWish, ParamKey, Payload, PayloadAction, Step,
};
use clawperator_engine::{OutcomeKind, Permit, Request};
use clawperator_phone::{Deadline, Fence};
use futures_core::future::BoxFuture;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

const CLEANING_MS: u32 = 15_000;
/// How long the phone may take to say what is in front.
const LOOK: Duration = Duration::from_secs(5);
/// What is in front of an app and is not one.
const OF_SYSTEM: [&str; 2] = ["android", "com.android.systemui"];

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
    pub(super) async fn clean(&self, hand: &JobInHand, lease: &HostLease) {
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
            return;
        };
        self.phones.set_work(&hand.serial, PhoneWork::Cleaning);
        left.extend(self.app_in_front(serial).await);
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
        let finished = self.settings.engine.execute(request).outcome.await;
        if finished.outcome.kind() == OutcomeKind::Success {
            self.phones.wipe(serial);
        } else {
            self.log(&format!("phone {serial} is not clean; the next job on it tries again"));
        }
    }

    /// The app that a job has reached without opening it by its name, if the phone says.
    async fn app_in_front(&self, serial: &str) -> Option<String> {
        let deadline = Deadline::after(LOOK);
        let phone = self.settings.engine.connect(Some(serial), deadline).await.ok()?;
        let package = phone.foreground(deadline).await.ok()?.package?;
        let home = phone.home_package(deadline).await.ok()??;
        (package != home && !OF_SYSTEM.contains(&package.as_str())).then_some(package)
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
