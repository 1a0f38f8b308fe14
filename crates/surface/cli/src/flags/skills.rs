//! The flags of `skills`.

use super::super::spec::{FlagSpec, Takes, setting, switch};
use clawperator_contract::ErrorCode;
use clawperator_skills::recipe::Capability;

pub(crate) const SEARCHED_APP: FlagSpec =
    setting("app", "PACKAGE", "Only skills of exactly this app.").aka(super::APP_ALIASES);
pub(crate) const INTENT: FlagSpec = setting("intent", "INTENT", "Only skills with exactly this intent.");
pub(crate) const KEYWORD: FlagSpec =
    setting("keyword", "WORDS", "The words to search for, instead of the argument.");

pub(crate) const SUMMARY: FlagSpec = setting("summary", "TEXT", "What the skill does, in a sentence.");
pub(crate) const EVERY_SKILL: FlagSpec = switch("all", "Check every skill of the registry.");
pub(crate) const CHECK_PAYLOADS: FlagSpec =
    switch("dry-run", "Check the skill's artifacts as executions, too; no phone is needed.");
pub(crate) const CHECK_INDEX: FlagSpec =
    switch("check", "Write nothing; fail if the index is not what the packages give.");
pub(crate) const SKILL_ID: FlagSpec =
    setting("skill-id", "SKILL", "The skill's id, instead of the argument.")
        .missing(ErrorCode::MissingArgument);
pub(crate) const ARTIFACT: FlagSpec =
    setting("artifact", "NAME", "The artifact's name, with or without .recipe.json.")
        .missing(ErrorCode::MissingArgument);
pub(crate) const VARS: FlagSpec =
    setting("vars", "JSON", "The values of the placeholders, such as {\"NAME\":\"value\"}.");

/// Of the commands that get a repository.
pub(crate) const REPOSITORY: &[FlagSpec] = &[FROM, REF];
pub(crate) const FROM: FlagSpec = setting(
    "from",
    "URL|FOLDER",
    "Where to get it from [default: where it came from, or the public repository].",
);
pub(crate) const REF: FlagSpec = setting("ref", "REF", "The branch, tag or commit [default: main].");
pub(crate) const SANDBOX: FlagSpec = setting(
    "sandbox",
    "",
    "Confine the script: strict, or best-effort where the system lacks a part of the sandbox [default: strict].",
)
.takes(Takes::Maybe("LEVEL"));
// Recipes.
pub(crate) const RECIPE: FlagSpec =
    setting("artifact", "NAME", "The recipe's name, if the skill has several.");
pub(crate) const INPUT: FlagSpec =
    setting("input", "NAME=VALUE", "The value of an input; repeat it for several.")
        .takes(Takes::Several("NAME=VALUE"));
pub(crate) const INPUTS_FILE: FlagSpec =
    setting("inputs-file", "FILE", "The values of inputs, as JSON or YAML; --input goes before it.");
pub(crate) const PROFILE: FlagSpec = setting(
    "profile",
    "FILE",
    "A file that says which capabilities are allowed; FILE#NAME if it has several profiles.",
);
pub(crate) const EVERY_RECIPE: FlagSpec = switch("all", "Lint the recipes of every skill of the registry.");
pub(crate) const DENYLIST: FlagSpec = setting(
    "denylist",
    "FILE",
    "Texts that no recipe may have, one per line; .git/info/clawperator-denylist if it is not given.",
);
pub(crate) const FINDINGS: FlagSpec =
    setting("findings", "FORMAT", "How to print: text, json or sarif; --format does the same here.")
        .aliases_by_value(&["format"])
        .words(&["text", "json", "sarif"]);

// Running.
pub(crate) const ALLOW: FlagSpec = setting(
    "allow",
    "CAPABILITY",
    "Agree to a capability that the profile asks about; repeat it for several.",
)
.takes(Takes::Several("CAPABILITY"))
.words(Capability::WORDS);
pub(crate) const EXPECT_CONTAINS: FlagSpec =
    setting("expect-contains", "TEXT", "Fail unless standard output contains this text.");
pub(crate) const WRITE: FlagSpec =
    switch("write", "Write the best proposal to the recipe's file; without it nothing is changed.");
pub(crate) const SKIP_VALIDATE: FlagSpec =
    switch("skip-validate", "Run the skill without checking it first.");
pub(crate) const TEST_ALL: FlagSpec = switch("all", "Test every skill of the registry.");
pub(crate) const JUNIT: FlagSpec = setting("junit", "FILE", "Also write the results as JUnit XML.");
pub(crate) const JOBS: FlagSpec =
    setting("jobs", "N", "How many phones run at a time; without it, as many as the computer has cores.");
pub(crate) const SHARDS: FlagSpec =
    setting("shards", "N", "With --pool: how many phones run tests at a time [default: 1].");
pub(crate) const TEST_SEED: FlagSpec =
    setting("seed", "N", "The seed of every world, in place of the one in its file.");
pub(crate) const FROM_RECORDING: FlagSpec = setting(
    "from-recording",
    "FILE",
    "Make the skill's recipe of this recording; --device fills in the versions of that phone and its app.",
);
