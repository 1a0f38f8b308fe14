//! A small MCP client: lines of JSON-RPC over a pipe in memory.

use clawperator_server::App;
use clawperator_server::mcp::{Tools, serve};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

/// How many bytes are under way between client and server.
const PIPE: usize = 1 << 20;

/// A client with a server of its own; other clients of the same app are other
/// readers of its phones.
pub(crate) struct McpClient {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    next: u64,
    /// Notifications that came in.
    pub(crate) notified: VecDeque<Value>,
    /// How many calls of tools were made.
    pub(crate) calls: usize,
    /// What the tools said.
    pub(crate) heard: Vec<String>,
    /// How many tokens their answers had.
    pub(crate) tokens: usize,
}

/// The answer to a call of a tool.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) text: String,
    pub(crate) is_error: bool,
    pub(crate) whole: Value,
}

impl McpClient {
    pub(crate) async fn connect(app: &Arc<App>) -> Self {
        Self::connect_with(app, Tools::Phone, json!({})).await
    }

    /// With these tools, for a client that can do this.
    pub(crate) async fn connect_with(app: &Arc<App>, tools: Tools, capabilities: Value) -> Self {
        let (ours, its) = tokio::io::duplex(PIPE);
        let (reader, writer) = tokio::io::split(its);
        let app = app.clone();
        tokio::spawn(async move { serve(app, tools, reader, writer).await });
        let (reader, writer) = tokio::io::split(ours);
        let mut client = Self {
            lines: BufReader::new(reader).lines(),
            writer,
            next: 0,
            notified: VecDeque::new(),
            calls: 0,
            heard: Vec::new(),
            tokens: 0,
        };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "1"}});
        let hello = client.ask("initialize", hello).await;
        assert_eq!(hello["result"]["serverInfo"], json!({"name": "clawperator", "version": "0.0.0"}));
        client.notify("notifications/initialized", json!({})).await;
        client
    }

    /// Sends a request and returns its number.
    pub(crate) async fn send(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        id
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }

    /// Waits for a request of the server, and gives it this result.
    pub(crate) async fn reply(&mut self, method: &str, result: Value) -> Value {
        loop {
            let message = self.next_message().await;
            if message["method"] == method {
                self.write(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).await;
                return message["params"].clone();
            }
            self.notified.push_back(message);
        }
    }

    async fn write(&mut self, message: &Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// The next message of the server.
    pub(crate) async fn next_message(&mut self) -> Value {
        let line = self.lines.next_line().await.unwrap();
        serde_json::from_str(&line.unwrap_or_else(|| panic!("the server has gone"))).unwrap()
    }

    /// Waits for the answer to a request.
    pub(crate) async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next_message().await;
            if message["id"] == json!(id) {
                return message;
            }
            self.notified.push_back(message);
        }
    }

    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.answer(id).await
    }

    /// Calls a tool.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Told {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await;
        let told = told(&answer);
        self.calls += 1;
        self.tokens += tokens(&told.text);
        self.heard.push(told.text.clone());
        told
    }
}

pub(crate) fn told(answer: &Value) -> Told {
    let result = &answer["result"];
    let blocks = result["content"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let texts = blocks.iter().filter_map(|block| block["text"].as_str());
    Told {
        text: texts.collect::<Vec<_>>().join("\n"),
        is_error: result["isError"] == json!(true),
        whole: result.clone(),
    }
}

/// How many tokens a model reads: the larger count of two encodings.
pub(crate) fn tokens(text: &str) -> usize {
    let old = bpe_openai::cl100k_base().count(text);
    old.max(bpe_openai::o200k_base().count(text))
}
