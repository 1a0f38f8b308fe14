//! Executions, results and trees as a journal may have them: without typed
//! texts and passwords. Pure.

use crate::blank::blank;
use clawperator_contract::{Action, DataKey, Envelope, Execution, Failure, Step, StepResult};
use clawperator_redact::{HashKey, Redaction, Secrets, mask};
use clawperator_ui::{Bounds, Flag, Node, NodeId, Screen, Selector, Tree};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// An execution as JSON, without what it types.
pub fn execution(execution: &Execution) -> Value {
    // Our own types have string keys and finite numbers: they always serialise.
    let mut value = serde_json::to_value(execution).unwrap_or_default();
    for (number, action) in execution.actions().iter().enumerate() {
        let Some(key) = action.kind().spec().private else {
            continue;
        };
        let place = format!("/actions/{number}/params/{}", key.name());
        if let Some(text) = value.pointer_mut(&place) {
            *text = Value::from(mask(text.as_str().unwrap_or_default()));
        }
    }
    value
}

/// The secrets, and everything that an execution types: for messages that may belong to any step.
pub(crate) fn with_typed(execution: &Execution, secrets: &Secrets) -> Secrets {
    let mut all = secrets.clone();
    let typed = execution.actions().iter().filter_map(Action::private);
    typed.for_each(|text| all.add(text));
    all
}

/// How what steps read is shown, by the ids of the actions.
pub type Redactions = BTreeMap<String, Redaction>;

/// The data that repeat what an element says.
const READ: [DataKey; 6] =
    [DataKey::Text, DataKey::RawText, DataKey::Label, DataKey::Value, DataKey::Candidates, DataKey::Nearest];

/// A step's data without what it typed, without secrets, and with what it read as it may be shown.
pub(crate) fn data(action: &Action, result: &StepResult, known: &Knowledge) -> BTreeMap<String, String> {
    let mut secrets = known.own.clone();
    let typed = action.private();
    typed.into_iter().for_each(|text| secrets.add(text));
    let way = known.redactions.get(action.id().as_str());
    let redacted = |(key, value): (&String, &String)| {
        // What a field shows instead may be a part of what was typed.
        let shows_field = [DataKey::Text.name(), "expected_text", "actual_text"].contains(&key.as_str());
        let is_read = READ.iter().any(|read| read.name() == key);
        let value = match (typed, way) {
            (Some(_), _) if shows_field => mask(value),
            (_, Some(way)) if is_read => way.apply(value, &known.key)?,
            _ => secrets.hide(value),
        };
        Some((key.clone(), value))
    };
    result.data.iter().filter_map(redacted).collect()
}

/// What came of an execution, without secrets and as it may be shown.
pub(crate) fn outcome(
    execution: &Execution,
    outcome: &Result<Envelope, Failure>,
    known: &Knowledge,
) -> Result<Envelope, Failure> {
    let steps = |results: &[StepResult]| -> Vec<StepResult> {
        let redacted = |(action, result): (&Action, &StepResult)| StepResult {
            data: data(action, result, known),
            ..result.clone()
        };
        execution.actions().iter().zip(results).map(redacted).collect()
    };
    let all = with_typed(execution, &known.own);
    match outcome {
        Ok(envelope) => {
            let mut redacted = envelope.clone();
            redacted.step_results = steps(&envelope.step_results);
            redacted.error = envelope.error.as_ref().map(|error| {
                // The error of a failed step is redacted as its step is.
                let own = failed_message(&envelope.step_results);
                let before = own.and_then(|own| error.strip_suffix(own.as_str()));
                let told = before.zip(failed_message(&redacted.step_results));
                told.map_or_else(|| all.hide(error), |(before, own)| format!("{}{own}", all.hide(before)))
            });
            Ok(redacted)
        }
        Err(failure) => {
            let mut redacted = failure.clone();
            redacted.message = all.hide(&failure.message);
            if let Some(details) = &mut redacted.details {
                details.step_results = steps(&details.step_results);
            }
            Err(redacted)
        }
    }
}

fn failed_message(steps: &[StepResult]) -> Option<&String> {
    let failed = steps.iter().find(|step| !step.success)?;
    failed.data.get(DataKey::Message.name())
}

