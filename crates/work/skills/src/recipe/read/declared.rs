//! Reads the declared inputs and outputs of a recipe.

use super::values::{ObjectReader, keys, known_word, object, plain_text, refuse_placeholder};
use crate::recipe::input::{InputValue, RecipeInput};
use crate::recipe::input_text::is_name;
use crate::recipe::limits::MAX_RECIPE_ID;
use crate::recipe::output::RecipeOutput;
use crate::recipe::problem::{Judge, RecipePlace, RecipeReport};
use crate::recipe::rule::Rule;
use crate::recipe::word::ValueType;
use clawperator_document::{Kind, Path, Value, expect_flag, within_length, wrong_type};

keys!(InputKeys: "name" "type" "required" "default" "description");
keys!(OutputKeys: "name" "type" "redaction" "description");

/// The name and the type of an input or an output.
fn declared<const N: usize>(
    reader: &ObjectReader<'_, '_, N>,
    report: &mut RecipeReport,
) -> (Option<String>, Option<ValueType>) {
    let name = reader.required("name", report, |value, at, report| {
        let name = plain_text(value, at, report)?;
        if !is_name(&name) {
            let message = "name must be letters, digits, \"_\" and \"-\", and begin with a letter";
            report.problem(at, message.to_owned());
            return None;
        }
        Some(name)
    });
    let value_type = reader.required("type", report, |value, at, report| {
        report.under(Rule::Taxonomy, |report| known_word(value, at, report))
    });
    (name, value_type)
}

pub(super) fn input(
    value: Value<'_>,
    place: RecipePlace,
    at: &Path<'_>,
    report: &mut RecipeReport,
) -> Option<RecipeInput> {
    let reader: ObjectReader<'_, '_, { InputKeys::ALL.len() }> = object(value, InputKeys::slot, at, report)?;
    let (name, value_type) = declared(&reader, report);
    let required = reader.optional("required", report, expect_flag);
    let default =
        reader.optional("default", report, |value, at, report| default_value(value, value_type?, at, report));
    let description = reader.optional("description", report, plain_text);
    reader.fields.refuse_each_unknown(InputKeys::known, report);
    Some(RecipeInput {
        name: name?,
        value_type: value_type?,
        required: required.unwrap_or(true),
        default,
        description,
        at: place,
    })
}

/// A default; null and an empty text are none.
fn default_value(
    value: Value<'_>,
    value_type: ValueType,
    at: &Path<'_>,
    report: &mut RecipeReport,
) -> Option<InputValue> {
    let found = match value.kind() {
        Kind::Null | Kind::Text("") => return None,
        Kind::Text(text) => {
            refuse_placeholder(text, at, report);
            within_length(text, MAX_RECIPE_ID, at, report);
            InputValue::Text(text.to_owned())
        }
        Kind::Number(number) => InputValue::Number(number),
        Kind::Bool(flag) => InputValue::Flag(flag),
        Kind::Array | Kind::Object => {
            let _: Option<()> = wrong_type(value, "a plain value", at, report);
            return None;
        }
    };
    if !found.is_a(value_type) {
        let (wanted, given) = (value_type.word(), value.type_name());
        report.problem(at, format!("default must be a {wanted} like the input, not {given}"));
    }
    Some(found)
}

pub(super) fn output(
    value: Value<'_>,
    place: RecipePlace,
    at: &Path<'_>,
    report: &mut RecipeReport,
) -> Option<RecipeOutput> {
    let reader: ObjectReader<'_, '_, { OutputKeys::ALL.len() }> =
        object(value, OutputKeys::slot, at, report)?;
    let (name, value_type) = declared(&reader, report);
    let redaction = report.under(Rule::Taxonomy, |report| reader.optional("redaction", report, known_word));
    let description = reader.optional("description", report, plain_text);
    reader.fields.refuse_each_unknown(OutputKeys::known, report);
    Some(RecipeOutput { name: name?, value_type: value_type?, redaction, description, at: place })
}
