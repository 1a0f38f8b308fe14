//! Turns the app's answers into one envelope: snapshots get their hierarchies,
//! and the parts of an execution are joined. Pure.

use super::hierarchy::Trees;
use crate::run::{EARLY, is_click};
use clawperator_contract::{Action, ActionKind, DataKey, Envelope, ErrorCode, ParamKey, Status, StepResult};
use clawperator_phone::Dark;
use clawperator_redact::mask;

/// The app's message when its time is up.
const TIMED_OUT: &str = "Agent command timed out";

/// The result of one part.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PartOutcome {
    pub(super) steps: Vec<StepResult>,
    /// A failure that the app reports for no step.
    pub(super) failure: Option<AppFailure>,
}

/// A failure that the app reports for a whole part.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AppFailure {
    pub(super) message: String,
    pub(super) code: String,
}

/// Judges an answer to these actions, of which `before` came right before.
///
/// # Errors
/// Why it does not answer them.
pub(super) fn outcome(
    envelope: Envelope,
    trees: Trees,
    actions: &[Action],
    before: Option<&Action>,
) -> Result<PartOutcome, String> {
    let mut steps = envelope.step_results;
    if steps.len() > actions.len() {
        return Err(format!("it has {} steps, but {} were sent", steps.len(), actions.len()));
    }
    for (step, action) in steps.iter_mut().zip(actions) {
        if step.id != action.id().as_str() {
            return Err("its steps are not the ones that were sent".to_owned());
        }
        action.kind().name().clone_into(&mut step.action_type);
        if action.kind() == ActionKind::EnterText {
            // The app repeats what it typed, and it is unknown here whether
            // the field was one for passwords.
            step.data.remove(DataKey::Text.name());
        }
    }
    attach(&mut steps, trees);
    warn(&mut steps, actions, before);
    let failure = match envelope.status {
        Status::Failed if steps.iter().all(|step| step.success) => {
            let message = envelope.error.unwrap_or_else(|| "the app gives no reason".to_owned());
            let code = envelope.error_code.unwrap_or_else(|| code_of(&message));
            Some(AppFailure { message, code })
        }
        Status::Success if steps.len() < actions.len() => {
            return Err(format!(
                "it reports success with {} steps, but {} were sent",
                steps.len(),
                actions.len()
            ));
        }
        Status::Success | Status::Failed => None,
    };
    Ok(PartOutcome { steps, failure })
}

fn code_of(message: &str) -> String {
    let code =
        if message.starts_with(TIMED_OUT) { ErrorCode::CommandTimeout } else { ErrorCode::ActionFailed };
    code.name().to_owned()
}

/// Gives each snapshot its hierarchy, and fails those that have none.
fn attach(steps: &mut [StepResult], trees: Trees) {
    let wants = |step: &&mut StepResult| {
        // Newer apps put the hierarchy into the answer itself.
        step.success && step.action_type == ActionKind::SnapshotUi.name() && step.get(DataKey::Text).is_none()
    };
    let mut snapshots: Vec<_> = steps.iter_mut().filter(wants).collect();
    let mut hierarchies = trees.all;
    if trees.is_mixed {
        // Ours are the last: the app did nothing else until it answered.
        let others = hierarchies.len().saturating_sub(snapshots.len());
        hierarchies.drain(..others);
    }
    if snapshots.len() != hierarchies.len() {
        let (have, want) = (hierarchies.len(), snapshots.len());
        let why = format!("the log has {have} hierarchies for {want} snapshots");
        snapshots.into_iter().for_each(|step| lacks(step, &why));
        return;
    }
    for (step, hierarchy) in snapshots.iter_mut().zip(hierarchies) {
        match hierarchy {
            Ok(text) => step.insert(DataKey::Text, text),
            Err(why) => lacks(step, &why),
        }
    }
}

/// The app's answers without what must not be seen: hierarchies are read, and
/// what else names an element that may be dark is dots.
pub(super) fn darken(steps: &mut [StepResult], actions: &[Action], dark: &Dark) {
    for (step, action) in steps.iter_mut().zip(actions) {
        let is_dump = action.kind() == ActionKind::SnapshotUi;
        let dump = is_dump.then(|| step.data.remove(DataKey::Text.name())).flatten();
        if let Some(text) = dump {
            match dark.darken_dump(text) {
                Some(text) => step.insert(DataKey::Text, text),
                None => lacks(step, "a secret in it cannot be hidden"),
            }
        }
        let matcher = action.params().and_then(|params| params.matcher(ParamKey::Matcher));
        let id = matcher.and_then(|matcher| matcher.resource_id.as_deref());
        let reads = matches!(action.kind(), ActionKind::ReadText | ActionKind::ReadKeyValuePair);
        let is_dark = reads && dark.may_be_dark(id);
        for (key, value) in &mut step.data {
            *value = match key.as_str() {
                "text" if is_dump => continue,
                "text" | "raw_text" | "value" | "label" if is_dark => mask(value),
                _ => dark.hide(value),
            };
        }
    }
}

