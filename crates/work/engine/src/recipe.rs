//! Recipes: compiled by the crate `skills`, run like every other execution, and
//! answered with their declared outputs.

use crate::request::Request;
use clawperator_contract::{Envelope, Failure, Warning};
use clawperator_events::EventLog;
use clawperator_phone::{Deadline, Phone, SealKey};
use clawperator_redact::HashKey;
use clawperator_skills::recipe::{
    CompiledRecipe, Format, Inputs, InstalledApp, Recipe, RecipeResult, compile, failure, hidden_texts,
    outcome, parse, warnings,
};
use clawperator_skills::repo::RecipeFile;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How long the phone may take to tell which version of the app it has.
const ASK: Duration = Duration::from_secs(5);

/// A recipe and the execution that was made of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "RecipeSource", into = "RecipeSource")]
pub struct RecipeRun {
    pub recipe: Recipe,
    pub compiled: CompiledRecipe,
    pub source: RecipeSource,
}

/// What a recipe is compiled of, here or in another process.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecipeSource {
    text: String,
    format: Format,
    inputs: Inputs,
    /// The folder of its registry: the same value has another hash in another one.
    registry: PathBuf,
    /// The key of its hashes; without one, the engine that runs it has one for the registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<HashKey>,
}

impl RecipeRun {
    /// The recipe of a file with these inputs.
    ///
    /// # Errors
    /// The recipe or an input is wrong; the failure says where.
    pub fn new(file: &RecipeFile, inputs: Inputs) -> Result<Self, Failure> {
        let (text, registry) = (file.text.clone(), file.registry.clone());
        let source = RecipeSource { text, format: file.format, inputs, registry, key: None };
        Self::of(source, &file.name)
    }

    fn of(source: RecipeSource, name: &str) -> Result<Self, Failure> {
        let failed = |problems| failure(&problems, name);
        let recipe = parse(&source.text, source.format).map_err(failed)?;
        let compiled = compile(&recipe, &source.inputs).map_err(failed)?;
        Ok(Self { recipe, compiled, source })
    }
}

impl RecipeSource {
    /// The key of its hashes in a state folder.
    pub fn own_key(&self, state: &Path) -> HashKey {
        let registry = self.registry.canonicalize();
        let registry = registry.as_ref().unwrap_or(&self.registry);
        let key = SealKey::at(&state.join("redaction.key"));
        key.unwrap_or_else(|_| SealKey::random()).hash_key(&registry.to_string_lossy())
    }
}

impl TryFrom<RecipeSource> for RecipeRun {
    type Error = String;

    fn try_from(source: RecipeSource) -> Result<Self, String> {
        Self::of(source, "the recipe").map_err(|failure| failure.message)
    }
}

impl From<RecipeRun> for RecipeSource {
    fn from(run: RecipeRun) -> Self {
        run.source
    }
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
