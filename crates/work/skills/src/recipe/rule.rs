//! The rules of recipes, one row each: what breaks, how bad it is, how to fix
//! it. A finding's code is the name of a rule.

use super::finding::Severity;
use clawperator_contract::ErrorCode;
use serde::Serialize;

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct RuleRow {
    pub rule: Rule,
    pub name: &'static str,
    pub severity: Severity,
    /// The number of the design's minimum check, if it is one of them.
    pub check: Option<u8>,
    /// The error code if a recipe is refused because of it.
    pub code: ErrorCode,
    pub meaning: &'static str,
    pub fix: &'static str,
}

macro_rules! rules {
    ($($variant:ident $name:literal $severity:ident $check:expr, $code:ident, $meaning:literal $fix:literal;)*) => {
        /// A rule that a recipe can break.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
        pub enum Rule {
            $(#[doc = $meaning] #[serde(rename = $name)] $variant,)*
        }

        /// Every rule.
        pub const RULES: &[RuleRow] = &[
            $(RuleRow {
                rule: Rule::$variant,
                name: $name,
                severity: Severity::$severity,
                check: $check,
                code: ErrorCode::$code,
                meaning: $meaning,
                fix: $fix,
            },)*
        ];
    };
}

rules! {
    // The nine minimum checks.
    Frontmatter "FRONTMATTER_INVALID" Error Some(1), RecipeInvalid,
        "A field of the recipe is missing, unknown or wrong."
        "Correct the field; docs/recipes.md lists all of them.";
    Taxonomy "TAXONOMY_INVALID" Error Some(2), RecipeInvalid,
        "A word is not in its list: recipe_type, frameworks, capabilities, risk_level, redaction or type."
        "Use one of the words that the message lists.";
    SessionPolicy "SESSION_POLICY_MISSING" Error Some(3), RecipeInvalid,
        "session_policy is missing or wrong."
        "Write session_policy: fresh, or resume_ok if the app may stay as it is.";
    StepBlock "STEP_INVALID" Error Some(4), RecipeInvalid,
        "A step has no valid YAML block, or a field of it is wrong."
        "Give each step one fenced yaml block with id, type and what the type needs.";
    StepType "STEP_TYPE_UNSUPPORTED" Error Some(5), RecipeInvalid,
        "A step's type is not one that recipes may use."
        "Use open_app, close_app, wait_for_node, click, scroll_and_click, read_text, snapshot_ui or sleep.";
    Selector "SELECTOR_INVALID" Error Some(6), RecipeInvalid,
        "A selector has an unknown key or a wrong value."
        "Use the keys of the selector table in docs/recipes.md.";
    Verification "VERIFICATION_MISSING" Error Some(7), RecipeInvalid,
        "A step with a side effect is not verified."
        "Add a confirm block to the step, or a read_text or wait_for_node step after it.";
    UserLiteral "USER_LITERAL" Error Some(8), RecipeInvalid,
        "A text belongs to one user: a name, an address, a phone number, a serial."
        "Declare an input and write ${inputs.NAME} in its place.";
    InputUndeclared "INPUT_UNDECLARED" Error Some(9), RecipeInvalid,
        "A placeholder names an input that is not declared, or stands where none may."
        "Declare it under inputs; placeholders are for the texts of selectors.";
    // What else makes a recipe wrong.
    Unreadable "RECIPE_UNREADABLE" Error None, RecipeInvalid,
        "The file cannot be read as a recipe."
        "Correct the syntax at the place that is named.";
    FreshSteps "FRESH_STEPS_MISSING" Error None, RecipeInvalid,
        "session_policy is fresh, fresh_start_injected is false, and the recipe does not close and open its app."
        "Begin with close_app and open_app, or leave fresh_start_injected out.";
    AppUndeclared "APP_UNDECLARED" Error None, RecipeInvalid,
        "A step opens or closes an app other than application_id."
        "Write a recipe for that app.";
    CapabilityUndeclared "CAPABILITY_UNDECLARED" Error None, RecipeInvalid,
        "A step does something that capabilities does not list."
        "Add the capability to the list, so that policies can judge the recipe.";
    ProbeActs "PROBE_ACTS" Error None, RecipeInvalid,
        "A probe has a step that touches the screen."
        "Make it a flow or an action, or take the step out.";
    OutputInvalid "OUTPUT_INVALID" Error None, RecipeInvalid,
        "A step feeds an output that is not declared, or that another step feeds."
        "Declare the output, and feed it from one step.";
    TimeExceeded "TIME_EXCEEDED" Error None, RecipeInvalid,
        "The waits, retries and swipes of the recipe may take longer than an execution may."
        "Shorten the waits, or split the recipe.";
    TooManyActions "TOO_MANY_ACTIONS" Error None, RecipeInvalid,
        "The recipe compiles to more actions than an execution may have."
        "Split the recipe; a confirm block and a wait are an action each.";
    Contract "CONTRACT_BROKEN" Error None, RecipeInvalid,
        "The compiled execution breaks a rule of the contract."
        "Correct the step that is named.";
    // Inputs.
    InputMissing "RECIPE_INPUT_MISSING" Error None, RecipeInputMissing,
        "A required input has no value."
        "Give it with --input NAME=VALUE.";
    InputInvalid "RECIPE_INPUT_INVALID" Error None, RecipeInputInvalid,
        "An input is not declared, or its value is of another type or too long."
        "See inputs in the recipe.";
    // Policies.
    CapabilityForbidden "CAPABILITY_FORBIDDEN" Error None, CapabilityDenied,
        "The profile denies a capability of the recipe, or capabilities together."
        "Change the recipe, or use a profile that allows it.";
    CapabilityAsks "CAPABILITY_ASKS" Warning None, CapabilityDenied,
        "The profile allows a capability only if the user agrees at run time."
        "Allow it with --allow when the recipe is run.";
    // What is allowed and unwise.
    IndexUsed "INDEX_USED" Warning None, RecipeInvalid,
        "A selector names an element by its index, which differs between users."
        "Say what the element is: a text, an id, a class.";
    InputUnused "INPUT_UNUSED" Warning None, RecipeInvalid,
        "No selector uses the input."
        "Use it, or take it out.";
    OutputUnfed "OUTPUT_UNFED" Warning None, RecipeInvalid,
        "No step feeds the output, so it never has a value."
        "Add a read_text step with params.output.";
}

#[allow(clippy::derivable_impls, reason = "the macro writes the variants")]
impl Default for Rule {
    fn default() -> Self {
        Self::Frontmatter
    }
}

impl Rule {
    /// The rule's row.
    pub fn row(self) -> &'static RuleRow {
        // The macro writes enum and table in one order; a test walks both.
        &RULES[self as usize]
    }

    /// The rule's code in findings.
    pub fn name(self) -> &'static str {
        self.row().name
    }
}
