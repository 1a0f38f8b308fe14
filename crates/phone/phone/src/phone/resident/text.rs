//! The server's methods that set the text of a field and of the clipboard.

use super::{CommandKind, FRESH, Phone, PhoneError, ServerCall};
use clawperator_adb::Deadline;
use clawperator_contract::Lane;
use clawperator_ui::{Flag, NodeId, Tree};
use serde_json::{Value, json};
use std::fmt;
use std::sync::{MutexGuard, PoisonError};
use tokio::time::Instant;

/// The bits by which the server's selector says which of its words count.
const CLASS: u32 = 0x10;
const FOCUSED: u32 = 0x02_0000;
const PACKAGE: u32 = 0x08_0000;
const ID: u32 = 0x20_0000;

/// A field that nothing else on a screen could be taken for: it alone has the
/// focus. Its debug output is nothing but its class.
#[derive(Clone, PartialEq, Eq)]
pub struct OnlyFocused {
    class: String,
    package: String,
    resource_id: Option<String>,
    /// When the screen was asked for on which it was seen.
    at: Instant,
}

impl fmt::Debug for OnlyFocused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OnlyFocused({})", self.class)
    }
}

impl OnlyFocused {
    /// The element of a screen that was read then, if it alone has the focus.
    fn on(tree: &Tree, wanted: NodeId, at: Instant) -> Option<Self> {
        let mut focused = tree.nodes().filter(|(_, node)| node.flags.has(Flag::Focused));
        let (id, node) = focused.next()?;
        (id == wanted && focused.next().is_none()).then(|| Self {
            class: node.class.clone(),
            package: node.package.clone(),
            resource_id: node.resource_id.clone(),
            at,
        })
    }

    fn selector(&self) -> Value {
        let mut mask = CLASS | FOCUSED | PACKAGE;
        let mut words = json!({"className": self.class, "packageName": self.package, "focused": true,
            "childOrSibling": [], "childOrSiblingSelector": []});
        if let Some(id) = &self.resource_id {
            words["resourceId"] = json!(id);
            mask |= ID;
        }
        words["mask"] = json!(mask);
        words
    }
}

impl Phone {
    /// The name of an element of the last screen that was read through the server,
    /// if it alone has the focus.
    pub fn only_focused(&self, tree: &Tree, wanted: NodeId) -> Option<OnlyFocused> {
        let read_at = *self.read_at();
        OnlyFocused::on(tree, wanted, read_at?)
    }

    /// Notes that the screen was read, and when it was asked for.
    pub(super) fn note_read(&self, asked: Instant) {
        *self.read_at() = Some(asked);
    }

    fn read_at(&self) -> MutexGuard<'_, Option<Instant>> {
        self.lane.read_at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the text of a field through the server, if it can be named for
    /// certain; whether it was tried. The server touches the field first, so it
    /// must have been seen just now, as for every touch.
    pub(crate) async fn set_text(
        &self,
        field: Option<&OnlyFocused>,
        text: &str,
        deadline: Deadline,
    ) -> Result<bool, PhoneError> {
        let fresh = field.filter(|field| field.at.elapsed() < FRESH);
        let Some(field) = fresh.filter(|_| self.lane() == Lane::Resident) else {
            return Ok(false);
        };
        let params = json!([field.selector(), text]);
        let call = ServerCall::new(CommandKind::Text, "setText", params);
        let set = self.act_resident(&call, deadline);
        match set.await {
            Err(error) if self.goes_on_without_server(&error) => Ok(false),
            done => done.map(|()| true),
        }
    }

    /// Puts text on the clipboard.
    pub(crate) async fn copy(&self, text: &str, deadline: Deadline) -> Result<(), PhoneError> {
        let call = ServerCall::new(CommandKind::Clipboard, "setClipboard", json!([null, text]));
        self.call_server(&call, deadline).await?;
        Ok(())
    }

    /// What is on the clipboard, if the phone says.
    pub async fn clipboard(&self, deadline: Deadline) -> Result<Option<String>, PhoneError> {
        let call = ServerCall::new(CommandKind::Clipboard, "getClipboard", json!([]));
        let answer = self.call_server(&call, deadline).await?;
        Ok(answer.as_str().map(str::to_owned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clawperator_ui::{Flags, Node};

    #[tokio::test]
    async fn a_field_has_a_name_only_if_it_alone_has_the_focus() {
        let tree = |focused: &[bool]| {
            let mut tree = Tree::new(0);
            for (number, focused) in focused.iter().enumerate() {
                let node = Node {
                    flags: Flags::default().with(Flag::Focused, *focused),
                    class: "android.widget.EditText".to_owned(),
                    package: "com.x".to_owned(),
                    resource_id: (number == 0).then(|| "com.x:id/a".to_owned()),
                    ..Node::default()
                };
                tree.push(0, node);
            }
            tree
        };
        let named = |focused: &[bool], wanted: usize| {
            let tree = tree(focused);
            let (id, _) = tree.nodes().nth(wanted).unwrap();
            OnlyFocused::on(&tree, id, Instant::now()).map(|field| field.selector()["mask"].clone())
        };
        for (focused, wanted, mask) in [
            (&[true, false][..], 0, Some(0x2a_0010)),
            (&[false, true], 1, Some(0x0a_0010)),
            (&[true, false], 1, None),
            (&[true, true], 0, None),
            (&[false, false], 0, None),
        ] {
            assert_eq!(named(focused, wanted), mask.map(Value::from), "{focused:?} {wanted}");
        }
    }
}
