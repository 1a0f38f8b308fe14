//! Text with expressions in it: `Level: {battery.level} %`.

use super::expression::{Expression, Names};
use super::value::Value;
use clawperator_document::Position;
use clawperator_document::yaml::{self, Spanned};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use std::borrow::Cow;
use std::fmt::Write as _;

/// The longest text an app makes.
const MAX_TEXT: usize = 100_000;

/// Text with expressions in braces; `{{` is a brace.
#[derive(Clone, Debug, Default)]
pub struct Template {
    parts: Vec<TemplatePart>,
    position: Option<Position>,
}

#[derive(Clone, Debug)]
enum TemplatePart {
    Text(String),
    Expression(Expression),
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(brace) = rest.find(['{', '}']) {
            plain.push_str(&rest[..brace]);
            let (sign, behind) = rest[brace..].split_at(1);
            if behind.starts_with(sign) {
                plain.push_str(sign);
                rest = &behind[1..];
                continue;
            }
            let end = behind.find('}').filter(|_| sign == "{");
            let end = end.ok_or_else(|| {
                format!("`{text}` has a single `{sign}`; write `{sign}{sign}` for a literal brace")
            })?;
            let expression = Expression::parse(&behind[..end]);
            let expression =
                expression.map_err(|error| format!("the expression `{}`: {error}", &behind[..end]))?;
            if !plain.is_empty() {
                parts.push(TemplatePart::Text(std::mem::take(&mut plain)));
            }
            parts.push(TemplatePart::Expression(expression));
            rest = &behind[end + 1..];
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(TemplatePart::Text(plain));
        }
        Ok(Self { parts, position: None })
    }

    /// The text, with what the expressions come to.
    pub fn text<'a>(&'a self, names: &'a dyn Names) -> Cow<'a, str> {
        match &self.parts[..] {
            [] => Cow::Borrowed(""),
            [TemplatePart::Text(text)] => Cow::Borrowed(text),
            parts => {
                let mut out = String::new();
                for part in parts {
                    match part {
                        TemplatePart::Text(text) => out.push_str(text),
                        TemplatePart::Expression(expression) => {
                            // Writing into a string cannot fail.
                            let _ = write!(out, "{}", expression.evaluate(names));
                        }
                    }
                    if out.len() > MAX_TEXT {
                        let end = out.floor_char_boundary(MAX_TEXT);
                        out.truncate(end);
                        break;
                    }
                }
                Cow::Owned(out)
            }
        }
    }

    /// As a value: one expression alone keeps its type.
    pub fn value(&self, names: &dyn Names) -> Value {
        match &self.parts[..] {
            [TemplatePart::Expression(expression)] => expression.evaluate(names).into_owned(),
            _ => Value::Text(self.text(names).into_owned()),
        }
    }

    /// Its position in its file.
    pub fn position(&self) -> Option<Position> {
        self.position
    }

    /// Every name in it.
    pub fn names(&self, found: &mut Vec<String>) {
        for part in &self.parts {
            if let TemplatePart::Expression(expression) = part {
                expression.names(found);
            }
        }
    }
}

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Spanned::<String>::deserialize(deserializer)?;
        let template = Self::parse(&text.value).map_err(de::Error::custom)?;
        Ok(Self { position: yaml::position_of(&text), ..template })
    }
}

impl JsonSchema for Template {
    fn schema_name() -> Cow<'static, str> {
        "Template".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Text; expressions in braces, such as `Level: {battery.level} %`, are filled in.",
            "type": "string",
        })
    }
}
