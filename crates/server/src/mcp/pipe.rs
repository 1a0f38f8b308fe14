//! MCP on pipes: a message a line. A request that is too large or too deep to be
//! read gets an error, so that its sender does not wait for ever.

use rmcp::model::{ClientJsonRpcMessage, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, service::TxJsonRpcMessage};
use serde_json::Value;
use std::io;
use std::mem::take;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, BufReader, Empty, empty};

/// The largest message.
const MAX_BYTES: usize = 4 << 20;
/// How much of a message is looked at for its id.
const MAX_TOP: usize = 4 << 10;

/// A client on pipes.
pub(super) struct Pipe<R, W: AsyncWrite> {
    reader: BufReader<R>,
    /// What has come of the next message. It stays here if a read is cancelled.
    line: Vec<u8>,
    outline: Outline,
    out: AsyncRwTransport<RoleServer, Empty, W>,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Send + Unpin + 'static> Pipe<R, W> {
    pub(super) fn new(reader: R, writer: W) -> Self {
        Self {
            reader: BufReader::new(reader),
            line: Vec::new(),
            outline: Outline::default(),
            out: AsyncRwTransport::new_server(empty(), writer),
        }
    }
}

impl<R, W> Transport<RoleServer> for Pipe<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.out.send(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let bytes = self.reader.fill_buf().await.ok()?;
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = &bytes[..end.map_or(bytes.len(), |end| end + 1)];
            let used = part.len();
            if used == 0 {
                return None;
            }
            self.outline.read(part);
            if self.outline.bytes <= MAX_BYTES {
                self.line.extend_from_slice(part);
            }
            self.reader.consume(used);
            if end.is_none() {
                continue;
            }
            let (line, outline) = (take(&mut self.line), take(&mut self.outline));
            let (id, line) = (outline.id(), line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line));
            let why = match serde_json::from_slice(line) {
                _ if outline.bytes > MAX_BYTES => format!("has more than {MAX_BYTES} bytes"),
                Ok(message) => return Some(message),
                // What is no JSON and no request is passed over, as elsewhere.
                Err(error) if id.is_none() && !error.is_data() => continue,
                Err(error) => format!("cannot be read: {error}"),
            };
            let error = ErrorData::invalid_request(format!("the message {why}; nothing was done"), None);
            self.out.send(ServerJsonRpcMessage::error(error, id)).await.ok()?;
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.out.close().await
    }
}

/// What is known of a message without reading it.
#[derive(Default)]
struct Outline {
    bytes: usize,
    depth: usize,
    in_text: bool,
    is_escaped: bool,
    /// The message with a number in the place of each object and list in it.
    top: Vec<u8>,
}

impl Outline {
    fn read(&mut self, part: &[u8]) {
        self.bytes += part.len();
        for byte in part {
            if self.depth <= 1 && self.top.len() < MAX_TOP {
                self.top.push(*byte);
            }
            let is_escaped = take(&mut self.is_escaped);
            match byte {
                b'\\' if self.in_text => self.is_escaped = !is_escaped,
                b'"' if !is_escaped => self.in_text = !self.in_text,
                b'{' | b'[' if !self.in_text => {
                    self.depth += 1;
                    if let (2, Some(last)) = (self.depth, self.top.last_mut()) {
                        *last = b'0';
                    }
                }
                b'}' | b']' if !self.in_text => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    fn id(&self) -> Option<RequestId> {
        let top: Value = serde_json::from_slice(&self.top).ok()?;
        serde_json::from_value(top.get("id")?.clone()).ok()
    }
}
