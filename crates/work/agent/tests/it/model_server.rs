//! A model's server of the test's own on loopback. It speaks the three dialects,
//! as a stream or at once, and fails when a test wants it.

use clawperator_agent::model::{ApiKey, BaseUrl, Dialect, HttpModel, HttpSettings, ModelRetry, Transfer};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// The key that tests use.
pub(crate) const KEY: &str = "sk-test-0123456789";

/// What the server does with a request.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Call(&'static str, Value),
    /// Says something, without a call.
    Text(&'static str),
    /// Answers with a status, a `Retry-After` and a text.
    Status(u16, Option<&'static str>, &'static str),
    /// Sends the first half of a call and closes the connection.
    Half(&'static str, Value),
    /// Sends an error in the middle of a stream.
    Midway,
    /// Closes the connection without a word.
    Closed,
    /// These bytes as the body.
    Bytes(&'static str),
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) head: String,
    pub(crate) body: Value,
}

/// A server; it ends with the test.
pub(crate) struct ModelServer {
    pub(crate) base: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    task: JoinHandle<()>,
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

type Brain = Box<dyn FnMut(&Asked) -> Answer + Send>;

impl ModelServer {
    /// Starts a server that answers as `brain` says.
    pub(crate) async fn start(dialect: Dialect, mut brain: Brain) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = asked.clone();
        let task = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let Some(request) = read(&mut stream).await else {
                    continue;
                };
                let answer = brain(&request);
                let streamed = request.body["stream"] == true;
                kept.lock().unwrap().push(request);
                write(&mut stream, &answer, dialect, streamed).await;
            }
        });
        Self { base, asked, task }
    }

    /// Starts a server that gives these answers, one after another.
    pub(crate) async fn with(dialect: Dialect, answers: Vec<Answer>) -> Self {
        let mut answers = answers.into_iter();
        let next = move |_: &Asked| answers.next().unwrap_or(Answer::Closed);
        Self::start(dialect, Box::new(next)).await
    }

    /// What it was asked so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// A model of this server. Its pauses are short.
    pub(crate) fn model(&self, dialect: Dialect, transfer: Transfer) -> HttpModel {
        HttpModel::new(HttpSettings {
            dialect,
            model: "test-model".to_owned(),
            base: BaseUrl::parse(&self.base).unwrap(),
            key: ApiKey::new(KEY),
            transfer,
            retry: ModelRetry { first_pause: Duration::from_millis(1), ..ModelRetry::default() },
            clock: || 0,
        })
        .unwrap()
    }
}

async fn read(stream: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    loop {
        let mut piece = [0; 65536];
        let count = stream.read(&mut piece).await.ok()?;
        if count == 0 {
            return None;
        }
        bytes.extend_from_slice(&piece[..count]);
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            continue;
        };
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
        let length: usize = length.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
        if bytes.len() >= end + 4 + length {
            let body = serde_json::from_slice(&bytes[end + 4..]).unwrap_or(Value::Null);
            return Some(Asked { head, body });
        }
    }
}

async fn write(stream: &mut TcpStream, answer: &Answer, dialect: Dialect, streamed: bool) {
    let kind = if streamed { "text/event-stream" } else { "application/json" };
    let ok = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n");
    let body = |answer: &Answer| {
        if streamed { events(answer, dialect) } else { whole(answer, dialect).to_string() }
    };
    let text = match answer {
        Answer::Closed => String::new(),
        Answer::Bytes(text) => format!("{ok}{text}"),
        Answer::Status(status, after, text) => {
            let after = after.map(|after| format!("retry-after: {after}\r\n")).unwrap_or_default();
            format!("HTTP/1.1 {status} No\r\n{after}connection: close\r\n\r\n{text}")
        }
        Answer::Half(..) => {
            let body = body(answer);
            let half = body.char_indices().nth(body.chars().count() / 2).map_or(0, |(at, _)| at);
            format!("{ok}{}", &body[..half])
        }
        Answer::Midway => {
            format!("{ok}{}", data(&json!({"type": "error", "error": {"message": "overloaded"}})))
        }
        Answer::Call(..) | Answer::Text(_) => format!("{ok}{}", body(answer)),
    };
    // A client that is gone has what it wanted.
    let _ = stream.write_all(text.as_bytes()).await;
    let _ = stream.shutdown().await;
}

