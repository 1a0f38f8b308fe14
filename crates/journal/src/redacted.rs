//! Executions, results and trees as a journal may have them: without typed
//! texts and passwords. Pure.

use crate::blank::blank;
use clawperator_contract::{ActionKind, DataKey, Execution, ParamKey, Step, StepResult};
use clawperator_redact::{Secrets, mask};
use clawperator_ui::{Bounds, Flag, Node, Tree};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// An execution without what it types.
pub(crate) fn execution(execution: &Execution) -> Value {
    // Our own types have string keys and finite numbers: they always serialise.
    let mut value = serde_json::to_value(execution).unwrap_or_default();
    for (number, action) in execution.actions().iter().enumerate() {
        if action.kind() != ActionKind::EnterText {
            continue;
        }
        let place = format!("/actions/{number}/params/{}", ParamKey::Text.name());
        if let Some(text) = value.pointer_mut(&place) {
            *text = Value::from(mask(text.as_str().unwrap_or_default()));
        }
    }
    value
}

/// The secrets, and everything that an execution types: for messages that may
/// belong to any step.
pub(crate) fn with_typed(execution: &Execution, secrets: &Secrets) -> Secrets {
    let mut all = secrets.clone();
    for action in execution.actions() {
        if let Step::EnterText(step) = action.step() {
            all.add(&step.text);
        }
    }
    all
}

/// A step's data without what it typed, and without secrets.
pub(crate) fn data(step: &Step, result: &StepResult, secrets: &Secrets) -> BTreeMap<String, String> {
    let mut secrets = secrets.clone();
    if let Step::EnterText(typed) = step {
        secrets.add(&typed.text);
    }
    let redacted = |(key, value): (&String, &String)| {
        // What a field shows instead may be a part of what was typed.
        let shows_field = [DataKey::Text.name(), "expected_text", "actual_text"].contains(&key.as_str());
        let value = match step {
            Step::EnterText(_) if shows_field => mask(value),
            _ => secrets.hide(value),
        };
        (key.clone(), value)
    };
    result.data.iter().map(redacted).collect()
}

/// What an event log must hide, and what it need not.
#[derive(Debug, Default)]
pub(crate) struct Knowledge {
    /// What was typed into password fields.
    pub(crate) secrets: Secrets,
    /// The texts that the payload looks for. An empty password field shows its
    /// hint, and a payload may look for that.
    wanted: Vec<String>,
    /// The ids of fields that were seen as password fields: an app that shows
    /// the password says that they are none any more.
    fields: BTreeSet<String>,
    /// Where a secret may be on the screen, as the last two looks saw it.
    areas: [Vec<Bounds>; 2],
}

impl Knowledge {
    /// Remembers where a screen may show a secret.
    pub(crate) fn see(&mut self, tree: &Tree) {
        let nodes = || tree.nodes().map(|(_, node)| node);
        let passwords = nodes().filter(|node| node.flags.has(Flag::Password));
        self.fields
            .extend(passwords.filter_map(|node| node.resource_id.clone()));
        let hidden = |node: &&Node| node.flags.has(Flag::Password) || self.is_secret(node);
        let areas = nodes().filter(hidden).map(|node| node.bounds).collect();
        self.areas.swap(0, 1);
        self.areas[1] = areas;
    }

    /// Whether the screen may show a secret, now or after the next touch.
    pub(crate) fn has_secrets(&self) -> bool {
        !self.secrets.is_empty()
            || !self.fields.is_empty()
            || self.areas.iter().any(|areas| !areas.is_empty())
    }

