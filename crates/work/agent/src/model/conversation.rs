//! What a model reads: the system text, the messages so far, the tools.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// Everything that a model gets for one step.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    pub system: String,
    /// What was said and done so far, the oldest first.
    pub messages: Vec<Message>,
    pub tools: Arc<Vec<ToolSpec>>,
}

/// A tool as a model sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    pub schema: Value,
}

/// One message.
#[derive(Clone, Debug)]
pub enum Message {
    /// From the user's side: the task, the screen.
    User(Vec<MessagePart>),
    /// What the model said, and the tool that it called.
    Assistant {
        text: String,
        call: ToolCall,
    },
    ToolResult {
        call: String,
        text: String,
    },
}

/// A part of a user's message.
#[derive(Clone, Debug)]
pub enum MessagePart {
    Text(String),
    Picture(ModelPicture),
}

/// A picture for a model.
#[derive(Clone)]
pub struct ModelPicture {
    pub media_type: &'static str,
    pub bytes: Arc<[u8]>,
}

impl fmt::Debug for ModelPicture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Picture({}, {} bytes)", self.media_type, self.bytes.len())
    }
}

impl ModelPicture {
    /// The bytes in base64.
    pub fn base64(&self) -> String {
        STANDARD.encode(&self.bytes)
    }

    /// The picture as a `data:` address.
    pub fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.media_type, self.base64())
    }
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The id that its result names.
    pub id: String,
    pub name: String,
    pub args: Value,
}
