//! One element that matters, and how a line says it.

use crate::limits::MAX_VIEW_LABEL;
use crate::role::Role;
use crate::tree::NodeId;

/// One element of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The element.
    pub id: NodeId,
    /// Its role.
    pub role: Role,
    /// What it is called, as the user sees it; its id behind a `#` if it says
    /// nothing, and empty without one.
    pub label: String,
    /// What else it says.
    pub more: Vec<String>,
    /// What was entered into it. A password is never told.
    pub value: Option<Value>,
    /// The words for its state.
    pub state: Vec<&'static str>,
    /// What is beyond the edge of what scrolls.
    pub hint: Option<String>,
    /// The place of the line around it.
    pub around: Option<usize>,
    /// Whether it takes a touch or text.
    pub use_: Use,
}

/// What was entered into a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// This text.
    Text(String),
    /// A password, which is nobody's business.
    Hidden,
}

/// What an element is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It takes a touch or text, or scrolls.
    Act,
    /// It only says something.
    Read,
}

impl Line {
    /// The line without its ref and its place.
    #[must_use]
    pub fn say(&self) -> String {
        let mut line = match self.role {
            // What has no role and is here takes a touch or says something.
            Role::Unknown if self.use_ == Use::Act => String::new(),
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
        match self.label.strip_prefix(ID_MARK) {
            Some(_) => add(&self.label),
            None if self.label.is_empty() => {}
            None => add(&quoted(&self.label)),
        }
        for text in &self.more {
            add(&quoted(text));
        }
        match &self.value {
            Some(Value::Text(text)) => add(&format!("= {}", quoted(text))),
            Some(Value::Hidden) => add("= (hidden)"),
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

/// Whether nothing else says what kind of thing the line is about.
fn line_needs_word(line: &Line) -> bool {
    line.role == Role::Unknown && line.use_ == Use::Act && line.state.is_empty()
}

/// What stands before an id that stands for a label.
pub(super) const ID_MARK: char = '#';

/// A text on one line, without needless space.
pub(super) fn tidy(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// A text in quotes, and not too long.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(MAX_VIEW_LABEL) {
        None => format!("{text:?}"),
        Some((end, _)) => {
            let rest = text[end..].chars().count();
            format!("{:?}(+{rest})", &text[..end])
        }
    }
}
