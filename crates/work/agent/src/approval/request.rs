//! A request for a person's word, and what is known of it.

use super::artifact::{Artifact, Description};
use super::limits;
use super::page::{ApprovalPage, title as title_of};
use super::token::ApprovalToken;
use crate::action::{Capability, UiTemplate};
use clawperator_contract::text;
use clawperator_document::words;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Who wrote the words of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Author {
    /// An agent or a program: its words are shown as its words.
    #[default]
    Agent,
    /// We, because the policy asks.
    Policy,
}

/// A request that is to be made.
#[derive(Clone, Debug)]
pub struct NewRequest {
    pub capability: Capability,
    pub instruction: String,
    pub author: Author,
    pub timeout: Duration,
    pub template: Option<UiTemplate>,
    /// The whole page, where it is known from an earlier request.
    pub page: Option<ApprovalPage>,
    pub screen: Option<ApprovalScreen>,
    /// Who asks: a session, a client.
    pub origin: String,
    /// The session that asks: what is given is for it alone.
    pub session: Option<String>,
    pub device: Option<String>,
    /// What the caller would ask again, by its hash: its answer is for that.
    pub question: Option<[u8; 32]>,
    /// The request that this one repeats, because the screen had changed.
    pub again_of: Option<String>,
}

impl NewRequest {
    /// A request with nothing but what every request has.
    pub fn new(capability: Capability, instruction: impl Into<String>) -> Self {
        Self {
            capability,
            instruction: instruction.into(),
            author: Author::Agent,
            timeout: Duration::from_secs(300),
            template: None,
            page: None,
            screen: None,
            origin: String::new(),
            session: None,
            device: None,
            question: None,
            again_of: None,
        }
    }

    /// What is asked, as it is stored: others cannot write a line as if it were ours.
    pub(super) fn words(&self) -> String {
        let asked = match (self.author, self.instruction.trim()) {
            (_, "") => "Human authorization is required to continue.".into(),
            (Author::Agent, asked) => text::visible(asked),
            (Author::Policy, asked) => asked.into(),
        };
        asked.chars().take(limits::INSTRUCTION).collect()
    }
}

/// A screen as it is when a person is asked.
#[derive(Clone)]
pub struct ApprovalScreen {
    pub hash: String,
    pub picture: Option<ScreenPicture>,
    pub app: Option<String>,
}

impl fmt::Debug for ApprovalScreen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Screen({})", self.hash)
    }
}

/// The picture of a screen.
#[derive(Clone, PartialEq, Eq)]
pub struct ScreenPicture {
    /// Its type: `image/png`, `image/jpeg` or `image/webp`.
    pub media_type: String,
    pub bytes: Vec<u8>,
}

impl fmt::Debug for ScreenPicture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScreenPicture({}, {} bytes)", self.media_type, self.bytes.len())
    }
}

/// A request that was made. The token is in no other place.
#[derive(Clone, Debug)]
pub struct CreatedRequest {
    pub id: String,
    pub token: ApprovalToken,
    pub expires_ms: u64,
    pub repairs: Vec<String>,
}

impl CreatedRequest {
    /// Its page on the server at this address. The token is behind the `#`, so
    /// browsers do not send it.
    pub fn link(&self, base: &str) -> String {
        format!("{}/approve/{}#{}", base.trim_end_matches('/'), self.id, self.token.expose())
    }
}

words! {
    /// How far a request is.
    pub State {
        Pending = "pending",
        Approved = "approved",
        Rejected = "rejected",
        Timeout = "timeout",
    }
}

/// A request, with everything of it that may be shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRequest {
    pub id: String,
    pub state: State,
    #[serde(flatten)]
    pub asked: RequestContent,
    pub created_ms: u64,
    pub expires_ms: u64,
    pub has_picture: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_ms: Option<u64>,
    /// Where it was decided: page, terminal, http or mcp; agent, if it was withdrawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What the person gave, without the values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<Description>,
    /// Why what the person gave is not there any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped: Option<String>,
}

/// What was asked. This does not change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestContent {
    pub capability: Capability,
    pub instruction: String,
    #[serde(default)]
    pub author: Author,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub origin: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again_of: Option<String>,
    pub page: ApprovalPage,
}

impl RequestContent {
    /// The question as one text, for terminals, clients and notifications: what we
    /// write, and the words of others marked as theirs.
    pub fn question_text(&self) -> String {
        let who = text::quoted(if self.origin.is_empty() { "an agent" } else { &self.origin }, limits::HINT);
        match self.author {
            Author::Policy => format!("{}\nAsked by: {who}", self.instruction),
            Author::Agent => {
                let words = text::quoted(&self.instruction, limits::INSTRUCTION);
                let title = Some(&self.page.title).filter(|title| **title != title_of(self.capability));
                let title = title.map(|title| format!(" Its title: {}", text::quoted(title, limits::TITLE)));
                let asks = title_of(self.capability);
                format!("{asks}. Asked by: {who}. Its words: {words}{}", title.unwrap_or_default())
            }
        }
    }
}

impl ApprovalRequest {
    /// Whether what was approved may be done on the screen of this hash: it is
    /// the one that the person saw.
    pub fn still_valid(&self, hash: &str) -> bool {
        self.asked.screen.as_deref().is_none_or(|seen| seen == hash)
    }
}

/// What came of a request, for who waited for it.
#[derive(Clone, Debug)]
pub struct ApprovalDecision {
    pub request: ApprovalRequest,
    pub artifacts: Arc<Vec<Artifact>>,
}

impl ApprovalDecision {
    /// The decision as a model gets it: no values.
    pub fn words(&self) -> String {
        let request = &self.request;
        let mut text = match request.state {
            State::Approved => "A person approved the request".to_owned(),
            State::Rejected if request.decided_by.as_deref() == Some("agent") => {
                "The request was withdrawn; do not do it".to_owned()
            }
            State::Rejected => "A person rejected the request; do not do it".to_owned(),
            State::Timeout => "No person decided in time; do not do it".to_owned(),
            State::Pending => "No person has decided yet".to_owned(),
        };
        if !request.given.is_empty() {
            let given: Vec<String> = request.given.iter().map(ToString::to_string).collect();
            text.push_str(&format!(" and gave: {}", given.join("; ")));
        }
        if let Some(dropped) = &request.dropped {
            text.push_str(&format!(". What was given is gone: {dropped}"));
        }
        if let Some(note) = &request.note {
            text.push_str(&format!(". Note: {note}"));
        }
        text
    }
}
