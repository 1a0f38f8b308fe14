//! A tool call that a model wrote as text. Read only where an answer has no
//! call, and only if the text is unmistakably one: JSON that names a tool, or a
//! line that is `tool(name=value, …)` and nothing else. Pure.

use super::conversation::{ToolCall, ToolSpec};
use serde_json::{Map, Value};

/// The id of calls that were written as text; no server gave them one.
const ID: &str = "text";
/// The keys that may name the tool.
const NAMES: [&str; 3] = ["type", "tool", "name"];
/// The keys that may hold the arguments, if they do not stand beside the name.
const ARGUMENTS: [&str; 4] = ["args", "arguments", "input", "parameters"];

/// The call in a text. Prose that mentions a tool is none.
pub fn text_call(text: &str, tools: &[ToolSpec]) -> Option<ToolCall> {
    let known = |name: &str| {
        let name = if name == "type" { "type_text" } else { name };
        tools.iter().find(|tool| tool.name == name).map(|tool| tool.name.clone())
    };
    let json = fenced(text).chain([text]).find_map(|part| json_call(part, &known));
    json.or_else(|| text.lines().find_map(|line| line_call(line, &known)))
}

fn fenced(text: &str) -> impl Iterator<Item = &str> {
    text.split("```").skip(1).step_by(2).map(|block| {
        // The first line names the language.
        block.split_once('\n').map_or(block, |(_, rest)| rest)
    })
}

fn json_call(text: &str, known: &impl Fn(&str) -> Option<String>) -> Option<ToolCall> {
    let (from, to) = (text.find('{')?, text.rfind('}')?);
    let Value::Object(mut object) = serde_json::from_str(text.get(from..=to)?).ok()? else {
        return None;
    };
    let (key, name) = NAMES.iter().find_map(|key| {
        let name = object.get(*key)?.as_str()?;
        known(name).map(|name| (*key, name))
    })?;
    object.shift_remove(key);
    let inner = ARGUMENTS.iter().find_map(|key| match object.get(*key)? {
        Value::Object(inner) => Some(Value::Object(inner.clone())),
        // Servers send arguments as a text, so models write them so, too.
        Value::String(written) => serde_json::from_str(written).ok().filter(Value::is_object),
        _ => None,
    });
    Some(ToolCall { id: ID.to_owned(), name, args: inner.unwrap_or(Value::Object(object)) })
}

fn line_call(line: &str, known: &impl Fn(&str) -> Option<String>) -> Option<ToolCall> {
    let line = line.trim().trim_matches('`').trim();
    let (name, rest) = line.split_once('(')?;
    let name = known(name)?;
    let inside = rest.strip_suffix(')')?;
    let mut args = Map::new();
    for argument in arguments(inside)? {
        let (key, value) = argument.split_once('=')?;
        let key = key.trim();
        let plain =
            !key.is_empty() && key.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        if !plain {
            return None;
        }
        args.insert(key.to_owned(), value_of(value.trim())?);
    }
    Some(ToolCall { id: ID.to_owned(), name, args: Value::Object(args) })
}

/// The arguments between the brackets, cut at commas outside quotes; nothing if
/// a quote or a bracket is not closed.
fn arguments(inside: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    let (mut from, mut quote, mut escaped, mut depth) = (0, None, false, 0_i32);
    for (at, letter) in inside.char_indices() {
        match (quote, letter) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), letter) if letter == open => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '[' | '{' | '(') => depth += 1,
            (None, ']' | '}' | ')') => depth -= 1,
            (None, ',') if depth == 0 => {
                found.push(&inside[from..at]);
                from = at + 1;
            }
            (Some(_) | None, _) => {}
        }
    }
    let rest = &inside[from..];
    if !rest.trim().is_empty() {
        found.push(rest);
    }
    (quote.is_none() && depth == 0).then_some(found)
}

/// A JSON value, or a text in single quotes.
fn value_of(text: &str) -> Option<Value> {
    if let Some(inner) = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        return Some(Value::String(inner.replace("\\'", "'")));
    }
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tools() -> Vec<ToolSpec> {
        ["tap", "type_text", "finish", "shell"]
            .map(|name| ToolSpec { name: name.to_owned(), description: String::new(), schema: json!({}) })
            .into()
    }

    #[test]
    fn only_what_is_unmistakably_a_call_is_one() {
        for (text, wanted) in [
            ("I will tap (the button)", None),
            ("I will tap(x=1, y=2) now", None),
            ("tap (x=1)", None),
            ("tap(the button)", None),
            ("tap(1, 2)", None),
            ("The page says {\"type\": \"rm\"}", None),
            ("The task is done.", None),
            ("tap(x=1, y=2", None),
            ("tap(x=\"1, y=2)", None),
            ("tap(x=1, y=2)", Some(("tap", json!({"x": 1, "y": 2})))),
            ("I see it.\n`type_text(text='a, \"b\"')`", Some(("type_text", json!({"text": "a, \"b\""})))),
            (
                "```json\n{\"type\": \"type\", \"text\": \"hi\"}\n```",
                Some(("type_text", json!({"text": "hi"}))),
            ),
            ("{\"tool\": \"tap\", \"args\": {\"x\": 3, \"y\": 4}}", Some(("tap", json!({"x": 3, "y": 4})))),
            (
                r#"{"name": "tap", "arguments": "{\"x\": 3, \"y\": 4}"}"#,
                Some(("tap", json!({"x": 3, "y": 4}))),
            ),
            ("Now: {\"name\": \"finish\", \"message\": \"ok\"}", Some(("finish", json!({"message": "ok"})))),
        ] {
            let got = text_call(text, &tools()).map(|call| (call.name, call.args));
            assert_eq!(got, wanted.map(|(name, args)| (name.to_owned(), args)), "{text}");
        }
    }
}