/// What an event log must hide, and what it need not.
#[derive(Debug, Default)]
pub(crate) struct Knowledge {
    /// What was typed into password fields, and what was read and must not be shown.
    pub(crate) secrets: Secrets,
    /// Those of them that the caller typed itself, and what was read. Results are
    /// without all others when they come here, and what else they say are the
    /// caller's own words: masks in them would tell which guess is right.
    pub(crate) own: Secrets,
    /// How what steps read is shown.
    redactions: Redactions,
    pub(crate) key: HashKey,
    /// What those steps read: it is hidden on every screen.
    hidden: Vec<Selector>,
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
        self.fields.extend(passwords.filter_map(|node| node.resource_id.clone()));
        let hidden_nodes = self.hidden_in(tree);
        for node in hidden_nodes.iter().map(|id| tree.node(*id)) {
            // What the payload says itself is no secret.
            for text in [&node.text, &node.content_desc] {
                if !self.wanted.contains(text) {
                    self.add_own(text);
                }
            }
        }
        let hidden = |(id, node): &(NodeId, &Node)| {
            node.flags.has(Flag::Password) || self.is_secret(node) || hidden_nodes.contains(id)
        };
        let areas = tree.nodes().filter(hidden).map(|(_, node)| node.bounds).collect();
        self.areas.swap(0, 1);
        self.areas[1] = areas;
    }

    /// Hides a text wherever it is, also in the caller's own words.
    pub(crate) fn add_own(&mut self, text: &str) {
        self.secrets.add_read(text);
        self.own.add_read(text);
    }

    /// Whether the screen may show a secret, now or after the next touch.
    pub(crate) fn has_secrets(&self) -> bool {
        !self.secrets.is_empty()
            || !self.fields.is_empty()
            || !self.hidden.is_empty()
            || self.areas.iter().any(|areas| !areas.is_empty())
    }

    /// A picture without what it may show of secrets; nothing if it cannot be told from them.
    pub(crate) fn without_secrets<'p>(&self, png: &'p [u8]) -> Option<Cow<'p, [u8]>> {
        let areas = self.areas.concat();
        if areas.is_empty() { Some(Cow::Borrowed(png)) } else { blank(png, &areas).map(Cow::Owned) }
    }

    /// Hides what some steps of an execution read.
    pub(crate) fn hide_what_is_read(&mut self, execution: &Execution, redactions: &Redactions) {
        let secret = redactions.iter().filter(|(_, way)| **way != Redaction::None);
        self.redactions = secret.map(|(id, way)| (id.clone(), *way)).collect();
        let read = execution.actions().iter().filter_map(|action| match action.step() {
            Step::ReadText(step) if self.redactions.contains_key(action.id().as_str()) => {
                Some(step.matcher.selector())
            }
            _ => None,
        });
        self.hidden = read.collect();
    }

    /// Hides what steps have read, wherever else it is.
    pub(crate) fn add_what_was_read(&mut self, execution: &Execution, outcome: &Result<Envelope, Failure>) {
        let results = match outcome {
            Ok(envelope) => &envelope.step_results[..],
            Err(failure) => failure.details.as_ref().map_or(&[][..], |details| &details.step_results),
        };
        for (action, result) in execution.actions().iter().zip(results) {
            if !self.redactions.contains_key(action.id().as_str()) {
                continue;
            }
            for value in READ.iter().filter_map(|key| result.data.get(key.name())) {
                self.add_own(value);
                // Of several elements the texts are a list.
                let list: Vec<String> = serde_json::from_str(value).unwrap_or_default();
                list.iter().for_each(|text| self.add_own(text));
            }
        }
    }

    /// The nodes of a screen that must not be shown.
    fn hidden_in(&self, tree: &Tree) -> BTreeSet<NodeId> {
        if self.hidden.is_empty() {
            return BTreeSet::new();
        }
        let screen = Screen::new(tree);
        self.hidden.iter().flat_map(|selector| screen.anywhere(selector)).collect()
    }

    /// Whether a node shows what was in a password field.
    fn is_secret(&self, node: &Node) -> bool {
        node.hides_secret
            || self.secrets.are_in(&node.text)
            || self.secrets.are_in(&node.content_desc)
            || node.resource_id.as_ref().is_some_and(|id| self.fields.contains(id))
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
    let hidden = known.hidden_in(tree);
    let holds_secret = |id: NodeId, node: &Node| {
        let password = node.flags.has(Flag::Password) && !node.text.is_empty();
        (password || known.is_secret(node) || hidden.contains(&id)) && !wanted(&node.text)
    };
    let in_id = |node: &Node| known.secrets.are_in(node.resource_id.as_deref().unwrap_or_default());
    if !tree.nodes().any(|(id, node)| holds_secret(id, node) || in_id(node)) {
        return Cow::Borrowed(tree);
    }
    let mut redacted = Tree::new(tree.rotation);
    for (id, node) in tree.nodes() {
        let mut node = node.clone();
        if holds_secret(id, &node) {
            for text in [&mut node.text, &mut node.content_desc] {
                *text = "•".repeat(text.chars().count());
            }
        }
        redacted.push(tree.depth(id), node);
    }
    redacted.hide_ids(|id| known.secrets.dots(id));
    Cow::Owned(redacted)
}
