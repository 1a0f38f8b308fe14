//! Small questions about tokens and words.

use super::lexer::ShellToken;
use super::parser::ParseError;
use super::tree::{AssignedValue, Assignment, ShellWord, WordPart};

/// The text of a word that is nothing but plain text.
pub(super) fn plain(word: &ShellWord) -> Option<&str> {
    match word.as_slice() {
        [WordPart::Plain(text)] => Some(text),
        _ => None,
    }
}

/// A word's text with its quotes taken off and nothing expanded.
pub(super) fn spelled(word: &ShellWord) -> String {
    word.iter()
        .map(|part| match part {
            WordPart::Plain(text) | WordPart::Quoted(text) => text.clone(),
            WordPart::Double(inner) => spelled(inner),
            WordPart::Parameter(parameter) => format!("${}", parameter.name),
            WordPart::Command(_) | WordPart::Inside(..) | WordPart::Arithmetic(_) | WordPart::Later(_) => {
                String::new()
            }
        })
        .collect()
}

pub(super) fn is_name(text: &str) -> bool {
    !text.starts_with(|first: char| first.is_ascii_digit())
        && !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// `name=value` with the value as a word.
pub(super) fn assignment(word: &ShellWord) -> Option<Assignment> {
    let Some(WordPart::Plain(first)) = word.first() else {
        return None;
    };
    let length = first.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let (name, rest) = first.split_at(length);
    if !is_name(name) {
        return None;
    }
    let mut index = None;
    let mut value = with_first(rest, &word[1..]);
    if let Some(rest) = rest.strip_prefix('[') {
        let (inside, behind) = split_index(&with_first(rest, &word[1..]))?;
        (index, value) = (Some(inside), behind);
    }
    let Some(WordPart::Plain(first)) = value.first() else {
        return None;
    };
    let append = first.starts_with('+');
    let text = first[usize::from(append)..].strip_prefix('=')?;
    Some(Assignment {
        name: name.to_owned(),
        index,
        append,
        value: AssignedValue::Text(with_first(text, &value[1..])),
    })
}

/// A word of some plain text and more parts.
fn with_first(text: &str, more: &[WordPart]) -> ShellWord {
    let plain = Some(text).filter(|text| !text.is_empty());
    let plain = plain.map(|text| WordPart::Plain(text.to_owned()));
    plain.into_iter().chain(more.iter().cloned()).collect()
}

/// What stands before and behind the first bracket that closes.
fn split_index(word: &[WordPart]) -> Option<(ShellWord, ShellWord)> {
    let closes = |part: &WordPart| match part {
        WordPart::Plain(text) => text.find(']'),
        _ => None,
    };
    let (at, cut) = word.iter().enumerate().find_map(|(at, part)| Some((at, closes(part)?)))?;
    let WordPart::Plain(text) = &word[at] else {
        return None;
    };
    let mut inside = word[..at].to_vec();
    inside.extend(with_first(&text[..cut], &[]));
    Some((inside, with_first(&text[cut + 1..], &word[at + 1..])))
}

pub(super) fn unexpected(token: &ShellToken) -> ParseError {
    match token {
        ShellToken::Word(word) => ParseError::Unexpected(spelled(word)),
        ShellToken::Operator(operator) => ParseError::Unexpected((*operator).to_owned()),
        ShellToken::Number(number) => ParseError::Unexpected(number.to_string()),
        ShellToken::Newline => ParseError::Unexpected("newline".to_owned()),
        ShellToken::End => ParseError::Incomplete,
    }
}

/// Whether a command takes assignments as words, such as `export x=$y`.
pub(super) fn declares(words: &[ShellWord]) -> bool {
    let mut names = words.iter().map(spelled);
    let name = names.find(|name| !matches!(name.as_str(), "command" | "builtin" | "\\builtin"));
    matches!(name.as_deref(), Some("typeset" | "export" | "readonly"))
}
