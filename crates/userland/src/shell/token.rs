//! Small questions about tokens and words.

use super::lexer::Token;
use super::parser::ParseError;
use super::tree::{Part, Word};

/// The text of a word that is nothing but plain text.
pub(super) fn plain(word: &Word) -> Option<&str> {
    match word.as_slice() {
        [Part::Plain(text)] => Some(text),
        _ => None,
    }
}

/// A word's text with its quotes taken off and nothing expanded.
pub(super) fn spelled(word: &Word) -> String {
    word.iter()
        .map(|part| match part {
            Part::Plain(text) | Part::Quoted(text) => text.clone(),
            Part::Double(inner) => spelled(inner),
            Part::Parameter { name, .. } => format!("${name}"),
            Part::Command(_) | Part::Arithmetic(_) | Part::Later(_) => String::new(),
        })
        .collect()
}

/// Whether this can name a variable.
pub(super) fn is_name(text: &str) -> bool {
    !text.starts_with(|first: char| first.is_ascii_digit())
        && !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// `name=value` with the value as a word.
pub(super) fn assignment(word: &Word) -> Option<(String, Word)> {
    let Some(Part::Plain(first)) = word.first() else {
        return None;
    };
    let (name, value) = first.split_once('=')?;
    if !is_name(name) {
        return None;
    }
    let mut rest = Word::new();
    if !value.is_empty() {
        rest.push(Part::Plain(value.to_owned()));
    }
    rest.extend(word[1..].iter().cloned());
    Some((name.to_owned(), rest))
}

pub(super) fn unexpected(token: &Token) -> ParseError {
    match token {
        Token::Word(word) => ParseError::Unexpected(spelled(word)),
        Token::Operator(operator) => ParseError::Unexpected((*operator).to_owned()),
        Token::Number(number) => ParseError::Unexpected(number.to_string()),
        Token::Newline => ParseError::Unexpected("newline".to_owned()),
        Token::End => ParseError::Incomplete,
    }
}
