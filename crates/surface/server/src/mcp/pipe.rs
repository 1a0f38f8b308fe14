//! MCP on pipes: a message a line. Whatever cannot be read gets an error, so that its
//! sender does not wait for ever.

use super::server::{id_of, message_of};
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData};
use rmcp::transport::Transport;
use rmcp::{RoleServer, service::TxJsonRpcMessage};
use serde_json::json;
use std::io;
use std::mem::take;
use std::sync::Arc;
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::sync::Mutex;

const MAX_BYTES: usize = 4 << 20;
/// How much of a line is kept: the id of a message that is too large may come last.
const KEPT: usize = 32 << 20;

/// What a client writes.
pub(super) type Reader = Box<dyn AsyncRead + Send + Unpin>;
/// What it reads.
pub(super) type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// A client on pipes.
pub(super) struct Pipe {
    reader: BufReader<Reader>,
    /// What has come of the next message. It stays here if a read is cancelled.
    line: Vec<u8>,
    /// Whether the line was longer than what is kept.
    is_cut: bool,
    out: Arc<Mutex<Writer>>,
}

impl Pipe {
    pub(super) fn new(reader: Reader, writer: Writer) -> Self {
        Self {
            reader: BufReader::new(reader),
            line: Vec::new(),
            is_cut: false,
            out: Arc::new(Mutex::new(writer)),
        }
    }
}

impl Transport<RoleServer> for Pipe {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        write(self.out.clone(), serde_json::to_vec(&message))
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let room = (KEPT - self.line.len()) as u64;
            let mut some = (&mut self.reader).take(room);
            if some.read_until(b'\n', &mut self.line).await.ok()? == 0 {
                return None;
            }
            let is_whole = self.line.ends_with(b"\n");
            if !is_whole && self.line.len() < KEPT {
                continue;
            }
            let (line, is_cut) = (take(&mut self.line), take(&mut self.is_cut));
            self.is_cut = !is_whole;
            let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line);
            if !is_whole || line.trim_ascii().is_empty() && !is_cut {
                continue;
            }
            // Of one that was cut only the end is here.
            let id = if is_cut { None } else { id_of(line) };
            let error = if is_cut || line.len() > MAX_BYTES {
                let message = format!("the message has more than {MAX_BYTES} bytes; nothing was done");
                ErrorData::invalid_request(message, None)
            } else {
                match message_of(line) {
                    Ok(message) => return Some(message),
                    Err(error) => error,
                }
            };
            // The protocol's newest version leaves an id out that it does not know; JSON-RPC does not.
            let id = id.filter(|_| error.code != ErrorCode::PARSE_ERROR);
            let error = json!({"jsonrpc": "2.0", "id": id, "error": error});
            write(self.out.clone(), serde_json::to_vec(&error)).await.ok()?;
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.out.lock().await.shutdown().await
    }
}

async fn write(out: Arc<Mutex<Writer>>, line: serde_json::Result<Vec<u8>>) -> io::Result<()> {
    let mut line = line?;
    line.push(b'\n');
    let mut out = out.lock().await;
    out.write_all(&line).await?;
    out.flush().await
}
