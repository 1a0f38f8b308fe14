//! Gives an element the input focus, without clicking it.

use super::click::{self, TouchTarget};
use crate::look::{Codes, RetriedLook};
use crate::outcome::{Data, StepFailure, StepOutcome};
use crate::run::Run;
use clawperator_contract::{DataKey, ErrorCode, Matcher, RetryPolicy};
use clawperator_phone::{Act, Finger, KeyCode, LookTo};
use clawperator_ui::{Ability, Flag, Node, NodeId, Point, Screen};

/// How many keys are pressed at most to reach an element.
const MAX_KEYS: u32 = 20;

/// What is said of a field that was touched: no phone has a way to focus a field
/// that neither touches it nor types.
const TOUCHED: &str =
    "the field was touched to give it the focus; if its app reacts to touches of it, it has";

/// How the focus gets to an element.
enum FocusWay {
    Already,
    /// A touch gives a field the focus and does nothing else.
    Touch(Point),
    /// A touch would click it, so the keyboard's key moves the focus.
    Keys,
}

/// Gives an element the focus and sees that it has it.
pub(super) async fn focus(run: &mut Run<'_>, matcher: &Matcher, retry: &RetryPolicy) -> StepOutcome {
    let codes = Codes { unseen: ErrorCode::NodeNotFound, untouched: ErrorCode::GestureFailed };
    let found = run.look_and_touch(retry, codes, |run, tree| {
        let screen = Screen::new(&tree);
        let (found, mut details) = run.choose(&screen, matcher)?;
        let way = way(run, &screen, found, &mut details)?;
        let finger = match way {
            FocusWay::Touch(at) => Some(Finger::Tap(at)),
            FocusWay::Already | FocusWay::Keys => None,
        };
        Ok((finger, (way, tree.excerpt(found), details)))
    });
    let (way, named, mut details) = found.await?;
    match way {
        FocusWay::Already => return Ok(details),
        FocusWay::Touch(_) => {
            let missing = || not_clickable(format!("{named} did not take the focus"));
            let focused = run
                .look_for(RetriedLook::to_touch(retry, ErrorCode::NodeNotClickable), |run, tree| {
                    has_focus(run, &Screen::new(&tree), matcher)?.then_some(()).ok_or_else(missing)
                });
            focused.await.map_err(|failure| failure.after("the field was touched"))?;
            details.insert(DataKey::Warn, TOUCHED.to_owned());
            return Ok(details);
        }
        FocusWay::Keys => {}
    }
    for _ in 0..MAX_KEYS {
        let pressed = run.perform(Act::Key(KeyCode::Tab, run.unchanged())).await;
        pressed.map_err(|error| StepFailure::of(ErrorCode::GestureFailed, &error.error).for_good())?;
        let seen = run.look_once(LookTo::Touch, ErrorCode::NodeNotFound).await;
        let tree = seen.map_err(|failure| failure.after("the tab key was pressed"))?;
        if has_focus(run, &Screen::new(&tree), matcher)? {
            return Ok(details);
        }
    }
    let message = format!("{named} did not get the focus after {MAX_KEYS} presses of the tab key");
    Err(not_clickable(message).for_good())
}

fn not_clickable(message: String) -> StepFailure {
    StepFailure::new(ErrorCode::NodeNotClickable, message)
}

fn way(
    run: &Run<'_>,
    screen: &Screen<'_>,
    found: NodeId,
    details: &mut Data,
) -> Result<FocusWay, StepFailure> {
    let tree = screen.tree();
    let named = tree.excerpt(found);
    let Some(taker) = tree.nearest(found, Ability::Focus) else {
        return Err(not_clickable(format!("{named} cannot have the focus, and nothing around it can")));
    };
    let flags = tree.node(taker).flags;
    if flags.has(Flag::Focused) {
        return Ok(FocusWay::Already);
    }
    if !flags.has(Flag::Enabled) {
        return Err(not_clickable(format!("{named} is not enabled")));
    }
    if !tree.can(taker, Ability::Edit) {
        let types =
            |(id, node): (NodeId, &Node)| node.flags.has(Flag::Focused) && tree.can(id, Ability::Edit);
        if tree.nodes().any(types) {
            return Err(not_clickable(format!(
                "{named} is reached with the tab key, which a text field that has the focus would take"
            )));
        }
        return Ok(FocusWay::Keys);
    }
    let at = click::touch(run, screen, TouchTarget { id: taker, taker: Some(taker) }, details)?;
    at.map(FocusWay::Touch).ok_or_else(|| not_clickable(format!("{named} is not on the screen")))
}

fn has_focus(run: &mut Run<'_>, screen: &Screen<'_>, matcher: &Matcher) -> Result<bool, StepFailure> {
    let tree = screen.tree();
    let found = run.first_match(screen, matcher)?;
    let taker = found.and_then(|found| tree.nearest(found, Ability::Focus));
    Ok(taker.is_some_and(|taker| tree.node(taker).flags.has(Flag::Focused)))
}
