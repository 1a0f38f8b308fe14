//! Messages there and back, and their bytes.

use super::*;
use crate::ledger::OutcomeKind;
use crate::request::{AbandonPolicy, Journal};
use crate::work::Work;
use clawperator_contract::{LaneWish, accept};
use clawperator_events::Pictures;
use clawperator_phone::{Act, PackageName, PhoneLease};
use clawperator_redact::Redaction;
use clawperator_run::operator::RouteWish;
use clawperator_run::{Judge, JudgeFuture, LastStep, Strictness};
use clawperator_ui::Tree;
use std::sync::Arc;
use std::time::Duration;

/// One that has a warning.
const PAYLOAD: &[u8] = br#"{"commandId":"c","taskId":"t","source":"s","expectedFormat":"android-ui-automator",
    "timeoutMs":30000,"timeoutMs":9000,"actions":[{"id":"a","type":"click","params":{"matcher":{"textEquals":"Wi-Fi"}}}]}"#;

fn request() -> Request {
    Request::new(accept(PAYLOAD).unwrap())
}

fn order(request: Request) -> Message {
    Message::Order(Box::new(Order { session: "cli.1".to_owned(), request }))
}

/// Every field is there again. A field that is missing here is one that a worker
/// of a pool would not get.
#[test]
fn an_order_says_all_that_its_request_says() {
    let plain = order(request()).write().unwrap();
    let operator = || PackageName::parse("com.example.operator").unwrap();
    let changes: Vec<fn(&mut Request, PackageName)> = vec![
        |it, _| it.device = Some("phone-1".to_owned()),
        |it, _| it.wait = Some(Duration::from_millis(1_500)),
        |it, _| it.key = Some("once".to_owned()),
        |it, package| it.route = RouteWish::Operator(package),
        |it, package| it.route = RouteWish::Auto(package),
        |it, _| it.strictness = Strictness::Unique,
        |it, _| it.lane = LaneWish::Resident,
        |it, _| it.patience = Some(Duration::from_secs(3)),
        |it, _| it.last = LastStep::Shows,
        |it, _| it.journal = Journal::On(Pictures::Taken),
        |it, _| it.skill_run = Some("skill-1".to_owned()),
        |it, _| it.redactions = [("a".to_owned(), Redaction::Hash)].into(),
        |it, _| it.abandoned = AbandonPolicy::IsCancelled,
        |it, _| {
            let payload = std::str::from_utf8(PAYLOAD).unwrap().replace("Wi-Fi", "🙂 \\\"x\\\"");
            it.work = Work::Execution(accept(payload.as_bytes()).unwrap());
        },
    ];
    for change in changes {
        let mut changed = request();
        change(&mut changed, operator());
        let shown = format!("{changed:?}");
        let line = order(changed).write().unwrap();
        assert_ne!(line, plain);
        let Message::Order(read) = Message::read(line.as_bytes()).unwrap() else {
            panic!("{line}");
        };
        assert_eq!((read.session.as_str(), format!("{:?}", read.request)), ("cli.1", shown));
        assert_eq!(Message::Order(read).write().unwrap(), line);
    }
}

#[test]
fn the_bytes_of_a_message_stay() {
    let order = order(Request {
        device: Some("phone-1".to_owned()),
        wait: Some(Duration::from_secs(1)),
        ..request()
    });
    let ended = Message::Ended(Ended {
        outcome: StoredOutcome { kind: OutcomeKind::Failed, json: r#"{"b": 1.0,  "a": [1e2]}"#.to_owned() },
        not_stored: Some("no room".to_owned()),
        recipe: None,
    });
    let golden = [
        (
            order,
            r#"{"version":2,"message":{"order":{"session":"cli.1","request":{"work":{"execution":{"execution":{"commandId":"c","taskId":"t","source":"s","expectedFormat":"android-ui-automator","timeoutMs":9000,"actions":[{"id":"a","type":"click","params":{"matcher":{"textEquals":"Wi-Fi"}}}]},"warnings":{"warnings":[{"code":"DUPLICATE_KEY","path":"timeoutMs","message":"the key \"timeoutMs\" is given more than once; the last value is used"}]}}},"device":"phone-1","waitMs":1000,"route":"host","strictness":"first","lane":"auto","last":"counts","journal":"off","abandoned":"continues"}}}}"#,
        ),
        (Message::Begun(RunId("run-1".into())), r#"{"version":2,"message":{"begun":"run-1"}}"#),
        (
            ended,
            r#"{"version":2,"message":{"ended":{"outcome":{"kind":"failed","json":{"b": 1.0,  "a": [1e2]}},"notStored":"no room"}}}"#,
        ),
    ];
    for (message, line) in golden {
        assert_eq!(message.write().unwrap(), line);
        assert_eq!(Message::read(line.as_bytes()).unwrap().write().unwrap(), line);
    }
}

#[test]
fn what_is_not_wholly_understood_is_refused() {
    let line = order(request()).write().unwrap();
    let cases = [
        (
            line.replacen(r#""version":2"#, r#""version":1,"more":true"#, 1),
            "the message has version 1, and this program reads version 2",
        ),
        (line.replacen(r#""lane""#, r#""rush":true,"lane""#, 1), "unknown field `rush`"),
        (line.replacen(r#""auto""#, r#""fast""#, 1), "unknown variant `fast`"),
        (line.replacen("click", "clack", 1), "clack"),
        (line.replacen(r#""version":2,"#, "", 1), "missing field `version`"),
        (line[..line.len() - 1].to_owned(), "EOF while parsing"),
    ];
    for (changed, why) in cases {
        let error = Message::read(changed.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(why), "{error}\n{changed}");
    }
}

/// What only this process has is not left out of an order in silence.
#[test]
fn a_request_with_a_judge_is_not_sent() {
    #[derive(Debug)]
    struct Nothing;

    impl Judge for Nothing {
        fn concerns(&self, _: &Act) -> bool {
            false
        }

        fn judge<'j>(&'j self, _: &'j mut PhoneLease, _: &'j Act, _: Option<&'j Tree>) -> JudgeFuture<'j> {
            Box::pin(async { Ok(()) })
        }
    }

    let judged = Request { judge: Some(Arc::new(Nothing)), ..request() };
    let error = order(judged).write().unwrap_err().to_string();
    assert_eq!(error, "a request with a judge cannot be sent");
}
