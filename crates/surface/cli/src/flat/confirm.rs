//! `--confirm`: the effect that a command waits for.

use super::selector::read_object;
use crate::args::Args;
use crate::flags;
use clawperator_contract::{ConfirmEffect, Failure, PayloadValue};
use std::collections::BTreeMap;

/// The confirm object of the flag, if it is on the line: the word `changed`, or
/// JSON that the contract checks.
pub(super) fn read(args: &Args) -> Result<Option<PayloadValue>, Failure> {
    let flag = &flags::CONFIRM;
    let changed = ConfirmEffect::Changed.word();
    match args.value(flag)? {
        None => Ok(None),
        Some(word) if word == changed => {
            Ok(Some(PayloadValue::Object(BTreeMap::from([(changed, true.into())]))))
        }
        Some(word) if word.contains('{') => read_object(args, flag).map(Some),
        Some(word) => Err(args.invalid_value(flag, "must be changed or a JSON object", word)),
    }
}
