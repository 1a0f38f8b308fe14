//! One element of a view, and its line of text.

use crate::limits::MAX_VIEW_LABEL;
use crate::point::Point;
use crate::role::Role;
use crate::tree::NodeId;

/// One element of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewLine {
    pub id: NodeId,
    pub role: Role,
    /// Its label, as the user sees it; empty if it has none.
    pub label: String,
    /// Its id, where the label does not distinguish it: it has none, or the
    /// label is that of an element beside it.
    pub known_by: Option<String>,
    pub more: Vec<String>,
    /// What was entered into it. A password is never shown.
    pub value: Option<FieldValue>,
    pub state: Vec<&'static str>,
    /// What is beyond the edge of what scrolls.
    pub hint: Option<String>,
    /// Its middle, where nothing else says which element it is.
    pub place: Option<Point>,
    /// The number of the line around it.
    pub around: Option<usize>,
    /// Whether it takes a touch or text.
    pub purpose: LinePurpose,
}

/// What was entered into a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    Text(String),
    /// This text, or it is the hint of an empty field: a dump often does not say which.
    Unsure(String),
    /// A password, which is never shown.
    Hidden,
}

/// What an element is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinePurpose {
    /// It takes a touch, a key or text, or scrolls.
    Act,
    /// It says which page this is.
    Title,
    /// It only has a label.
    Read,
}

impl ViewLine {
    /// The line without its ref, its indent and its place, which is no part of
    /// what it says: it changes when the screen is scrolled.
    pub fn text(&self) -> String {
        let mut line = match self.role {
            // What has no role and is here takes a touch or has a label.
            Role::Unknown if self.purpose == LinePurpose::Act => String::new(),
            Role::Unknown => Role::Text.word().to_owned(),
            role => role.word().to_owned(),
        };
        let mut add = |text: &str| {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(text);
        };
        if line_needs_word(self) {
            add("element");
        }
        if !self.label.is_empty() {
            add(&quoted(&self.label));
        }
        if let Some(id) = &self.known_by {
            add(&format!("{ID_MARK}{id}"));
        }
        for text in &self.more {
            add(&quoted(text));
        }
        match &self.value {
            Some(FieldValue::Text(text)) => add(&format!("= {}", quoted(text))),
            Some(FieldValue::Unsure(text)) => add(&format!("= {} (or hint)", quoted(text))),
            Some(FieldValue::Hidden) => add("= (hidden)"),
            None => {}
        }
        for word in &self.state {
            add(word);
        }
        if let Some(hint) = &self.hint {
            add(&format!("({hint})"));
        }
        line
    }
}

/// Whether nothing else names the kind of the element.
fn line_needs_word(line: &ViewLine) -> bool {
    line.role == Role::Unknown && line.purpose == LinePurpose::Act && line.state.is_empty()
}

/// The mark before an id that replaces a label.
const ID_MARK: char = '#';

/// A text on one line, without needless space.
pub(super) fn tidy(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// An id as a view says it: a word of its own that cannot be taken for
/// anything else. `None` if it is no such word.
pub(super) fn id_word(id: &str) -> Option<&str> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    let short = id.chars().nth(MAX_VIEW_LABEL).is_none();
    (!id.is_empty() && short && id.chars().all(plain)).then_some(id)
}

/// A text in quotes, and not too long.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(MAX_VIEW_LABEL) {
        None => escaped(text),
        Some((end, _)) => {
            let rest = text[end..].chars().count();
            format!("{}(+{rest})", escaped(&text[..end]))
        }
    }
}

/// What stands for characters that are not to be seen. A backslash of a text
/// is written twice, so no text has it.
const UNSEEN: &str = "\\?";

/// A text in quotes that reads as it looks: what is not to be seen, or changes
/// the direction of the text around it, is only said to be there.
fn escaped(text: &str) -> String {
    let mut quoted_text = String::with_capacity(text.len() + 2);
    quoted_text.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted_text.extend(['\\', c]),
            c if c.is_control() => quoted_text.extend(c.escape_unicode()),
            c if !is_unseen(c) => quoted_text.push(c),
            _ if quoted_text.ends_with(UNSEEN) => {}
            _ => quoted_text.push_str(UNSEEN),
        }
    }
    quoted_text.push('"');
    quoted_text
}

fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}
