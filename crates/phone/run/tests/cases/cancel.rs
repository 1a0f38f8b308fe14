//! An execution that is dropped at any of its await points leaves the phone as
//! it was: free, with its keyboard, and with nothing running.

use crate::case::Route;
use crate::play::{OPERATOR, Pictures};
use crate::world::{Switched, World};
use clawperator_contract::{Envelope, Execution, Failure, Lane, LaneWish, accept};
use clawperator_events::{Clock, EventLog, LogSetup, Redactions};
use clawperator_journal::{JournalFolder, Judgement, StoredJournal};
use clawperator_phone::{Act, Deadline, Finger, LeaseOptions, PackageName, Phone, PhoneLease, Precondition};
use clawperator_run::RunOptions;
use clawperator_run::operator::OperatorApp;
use clawperator_ui::{Extent, ViewFormat, ViewRequest};
use serde_json::{Value, json};
use std::future::{Future, pending, poll_fn};
use std::ops::RangeInclusive;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::sync::oneshot;

/// Each of these executions has more await points than the first number, and
/// fewer than the second.
const MIN_POLLS: usize = 15;
const MAX_POLLS: usize = 5_000;
/// While the phone types, if it types.
const TYPING_MS: RangeInclusive<u64> = 2_050..=2_350;

#[test]
fn a_run_that_types_by_keyboard_can_be_dropped_anywhere() {
    let world = lab();
    drop_anywhere(&world, Route::Host, &typing());
    drop_while_typing(&world);
}

#[test]
fn a_run_through_the_operator_app_can_be_dropped_anywhere() {
    let actions = json!([
        {"id": "close", "type": "close_app", "params": {"applicationId": "com.example"}},
        {"id": "key", "type": "press_key", "params": {"key": "home"}},
        {"id": "picture", "type": "take_screenshot"},
    ]);
    drop_anywhere(&lab(), Route::Operator, &actions);
}

/// A phone that takes its time, so that a command has await points inside.
fn lab() -> World {
    World {
        apps: vec!["lab.yaml".to_owned()],
        setup: vec!["am start -a android.intent.action.VIEW -d lab://fields".to_owned()],
        latency: Some("pixel-like".to_owned()),
        ..World::default()
    }
}

fn typing() -> Value {
    let word = json!({"resourceId": "com.clawperator.lab:id/word"});
    json!([
        {"id": "type", "type": "enter_text", "params": {"matcher": word, "text": "Grüße 👋"}},
        {"id": "click", "type": "click", "params": {"matcher": word}},
        {"id": "sleep", "type": "sleep", "params": {"durationMs": 50}},
        {"id": "picture", "type": "take_screenshot"},
        {"id": "key", "type": "press_key", "params": {"key": "home"}},
        {"id": "open", "type": "open_app", "params": {"applicationId": "com.clawperator.conformance"}},
        {"id": "see", "type": "snapshot_ui", "params": {"view": "compact"}},
    ])
}

/// When a run is dropped.
#[derive(Clone, Copy, Debug)]
enum Drop {
    /// After that many polls, if it has not completed.
    Polls(usize),
    /// After that time.
    Ms(u64),
}

/// Runs the actions on a new phone again and again, and drops the run one await
/// point later each time, until it completes.
fn drop_anywhere(world: &World, route: Route, actions: &Value) {
    for polls in 1..MAX_POLLS {
        if let Some(ended) = run_and_drop(Drop::Polls(polls), world, route, actions) {
            assert_eq!(ended.unwrap().error, None);
            assert!(polls > MIN_POLLS, "only {polls} await points were tried");
            return;
        }
    }
    panic!("it never completed");
}

/// The same at many moments of the commands that type.
fn drop_while_typing(world: &World) {
    for ms in TYPING_MS.step_by(6) {
        let ended = run_and_drop(Drop::Ms(ms), world, Route::Host, &typing());
        assert!(ended.is_none(), "it completed within {ms} ms");
    }
}

/// What came of the run, if it completed.
fn run_and_drop(
    when: Drop,
    world: &World,
    route: Route,
    actions: &Value,
) -> Option<Result<Envelope, Failure>> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(Box::pin(dropped(when, world, route, actions)))
}

