//! Adds an entry to a settings file: pure text in, text out. All else in the
//! file stays as it is, byte for byte, comments included.

use crate::mcp_client::{Format, Typed};
use serde_json::{Map, Value, json};

/// The name of our entry.
pub(super) const NAME: &str = "clawperator";

/// What starts the server.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    pub(super) program: String,
    pub(super) arguments: Vec<String>,
}

/// Why an entry was not added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NotAdded {
    Same,
    /// There is another one of that name.
    Other,
    /// The file is not what it should be.
    Unreadable(&'static str),
}

/// The file with the entry.
pub(super) fn add(text: &str, format: Format, launch: &Launch) -> Result<String, NotAdded> {
    match format {
        Format::Json { servers, typed } => add_json(text, servers, &json_entry(launch, typed)),
        Format::Toml { servers } => add_toml(text, servers, launch),
    }
}

fn json_entry(launch: &Launch, typed: Typed) -> Value {
    let mut entry = Map::new();
    if typed == Typed::Stdio {
        entry.insert("type".to_owned(), json!("stdio"));
    }
    entry.insert("command".to_owned(), json!(launch.program));
    entry.insert("args".to_owned(), json!(launch.arguments));
    Value::Object(entry)
}

fn add_json(text: &str, servers: &str, entry: &Value) -> Result<String, NotAdded> {
    let whole = json!({servers: {NAME: entry}});
    if text.trim().is_empty() {
        return Ok(format!("{whole:#}\n"));
    }
    let outer = Object::find(text, 0).ok_or(NotAdded::Unreadable("it is no JSON object"))?;
    let added = match outer.member(servers) {
        None => outer.insert(text, servers, &json!({NAME: entry})),
        Some(at) => {
            let why = NotAdded::Unreadable("the servers in it are no JSON object");
            let inner = Object::find(text, at).ok_or(why)?;
            if let Some(at) = inner.member(NAME) {
                let known: Option<Value> = serde_json::Deserializer::from_str(&text[at..])
                    .into_iter()
                    .next()
                    .and_then(Result::ok);
                return Err(if known.as_ref() == Some(entry) {
                    NotAdded::Same
                } else {
                    NotAdded::Other
                });
            }
            inner.insert(text, NAME, entry)
        }
    };
    // A file without comments can be checked; only our entry may be new.
    if let Ok(before) = serde_json::from_str::<Value>(text) {
        let mut expected = before;
        expected[servers][NAME] = entry.clone();
        if serde_json::from_str::<Value>(&added).ok() != Some(expected) {
            return Err(NotAdded::Unreadable("the entry cannot be added safely"));
        }
    }
    Ok(added)
}

/// An object in a JSON text that may have comments.
struct Object {
    start: usize,
    /// Where its members and their values are.
    members: Vec<(String, usize)>,
}

impl Object {
    /// The object that begins at or behind a place, past blanks and comments.
    fn find(text: &str, from: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut at = skip(bytes, from)?;
        if bytes.get(at) != Some(&b'{') {
            return None;
        }
        let start = at + 1;
        let mut members = Vec::new();
        at = skip(bytes, start)?;
        while bytes.get(at) == Some(&b'"') {
            let end = string_end(bytes, at)?;
            let key: String = serde_json::from_str(&text[at..end]).ok()?;
            let colon = skip(bytes, end)?;
            let value = skip(bytes, (bytes.get(colon) == Some(&b':')).then_some(colon + 1)?)?;
            members.push((key, value));
            at = skip(bytes, value_end(bytes, value)?)?;
            if bytes.get(at) == Some(&b',') {
                at = skip(bytes, at + 1)?;
            }
        }
        (bytes.get(at) == Some(&b'}')).then_some(Self { start, members })
    }

    /// Where the value of a member is.
    fn member(&self, key: &str) -> Option<usize> {
        let found = self.members.iter().find(|(known, _)| known == key);
        found.map(|(_, at)| *at)
    }

    /// The text with a new first member.
    fn insert(&self, text: &str, key: &str, value: &Value) -> String {
        let indent = self.indent(text);
        let written = format!("{value:#}").replace('\n', &format!("\n{indent}"));
        let end = if self.members.is_empty() {
            let outer = indent.strip_suffix("  ").unwrap_or_default();
            // An empty object may stand on one line.
            if text[self.start..]
                .trim_start_matches([' ', '\t'])
                .starts_with('}')
            {
                format!("\n{outer}")
            } else {
                String::new()
            }
        } else {
            ",".to_owned()
        };
        let (before, after) = text.split_at(self.start);
        format!("{before}\n{indent}{}: {written}{end}{after}", json!(key))
    }

    /// How far members are indented: as the first one, or two more than the
    /// line of the object.
    fn indent(&self, text: &str) -> String {
        let blanks =
            |line: &str| -> String { line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect() };
        let line_of = |at: usize| &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..];
        let opening = blanks(line_of(self.start));
        let next = text[self.start..].trim_start_matches([' ', '\t', '\r']);
        match next.strip_prefix('\n') {
            Some(next) if !self.members.is_empty() && !blanks(next).is_empty() => blanks(next),
            _ => format!("{opening}  "),
        }
    }
}

