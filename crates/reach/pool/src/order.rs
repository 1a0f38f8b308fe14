//! What is to be done, as it goes through the broker: the engine's wire form and the values
//! that its texts name, sealed for hosts. A broker's disk has none of it in clear.

use crate::seal::{SealKey, SealLock};
use clawperator_contract::{ErrorCode, Execution, Failure, Step, text};
use clawperator_engine::{Message, Order, Request};
use clawperator_phone::Secret;
use clawperator_phone::vault::{ValueScope, Vault, VaultEntry};
use clawperator_run::Judge;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct StoredOrder {
    /// A hash of it without what it types, to tell two orders of one id apart.
    pub(crate) digest: String,
    pub(crate) parcel: Parcel,
}

/// An order, for hosts only if the pool has a key for them.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Parcel {
    Plain(String),
    Sealed(String),
}

impl fmt::Debug for Parcel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Parcel")
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Content {
    /// The engine's wire form.
    order: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    values: Vec<SentValue>,
    /// What the host's judge is made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rules: Option<String>,
}

/// Makes judges of the rules that callers send.
pub type JudgeOfRules = fn(&str) -> Result<Arc<dyn Judge>, String>;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SentValue {
    name: String,
    place: ValueScope,
    values: Vec<(String, String)>,
}

impl Parcel {
    /// Closes an order.
    ///
    /// # Errors
    /// It is for this computer only, names values and the pool has no key to seal them with, or
    /// cannot be sent.
    pub(crate) fn close(mut request: Request, seal: Option<&SealLock>) -> Result<Self, Failure> {
        if let Some(why) = local_only(&request) {
            return Err(Failure::new(ErrorCode::ExecutionValidationFailed, why));
        }
        let values = sent_values(&request)?;
        if seal.is_none() && !values.is_empty() {
            let message = "the payload names secret values, and this pool has no key to seal them with";
            let hint = "Use a pool file of clawperator pool init: its orders are sealed for the hosts.";
            return Err(Failure::new(ErrorCode::PoolRefused, message).hint(hint));
        }
        let unsendable =
            |why: String| Failure::new(ErrorCode::Usage, format!("the order cannot be sent: {why}"));
        let rules = match request.judge.take() {
            Some(judge) => Some(judge.rules().ok_or_else(|| unsendable("no host can judge it".to_owned()))?),
            None => None,
        };
        let order = Order { session: String::new(), request };
        let order = Message::Order(Box::new(order)).write().map_err(|error| unsendable(error.to_string()))?;
        let content = Content { order, values, rules };
        let content = serde_json::to_string(&content).map_err(|error| unsendable(error.to_string()))?;
        Ok(match seal {
            None => Self::Plain(content),
            Some(seal) => {
                Self::Sealed(seal.seal(content.as_bytes()).map_err(|error| unsendable(error.to_string()))?)
            }
        })
    }

    /// Opens an order, or says why that is not possible: it is sealed for another key, or another
    /// version wrote it.
    pub(crate) fn open(&self, seal: Option<&SealKey>, judge: JudgeOfRules) -> Result<Request, String> {
        let opened;
        let text = match (self, seal) {
            (Self::Plain(text), _) => text.as_bytes(),
            (Self::Sealed(sealed), Some(seal)) => {
                opened = seal.open(sealed).map_err(|error| error.to_string())?;
                &opened
            }
            (Self::Sealed(_), None) => return Err("it is sealed, and the host has no key".to_owned()),
        };
        // What the reader says could hold a part of a value.
        let content: Content = serde_json::from_slice(text).map_err(|_| "another version wrote it")?;
        let message = Message::read(content.order.as_bytes()).map_err(|error| error.to_string())?;
        let Message::Order(order) = message else {
            return Err("it is no order".to_owned());
        };
        // A caller must not choose a file of this computer.
        if let Some(why) = local_only(&order.request) {
            return Err(why);
        }
        let vault = Vault::default();
        for SentValue { name, place, values } in content.values {
            let values = values.into_iter().map(|(key, value)| (key, Secret::new(value))).collect();
            vault.keep(VaultEntry { name, place, values });
        }
        let judge = content.rules.as_deref().map(judge).transpose()?;
        Ok(Request { vault: Some(Arc::new(vault)), judge, ..order.request })
    }
}

fn sent_values(request: &Request) -> Result<Vec<SentValue>, Failure> {
    let (Some(vault), Some(execution)) = (&request.vault, request.work.execution()) else {
        return Ok(Vec::new());
    };
    // Only what is typed names a value.
    let typed: String = execution.actions().iter().filter_map(|action| Some(&**action.private()?)).collect();
    let named = vault.named_in(&typed).map_err(|failure| *failure)?;
    let sent = |entry: VaultEntry| SentValue {
        name: entry.name,
        place: entry.place,
        values: entry.values.into_iter().map(|(key, value)| (key, value.expose().to_owned())).collect(),
    };
    Ok(named.into_iter().map(sent).collect())
}

/// Why an order is only for a phone of the caller's own computer, if it is.
fn local_only(request: &Request) -> Option<String> {
    let actions = request.work.execution().map(Execution::actions).unwrap_or_default();
    actions.iter().find_map(|action| {
        let why = match action.step() {
            Step::TakeScreenshot(step) if step.path.is_some() => {
                "names a file, and a picture stays on the host of its phone: leave out path"
            }
            Step::StartRecording(_) | Step::StopRecording(_) => "is a recording, which no pool makes",
            _ => return None,
        };
        Some(format!("the step \"{}\" {why}", text::excerpt(action.id().as_str())))
    })
}
