//! Reads the parameters of steps, and patterns.

use super::steps::StepsContext;
use super::values::plain_text;
use crate::recipe::output::OutputUse;
use crate::recipe::problem::{RecipeReport, did_you_mean};
use crate::recipe::step::{OUTPUT, PATTERN};
use clawperator_contract::{
    ActionKind, ActionSpec, Need, ParamKey, ParamRule, ParamValue, Pattern, PatternBudget, Shape, Unit,
};
use clawperator_document::{Kind, Path, Value, expect_flag, expect_number, text, wrong_type};

pub(super) fn pattern(value: Value<'_>, at: &Path<'_>, context: &mut StepsContext<'_>) -> Option<Pattern> {
    let report = &mut *context.report;
    let source = plain_text(value, at, report)?;
    match context.patterns.compile(&source.into()) {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            let message = format!("{} is not a pattern: {error}", at.name());
            report.problem(at, message).hint = Some(error.hint.to_owned());
            None
        }
    }
}

/// The parameters of a step, in the contract's order, and the output it feeds.
pub(super) fn params(
    value: Value<'_>,
    row: &ActionSpec,
    at: &Path<'_>,
    context: &mut StepsContext<'_>,
) -> (Vec<(ParamKey, ParamValue)>, Option<OutputUse>) {
    let mut found = Vec::new();
    let report = &mut *context.report;
    if value.kind() != Kind::Object {
        let _: Option<()> = wrong_type(value, "an object", at, report);
        return (found, None);
    }
    for key in value.repeated_keys() {
        report.problem(&at.field(key), format!("\"{}\" is given more than once", text::excerpt(key)));
    }
    let feeds = row.kind == ActionKind::ReadText;
    let params_at = at;
    let keys = row.recipe.unwrap_or_default();
    let known: Vec<_> = keys.iter().map(|key| key.words('_')).collect();
    let extra: &[&'static str] = if feeds { &[OUTPUT, PATTERN] } else { &[] };
    for entry in value.children() {
        let (name, at) = (entry.key(), at.field(entry.key()));
        match known.iter().position(|known| known == name) {
            Some(number) => {
                let key = keys[number];
                let rule = row.param(key).map_or(ParamRule::Any, |used| used.rule);
                let Some(value) = param_value(entry, key, &at, context.report) else {
                    continue;
                };
                match refusal(&value, rule, &mut context.patterns) {
                    Some(refusal) => {
                        let message = format!("{} {refusal}", at.name());
                        context.report.problem(&at, message);
                    }
                    None => found.push((key, value)),
                }
            }
            None if extra.contains(&name) => {}
            None => {
                let message =
                    format!("a step of type {} has no parameter \"{}\"", row.name, text::excerpt(name));
                let all = known.iter().map(String::as_str).chain(extra.iter().copied());
                let problem = context.report.problem(params_at, message);
                problem.invalid_keys = vec![text::echo(name)];
                problem.hint = did_you_mean(name, all);
            }
        }
    }
    found.sort_by_key(|(key, _)| *key);
    let output = value.get(OUTPUT).filter(|_| feeds);
    let extract = value.get(PATTERN).filter(|_| feeds);
    let name = output.and_then(|value| plain_text(value, &at.field(OUTPUT), context.report));
    let extract = extract.and_then(|value| pattern(value, &at.field(PATTERN), context));
    if output.is_none() && extract.is_some() {
        context.report.problem(&at.field(PATTERN), "pattern needs output".to_owned());
    }
    let output = name.map(|name| OutputUse { name, pattern: extract });
    (found, output)
}

/// A parameter's value, if it has the right type.
fn param_value(
    value: Value<'_>,
    key: ParamKey,
    at: &Path<'_>,
    report: &mut RecipeReport,
) -> Option<ParamValue> {
    match key.spec().shape {
        Shape::Flag => expect_flag(value, at, report).map(ParamValue::Flag),
        Shape::Number => expect_number(value, at, report).map(ParamValue::Number),
        Shape::Text | Shape::ShortText(_) => {
            let text = plain_text(value, at, report)?;
            Some(ParamValue::Text(text.into()))
        }
        // No step has a parameter of these.
        Shape::Matcher | Shape::Coordinate | Shape::Retry | Shape::Confirm => None,
    }
}

/// Why the contract's row for a parameter does not allow a value.
fn refusal(value: &ParamValue, rule: ParamRule, patterns: &mut PatternBudget) -> Option<String> {
    match value {
        ParamValue::Number(number) => number_refusal(rule, number.get()),
        ParamValue::Text(text) => text_refusal(rule, text, patterns),
        ParamValue::Flag(_)
        | ParamValue::Matcher(_)
        | ParamValue::Coordinate(_)
        | ParamValue::Retry(_)
        | ParamValue::Confirm(_) => None,
    }
}

fn number_refusal(rule: ParamRule, number: f64) -> Option<String> {
    let (least, most, is_count) = match rule {
        ParamRule::Within(least, most) | ParamRule::Above(least, most) => (least, most, false),
        ParamRule::Count(least, most) => (least, most, true),
        ParamRule::Clamped(range) => (range.min, range.max, range.unit == Unit::Count),
        _ => return None,
    };
    let fits = (least..=most).contains(&number) && (!is_count || number.fract() == 0.0);
    let what = if is_count { "a whole number" } else { "a number" };
    (!fits).then(|| format!("must be {what} from {least} to {most}"))
}

fn text_refusal(rule: ParamRule, text: &str, patterns: &mut PatternBudget) -> Option<String> {
    match rule {
        ParamRule::OneOf(words) | ParamRule::Known(words) | ParamRule::KnownAnyCase(words) => {
            (!words.contains(&text)).then(|| format!("must be one of {}", words.join(", ")))
        }
        ParamRule::Pattern => {
            let refused = patterns.compile(&text.into()).err();
            refused.map(|error| format!("is not a pattern: {error}"))
        }
        _ => None,
    }
}

/// What a type needs of its parameters.
pub(super) fn require(
    row: &ActionSpec,
    params: &[(ParamKey, ParamValue)],
    at: &Path<'_>,
    report: &mut RecipeReport,
) {
    let has = |key: ParamKey| params.iter().any(|(given, _)| *given == key);
    let at = at.field("params");
    for key in row.recipe.unwrap_or_default() {
        let is_needed = row.param(*key).is_some_and(|used| used.need == Need::Required);
        // The app is that of the recipe.
        if is_needed && !has(*key) && *key != ParamKey::ApplicationId {
            let name = key.words('_');
            report.problem(&at.field(&name), format!("{name} is required"));
        }
    }
    let is_regex = params.iter().any(|(key, value)| {
        let regex = matches!(value, ParamValue::Text(word) if &**word == "regex");
        *key == ParamKey::Validator && regex
    });
    if is_regex != has(ParamKey::ValidatorPattern) {
        let message = "validator regex and validator_pattern belong together".to_owned();
        report.problem(&at.field("validator_pattern"), message);
    }
}