fn lacks(step: &mut StepResult, why: &str) {
    step.success = false;
    step.insert(DataKey::Error, ErrorCode::SnapshotExtractionFailed);
    step.insert(DataKey::Message, format!("the phone's log does not have the hierarchy: {why}"));
}

/// A snapshot right after a click may be too early.
fn warn(steps: &mut [StepResult], actions: &[Action], before: Option<&Action>) {
    for (number, step) in steps.iter_mut().enumerate() {
        let before = number.checked_sub(1).map_or(before, |number| actions.get(number));
        if step.success && step.action_type == ActionKind::SnapshotUi.name() && before.is_some_and(is_click) {
            step.insert(DataKey::Warn, EARLY);
        }
    }
}

/// What stands for the id and the type of a step that the app does not name.
const UNKNOWN: &str = "unknown";

/// The step that a failure is about: the only one there is, or the only one
/// with the matcher that the message names.
fn failed_action<'a>(rest: &'a [Action], message: &str) -> Option<&'a Action> {
    if let [only] = rest {
        return Some(only);
    }
    let named = |action: &&Action| written_matcher(action).is_some_and(|it| message.contains(&it));
    let mut named = rest.iter().filter(named);
    let first = named.next()?;
    named.next().is_none().then_some(first)
}

/// How the app writes the matcher of an action.
fn written_matcher(action: &Action) -> Option<String> {
    let matcher = action.params()?.matcher(ParamKey::Matcher)?;
    let field = |value: &Option<String>| value.clone().unwrap_or_else(|| "null".to_owned());
    Some(format!(
        "NodeMatcher(resourceId={}, role={}, textEquals={}, textContains={}, contentDescEquals={}, contentDescContains={})",
        field(&matcher.resource_id),
        field(&matcher.role),
        field(&matcher.text_equals),
        field(&matcher.text_contains),
        field(&matcher.content_desc_equals),
        field(&matcher.content_desc_contains),
    ))
}

/// A failed step for a part that the app gave up on. Without it the steps
/// before would look like a success.
pub(super) fn given_up(actions: &[Action], done: usize, failure: &AppFailure) -> Option<StepResult> {
    let rest = actions.get(done..).filter(|rest| !rest.is_empty())?;
    let AppFailure { message, code } = failure;
    let action = failed_action(rest, message);
    let message = if action.is_some() {
        message.clone()
    } else {
        let ids: Vec<_> = rest.iter().map(|action| action.id().as_str()).collect();
        format!("one of the steps {} failed; the app does not report which: {message}", ids.join(", "))
    };
    let mut step = StepResult {
        id: action.map_or(UNKNOWN, |action| action.id().as_str()).to_owned(),
        action_type: action.map_or(UNKNOWN, |action| action.kind().name()).to_owned(),
        success: false,
        data: std::collections::BTreeMap::new(),
    };
    step.insert(DataKey::Error, code);
    step.insert(DataKey::Message, message);
    step.insert(DataKey::Dispatched, "unknown");
    Some(step)
}

/// What to do when the app's accessibility service does not run.
pub(super) fn service_hint(serial: &str, package: &str) -> String {
    format!(
        "Turn on the app's accessibility service: run clawperator doctor --fix --device {serial} --operator-package {package}, \
         or set the app up again with clawperator operator setup."
    )
}

#[cfg(test)]
mod tests {
    use super::super::hierarchy::Hierarchy;
    use super::super::wire::tests::execution;
    use super::*;
    use crate::outcome::envelope;
    use serde_json::json;

    fn actions(types: &[&str]) -> Vec<Action> {
        let action = |(number, kind): (usize, &&str)| {
            let params = match *kind {
                "click" => json!({"coordinate": {"x": 1, "y": 1}}),
                "sleep" => json!({"durationMs": 1}),
                "enter_text" => json!({"matcher": {"textEquals": "x"}, "text": "OpSecret77"}),
                "read_text" => json!({"matcher": {"textEquals": "x"}}),
                _ => json!({}),
            };
            json!({"id": format!("s{number}"), "type": kind, "params": params})
        };
        execution(&types.iter().enumerate().map(action).collect()).actions().to_vec()
    }

