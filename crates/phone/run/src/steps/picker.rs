//! Sets a picker that shows its value between two others: presses the one that
//! leads to the wanted value, reads what came of it, and goes on from there.

use super::field::InputField;
use super::slider::{not_set, number, set_to};
use super::text::act_failure;
use crate::outcome::StepOutcome;
use crate::over_screen::element_names;
use crate::run::Run;
use clawperator_contract::{EnterText, ErrorCode};
use clawperator_phone::{Act, Finger, LookTo};
use clawperator_ui::{Ability, NodeId, Screen, Tree};
use std::time::Duration;

/// How many presses one setting takes at most.
const MAX_PRESSES: usize = 40;
/// How often the value is read again that has not changed yet, and how long the
/// wheel turns in between.
const MAX_LOOKS: usize = 4;
const SETTLE: Duration = Duration::from_millis(250);

pub(super) async fn set(run: &mut Run<'_>, step: &EnterText, field: &InputField) -> StepOutcome {
    if step.submit {
        return Err(not_set("a picker takes no Enter; nothing was done", step, None));
    }
    let (mut seen, mut looks) = (Vec::new(), 0);
    loop {
        let tree = run.look_once(LookTo::Touch, ErrorCode::TextNotEntered).await?;
        let Some(id) = field.again(&tree) else {
            return Err(not_set("the picker is not on the screen any more", step, None));
        };
        let Some(wheel) = Wheel::of(&tree, id) else {
            let message = match pressable_names(run, &tree, id) {
                None => "the picker shows no value to read back; press it, and then the choice".to_owned(),
                Some(names) => format!("the picker shows no value between two others; press one of: {names}"),
            };
            return Err(not_set(&message, step, None));
        };
        let shown = tree.node(wheel.chosen).label().to_owned();
        if is_same(&shown, &step.text) {
            return Ok(set_to(step, shown));
        }
        looks += 1;
        if seen.last() == Some(&shown) && looks < MAX_LOOKS {
            run.wait(SETTLE, "no change", None).await;
            continue;
        }
        let next = wheel.towards(&tree, &step.text);
        let Some(next) = next.filter(|_| seen.len() < MAX_PRESSES && !seen.contains(&shown)) else {
            let message = format!("the picker did not come to this value; presses: {}", seen.len());
            return Err(not_set(&message, step, Some(shown)));
        };
        (seen, looks) = ([seen, vec![shown]].concat(), 0);
        let at = Screen::new(&tree).visible_bounds(next).center();
        let touch = Act::Touch(Finger::Tap(at), run.unchanged());
        run.perform(touch).await.map_err(|error| act_failure(&error))?;
        run.note_accepted();
    }
}

/// What can be pressed inside an element.
fn pressable_names(run: &mut Run<'_>, tree: &Tree, id: NodeId) -> Option<String> {
    let inside = tree.descendants(id);
    let inside: Vec<_> = inside.filter(|id| tree.can(*id, Ability::Click)).collect();
    (!inside.is_empty()).then(|| element_names(run, tree, &inside))
}

/// The value of a picker, and those before and after it that can be pressed.
struct Wheel {
    chosen: NodeId,
    others: Vec<NodeId>,
}

impl Wheel {
    fn of(tree: &Tree, id: NodeId) -> Option<Self> {
        let chosen = tree.picked(id)?;
        let others = tree.descendants(id).filter(|id| *id != chosen);
        let others: Vec<_> =
            others.filter(|id| tree.can(*id, Ability::Click) && !tree.node(*id).label().is_empty()).collect();
        (!others.is_empty()).then_some(Self { chosen, others })
    }

    /// What to press: the number that is nearest to the wanted one; of words, the
    /// one that is wanted, or else the one after.
    fn towards(&self, tree: &Tree, wanted: &str) -> Option<NodeId> {
        let distance = |id: &&NodeId| {
            let shown = tree.node(**id).label();
            match (number(shown), number(wanted)) {
                (Some(shown), Some(wanted)) => (shown - wanted).abs(),
                _ if is_same(shown, wanted) => 0.0,
                _ => f64::MAX,
            }
        };
        // Of equal ones the first, which is the last on the screen.
        let others = self.others.iter().rev();
        others.min_by(|one, two| distance(one).total_cmp(&distance(two))).copied()
    }
}

/// Whether two values are the same, as numbers or as words.
fn is_same(one: &str, two: &str) -> bool {
    match (number(one), number(two)) {
        (Some(one), Some(two)) => one == two,
        _ => one.trim() == two.trim(),
    }
}
