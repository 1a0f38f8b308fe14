//! Recipes: compiled by the crate `skills`, run like every other execution, and
//! answered with their declared outputs.

use crate::request::Request;
use clawperator_contract::{Envelope, Failure, Warning};
use clawperator_events::EventLog;
use clawperator_phone::{Deadline, Phone};
use clawperator_redact::HashKey;
use clawperator_skills::recipe::{
    CompiledRecipe, InstalledApp, Recipe, RecipeResult, hidden_texts, outcome, warnings,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long the phone may take to tell which version of the app it has.
const ASK: Duration = Duration::from_secs(5);

/// A recipe and the execution that was made of it.
#[derive(Clone, Debug)]
pub struct RecipeRun {
    pub recipe: Recipe,
    pub compiled: CompiledRecipe,
    /// The folder of its registry: the same value has another hash in another one.
    pub registry: PathBuf,
}

impl Request {
    /// A request for the execution of a recipe on the only phone there is. What
    /// the recipe reads is shown as its outputs say.
    pub fn of_recipe(run: RecipeRun) -> Self {
        let compiled = &run.compiled;
        let redactions = compiled.steps.iter().filter_map(|step| {
            let (output, _) = compiled.output_of(step)?;
            Some((step.action_id.clone(), output.effective_redaction()))
        });
        Self {
            redactions: redactions.collect(),
            recipe: Some(Arc::new(run.clone())),
            ..Self::new(run.compiled.checked)
        }
    }

    /// The app that the execution is about, if it is a recipe's.
    pub(crate) fn app(&self) -> Option<String> {
        let recipe = &self.recipe.as_ref()?.recipe;
        Some(recipe.application_id.clone())
    }
}

impl RecipeRun {
    /// What is odd about running it on this phone. A phone that does not tell gives no warning.
    pub(crate) async fn warnings(&self, phone: &Phone) -> Vec<Warning> {
        let app = &self.recipe.application_id;
        let Ok(vitals) = phone.vitals(app, Deadline::after(ASK)).await else {
            return Vec::new();
        };
        let installed = InstalledApp {
            version_code: vitals.operator.version_code,
            android_api: vitals.sdk.map(u64::from),
            locale: vitals.locale,
        };
        warnings(&self.recipe, &installed)
    }

    /// What came of it. From now on the log hides what it read, and what the log
    /// hides is not told of elements that were there instead.
    pub(crate) fn result(
        &self,
        ran: &Result<Envelope, Failure>,
        log: &EventLog,
        key: &HashKey,
    ) -> Option<RecipeResult> {
        let envelope = ran.as_ref().ok()?;
        for result in &envelope.step_results {
            for text in hidden_texts(&self.compiled, result) {
                log.add_own(&text);
            }
        }
        let mut result = outcome(&self.compiled, envelope, key);
        let elements = result.found.as_mut().and_then(|found| found.elements.as_mut());
        let message = result.error.as_mut().map(|error| &mut error.message);
        for text in elements.into_iter().chain(message) {
            *text = log.hide(text);
        }
        Some(result)
    }
}
