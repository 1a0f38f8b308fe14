//! The wire form of orders and of their outcomes: the command line's warm
//! path, the server's local door and workers of a pool send the same bytes.
//!
//! A message is one line of JSON with [`VERSION`]. A reader takes its own version only, and refuses
//! a field that it does not know, with an error that names it: an order that is half understood
//! must not reach a phone. So every change of a field is a new version.

use crate::ledger::StoredOutcome;
use crate::request::{Finished, Outcome, Request, RunId};
use clawperator_skills::recipe::RecipeResult;
use serde::{Deserialize, Serialize};

/// The version of the wire form.
pub const VERSION: u32 = 2;

/// What is sent, the one way or the other.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Message {
    Order(Box<Order>),
    /// The answer at once: the run has this name.
    Begun(RunId),
    /// The answer at the end.
    Ended(Ended),
}

/// A request for another process.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Order {
    pub session: String,
    pub request: Request,
}

/// What came of an order.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Ended {
    pub outcome: StoredOutcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_stored: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipe: Option<Box<RecipeResult>>,
}

/// Why something is no message, or cannot become one.
#[derive(Debug, thiserror::Error)]
pub enum OrderError {
    /// Another version of the program wrote it.
    #[error("the message has version {found}, and this program reads version {VERSION}")]
    Version { found: u32 },
    /// It has another form, or work that lives in one process.
    #[error("the message is not as it must be: {0}")]
    Form(#[from] serde_json::Error),
    /// The request has something that lives in one process.
    #[error("a request with a {0} cannot be sent")]
    Unsendable(&'static str),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<M> {
    version: u32,
    message: M,
}

impl Message {
    /// Writes it, without a line break.
    ///
    /// # Errors
    /// [`OrderError::Form`] and [`OrderError::Unsendable`].
    pub fn write(&self) -> Result<String, OrderError> {
        if let Self::Order(order) = self {
            let judge = order.request.judge.as_ref();
            judge.map_or(Ok(()), |_| Err(OrderError::Unsendable("judge")))?;
        }
        Ok(serde_json::to_string(&Line { version: VERSION, message: self })?)
    }

    /// Reads one.
    ///
    /// # Errors
    /// [`OrderError::Version`] and [`OrderError::Form`].
    pub fn read(line: &[u8]) -> Result<Self, OrderError> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let Versioned { version: found } = serde_json::from_slice(line)?;
        match found {
            VERSION => Ok(serde_json::from_slice::<Line<Self>>(line)?.message),
            _ => Err(OrderError::Version { found }),
        }
    }
}

impl From<Finished> for Ended {
    fn from(finished: Finished) -> Self {
        let Finished { outcome, not_stored, recipe, .. } = finished;
        Self { outcome: outcome.to_stored(), not_stored, recipe }
    }
}

impl From<Ended> for Finished {
    fn from(ended: Ended) -> Self {
        let Ended { outcome, not_stored, recipe } = ended;
        Self { not_stored, recipe, ..Outcome::Stored(outcome).into() }
    }
}

/// A text that is JSON, as it is.
pub(crate) mod raw_json {
    use serde::de::Deserializer;
    use serde::ser::{Error as _, Serializer};
    use serde::{Deserialize as _, Serialize as _};
    use serde_json::value::RawValue;

    pub(crate) fn serialize<S: Serializer>(json: &str, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(json).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Ok(raw.get().to_owned())
    }
}

#[cfg(test)]
mod tests;
