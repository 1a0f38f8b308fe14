//! Commands that only look: at the screen, its elements, and their texts.

use super::frame::{self, FlatPayload};
use super::selector::{CONTAINER, ELEMENT, fields};
use super::wait;
use crate::args::Args;
use crate::flags;
use crate::output::Format;
use crate::spec::FlagSpec;
use clawperator_contract::{Failure, Number, ParamKey, ViewStyle};

pub(super) fn snapshot(args: &Args) -> Result<FlatPayload, Failure> {
    let since = args.value(&flags::DIFF)?;
    let usual = (args.format == Format::Agent).then(|| ViewStyle::Compact.word());
    let action = frame::SNAPSHOT
        .action()
        .with_some(ParamKey::View, args.value(&flags::VIEW)?.or(usual))
        .with_some(ParamKey::Budget, whole_number(args, &flags::BUDGET)?)
        .with_some(ParamKey::Diff, (args.has(&flags::DIFF) && since.is_none()).then_some(true))
        .with_some(ParamKey::Since, since);
    frame::SNAPSHOT.filled(args, action)
}

pub(super) fn screenshot(args: &Args) -> Result<FlatPayload, Failure> {
    let path = args.value(&flags::PATH)?;
    let action = frame::SCREENSHOT.action().with_some(ParamKey::Path, path);
    frame::SCREENSHOT.filled(args, action)
}

/// How many elements are listed for an agent.
const AGENT_LIMIT: u32 = 20;

pub(super) fn find(args: &Args) -> Result<FlatPayload, Failure> {
    if args.has(&flags::GONE) {
        // This waits for an empty screen region and lists no elements.
        for flag in [&flags::LIMIT, &flags::VISIBILITY] {
            if args.has(flag) {
                return Err(args.invalid(flag, "is not supported with --gone"));
            }
        }
        return wait::wait(args);
    }
    let usual = (args.format == Format::Agent).then(|| AGENT_LIMIT.into());
    let action = frame::FIND
        .action()
        .with_some(ParamKey::Matcher, ELEMENT.read(args)?)
        .with_some(ParamKey::Visibility, args.value(&flags::VISIBILITY)?)
        .with_some(ParamKey::Limit, whole_number(args, &flags::LIMIT)?.or(usual));
    frame::FIND.filled(args, action)
}

/// The whole number of a flag, if it is there; the contract knows its range.
fn whole_number(args: &Args, flag: &FlagSpec) -> Result<Option<Number>, Failure> {
    let number = args.whole(flag, 0..=u64::MAX)?;
    Ok(number.and_then(|number| Number::new(number as f64)))
}

pub(super) fn read(args: &Args) -> Result<FlatPayload, Failure> {
    let matcher = ELEMENT.require(args)?;
    let all = args.has(&flags::READ_ALL).then_some(true);
    let container = CONTAINER.read(args)?;
    let action = frame::READ
        .action()
        .with(ParamKey::Matcher, matcher)
        .with_some(ParamKey::All, all)
        .with_some(ParamKey::Container, container);
    frame::READ.filled(args, action)
}

pub(super) fn read_value(args: &Args) -> Result<FlatPayload, Failure> {
    let all = args.has(&flags::READ_ALL).then_some(true);
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
    let action = frame::READ_VALUE
        .action()
        .with(ParamKey::LabelMatcher, fields(args, flags::LABEL)?)
        .with_some(ParamKey::All, all);
    frame::READ_VALUE.filled(args, action)
}
