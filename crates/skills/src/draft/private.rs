//! Which texts belong to the user, and the inputs that they become.

use crate::recipe::{Denylist, LiteralKind, scan};
use serde::Serialize;

/// The shortest typed text that is looked for inside others.
const LEAST_TYPED: usize = 3;

/// An input, and the value that was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordedInput {
    /// Its name.
    pub name: String,
    /// What was recorded.
    pub value: String,
    /// What it is for; it does not tell the value.
    pub description: &'static str,
}

/// A text as it was recorded, and as the recipe says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// As it was recorded.
    pub value: String,
    /// As the recipe says it, with inputs in the place of the user's texts.
    pub template: String,
}

/// The texts that belong to the user.
#[derive(Debug)]
pub(super) struct Private<'d> {
    denied: &'d Denylist,
    /// What was typed, and what to call it.
    typed: Vec<(String, String)>,
    inputs: Vec<RecordedInput>,
}

impl<'d> Private<'d> {
    pub(super) fn new(denied: &'d Denylist) -> Self {
        Self {
            denied,
            typed: Vec::new(),
            inputs: Vec::new(),
        }
    }

    /// Notes a text that was typed into a field.
    pub(super) fn note_typed(&mut self, text: &str, field: Option<&str>) {
        let local = field.and_then(|id| id.rsplit('/').next());
        let name = local.map(slug).filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| "text".to_owned());
        self.typed.push((text.to_owned(), name));
    }

    /// The inputs that are used.
    pub(super) fn inputs(self) -> Vec<RecordedInput> {
        self.inputs
    }

    /// The text of an element of the app's own structure: only what is known to
    /// be the user's becomes an input.
    pub(super) fn say(&mut self, value: &str) -> Said {
        if let Some(said) = self.say_known(value) {
            return said;
        }
        if value.contains("${") {
            return self.say_own(value, "text", "A text of the screen.");
        }
        let mut template = String::new();
        let mut rest = 0;
        for literal in scan(value, self.denied) {
            template.push_str(&value[rest..literal.start]);
            let (name, description) = of_kind(literal.kind);
            let own = self.say_own(&value[literal.start..literal.end], name, description);
            template.push_str(&own.template);
            rest = literal.end;
        }
        template.push_str(&value[rest..]);
        Said {
            value: value.to_owned(),
            template,
        }
    }

    /// A text that belongs to the user as a whole, such as a row's label.
    pub(super) fn say_own(&mut self, value: &str, name: &str, description: &'static str) -> Said {
        if self.known().any(|known| known == value)
            && let Some(said) = self.say_known(value)
        {
            return said;
        }
        let name = self.declare(value, name, description);
        Said {
            value: value.to_owned(),
            template: placeholder(&name),
        }
    }

    /// A text that is, or contains, one that is known to be the user's.
    pub(super) fn say_known(&mut self, value: &str) -> Option<Said> {
        let found = self
            .known()
            .find(|known| is_part(known, value))
            .map(str::to_owned)?;
        let name = match self.inputs.iter().find(|input| input.value == found) {
            Some(input) => input.name.clone(),
            None => {
                let typed = self.typed.iter().find(|(text, _)| *text == found);
                let name = typed.map_or("text", |(_, name)| name).to_owned();
                self.declare(&found, &name, "A text that was typed.")
            }
        };
        Some(Said {
            value: value.to_owned(),
            template: value.replace(&found, &placeholder(&name)),
        })
    }

    /// Every text that is known to be the user's.
    fn known(&self) -> impl Iterator<Item = &str> {
        let inputs = self.inputs.iter().map(|input| input.value.as_str());
        inputs.chain(self.typed.iter().map(|(text, _)| text.as_str()))
    }

    /// Declares an input, and gives it a name that no other has.
    fn declare(&mut self, value: &str, name: &str, description: &'static str) -> String {
        let taken = |name: &str| self.inputs.iter().any(|input| input.name == name);
        let mut free = name.to_owned();
        let mut number = 2;
        while taken(&free) {
            free = format!("{name}_{number}");
            number += 1;
        }
        self.inputs.push(RecordedInput {
            name: free.clone(),
            value: value.to_owned(),
            description,
        });
        free
    }

    /// Whether a text can stand in a recipe as it is.
    pub(super) fn is_plain(&self, value: &str) -> bool {
        scan(value, self.denied).is_empty()
            && !value.contains("${")
            && !self.known().any(|known| is_part(known, value))
    }

    /// Whether a text is the value of an input.
    pub(super) fn is_input(&self, value: &str) -> bool {
        self.inputs.iter().any(|input| input.value == value)
    }
}

/// Whether a text of the user's is another text, or a part of it.
fn is_part(known: &str, text: &str) -> bool {
    known == text || known.chars().count() >= LEAST_TYPED && text.contains(known)
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
        LiteralKind::Denied => ("private_text", "A private text."),
    }
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
