//! A text of a selector: letters, and placeholders such as `${inputs.name}`.

use super::input::Values;
use super::limits::MAX_NAME;

/// A text with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputText {
    pub parts: Vec<InputTextPart>,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputTextPart {
    Literal(String),
    Input(String),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no placeholder; the only form is ${{inputs.NAME}}")]
pub(crate) struct InputTextError(String);

const OPEN: &str = "${";
const INPUTS: &str = "inputs.";

impl InputText {
    pub(crate) fn parse(text: &str) -> Result<Self, InputTextError> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(OPEN) {
            let end = after.find('}');
            let inside = end.map_or(after, |end| &after[..end]);
            let name = inside.strip_prefix(INPUTS).filter(|name| is_name(name));
            let (Some(name), Some(end)) = (name, end) else {
                let shown: String = inside.chars().take(40).collect();
                return Err(InputTextError(format!("{OPEN}{shown}")));
            };
            if !before.is_empty() {
                parts.push(InputTextPart::Literal(before.to_owned()));
            }
            parts.push(InputTextPart::Input(name.to_owned()));
            rest = &after[end + 1..];
        }
        if !rest.is_empty() || parts.is_empty() {
            parts.push(InputTextPart::Literal(rest.to_owned()));
        }
        Ok(Self { parts })
    }

    /// The inputs that it names.
    pub fn inputs(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            InputTextPart::Input(name) => Some(name.as_str()),
            InputTextPart::Literal(_) => None,
        })
    }

    /// The text with the values of its inputs. An input without a value was reported before.
    pub(crate) fn fill(&self, values: &Values) -> String {
        let mut filled = String::new();
        for part in &self.parts {
            match part {
                InputTextPart::Literal(text) => filled.push_str(text),
                InputTextPart::Input(name) => filled.push_str(values.text(name).unwrap_or_default()),
            }
        }
        filled
    }
}

/// Whether a text has a placeholder, or something like one.
pub(crate) fn has_placeholder(text: &str) -> bool {
    text.contains(OPEN)
}

/// Whether a text can be the name of an input, an output or a step.
pub(crate) fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    let begins = letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    begins
        && text.len() <= MAX_NAME
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_inputs_are_placeholders() {
        for (text, parts) in [
            ("plain $5 {x}", Ok(1)),
            ("", Ok(1)),
            ("${inputs.a}", Ok(1)),
            ("to ${inputs.a} and ${inputs.b-2}!", Ok(5)),
            ("${inputs.}", Err(())),
            ("${inputs.a", Err(())),
            ("${env.HOME}", Err(())),
            ("${inputs.a b}", Err(())),
            ("${}", Err(())),
        ] {
            let read = InputText::parse(text);
            assert_eq!(read.map(|read| read.parts.len()).map_err(|_| ()), parts, "{text}");
        }
    }
}
