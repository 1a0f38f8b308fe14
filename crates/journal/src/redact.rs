//! What a journal never says: what was typed, and what a password field holds.
//! Pure.

use super::hide::{hide, tells};
use clawperator_contract::{ActionKind, DataKey, Execution, MATCHER_FIELDS, ParamKey, Step, StepResult};
use clawperator_ui::{Flag, Tree};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The shortest text that is looked for in other words.
const LEAST: usize = 3;

/// How a text is told that is not to be told.
pub(crate) fn length(text: &str) -> String {
    format!("[{} letters]", text.chars().count())
}

/// The number of letters of a text that was not told.
pub fn untold(text: &str) -> Option<usize> {
    let number = text.strip_prefix('[')?.strip_suffix(" letters]")?;
    number.parse().ok()
}

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
            *text = Value::from(length(text.as_str().unwrap_or_default()));
        }
    }
    value
}

/// What an execution types anywhere, and what was typed into password fields:
/// for words of which nobody knows which step they are of.
pub(crate) fn typed(execution: &Execution, secrets: &[String]) -> Vec<String> {
    let typed = execution
        .actions()
        .iter()
        .filter_map(|action| match action.step() {
            Step::EnterText(step) => secret(&step.text),
            _ => None,
        });
    typed.chain(secrets.iter().cloned()).collect()
}

/// A step's data without what it typed, and without passwords.
pub(crate) fn data(step: &Step, result: &StepResult, secrets: &[String]) -> BTreeMap<String, String> {
    let mut data = result.data.clone();
    for value in data.values_mut() {
        *value = hide(value, secrets.iter().map(String::as_str));
    }
    if let Step::EnterText(typed) = step {
        for (key, value) in &mut data {
            // What a field shows instead may be a part of it.
            let whole = [DataKey::Text.name(), "expected_text", "actual_text"].contains(&key.as_str());
            if whole {
                *value = length(value);
            } else {
                *value = hide(value, secret(&typed.text).as_deref());
            }
        }
    }
    data
}

/// What a trail must not tell, and what it tells anyway.
#[derive(Debug, Default)]
pub(crate) struct Knowledge {
    /// What was typed into password fields.
    pub(crate) secrets: Vec<String>,
    /// The texts that the payload looks for. An empty password field may show
    /// what it asks for, and a payload may name it by that.
    pub(crate) said: Vec<String>,
}

impl Knowledge {
    /// Remembers the texts that an execution looks for.
    pub(crate) fn add_wanted_texts(&mut self, execution: &Value) {
        let field = MATCHER_FIELDS
            .iter()
            .find(|field| field.flag == "text")
            .map(|field| field.name);
        let mut rest = vec![execution];
        while let Some(value) = rest.pop() {
            match value {
                Value::Array(items) => rest.extend(items),
                Value::Object(entries) => {
                    let text = field.and_then(|field| entries.get(field)?.as_str());
                    self.said.extend(text.map(str::to_owned));
                    rest.extend(entries.values());
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
    }
}

/// A tree without what its password fields hold, and without what was typed
/// into one, wherever it shows.
pub(crate) fn tree<'t>(tree: &'t Tree, known: &Knowledge) -> Cow<'t, Tree> {
    let tells = |text: &str| !text.is_empty() && tells(text, known.secrets.iter().map(String::as_str));
    let masked = |text: &str| !text.is_empty() && !known.said.iter().any(|said| said == text);
    let holds = |node: &clawperator_ui::Node| {
        node.flags.has(Flag::Password) && masked(&node.text) || tells(&node.text) || tells(&node.content_desc)
    };
    if !tree.nodes().any(|(_, node)| holds(node)) {
        return Cow::Borrowed(tree);
    }
    let mut told = Tree::new(tree.rotation);
    for (id, node) in tree.nodes() {
        let mut node = node.clone();
        if holds(&node) {
            for text in [&mut node.text, &mut node.content_desc] {
                *text = "•".repeat(text.chars().count());
            }
        }
        told.push(tree.depth(id), node);
    }
    Cow::Owned(told)
}

/// What is kept of a secret to find it by: too short a text would be found
/// everywhere.
pub fn secret(text: &str) -> Option<String> {
    (text.chars().count() >= LEAST).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clawperator_contract::accept;
    use clawperator_ui::{Flags, Node};

    #[test]
    fn an_execution_is_kept_without_what_it_types() {
        let payload = r#"{"commandId":"c","taskId":"t","source":"test","expectedFormat":"android-ui-automator","timeoutMs":30000,"actions":[
            {"id":"t","type":"enter_text","params":{"matcher":{"role":"textfield"},"text":"hunter2 ä"}},
            {"id":"c","type":"click","params":{"matcher":{"textEquals":"OK"}}}]}"#;
        let checked = accept(payload.as_bytes()).unwrap();
        let kept = execution(&checked.execution).to_string();
        assert!(!kept.contains("hunter") && kept.contains("[9 letters]"), "{kept}");
        assert_eq!(untold("[9 letters]"), Some(9));
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
        let kept = data(actions[0].step(), &result, &[]);
        assert!(!format!("{kept:?}").contains("hunt"), "{kept:?}");
        let click = actions[1].step();
        assert!(format!("{:?}", data(click, &result, &[])).contains("hunter2"));
        let secrets = ["hunter2 ä".to_owned()];
        assert_eq!(typed(&checked.execution, &[]), secrets);
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
        let mut known = Knowledge {
            secrets: vec!["s3cret".to_owned()],
            ..Knowledge::default()
        };
        let kept = tree(&screen, &known);
        assert!(!format!("{kept:?}").contains("s3cret") && !format!("{kept:?}").contains("PIN"));
        assert_eq!(kept.len(), 4);
        known.add_wanted_texts(
            &serde_json::json!({"actions": [{"params": {"matcher": {"textEquals": "PIN"}}}]}),
        );
        let kept = tree(&screen, &known);
        assert!(!format!("{kept:?}").contains("s3cret") && format!("{kept:?}").contains("PIN"));
        let plain = Tree::new(0);
        assert!(matches!(tree(&plain, &known), Cow::Borrowed(_)));
    }
}
