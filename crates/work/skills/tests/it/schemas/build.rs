//! Builds the schemas from the tables of recipes and registries.

use clawperator_contract::limits::{MAX_MATCHER_VALUE_LENGTH, MAX_TIMEOUT_MS};
use clawperator_contract::schema::params_of;
use clawperator_contract::{ActionKind, ActionSpec, ConditionKind, Need, ParamKey};
use clawperator_redact::Redaction;
use clawperator_skills::recipe::{
    Annotation, Capability, Framework, MAX_ENTRIES, MAX_NAME, MAX_RECIPE_ID, MAX_RETRIES, MAX_STEPS,
    MAX_TEXT, MAX_VALUES, RecipeType, RiskLevel, SELECTOR_KEYS, SessionPolicy, ValueType, step_types,
};
use clawperator_skills::repo::limits::MAX_SKILLS;
use clawperator_skills::repo::{LISTS, TEXTS};
use clawperator_skills::schema::SCHEMAS;
use serde_json::{Map, Value, json};

const SOLID: &str = r"\S";
const PACKAGE: &str = r"^[A-Za-z]\w*(\.[A-Za-z]\w*)+$";
const SEMVER: &str = r"^(0|[1-9]\d{0,8})(\.(0|[1-9]\d{0,8})){2}(-[\dA-Za-z-]+(\.[\dA-Za-z-]+)*)?(\+[\dA-Za-z-]+(\.[\dA-Za-z-]+)*)?$";

fn named(name: &str, body: Value) -> Value {
    let doc = SCHEMAS.iter().find(|schema| schema.name == name);
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("urn:clawperator:schema:{name}"),
        "description": doc.map(|schema| schema.doc),
    });
    if let (Value::Object(schema), Value::Object(body)) = (&mut schema, body) {
        schema.extend(body);
    }
    schema
}

/// An object of these keys and no others; the first so many are needed.
fn closed<const N: usize>(needed: usize, fields: [(&str, Value); N]) -> Value {
    let names: Vec<&str> = fields.iter().take(needed).map(|(name, _)| *name).collect();
    let fields: Map<String, Value> =
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    json!({"type": "object", "properties": fields, "required": names, "additionalProperties": false})
}

fn text(pattern: &str, most: usize) -> Value {
    json!({"type": "string", "pattern": pattern, "maxLength": most})
}

fn word(words: &[&str]) -> Value {
    json!({"enum": words})
}

fn list(of: &Value, least: usize, most: usize) -> Value {
    json!({"type": "array", "items": of, "minItems": least, "maxItems": most})
}

fn whole(least: f64, most: Option<f64>) -> Value {
    let mut schema = json!({"type": "integer", "minimum": least});
    if let Some(most) = most {
        schema["maximum"] = most.into();
    }
    schema
}

pub(super) fn skill() -> Value {
    named("skill", entry())
}

fn entry() -> Value {
    let texts = TEXTS.iter().map(|key| (*key, json!({"type": "string", "pattern": SOLID})));
    let paths = json!({"type": "array", "items": {"type": "string"}});
    let lists = LISTS.iter().map(|key| (*key, paths.clone()));
    let fields: Map<String, Value> = texts.chain(lists).map(|(key, value)| (key.to_owned(), value)).collect();
    let needed: Vec<&String> = fields.keys().collect();
    json!({"type": "object", "properties": fields, "required": needed})
}

pub(super) fn registry() -> Value {
    let skills = json!({"type": "array", "items": entry(), "maxItems": MAX_SKILLS});
    named(
        "registry",
        json!({"type": "object", "properties": {"schemaVersion": {"type": "string"}, "skills": skills}, "required": ["skills"]}),
    )
}

pub(super) fn recipe() -> Value {
    let any = text(SOLID, MAX_TEXT);
    let texts = list(&any, 0, MAX_ENTRIES);
    let types: Vec<Value> = step_types().map(step).collect();
    let steps = list(&json!({"oneOf": types}), 1, MAX_STEPS);
    let fields = [
        ("recipe_id", text(r"^[A-Za-z0-9][A-Za-z0-9._-]*$", MAX_RECIPE_ID)),
        ("recipe_version", text(SEMVER, MAX_TEXT)),
        ("recipe_type", word(RecipeType::WORDS)),
        ("application_id", text(PACKAGE, MAX_RECIPE_ID)),
        ("summary", any.clone()),
        ("frameworks", list(&word(Framework::WORDS), 1, MAX_ENTRIES)),
        ("session_policy", word(SessionPolicy::WORDS)),
        ("app_build", closed(2, [("version_name", any.clone()), ("version_code", whole(0.0, None))])),
        (
            "tested_on",
            closed(
                1,
                [
                    ("android_api", whole(1.0, Some(10_000.0))),
                    ("device_model", any.clone()),
                    ("locale", any.clone()),
                    ("last_verified_at", text(r"^\d{4}-\d\d-\d\d", MAX_TEXT)),
                ],
            ),
        ),
        ("capabilities", list(&word(Capability::WORDS), 1, MAX_ENTRIES)),
        ("inputs", list(&input(), 0, MAX_VALUES)),
        ("outputs", list(&output(), 0, MAX_VALUES)),
        ("steps", steps),
        ("fresh_start_injected", json!({"type": "boolean"})),
        (
            "compatibility",
            closed(0, [("min_version_code", whole(0.0, None)), ("max_version_code", whole(0.0, None))]),
        ),
        ("known_quirks", texts.clone()),
        ("failure_modes", texts.clone()),
        ("maintainers", texts.clone()),
        ("tags", texts),
        ("risk_level", word(RiskLevel::WORDS)),
    ];
    let mut schema = named("recipe", closed(13, fields));
    schema["$defs"] = json!({"selector": selector()});
    schema
}

