//! Selectors: which element of the screen is meant.

use clawperator_ui::{Flag, Node, NodeId, Tree};
use regex::RegexBuilder;
use serde_json::Value;

/// How deep a chain of selectors is followed, and the largest pattern.
const MAX_CHAIN: usize = 20;
const MAX_PATTERN: usize = 1 << 20;

/// What of an element a word of a selector is about.
type Text = fn(&Node) -> &str;

/// The words about text, without their `Contains`, `Matches` and `StartsWith`.
const TEXTS: &[(&str, Text)] = &[
    ("text", |node| &node.text),
    ("className", |node| &node.class),
    ("description", |node| &node.content_desc),
    ("packageName", |node| &node.package),
    ("resourceId", |node| node.resource_id.as_deref().unwrap_or_default()),
];

const FLAGS: &[(&str, Flag)] = &[
    ("checkable", Flag::Checkable),
    ("checked", Flag::Checked),
    ("clickable", Flag::Clickable),
    ("longClickable", Flag::LongClickable),
    ("scrollable", Flag::Scrollable),
    ("enabled", Flag::Enabled),
    ("focusable", Flag::Focusable),
    ("focused", Flag::Focused),
    ("selected", Flag::Selected),
];

/// What one word of a selector asks of an element.
type ElementTest<'s> = Box<dyn Fn(&Node) -> bool + 's>;

/// The start of a name that the server gives to an element: its selector is
/// behind it, so that nothing has to be remembered.
const NAME: &str = "object:";
/// The longest name that is read.
const MAX_NAME: usize = 64 << 10;

/// The name of what a selector means.
pub(super) fn name(selector: &Value) -> String {
    format!("{NAME}{selector}")
}

/// The selector behind a name; none if the text is no name.
pub(super) fn selector_of_name(text: &str) -> Option<Value> {
    let selector = text.strip_prefix(NAME).filter(|text| text.len() <= MAX_NAME)?;
    serde_json::from_str(selector).ok().filter(Value::is_object)
}

/// A selector of elements inside of what another means.
pub(super) fn inside(selector: &Value, pattern: &Value) -> Value {
    let mut chain = selector.clone();
    for (list, more) in
        [("childOrSibling", Value::from("child")), ("childOrSiblingSelector", pattern.clone())]
    {
        match chain.get_mut(list).and_then(Value::as_array_mut) {
            Some(there) => there.push(more),
            None => chain[list] = Value::Array(vec![more]),
        }
    }
    chain
}

/// Every element a selector means, in reading order.
pub(super) fn select(tree: &Tree, selector: &Value) -> Result<Vec<NodeId>, String> {
    let everything: Vec<_> = tree.nodes().map(|(id, _)| id).collect();
    let mut found = pick(tree, &everything, selector)?;
    let list = |name: &str| selector.get(name).and_then(Value::as_array).cloned();
    let kinds = list("childOrSibling").unwrap_or_default();
    let selectors = list("childOrSiblingSelector").unwrap_or_default();
    for (kind, next) in kinds.iter().zip(&selectors).take(MAX_CHAIN) {
        let child = kind == "child";
        let mut around: Vec<NodeId> = Vec::new();
        for id in found {
            let from = if child { Some(id) } else { tree.parent(id) };
            around.extend(from.iter().flat_map(|from| tree.descendants(*from)));
        }
        around.sort();
        around.dedup();
        found = pick(tree, &around, next)?;
    }
    Ok(found)
}

/// Those of some elements that a selector by itself means.
fn pick(tree: &Tree, among: &[NodeId], selector: &Value) -> Result<Vec<NodeId>, String> {
    let words = selector.as_object().ok_or("the selector is not an object")?;
    let mut tests = Vec::new();
    for (word, value) in words {
        tests.extend(test(word, value)?);
    }
    let fitting = among.iter().copied();
    let fitting = fitting.filter(|id| tests.iter().all(|test| test(tree.node(*id))));
    let Some(instance) = words.get("instance").and_then(Value::as_u64) else {
        return Ok(fitting.collect());
    };
    let instance = usize::try_from(instance).unwrap_or(usize::MAX);
    Ok(fitting.skip(instance).take(1).collect())
}

fn test<'s>(word: &str, value: &'s Value) -> Result<Option<ElementTest<'s>>, String> {
    if let Some((_, flag)) = FLAGS.iter().find(|row| row.0 == word) {
        return Ok(value
            .as_bool()
            .map(|on| -> ElementTest<'s> { Box::new(move |node| node.flags.has(*flag) == on) }));
    }
    if word == "index" {
        let index = value.as_i64();
        return Ok(
            index.map(|index| -> ElementTest<'s> { Box::new(move |node| i64::from(node.index) == index) })
        );
    }
    let row = TEXTS.iter().find(|row| word.starts_with(row.0));
    let (Some((name, of)), Some(text)) = (row, value.as_str()) else {
        // The words that are no tests: the mask, the instance, the chain.
        return Ok(None);
    };
    Ok(Some(match &word[name.len()..] {
        "" => Box::new(move |node| of(node) == text),
        // Android does not look at the case here.
        "Contains" => Box::new(move |node| of(node).to_lowercase().contains(&text.to_lowercase())),
        "StartsWith" => Box::new(move |node| of(node).to_lowercase().starts_with(&text.to_lowercase())),
        "Matches" => {
            let mut whole = RegexBuilder::new(&format!("^(?:{text})$"));
            let built = whole.dot_matches_new_line(true).size_limit(MAX_PATTERN).build();
            let pattern = built.map_err(|_| format!("java.util.regex.PatternSyntaxException: {text}"))?;
            Box::new(move |node| pattern.is_match(of(node)))
        }
        _ => return Ok(None),
    }))
}
