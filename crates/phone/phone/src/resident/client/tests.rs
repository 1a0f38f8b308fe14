//! The client and servers that answer oddly, slowly, or not at all.

use super::*;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const CALL: ResidentCall<'_> =
    ResidentCall { method: "deviceInfo", params: &Value::Null, purpose: CallPurpose::Look };

/// A response with this body.
fn ok(body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}")
}

/// A server whose connections answer these texts, one for each call; at the end
/// they are closed. Where it listens.
async fn serve(connections: Vec<Vec<String>>) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        for answers in connections {
            let (mut socket, _) = listener.accept().await.unwrap();
            for answer in answers {
                let mut heard = [0; 4096];
                let _ = socket.read(&mut heard).await;
                let _ = socket.write_all(answer.as_bytes()).await;
            }
        }
    });
    address
}

async fn dial(address: std::net::SocketAddr) -> Result<ServiceStream, CallError> {
    let socket = TcpStream::connect(address).await;
    socket.map(ServiceStream::Socket).map_err(|_| CallError::NotRunning)
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(60))
}

/// What comes of one call to a server that answers this, in short.
async fn said(answer: &str) -> String {
    let address = serve(vec![vec![answer.to_owned()]]).await;
    let client = ResidentClient::default();
    match client.call(CALL, dial(address), soon()).await {
        Ok(value) => value.to_string(),
        Err(CallError::Lost(_) | CallError::HungUp) => "lost".to_owned(),
        Err(error) => format!("{error:?}"),
    }
}

#[tokio::test]
async fn odd_and_cut_off_answers_are_told_apart() {
    for (answer, short) in [
        (ok(r#"{"id":1,"result":7}"#), "7"),
        (ok(r#"{"id":2,"result":7}"#), r#"Unreadable("{\"id\":2,\"result\":7}")"#),
        (
            ok(
                r#"{"id":1,"error":{"message":"java.lang.IllegalStateException","data":"UiAutomation not connected!"}}"#,
            ),
            "SlotLost",
        ),
        (
            ok(r#"{"id":1,"error":{"message":"a.B","data":"no"}}"#),
            r#"Exception { class: "a.B", words: "no" }"#,
        ),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{".to_owned(), "lost"),
        ("HTTP/1.1 200".to_owned(), "lost"),
        (String::new(), "lost"),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n".to_owned(),
            r#"Unreadable("its length is \"99999999\"")"#,
        ),
    ] {
        assert_eq!(said(&answer).await, short, "{answer}");
    }
}

#[tokio::test]
async fn a_huge_answer_is_read_as_a_whole() {
    let text = "x".repeat(3 << 20);
    let body = json!({"id": 1, "result": text}).to_string();
    assert_eq!(said(&ok(&body)).await.len(), text.len() + 2);
}

#[tokio::test]
async fn one_stream_serves_many_calls() {
    let answers = (1..4).map(|id| ok(&json!({"id": id, "result": id}).to_string()));
    let address = serve(vec![answers.collect()]).await;
    let client = ResidentClient::default();
    for id in 1..4 {
        let value = client.call(CALL, dial(address), soon()).await;
        assert_eq!(value.unwrap(), json!(id));
        assert!(client.is_open());
    }
}

#[tokio::test]
async fn a_look_on_a_stream_that_ended_is_asked_once_more_and_an_act_is_not() {
    for purpose in [CallPurpose::Look, CallPurpose::Act] {
        let first = ok(r#"{"id":1,"result":1}"#);
        let address = serve(vec![vec![first], vec![ok(r#"{"id":3,"result":3}"#)]]).await;
        let client = ResidentClient::default();
        let call = ResidentCall { purpose, ..CALL };
        let calling = || client.call(call, dial(address), soon());
        assert_eq!(calling().await.unwrap(), json!(1));
        let second = calling().await;
        match purpose {
            CallPurpose::Look => assert_eq!(second.unwrap(), json!(3)),
            CallPurpose::Act => assert!(matches!(second, Err(CallError::HungUp)), "{second:?}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_silent_is_given_up_and_its_stream_is_not_used_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let client = ResidentClient::default();
    client.keep(dial(address).await.unwrap());
    let call = ResidentCall { purpose: CallPurpose::Act, ..CALL };
    let late = client.call(call, dial(address), soon()).await;
    assert!(matches!(late, Err(CallError::Lost(AdbError::TimedOut { .. }))), "{late:?}");
    assert!(!client.is_open());
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_was_idle_for_long_is_not_used_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = ResidentClient::default();
    client.keep(dial(listener.local_addr().unwrap()).await.unwrap());
    tokio::time::advance(IDLE).await;
    assert!(!client.is_open());
    let never = client.call(CALL, async { Err(CallError::NotRunning) }, soon()).await;
    assert!(matches!(never, Err(CallError::NotRunning)), "{never:?}");
}
