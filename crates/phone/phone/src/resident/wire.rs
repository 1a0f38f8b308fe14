//! The bytes between us and the resident server: HTTP/1.1 requests, responses
//! that are bounded, and JSON-RPC inside them. Pure.

use serde_json::{Value, json};
use std::cmp::Ordering;

/// The longest head of a response.
const MAX_HEAD: usize = 16 << 10;
/// The longest body of a response: a tree or a picture.
const MAX_BODY: usize = 32 << 20;
/// How much of an answer that makes no sense is repeated.
const EXCERPT: usize = 200;

/// What comes out of the bytes of a response so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ResponseParse {
    /// A response: where its body is, and whether the connection stays open.
    Whole(Response),
    More,
    /// Nothing that could become one, and why.
    Wrong(String),
}

/// A response that has come as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Response {
    pub(super) status: u16,
    /// Where the body begins and ends; nothing follows it.
    pub(super) body: (usize, usize),
    pub(super) keep_alive: bool,
}

/// What the server answers to a call.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ServerAnswer {
    Result(Value),
    /// The method failed: the class of the exception, and its words.
    Exception {
        class: String,
        words: String,
    },
    /// This answers another call, or nothing.
    Senseless(String),
}

pub(super) fn request(id: u64, method: &str, params: &Value) -> Vec<u8> {
    let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string();
    let head = format!(
        "POST /jsonrpc/0 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body.as_bytes()].concat()
}

/// Reads what came so far.
pub(super) fn parse(bytes: &[u8]) -> ResponseParse {
    let window = &bytes[..bytes.len().min(MAX_HEAD)];
    let Some(end) = window.windows(4).position(|four| four == b"\r\n\r\n") else {
        if bytes.len() >= MAX_HEAD {
            return ResponseParse::Wrong(format!("its head has more than {MAX_HEAD} bytes"));
        }
        return ResponseParse::More;
    };
    match head(&bytes[..end]) {
        Err(wrong) => ResponseParse::Wrong(wrong),
        Ok(response) => match bytes.len().cmp(&response.body.1) {
            Ordering::Greater => ResponseParse::Wrong("it is longer than it says".to_owned()),
            Ordering::Less => ResponseParse::More,
            Ordering::Equal => ResponseParse::Whole(response),
        },
    }
}

/// The response that a head announces.
fn head(bytes: &[u8]) -> Result<Response, String> {
    let head = std::str::from_utf8(bytes).map_err(|_| "its head is no text".to_owned())?;
    let mut lines = head.split("\r\n");
    let first = lines.next().unwrap_or_default();
    let status = first
        .strip_prefix("HTTP/1.")
        .and_then(|rest| rest.split(' ').nth(1)?.parse().ok())
        .ok_or_else(|| format!("it begins with {:?}", excerpt(first)))?;
    let (mut length, mut keep_alive) = (None, true);
    for line in lines {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        match (name.to_ascii_lowercase().as_str(), value.trim()) {
            ("content-length", value) => {
                let bytes = value.parse::<usize>().ok().filter(|bytes| *bytes <= MAX_BODY);
                let bytes = bytes.ok_or_else(|| format!("its length is {:?}", excerpt(value)))?;
                if length.replace(bytes).is_some_and(|before| before != bytes) {
                    return Err("it has two lengths".to_owned());
                }
            }
            ("transfer-encoding" | "content-encoding", _) => {
                return Err("it is encoded, which was not asked for".to_owned());
            }
            ("connection", value) => keep_alive = !value.eq_ignore_ascii_case("close"),
            _ => {}
        }
    }
    let length = length.ok_or_else(|| "it has no length".to_owned())?;
    let start = bytes.len() + 4;
    Ok(Response { status, body: (start, start + length), keep_alive })
}

/// Reads the body of a response as the answer to the call of this number.
pub(super) fn answer(status: u16, body: &[u8], id: u64) -> ServerAnswer {
    let senseless =
        || ServerAnswer::Senseless(excerpt(&String::from_utf8_lossy(&body[..body.len().min(1 << 10)])));
    if status != 200 {
        return ServerAnswer::Senseless(format!("status {status}"));
    }
    let Ok(Value::Object(mut object)) = serde_json::from_slice(body) else {
        return senseless();
    };
    if object.get("id").and_then(Value::as_u64) != Some(id) {
        return senseless();
    }
    let Some(error) = object.get("error").filter(|error| !error.is_null()) else {
        return object.remove("result").map_or_else(senseless, ServerAnswer::Result);
    };
    let word = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    ServerAnswer::Exception { class: word("message"), words: word("data") }
}

pub(crate) fn excerpt(text: &str) -> String {
    text.chars().take(EXCERPT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OK: &str = "HTTP/1.1 200 OK \r\nContent-Type: application/json\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nabc";

    #[test]
    fn a_response_is_read_in_any_pieces() {
        for end in 0..OK.len() {
            assert_eq!(parse(&OK.as_bytes()[..end]), ResponseParse::More, "{end}");
        }
        let ResponseParse::Whole(response) = parse(OK.as_bytes()) else {
            panic!("no response");
        };
        assert_eq!(&OK[response.body.0..response.body.1], "abc");
        assert_eq!((response.status, response.keep_alive), (200, true));
        let closed = OK.replace("keep-alive", "close");
        assert!(matches!(parse(closed.as_bytes()), ResponseParse::Whole(Response { keep_alive: false, .. })));
    }

    #[test]
    fn what_is_no_response_is_refused_with_the_reason() {
        let long = format!("HTTP/1.1 200 OK\r\nA: {}", "b".repeat(MAX_HEAD));
        for (text, why) in [
            ("SSH-2.0-x\r\n\r\n", "it begins with \"SSH-2.0-x\""),
            ("HTTP/1.1 x\r\n\r\n", "it begins with \"HTTP/1.1 x\""),
            ("HTTP/1.1 200 OK\r\n\r\n", "it has no length"),
            ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "its length is \"-1\""),
            ("HTTP/1.1 200 OK\r\nContent-Length: 33554433\r\n\r\n", "its length is \"33554433\""),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "it has two lengths"),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                "it is encoded, which was not asked for",
            ),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabc", "it is longer than it says"),
            (&long, "its head has more than 16384 bytes"),
        ] {
            assert_eq!(parse(text.as_bytes()), ResponseParse::Wrong(why.to_owned()), "{text:.40}");
        }
    }

    #[test]
    fn an_answer_is_that_to_its_call_or_none() {
        let exception = |class: &str, words: &str| ServerAnswer::Exception {
            class: class.to_owned(),
            words: words.to_owned(),
        };
        for (body, read) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":"x"}"#, ServerAnswer::Result(json!("x"))),
            (r#"{"jsonrpc":"2.0","id":7,"result":null}"#, ServerAnswer::Result(Value::Null)),
            (r#"{"id":7,"error":null,"result":true}"#, ServerAnswer::Result(Value::Bool(true))),
            (r#"{"id":7,"error":{"code":-32001,"message":"a.B","data":"c"}}"#, exception("a.B", "c")),
            (r#"{"id":7,"error":"odd"}"#, exception("", "")),
            (r#"{"id":8,"result":1}"#, ServerAnswer::Senseless(r#"{"id":8,"result":1}"#.to_owned())),
            (r#"{"id":7}"#, ServerAnswer::Senseless(r#"{"id":7}"#.to_owned())),
            ("<html>", ServerAnswer::Senseless("<html>".to_owned())),
            ("[]", ServerAnswer::Senseless("[]".to_owned())),
            ("", ServerAnswer::Senseless(String::new())),
        ] {
            assert_eq!(answer(200, body.as_bytes(), 7), read, "{body}");
        }
        assert_eq!(answer(404, b"Not Found", 7), ServerAnswer::Senseless("status 404".to_owned()));
    }

    #[test]
    fn a_request_is_one_that_a_server_can_read() {
        let bytes = request(3, "click", &json!([1, 2]));
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.ends_with(&format!("Content-Length: {}", body.len())), "{head}");
        assert_eq!(
            serde_json::from_str::<Value>(body).unwrap(),
            json!({"jsonrpc": "2.0", "id": 3, "method": "click", "params": [1, 2]})
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = parse(&bytes);
            let _ = answer(200, &bytes, 1);
        }
    }
}
