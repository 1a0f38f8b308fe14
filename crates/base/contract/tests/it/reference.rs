//! The reference pages, written from the tables.

use crate::golden;
use clawperator_contract::schema::SCHEMAS;
use clawperator_contract::{
    ACTION_FIELDS, ActionSpec, CATALOGUE, COMMON_FAILURE_KEYS, COMMON_KEYS, CONFIRM_TIMEOUT,
    CONFIRM_TIMEOUT_RANGE, Clamp, CodeScope, Comparison, ConditionKind, DEFAULT_CONFIRM_TIMEOUT_MS, DataKey,
    EFFECT_FIELDS, ERROR_CODES, EXECUTION_FIELDS, FAILED_KEYS, Fallback, MATCHER_FIELDS, Need, PARAMS,
    ParamRule, ParamUse, RETRY_FIELDS, Relation, Retry, RetryPreset, SELECTOR_KEYS, Shape, Unit,
    WARNING_CODES, WHERE, WHERE_DOC, WireShape,
};
use serde_json::json;
use std::fmt::Write;

const NOTE: &str =
    "<!-- Written from the tables by `UPDATE_EXPECT=1 cargo test -p clawperator-contract`. -->\n";

fn list(words: &[&str]) -> String {
    match words {
        [] => "–".to_owned(),
        words => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
    }
}

#[test]
fn the_page_of_error_codes_is_up_to_date() {
    let mut page = format!("# Error codes\n\n{NOTE}\n");
    page.push_str(
        "Branch on the code, never on the message. A *host* code is the `code` of a top-level error object \
         (there is no envelope); a *step* code is a failed step's `data.error` and the envelope's `errorCode`; an \
         *envelope* code is an `errorCode` with no step to blame; a *problem* code appears inside \
         `details.problems`; a *check* code is the `code` of a check of `doctor`, where host codes appear, too. The HTTP status belongs to the first kind listed under *where*. Every failure exits with 1. *Again?* says whether sending the same thing again can \
         help.\n\n| code | where | HTTP | again? | meaning | what to do |\n|---|---|---|---|---|---|\n",
    );
    for row in ERROR_CODES {
        let scopes = row.scopes().map(|scope| match scope {
            CodeScope::Host => "host",
            CodeScope::Step => "step",
            CodeScope::Envelope => "envelope",
            CodeScope::Problem => "problem",
            CodeScope::Check => "check",
        });
        let scope = scopes.collect::<Vec<_>>().join(", ");
        let again = match row.retry {
            Retry::Never => "no",
            Retry::Later => "yes",
        };
        writeln!(
            page,
            "| `{}` | {scope} | {} | {again} | {} | {} |",
            row.name, row.http_status, row.meaning, row.hint
        )
        .unwrap();
    }
    page.push_str(
        "\n## Warnings\n\nProblems that do not stop a payload are listed in `warnings`, each with a \
         `code`, a `path` and a `message`.\n\n| code | meaning |\n|---|---|\n",
    );
    for (code, meaning) in WARNING_CODES {
        writeln!(page, "| `{}` | {meaning} |", json!(code).as_str().unwrap()).unwrap();
    }
    golden::check("docs/errors.md", &page);
}

/// One test for the whole page, because each part is written into it.
#[test]
fn the_page_of_the_contract_is_up_to_date() {
    check_fields();
    check_schemas();
}

#[test]
fn the_page_of_selectors_is_up_to_date() {
    let mut table = "| key | value | meaning |\n|---|---|---|\n".to_owned();
    for row in SELECTOR_KEYS {
        let value = match row.kind {
            ConditionKind::Text(_, Comparison::Matches) => "a pattern",
            ConditionKind::Text(..) => "a text",
            ConditionKind::Flag(_) => "true or false",
            ConditionKind::IndexInParent => "a whole number",
            ConditionKind::Related(_) | ConditionKind::Not => "a selector",
            ConditionKind::AllOf | ConditionKind::AnyOf => "a list of selectors",
        };
        writeln!(table, "| `{}` | {value} | {} |", row.name, row.doc()).unwrap();
    }
    golden::check_part("docs/selectors.md", "selector keys", &table);
}

