//! Reads what the screen says.

use super::act::retry;
use super::answer::{Outcome, Step};
use super::command::{Matcher, ReadText, Retry, Validator};
use super::screen::{Screen, label, missing};
use crate::handset::Handset;
use crate::phone::Phone;
use clawperator_ui::NodeId;

/// Why there is nothing to read.
enum Unread {
    Container,
    Node,
    /// What is there is not what was asked for.
    Mismatch(String),
}

pub(super) async fn text(handset: &Handset, read: &ReadText) -> Outcome {
    if read.all {
        return Ok(all(handset, read).await);
    }
    let result = retry(handset, read.retry, |phone| one(phone, read)).await;
    let container = read.container.as_ref();
    match result {
        Ok(text) => {
            let step = Step::done(&[("text", &text), ("validator", &read.validator.name())]);
            Ok(step.with("container", container))
        }
        Err(Unread::Mismatch(raw)) => Ok(Step::failed(
            "VALIDATOR_MISMATCH",
            &[("raw_text", &raw), ("validator", &read.validator.name())],
        )
        .with("container", container)),
        Err(Unread::Container) => Ok(Step::failed("CONTAINER_NOT_FOUND", &[]).with("container", container)),
        // Only a search inside something says so and goes on.
        Err(Unread::Node) if container.is_some() => {
            Ok(Step::failed("NODE_NOT_FOUND", &[]).with("container", container))
        }
        Err(Unread::Node) => Err(missing(&read.matcher)),
    }
}

fn inside(screen: &Screen, container: Option<&Matcher>) -> Result<Option<NodeId>, Unread> {
    container
        .map(|matcher| screen.find(matcher).ok_or(Unread::Container))
        .transpose()
}

fn one(phone: &Phone, read: &ReadText) -> Result<String, Unread> {
    let screen = Screen::of(phone).ok_or(Unread::Node)?;
    let outer = inside(&screen, read.container.as_ref())?;
    let found = screen.find_all(&read.matcher, outer);
    let text = found.first().map(|id| label(screen.tree.node(*id)).to_owned());
    let text = text.filter(|text| !text.is_empty()).ok_or(Unread::Node)?;
    match read.validator.accepts(&text) {
        true => Ok(text),
        false => Err(Unread::Mismatch(text)),
    }
}

/// Everything that fits; nothing is fine, too.
async fn all(handset: &Handset, read: &ReadText) -> Step {
    let container = read.container.as_ref();
    let result = retry(handset, read.retry, |phone| {
        let Some(screen) = Screen::of(phone) else {
            return container.map_or(Ok(Vec::new()), |_| Err(Unread::Container));
        };
        let outer = inside(&screen, container)?;
        let labels = screen.find_all(&read.matcher, outer).into_iter();
        let labels = labels.map(|id| label(screen.tree.node(id)).to_owned());
        Ok(labels.filter(|label| !label.is_empty()).collect())
    })
    .await;
    let Ok(labels) = result else {
        return Step::failed("CONTAINER_NOT_FOUND", &[]).with("container", container);
    };
    let quoted: Vec<String> = labels.iter().map(|label| quote(label)).collect();
    let step = Step::done(&[
        ("text", &format!("[{}]", quoted.join(","))),
        ("all", &true),
        ("count", &labels.len()),
        ("validator", &Validator::None.name()),
    ]);
    step.with("container", container)
}

/// As the app quotes: a line break stays one, which no reader of JSON takes.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Reads what stands beside a label.
pub(super) async fn key_value(handset: &Handset, matcher: &Matcher, rule: Retry) -> Step {
    let result = retry(handset, rule, |phone| {
        let screen = Screen::of(phone).ok_or("NODE_NOT_FOUND")?;
        let id = screen.find(matcher).ok_or("NODE_NOT_FOUND")?;
        let key = label(screen.tree.node(id)).to_owned();
        // A label without a value does not become one by waiting.
        Ok::<_, &str>((key, value_of(&screen, id)))
    })
    .await;
    match result {
        Ok((label, Some(value))) => Step::done(&[("label", &label), ("value", &value)]),
        Ok((label, None)) => Step::failed("VALUE_NODE_NOT_FOUND", &[("label", &label)]),
        Err(error) => Step::failed(error, &[]),
    }
}

/// The first level around a label that ends a row or has something behind the
/// label decides.
fn value_of(screen: &Screen, id: NodeId) -> Option<String> {
    let mut child = id;
    while let Some(parent) = screen.tree.parent(child) {
        let later: Vec<NodeId> = screen
            .tree
            .children(parent)
            .skip_while(|id| *id != child)
            .skip(1)
            .collect();
        let ends = ["row", "listitem", "card"].contains(&screen.role(parent));
        if ends || !later.is_empty() {
            return first_value(screen, &later);
        }
        child = parent;
    }
    None
}

fn first_value(screen: &Screen, roots: &[NodeId]) -> Option<String> {
    let flat = roots
        .iter()
        .flat_map(|id| std::iter::once(*id).chain(screen.tree.descendants(*id)));
    let said: Vec<_> = flat
        .map(|id| screen.tree.node(id))
        .filter(|node| !label(node).is_empty())
        .collect();
    let is_summary = |id: &Option<String>| id.as_deref().is_some_and(|id| id.ends_with("/summary"));
    let summary = said.iter().find(|node| is_summary(&node.resource_id));
    summary.or(said.first()).map(|node| label(node).to_owned())
}
