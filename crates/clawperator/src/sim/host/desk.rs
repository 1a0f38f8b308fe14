//! Where the process is asked things: lets in who knows the token, for one
//! question each.

use super::{Host, answer};
use crate::background::control::{CONTROL_TIME, KNOCK_TIME, is_token};
use crate::sim::limits::{LAST_ANSWERS_TIME, MAX_CONNECTIONS, MAX_REQUEST};
use crate::sim::message::{Letter, Reply, Request};
use std::io;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

pub(super) async fn serve(host: Arc<Host>, listener: TcpListener) {
    let mut asking = JoinSet::new();
    loop {
        tokio::select! {
            () = host.close.notified() => break,
            accepted = listener.accept(), if asking.len() < MAX_CONNECTIONS => match accepted {
                Ok((socket, _)) => {
                    let host = Arc::clone(&host);
                    asking.spawn(async move {
                        // A caller that is too slow, or leaves, has no answer to lose.
                        let _ = tokio::time::timeout(CONTROL_TIME, attend(&host, socket)).await;
                    });
                }
                // Too many open files, say.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            },
            Some(_) = asking.join_next() => {}
        }
    }
    drop(listener);
    // A caller that asked in time gets the answer.
    let answered = async { while asking.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(LAST_ANSWERS_TIME, answered).await;
}

async fn attend(host: &Arc<Host>, mut socket: TcpStream) -> io::Result<()> {
    let (reader, mut writer) = socket.split();
    let mut line = Vec::new();
    let mut reader = BufReader::new(reader.take(MAX_REQUEST as u64));
    tokio::time::timeout(KNOCK_TIME, reader.read_until(b'\n', &mut line)).await??;
    let letter: Letter = match serde_json::from_slice(&line) {
        Ok(letter) => letter,
        Err(error) => return write(&mut writer, &Reply::Error(format!("not a question: {error}"))).await,
    };
    if !host.knows(&letter.token) {
        return write(&mut writer, &Reply::Error("the token is wrong".to_owned())).await;
    }
    // Only who knows the token takes one of the few places.
    let Ok(_place) = host.places.acquire().await else {
        return Ok(());
    };
    *host.asked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    let ends = matches!(letter.ask, Request::Stop { .. });
    let worker = Arc::clone(host);
    // Drawing a screen takes a while, and others wait meanwhile.
    let reply = tokio::task::spawn_blocking(move || answer::answer(&worker, letter.ask)).await;
    let reply = match reply {
        Ok(Ok(value)) => Reply::Ok(value),
        Ok(Err(why)) => Reply::Error(why),
        Err(_) => Reply::Error("the phone broke down over this question".to_owned()),
    };
    let written = write(&mut writer, &reply).await;
    if ends && host.slots().is_empty() {
        host.end.notify_one();
    }
    written
}

async fn write(writer: &mut (impl AsyncWriteExt + Unpin), reply: &Reply) -> io::Result<()> {
    let mut line = serde_json::json!(reply).to_string();
    line.push('\n');
    writer.write_all(line.as_bytes()).await?;
    writer.shutdown().await
}

impl Host {
    fn knows(&self, token: &str) -> bool {
        let entry = self.entry.lock().unwrap_or_else(PoisonError::into_inner);
        is_token(&entry.token, token)
    }
}