fn name() -> Value {
    text(r"^[A-Za-z][A-Za-z0-9_-]*$", MAX_NAME)
}

fn input() -> Value {
    closed(
        2,
        [
            ("name", name()),
            ("type", word(ValueType::WORDS)),
            ("required", json!({"type": "boolean"})),
            ("default", json!({"type": ["string", "number", "boolean", "null"]})),
            ("description", text(SOLID, MAX_TEXT)),
        ],
    )
}

fn output() -> Value {
    closed(
        2,
        [
            ("name", name()),
            ("type", word(ValueType::WORDS)),
            ("redaction", word(Redaction::WORDS)),
            ("description", text(SOLID, MAX_TEXT)),
        ],
    )
}

fn selector() -> Value {
    let nested = json!({"type": "array", "items": {"$ref": "#/$defs/selector"}, "minItems": 1, "maxItems": MAX_ENTRIES});
    let mut fields = Map::new();
    for key in &SELECTOR_KEYS {
        let mut value = match key.kind {
            ConditionKind::Text(..) => text(SOLID, MAX_MATCHER_VALUE_LENGTH),
            ConditionKind::IndexInParent => whole(0.0, None),
            ConditionKind::AnyOf | ConditionKind::AllOf => nested.clone(),
            _ => json!({"type": "boolean"}),
        };
        value["description"] = key.doc.into();
        fields.insert(key.name.to_owned(), value);
    }
    // At least one condition: `annotation` is none.
    let conditions: Vec<Value> = SELECTOR_KEYS.iter().map(|key| json!({"required": [key.name]})).collect();
    fields.insert("annotation".to_owned(), word(Annotation::WORDS));
    json!({"type": "object", "properties": fields, "anyOf": conditions, "additionalProperties": false})
}

/// A step of one type.
fn step(row: &ActionSpec) -> Value {
    let selector = json!({"$ref": "#/$defs/selector"});
    let time = || whole(0.0, Some(MAX_TIMEOUT_MS));
    let known = params_of(row);
    let own = row.recipe.unwrap_or_default().iter();
    let mut params: Map<String, Value> =
        own.map(|key| (key.words('_'), known["properties"][key.name()].clone())).collect();
    if row.kind == ActionKind::ReadText {
        params.extend(["output", "pattern"].map(|key| (key.to_owned(), text(SOLID, MAX_TEXT))));
    }
    let mut step = closed(
        2,
        [
            ("id", text(r"^[A-Za-z0-9_-]+$", MAX_NAME)),
            ("type", json!({"const": row.kind.name()})),
            ("wait", closed(1, [("after_ms", time())])),
            ("retries", closed(1, [("count", whole(0.0, Some(MAX_RETRIES)))])),
            (
                "confirm",
                closed(
                    1,
                    [
                        ("selector", selector.clone()),
                        ("type", word(&["wait_for_node", "read_text"])),
                        ("container", selector.clone()),
                        ("gone", json!({"type": "boolean"})),
                        ("matches", text(SOLID, MAX_TEXT)),
                        ("timeout_ms", time()),
                    ],
                ),
            ),
            ("params", json!({"type": "object", "properties": params, "additionalProperties": false})),
        ],
    );
    if row.uses(ParamKey::Matcher) {
        for key in ["selector", "matcher", "container"] {
            step["properties"][key] = selector.clone();
        }
        step["oneOf"] = json!([{"required": ["selector"]}, {"required": ["matcher"]}]);
    }
    let is_needed = |key: &&ParamKey| {
        let used = row.param(**key).is_some_and(|used| used.need == Need::Required);
        used && **key != ParamKey::ApplicationId
    };
    let needed = row.recipe.unwrap_or_default().iter().filter(is_needed);
    let needed: Vec<_> = needed.map(|key| key.words('_')).collect();
    if !needed.is_empty() {
        step["required"] = json!(["id", "type", "params"]);
        step["properties"]["params"]["required"] = json!(needed);
    }
    step
}
