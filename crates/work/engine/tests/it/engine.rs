//! Many requests on many phones: in order, over connections that stay open,
//! and each can be cancelled and followed.

use crate::folder;
use crate::support::{Phones, code, count, engine, execution, open_counter, request, run, text};
use clawperator_contract::{ErrorCode, accept};
use clawperator_engine::{
    AbandonPolicy, AdbPhones, Engine, HEALTH_CHECK_AFTER, IDLE_LIMIT, PhoneRequest, RUN_EVENTS_KEPT, Request,
    RunId,
};
use clawperator_events::{Event, StreamItem};
use clawperator_phone::{Deadline, Locks, REACH, ServerEnvironment};
use clawperator_sim::fault::Fault;
use clawperator_ui::{Extent, ViewFormat, ViewRequest};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::Instant;

const VIEW_REQUEST: ViewRequest =
    ViewRequest { style: ViewFormat::Compact, budget: None, extent: Extent::Whole };

fn phones(number: usize) -> Arc<Phones> {
    Phones::new((0..number).map(|number| format!("phone-{number}")))
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(30))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn requests_of_a_phone_run_in_order_over_one_connection() {
    let phones = phones(3);
    let engine = engine(&phones, &folder("order"), Some(IDLE_LIMIT));
    let mut running = Vec::new();
    for phone in 0..3 {
        let phone = format!("phone-{phone}");
        drop(engine.execute(request(&phone, "open", &open_counter())));
    }
    for number in 0..8 {
        for phone in 0..3 {
            let (phone, id) = (format!("phone-{phone}"), format!("c{number}"));
            running.push((number, engine.execute(request(&phone, &id, &count()))));
        }
    }
    for (number, running) in running {
        let finished = running.outcome.await;
        assert_eq!(text(&finished.outcome), format!("Counter: {}", number + 1));
    }
    assert_eq!(phones.connections.load(Ordering::Relaxed), 3);
}

#[tokio::test]
async fn a_request_without_a_phone_takes_the_only_one() {
    let engine = engine(&phones(1), &folder("only"), None);
    let result = run(&engine, Request::new(execution("c", &open_counter()))).await;
    assert!(serde_json::to_string(&result).unwrap().contains("\"deviceId\":\"phone-0\""));
    let listed = engine.devices(soon()).await.unwrap();
    assert_eq!(listed[0].serial, "phone-0");
    let nowhere = run(&engine, request("phone-9", "c", &open_counter())).await;
    assert_eq!(code(&nowhere), ErrorCode::DeviceNotFound);
    let seen = engine.observe(Some("phone-0"), VIEW_REQUEST, soon()).await.unwrap();
    assert!(seen.tree.len() > 3);
}

fn long(id: &str) -> Request {
    let sleep = json!([{"id": "wait", "type": "sleep", "params": {"durationMs": 20_000}}]);
    request("phone-0", id, &sleep)
}

/// A request that does not wait for its turn.
fn at_once(id: &str) -> Request {
    Request { wait: None, ..request("phone-0", id, &open_counter()) }
}

