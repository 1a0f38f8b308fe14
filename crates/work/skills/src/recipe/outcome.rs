//! What came of a recipe: its status, its outputs and its steps, from the
//! envelope of its execution.

use super::compile::{CompiledAction, CompiledRecipe, Role};
use super::output::{OutputValue, RecipeOutput};
use super::redacted::{HiddenOutputs, redacted};
use clawperator_contract::{DataKey, Envelope, ErrorCode, StepResult};
use clawperator_redact::{HashKey, Redaction};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What came of a recipe. Its texts are redacted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecipeResult {
    pub recipe_id: String,
    pub recipe_version: String,
    pub status: RecipeStatus,
    /// The declared outputs that have a value, by name.
    pub outputs: BTreeMap<String, OutputResult>,
    pub steps: Vec<StepReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<RecipeError>,
    /// What was there instead of the element that was meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<FoundElements>,
}

/// The outcome of a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecipeStatus {
    /// Every step was done, every confirmation seen, every fed output read.
    Success,
    /// An element was not there or not the only one, or a text was no value, so
    /// the rest was left out. Nothing else was touched instead.
    Partial,
    Failed,
}

/// A value of an output as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutputResult {
    /// The value; not there if it is dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<OutputValue>,
    pub redaction: Redaction,
}

/// What came of one step of a recipe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepReport {
    pub id: String,
    pub status: StepStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What came of one step of a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepStatus {
    /// It was done, and confirmed if it has to be.
    Ok,
    /// In a rehearsal, its element was found; it was not done.
    Seen,
    /// It failed, or what verifies it did.
    Failed,
    /// It was done, and the run ended before it was verified.
    Unverified,
    Skipped,
}

/// Why a recipe is no success.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecipeError {
    pub code: String,
    /// The code of the action that failed, if it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Whether the phone acted: `no`, `unknown` or `yes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dispatched: Option<String>,
}

/// What was there instead of the element that was meant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundElements {
    pub count: usize,
    /// Those that fit, or those that nearly do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elements: Option<String>,
}

/// The codes of a target that is not there, or not the only one.
pub(super) const DRIFT: [ErrorCode; 4] = [
    ErrorCode::NodeNotFound,
    ErrorCode::NodeAmbiguous,
    ErrorCode::TargetNotFound,
    ErrorCode::ContainerNotFound,
];

/// Tells what came of a compiled recipe. `envelope` is as the execution left
/// it, before redaction; the key is for hashes of outputs.
pub fn outcome(compiled: &CompiledRecipe, envelope: &Envelope, key: &HashKey) -> RecipeResult {
    let hidden = HiddenOutputs::of(compiled, envelope, key);
    let mut result = RecipeResult {
        recipe_id: compiled.recipe_id.clone(),
        recipe_version: compiled.recipe_version.clone(),
        status: RecipeStatus::Success,
        outputs: BTreeMap::new(),
        steps: steps(compiled, envelope),
        error: None,
        found: None,
    };
    for step in &compiled.steps {
        let ran = result_of(envelope, step).filter(|ran| ran.success);
        if let (Some(ran), Some((output, used))) = (ran, compiled.output_of(step)) {
            let text = ran.get(DataKey::Text).unwrap_or_default();
            match output.read(text, used.pattern.as_ref()) {
                Some(value) => {
                    result.outputs.insert(output.name.clone(), output_result(output, value, key));
                }
                None => {
                    result.status = RecipeStatus::Partial;
                    result.error.get_or_insert_with(|| not_a_value(compiled, step, output));
                }
            }
        }
    }
    let failed = envelope.step_results.iter().find(|ran| !ran.success);
    if let Some(ran) = failed {
        fail(&mut result, compiled, ran, &hidden);
    } else if compiled.steps.iter().any(|step| result_of(envelope, step).is_none()) {
        result.status = RecipeStatus::Failed;
        result.error = Some(unfinished(envelope));
    }
    result
}

fn result_of<'e>(envelope: &'e Envelope, step: &CompiledAction) -> Option<&'e StepResult> {
    envelope.step_results.iter().find(|ran| ran.id == step.action_id)
}

