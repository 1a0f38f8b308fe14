//! The checks of recipes and templates.

use super::{CiRun, FRONTMATTER};
use crate::recipe::{
    self, ArtifactKind, Format, InputValue, Inputs, LintOptions, Recipe, Rule, Severity, ValueType,
};
use crate::template::{Template, base_name, sample_vars};
use clawperator_document::Number;

const STEPS: usize = 5;
const COMPILE: usize = 6;
const POLICY: usize = 8;
const LITERALS: usize = 9;
const INPUTS: usize = 10;

/// The check that a rule belongs to.
fn check_of(rule: Rule) -> usize {
    match rule {
        Rule::Frontmatter
        | Rule::Taxonomy
        | Rule::SessionPolicy
        | Rule::Unreadable
        | Rule::OutputInvalid
        | Rule::OutputUnfed => FRONTMATTER,
        Rule::StepBlock
        | Rule::StepType
        | Rule::Selector
        | Rule::Verification
        | Rule::FreshSteps
        | Rule::AppUndeclared
        | Rule::ProbeActs
        | Rule::TimeExceeded
        | Rule::TooManyActions
        | Rule::Contract
        | Rule::IndexUsed => STEPS,
        Rule::CapabilityUndeclared | Rule::CapabilityForbidden | Rule::CapabilityAsks => POLICY,
        Rule::UserLiteral => LITERALS,
        Rule::InputUndeclared | Rule::InputMissing | Rule::InputInvalid | Rule::InputUnused => INPUTS,
    }
}

impl CiRun<'_> {
    pub(super) fn artifact(&mut self, skill_id: &str, entry: &str, text: &str) {
        let format = Format::of(entry).unwrap_or(Format::Json);
        match ArtifactKind::of(text, format) {
            ArtifactKind::Template => self.template(skill_id, entry, text),
            ArtifactKind::Recipe => self.recipe(entry, text, format),
        }
    }

    fn template(&mut self, skill_id: &str, entry: &str, text: &str) {
        self.count_check(STEPS);
        if let Err(failure) = clawperator_contract::accept(text.as_bytes()) {
            self.problem(STEPS, entry, failure.message);
        }
        self.private(entry, text);
        self.count_check(COMPILE);
        let name = base_name(entry.rsplit('/').next().unwrap_or(entry));
        let template = Template { skill_id, name, text };
        // A sample may not fit, and then that is what must come twice.
        let compiled = || {
            let compiled = template.compile(&sample_vars(text));
            compiled.map(|compiled| serde_json::json!(compiled)).map_err(|fault| fault.to_string())
        };
        if compiled() != compiled() {
            self.problem(COMPILE, entry, "two compilations differ");
        }
    }

    fn recipe(&mut self, entry: &str, text: &str, format: Format) {
        for check in [FRONTMATTER, STEPS, COMPILE, POLICY, LITERALS, INPUTS] {
            self.count_check(check);
        }
        let options = LintOptions { denylist: Some(&self.denied), profile: Some(self.profile) };
        let findings = recipe::lint(entry, text, format, options);
        for finding in findings.findings.iter().filter(|one| one.severity == Severity::Error) {
            let place = format!("{}:{}:{}", finding.file, finding.line, finding.column);
            self.problem(check_of(finding.code), place, &finding.message);
        }
        // What cannot be compiled because of a finding is not told twice.
        if let (false, Ok(recipe)) = (findings.has_errors(), recipe::parse(text, format)) {
            self.compile(entry, &recipe);
        }
    }

    fn compile(&mut self, entry: &str, recipe: &Recipe) {
        let inputs = samples(recipe);
        match (recipe::compile(recipe, &inputs), recipe::compile(recipe, &inputs)) {
            (Ok(one), Ok(other)) if one.payload == other.payload => {}
            (Ok(_), Ok(_)) => self.problem(COMPILE, entry, "two compilations differ"),
            (Err(problems), _) | (_, Err(problems)) => self.problem(COMPILE, entry, problems.to_string()),
        }
        if let Err(problems) = recipe::compile(recipe, &Inputs::default()) {
            for problem in problems.listed.iter().filter(|one| one.about != Rule::InputMissing) {
                self.problem(INPUTS, entry, problem.to_string());
            }
        }
    }
}

/// A value for every input that has none of its own.
fn samples(recipe: &Recipe) -> Inputs {
    let value = |value_type: ValueType| match value_type {
        ValueType::String => Some(InputValue::Text("sample".to_owned())),
        ValueType::Number => Number::new(1.0).map(InputValue::Number),
        ValueType::Boolean => Some(InputValue::Flag(true)),
    };
    let inputs = recipe.inputs.iter().filter(|input| input.required);
    Inputs(inputs.filter_map(|input| Some((input.name.clone(), value(input.value_type)?))).collect())
}
