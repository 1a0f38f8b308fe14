//! Findings: what lint has to say about a recipe, for people and for programs.

use super::problem::{RecipeProblem, RecipeProblems, hint};
use super::rule::Rule;
use clawperator_document::{Position, words};
use serde::Serialize;
use std::fmt::Write as _;

words! {
    /// How bad a finding is.
    pub Severity {
        /// It is allowed and unwise.
        Warning = "warning",
        Error = "error",
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    pub file: String,
    pub line: u64,
    pub column: u64,
    pub code: Rule,
    pub severity: Severity,
    /// Where in the recipe, such as `steps.0.selector`; empty for the whole.
    pub path: String,
    pub message: String,
    pub fix: String,
}

/// All findings, in the order of their files and lines.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Findings {
    pub findings: Vec<Finding>,
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Finding {
    pub(crate) fn new(file: &str, problem: &RecipeProblem) -> Self {
        let position = problem.position.unwrap_or(Position { line: 1, column: 1 });
        Self {
            file: file.to_owned(),
            line: position.line,
            column: position.column,
            code: problem.about,
            severity: problem.about.row().severity,
            path: problem.path.clone(),
            message: problem.message.clone(),
            fix: hint(problem),
        }
    }
}

impl Findings {
    /// The problems of a file as findings, in the order of its lines.
    pub fn of(file: &str, problems: &RecipeProblems) -> Self {
        let mut findings: Vec<_> = problems.listed.iter().map(|each| Finding::new(file, each)).collect();
        findings.sort_by_key(|finding| (finding.line, finding.column, finding.code));
        Self { findings, omitted: problems.omitted }
    }

    /// Adds the findings of another file.
    pub fn append(&mut self, mut other: Self) {
        self.findings.append(&mut other.findings);
        self.omitted += other.omitted;
    }

    /// Whether a recipe is refused because of them.
    pub fn has_errors(&self) -> bool {
        self.omitted > 0 || self.findings.iter().any(|each| each.severity == Severity::Error)
    }

    /// One finding per line, and below it what to do.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for finding in &self.findings {
            let Finding { file, line, column, message, .. } = finding;
            let (code, fix) = (finding.code.name(), &finding.fix);
            let severity = finding.severity.word();
            // Writing to a string does not fail.
            let _ = writeln!(text, "{file}:{line}:{column}: {severity} {code}: {message}\n    {fix}");
        }
        if self.omitted > 0 {
            let _ = writeln!(text, "{} more", self.omitted);
        }
        text
    }

    /// The findings as JSON.
    pub fn to_json(&self) -> String {
        // Texts and numbers are always written.
        serde_json::to_string(self).unwrap_or_default()
    }
}
