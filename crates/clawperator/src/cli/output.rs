//! Renders answers: compact JSON for programs, indented and coloured JSON for
//! people.

use anstyle::{AnsiColor, Style};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_journal::private::{self, Concurrency};
use serde::Serialize;
use serde_json::Value;
use std::ffi::OsString;
use std::io;
use std::path::Path;

/// What standard output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Terminal {
    /// None: a file, a pipe, another program.
    Absent,
    /// A terminal that can show nothing but text.
    Dumb,
    /// Any other terminal, and how many characters fit in a line as far as is known.
    Wide(u64),
}

/// Whether to colour text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    Always,
    Never,
}

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// One line of JSON.
    Compact,
    /// Indented JSON.
    Pretty,
}

impl Format {
    /// The words for them.
    pub(crate) const WORDS: &[&str] = &["json", "pretty"];

    /// The format of a word.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        match word {
            "json" => Some(Self::Compact),
            "pretty" => Some(Self::Pretty),
            _ => None,
        }
    }

    /// The format a command line seems to ask for that could not be parsed.
    pub(crate) fn guess(args: &[OsString]) -> Self {
        let before_dashes = args.iter().take_while(|token| *token != "--");
        let words: Vec<_> = before_dashes.filter_map(|token| token.to_str()).collect();
        let pretty = words
            .windows(2)
            .any(|pair| matches!(pair, ["--output" | "--format", "pretty"]))
            || words
                .iter()
                .any(|word| matches!(*word, "--output=pretty" | "--format=pretty"));
        if pretty && !words.contains(&"--json") {
            Self::Pretty
        } else {
            Self::Compact
        }
    }
}

/// Renders a value, with a line end.
pub(crate) fn render(value: &impl Serialize, format: Format, colour: Colour) -> String {
    // Not through a `Value`, except for colour: it spells large numbers in its
    // own way.
    let text = match (format, colour) {
        (Format::Compact, _) => serde_json::to_string(value),
        (Format::Pretty, Colour::Never) => serde_json::to_string_pretty(value),
        (Format::Pretty, Colour::Always) => serde_json::to_value(value).map(|value| {
            let mut text = String::new();
            paint(&value, 0, &mut text);
            text
        }),
    };
    // Our own types have string keys and finite numbers: they always serialise.
    // Should one ever not, the reader must not take silence for an answer.
    let mut text = text.unwrap_or_else(|error| {
        serde_json::json!(Failure::new(
            ErrorCode::InternalError,
            format!("cannot write the answer: {error}")
        ))
        .to_string()
    });
    text.push('\n');
    text
}

const KEY: Style = AnsiColor::Cyan.on_default();
const STRING: Style = AnsiColor::Green.on_default();
const OTHER: Style = AnsiColor::Yellow.on_default();

/// Writes a value as [`Format::Pretty`] does, in colour.
fn paint(value: &Value, depth: usize, out: &mut String) {
    let styled = |style: Style, text: &str| format!("{style}{text}{style:#}");
    let indent = |depth: usize| "  ".repeat(depth);
    match value {
        Value::Array(items) if !items.is_empty() => {
            out.push_str("[\n");
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ",\n" });
                out.push_str(&indent(depth + 1));
                paint(item, depth + 1, out);
            }
            out.push_str(&format!("\n{}]", indent(depth)));
        }
        Value::Object(entries) if !entries.is_empty() => {
            out.push_str("{\n");
            for (index, (key, item)) in entries.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ",\n" });
                let key = styled(KEY, &Value::from(key.as_str()).to_string());
                out.push_str(&format!("{}{key}: ", indent(depth + 1)));
                paint(item, depth + 1, out);
            }
            out.push_str(&format!("\n{}}}", indent(depth)));
        }
        Value::String(_) => out.push_str(&styled(STRING, &value.to_string())),
        other => out.push_str(&styled(OTHER, &other.to_string())),
    }
}

/// Writes a file, or leaves the old one untouched.
pub(super) fn write_file(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    replace(file, bytes).map_err(|error| {
        let message = if file.as_os_str().is_empty() {
            "cannot write a file without a name".to_owned()
        } else {
            format!("cannot write {}: {error}", file.display())
        };
        Failure::of(ErrorCode::FileWriteFailed, message)
    })
}

/// Writes a temporary file and renames it, so that a full disk does not destroy
/// the old file.
fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    // A link stays a link; a pipe or a terminal is written to directly.
    let file = match std::fs::canonicalize(file) {
        Ok(there) if there.is_file() => there,
        Ok(other) => return std::fs::write(other, bytes),
        Err(_) => file.to_owned(),
    };
    // It shows what was on a screen, so only its owner may read it.
    private::replace(&file, bytes, Concurrency::Processes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn colour_changes_nothing_but_colour() {
        let value = json!({"a": [1, "x\n", {}], "b": {"c": null, "d": []}});
        let painted = render(&value, Format::Pretty, Colour::Always);
        let mut bare = String::new();
        let mut rest = painted.as_str();
        while let Some((before, after)) = rest.split_once('\u{1b}') {
            bare.push_str(before);
            rest = after.split_once('m').unwrap().1;
        }
        bare.push_str(rest);
        assert_ne!(painted, bare);
        assert_eq!(bare, render(&value, Format::Pretty, Colour::Never));
    }
}
