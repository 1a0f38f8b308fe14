//! JSON Schemas (draft 2020-12) of the contract, built from its tables and
//! types. They describe the canonical form; aliases are for input only.

mod derived;

use crate::action::{ActionSpec, CATALOGUE, Fallback, Need, ParamRule, ParamUse, Relation};
use crate::confirm::{CONFIRM_TIMEOUT, CONFIRM_TIMEOUT_RANGE, DEFAULT_CONFIRM_TIMEOUT_MS, EFFECT_FIELDS};
use crate::doctor_report::DoctorReport;
use crate::envelope::Envelope;
use crate::failure::Failure;
use crate::limits::MAX_MATCHER_VALUE_LENGTH;
use crate::matcher::{FieldForm, MATCHER_FIELDS, REF_PATTERN, WHERE, WHERE_DOC};
use crate::param::{PARAMS, ParamKey, ParamSpec, Shape};
use crate::retry::RETRY_FIELDS;
use crate::selector::{ConditionKind, SELECTOR_KEYS};
use crate::wire::{ACTION_FIELDS, EXECUTION_FIELDS, WireField, WireShape, required};
use crate::word::Validator;
use clawperator_document::Number;
use clawperator_document::text;
use derived::derived;
use serde_json::{Map, Value, json};

/// A schema and the name it is asked for by.
#[derive(Clone, Copy, Debug)]
pub struct NamedSchema {
    pub name: &'static str,
    pub doc: &'static str,
    pub build: fn() -> Value,
}

/// Every schema.
pub const SCHEMAS: [NamedSchema; 5] = [
    NamedSchema { name: "execution", doc: "An execution payload in canonical form.", build: execution },
    NamedSchema { name: "envelope", doc: "A result envelope.", build: || derived::<Envelope>("envelope") },
    NamedSchema { name: "matcher", doc: "A node matcher.", build: matcher },
    NamedSchema { name: "error", doc: "A host-side error object.", build: || derived::<Failure>("error") },
    NamedSchema { name: "doctor", doc: "A report of doctor.", build: || derived::<DoctorReport>("doctor") },
];

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

fn id(name: &str) -> String {
    format!("urn:clawperator:schema:{name}")
}

fn matcher() -> Value {
    let head = json!({ "$schema": DRAFT, "$id": id("matcher"), "title": "Matcher" });
    both(both(head, matcher_body()), json!({ "$defs": { WHERE: selector() } }))
}

fn matcher_body() -> Value {
    let fields = MATCHER_FIELDS.iter().map(|field| {
        let value = json!({
            "description": field.doc,
            "type": "string",
            "pattern": match field.form {
                FieldForm::Text => not_blank(),
                FieldForm::Ref => REF_PATTERN.to_owned(),
            },
            "maxLength": MAX_MATCHER_VALUE_LENGTH,
        });
        (field.name, value)
    });
    let more = json!({ "description": WHERE_DOC, "$ref": "#/$defs/where" });
    json!({
        "description": "Selects elements on a screen: an element fits if it fits every field.",
        "type": "object",
        "properties": object(fields.chain([(WHERE, more)])),
        "additionalProperties": false,
        "minProperties": 1,
    })
}

/// The selector in a `where`. How deep it may be nested and how many conditions
/// it may have, a schema cannot say.
fn selector() -> Value {
    let reference = json!({ "$ref": "#/$defs/where" });
    let keys = SELECTOR_KEYS.iter().map(|row| {
        let value = match row.kind {
            ConditionKind::Text(..) => json!({
                "type": "string", "pattern": not_blank(), "maxLength": MAX_MATCHER_VALUE_LENGTH,
            }),
            ConditionKind::Flag(_) => json!({ "type": "boolean" }),
            ConditionKind::IndexInParent => typed("integer", between(0.0, f64::from(i32::MAX))),
            ConditionKind::Related(_) | ConditionKind::Not => reference.clone(),
            ConditionKind::AllOf | ConditionKind::AnyOf => {
                json!({ "type": "array", "items": reference, "minItems": 1 })
            }
        };
        (row.name, both(value, json!({ "description": row.doc() })))
    });
    json!({
        "description": "Conditions on an element: it fits if every condition holds.",
        "type": "object",
        "properties": object(keys),
        "additionalProperties": false,
        "minProperties": 1,
    })
}