    fn answer(status: Status, steps: &[(&str, bool)], error: Option<&str>) -> Envelope {
        let step = |(number, (kind, success)): (usize, &(&str, bool))| StepResult {
            id: format!("s{number}"),
            action_type: (*kind).to_owned(),
            success: *success,
            data: std::collections::BTreeMap::new(),
        };
        let steps = steps.iter().enumerate().map(step).collect();
        let error = error.map(str::to_owned);
        Envelope {
            status,
            error,
            ..envelope(&execution(&json!([{"id": "a", "type": "snapshot_ui"}])), steps)
        }
    }

    #[test]
    fn each_snapshot_gets_its_own_hierarchy_or_fails() {
        let sent = actions(&["snapshot_ui", "click", "snapshot_ui"]);
        let done = [("snapshot_ui", true), ("click", true), ("snapshot", true)];
        let answered = answer(Status::Success, &done, None);
        let trees = |all: &[Hierarchy], is_mixed| Trees { all: all.to_vec(), is_mixed };
        let both = [Ok("one".to_owned()), Ok("two".to_owned())];
        let got = outcome(answered.clone(), trees(&both, false), &sent, None).unwrap();
        assert_eq!(got.steps[0].get(DataKey::Text), Some("one"));
        assert_eq!(got.steps[2].get(DataKey::Text), Some("two"));
        assert!(got.steps[2].get(DataKey::Warn).is_some() && got.steps[0].get(DataKey::Warn).is_none());
        let broken = [Ok("one".to_owned()), Err("cut".to_owned())];
        let got = outcome(answered.clone(), trees(&broken, false), &sent, None).unwrap();
        let fine: Vec<_> = got.steps.iter().map(|step| step.success).collect();
        assert_eq!(fine, [true, true, false]);
        // Which one is left over is unknown.
        let got = outcome(answered.clone(), trees(&both[..1], true), &sent, None).unwrap();
        let fine: Vec<_> = got.steps.iter().map(|step| step.success).collect();
        assert_eq!(fine, [false, true, false]);
        let three = [&[Ok("theirs".to_owned())], &both[..]].concat();
        let got = outcome(answered.clone(), trees(&three, true), &sent, None).unwrap();
        assert_eq!(got.steps[0].get(DataKey::Text), Some("one"));
        let got = outcome(answered, trees(&three, false), &sent, None).unwrap();
        assert!(!got.steps[0].success);
    }

    #[test]
    fn what_was_typed_is_not_repeated() {
        let sent = actions(&["enter_text", "read_text"]);
        let done = [("enter_text", true), ("read_text", true)];
        let mut answered = answer(Status::Success, &done, None);
        for step in &mut answered.step_results {
            step.insert(DataKey::Text, "OpSecret77");
            step.insert(DataKey::Submit, "false");
        }
        let got = outcome(answered, Trees::default(), &sent, None).unwrap();
        assert_eq!(got.steps[0].get(DataKey::Text), None);
        assert_eq!(got.steps[0].get(DataKey::Submit), Some("false"));
        assert!(got.steps[1].get(DataKey::Text).is_some());
    }

    #[test]
    fn an_answer_to_something_else_is_none() {
        let sent = actions(&["sleep", "sleep"]);
        let fine = [("sleep", true), ("sleep", true)];
        for (answered, why) in [
            (answer(Status::Success, &fine[..1], None), "success with 1 steps, but 2"),
            (answer(Status::Success, &[("sleep", true); 3], None), "has 3 steps, but 2"),
        ] {
            let message = outcome(answered, Trees::default(), &sent, None).unwrap_err();
            assert!(message.contains(why), "{message}");
        }
        let mut other = answer(Status::Success, &fine, None);
        other.step_results[1].id = "x".to_owned();
        assert!(outcome(other, Trees::default(), &sent, None).is_err());
    }

    #[test]
    fn an_app_that_gives_up_is_not_taken_for_a_success() {
        let sent = actions(&["sleep", "sleep", "sleep"]);
        let gave_up = answer(Status::Failed, &[("sleep", true)], Some("Task execution failed: x"));
        let got = outcome(gave_up, Trees::default(), &sent, None).unwrap();
        let failure = got.failure.unwrap();
        assert_eq!(failure.code, "ACTION_FAILED");
        let step = given_up(&sent, 1, &failure).unwrap();
        assert_eq!((step.id.as_str(), step.get(DataKey::Dispatched)), (UNKNOWN, Some("unknown")));
        assert!(step.get(DataKey::Message).unwrap().contains("s1, s2"));
        let late = answer(Status::Failed, &[], Some("Agent command timed out after 5ms"));
        let got = outcome(late, Trees::default(), &sent, None).unwrap();
        assert_eq!(got.failure.unwrap().code, "COMMAND_TIMEOUT");
    }
}
