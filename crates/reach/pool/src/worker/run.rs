//! One job in hand, in this order: claim, lease, local ledger, `started`, the acts, ledger,
//! result, `ended`, the confirmed settlement, a clean phone, the lease given back.

use super::claim::{BEFORE_START, ClaimedJob, RunState};
use super::end::{Ending, store_stage};
use super::lease::HostLease;
use super::phones::PhoneWork;
use super::{JobInHand, WorkerState, lock};
use crate::account::{Account, Typed, bytes_of};
use crate::broker::{BrokerError, Bucket, Change, Expected, Settlement};
use crate::job::{RunRecord, RunStage};
use crate::order::StoredOrder;
use crate::record::{JobEvent, JobEventKind, LeaseRecord};
use clawperator_contract::{ErrorCode, Failure, LaneWish, Retry};
use clawperator_engine::{BegunRun, Finished, Outcome, OutcomeKind, Permit, Request, RunId, Running};
use clawperator_events::{Event, StreamItem, Subscriber};
use clawperator_phone::Fence;
use clawperator_run::operator::RouteWish;
use futures_core::future::BoxFuture;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long the engine waits for a phone that is in use on this computer.
const WAIT_FOR_PHONE: Duration = Duration::from_secs(2);
/// How long a job waits that was given back.
pub(super) const GIVEN_BACK: Duration = Duration::from_secs(1);
/// How long until a job is offered again that another host has.
const ELSEWHERE: Duration = Duration::from_secs(30);
/// How often the broker hears that a delivery is being worked on.
const WORKING: Duration = Duration::from_secs(10);

const OF_SHARED: &str = "Other hosts may reach this phone, and such phones use the lane dump. Name one that is not shared: \
    clawperator pool phones lists them.";

#[derive(Debug)]
pub(super) enum HandEnd {
    Ended,
    /// It is given back, and offered again after this time.
    Back(Duration),
}

#[derive(Debug)]
struct OpenOrder {
    stored: Typed<StoredOrder>,
    request: Request,
}

impl WorkerState {
    pub(super) async fn handle(self: Arc<Self>, hand: JobInHand) {
        let account = self.account(&hand);
        let working = async {
            loop {
                sleep(WORKING).await;
                if let Some(delivery) = &hand.delivery {
                    // If it is given out again, `Runs` says that it is ours.
                    let _ = account.settle(delivery, Settlement::Working).await;
                }
            }
        };
        let ended = tokio::select! {
            ended = self.claim_and_run(&hand) => ended,
            never = working => never,
        };
        let back = match ended {
            Ok(HandEnd::Ended) => None,
            Ok(HandEnd::Back(wait)) => Some(wait),
            Err(error) => {
                self.log(&format!("job {} is given back: {error}", hand.id));
                Some(GIVEN_BACK)
            }
        };
        if let (Some(delivery), Some(wait)) = (&hand.delivery, back) {
            let _ = account.settle(delivery, Settlement::Later(wait)).await;
        }
        lock(&self.hands).remove(&hand.key());
        self.phones.set_work(&hand.serial, PhoneWork::Nothing);
        self.wake.notify_one();
        if let Some(wait) = back.filter(|_| hand.is_named()) {
            let host = self.clone();
            tokio::spawn(async move {
                sleep(wait).await;
                host.hear_again(hand);
            });
        }
    }

    async fn claim_and_run(&self, hand: &JobInHand) -> Result<HandEnd, BrokerError> {
        let Some(claimed) = self.claim(hand).await? else {
            return Ok(HandEnd::Back(ELSEWHERE));
        };
        let (account, id) = (self.account(hand), &hand.id);
        let (order, result) = tokio::join!(
            account.get::<StoredOrder>(Bucket::Orders, id.as_str()),
            account.read(Bucket::Results, id.as_str())
        );
        // A broker that lost what it had confirmed can bring back a job that has ended.
        let has_result = matches!(result, Ok(Some(_)));
        let RunState { record, revision } = claimed.run().clone();
        let has_ended = record.state == RunStage::Ended;
        if has_ended || has_result {
            if !has_ended {
                let record = RunRecord { state: RunStage::Ended, ..record };
                store_stage(account, id, &record, revision).await?;
            }
            // A caller that sent it twice may have stored the order once more.
            self.tidy(&claimed, order?.map(|order| order.revision)).await;
            return Ok(HandEnd::Ended);
        }
        let begun = if claimed.is_first {
            self.settings.engine.begun_run(self.ledger_key(hand)).await
        } else {
            Ok(None)
        };
        let (Ok(order), Ok(_), Ok(begun)) = (order, result, begun) else {
            return self.give_back(&claimed).await;
        };
        if let Some(BegunRun { run, serial }) = begun {
            // The broker has forgotten it. The janitor ends it as one that was left.
            let (phone, run) = (Some(self.phone_name(&serial)), Some(run));
            let record = RunRecord { state: RunStage::Started, starts: 1, phone, run, ..record };
            store_stage(account, id, &record, revision).await?;
            return Ok(HandEnd::Back(ELSEWHERE));
        }
        let settings = &self.settings;
        let (failure, order) = match (self.refusal(hand), order) {
            (Some(failure), order) => (failure, order),
            // The order is stored before the job: one that has none waits in vain, to its deadline.
            // Or the janitor took it to end it, and that is no longer wanted.
            (None, None) => return self.give_back(&claimed).await,
            (None, Some(_)) if hand.serial.is_empty() => return self.give_back(&claimed).await,
            (None, Some(order)) => match order.value.parcel.open(settings.seal.as_ref(), settings.judge) {
                Ok(request) => {
                    return self.lease_and_run(&claimed, OpenOrder { stored: order, request }).await;
                }
                Err(why) => {
                    let message = format!("host {} cannot read the order: {why}", settings.host);
                    self.log(&message);
                    (Failure::new(ErrorCode::PoolRefused, message), Some(order))
                }
            },
        };
        let failure = not_run(failure, claimed.run().record.starts);
        let order = order.as_ref();
        let ending = Ending { order, phone: None, journal: None, lost: false, took: Some(Duration::ZERO) };
        self.end(&claimed, Finished::from(failure).into(), ending).await
    }