async fn dropped(
    when: Drop,
    world: &World,
    route: Route,
    actions: &Value,
) -> Option<Result<Envelope, Failure>> {
    let switched = world.switch_on((route, Lane::Dump)).await.unwrap();
    let phone = Arc::new(Phone::new(switched.connect().await.unwrap(), "case"));
    let folder = Pictures::new();
    let before = Condition::of(&switched).await;
    let (mut lease, free) = leased(&phone, &folder.0);
    let options = options(route, &folder.0);
    let execution = execution(actions);
    let run = clawperator_run::run(&mut lease, &execution, &options, Box::pin(pending()));
    let ended = match when {
        Drop::Polls(most) => Box::pin(polled(most, run)).await,
        Drop::Ms(ms) => tokio::time::timeout(Duration::from_millis(ms), Box::pin(run)).await.ok(),
    };
    drop(lease);
    // The guard goes when everything was given back.
    let waited = tokio::time::timeout(Duration::from_secs(10), free).await;
    assert!(waited.is_ok(), "{when:?}: the phone is not free");
    assert_eq!(Condition::of(&switched).await, before, "{when:?}");
    let journal = journal(&folder.0);
    let whole = matches!(journal.judgement(), Judgement::Whole { .. });
    let code = journal.end().map(|end| end.code.clone());
    let wanted = ended.is_none().then(|| "EXECUTION_CANCELLED".to_owned());
    assert_eq!((whole, code), (true, Some(wanted)), "{when:?}");
    // The same connection still serves another lease.
    let (mut again, _) = leased(&phone, &folder.0);
    let look = execution_of_a_look();
    let ran = clawperator_run::run(&mut again, &look, &RunOptions::default(), Box::pin(pending())).await;
    assert_eq!(ran.unwrap().error, None, "{when:?}");
    again.release().await;
    ended
}

/// What a run must leave as it was.
#[derive(Debug, PartialEq)]
struct Condition {
    keyboard: String,
    files: String,
    /// Every command that runs holds on to the phone.
    holders: usize,
}

impl Condition {
    async fn of(switched: &Switched) -> Self {
        let ask = async |line: &str| switched.ask(line).await.unwrap();
        let condition = Self {
            keyboard: ask("settings get secure default_input_method").await,
            files: ask("ls -a /data/local/tmp").await,
            holders: 0,
        };
        // A command that was cut off ends as soon as the phone hears of it.
        tokio::time::sleep(Duration::from_secs(1)).await;
        Self { holders: Arc::strong_count(&switched.handset), ..condition }
    }
}

/// Polls a future that often at most.
async fn polled<T>(most: usize, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let mut polls = 0;
    poll_fn(|context| {
        polls += 1;
        match future.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending if polls == most => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

/// A lease, and what is ready when its guard is dropped.
fn leased(phone: &Arc<Phone>, folder: &Path) -> (PhoneLease, oneshot::Receiver<()>) {
    let (guard, free) = oneshot::channel::<()>();
    let options = LeaseOptions { memory: Some(folder.join("phones")), guard: Some(Box::new(guard)) };
    (PhoneLease::new(Arc::clone(phone), options), free)
}

fn options(route: Route, folder: &Path) -> RunOptions {
    let log = EventLog::new(LogSetup {
        version: "0.0.0",
        clock: Clock::new(|| 1_794_734_112_345),
        pictures: clawperator_events::Pictures::Left,
        journal: Some(Box::new(JournalFolder::new(folder.join("journals")))),
        skill_run: None,
        redactions: Redactions::default(),
        subscribers: None,
    });
    RunOptions {
        route: match route {
            Route::Host => clawperator_run::Route::Host,
            Route::Operator => {
                clawperator_run::Route::Operator(OperatorApp::new(PackageName::parse(OPERATOR).unwrap()))
            }
        },
        lane: LaneWish::Dump,
        pictures: folder.to_owned(),
        event_log: Some(Arc::new(log)),
        ..RunOptions::default()
    }
}

fn journal(folder: &Path) -> StoredJournal {
    let found = JournalFolder::new(folder.join("journals")).list().unwrap();
    assert_eq!(found.len(), 1);
    StoredJournal::open(&found[0]).unwrap()
}

fn execution(actions: &Value) -> Execution {
    let payload = json!({"commandId": "c", "taskId": "t", "source": "cases", "timeoutMs": 60000,
        "expectedFormat": "android-ui-automator", "actions": actions});
    accept(payload.to_string().as_bytes()).unwrap().execution
}

fn execution_of_a_look() -> Execution {
    execution(&json!([{"id": "look", "type": "snapshot_ui", "params": {"retry": {"maxAttempts": 1}}}]))
}

#[tokio::test]
async fn every_future_of_a_lease_is_send() {
    fn assert_send(future: impl Future + Send) {
        drop(future);
    }
    let switched = World::default().switch_on((Route::Host, Lane::Dump)).await.unwrap();
    let phone = Arc::new(Phone::new(switched.connect().await.unwrap(), "case"));
    let folder = Pictures::new();
    let mut lease = leased(&phone, &folder.0).0;
    let (look, soon) = (execution_of_a_look(), Deadline::after(Duration::from_secs(1)));
    for route in Route::ALL {
        assert_send(clawperator_run::run(&mut lease, &look, &options(route, &folder.0), Box::pin(pending())));
    }
    let at = clawperator_ui::Point { x: 1, y: 1 };
    assert_send(lease.perform(Act::Touch(Finger::Tap(at), Precondition::OnScreen), soon));
    let view_request = ViewRequest { style: ViewFormat::Compact, budget: None, extent: Extent::Whole };
    assert_send(lease.observe(view_request, soon));
    assert_send(lease.release());
}
