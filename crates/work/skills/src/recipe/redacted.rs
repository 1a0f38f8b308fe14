//! The results of a recipe's actions as they may be shown: the texts of its
//! outputs redacted, wherever they are.

use super::compile::{CompiledAction, CompiledRecipe};
use super::output::OutputValue;
use clawperator_contract::{DataKey, Envelope, StepResult};
use clawperator_redact::{HashKey, Redaction, Secrets};

/// The keys of a step's data that hold texts of the screen.
const TEXTS: [DataKey; 4] = [DataKey::Text, DataKey::RawText, DataKey::Nearest, DataKey::Candidates];
const DROPPED: &str = "[dropped]";

/// The texts of outputs that must not be shown as they are.
#[derive(Debug, Default)]
pub(crate) struct HiddenOutputs {
    secrets: Secrets,
    key: HashKey,
}

impl HiddenOutputs {
    /// The texts that an execution read for outputs.
    pub(crate) fn of(compiled: &CompiledRecipe, envelope: &Envelope, key: &HashKey) -> Self {
        let mut secrets = Secrets::default();
        for ran in &envelope.step_results {
            for text in hidden_texts(compiled, ran) {
                secrets.add_read(&text);
            }
        }
        Self { secrets, key: key.clone() }
    }
}

/// The texts that an action read for an output and that must not be shown as they are: the text,
/// and the value in it. A run that keeps a journal hides them from the moment the action is done.
pub fn hidden_texts(compiled: &CompiledRecipe, ran: &StepResult) -> Vec<String> {
    let fed = compiled.step(&ran.id).and_then(|step| compiled.output_of(step));
    let Some((output, used)) = fed.filter(|(output, _)| output.effective_redaction() != Redaction::None)
    else {
        return Vec::new();
    };
    let read = [DataKey::Text, DataKey::RawText].into_iter().filter_map(|key| ran.get(key));
    let both = read.flat_map(|text| {
        let value = output.read(text, used.pattern.as_ref()).as_ref().map(OutputValue::text);
        [Some(text.to_owned()), value].into_iter().flatten()
    });
    both.collect()
}

/// How the texts of an action are shown, if it feeds an output.
fn redaction(compiled: &CompiledRecipe, step: &CompiledAction) -> Option<Redaction> {
    let (output, _) = compiled.output_of(step)?;
    Some(output.effective_redaction())
}

/// A step's result as it may be shown.
pub(crate) fn redacted(compiled: &CompiledRecipe, ran: &StepResult, hidden: &HiddenOutputs) -> StepResult {
    let mut shown = ran.clone();
    let step = compiled.step(&ran.id);
    let own = step.and_then(|step| redaction(compiled, step)).unwrap_or(Redaction::None);
    for (name, text) in &mut shown.data {
        let is_text = TEXTS.iter().any(|key| key.name() == name);
        *text = match own {
            Redaction::Hash | Redaction::Mask | Redaction::Drop if is_text => {
                own.apply(text, &hidden.key).unwrap_or_else(|| DROPPED.to_owned())
            }
            _ => hidden.secrets.hide(text),
        };
    }
    shown
}