    /// Why a job is not run although it was taken.
    fn refusal(&self, hand: &JobInHand) -> Option<Failure> {
        if self.is_cancelled(hand.tenant, &hand.id) {
            let message = "the job was cancelled while it waited";
            return Some(Failure::new(ErrorCode::ExecutionCancelled, message));
        }
        let waited = self.now_ms()?.saturating_sub(hand.job.stored_ms);
        let deadline_ms = hand.job.value.deadline_ms;
        (waited > deadline_ms).then(|| {
            let message = format!("the job waited {waited} ms and its deadline was {deadline_ms} ms");
            Failure::of(ErrorCode::JobExpired, message)
        })
    }

    /// Takes the lease of the phone, runs the job under it, stores its result and cleans the phone.
    async fn lease_and_run(
        &self,
        claimed: &ClaimedJob<'_>,
        mut order: OpenOrder,
    ) -> Result<HandEnd, BrokerError> {
        let (hand, settings) = (claimed.hand, &self.settings);
        let (host, instance) = (settings.host.clone(), settings.instance.clone());
        let (key, record) =
            (self.lease_key(&hand.serial), LeaseRecord { host, instance, job: hand.id.clone() });
        let is_shared = self.phones.hardware(&hand.serial).is_some();
        let lease = match HostLease::take(&settings.pool, key, record, is_shared).await {
            Ok(lease) => Arc::new(lease),
            Err(why) => {
                self.phones.rest(&hand.serial, &why);
                return self.give_back(claimed).await;
            }
        };
        let opened = super::clean::opened_apps(&order.request);
        let run = settings.engine.new_run_id();
        order.request.id = Some(run.clone());
        let holding = async {
            lease.hold().await;
            settings.engine.cancel(&run);
            std::future::pending().await
        };
        let running = async {
            // What jobs of another user have left.
            if let Err(why) = self.clean(hand, &lease).await {
                self.phones.rest(&hand.serial, &why);
                return self.give_back(claimed).await;
            }
            if let Err(error) = self.phones.soil(&hand.serial, opened) {
                self.phones.rest(&hand.serial, &format!("its state cannot be written: {error}"));
                return self.give_back(claimed).await;
            }
            let (tenant, job) = hand.key();
            self.phones.set_work(&hand.serial, PhoneWork::Job { tenant, job });
            self.run_leased(claimed, &lease, order).await
        };
        let ended = tokio::select! {
            ended = running => ended,
            never = holding => never,
        };
        // If it is not clean, no job begins on it.
        let _ = self.clean(hand, &lease).await;
        lease.release().await;
        ended
    }

