//! What comes of a recipe: status, outputs, steps, and what may be shown.

use super::cases::{Case, check};
use super::compiling::inputs;
use super::{recipe, tile};
use clawperator_contract::{DataKey, Envelope, ErrorCode, Status, StepResult, reconcile};
use clawperator_redact::HashKey;
use clawperator_skills::recipe::{CompiledRecipe, compile, outcome};

/// The envelope of a run. `> ran ID KEY=VALUE|KEY=VALUE` is an action that was
/// done, `> failed ID CODE KEY=VALUE|…` one that was not.
fn envelope(case: &Case, compiled: &CompiledRecipe) -> Envelope {
    let mut step_results = Vec::new();
    for line in &case.given {
        let mut words = line.splitn(3, ' ');
        let (verb, id) = (words.next().unwrap(), words.next().unwrap_or_default());
        if !["ran", "failed"].contains(&verb) {
            continue;
        }
        let mut rest = words.next().unwrap_or_default();
        let known = compiled.step(id).unwrap_or_else(|| panic!("no action {id}"));
        let mut result = StepResult {
            id: id.to_owned(),
            action_type: known.kind.name().to_owned(),
            success: verb == "ran",
            data: [].into(),
        };
        if verb == "failed" {
            let (code, data) = rest.split_once(' ').unwrap_or((rest, ""));
            assert!(ErrorCode::from_name(code).is_some(), "{code}");
            result.insert(DataKey::Error, code);
            result.insert(DataKey::Message, "it was not there");
            rest = data;
        }
        for pair in rest.split('|').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap();
            result.data.insert(key.to_owned(), value.to_owned());
        }
        step_results.push(result);
    }
    reconcile(Envelope {
        command_id: "c".to_owned(),
        task_id: "t".to_owned(),
        status: Status::Failed,
        step_results,
        error: Some("the service is off".to_owned()),
        error_code: Some("SERVICE_UNAVAILABLE".to_owned()),
        hint: None,
    })
}

#[test]
fn results_are_typed_redacted_and_honest() {
    check("outcome.cases", |case| {
        let given = inputs(case);
        let given = if given.0.is_empty() { tile() } else { given };
        let compiled = compile(&recipe(&case.text()), &given).unwrap_or_else(|problems| panic!("{problems}"));
        let envelope = envelope(case, &compiled);
        let result = serde_json::to_value(outcome(&compiled, &envelope, &HashKey::default())).unwrap();
        let fields = ["status", "outputs", "steps", "error", "found"];
        let fields = fields.into_iter().filter(|field| !result[field].is_null());
        fields.map(|field| format!("{field} {}", result[field])).collect()
    });
}