    /// A picture without what it may show of secrets; nothing if it cannot be
    /// told from them.
    pub(crate) fn without_secrets<'p>(&self, png: &'p [u8]) -> Option<Cow<'p, [u8]>> {
        let areas = self.areas.concat();
        match areas.is_empty() {
            true => Some(Cow::Borrowed(png)),
            false => blank(png, &areas).map(Cow::Owned),
        }
    }

    /// Whether a node shows what was in a password field.
    fn is_secret(&self, node: &Node) -> bool {
        self.secrets.are_in(&node.text)
            || self.secrets.are_in(&node.content_desc)
            || node
                .resource_id
                .as_ref()
                .is_some_and(|id| self.fields.contains(id))
    }

    /// Remembers the texts that an execution looks for.
    pub(crate) fn add_wanted_texts(&mut self, execution: &Value) {
        let mut rest = vec![execution];
        while let Some(value) = rest.pop() {
            match value {
                Value::Array(items) => rest.extend(items),
                Value::Object(entries) => {
                    let text = entries.get("textEquals").and_then(Value::as_str);
                    self.wanted.extend(text.map(str::to_owned));
                    rest.extend(entries.values());
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
    }
}

/// A tree without what its password fields hold, and without secrets.
pub(crate) fn tree<'t>(tree: &'t Tree, known: &Knowledge) -> Cow<'t, Tree> {
    let wanted = |text: &String| known.wanted.contains(text);
    let holds_secret = |node: &Node| {
        let password = node.flags.has(Flag::Password) && !node.text.is_empty() && !wanted(&node.text);
        password || known.is_secret(node) && !wanted(&node.text)
    };
    if !tree.nodes().any(|(_, node)| holds_secret(node)) {
        return Cow::Borrowed(tree);
    }
    let mut redacted = Tree::new(tree.rotation);
    for (id, node) in tree.nodes() {
        let mut node = node.clone();
        if holds_secret(&node) {
            for text in [&mut node.text, &mut node.content_desc] {
                *text = "•".repeat(text.chars().count());
            }
        }
        redacted.push(tree.depth(id), node);
    }
    Cow::Owned(redacted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clawperator_contract::accept;
    use clawperator_ui::Flags;

    #[test]
    fn an_execution_is_kept_without_what_it_types() {
        let payload = r#"{"commandId":"c","taskId":"t","source":"test","expectedFormat":"android-ui-automator","timeoutMs":30000,"actions":[
            {"id":"t","type":"enter_text","params":{"matcher":{"role":"textfield"},"text":"hunter2 ä"}},
            {"id":"c","type":"click","params":{"matcher":{"textEquals":"OK"}}}]}"#;
        let checked = accept(payload.as_bytes()).unwrap();
        let kept = execution(&checked.execution).to_string();
        assert!(!kept.contains("hunter") && kept.contains("[9 letters]"), "{kept}");
        let actions = checked.execution.actions();
        let result = StepResult {
            id: "t".to_owned(),
            action_type: "enter_text".to_owned(),
            success: false,
            data: [
                ("text", "hunter2 ä"),
                ("actual_text", "hunt"),
                ("message", "no such argument: hunter2 ä"),
            ]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into(),
        };
        let kept = data(actions[0].step(), &result, &Secrets::default());
        assert!(!format!("{kept:?}").contains("hunt"), "{kept:?}");
        let click = actions[1].step();
        assert!(format!("{:?}", data(click, &result, &Secrets::default())).contains("hunter2"));
        let secrets = with_typed(&checked.execution, &Secrets::default());
        assert!(!format!("{:?}", data(click, &result, &secrets)).contains("hunter2"));
    }

    #[test]
    fn a_tree_is_kept_without_passwords() {
        let mut screen = Tree::new(0);
        let node = |text: &str, password| Node {
            text: text.to_owned(),
            flags: Flags::default().with(Flag::Password, password),
            ..Node::default()
        };
        screen.push(0, node("Sign in", false));
        screen.push(1, node("s3cret", true));
        screen.push(1, node("you typed s3cret", false));
        screen.push(1, node("PIN", true));
        let mut known = Knowledge::default();
        known.secrets.add("s3cret");
        let kept = tree(&screen, &known);
        assert!(!format!("{kept:?}").contains("s3cret") && !format!("{kept:?}").contains("PIN"));
        assert_eq!(kept.len(), 4);
        for matcher in [
            serde_json::json!({"textEquals": "PIN"}),
            serde_json::json!({"where": {"anyOf": [{"textEquals": "PIN"}]}}),
        ] {
            known.wanted.clear();
            known.add_wanted_texts(&serde_json::json!({"actions": [{"params": {"matcher": matcher}}]}));
            let kept = tree(&screen, &known);
            assert!(!format!("{kept:?}").contains("s3cret") && format!("{kept:?}").contains("PIN"));
        }
        let plain = Tree::new(0);
        assert!(matches!(tree(&plain, &known), Cow::Borrowed(_)));
    }
}
