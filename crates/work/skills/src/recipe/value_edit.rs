//! Changes one value in the text of a recipe and nothing else; and shows the
//! change as a unified diff.

use super::format::Format;
use super::read::read;
use clawperator_document::Position;
use std::fmt::Write as _;

/// The lines that a diff shows before and after the change.
const CONTEXT: usize = 3;
/// Words that YAML reads as something else than a text.
const YAML_WORDS: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValueEdit {
    pub(crate) at: Position,
    pub(crate) text: String,
}

/// A value to change: where it is, what it is, and what it becomes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValueChange<'c> {
    pub(crate) path: &'c str,
    pub(crate) from: &'c str,
    pub(crate) to: &'c str,
}

/// Changes a text value. Nothing if it is written in a way that cannot be
/// changed in place, such as over several lines.
pub(crate) fn change(text: &str, format: Format, change: ValueChange<'_>) -> Option<ValueEdit> {
    let (document, _) = read(text, format).ok()?;
    let at = document.locate(change.path)?.value;
    let start = offset(text, at)?;
    let rest = &text[start..];
    let (length, written) = match rest.chars().next()? {
        '"' => (double_quoted(rest)?, quoted(change.to)),
        '\'' if format != Format::Json => {
            let written = format!("'{}'", change.to.replace('\'', "''"));
            (single_quoted(rest)?, written)
        }
        _ if format != Format::Json && rest.starts_with(change.from) => {
            let written = if is_plain(change.to) { change.to.to_owned() } else { quoted(change.to) };
            (change.from.len(), written)
        }
        _ => return None,
    };
    if rest[..length].contains('\n') {
        return None;
    }
    let text = format!("{}{written}{}", &text[..start], &rest[length..]);
    Some(ValueEdit { at, text })
}

fn offset(text: &str, at: Position) -> Option<usize> {
    let line = usize::try_from(at.line).ok()?.checked_sub(1)?;
    let column = usize::try_from(at.column).ok()?.checked_sub(1)?;
    let mut lines = text.split_inclusive('\n');
    let before: usize = lines.by_ref().take(line).map(str::len).sum();
    let (inside, _) = lines.next()?.char_indices().nth(column)?;
    Some(before + inside)
}

/// The length of a text in double quotes.
fn double_quoted(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (place, letter) in text.char_indices().skip(1) {
        match letter {
            '"' if !is_escaped => return Some(place + 1),
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    None
}

/// The length of a text in single quotes; two of them stand for one.
fn single_quoted(text: &str) -> Option<usize> {
    let mut letters = text.char_indices().skip(1).peekable();
    while let Some((place, letter)) = letters.next() {
        if letter == '\'' && letters.next_if(|(_, next)| *next == '\'').is_none() {
            return Some(place + 1);
        }
    }
    None
}

/// A text in double quotes, as JSON and YAML have it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Whether YAML reads a text without quotes as that text, anywhere.
fn is_plain(text: &str) -> bool {
    let fits = |letter: char| letter.is_alphanumeric() || matches!(letter, ' ' | '.' | '_' | '-' | '/' | ':');
    let is_word = YAML_WORDS.iter().any(|word| word.eq_ignore_ascii_case(text));
    let is_key = text.ends_with(':') || text.contains(": ");
    text.starts_with(char::is_alphabetic)
        && !is_key
        && !text.ends_with(' ')
        && text.chars().all(fits)
        && !is_word
}

/// A unified diff of two texts that differ in one line. The name is one that
/// `git apply` and `patch -p1` understand.
pub(crate) fn unified_diff(name: &str, old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let changed = old.iter().zip(&new).position(|(old, new)| old != new);
    let (Some(changed), true) = (changed, old.len() == new.len()) else {
        return String::new();
    };
    let name = name.trim_start_matches('/');
    let first = changed.saturating_sub(CONTEXT);
    let end = old.len().min(changed + 1 + CONTEXT);
    let count = end - first;
    let mut diff =
        format!("--- a/{name}\n+++ b/{name}\n@@ -{},{count} +{},{count} @@\n", first + 1, first + 1);
    for index in first..end {
        if index == changed {
            push_line(&mut diff, '-', old[index]);
            push_line(&mut diff, '+', new[index]);
        } else {
            push_line(&mut diff, ' ', old[index]);
        }
    }
    diff
}

fn push_line(diff: &mut String, mark: char, line: &str) {
    let end = if line.ends_with('\n') { "" } else { "\n\\ No newline at end of file\n" };
    // Writing to a string does not fail.
    let _ = write!(diff, "{mark}{line}{end}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str, format: Format, to: &str) -> Option<String> {
        let wanted = ValueChange { path: "a.b", from: "Old", to };
        change(text, format, wanted).map(|edit| edit.text)
    }

    #[test]
    fn only_the_value_changes_and_it_is_quoted_as_it_has_to_be() {
        let (json, yaml) = (Format::Json, Format::Yaml);
        for (format, before, to, after) in [
            (json, r#"{"a": {"b":"Old" }}"#, "New", Some(r#"{"a": {"b":"New" }}"#)),
            (
                json,
                "{\"a\":\r\n {\"b\": \"\\u004fld\"}}\r\n",
                "a \"b\"\\",
                Some("{\"a\":\r\n {\"b\": \"a \\\"b\\\"\\\\\"}}\r\n"),
            ),
            (yaml, "a:\n  b: Old # why\n", "New one", Some("a:\n  b: New one # why\n")),
            (yaml, "a:\n  b: Old\n", "Yes", Some("a:\n  b: \"Yes\"\n")),
            (yaml, "a:\n  b: Old\n", "12", Some("a:\n  b: \"12\"\n")),
            (yaml, "a:\n  b: Old\n", "x: #y", Some("a:\n  b: \"x: #y\"\n")),
            (yaml, "ä: 1\na: {c: ü, b: Old}", "New, 2", Some("ä: 1\na: {c: ü, b: \"New, 2\"}")),
            (yaml, "a: {b: 'Old'}\n", "it's", Some("a: {b: 'it''s'}\n")),
            (yaml, "a: {b: 'O''ld', c: ''}\n", "New", Some("a: {b: 'New', c: ''}\n")),
            (yaml, "a: {b: \"Old\"}\n", "New", Some("a: {b: \"New\"}\n")),
            (yaml, "a:\n  b: >-\n    Old\n", "New", Some("a:\n  b: >-\n    New\n")),
            (yaml, "a:\n  b: >-\n    Ol\n    d\n", "New", None),
            (yaml, "a:\n  b: \"Old\n    er\"\n", "New", None),
            (
                Format::Markdown,
                "---\nx: 1\na: {b: Old}\n---\n# Old\n",
                "New",
                Some("---\nx: 1\na: {b: New}\n---\n# Old\n"),
            ),
        ] {
            assert_eq!(changed(before, format, to).as_deref(), after, "{before}");
        }
    }

    #[test]
    fn a_diff_shows_three_lines_around_the_change() {
        assert_eq!(
            unified_diff("/x/y", "1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\nfive\n6\n7\n8\n9"),
            "--- a/x/y\n+++ b/x/y\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        );
        assert_eq!(
            unified_diff("y", "1", "2"),
            "--- a/y\n+++ b/y\n@@ -1,1 +1,1 @@\n-1\n\\ No newline at end of file\n+2\n\\ No newline at end of file\n"
        );
        assert_eq!(unified_diff("y", "1", "1"), "");
    }
}