fn execution() -> Value {
    json!({
        "$schema": DRAFT,
        "$id": id("execution"),
        "title": "Execution",
        "description": "One execution in canonical form: an ordered list of actions for one phone.",
        "type": "object",
        "properties": object(EXECUTION_FIELDS.iter().map(wire_field)),
        "required": required(&EXECUTION_FIELDS),
        "additionalProperties": false,
        "$defs": {
            "action": action(),
            "params": params(),
            "matcher": matcher_body(),
            WHERE: selector(),
            "coordinate": coordinate(),
            "retry": retry(),
            "confirm": confirm(),
        },
    })
}

fn action() -> Value {
    json!({
        "type": "object",
        "properties": object(ACTION_FIELDS.iter().map(wire_field)),
        "required": required(&ACTION_FIELDS),
        "additionalProperties": false,
        "allOf": CATALOGUE.iter().map(action_rules).collect::<Vec<_>>(),
    })
}

fn wire_field(field: &WireField) -> (&'static str, Value) {
    let value = match field.shape {
        WireShape::Id(max) => json!({ "type": "string", "minLength": 1, "maxLength": max }),
        WireShape::Constant(word) => json!({ "const": word }),
        WireShape::Number { min, max } => typed("number", between(min, max)),
        WireShape::Word(words) => json!({ "enum": words }),
        WireShape::Flag => json!({ "type": "boolean" }),
        WireShape::Actions(max) => json!({
            "type": "array", "items": { "$ref": "#/$defs/action" }, "minItems": 1, "maxItems": max,
        }),
        WireShape::ActionType(_) => json!({ "enum": CATALOGUE.map(|spec| spec.name) }),
        WireShape::Params => json!({ "$ref": "#/$defs/params" }),
    };
    (field.name, both(value, json!({ "description": field.doc })))
}

/// What one type asks of its parameters, as an if-then.
fn action_rules(spec: &ActionSpec) -> Value {
    let mut asked = params_of(spec);
    // The keys themselves are judged once, in `params`.
    if let Value::Object(asked) = &mut asked {
        asked.remove("additionalProperties");
    }
    let needed = if needs_params(spec) { json!({ "required": ["params"] }) } else { json!({}) };
    let then = both(json!({ "description": spec.doc }), needed);
    json!({
        "if": { "properties": { "type": { "const": spec.name } }, "required": ["type"] },
        "then": both(then, json!({ "properties": { "params": asked } })),
    })
}

/// Whether an action cannot do without parameters.
fn needs_params(spec: &ActionSpec) -> bool {
    let has_needed = spec.params.iter().any(|used| used.need == Need::Required);
    let needs_one = |relation: &Relation| match relation {
        Relation::ExactlyOne(..) | Relation::AtLeastOne(..) => true,
        Relation::WhenTrue(..) | Relation::NeedsTrue(..) | Relation::Excludes(..) => false,
    };
    has_needed || spec.relations.iter().any(needs_one)
}

/// What one action asks of its parameters: a closed object of those it uses.
pub fn params_of(spec: &ActionSpec) -> Value {
    let retries = spec.retries.iter().map(|(slot, preset)| {
        let doc = format!("{} Without it: {}.", slot.spec().doc, preset.word());
        (slot.name(), json!({ "$ref": "#/$defs/retry", "description": doc }))
    });
    let used = spec.params.iter().map(|used| (used.key.name(), param_rule(used)));
    let mut schema = json!({ "type": "object", "properties": object(used.chain(retries)) });
    let required: Vec<_> =
        spec.params.iter().filter(|used| used.need == Need::Required).map(|used| used.key.name()).collect();
    if !required.is_empty() {
        schema = both(schema, json!({ "required": required }));
    }
    // One entry each: two of a kind would overwrite each other side by side.
    let mut rules: Vec<_> = spec.relations.iter().map(|relation| relation_rule(spec, *relation)).collect();
    if spec.param(ParamKey::ValidatorPattern).is_some() {
        rules.push(pattern_rule());
    }
    if !rules.is_empty() {
        schema = both(schema, json!({ "allOf": rules }));
    }
    both(schema, json!({ "additionalProperties": false }))
}

