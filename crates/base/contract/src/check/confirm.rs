//! The confirm object: one effect, and how long to wait for it.

use super::fields::sort;
use super::report::CheckReport;
use super::values::read_matcher;
use crate::confirm::{CONFIRM_TIMEOUT, CONFIRM_TIMEOUT_RANGE, Confirm, ConfirmEffect, EFFECT_FIELDS};
use crate::problem::WarningCode;
use clawperator_document::{Fields, Path, Value, expect_flag, expect_number};

/// The slot of the wait, behind those of the effects.
const TIMEOUT_SLOT: usize = EFFECT_FIELDS.len();

fn slot(key: &str) -> Option<usize> {
    let slot = EFFECT_FIELDS.iter().position(|field| field.name == key);
    slot.or_else(|| (key == CONFIRM_TIMEOUT.name).then_some(TIMEOUT_SLOT))
}

pub(super) fn read_confirm<'w>(
    json: Value<'w>,
    at: &Path<'_>,
    report: &mut CheckReport<'w>,
) -> Option<Confirm> {
    let fields: Fields<'_, '_, { TIMEOUT_SLOT + 1 }> = sort(json, slot, at, report)?;
    let asked: Vec<usize> = fields.taken().filter(|slot| *slot < TIMEOUT_SLOT).collect();
    let mut effect = None;
    for slot in &asked {
        let name = EFFECT_FIELDS[*slot].name;
        if let Some(value) = fields.in_slot(*slot, name, &mut report.structure) {
            effect = read_effect(*slot, value, &at.field(name), report);
        }
    }
    let timeout_ms = fields
        .optional(CONFIRM_TIMEOUT.name, &mut report.structure)
        .and_then(|value| expect_number(value, &at.field(CONFIRM_TIMEOUT.name), &mut report.structure));
    let effects = EFFECT_FIELDS.map(|field| field.name);
    let known = || effects.into_iter().chain([CONFIRM_TIMEOUT.name]).collect();
    let unknown = fields.refuse_unknown(known, &mut report.structure);
    let message = match asked.len() {
        // The unknown key may be meant as one of them.
        0 if unknown.is_empty() => format!("{} must say what to wait for", at.name()),
        0 | 1 => {
            return Some(Confirm { effect: effect?, timeout_ms });
        }
        count => format!("{} must have one effect, not {count}", at.name()),
    };
    let hint = format!("Give one of: {}.", effects.join(", "));
    report.structure.problem(at, message).hint = Some(hint);
    None
}

fn read_effect<'w>(
    slot: usize,
    json: Value<'w>,
    at: &Path<'_>,
    report: &mut CheckReport<'w>,
) -> Option<ConfirmEffect> {
    match slot {
        0 => read_matcher(json, at, report).map(ConfirmEffect::Appears),
        1 => read_matcher(json, at, report).map(ConfirmEffect::Disappears),
        _ => {
            let wanted = expect_flag(json, at, &mut report.structure)?;
            if !wanted {
                let problem = report.structure.problem(at, format!("{} must be true", at.name()));
                problem.hint = Some("Leave confirm out if nothing is to be verified.".to_owned());
            }
            wanted.then_some(ConfirmEffect::Changed)
        }
    }
}

/// Warns of a wait that is not used as it is.
pub(super) fn warn_of_clamped(confirm: &Confirm, at: &Path<'_>, report: &mut CheckReport<'_>) {
    let (name, range) = (CONFIRM_TIMEOUT.name, CONFIRM_TIMEOUT_RANGE);
    if let Some(sent) = confirm.timeout_ms.filter(|sent| range.apply(*sent) != *sent) {
        report.warn(WarningCode::ValueClamped, &at.field(name), || range.warning(name, sent));
    }
}
