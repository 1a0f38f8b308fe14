//! Models of servers: dialects, streams, errors, attempts, keys.

use crate::model_server::{Answer, KEY, ModelServer};
use clawperator_agent::model::{
    Conversation, Dialect, Message, MessagePart, ModelError, ModelPicture, ModelStep, ToolCall, ToolSpec,
    Transfer, Usage,
};
use clawperator_phone::Deadline;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const DIALECTS: [Dialect; 3] = [Dialect::Chat, Dialect::Responses, Dialect::Anthropic];
const TRANSFERS: [Transfer; 2] = [Transfer::Stream, Transfer::Whole];

fn conversation() -> Conversation {
    let picture = ModelPicture { media_type: "image/png", bytes: Arc::from(&b"png"[..]) };
    let call = ToolCall { id: "c0".to_owned(), name: "wait".to_owned(), args: json!({"durationMs": 5}) };
    Conversation {
        system: "You use a phone.".to_owned(),
        messages: vec![
            Message::User(vec![MessagePart::Text("the task".to_owned())]),
            Message::Assistant { text: "Hm.".to_owned(), call },
            Message::ToolResult { call: "c0".to_owned(), text: "waited".to_owned() },
            Message::User(vec![MessagePart::Text("the screen".to_owned()), MessagePart::Picture(picture)]),
        ],
        tools: Arc::new(
            ["tap", "wait"]
                .map(|name| ToolSpec {
                    name: name.to_owned(),
                    description: format!("Does {name}."),
                    schema: json!({"type": "object", "properties": {}}),
                })
                .into(),
        ),
    }
}

async fn ask(server: &ModelServer, dialect: Dialect, transfer: Transfer) -> Result<ModelStep, ModelError> {
    let model = server.model(dialect, transfer);
    model.step(&conversation(), Deadline::after(Duration::from_secs(30))).await
}

fn tap() -> Value {
    json!({"x": 1, "y": 2, "thought": "the é button"})
}

#[tokio::test]
async fn every_dialect_gives_the_same_step_streamed_or_at_once() {
    for dialect in DIALECTS {
        for transfer in TRANSFERS {
            let server = ModelServer::with(dialect, vec![Answer::Call("tap", tap())]).await;
            let step = ask(&server, dialect, transfer).await.unwrap();
            let what = format!("{dialect:?} {transfer:?}");
            assert_eq!(step.thought, "the é button", "{what}");
            assert_eq!(step.call.name, "tap", "{what}");
            assert_eq!(step.call.args, json!({"x": 1, "y": 2}), "{what}");
            assert_eq!(step.call.id, "c1", "{what}");
            let raw: Value = serde_json::from_str(&step.raw).unwrap();
            assert_eq!(raw, json!({"tool": "tap", "args": tap()}), "{what}");
            let usage = Usage { input_tokens: 100, cached_tokens: 40, output_tokens: 20 };
            assert_eq!((step.usage, step.attempts), (usage, 1), "{what}");
        }
    }
}

#[tokio::test]
async fn a_request_has_the_task_the_picture_the_tools_and_the_key_in_a_header() {
    for (dialect, path, pointer, wanted) in [
        (
            Dialect::Chat,
            "post /v1/chat/completions",
            "/messages/4/content/1/image_url/url",
            "data:image/png;base64,cG5n",
        ),
        (
            Dialect::Responses,
            "post /v1/responses",
            "/input/4/content/1/image_url",
            "data:image/png;base64,cG5n",
        ),
        (Dialect::Anthropic, "post /v1/messages", "/messages/2/content/2/source/data", "cG5n"),
    ] {
        let server = ModelServer::with(dialect, vec![Answer::Call("tap", tap())]).await;
        ask(&server, dialect, Transfer::Whole).await.unwrap();
        let asked = server.asked().remove(0);
        assert!(asked.head.starts_with(path), "{}", asked.head);
        assert!(asked.head.contains(KEY), "{dialect:?}");
        let body = &asked.body;
        assert_eq!(body.pointer(pointer).and_then(Value::as_str), Some(wanted), "{body}");
        let text = body.to_string();
        for part in ["test-model", "You use a phone.", "the task", "waited", "Does tap."] {
            assert!(text.contains(part), "{dialect:?}: {part}");
        }
        assert!(!text.contains(KEY), "{dialect:?}");
    }
}

