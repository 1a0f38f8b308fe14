//! Which texts belong to the user, and the inputs that they become.

use crate::recipe::{Denylist, Literal, LiteralKind, is_word, scan};
use serde::Serialize;

/// The shortest typed text that is looked for inside others.
const LEAST_TYPED: usize = 3;

/// An input, and the value that was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordedInput {
    pub name: String,
    pub value: String,
    /// What it is for; it does not tell the value.
    pub description: &'static str,
}

/// A text as it was recorded, and as the recipe says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftText {
    pub value: String,
    /// As the recipe says it, with inputs in the place of the user's texts.
    pub template: String,
}

#[derive(Debug)]
pub(super) struct PrivateTexts<'d> {
    denied: &'d Denylist,
    /// What was typed, and what to call it.
    typed: Vec<(String, String)>,
    inputs: Vec<RecordedInput>,
}

impl<'d> PrivateTexts<'d> {
    pub(super) fn new(denied: &'d Denylist) -> Self {
        Self { denied, typed: Vec::new(), inputs: Vec::new() }
    }

    pub(super) fn note_typed(&mut self, text: &str, field: Option<&str>) {
        let local = field.and_then(|id| id.rsplit('/').next());
        let name = local.map(slug).filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| "text".to_owned());
        self.typed.push((text.to_owned(), name));
    }

    pub(super) fn inputs(self) -> Vec<RecordedInput> {
        self.inputs
    }

    /// The text of an element of the app's own structure: only what is known to
    /// be the user's becomes an input.
    pub(super) fn say(&mut self, value: &str) -> DraftText {
        if value.contains("${") {
            return self.say_own(value, "text", "A text of the screen.");
        }
        let mut template = String::new();
        let mut rest = 0;
        for part in self.parts(value) {
            template.push_str(&value[rest..part.start]);
            let (name, description) = of_kind(part.kind);
            let own = self.say_own(&value[part.start..part.end], name, description);
            template.push_str(&own.template);
            rest = part.end;
        }
        template.push_str(&value[rest..]);
        DraftText { value: value.to_owned(), template }
    }

    /// A text that belongs to the user as a whole, such as a row's label.
    pub(super) fn say_own(&mut self, value: &str, name: &str, description: &'static str) -> DraftText {
        let input = self.inputs.iter().find(|input| input.value == value);
        let typed = self.typed.iter().find(|(text, _)| text == value);
        let name = match (input, typed) {
            (Some(input), _) => input.name.clone(),
            (None, Some((_, name))) => self.declare(value, &name.clone(), "A text that was typed."),
            (None, None) => self.declare(value, name, description),
        };
        DraftText { value: value.to_owned(), template: placeholder(&name) }
    }

    /// The parts of a text that are the user's, in its order; none overlaps another. What is known
    /// goes before what only looks like the user's, and the longest of it first.
    fn parts(&self, value: &str) -> Vec<Literal> {
        let mut known: Vec<&str> = self.known_texts().filter(|known| !known.is_empty()).collect();
        known.sort_by_key(|known| std::cmp::Reverse(known.len()));
        let known = known.into_iter().flat_map(|known| {
            let found = value.match_indices(known);
            let whole = found.filter(move |(start, _)| {
                known == value || is_long(known) && is_word(value, *start, start + known.len())
            });
            whole.map(|(start, part)| Literal { kind: LiteralKind::Denied, start, end: start + part.len() })
        });
        let mut parts: Vec<Literal> = Vec::new();
        for part in known.chain(scan(value, self.denied)) {
            let overlaps = |other: &Literal| part.start < other.end && other.start < part.end;
            if !parts.iter().any(overlaps) {
                parts.push(part);
            }
        }
        parts.sort_by_key(|part| part.start);
        parts
    }

    fn known_texts(&self) -> impl Iterator<Item = &str> {
        let inputs = self.inputs.iter().map(|input| input.value.as_str());
        inputs.chain(self.typed.iter().map(|(text, _)| text.as_str()))
    }

    /// Declares an input, and gives it a name that no other has.
    fn declare(&mut self, value: &str, name: &str, description: &'static str) -> String {
        let free = free_name(name, |name| self.inputs.iter().any(|input| input.name == name));
        self.inputs.push(RecordedInput { name: free.clone(), value: value.to_owned(), description });
        free
    }

    pub(super) fn is_plain(&self, value: &str) -> bool {
        scan(value, self.denied).is_empty()
            && !value.contains("${")
            && !self.known_texts().any(|known| is_part(known, value))
    }

    pub(super) fn is_input(&self, value: &str) -> bool {
        self.inputs.iter().any(|input| input.value == value)
    }
}

/// Whether a text of the user's is another text, or a part of it.
fn is_part(known: &str, text: &str) -> bool {
    known == text || is_long(known) && text.contains(known)
}

/// Whether a text is long enough to be looked for inside others.
fn is_long(known: &str) -> bool {
    known.chars().count() >= LEAST_TYPED
}

fn placeholder(name: &str) -> String {
    format!("${{inputs.{name}}}")
}

/// What an input is called whose value is a literal of a kind.
fn of_kind(kind: LiteralKind) -> (&'static str, &'static str) {
    match kind {
        LiteralKind::Email => ("email", "An email address."),
        LiteralKind::Phone => ("phone_number", "A phone number."),
        LiteralKind::IpAddress => ("ip_address", "An IP address."),
        LiteralKind::Street => ("address", "A street address."),
        LiteralKind::Serial => ("serial", "A serial number."),
        LiteralKind::Name => ("name", "A name."),
        LiteralKind::Denied => ("private_text", "A private text."),
    }
}

/// A name, with a number behind it if another has it.
pub(super) fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut free = name.to_owned();
    for number in 2.. {
        if !is_taken(&free) {
            break;
        }
        free = format!("{name}_{number}");
    }
    free
}

/// A text as a name: small letters, digits and `_`.
pub(super) fn slug(text: &str) -> String {
    const MOST: usize = 30;
    let mut name = String::new();
    for letter in text.chars().flat_map(char::to_lowercase) {
        match letter {
            'a'..='z' | '0'..='9' => name.push(letter),
            _ if name.is_empty() || name.ends_with('_') => {}
            _ => name.push('_'),
        }
        if name.len() >= MOST {
            break;
        }
    }
    let name = name.trim_matches('_');
    if name.starts_with(|letter: char| letter.is_ascii_digit()) {
        return String::new();
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_of_the_user_in_a_label_becomes_an_input() {
        for (label, wanted) in [
            ("Ann", "${inputs.name}"),
            ("Write to Ann", "Write to ${inputs.name}"),
            ("Anniversary", "Anniversary"),
            ("Ann Smith wrote to Ann", "${inputs.full} wrote to ${inputs.name}"),
            (
                "Ann, Bob Lee, +49 170 1234567",
                "${inputs.name}, ${inputs.private_text}, ${inputs.phone_number}",
            ),
            ("ok", "${inputs.answer}"),
            ("ok then", "ok then"),
            ("新山田太郎様", "新${inputs.kanji}様"),
            ("Ann ${x}", "${inputs.text}"),
        ] {
            let denied = Denylist::parse("bob\nbob lee").unwrap();
            let mut private = PrivateTexts::new(&denied);
            for (typed, field) in
                [("Ann", "name"), ("Ann Smith", "full"), ("ok", "answer"), ("山田太郎", "kanji")]
            {
                private.note_typed(typed, Some(field));
            }
            assert_eq!(private.say(label).template, wanted, "{label}");
        }
    }
}