fn data(value: &Value) -> String {
    format!("event: x\ndata: {value}\n\n")
}

fn parts(answer: &Answer) -> (&'static str, Option<(&'static str, String)>) {
    match answer {
        Answer::Call(tool, args) | Answer::Half(tool, args) => ("", Some((tool, args.to_string()))),
        Answer::Text(text) => (text, None),
        _ => ("", None),
    }
}

/// The answer at once.
fn whole(answer: &Answer, dialect: Dialect) -> Value {
    let (text, call) = parts(answer);
    match dialect {
        Dialect::Chat => {
            let calls = call.map(|(tool, args)| json!([{"id": "c1", "type": "function", "function": {"name": tool, "arguments": args}}]));
            json!({
                "choices": [{"message": {"role": "assistant", "content": text, "tool_calls": calls}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 40}},
            })
        }
        Dialect::Responses => {
            let mut output = vec![json!({"type": "reasoning", "summary": []})];
            output.push(json!({"type": "message", "content": [{"type": "output_text", "text": text}]}));
            output.extend(call.map(|(tool, args)| json!({"type": "function_call", "call_id": "c1", "name": tool, "arguments": args})));
            json!({
                "status": "completed",
                "output": output,
                "usage": {"input_tokens": 100, "output_tokens": 20, "input_tokens_details": {"cached_tokens": 40}},
            })
        }
        Dialect::Anthropic => {
            let mut content = vec![json!({"type": "text", "text": text})];
            content.extend(call.map(|(tool, args)| {
                let input: Value = serde_json::from_str(&args).unwrap();
                json!({"type": "tool_use", "id": "c1", "name": tool, "input": input})
            }));
            json!({
                "content": content,
                "stop_reason": "tool_use",
                "usage": {"input_tokens": 60, "cache_read_input_tokens": 40, "output_tokens": 20},
            })
        }
    }
}

/// The answer as a stream, with arguments cut in the middle.
fn events(answer: &Answer, dialect: Dialect) -> String {
    let (text, call) = parts(answer);
    let pieces = call.map(|(tool, args)| {
        let middle = args.char_indices().nth(args.chars().count() / 2).map_or(0, |(at, _)| at);
        (tool, args[..middle].to_owned(), args[middle..].to_owned())
    });
    let mut events = Vec::new();
    match dialect {
        Dialect::Chat => {
            let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
            events.push(delta(json!({"role": "assistant", "content": text})));
            if let Some((tool, first, second)) = pieces {
                events.push(delta(json!({"tool_calls": [{"index": 0, "id": "c1", "function": {"name": tool, "arguments": first}}]})));
                events.push(delta(json!({"tool_calls": [{"index": 0, "function": {"arguments": second}}]})));
            }
            events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}));
            events.push(json!({"choices": [], "usage": whole(answer, dialect)["usage"]}));
        }
        Dialect::Responses => {
            events.push(json!({"type": "response.created", "response": {}}));
            if let Some((_, first, second)) = pieces {
                events.push(json!({"type": "response.function_call_arguments.delta", "delta": first}));
                events.push(json!({"type": "response.function_call_arguments.delta", "delta": second}));
            }
            events.push(json!({"type": "response.completed", "response": whole(answer, dialect)}));
        }
        Dialect::Anthropic => {
            events.push(json!({"type": "message_start", "message": {"usage": {"input_tokens": 60, "cache_read_input_tokens": 40, "output_tokens": 1}}}));
            events.push(json!({"type": "ping"}));
            events.push(json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}));
            if let Some((tool, first, second)) = pieces {
                events.push(json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "c1", "name": tool, "input": {}}}));
                for piece in [first, second] {
                    events.push(json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": piece}}));
                }
            }
            events.push(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 20}}));
            events.push(json!({"type": "message_stop"}));
        }
    }
    let done = if dialect == Dialect::Chat { "data: [DONE]\n\n" } else { "" };
    events.iter().map(data).chain([done.to_owned()]).collect()
}