#[tokio::test(start_paused = true)]
async fn a_second_execution_is_refused_unless_it_waits_and_no_look_refuses_it() {
    let engine = engine(&phones(1), &folder("second"), Some(IDLE_LIMIT));
    let mut first = None;
    until_begun(&engine, || first.insert(engine.execute(long("first"))).id.clone()).await;
    for _ in 0..3 {
        let refused = serde_json::to_value(run(&engine, at_once("second")).await).unwrap();
        assert_eq!(refused["code"], "EXECUTION_CONFLICT_IN_FLIGHT", "{refused}");
        assert_eq!(refused["details"]["owner"]["commandId"], "first", "{refused}");
    }
    let short = Request { wait: Some(Duration::from_secs(2)), ..at_once("short") };
    let began = Instant::now();
    assert_eq!(code(&run(&engine, short).await), ErrorCode::ExecutionConflict);
    assert_eq!(began.elapsed().as_secs(), 2);
    let patient = run(&engine, request("phone-0", "patient", &open_counter())).await;
    assert!(serde_json::to_string(&patient).unwrap().contains("\"success\""));
    drop(first);
    // Nothing is left of those that were refused.
    assert!(serde_json::to_string(&run(&engine, at_once("free")).await).unwrap().contains("\"success\""));
    let wanted = PhoneRequest { device: Some("phone-0"), wait: None, owner: "look", reach: REACH };
    let look = engine.lease_to_look(wanted).await.unwrap();
    let behind = engine.execute(at_once("behind"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    look.release().await;
    let behind = behind.outcome.await.outcome;
    assert!(serde_json::to_string(&behind).unwrap().contains("\"success\""));
}

fn within(ms: u64, actions: &serde_json::Value) -> Request {
    let payload = json!({"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": ms,
        "expectedFormat": "android-ui-automator", "actions": actions});
    Request {
        device: Some("phone-0".to_owned()),
        ..Request::new(accept(payload.to_string().as_bytes()).unwrap())
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_went_silent_is_used_once_more_at_most() {
    let phones = phones(1);
    let engine = engine(&phones, &folder("silent"), Some(IDLE_LIMIT));
    let stall = |bytes: u64| Fault::parse(&format!("connection_stall={bytes}x1")).unwrap();
    // In the greeting, on the way to the first command, and in its answers.
    for bytes in [300, 700, 1500, 3000] {
        phones.cut();
        tokio::time::sleep(Duration::from_millis(1)).await;
        phones.handset("phone-0").faults(|faults| faults.set_plan(vec![stall(bytes)]));
        let snapshot = json!([{"id": "s", "type": "snapshot_ui"}]);
        let mut lost = 0;
        // More often than a connection is checked.
        for _ in 0..9 {
            let began = Instant::now();
            let ran = run(&engine, within(2_000, &snapshot)).await;
            let took = began.elapsed();
            assert!(took < Duration::from_millis(2_100), "{bytes}: one budget, not {took:?}");
            lost += u32::from(!serde_json::to_string(&ran).unwrap().contains("\"success\""));
        }
        assert!(lost <= 1, "{bytes}: {lost} of 9 were lost");
    }
}

async fn until_begun(engine: &Engine, run: impl FnOnce() -> RunId) -> RunId {
    let mut events = engine.events();
    let id = run();
    while let Some(StreamItem::Event(event)) = events.next().await {
        if event.run_id == id.to_string() && matches!(event.event, Event::StepBegin(_)) {
            return id;
        }
    }
    panic!("no step began");
}

#[tokio::test]
async fn runs_are_cancelled_while_they_wait_and_while_they_run() {
    let phones = phones(1);
    let engine = engine(&phones, &folder("cancel"), Some(IDLE_LIMIT));
    let mut first = None;
    let first_id = until_begun(&engine, || first.insert(engine.execute(long("first"))).id.clone()).await;
    let waiting = engine.execute(long("waiting"));
    let next = engine.execute(request("phone-0", "next", &open_counter()));
    let asked = phones.asked("phone-0").len();
    assert!(engine.cancel(&waiting.id));
    let waited = waiting.outcome.await;
    assert_eq!(code(&waited.outcome), ErrorCode::ExecutionCancelled);
    assert_eq!(phones.asked("phone-0").len(), asked, "nothing was sent");
    assert!(engine.cancel(&first_id));
    assert_eq!(code(&first.unwrap().outcome.await.outcome), ErrorCode::ExecutionCancelled);
    assert!(!engine.cancel(&first_id), "it has ended");
    assert!(serde_json::to_string(&next.outcome.await.outcome).unwrap().contains("\"success\""));
}

#[tokio::test]
async fn a_run_goes_on_without_its_caller_unless_it_asked_otherwise() {
    let engine = engine(&phones(1), &folder("vanished"), Some(IDLE_LIMIT));
    run(&engine, request("phone-0", "open", &open_counter())).await;
    drop(engine.execute(request("phone-0", "c", &count())));
    let again = run(&engine, request("phone-0", "c", &count())).await;
    assert_eq!(text(&again), "Counter: 2");
    let mut events = engine.events();
    let long = Request { abandoned: AbandonPolicy::IsCancelled, ..long("long") };
    let mut caller = None;
    until_begun(&engine, || caller.insert(engine.execute(long)).id.clone()).await;
    drop(caller);
    loop {
        match events.next().await.unwrap() {
            StreamItem::Event(event) => {
                if let Event::End(end) = &event.event {
                    assert_eq!(end.code.as_deref(), Some("EXECUTION_CANCELLED"));
                    break;
                }
            }
            StreamItem::Gap { missed } => panic!("{missed}"),
        }
    }
}

#[tokio::test]
async fn a_slow_subscriber_gets_a_gap_and_slows_nothing() {
    let engine = engine(&phones(1), &folder("gap"), Some(IDLE_LIMIT));
    run(&engine, request("phone-0", "open", &open_counter())).await;
    let mut many = Vec::new();
    for number in 0..25 {
        for mut action in count().as_array().unwrap().clone() {
            action["id"] = json!(format!("{}{number}", action["id"].as_str().unwrap()));
            many.push(action);
        }
    }
    let running = engine.execute(request("phone-0", "many", &json!(many)));
    let id = running.id.to_string();
    let mut events = running.events;
    running.outcome.await;
    let mut next = match events.next().await.unwrap() {
        StreamItem::Gap { missed } => missed,
        StreamItem::Event(event) => panic!("{event:?}"),
    };
    for _ in 0..RUN_EVENTS_KEPT {
        let Some(StreamItem::Event(event)) = events.next().await else {
            panic!("too few");
        };
        assert_eq!((&*event.run_id, &*event.device, event.seq), (&*id, "phone-0", next));
        let line = serde_json::to_value(&*event).unwrap();
        assert_eq!((&line["runId"], &line["seq"]), (&json!(id), &json!(next)));
        next += 1;
    }
    assert_eq!(events.next().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_connection_is_checked_when_it_was_idle_and_closed_after_the_limit() {
    let phones = phones(1);
    let engine = engine(&phones, &folder("warm"), Some(IDLE_LIMIT));
    let connections = || phones.connections.load(Ordering::Relaxed);
    run(&engine, request("phone-0", "open", &open_counter())).await;
    let before = phones.asked("phone-0").len();
    run(&engine, request("phone-0", "a", &count())).await;
    let busy = phones.asked("phone-0").split_off(before);
    assert!(!busy.contains(&"shell,v2,raw:true".to_owned()), "{busy:?}");
    tokio::time::sleep(HEALTH_CHECK_AFTER * 2).await;
    run(&engine, request("phone-0", "b", &count())).await;
    let asked = phones.asked("phone-0");
    assert!(asked.iter().any(|service| service.ends_with(":true")), "{asked:?}");
    assert_eq!(connections(), 1);
    // One that is lost is made again, before anything is sent.
    phones.cut();
    // Until this end has noticed.
    tokio::time::sleep(Duration::from_millis(1)).await;
    let again = run(&engine, request("phone-0", "c", &count())).await;
    assert_eq!((text(&again).as_str(), connections()), ("Counter: 3", 2));
    tokio::time::sleep(IDLE_LIMIT * 2).await;
    run(&engine, request("phone-0", "d", &count())).await;
    assert_eq!(connections(), 3);
}

#[tokio::test]
async fn a_phone_of_another_process_is_waited_for_as_long_as_the_request_says() {
    let place = folder("process");
    let engine = engine(&phones(1), &place, None);
    let locks = Locks::new(place.join("locks"));
    let theirs = locks.take("phone-0", "theirs", None).await.unwrap();
    let refused = run(&engine, at_once("c")).await;
    assert_eq!(code(&refused), ErrorCode::ExecutionConflict);
    assert!(serde_json::to_string(&refused).unwrap().contains("\"commandId\":\"theirs\""));
    // Stopping a recording needs no turn.
    let stop = json!([{"id": "s", "type": "stop_recording"}]);
    let stopped = run(&engine, request("phone-0", "c", &stop)).await;
    let stopped = serde_json::to_string(&stopped).unwrap();
    assert!(stopped.contains("RECORDING_UNAVAILABLE"), "{stopped}");
    let waiting = || {
        engine.execute(Request {
            wait: Some(Duration::from_secs(60)),
            ..request("phone-0", "c", &open_counter())
        })
    };
    let cancelled = waiting();
    tokio::task::yield_now().await;
    engine.cancel(&cancelled.id);
    let cancelled = cancelled.outcome.await.outcome;
    assert_eq!(code(&cancelled), ErrorCode::ExecutionCancelled);
    let waiting = waiting();
    tokio::task::yield_now().await;
    drop(theirs);
    assert!(serde_json::to_string(&waiting.outcome.await.outcome).unwrap().contains("\"success\""));
}

#[tokio::test(start_paused = true)]
async fn a_name_or_an_address_that_moved_leads_to_the_phone_it_names_now() {
    for moved in ["name", "address"] {
        let phones = phones(2);
        let leads = match moved {
            "name" => &phones.names,
            _ => &phones.addresses,
        };
        leads.set(moved, "phone-0");
        let engine = engine(&phones, &folder(moved), Some(IDLE_LIMIT));
        for (wanted, serial) in [
            (moved, "phone-0"),
            (moved, "phone-1"),
            ("phone-0", "phone-0"),
            ("phone-1", "phone-1"),
            (moved, "phone-1"),
        ] {
            if wanted == moved && serial == "phone-1" {
                leads.set(moved, serial);
                // What moved to another address is at first disconnected.
                if moved == "address" {
                    phones.cut();
                    // Until this end has noticed.
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            }
            let before = phones.asked(serial).len();
            let outcome = run(&engine, request(wanted, "open", &open_counter())).await;
            let outcome = serde_json::to_string(&outcome).unwrap();
            let expect = format!("\"deviceId\":\"{serial}\"");
            assert!(outcome.contains(&expect), "{wanted}: {outcome}");
            assert!(phones.asked(serial).len() > before, "{wanted} is {serial}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn observing_a_phone_in_use_ends_at_the_deadline() {
    let engine = engine(&phones(1), &folder("observe"), Some(IDLE_LIMIT));
    let wanted = PhoneRequest { device: Some("phone-0"), wait: None, owner: "x", reach: REACH };
    let lease = engine.lease(wanted).await.unwrap();
    let deadline = soon();
    let late = tokio::time::sleep(deadline.left() + Duration::from_secs(1));
    let seen = tokio::select! {
        seen = engine.observe(Some("phone-0"), VIEW_REQUEST, deadline) => seen,
        () = late => panic!("it did not end"),
    };
    assert_eq!(seen.err().unwrap().code, ErrorCode::ExecutionConflict);
    lease.release().await;
    assert!(engine.observe(Some("phone-0"), VIEW_REQUEST, soon()).await.is_ok());
}

#[tokio::test]
async fn every_future_of_the_engine_can_move_between_threads() {
    fn movable<T: Send>(value: T) -> T {
        value
    }
    let engine = engine(&phones(1), &folder("send"), None);
    drop(movable(engine.connect(None, soon())));
    drop(movable(engine.devices(soon())));
    let wanted = PhoneRequest { device: None, wait: None, owner: "x", reach: REACH };
    drop(movable(engine.lease(wanted)));
    drop(movable(engine.observe(None, VIEW_REQUEST, soon())));
    movable(engine.execute(Request::new(execution("c", &open_counter()))).outcome).await;
}

/// The adb server takes the connection and says nothing.
#[tokio::test(start_paused = true)]
async fn a_phone_is_waited_for_no_longer_than_the_execution_may_run() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let folder = folder("reach");
    let phones = Arc::new(AdbPhones {
        environment: ServerEnvironment {
            socket: None,
            address: None,
            port: Some(silent.local_addr().unwrap().port().to_string()),
            program: "/no/such/adb".into(),
        },
        key_file: folder.join("adbkey"),
        name: "me@here".to_owned(),
        named: None,
    });
    let engine = engine(&phones, &folder, None);
    let payload = json!({"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": 3_000,
        "expectedFormat": "android-ui-automator", "actions": open_counter()});
    let began = Instant::now();
    let request = Request {
        device: Some("some-phone".to_owned()),
        ..Request::new(accept(payload.to_string().as_bytes()).unwrap())
    };
    let outcome = run(&engine, request).await;
    assert_eq!(code(&outcome), ErrorCode::AdbServerFailed);
    // The clock is exact to the millisecond.
    assert!(began.elapsed() < Duration::from_millis(3_010), "{:?}", began.elapsed());
}
