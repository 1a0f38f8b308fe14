//! Commands that only look: at the screen, its elements, and their texts.

use super::draft::{Draft, JsonText};
use super::selector::{CONTAINER, ELEMENT, fields};
use super::{frame, wait};
use crate::cli::args::Args;
use crate::cli::flags;
use crate::cli::spec::FlagSpec;
use clawperator_contract::{ErrorCode, Failure, ParamKey};

pub(super) fn snapshot(args: &Args) -> Result<Draft, Failure> {
    let params = [
        (ParamKey::View, args.value(&flags::VIEW)?.map(JsonText::from)),
        (ParamKey::Budget, whole_number(args, &flags::BUDGET)?),
        (
            ParamKey::Diff,
            args.has(&flags::DIFF).then(|| JsonText::from(true)),
        ),
    ];
    frame::SNAPSHOT.filled(args, params)
}

pub(super) fn screenshot(args: &Args) -> Result<Draft, Failure> {
    let path = args.value(&flags::PATH)?;
    frame::SCREENSHOT.filled(args, [(ParamKey::Path, path.map(JsonText::from))])
}

pub(super) fn find(args: &Args) -> Result<Draft, Failure> {
    if args.has(&flags::GONE) {
        // This waits for an empty screen region and lists no elements.
        for flag in [&flags::LIMIT, &flags::VISIBILITY] {
            if args.has(flag) {
                return Err(args.invalid(flag, "is not supported with --gone"));
            }
        }
        return wait::wait(args);
    }
    let params = [
        (ParamKey::Matcher, ELEMENT.read(args)?),
        (
            ParamKey::Visibility,
            args.value(&flags::VISIBILITY)?.map(JsonText::from),
        ),
        (ParamKey::Limit, whole_number(args, &flags::LIMIT)?),
    ];
    frame::FIND.filled(args, params)
}

/// The whole number of a flag, if it is there; the contract knows its range.
fn whole_number(args: &Args, flag: &FlagSpec) -> Result<Option<JsonText>, Failure> {
    Ok(args.whole(flag, 0..=u64::MAX)?.map(JsonText::from))
}

pub(super) fn read(args: &Args) -> Result<Draft, Failure> {
    let matcher = ELEMENT.require(args)?;
    let all = all(args)?;
    let container = CONTAINER.read(args)?;
    frame::READ.filled(
        args,
        [
            (ParamKey::Matcher, Some(matcher)),
            (ParamKey::All, all),
            (ParamKey::Container, container),
        ],
    )
}

pub(super) fn read_value(args: &Args) -> Result<Draft, Failure> {
    let all = all(args)?;
    let given: Vec<&FlagSpec> = flags::LABEL.iter().filter(|flag| args.has(flag)).collect();
    // An empty label that is the only one is no label.
    let is_missing = match given[..] {
        [] => true,
        [only] => args.value(only)?.is_some_and(str::is_empty),
        _ => false,
    };
    if is_missing {
        return Err(args.missing("--label, --label-id or --label-desc"));
    }
    let label = fields(args, flags::LABEL)?;
    frame::READ_VALUE.filled(
        args,
        [(ParamKey::LabelMatcher, Some(label)), (ParamKey::All, all)],
    )
}

/// Several values need JSON, so it must be asked for.
fn all(args: &Args) -> Result<Option<JsonText>, Failure> {
    if args.has(&flags::READ_ALL) && !args.asks_for_json() {
        let message = format!("{} --all needs --json", args.path());
        let code = ErrorCode::ExecutionValidationFailed;
        return Err(args.failure(code, &flags::READ_ALL, message).hint("Add --json."));
    }
    Ok(args.has(&flags::READ_ALL).then(|| JsonText::from(true)))
}