/// A recipe's step is as good as all of its actions; an action that verifies a
/// step belongs to that step, too.
fn steps(compiled: &CompiledRecipe, envelope: &Envelope) -> Vec<StepReport> {
    let report = |(index, id): (usize, &String)| {
        let own = |step: &&CompiledAction| step.step == Some(index) || step.verifies == Some(index);
        let mut report = StepReport { id: id.clone(), status: StepStatus::Ok, error: None };
        for step in compiled.steps.iter().filter(own) {
            match result_of(envelope, step) {
                Some(ran) if ran.success => {}
                Some(ran) if report.error.is_none() => {
                    report.status = StepStatus::Failed;
                    report.error = Some(code_of(step, ran).to_owned());
                }
                // What belongs to another step says nothing of this one.
                None if step.step == Some(index) && step.role == Role::Step => {
                    report.status = StepStatus::Skipped;
                }
                None if report.status == StepStatus::Ok && step.role != Role::Wait => {
                    report.status = StepStatus::Unverified;
                }
                Some(_) | None => {}
            }
        }
        report
    };
    compiled.recipe_steps.iter().enumerate().map(report).collect()
}

/// The code of a failed action: what verifies fails as verification.
fn code_of<'r>(step: &CompiledAction, ran: &'r StepResult) -> &'r str {
    match step.verifies {
        Some(_) => ErrorCode::VerifyFailed.name(),
        None => ran.get(DataKey::Error).unwrap_or_default(),
    }
}

fn output_result(output: &RecipeOutput, value: OutputValue, key: &HashKey) -> OutputResult {
    let redaction = output.effective_redaction();
    let value = match redaction {
        Redaction::None => Some(value),
        Redaction::Hash | Redaction::Mask | Redaction::Drop => {
            redaction.apply(&value.text(), key).map(OutputValue::Text)
        }
    };
    OutputResult { value, redaction }
}

fn not_a_value(compiled: &CompiledRecipe, step: &CompiledAction, output: &RecipeOutput) -> RecipeError {
    let code = ErrorCode::RecipeOutputInvalid;
    let message =
        format!("the text that was read for \"{}\" is not a {}", output.name, output.value_type.word());
    RecipeError {
        code: code.name().to_owned(),
        message,
        hint: Some(code.row().hint.to_owned()),
        step: step_id(compiled, step),
        ..RecipeError::default()
    }
}

fn step_id(compiled: &CompiledRecipe, step: &CompiledAction) -> Option<String> {
    compiled.recipe_steps.get(step.verifies.or(step.step)?).cloned()
}

/// An execution that ended without a step to blame.
fn unfinished(envelope: &Envelope) -> RecipeError {
    let code = envelope.error_code.clone();
    RecipeError {
        code: code.unwrap_or_else(|| ErrorCode::ActionFailed.name().to_owned()),
        message: envelope.error.clone().unwrap_or_else(|| "not all actions were done".to_owned()),
        hint: envelope.hint.clone(),
        ..RecipeError::default()
    }
}

fn fail(result: &mut RecipeResult, compiled: &CompiledRecipe, ran: &StepResult, hidden: &HiddenOutputs) {
    let step = compiled.step(&ran.id);
    let cause = ran.get(DataKey::Error).unwrap_or_default();
    let code = step.map_or(cause, |step| code_of(step, ran));
    let known = ErrorCode::from_name(cause);
    let verifies = step.is_some_and(|step| step.verifies.is_some());
    let drifted = known.is_some_and(|code| DRIFT.contains(&code));
    result.status = match (verifies, drifted) {
        (false, true) => RecipeStatus::Partial,
        (true, _) | (false, false) => RecipeStatus::Failed,
    };
    let ran = redacted(compiled, ran, hidden);
    let said = ran.get(DataKey::Message).unwrap_or_default();
    let message = match (verifies, step.and_then(|step| step_id(compiled, step))) {
        (true, Some(step)) => {
            format!("step \"{step}\" could not be verified: \"{}\" failed: {said} ({cause})", ran.id)
        }
        _ => said.to_owned(),
    };
    let row = ErrorCode::from_name(code).map(ErrorCode::row);
    result.error = Some(RecipeError {
        code: code.to_owned(),
        cause: (code != cause).then(|| cause.to_owned()),
        message,
        hint: row.map(|row| row.hint.to_owned()),
        step: step.and_then(|step| step_id(compiled, step)),
        dispatched: if verifies {
            // What is verified was done; what looked for it did nothing.
            Some("yes".to_owned())
        } else {
            ran.get(DataKey::Dispatched).map(str::to_owned)
        },
    });
    let elements = ran.get(DataKey::Candidates).or(ran.get(DataKey::Nearest));
    let count = ran.get(DataKey::Count).and_then(|count| count.parse().ok());
    result.found = (drifted || elements.is_some())
        .then(|| FoundElements { count: count.unwrap_or(0), elements: elements.map(str::to_owned) });
}
