//! The matcher: optional strings that together name an element.

use crate::selector::{Attribute, Condition, Selector, TextTest};
use serde::Serialize;
use std::fmt;

/// The key of a matcher that holds further conditions, as a selector.
pub const WHERE: &str = "where";
/// What it holds.
pub const WHERE_DOC: &str =
    "Further conditions as a selector: texts, flags, relations, and combinations of them.";

impl Matcher {
    /// The equivalent selector. The ref is left out: what it names depends on what was seen before.
    /// A matcher without any field names nothing.
    pub fn selector(&self) -> Selector {
        if *self == Self::default() {
            return Selector { conditions: vec![Condition::AnyOf(Vec::new())] };
        }
        let equals = TextTest::Equals as fn(String) -> TextTest;
        let rows = [
            (Attribute::ResourceId, equals, &self.resource_id),
            (Attribute::Role, equals, &self.role),
            (Attribute::Text, equals, &self.text_equals),
            (Attribute::Text, TextTest::Contains, &self.text_contains),
            (Attribute::ContentDesc, equals, &self.content_desc_equals),
            (Attribute::ContentDesc, TextTest::Contains, &self.content_desc_contains),
        ];
        let condition = |(attribute, test, wanted): (Attribute, fn(String) -> TextTest, &Option<String>)| {
            let wanted = wanted.clone()?;
            Some(Condition::Text(attribute, test(wanted)))
        };
        let more = self.conditions.iter().flat_map(|more| &more.conditions).cloned();
        Selector { conditions: rows.into_iter().filter_map(condition).chain(more).collect() }
    }
}

/// The matcher of what ends an act that is repeated: a ref, or else an element that
/// says this text. It says it if it is its text, or if it stands there as a word or a
/// number of its own: `23.5` is in `23.5°C`, and not in `123.5`; `5` is in `No.5`, and
/// not in `5 000`, `5:30`, `5-7`, `-5` or `- $5`; a unit may follow it, as in `5kg`.
pub fn until(word: &str) -> serde_json::Value {
    if FieldForm::Ref.fits(word) {
        return serde_json::json!({"ref": word});
    }
    let plain: String = word
        .chars()
        .map(|c| match c {
            ' ' => r"\s".to_owned(),
            '\'' => QUOTE.to_owned(),
            c if c.is_ascii_punctuation() => format!("\\{c}"),
            c => c.to_string(),
        })
        .collect();
    let (before, after) = (before(word), after(word));
    serde_json::json!({"textContains": word, WHERE: {"textMatches": format!("{before}{plain}{after}")}})
}

// Signs: of a number below zero, those that join numbers, and those inside words.
const DASH: &str = r"\p{Pd}−";
const JOIN: &str = r"[.,:/\p{Pd}−]";
const QUOTE: &str = "['’]";
/// Any other sign; beside a number also what is written without spaces.
const SIGN: &str = r"[^\p{L}\p{M}\p{N}.,:/\p{Pd}−'’\s\p{Sc}]";
const OTHER: &str = r"[^\p{Lu}\p{Ll}\p{M}\p{N}.,:/\p{Pd}−'’\s\p{Sc}]";
/// What a number may be followed by without a space.
const UNITS: &str = "[kmcµ]?[gmlL]|lbs?|oz|mi|ft|in|[hsx]|min|ms|[apAP][mM]|[CFKWV]|[kM]?Hz|[kMGT]B|[pd][xp]";

/// What may stand before a text, if it is words of its own.
fn before(word: &str) -> String {
    let quoted = format!(r"(?:[^]*[^\p{{L}}\p{{N}}])?{QUOTE}");
    let digits = word.chars().take_while(char::is_ascii_digit).count();
    if digits == 0 {
        return format!(r"(?:[^]*(?:{SIGN}|[\s\p{{Sc}}]|\p{{L}}:)|{quoted})?");
    }
    // Three digits after a space can be the end of a longer number.
    let number = if digits == 3 { "" } else { r"\p{N}" };
    let gap = r"[\s\p{Sc}]";
    format!(
        r"(?:(?:[^]*(?:{OTHER}|\p{{L}}{JOIN}|[\p{{L}}{number}.,:/'’]{gap}|\p{{L}}\s*[{DASH}]\s))?{gap}*|{quoted})"
    )
}

