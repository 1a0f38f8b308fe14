//! Recipes: parsed, linted and compiled to executions. Pure: no files, no clock, no environment.
//!
//! A recipe goes this way: [`parse`] (text to [`Recipe`], or all problems of its form), [`check`]
//! (what it means: rules between its parts), [`compile`] (an execution for given inputs), a run
//! somewhere else, and [`outcome`] (typed, redacted outputs). [`lint`] is the first two and the
//! search for literals, as findings.

mod capability;
mod check;
mod compatibility;
mod compile;
mod finding;
mod format;
mod input;
mod input_file;
mod input_text;
mod limits;
mod lint;
mod literal;
mod markdown;
mod outcome;
mod output;
mod problem;
mod profile;
mod proposal;
mod read;
mod redacted;
mod rehearsal;
mod rule;
mod sarif;
mod selector;
mod selector_value;
mod step;
mod value_edit;
mod verification;
mod word;

pub use capability::needs;
pub use check::check;
pub use compatibility::{InstalledApp, warnings};
pub use compile::{CompiledAction, CompiledRecipe, Role, compile};
pub use finding::{Finding, Findings, Severity};
pub use format::{ArtifactKind, Format};
pub use input::{InputValue, Inputs, RecipeInput};
pub use input_text::{InputText, InputTextPart};
pub use limits::*;
pub use lint::{LintOptions, lint};
pub(crate) use literal::is_word;
pub use literal::{Denylist, DenylistTooLong, Literal, LiteralKind, scan};
pub use outcome::{
    FoundElements, OutputResult, RecipeError, RecipeResult, RecipeStatus, StepReport, StepStatus, outcome,
};
pub use output::{OutputUse, OutputValue, RecipeOutput};
pub use problem::{RecipePlace, RecipeProblem, RecipeProblems, failure};
pub use profile::{Policy, Profile, ProfileDecision, Profiles};
pub use proposal::{DriftedRecipe, NearElement, Proposal, Proposals, RecipeText, propose};
pub use read::{parse, read};
pub use redacted::hidden_texts;
pub use rehearsal::{Drift, DriftTarget, Health, Rehearsal, rehearse};
pub use rule::{RULES, Rule, RuleRow};
pub use sarif::to_sarif;
pub use selector::{RecipeCondition, RecipeSelector, RecipeSelectorKey, SELECTOR_KEYS, selector_yaml};
pub use step::{ConfirmCheck, RecipeConfirm, RecipeStep, step_types};
pub use verification::{is_verification_required, side_effects, without_act};
pub use word::{Annotation, Capability, Framework, RecipeType, RiskLevel, SessionPolicy, ValueType};

/// A recipe whose form is right. What it means is judged by [`check`].
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    pub recipe_id: String,
    pub recipe_version: String,
    pub recipe_type: RecipeType,
    pub application_id: String,
    pub summary: String,
    pub frameworks: Vec<Framework>,
    pub session_policy: SessionPolicy,
    /// Whether the compiler adds the steps for that.
    pub fresh_start_injected: bool,
    pub app_build: AppBuild,
    pub compatibility: Compatibility,
    pub tested_on: TestedOn,
    /// What it does on a phone, for policies.
    pub capabilities: Vec<Capability>,
    pub inputs: Vec<RecipeInput>,
    pub outputs: Vec<RecipeOutput>,
    pub known_quirks: Vec<String>,
    pub failure_modes: Vec<String>,
    pub maintainers: Vec<String>,
    pub tags: Vec<String>,
    pub risk_level: Option<RiskLevel>,
    pub steps: Vec<RecipeStep>,
}

/// The build of an app that a recipe was written for.
#[derive(Clone, Debug, PartialEq)]
pub struct AppBuild {
    pub version_name: String,
    pub version_code: u64,
}

/// The versions of an app that a recipe is good for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Compatibility {
    pub min_version_code: Option<u64>,
    pub max_version_code: Option<u64>,
}

/// Where a recipe was tested.
#[derive(Clone, Debug, PartialEq)]
pub struct TestedOn {
    pub android_api: u64,
    pub device_model: Option<String>,
    pub locale: Option<String>,
    /// When it was last seen to work, ISO 8601.
    pub last_verified_at: Option<String>,
}