fn relation_rule(spec: &ActionSpec, relation: Relation) -> Value {
    let needs = |key: ParamKey| json!({ "required": [key.name()] });
    match relation {
        Relation::ExactlyOne(a, b) => json!({ "oneOf": [needs(a), needs(b)] }),
        Relation::AtLeastOne(a, b) => json!({ "anyOf": [needs(a), needs(b)] }),
        Relation::WhenTrue(flag, needed) => json!({
            "if": { "properties": { flag.name(): { "const": true } }, "required": [flag.name()] },
            "then": needs(needed),
        }),
        Relation::NeedsTrue(key, flag) => {
            let is_true = json!({ "properties": { flag.name(): { "const": true } } });
            let given = if spec.default_flag(flag) == Some(true) { json!({}) } else { needs(flag) };
            json!({ "if": needs(key), "then": both(is_true, given) })
        }
        Relation::Excludes(key, word, other) => {
            let says_it = if spec.folds_case(key) {
                json!({ "pattern": any_case(&[word]) })
            } else {
                json!({ "const": word })
            };
            json!({ "not": { "properties": { key.name(): says_it }, "required": [key.name(), other.name()] } })
        }
    }
}

/// The regex validator needs a pattern that says something.
fn pattern_rule() -> Value {
    let (validator, pattern) = (ParamKey::Validator.name(), ParamKey::ValidatorPattern.name());
    json!({
        "if": {
            "properties": { validator: { "const": Validator::Regex.word() } },
            "required": [validator],
        },
        "then": { "properties": { pattern: { "pattern": not_blank() } }, "required": [pattern] },
    })
}

fn param_rule(used: &ParamUse) -> Value {
    let spec = used.key.spec();
    let shape = match used.rule {
        ParamRule::Count(..) => json!({ "type": "integer" }),
        _ => shape(spec.shape),
    };
    let rule = match used.rule {
        ParamRule::NotBlank => json!({ "pattern": solid() }),
        ParamRule::OneOf(words) => json!({ "pattern": any_case(words), "examples": words }),
        ParamRule::Within(min, max) | ParamRule::Count(min, max) => between(min, max),
        ParamRule::Above(min, max) => json!({ "exclusiveMinimum": number(min), "maximum": number(max) }),
        ParamRule::Known(words) | ParamRule::KnownAnyCase(words) => json!({ "examples": words }),
        ParamRule::Any | ParamRule::Clamped(_) | ParamRule::Pattern => json!({}),
    };
    let default = match used.default {
        Fallback::None => json!({}),
        Fallback::Number(value) => json!({ "default": number(value) }),
        Fallback::Word(word) => json!({ "default": word }),
        Fallback::Flag(flag) => json!({ "default": flag }),
    };
    both(both(json!({ "description": spec.doc }), shape), both(rule, default))
}

/// Every parameter there is; an action may be sent any of them.
fn params() -> Value {
    let property =
        |spec: &ParamSpec| (spec.name, both(json!({ "description": spec.doc }), shape(spec.shape)));
    json!({
        "description": "Parameters that an action does not use are kept and reported as warnings.",
        "type": "object",
        "properties": object(PARAMS.iter().map(property)),
        "additionalProperties": false,
    })
}

fn shape(shape: Shape) -> Value {
    match shape {
        Shape::Text => json!({ "type": "string" }),
        Shape::ShortText(max) => json!({ "type": "string", "maxLength": max }),
        Shape::Number => json!({ "type": "number" }),
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::Matcher => json!({ "$ref": "#/$defs/matcher" }),
        Shape::Coordinate => json!({ "$ref": "#/$defs/coordinate" }),
        Shape::Retry => json!({ "$ref": "#/$defs/retry" }),
        Shape::Confirm => json!({ "$ref": "#/$defs/confirm" }),
    }
}

fn coordinate() -> Value {
    let axis = json!({ "type": "integer", "minimum": 0 });
    json!({
        "description": "A point on the screen, in pixels from the top left.",
        "type": "object",
        "properties": { "x": axis, "y": axis },
        "required": ["x", "y"],
        "additionalProperties": false,
    })
}

