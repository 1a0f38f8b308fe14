//! What was given on one command line, asked for by name.

use super::command::CommandSpec;
use super::number;
use super::output::Format;
use super::parser;
use clap::ArgMatches;
use clawperator_contract::{ErrorCode, Failure};

/// What to do with an execution once it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// Run it.
    Run,
    /// Check and print it.
    Validate,
    /// Print its plan.
    DryRun,
}

/// One command line, parsed.
#[derive(Debug)]
pub(crate) struct Given {
    pub(super) spec: &'static CommandSpec,
    pub(super) matches: ArgMatches,
    pub(super) format: Format,
}

/// The name under which a command's argument is kept.
pub(super) const ARGUMENT: &str = "ARGUMENT";
/// The name under which the argument behind that is kept.
pub(super) const SECOND: &str = "SECOND";

impl Given {
    pub(crate) fn spec(&self) -> &'static CommandSpec {
        self.spec
    }

    /// How to print.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// What to do with the execution. A dry run wins over a validation.
    pub(crate) fn goal(&self) -> Goal {
        if self.has("dry-run") {
            Goal::DryRun
        } else if self.has("validate-only") {
            Goal::Validate
        } else {
            Goal::Run
        }
    }

    /// The values of a flag, if it is there.
    pub(crate) fn values(&self, flag: &str) -> Option<Vec<&str>> {
        debug_assert!(
            [ARGUMENT, SECOND].contains(&flag) || parser::is_flag(flag),
            "--{flag} is in no table"
        );
        // A flag the command does not have is not there either.
        let values = self.matches.try_get_many::<String>(flag).ok()??;
        Some(values.map(String::as_str).collect())
    }

    /// The value of a flag, if it is there.
    pub(crate) fn value(&self, flag: &str) -> Option<&str> {
        self.values(flag)?.first().copied()
    }

    /// The command's argument, if it is there.
    pub(crate) fn argument(&self) -> Option<&str> {
        self.value(ARGUMENT)
    }

    /// The command's argument as often as it was given.
    pub(crate) fn arguments(&self) -> Vec<&str> {
        self.values(ARGUMENT).unwrap_or_default()
    }

    /// The argument behind the first, if it is there.
    pub(crate) fn second(&self) -> Option<&str> {
        self.value(SECOND)
    }

    /// Whether a flag that takes nothing is there.
    pub(crate) fn has(&self, flag: &str) -> bool {
        debug_assert!(parser::is_flag(flag), "--{flag} is in no table");
        matches!(self.matches.try_get_one::<bool>(flag), Ok(Some(true)))
    }

    /// Whether JSON was asked for in so many words.
    pub(crate) fn asks_for_json(&self) -> bool {
        self.has("json") || self.value("output") == Some("json")
    }

    /// The time allowed, if it was given.
    pub(crate) fn timeout(&self) -> Result<Option<f64>, Failure> {
        let Some(text) = self.value("timeout") else {
            return Ok(None);
        };
        if text.is_empty() {
            return Err(flag_failure(
                ErrorCode::Usage,
                "timeout",
                "--timeout requires a value",
            ));
        }
        let number =
            number::read(text).ok_or_else(|| invalid("--timeout", "must be a finite number", text))?;
        Ok(Some(number))
    }

    /// A value that can be given as the argument or by a flag, not both. Blank
    /// counts as not given.
    pub(crate) fn argument_or(&self, flag: &str) -> Result<Option<&str>, Failure> {
        let solid = |text: &&str| !clawperator_contract::text::is_blank(text);
        Ok(self.either(flag)?.filter(solid))
    }

    /// A value that can be given as the argument or by a flag, not both, as it
    /// stands.
    pub(crate) fn either(&self, flag: &str) -> Result<Option<&str>, Failure> {
        match (self.argument(), self.value(flag)) {
            (Some(_), Some(_)) => {
                let message = format!("give the value as an argument or with --{flag}, not both");
                Err(invalid_flag(flag, message))
            }
            (argument, value) => Ok(argument.or(value)),
        }
    }

    /// The error of a command that lacks a value it needs.
    pub(crate) fn lacks(&self, what: &str) -> Failure {
        let (name, example) = (self.spec.path(), self.spec.examples[0]);
        let message = format!("{name} needs {what}");
        Failure::new(ErrorCode::MissingArgument, message).hint(format!("For example: {example}"))
    }
}

/// The error of a flag whose value breaks a rule.
pub(crate) fn invalid(flag: &str, rule: &str, value: &str) -> Failure {
    let shown = clawperator_contract::text::excerpt(value);
    invalid_flag(
        flag.trim_start_matches('-'),
        format!("{flag} {rule}, not \"{shown}\""),
    )
}

/// The error of a flag that breaks a rule of the contract, in other words.
pub(crate) fn invalid_flag(flag: &str, message: impl Into<String>) -> Failure {
    flag_failure(ErrorCode::ExecutionValidationFailed, flag, message)
}

/// An error that names the flag at fault.
pub(crate) fn flag_failure(code: ErrorCode, flag: &str, message: impl Into<String>) -> Failure {
    let flag = format!("--{flag}");
    Failure::new(code, message).with(|details| details.flag = Some(flag))
}
