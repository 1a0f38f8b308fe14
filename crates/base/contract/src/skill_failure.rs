//! What a failure says of a skill, beside what every failure says.

use crate::failure::Failure;
use crate::sparse::sparse;
use serde_json::Value;

sparse! {
    /// Which skill failed, and what it printed. Every key appears only where it applies.
    pub struct SkillFailure {
        /// The skill's id.
        pub skill_id: Option<String>,
        /// The registry that lists it.
        pub registry_path: Option<String>,
        /// The exit code of its script.
        pub exit_code: Option<i32>,
        /// What its script printed on standard output.
        pub stdout: Option<String>,
        /// What its script printed on standard error.
        pub stderr: Option<String>,
        /// What its script printed on standard output, where that is the result.
        pub output: Option<String>,
        /// The text that its output must contain.
        pub expected_substring: Option<String>,
        /// How long it ran, in milliseconds.
        pub duration_ms: Option<u64>,
        /// How long it may run, in milliseconds.
        pub timeout_ms: Option<u64>,
        /// What it says of its run, and who says so.
        pub skill_result: Option<Value>,
        /// The id of the run, for journals.
        pub skill_run: Option<String>,
    }
}

sparse! {
    /// Data about a skill package or a template. Every key appears only where it applies.
    pub struct SkillDetails {
        /// The skill's id.
        pub skill_id: Option<String>,
        /// The artifact's name, without its ending.
        pub artifact_name: Option<String>,
        /// The artifact's file.
        pub artifact: Option<String>,
        /// The placeholder that has no value.
        pub placeholder: Option<String>,
        /// The beginning of the variables as they were given.
        pub vars_json: Option<String>,
        /// Why the artifact is not a valid execution.
        pub reason: Option<String>,
        /// The files that are named and not there.
        pub missing_files: Vec<String>,
        /// The fields in which skill.json and the registry differ.
        pub mismatch_fields: Vec<String>,
        /// How many skills were checked.
        pub total_skills: Option<usize>,
        /// How many of them are valid.
        pub valid_count: Option<usize>,
        /// How many of them are not.
        pub invalid_count: Option<usize>,
        /// What is wrong with each of those.
        pub failures: Vec<Failure>,
    }
}
