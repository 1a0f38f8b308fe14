//! Adds an entry to a settings file: pure text in, text out. All else in the
//! file stays as it is, byte for byte, comments included.

use crate::mcp_client::{EntryFormat, EntryType};
use jsonc_parser::ast::{Object, Value as Ast};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value, json};

/// The name of our entry.
pub(super) const NAME: &str = "clawperator";

/// What starts the server.
#[derive(Clone, Debug)]
pub(super) struct ServerLaunch {
    pub(super) program: String,
    pub(super) arguments: Vec<String>,
}

/// Why an entry was not added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AddError {
    Same,
    /// There is another one of that name.
    Other,
    /// The file is not what it should be.
    Unreadable(&'static str),
}

/// The file with the entry.
pub(super) fn add(text: &str, format: EntryFormat, launch: &ServerLaunch) -> Result<String, AddError> {
    match format {
        EntryFormat::Json { servers, typed } => add_json(text, servers, &json_entry(launch, typed)),
        EntryFormat::Toml { servers } => add_toml(text, servers, launch),
    }
}

fn json_entry(launch: &ServerLaunch, typed: EntryType) -> Value {
    let mut entry = Map::new();
    if typed == EntryType::Stdio {
        entry.insert("type".to_owned(), json!("stdio"));
    }
    entry.insert("command".to_owned(), json!(launch.program));
    entry.insert("args".to_owned(), json!(launch.arguments));
    Value::Object(entry)
}

fn add_json(text: &str, servers: &str, entry: &Value) -> Result<String, AddError> {
    if text.trim().is_empty() {
        return Ok(format!("{:#}\n", json!({servers: {NAME: entry}})));
    }
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = &text[..text.len() - body.len()];
    let json = ParseOptions {
        allow_loose_object_property_names: false,
        allow_single_quoted_strings: false,
        ..ParseOptions::default()
    };
    let parsed = parse_to_ast(body, &CollectOptions::default(), &json);
    let outer = parsed.ok().and_then(|parsed| parsed.value);
    let Some(Ast::Object(outer)) = outer else {
        return Err(AddError::Unreadable("it is no JSON object"));
    };
    let added = match outer.get(servers).map(|property| &property.value) {
        None => inserted(body, &outer, &json!({servers: {NAME: entry}})),
        Some(Ast::Object(inner)) => match inner.get(NAME) {
            None => inserted(body, inner, &json!({NAME: entry})),
            Some(known) => {
                let known = serde_json::from_str::<Value>(known.value.text(body));
                let is_same = known.is_ok_and(|known| known == *entry);
                return Err(if is_same { AddError::Same } else { AddError::Other });
            }
        },
        Some(_) => return Err(AddError::Unreadable("the servers in it are no JSON object")),
    };
    Ok(format!("{mark}{added}"))
}

/// The text with a new first member in one of its objects: the only one of `member`.
fn inserted(text: &str, object: &Object<'_>, member: &Value) -> String {
    let start = object.range.start + 1;
    let inside = &text[start..object.range.end - 1];
    let blanks = |line: &str| -> String { line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect() };
    let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
    let opening = blanks(&text[line..]);
    // As the first member, or two more than the line of the object.
    let first = inside.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n');
    let indent = first.filter(|_| !object.properties.is_empty()).map(blanks);
    let indent = indent.filter(|indent| !indent.is_empty()).unwrap_or_else(|| format!("{opening}  "));
    let written = format!("{member:#}").replace("\n  ", &format!("\n{indent}"));
    let written = written.trim_start_matches('{').trim_end_matches("\n}");
    let end = if !object.properties.is_empty() {
        ",".to_owned()
    } else if first.is_none() {
        // An empty object may stand on one line.
        format!("\n{opening}")
    } else {
        String::new()
    };
    format!("{}{written}{end}{}", &text[..start], &text[start..])
}

fn add_toml(text: &str, servers: &str, launch: &ServerLaunch) -> Result<String, AddError> {
    // JSON's strings and lists are TOML's, too.
    let (program, arguments) = (json!(launch.program), json!(launch.arguments));
    let head = format!("[{servers}.{NAME}]");
    let table = format!("{head}\ncommand = {program}\nargs = {arguments}\n");
    if text.contains(&table) {
        return Err(AddError::Same);
    }
    let name =
        |line: &str| line.chars().filter(|c| !matches!(c, ' ' | '\t' | '"' | '\'')).collect::<String>();
    if text.lines().any(|line| name(line).starts_with(&head)) {
        return Err(AddError::Other);
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

    fn launch() -> ServerLaunch {
        ServerLaunch { program: "/bin/clawperator".to_owned(), arguments: vec!["mcp".to_owned()] }
    }

    const JSON: EntryFormat = EntryFormat::Json { servers: "mcpServers", typed: EntryType::Untyped };

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
            ("{}", format!("{{\n  \"mcpServers\": {{{}\n  }}\n}}", ours("    "))),
            ("\u{feff}{}", format!("\u{feff}{{\n  \"mcpServers\": {{{}\n  }}\n}}", ours("    "))),
            ("{\n  \"mcpServers\": {}\n}\n", format!("{{\n  \"mcpServers\": {{{}\n  }}\n}}\n", ours("    "))),
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
            assert_eq!(add(&added, JSON, &launch()), Err(AddError::Same));
            let other = ServerLaunch { program: "x".to_owned(), ..launch() };
            assert_eq!(add(&added, JSON, &other), Err(AddError::Other));
        }
        assert!(add(" \n", JSON, &launch()).unwrap().starts_with("{\n  \"mcpServers\""));
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
            assert!(matches!(added, Err(AddError::Unreadable(_))), "{text} {added:?}");
        }
    }

    #[test]
    fn a_table_is_added_at_the_end() {
        let format = EntryFormat::Toml { servers: "mcp_servers" };
        let table = "[mcp_servers.clawperator]\ncommand = \"/bin/clawperator\"\nargs = [\"mcp\"]\n";
        for (before, gap) in [("", ""), ("a = 1\n", "\n"), ("# x", "\n\n")] {
            let added = add(before, format, &launch()).unwrap();
            assert_eq!(added, format!("{before}{gap}{table}"));
            assert_eq!(add(&added, format, &launch()), Err(AddError::Same));
        }
        let other = "[ mcp_servers . \"clawperator\" ]\ncommand = \"x\"\n";
        assert_eq!(add(other, format, &launch()), Err(AddError::Other));
    }
}
