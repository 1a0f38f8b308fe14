//! Cuts an execution where only the host can act: an app can neither end
//! another nor take a picture for the host. Pure.

use super::limits::MAX_ID_UNITS;
use clawperator_contract::{Action, OperatorRoute};
use std::ops::Range;

/// Actions that are done in one go, in the order of the execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OperatorPart {
    App(Range<usize>),
    Host(usize),
}

/// A part that the app does, and the id that it is sent with.
pub(super) struct AppPart {
    pub(super) range: Range<usize>,
    pub(super) id: String,
}

/// The parts of an execution. Each action is in one of them, in its place.
pub(super) fn parts(actions: &[Action]) -> Vec<OperatorPart> {
    let mut parts = Vec::new();
    for (number, action) in actions.iter().enumerate() {
        if action.kind().spec().operator == OperatorRoute::Host {
            parts.push(OperatorPart::Host(number));
        } else if let Some(OperatorPart::App(range)) = parts.last_mut() {
            range.end = number + 1;
        } else {
            parts.push(OperatorPart::App(number..number + 1));
        }
    }
    parts
}

/// The id that a part is sent with: the caller's own, unless there are several
/// parts, whose ids must differ.
pub(super) fn wire_id(command_id: &str, parts: &[OperatorPart], number: usize) -> String {
    let is_app = |part: &&OperatorPart| matches!(part, OperatorPart::App(_));
    if parts.iter().filter(is_app).count() < 2 {
        return command_id.to_owned();
    }
    let tail = format!(".{}", number + 1);
    let mut room = MAX_ID_UNITS - tail.len();
    let fits = |letter: &char| {
        let left = room.checked_sub(letter.len_utf16());
        room = left.unwrap_or(0);
        left.is_some()
    };
    let mut id: String = command_id.chars().take_while(fits).collect();
    id.push_str(&tail);
    id
}

#[cfg(test)]
mod tests {
    use super::super::wire::tests::execution;
    use super::*;
    use serde_json::json;

    fn of(types: &str) -> Vec<OperatorPart> {
        let action = |(number, letter): (usize, char)| match letter {
            'c' => json!({"id": number.to_string(), "type": "close_app", "params": {"applicationId": "x"}}),
            't' => json!({"id": number.to_string(), "type": "take_screenshot"}),
            _ => json!({"id": number.to_string(), "type": "snapshot_ui"}),
        };
        parts(execution(&types.chars().enumerate().map(action).collect()).actions())
    }

    #[test]
    fn every_action_keeps_its_place() {
        assert_eq!(of("aaa"), [OperatorPart::App(0..3)]);
        assert_eq!(of("c"), [OperatorPart::Host(0)]);
        assert_eq!(
            of("aactaa"),
            [OperatorPart::App(0..2), OperatorPart::Host(2), OperatorPart::Host(3), OperatorPart::App(4..6)]
        );
    }

    #[test]
    fn ids_of_parts_differ_and_are_no_longer_than_ids_may_be() {
        let parts = of("aca");
        assert_eq!(wire_id("x", &of("ca"), 1), "x");
        assert_eq!((wire_id("x", &parts, 0), wire_id("x", &parts, 2)), ("x.1".to_owned(), "x.3".to_owned()));
        for long in ["y".repeat(128), "👋".repeat(64)] {
            let id = wire_id(&long, &parts, 2);
            assert!(id.encode_utf16().count() <= MAX_ID_UNITS && id.ends_with(".3"), "{id}");
        }
    }
}
