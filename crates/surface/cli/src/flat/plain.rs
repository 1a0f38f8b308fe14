//! Commands of actions that have no shape of their own: each parameter of the
//! row is a flag, and the first text that is needed is the argument.

use super::confirm;
use super::frame::{self, FlatPayload};
use super::selector::ELEMENT;
use crate::args::Args;
use crate::commands::is_argument;
use crate::number;
use clawperator_contract::{
    ActionKind, Failure, Need, ParamKey, ParamUse, PayloadAction, PayloadValue, Shape,
};

pub(super) fn build(args: &Args, kind: ActionKind) -> Result<FlatPayload, Failure> {
    let frame = frame::of_row(kind);
    let first = kind.spec().params.iter().find(|used| is_argument(used)).map(|used| used.key);
    let action = PayloadAction::build("a1", kind, |used| match used.key {
        ParamKey::Matcher if used.need == Need::Required => ELEMENT.require(args).map(Some),
        ParamKey::Matcher => ELEMENT.read(args),
        ParamKey::Confirm => confirm::read(args),
        key => value(args, used, first == Some(key)),
    })?;
    frame.filled(args, action)
}

/// What the line says of a parameter; nothing if it has no flag.
fn value(args: &Args, used: &ParamUse, is_first: bool) -> Result<Option<PayloadValue>, Failure> {
    let name = used.key.words('-');
    let Some(flag) = args.spec.local_flags().find(|flag| flag.name == name) else {
        return Ok(None);
    };
    if used.key.spec().shape == Shape::Flag {
        return Ok(args.has(flag).then_some(true.into()));
    }
    let said = if is_first { args.argument_or(flag)? } else { args.value(flag)? };
    let said = said.filter(|said| !said.is_empty());
    match (said, used.key.spec().shape) {
        (None, _) if used.need == Need::Required => Err(args.missing(&format!("--{name}"))),
        (None, _) => Ok(None),
        (Some(said), Shape::Number) => {
            let number = number::read(said);
            let number = number.ok_or_else(|| args.invalid_value(flag, "needs a number", said))?;
            Ok(Some(number.into()))
        }
        (Some(said), _) => Ok(Some(said.into())),
    }
}