#[tokio::test]
async fn facts_8_2_errors_that_pass_are_tried_again() {
    let good = || Answer::Call("tap", tap());
    for dialect in DIALECTS {
        for transfer in TRANSFERS {
            for (trouble, attempts) in [
                (vec![Answer::Status(429, Some("0"), "slow down")], 2),
                (vec![Answer::Status(503, None, ""), Answer::Status(500, None, "")], 3),
                (vec![Answer::Status(529, None, "overloaded")], 2),
                (vec![Answer::Closed], 2),
                (vec![Answer::Half("tap", json!({"x": 99, "y": 99}))], 2),
            ] {
                let what = format!("{dialect:?} {transfer:?} {trouble:?}");
                let answers = trouble.into_iter().chain([good()]).collect();
                let server = ModelServer::with(dialect, answers).await;
                let step = ask(&server, dialect, transfer).await.unwrap();
                assert_eq!(step.call.args, json!({"x": 1, "y": 2}), "{what}");
                assert_eq!(step.attempts, attempts, "{what}");
                assert_eq!(server.asked().len(), attempts as usize, "{what}");
            }
        }
    }
}

#[tokio::test]
async fn an_error_in_the_middle_of_a_stream_is_tried_again() {
    for dialect in DIALECTS {
        let answers = vec![Answer::Midway, Answer::Call("tap", tap())];
        let server = ModelServer::with(dialect, answers).await;
        let step = ask(&server, dialect, Transfer::Stream).await.unwrap();
        assert_eq!(step.attempts, 2, "{dialect:?}");
    }
}

#[tokio::test]
async fn what_cannot_pass_is_told_and_never_with_the_key() {
    for (answer, sent, wanted) in [
        (
            Answer::Status(401, None, r#"{"error": {"message": "wrong key sk-test-0123456789"}}"#),
            1,
            "answered 401: wrong key [key]",
        ),
        (Answer::Status(400, None, "bad request"), 1, "answered 400: bad request"),
        (Answer::Status(307, None, ""), 1, "answered 307"),
        (Answer::Status(429, Some("7200"), "tomorrow"), 1, "answered 429: tomorrow"),
        (Answer::Closed, 5, "did not answer"),
        (Answer::Bytes("<html>"), 1, "cannot be read"),
        (Answer::Text("I will tap (the button)"), 1, "called no tool"),
        (Answer::Text("The task is done."), 1, "called no tool"),
    ] {
        let server = ModelServer::with(Dialect::Chat, vec![answer.clone(); 5]).await;
        let error = ask(&server, Dialect::Chat, Transfer::Whole).await.unwrap_err();
        assert!(error.to_string().contains(wanted), "{answer:?}: {error}");
        assert!(!format!("{error:?} {error}").contains(KEY), "{error:?}");
        assert_eq!(server.asked().len(), sent, "{answer:?}");
    }
}

#[tokio::test]
async fn text_is_read_for_a_call_only_if_there_is_none() {
    for dialect in DIALECTS {
        let server = ModelServer::with(dialect, vec![Answer::Text("Now:\ntap(x=3, y=4)")]).await;
        let step = ask(&server, dialect, Transfer::Stream).await.unwrap();
        assert_eq!(step.call.args, json!({"x": 3, "y": 4}), "{dialect:?}");
        assert_eq!(step.thought, "Now:\ntap(x=3, y=4)", "{dialect:?}");
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_is_left_at_the_deadline() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut server = ModelServer::with(Dialect::Chat, vec![]).await;
    server.base = format!("http://{}/v1", listener.local_addr().unwrap());
    let model = server.model(Dialect::Chat, Transfer::Whole);
    let late = model.step(&conversation(), Deadline::after(Duration::from_millis(50))).await;
    assert!(matches!(late, Err(ModelError::Late { attempts: 1 })), "{late:?}");
}
