//! `observe`, and the view at the end of every act.

use super::act::{budget, last};
use super::answer::{self, Trouble};
use super::argument::Arguments;
use super::run::Call;
use super::tool::Belongs;
use clawperator_contract::{DataKey, DeviceResult};
use rmcp::model::CallToolResult;
use serde_json::{Value, json};

pub(super) async fn observe(call: &Call<'_>, arguments: &Arguments<'_>) -> Result<CallToolResult, Trouble> {
    let budget = budget(arguments)?;
    let look = if arguments.flag("diff")? {
        call.look(budget)
    } else {
        snapshot(budget, None)
    };
    let result = call.run(vec![look]).await?;
    call.view(&result)
}

/// The action that takes a view.
fn snapshot(budget: u64, since: Option<&str>) -> Value {
    let mut params = json!({"view": "compact", "budget": budget});
    if let Some(since) = since {
        params["since"] = json!(since);
    }
    json!({"id": "view", "type": "snapshot_ui", "params": params})
}

impl Call<'_> {
    /// The action that shows what changed since the reader looked last; all of
    /// it to a reader that has not looked yet.
    pub(super) fn look(&self, budget: u64) -> Value {
        snapshot(budget, self.since.as_deref())
    }

    /// The answer with the view of an execution that ended with a look.
    pub(super) fn view(&self, result: &DeviceResult) -> Result<CallToolResult, Trouble> {
        match self.seen(result) {
            Some(view) => Ok(answer::text(view)),
            None => Ok(answer::error(answer::failed(result, 1))),
        }
    }

    /// The text of the view, which the reader now has seen.
    pub(super) fn seen(&self, result: &DeviceResult) -> Option<String> {
        let (text, id) = (last(result, DataKey::Text)?, last(result, DataKey::SnapshotId)?);
        let mut view = text.to_owned();
        if let Some(warning) = last(result, DataKey::MemoryWarning) {
            view.push_str(&format!("\n({warning})"));
        }
        match self.belongs {
            Belongs::ToSession => self.session.shows(self.device.as_deref(), id),
            Belongs::ToNothing => view.push_str(&format!("\nsince: {id}")),
        }
        Some(view)
    }
}
