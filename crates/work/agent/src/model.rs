//! Language models: one request in, one tool call out.
//!
//! [`Model`] is a server that speaks one of three dialects, or a script. The
//! dialects, the stream reader, the text reader and the prices are pure;
//! `http` sends and tries again. It knows no phone and no tool by name.

mod anthropic;
mod base;
mod budget;
mod chat;
mod conversation;
mod dialect;
mod error;
mod http;
mod key;
mod limits;
mod name;
mod reply;
mod responses;
mod retry;
pub mod script;
mod sse;
mod text_call;

pub use base::BaseUrl;
pub use budget::{Budget, Price, Prices, Spending};
pub use conversation::{Conversation, Message, MessagePart, ModelPicture, ToolCall, ToolSpec};
pub use dialect::Dialect;
pub use error::ModelError;
pub use http::{HttpModel, HttpSettings, Transfer};
pub use key::{ApiKey, KeyError};
pub use name::{ModelName, NameError};
pub use reply::{ModelStep, Usage};
pub use retry::ModelRetry;
pub use script::{Script, ScriptScreen};
pub use sse::{EventTooLarge, Events};
pub use text_call::text_call;

use clawperator_phone::Deadline;
use futures_core::future::BoxFuture;

/// A model that is asked for one step at a time.
#[derive(Debug)]
pub enum Model {
    Http(Box<HttpModel>),
    Script(Box<Script>),
}

impl Model {
    /// Asks for the next step. `sight` is what a script resolves elements
    /// against; a server sees the conversation only.
    pub fn step<'f>(
        &'f mut self,
        conversation: &'f Conversation,
        sight: &'f ScriptScreen,
        deadline: Deadline,
    ) -> BoxFuture<'f, Result<ModelStep, ModelError>> {
        Box::pin(async move {
            match self {
                Self::Http(model) => model.step(conversation, deadline).await,
                Self::Script(script) => script.step(sight),
            }
        })
    }

    /// The model's name, for sessions and prices.
    pub fn name(&self) -> &str {
        match self {
            Self::Http(model) => model.name(),
            Self::Script(_) => Script::NAME,
        }
    }
}