fn check_fields() {
    for (name, fields) in [("execution fields", &EXECUTION_FIELDS[..]), ("action fields", &ACTION_FIELDS[..])]
    {
        let mut table =
            "| field | aliases on input | | value | meaning |\n|---|---|---|---|---|\n".to_owned();
        for field in fields {
            let (aliases, need, value) = (list(field.aliases), need(field.need), wire_shape(field.shape));
            writeln!(table, "| `{}` | {aliases} | {need} | {value} | {} |", field.name, field.doc).unwrap();
        }
        golden::check_part("docs/contract.md", name, &table);
    }
}

/// Every schema that is committed is on the page, those of other crates too.
fn check_schemas() {
    let mut names: Vec<String> = std::fs::read_dir(golden::place("schemas"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    assert!(SCHEMAS.iter().all(|schema| names.iter().any(|name| name == schema.name)));
    let mut table = "| schema | describes |\n|---|---|\n".to_owned();
    for name in names {
        let known = SCHEMAS.iter().find(|schema| schema.name == name);
        let doc = known.map_or_else(|| described(&name), |schema| schema.doc.to_owned());
        writeln!(table, "| [`{name}`](../schemas/{name}.json) | {doc} |").unwrap();
    }
    golden::check_part("docs/contract.md", "schemas", &table);
}

/// What a schema's file says of itself.
fn described(name: &str) -> String {
    let text = std::fs::read_to_string(golden::place(&format!("schemas/{name}.json"))).unwrap();
    let schema: serde_json::Value = serde_json::from_str(&text).unwrap();
    schema["description"].as_str().unwrap().replace('\n', " ")
}

fn need(need: Need) -> &'static str {
    match need {
        Need::Required => "required",
        Need::Optional => "optional",
    }
}

fn wire_shape(shape: WireShape) -> String {
    match shape {
        WireShape::Id(max) => format!("1 to {max} characters"),
        WireShape::Constant(word) => format!("`{word}`"),
        WireShape::Number { min, max } => format!("a number from {min} to {max}"),
        WireShape::Word(words) => list(words),
        WireShape::Flag => "true or false".to_owned(),
        WireShape::Actions(max) => format!("1 to {max} actions"),
        WireShape::ActionType(max) => {
            format!("an [action](actions.md) or an alias of one, at most {max} characters as sent")
        }
        WireShape::Params => "an object of what the [action](actions.md) takes".to_owned(),
    }
}

#[test]
fn the_page_of_actions_is_up_to_date() {
    let mut page = format!("# Actions\n\n{NOTE}\n");
    page.push_str(
        "An execution is a list of actions: `{\"id\", \"type\", \"params\"?}`. Types are trimmed and may be in any \
         case. A parameter that an action does not use is accepted, kept and named in `warnings`. See \
         [the contract](contract.md) for what surrounds the actions.\n",
    );
    page.push_str(&data_keys());
    for spec in &CATALOGUE {
        action(spec, &mut page);
    }
    page.push_str("\n## Parameters and their aliases\n\n| key | aliases on input | value | meaning |\n|---|---|---|---|\n");
    for spec in &PARAMS {
        writeln!(page, "| `{}` | {} | {} | {} |", spec.name, list(spec.aliases), shape(spec.shape), spec.doc)
            .unwrap();
    }
    page.push_str("\n## Matcher fields and their aliases\n\nAn element fits when it fits every field given. A matcher has at least one field, none of them blank, each at most 512 UTF-16 units.\n\n| key | aliases on input | meaning |\n|---|---|---|\n");
    for field in MATCHER_FIELDS {
        writeln!(page, "| `{}` | {} | {} |", field.name, list(field.aliases), field.doc).unwrap();
    }
    writeln!(page, "| `{WHERE}` | – | {WHERE_DOC} See [selectors](selectors.md). |").unwrap();
    page.push_str("\n## Retry objects\n\nValues outside their range are clamped, with a warning.\n\n| key | range | default | meaning |\n|---|---|---|---|\n");
    for field in RETRY_FIELDS {
        writeln!(
            page,
            "| `{}` | {} to {} | {} | {} |",
            field.name, field.range.min, field.range.max, field.default, field.doc
        )
        .unwrap();
    }
    page.push_str("\nWhere no object is given, a preset holds:\n\n| preset | attempts | waits in between, ms |\n|---|---|---|\n");
    for preset in [
        RetryPreset::None,
        RetryPreset::UiReadiness,
        RetryPreset::UiScroll,
        RetryPreset::AppLaunch,
        RetryPreset::AppClose,
    ] {
        let policy = preset.policy();
        let waits: Vec<_> = (1..)
            .map_while(|attempt| policy.delay_after(attempt))
            .map(|wait| wait.as_millis().to_string())
            .collect();
        let waits = if waits.is_empty() { "–".to_owned() } else { waits.join(", ") };
        writeln!(page, "| {} | {} | {waits} |", preset.word(), policy.max_attempts).unwrap();
    }
    page.push_str(&confirm_objects());
    golden::check("docs/actions.md", &page);
}

fn confirm_objects() -> String {
    let mut text = "\n## Confirm objects\n\nAn object has one of the effects. What success means with it and without it \
        is in [running](running.md#what-success-means).\n\n| key | value | meaning |\n|---|---|---|\n"
        .to_owned();
    for field in EFFECT_FIELDS.iter().chain([&CONFIRM_TIMEOUT]) {
        let value = match field.shape {
            Shape::Number => format!(
                "a number, clamped to {}..{}; {DEFAULT_CONFIRM_TIMEOUT_MS} without it",
                CONFIRM_TIMEOUT_RANGE.min, CONFIRM_TIMEOUT_RANGE.max
            ),
            Shape::Flag => "true".to_owned(),
            other => shape(other),
        };
        writeln!(text, "| `{}` | {value} | {} |", field.name, field.doc).unwrap();
    }
    text
}

/// What `data` has: a table of every key, and which of them no action has of its own.
fn data_keys() -> String {
    let mut text = format!(
        "\n## A step's data\n\nThe `data` of a step's result maps keys to strings. Few keys are promised whatever runs \
         the step; the others are what this runtime says where it runs the step itself. Through the \
         [Operator app](operator.md) only the promised ones are certain: what else there is, is the app's. A test \
         holds every golden case to these lists.\n\n\
         - Any step that succeeds may also have {}.\n\
         - A step that fails always has {}, and may have {}, and what it would have said on success as far as it \
         got.\n\n| key | meaning |\n|---|---|\n",
        named(COMMON_KEYS),
        named(FAILED_KEYS),
        named(COMMON_FAILURE_KEYS)
    );
    for key in DataKey::ALL {
        writeln!(text, "| `{key}` | {} |", key.doc()).unwrap();
    }
    text
}

fn named(keys: &[DataKey]) -> String {
    list(&keys.iter().map(|key| key.name()).collect::<Vec<_>>())
}

fn action(spec: &ActionSpec, page: &mut String) {
    let commands: Vec<_> = spec.commands.iter().map(|name| format!("clawperator {name}")).collect();
    let commands: Vec<_> = commands.iter().map(String::as_str).collect();
    writeln!(page, "\n## {}\n\n{}\n", spec.name, spec.doc).unwrap();
    writeln!(page, "- aliases on input: {}", list(spec.aliases)).unwrap();
    writeln!(page, "- commands: {}", list(&commands)).unwrap();
    let promised = match spec.promised_keys {
        [] => "no key is promised".to_owned(),
        keys => format!("{} on any route", named(keys)),
    };
    let always = match spec.success_keys {
        [] => String::new(),
        keys => format!("always {}", named(keys)),
    };
    let sometimes = match spec.optional_keys {
        [] => String::new(),
        keys => format!("sometimes {}", named(keys)),
    };
    let here: Vec<_> = [always, sometimes].into_iter().filter(|keys| !keys.is_empty()).collect();
    writeln!(page, "- data on success: {promised}; here {}", here.join(", ")).unwrap();
    if !spec.failure_keys.is_empty() {
        writeln!(page, "- data on failure: sometimes {}", named(spec.failure_keys)).unwrap();
    }
    for relation in spec.relations {
        writeln!(page, "- rule: {}", relation_text(*relation)).unwrap();
    }
    if spec.params.is_empty() && spec.retries.is_empty() {
        return;
    }
    page.push_str("\n| parameter | | value | default |\n|---|---|---|---|\n");
    for used in spec.params {
        let need = need(used.need);
        writeln!(page, "| `{}` | {need} | {} | {} |", used.key.name(), value(used), default(used)).unwrap();
    }
    for (slot, preset) in spec.retries {
        writeln!(page, "| `{}` | optional | a retry object | {} |", slot.name(), preset.word()).unwrap();
    }
}

fn relation_text(relation: Relation) -> String {
    match relation {
        Relation::ExactlyOne(a, b) => format!("exactly one of `{}` and `{}`", a.name(), b.name()),
        Relation::AtLeastOne(a, b) => format!("at least one of `{}` and `{}`", a.name(), b.name()),
        Relation::WhenTrue(a, b) => format!("`{}` = true needs `{}`", a.name(), b.name()),
        Relation::NeedsTrue(a, b) => format!("`{}` needs `{}` = true", a.name(), b.name()),
        Relation::Excludes(a, word, b) => format!("no `{}` = `{word}` with `{}`", a.name(), b.name()),
    }
}

fn value(used: &ParamUse) -> String {
    match used.rule {
        ParamRule::Any => shape(used.key.spec().shape),
        ParamRule::NotBlank => format!("{}, not blank", shape(used.key.spec().shape)),
        ParamRule::OneOf(words) => format!("{}, in any case", list(words)),
        ParamRule::Known(words) | ParamRule::KnownAnyCase(words) => {
            format!("{}; another word fails when it runs", list(words))
        }
        ParamRule::Within(min, max) => format!("a number from {min} to {max}"),
        ParamRule::Above(min, max) => format!("a number above {min}, at most {max}"),
        ParamRule::Count(min, max) => format!("a whole number from {min} to {max}"),
        ParamRule::Clamped(Clamp { min, max, unit }) => match unit {
            Unit::Measure => format!("a number, clamped to {min}..{max}"),
            Unit::Count => format!("a whole number, clamped to {min}..{max}"),
        },
        ParamRule::Pattern => "an ECMAScript pattern without look-around and back-references; needed when `validator` is `regex`".to_owned(),
    }
}

fn default(used: &ParamUse) -> String {
    match used.default {
        Fallback::None => "–".to_owned(),
        Fallback::Number(value) => value.to_string(),
        Fallback::Word(word) => format!("`{word}`"),
        Fallback::Flag(flag) => flag.to_string(),
    }
}

fn shape(shape: Shape) -> String {
    match shape {
        Shape::Text => "a string".to_owned(),
        Shape::ShortText(max) => format!("a string of at most {max} UTF-16 units"),
        Shape::Number => "a number".to_owned(),
        Shape::Flag => "true or false".to_owned(),
        Shape::Matcher => "a matcher".to_owned(),
        Shape::Coordinate => "`{\"x\", \"y\"}`, whole numbers of at least 0".to_owned(),
        Shape::Retry => "a retry object".to_owned(),
        Shape::Confirm => "a confirm object".to_owned(),
    }
}