/// The first place that is neither blank nor in a comment.
fn skip(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b' ' | b'\t' | b'\r' | b'\n'), _) => at += 1,
            (Some(0xef), Some(0xbb)) if at == 0 => at += 3,
            (Some(b'/'), Some(b'/')) => {
                let end = bytes[at..].iter().position(|byte| *byte == b'\n');
                at = end.map_or(bytes.len(), |end| at + end);
            }
            (Some(b'/'), Some(b'*')) => {
                let end = bytes[at + 2..].windows(2).position(|two| two == b"*/");
                at += end? + 4;
            }
            _ => return Some(at),
        }
    }
}

/// Behind the string that begins there.
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// Behind the value that begins there.
fn value_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    loop {
        match bytes.get(at)? {
            b'"' => at = string_end(bytes, at)?,
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' | b',' if depth == 0 => return Some(at),
            b'}' | b']' => {
                depth -= 1;
                at += 1;
            }
            b'/' => at = skip(bytes, at).filter(|next| *next > at)?,
            _ => at += 1,
        }
        if depth == 0 && matches!(bytes.get(at.wrapping_sub(1)), Some(b'"' | b'}' | b']')) {
            return Some(at);
        }
    }
}

fn add_toml(text: &str, servers: &str, launch: &Launch) -> Result<String, NotAdded> {
    // JSON's strings and lists are TOML's, too.
    let (program, arguments) = (json!(launch.program), json!(launch.arguments));
    let head = format!("[{servers}.{NAME}]");
    let table = format!("{head}\ncommand = {program}\nargs = {arguments}\n");
    if text.contains(&table) {
        return Err(NotAdded::Same);
    }
    let name = |line: &str| {
        line.chars()
            .filter(|c| !matches!(c, ' ' | '\t' | '"' | '\''))
            .collect::<String>()
    };
    if text.lines().any(|line| name(line).starts_with(&head)) {
        return Err(NotAdded::Other);
    }
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    Ok(format!("{text}{gap}{table}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch() -> Launch {
        Launch {
            program: "/bin/clawperator".to_owned(),
            arguments: vec!["mcp".to_owned()],
        }
    }

    const JSON: Format = Format::Json {
        servers: "mcpServers",
        typed: Typed::Untyped,
    };

    #[test]
    fn an_entry_is_added_and_all_else_stays() {
        let ours = |indent: &str| {
            let line = |text: &str| format!("\n{indent}{text}");
            let entry = [
                "\"clawperator\": {",
                "  \"command\": \"/bin/clawperator\",",
                "  \"args\": [",
                "    \"mcp\"",
                "  ]",
                "}",
            ];
            entry.map(line).concat()
        };
        for (before, after) in [
            (
                "{}",
                format!("{{\n  \"mcpServers\": {{{}\n  }}\n}}", ours("    ")),
            ),
            (
                "{\n  \"mcpServers\": {}\n}\n",
                format!("{{\n  \"mcpServers\": {{{}\n  }}\n}}\n", ours("    ")),
            ),
            (
                "{\n\t\"a\": [1, \"}\"], // {\n\t\"mcpServers\": {\n\t\t\"b\": {\"c\": 1},\n\t},\n}",
                format!(
                    "{{\n\t\"a\": [1, \"}}\"], // {{\n\t\"mcpServers\": {{{},\n\t\t\"b\": {{\"c\": 1}},\n\t}},\n}}",
                    ours("\t\t")
                ),
            ),
            (
                "{\"mcpServers\":{\"b\":{}},\"z\":1e5}",
                format!("{{\"mcpServers\":{{{},\"b\":{{}}}},\"z\":1e5}}", ours("  ")),
            ),
        ] {
            let added = add(before, JSON, &launch()).unwrap();
            assert_eq!(added, after, "{before}");
            assert_eq!(add(&added, JSON, &launch()), Err(NotAdded::Same));
            let other = Launch {
                program: "x".to_owned(),
                ..launch()
            };
            assert_eq!(add(&added, JSON, &other), Err(NotAdded::Other));
        }
        assert!(
            add(" \n", JSON, &launch())
                .unwrap()
                .starts_with("{\n  \"mcpServers\"")
        );
    }

    #[test]
    fn what_is_no_settings_file_is_left_alone() {
        for text in [
            "[]",
            "{\"mcpServers\": []}",
            "{\"a\": 1",
            "{\"a\" 1}",
            "null",
            "{'a': 1}",
            "{\"a\": \"",
            "/*",
            "{\"mcpServers\": {\"b\": }",
        ] {
            let added = add(text, JSON, &launch());
            assert!(matches!(added, Err(NotAdded::Unreadable(_))), "{text} {added:?}");
        }
    }

    #[test]
    fn a_table_is_added_at_the_end() {
        let format = Format::Toml {
            servers: "mcp_servers",
        };
        let table = "[mcp_servers.clawperator]\ncommand = \"/bin/clawperator\"\nargs = [\"mcp\"]\n";
        for (before, gap) in [("", ""), ("a = 1\n", "\n"), ("# x", "\n\n")] {
            let added = add(before, format, &launch()).unwrap();
            assert_eq!(added, format!("{before}{gap}{table}"));
            assert_eq!(add(&added, format, &launch()), Err(NotAdded::Same));
        }
        let other = "[ mcp_servers . \"clawperator\" ]\ncommand = \"x\"\n";
        assert_eq!(add(other, format, &launch()), Err(NotAdded::Other));
    }
}