fn retry() -> Value {
    let fields = RETRY_FIELDS.iter().map(|field| {
        let doc = format!("{} Clamped to {}..{}.", field.doc, field.range.min, field.range.max);
        (field.name, json!({ "description": doc, "type": "number", "default": number(field.default) }))
    });
    json!({
        "description": "How to try again. Values outside their range are clamped.",
        "type": "object",
        "properties": object(fields),
        "additionalProperties": false,
    })
}

fn confirm() -> Value {
    let effects = EFFECT_FIELDS.iter().map(|field| {
        let value = match field.shape {
            Shape::Flag => json!({ "const": true }),
            other => shape(other),
        };
        (field.name, both(value, json!({ "description": field.doc })))
    });
    let timeout = json!({
        "description": format!(
            "{} Clamped to {}..{}.",
            CONFIRM_TIMEOUT.doc, CONFIRM_TIMEOUT_RANGE.min, CONFIRM_TIMEOUT_RANGE.max
        ),
        "type": "number",
        "default": DEFAULT_CONFIRM_TIMEOUT_MS,
    });
    json!({
        "description": "What must be seen after an act: one effect, and how long to wait for it.",
        "type": "object",
        "properties": object(effects.chain([(CONFIRM_TIMEOUT.name, timeout)])),
        "oneOf": EFFECT_FIELDS.map(|field| json!({ "required": [field.name] })),
        "additionalProperties": false,
    })
}

/// The contract's white space, as the inside of a character class.
fn blank_class() -> String {
    let code = |c: char| format!("\\u{:04x}", u32::from(c));
    let range = |(first, last): &(char, char)| {
        if first == last { code(*first) } else { format!("{}-{}", code(*first), code(*last)) }
    };
    text::BLANK.iter().map(range).collect()
}

/// A pattern that any text fits which is not blank.
fn not_blank() -> String {
    format!("[^{}]", blank_class())
}

fn solid() -> String {
    format!("^[^\\u0000]*[^\\u0000{}][^\\u0000]*$", blank_class())
}

/// A pattern that these words fit, padded and in any case.
fn any_case(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| word.chars().map(any_case_letter).collect()).collect();
    let blank = blank_class();
    format!("^[{blank}]*(?:{})[{blank}]*$", words.join("|"))
}

/// The characters that are `letter` once they are lowered, as a pattern.
fn any_case_letter(letter: char) -> String {
    match letter {
        // The sign of the unit Kelvin is another capital K.
        'k' => "[kK\\u212a]".to_owned(),
        _ if letter.is_ascii_alphabetic() => format!("[{letter}{}]", letter.to_ascii_uppercase()),
        _ => letter.to_string(),
    }
}

fn typed(name: &str, rule: Value) -> Value {
    both(json!({ "type": name }), rule)
}

fn between(min: f64, max: f64) -> Value {
    json!({ "minimum": number(min), "maximum": number(max) })
}

/// A number as the contract writes it: whole ones without a point.
fn number(value: f64) -> Value {
    json!(Number::new(value))
}

fn object<'n>(entries: impl IntoIterator<Item = (&'n str, Value)>) -> Value {
    let entries = entries.into_iter().map(|(name, value)| (name.to_owned(), value));
    Value::Object(entries.collect::<Map<_, _>>())
}

/// Two objects as one. No key is in both: whatever it said first would be lost, and the
/// schema would take what the check refuses.
fn both(mut one: Value, other: Value) -> Value {
    if let (Value::Object(into), Value::Object(from)) = (&mut one, other) {
        for (key, value) in from {
            let lost = into.insert(key, value);
            debug_assert!(lost.is_none(), "a schema says two things under one key");
        }
    }
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_folded_as_the_check_folds_them() {
        // Every character that becomes a plain letter, and every plain one.
        let lowered = |c: &char| c.is_ascii() || c.to_lowercase().all(|c| c.is_ascii_lowercase());
        let candidates: Vec<char> = ('\0'..=char::MAX).filter(lowered).collect();
        for letter in 'a'..='z' {
            let pattern = regex::Regex::new(&format!("^{}$", any_case_letter(letter))).unwrap();
            for c in &candidates {
                let folds = c.to_lowercase().eq([letter]);
                assert_eq!(pattern.is_match(&c.to_string()), folds, "{letter} {c:?}");
            }
        }
    }
}