    async fn run_leased(
        &self,
        claimed: &ClaimedJob<'_>,
        lease: &Arc<HostLease>,
        order: OpenOrder,
    ) -> Result<HandEnd, BrokerError> {
        let (hand, OpenOrder { stored, request }) = (claimed.hand, order);
        let phone = self.phone_name(&hand.serial);
        let run = claimed.run().record.clone();
        let permit = Arc::new(JobPermit {
            account: self.account(hand).clone(),
            run: claimed.run.clone(),
            lease: lease.clone(),
            started: RunRecord {
                state: RunStage::Started,
                starts: run.starts + 1,
                phone: Some(phone.clone()),
                token: Some(lease.token.clone()),
                run: request.id.as_ref().map(RunId::to_string),
                ..run
            },
            job: hand.id.clone(),
        });
        let is_shared = self.phones.hardware(&hand.serial).is_some();
        let lane = if is_shared { LaneWish::Dump } else { request.lane };
        let began = Instant::now();
        let Running { id, events, outcome } = self.settings.engine.execute(Request {
            device: Some(hand.serial.clone()),
            wait: Some(WAIT_FOR_PHONE),
            // Each lease is a run of its own; which of them may begin, `Runs` decides.
            key: Some(self.ledger_key(hand) + &lease.token),
            route: RouteWish::Host,
            lane,
            permit: Some(permit.clone()),
            ..request
        });
        self.note_run(hand, &id);
        let telling = self.tell_events(hand, events);
        let mut finished = tokio::select! {
            finished = outcome => finished,
            never = telling => never,
        };
        let has_started = claimed.run().record.state == RunStage::Started;
        if let Outcome::Error(failure) = &mut finished.outcome {
            let is_stopped = failure.code == ErrorCode::ExecutionCancelled && lease.fence.is_over();
            if is_stopped && !self.is_cancelled(hand.tenant, &permit.job) {
                // With its lease, and not by a person.
                failure.code = ErrorCode::LeaseLost;
            }
            if !has_started && permit.started.starts > 1 {
                failure.details.get_or_insert_default().dispatched = Some("unknown".to_owned());
            }
            if failure.code == ErrorCode::LaneUnavailable && is_shared {
                failure.details.get_or_insert_default().hint = Some(OF_SHARED.to_owned());
            }
        }
        if let Outcome::Error(failure) = &finished.outcome
            && !has_started
            && !self.is_cancelled(hand.tenant, &permit.job)
            && failure.code.row().retry == Retry::Later
            && failure.code != ErrorCode::LaneUnavailable
        {
            self.log(&format!("job {} could not begin on {phone}: {}", permit.job, failure.message));
            self.phones.rest(&hand.serial, &failure.message);
            return self.give_back(claimed).await;
        }
        let journal = finished.event_log.as_ref().and_then(|log| log.journal());
        let took = began.elapsed();
        let lost = finished.outcome.kind() != OutcomeKind::Success && self.is_lost(&hand.serial).await;
        let ending = Ending { order: Some(&stored), phone: Some(phone), journal, lost, took: Some(took) };
        self.end(claimed, finished.into(), ending).await
    }

    /// What the keys of a job's runs begin with in the engine's ledger.
    fn ledger_key(&self, hand: &JobInHand) -> String {
        format!("pool {} {} ", self.tenant(hand.tenant).name, hand.id)
    }

    /// Whether a phone is not there now.
    async fn is_lost(&self, serial: &str) -> bool {
        let there = self.settings.roster.phones().await.unwrap_or_default();
        !there.iter().any(|phone| phone.serial == serial)
    }

    /// Writes down what happens in a run, for those who follow it. It never ends.
    async fn tell_events<T>(&self, hand: &JobInHand, mut events: Subscriber) -> T {
        let mut under_way = None;
        while let Some(item) = events.next().await {
            let StreamItem::Event(event) = item else { continue };
            let what = match &event.event {
                Event::StepBegin(begin) => {
                    under_way = Some((begin.step, begin.id.clone(), begin.action.clone()));
                    let (id, action) = (begin.id.clone(), begin.action.clone());
                    JobEventKind::StepBegan { step: begin.step, id, action }
                }
                Event::StepEnd(_) => {
                    let Some((step, id, action)) = under_way.take() else { continue };
                    JobEventKind::StepEnded { step, id, action }
                }
                _ => continue,
            };
            self.tell(hand, what).await;
        }
        std::future::pending().await
    }

    /// Writes down that something happened to a job. What cannot be written is not heard of.
    pub(super) async fn tell(&self, hand: &JobInHand, what: JobEventKind) {
        let (job, command_id) = (hand.id.clone(), hand.job.value.command_id.clone());
        let phone = (!hand.serial.is_empty()).then(|| self.phone_name(&hand.serial));
        let event = JobEvent { job, command_id, phone, what };
        let _ = self.account(hand).put(Bucket::Events, hand.id.as_str(), &event).await;
    }
}

/// The end of a job that is not run: also an earlier host may have begun it.
fn not_run(mut failure: Failure, starts: u32) -> Failure {
    if starts == 0 {
        failure.message.push_str("; nothing was sent to a phone");
        return failure;
    }
    failure.message.push_str("; what an earlier run of it did is not known");
    failure.with(|details| details.dispatched = Some("unknown".to_owned()))
}

/// The right of a job to act: its lease, and that the pool knows that it has started.
#[derive(Debug)]
struct JobPermit {
    account: Account,
    run: Arc<Mutex<RunState>>,
    lease: Arc<HostLease>,
    started: RunRecord,
    job: crate::name::JobId,
}

impl Permit for JobPermit {
    fn fence(&self) -> Arc<Fence> {
        self.lease.fence.clone()
    }

    fn begin<'p>(&'p self, _serial: &'p str) -> BoxFuture<'p, Result<(), Failure>> {
        Box::pin(async move {
            let claimed = lock(&self.run).revision;
            let (value, expected) = (bytes_of(&self.started), Expected::Revision(claimed));
            let change = Change { bucket: Bucket::Runs, key: self.job.as_str(), value: &value, expected };
            let revision = self.account.put_surely(change, Some(Instant::now() + BEFORE_START)).await?;
            let started = RunState { record: self.started.clone(), revision };
            *lock(&self.run) = started;
            Ok(())
        })
    }
}