/// What may follow it.
fn after(word: &str) -> String {
    if !word.ends_with(|c: char| c.is_ascii_digit()) {
        let part = r"\p{L}\p{M}\p{N}";
        return format!(r"(?:(?:[^{part}'’/{DASH}]|['’/{DASH}][^{part}])[^]*|['’/{DASH}])?");
    }
    let spaced = r"\s(?:\p{N}{1,2}(?:\P{N}[^]*)?|\p{N}{4,}[^]*|\P{N}[^]*)?";
    let sign = format!(r"(?:{OTHER}|\p{{Sc}}|{JOIN}\p{{L}})[^]*");
    format!(r"(?:[.,:/{DASH}'’]*(?:{sign}|{spaced})?|(?:{UNITS})(?:[^\p{{L}}\p{{N}}][^]*)?)")
}

/// In words: `ref "@e7", role "button", not (checked true)`.
impl fmt::Display for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let conditions = self.selector();
        match &self.reference {
            None => write!(f, "{conditions}"),
            Some(reference) if conditions.conditions.is_empty() => write!(f, "ref {reference:?}"),
            Some(reference) => write!(f, "ref {reference:?}, {conditions}"),
        }
    }
}

/// One field of a matcher.
#[derive(Clone, Copy, Debug)]
pub struct MatcherField {
    pub name: &'static str,
    /// Keys that mean the same on input.
    pub aliases: &'static [&'static str],
    /// What the field is compared with.
    pub doc: &'static str,
    /// What its value looks like.
    pub form: FieldForm,
    /// The flag of the command line that sets it.
    pub flag: &'static str,
    /// The field in the type.
    pub slot: fn(&mut Matcher) -> &mut Option<String>,
}

/// What the value of a matcher's field looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldForm {
    /// Like anything but white space.
    Text,
    /// Like `@e7`.
    Ref,
}

/// What a ref looks like, as a pattern.
pub const REF_PATTERN: &str = "^@e[1-9][0-9]{0,8}$";

impl FieldForm {
    /// Tells whether a text has the form.
    pub fn fits(self, text: &str) -> bool {
        match self {
            Self::Text => !clawperator_document::text::is_blank(text),
            Self::Ref => text.strip_prefix("@e").is_some_and(|digits| {
                (1..=9).contains(&digits.len())
                    && !digits.starts_with('0')
                    && digits.bytes().all(|byte| byte.is_ascii_digit())
            }),
        }
    }
}

/// The field that a word alone stands for: a ref, or else an exact text.
pub fn field_of(word: &str) -> &'static str {
    if FieldForm::Ref.fits(word) { "ref" } else { "textEquals" }
}

/// Writes the type and the table of its fields from one list: the field and its name on
/// the wire, what else it is called there, its form, its flag.
macro_rules! matcher_fields {
    ($($field:ident $name:literal $(| $alias:literal)*, $form:ident, $flag:literal, $doc:literal;)*) => {
        /// Names elements on a screen; an element fits when it fits every field given.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
        pub struct Matcher {
            $(
                #[doc = $doc]
                #[serde(rename = $name, skip_serializing_if = "Option::is_none")]
                pub $field: Option<String>,
            )*
            #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
            pub conditions: Option<Selector>,
        }

        /// The fields, in the contract's order.
        pub const MATCHER_FIELDS: [MatcherField; 7] = [$(MatcherField {
            name: $name,
            aliases: &[$($alias),*],
            doc: $doc,
            form: FieldForm::$form,
            flag: $flag,
            slot: |matcher| &mut matcher.$field,
        },)*];
    };
}

matcher_fields! {
    resource_id "resourceId" | "id" | "resource_id", Text, "id",
        "The exact Android resource id.";
    role "role", Text, "role",
        "The accessibility role, in any case.";
    text_equals "textEquals" | "text", Text, "text",
        "The exact visible text, or the content description if there is no text.";
    text_contains "textContains" | "text_contains", Text, "text-contains",
        "A part of the visible text, in any case.";
    content_desc_equals "contentDescEquals" | "content_desc" | "content_desc_equals" | "description"
        | "accessibility_label", Text, "desc",
        "The exact content description.";
    content_desc_contains "contentDescContains" | "content_desc_contains" | "description_contains"
        | "accessibility_label_contains", Text, "desc-contains",
        "A part of the content description, in any case.";
    reference "ref", Ref, "ref",
        "The ref of an element, such as @e7, from a snapshot or a search.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_leads_to_the_field_of_its_name() {
        for field in MATCHER_FIELDS {
            let mut matcher = Matcher::default();
            *(field.slot)(&mut matcher) = Some("v".to_owned());
            let json = serde_json::to_value(&matcher).unwrap();
            assert_eq!(json, serde_json::json!({ field.name: "v" }));
        }
    }
}
