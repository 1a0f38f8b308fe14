//! What was given on one command line, asked for by name.

use super::command::{self, CommandSpec};
use super::number;
use super::output::Format;
use super::{operator, reach};
use clap::ArgMatches;
use clawperator_contract::{ErrorCode, Failure, Number, text};
use std::ffi::{OsStr, OsString};
use std::ops::RangeInclusive;
use std::time::Duration;

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
    /// The flags that were given by another name than their own, and that name.
    pub(super) aliased: Vec<(&'static str, String)>,
    pub(super) format: Format,
}

/// The name under which a command's argument is kept.
pub(super) const ARGUMENT: &str = "ARGUMENT";
/// The name under which the argument behind that is kept.
pub(super) const SECOND: &str = "SECOND";
/// The name under which arguments without a place are kept.
pub(super) const STRAY: &str = "STRAY";

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
            [ARGUMENT, SECOND, STRAY].contains(&flag) || command::is_flag(flag),
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

    /// The value of a flag, or the argument, that may be any bytes, if it is
    /// there.
    pub(crate) fn bytes(&self, flag: &str) -> Option<&OsStr> {
        let mut values = self.matches.try_get_many::<OsString>(flag).ok()??;
        values.next().map(OsString::as_os_str)
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
        debug_assert!(command::is_flag(flag), "--{flag} is in no table");
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

    /// The time allowed to what is no execution, if it was given.
    pub(crate) fn allowed(&self) -> Result<Option<Duration>, Failure> {
        let Some(ms) = self.timeout()? else {
            return Ok(None);
        };
        let allowed = Duration::try_from_secs_f64(ms / 1_000.0).ok();
        let allowed = allowed.filter(|allowed| !allowed.is_zero());
        allowed.map(Some).ok_or_else(|| {
            let shown = Number::new(ms).map(|ms| ms.to_string()).unwrap_or_default();
            invalid("--timeout", "must be a number of milliseconds above 0", &shown)
        })
    }

    /// Judges the flags that mean the same for every command, before anything
    /// is done: what cannot run is not fine for a dry run either.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        for flag in ["device", "operator-package"] {
            if self.value(flag).is_some_and(text::is_blank) {
                let message = format!("--{flag} requires a value");
                return Err(flag_failure(ErrorCode::Usage, flag, message));
            }
        }
        operator::flagged(self)?;
        reach::waiting(self)?;
        Ok(())
    }

    /// The failure in the words of the line: a flag has the name it was given
    /// by.
    pub(crate) fn in_its_words(&self, mut failure: Failure) -> Failure {
        let Some(details) = &mut failure.details else {
            return failure;
        };
        let own = details.flag.clone().unwrap_or_default();
        let typed = self
            .aliased
            .iter()
            .find(|(name, _)| own.strip_prefix("--") == Some(name));
        if let Some((_, typed)) = typed {
            details.flag = Some(typed.clone());
            if let Some(rest) = failure.message.strip_prefix(&format!("{own} ")) {
                failure.message = format!("{typed} {rest}");
            }
        }
        failure
    }

    /// The whole number of a flag, which must be within a range.
    pub(crate) fn whole(&self, flag: &str, range: RangeInclusive<u64>) -> Result<Option<u64>, Failure> {
        let Some(asked) = self.value(flag) else {
            return Ok(None);
        };
        let name = format!("--{flag}");
        let number = number::read_whole((&name, asked), &range);
        number.map(Some).map_err(|message| {
            let row = command::flag_of(&name, Some(self.spec));
            flag_failure(row.map_or(ErrorCode::Usage, |row| row.missing), flag, message)
        })
    }

    /// The time of a flag that takes milliseconds, up to a most.
    pub(crate) fn duration(&self, flag: &str, most: Duration) -> Result<Option<Duration>, Failure> {
        let most_ms = u64::try_from(most.as_millis()).unwrap_or(u64::MAX);
        let ms = self.whole(flag, 0..=most_ms)?;
        Ok(ms.map(Duration::from_millis))
    }

    /// A value that can be given as the argument or by a flag, not both. Blank
    /// counts as not given.
    pub(crate) fn argument_or(&self, flag: &str) -> Result<Option<&str>, Failure> {
        let solid = |text: &&str| !text::is_blank(text);
        Ok(self.either(flag)?.filter(solid))
    }

    /// A value that can be given as the argument or by a flag, not both, as it
    /// stands.
    pub(crate) fn either(&self, flag: &str) -> Result<Option<&str>, Failure> {
        match (self.argument(), self.value(flag)) {
            (Some(_), Some(_)) => {
                let message = format!("--{flag} and the argument are the same: give one of them");
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
    let shown = text::excerpt(value);
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
