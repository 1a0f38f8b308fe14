//! A user's rules as a file.

use super::{Level, Policy, PolicyRule, RuleVerdict};
use crate::tool::{TOOLS, by_name};
use clawperator_contract::text;
use clawperator_document::yaml::{self, Spanned, position_of};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// The most rules of a policy, and the most letters of one of its texts.
const MAX_RULES: usize = 500;
const MAX_TEXT: usize = 500;

/// What is wrong with a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError {
    /// Where: a line and a column, if known.
    pub at: Option<(usize, usize)>,
    pub message: String,
    pub hint: Option<String>,
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.at {
            Some((line, column)) => write!(f, " (line {line}, column {column})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for PolicyError {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyFile {
    level: Option<Level>,
    #[serde(default)]
    rules: Vec<Spanned<PolicyRule>>,
    #[serde(default)]
    programs: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

pub(super) fn one_or_more<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(match Option::deserialize(from)? {
        None => Vec::new(),
        Some(OneOrMore::One(name)) => vec![name],
        Some(OneOrMore::More(names)) => names,
    })
}

pub(super) fn read(text: &str) -> Result<Policy, PolicyError> {
    let written: PolicyFile = yaml::read(text).map_err(|problem| PolicyError {
        at: problem.position.map(|at| (at.line as usize, at.column as usize)),
        message: format!("The policy cannot be read: {}.", problem.message),
        hint: problem.hint.clone(),
    })?;
    if written.rules.len() > MAX_RULES {
        let message = format!("The policy has more than {MAX_RULES} rules.");
        return Err(PolicyError { at: None, message, hint: None });
    }
    let programs: Result<_, _> = written.programs.into_iter().map(program).collect();
    let rules: Result<_, _> = written.rules.into_iter().map(rule).collect();
    Ok(Policy { rules: rules?, programs: programs?, level: written.level })
}

/// A name of a program: what is in a folder has no name that the `PATH` knows.
fn program(name: Spanned<String>) -> Result<String, PolicyError> {
    if name.value.is_empty() || name.value.contains('/') || name.value.len() > MAX_TEXT {
        Err(PolicyError {
            at: position_of(&name).map(|at| (at.line as usize, at.column as usize)),
            message: format!("{:?} is not the name of a program.", name.value),
            hint: Some("Names have no folder; `*` allows every program.".to_owned()),
        })
    } else {
        Ok(name.value)
    }
}

fn rule(written: Spanned<PolicyRule>) -> Result<PolicyRule, PolicyError> {
    let at = position_of(&written).map(|at| (at.line as usize, at.column as usize));
    let wrong = |message: String, hint: Option<String>| PolicyError { at, message, hint };
    let PolicyRule { tools, app, capability, path, label, verdict, reason } = &written.value;
    if let Some(unknown) = tools.iter().find(|name| by_name(name).is_none()) {
        let message = format!("There is no tool \"{}\".", text::excerpt(unknown));
        let meant = text::closest(unknown, TOOLS.iter().map(|tool| tool.name));
        return Err(wrong(message, meant.map(|name| format!("Did you mean \"{name}\"?"))));
    }
    if label.is_some() && *verdict == RuleVerdict::Allow {
        let message =
            "A rule with a label cannot allow anything: what is on the screen was written by others.";
        let hint = "Name a tool, an app, a capability or a path instead.";
        return Err(wrong(message.to_owned(), Some(hint.to_owned())));
    }
    if [app, path, label, reason].into_iter().flatten().any(|text| text.chars().count() > MAX_TEXT) {
        return Err(wrong(format!("A text of the rule has more than {MAX_TEXT} letters."), None));
    }
    let names_nothing =
        tools.is_empty() && app.is_none() && capability.is_none() && path.is_none() && label.is_none();
    if names_nothing && *verdict == RuleVerdict::Allow {
        let hint = "Name a tool, an app, a capability or a path.";
        return Err(wrong("The rule would allow everything.".to_owned(), Some(hint.to_owned())));
    }
    Ok(written.value)
}
