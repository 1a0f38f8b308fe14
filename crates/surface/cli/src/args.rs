//! The arguments of one command, asked for by the rows of the table.
//!
//! A flag that lacks its value, or is there twice, is reported when its value
//! is asked for: so the first error is that of the first thing a command needs.

use super::flags;
use super::mistake::Mistake;
use super::number;
use super::output::{Format, Terminal};
use super::spec::{CommandSpec, FlagSpec, Takes};
use clawperator_contract::{ErrorCode, Failure, LookAfter, Number, text};
#[cfg(feature = "sim")]
use clawperator_lab::skill_test::{MAX_JOBS, USUAL_JOBS};
use std::ffi::{OsStr, OsString};
use std::ops::RangeInclusive;
use std::time::Duration;

/// What to do with an execution once it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    Run,
    Validate,
    DryRun,
}

/// One command line, parsed.
#[derive(Debug)]
pub(crate) struct Args {
    pub(crate) spec: &'static CommandSpec,
    /// Valid UTF-8, but for those that may be any bytes.
    pub(super) arguments: Vec<OsString>,
    pub(super) flags: Vec<GivenFlag>,
    /// What the command has no place for.
    pub(super) unexpected: Option<Mistake>,
    pub(crate) format: Format,
    /// When a command that acts shows what changed.
    pub(super) looks: LookAfter,
}

/// A flag that is on the line.
#[derive(Debug)]
pub(super) struct GivenFlag {
    pub(super) flag: &'static FlagSpec,
    /// Its name as it was typed, with dashes.
    pub(super) name: String,
    /// Valid UTF-8, but for those that may be any bytes.
    pub(super) values: Vec<OsString>,
    pub(super) mistake: Option<Mistake>,
}

impl Args {
    /// Tells whether a command that acts shows what changed.
    pub(crate) fn looks_after(&self) -> bool {
        let mut flags = self.spec.local_flags();
        let can = flags.any(|flag| flag.name == flags::LOOK_AFTER.name && flag.takes == Takes::Nothing);
        let always = self.format == Format::Agent || self.looks == LookAfter::Always;
        can && (always || self.has(&flags::LOOK_AFTER))
    }

    /// What to do with the execution. A dry run wins over a validation.
    pub(crate) fn goal(&self) -> Goal {
        if self.has(&flags::DRY_RUN) {
            Goal::DryRun
        } else if self.has(&flags::VALIDATE_ONLY) {
            Goal::Validate
        } else {
            Goal::Run
        }
    }

    pub(crate) fn has(&self, flag: &FlagSpec) -> bool {
        self.given_flag(flag).is_some()
    }

    pub(crate) fn all_flags(&self) -> Result<Vec<(&'static FlagSpec, &[OsString])>, Failure> {
        self.flags.iter().map(|given| given.flag).map(|flag| Ok((flag, self.raw_values(flag)?))).collect()
    }

    fn given_flag(&self, flag: &FlagSpec) -> Option<&GivenFlag> {
        self.flags.iter().find(|given| given.flag.name == flag.name)
    }

    /// The values of a flag; none if it is not on the line.
    pub(crate) fn values(&self, flag: &FlagSpec) -> Result<Vec<&str>, Failure> {
        Ok(self.raw_values(flag)?.iter().filter_map(|value| value.to_str()).collect())
    }

    /// The value of a flag, if it is on the line.
    pub(crate) fn value(&self, flag: &FlagSpec) -> Result<Option<&str>, Failure> {
        Ok(self.values(flag)?.first().copied())
    }

    /// The value of a flag that may be any bytes, if it is on the line.
    pub(crate) fn bytes(&self, flag: &FlagSpec) -> Result<Option<&OsStr>, Failure> {
        Ok(self.raw_values(flag)?.first().map(OsString::as_os_str))
    }

    fn raw_values(&self, flag: &FlagSpec) -> Result<&[OsString], Failure> {
        match self.given_flag(flag) {
            None => Ok(&[]),
            Some(given) => match &given.mistake {
                Some(mistake) => Err(mistake.clone().into()),
                None => Ok(&given.values),
            },
        }
    }

