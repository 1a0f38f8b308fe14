//! What a failure says of a skill, beside what every failure says.

use crate::failure::Failure;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// Which skill failed, and what it printed. Every key appears only where it
/// applies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillFailure {
    /// The skill's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill_id: Option<String>,
    /// The registry that lists it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registry_path: Option<String>,
    /// The exit code of its script.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// What its script printed on standard output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdout: Option<String>,
    /// What its script printed on standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// What its script printed on standard output, where that is the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The text that its output must contain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_substring: Option<String>,
    /// How long it ran, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// How long it may run, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// What it says of its run, and who says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill_result: Option<Value>,
    /// The id of the run, for journals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill_run: Option<String>,
}

/// Data about a skill package or a template. Every key appears only where it
/// applies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillDetails {
    /// The skill's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill_id: Option<String>,
    /// The artifact's name, without its ending.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact_name: Option<String>,
    /// The artifact's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
    /// The placeholder that has no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// The beginning of the variables as they were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vars_json: Option<String>,
    /// Why the artifact is not a valid execution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The files that are named and not there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_files: Vec<String>,
    /// The fields in which skill.json and the registry differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mismatch_fields: Vec<String>,
    /// How many skills were checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_skills: Option<usize>,
    /// How many of them are valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_count: Option<usize>,
    /// How many of them are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invalid_count: Option<usize>,
    /// What is wrong with each of those.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
}