    pub(crate) fn arguments(&self) -> Vec<&str> {
        self.arguments.iter().filter_map(|word| word.to_str()).collect()
    }

    /// The first argument, if it is there.
    pub(crate) fn argument(&self) -> Option<&str> {
        self.arguments.first()?.to_str()
    }

    /// The words to choose the first argument from.
    pub(crate) fn words(&self) -> &'static [&'static str] {
        self.spec.arguments.first().map_or(&[], |argument| argument.words)
    }

    pub(crate) fn second_argument(&self) -> Option<&str> {
        self.arguments.get(1)?.to_str()
    }

    /// The first argument as bytes, if it is there.
    pub(crate) fn argument_bytes(&self) -> Option<&OsStr> {
        self.arguments.first().map(OsString::as_os_str)
    }

    /// Prints in this format if the line asks for none.
    pub(crate) fn print_as(&mut self, format: Format) {
        if !self.has(&flags::JSON) && !self.has(&flags::OUTPUT) {
            self.format = format;
        }
    }

    /// Tells whether JSON was asked for explicitly.
    pub(crate) fn asks_for_json(&self) -> bool {
        let output = self.given_flag(&flags::OUTPUT);
        self.has(&flags::JSON) || output.is_some_and(|given| given.values.iter().any(|word| word == "json"))
    }

    /// Tells whether a page for people is printed where JSON is only for programs:
    /// if it is asked for, or else on a terminal.
    pub(crate) fn is_for_people(&self, terminal: Terminal) -> bool {
        match self.format {
            Format::Pretty | Format::Agent => true,
            Format::Compact => !self.asks_for_json() && terminal != Terminal::Absent,
        }
    }

    pub(crate) fn timeout(&self) -> Result<Option<Number>, Failure> {
        let Some(text) = self.value(&flags::TIMEOUT)? else {
            return Ok(None);
        };
        if text.is_empty() {
            return Err(self.fault(ErrorCode::Usage, &flags::TIMEOUT, "requires a value"));
        }
        let number = number::read(text);
        let number =
            number.ok_or_else(|| self.invalid_value(&flags::TIMEOUT, "must be a finite number", text));
        number.map(Some)
    }

    /// The time limit of a command that runs no execution, if one was given.
    pub(crate) fn time_limit(&self) -> Result<Option<Duration>, Failure> {
        let Some(ms) = self.timeout()? else {
            return Ok(None);
        };
        let limit = Duration::try_from_secs_f64(ms.get() / 1_000.0).ok();
        limit.filter(|limit| !limit.is_zero()).map(Some).ok_or_else(|| {
            self.invalid_value(&flags::TIMEOUT, "must be a number of milliseconds above 0", &ms.to_string())
        })
    }

    pub(crate) fn whole(&self, flag: &FlagSpec, range: RangeInclusive<u64>) -> Result<Option<u64>, Failure> {
        let number = self.value(flag)?.map(|asked| number::read_whole(asked, &range));
        number.transpose().map_err(|rule| self.fault(flag.missing, flag, rule))
    }

    /// How many things to do at a time: as many as there are processors, unless a flag says it.
    #[cfg(feature = "sim")]
    pub(crate) fn jobs(&self, flag: &FlagSpec) -> Result<usize, Failure> {
        let jobs = self.whole(flag, 1..=MAX_JOBS)?;
        let cores = std::thread::available_parallelism().map_or(USUAL_JOBS, usize::from);
        Ok(jobs.and_then(|jobs| usize::try_from(jobs).ok()).unwrap_or(cores))
    }

    /// The word of a flag, as what it stands for.
    pub(crate) fn word<T>(
        &self,
        flag: &FlagSpec,
        known: fn(&str) -> Option<T>,
    ) -> Result<Option<T>, Failure> {
        let Some(value) = self.value(flag)? else {
            return Ok(None);
        };
        known(value).map(Some).ok_or_else(|| {
            let mistake = Mistake::NotOneOf {
                name: self.name_of(flag),
                value: value.to_owned(),
                words: flag.words.to_vec(),
            };
            mistake.into()
        })
    }

    /// A value that can be given as the argument or with a flag, not both.
    pub(crate) fn argument_or(&self, flag: &FlagSpec) -> Result<Option<&str>, Failure> {
        self.refuse_both(flag)?;
        Ok(self.argument().or(self.value(flag)?))
    }

    /// Refuses a flag beside the argument that says the same.
    pub(crate) fn refuse_both(&self, flag: &FlagSpec) -> Result<(), Failure> {
        if self.arguments.is_empty() || !self.has(flag) {
            return Ok(());
        }
        Err(self.invalid(flag, "and the argument mean the same: give only one"))
    }

    /// The result of a flat command's builder, unless something else on the line is to be reported
    /// first. What is missing comes before what has no place, and that before all else.
    pub(crate) fn settle<T>(&self, built: Result<T, Failure>) -> Result<T, Failure> {
        const MISSING: [ErrorCode; 2] = [ErrorCode::MissingSelector, ErrorCode::MissingArgument];
        match (built, &self.unexpected) {
            (Err(failure), _) if MISSING.contains(&failure.code) => Err(failure),
            (_, Some(unexpected)) => Err(unexpected.clone().into()),
            (Err(failure), None) => Err(failure),
            (Ok(built), None) => match self.flags.iter().find_map(|given| given.mistake.clone()) {
                Some(mistake) => Err(mistake.into()),
                None => Ok(built),
            },
        }
    }

    /// The error of a command that lacks a value it needs.
    pub(crate) fn missing(&self, what: &str) -> Failure {
        let message = format!("{} needs {what}", self.spec.path());
        let example = self.spec.examples[0];
        Failure::new(ErrorCode::MissingArgument, message).hint(format!("For example: {example}"))
    }

    pub(crate) fn skill_id(&self) -> Result<&str, Failure> {
        self.argument().ok_or_else(|| self.missing("the id of a skill"))
    }

    /// The error of a command that lacks the selector it needs.
    pub(crate) fn missing_selector(&self, hint: &str) -> Failure {
        let message = format!("{} needs a selector", self.spec.path());
        let hint = format!("{hint} For example: {}", self.spec.examples[0]);
        Failure::new(ErrorCode::MissingSelector, message).hint(hint)
    }

    /// The error of a flag whose value breaks a rule.
    pub(crate) fn invalid_value(&self, flag: &FlagSpec, rule: &str, value: &str) -> Failure {
        self.invalid(flag, format!("{rule}, not \"{}\"", text::excerpt(value)))
    }

    /// The error of a flag that breaks a rule of the contract.
    pub(crate) fn invalid(&self, flag: &FlagSpec, rule: impl AsRef<str>) -> Failure {
        self.fault(ErrorCode::ExecutionValidationFailed, flag, rule)
    }

    /// The error of a flag that breaks a rule: the message is the flag's name, as
    /// it was typed, and the rule.
    pub(crate) fn fault(&self, code: ErrorCode, flag: &FlagSpec, rule: impl AsRef<str>) -> Failure {
        self.failure(code, flag, format!("{} {}", self.name_of(flag), rule.as_ref()))
    }

    /// The error of a flag that is used wrongly, in these words.
    pub(crate) fn usage(&self, flag: &FlagSpec, message: impl Into<String>) -> Failure {
        self.failure(ErrorCode::Usage, flag, message)
    }

    /// Refuses the flag for all beside an argument that names one.
    pub(crate) fn refuse_all_and(
        &self,
        all: &FlagSpec,
        one: Option<&str>,
        what: &str,
    ) -> Result<(), Failure> {
        if self.has(all) && one.is_some() {
            return Err(self.usage(all, format!("name {what} or use --all, not both")));
        }
        Ok(())
    }

    pub(crate) fn failure(&self, code: ErrorCode, flag: &FlagSpec, message: impl Into<String>) -> Failure {
        let name = self.name_of(flag);
        Failure::new(code, message).with(|details| details.flag = Some(name))
    }

    fn name_of(&self, flag: &FlagSpec) -> String {
        let given = self.given_flag(flag);
        given.map_or_else(|| format!("--{}", flag.name), |given| given.name.clone())
    }
}
