//! Sets a slider: touches where the value should be, reads what came of it, and goes on from there.
//! A tree says neither a slider's range nor where its ends are; two touches and their values do.

use super::field::InputField;
use super::text::act_failure;
use crate::outcome::{Data, StepFailure, StepOutcome};
use crate::run::Run;
use clawperator_contract::{DataKey, EnterText, ErrorCode};
use clawperator_phone::{Act, Finger, LookTo};
use clawperator_ui::{Bounds, Point, Screen};

/// How many touches one setting takes at most.
const MAX_TOUCHES: usize = 8;
/// The end of a range that is not known yet.
const USUAL_END: f64 = 100.0;

/// Sets a slider to the number that the step has as its text.
pub(super) async fn set(run: &mut Run<'_>, step: &EnterText, field: &InputField) -> StepOutcome {
    let Some(wanted) = number(&step.text).filter(|_| !step.submit) else {
        let message = "a slider takes a number, and no Enter; nothing was done";
        return Err(not_set(message, step, None));
    };
    let mut seen: Vec<(f64, f64)> = Vec::new();
    let mut touched = None;
    loop {
        let tree = run.look_once(LookTo::Touch, ErrorCode::TextNotEntered).await?;
        let Some(id) = field.again(&tree) else {
            return Err(not_set("the slider is not on the screen any more", step, None));
        };
        let shown = tree.node(id).text.clone();
        let Some(value) = number(&shown) else {
            let message = "the slider does not say its value, so it cannot be set and read back; \
                drag or click a point of it, and take a picture";
            return Err(not_set(message, step, None));
        };
        if value == wanted {
            run.note_typed(&tree, id);
            return Ok(set_to(step, shown));
        }
        seen.extend(touched.map(|at| (at, value)));
        let track = Track::of(Screen::new(&tree).visible_bounds(id));
        let at = track.place(&seen, value, wanted);
        if seen.len() >= MAX_TOUCHES || seen.iter().any(|(before, _)| *before == at) {
            let message = "the slider cannot be set to this value with a finger";
            return Err(not_set(message, step, Some(shown)));
        }
        let touch = Act::Touch(Finger::Tap(track.point(at)), run.unchanged());
        run.perform(touch).await.map_err(|error| act_failure(&error))?;
        run.note_accepted();
        touched = Some(at);
    }
}

/// The data of a step that has set a value and read it back.
pub(super) fn set_to(step: &EnterText, shown: String) -> Data {
    Data::from([(DataKey::Submit, step.submit.to_string()), (DataKey::Text, shown)])
}

/// The failure of a step whose value is another one in the end.
pub(super) fn not_set(message: &str, step: &EnterText, shown: Option<String>) -> StepFailure {
    let expected = shown.as_ref().map(|_| &*step.text);
    let failure = StepFailure::new(ErrorCode::TextNotEntered, message).for_good();
    failure.with_some(DataKey::ExpectedText, expected).with_some(DataKey::ActualText, shown)
}

/// The pixels that the finger of a slider can be at, along its longer side.
struct Track {
    bounds: Bounds,
    is_upright: bool,
    first: f64,
    last: f64,
}

impl Track {
    fn of(bounds: Bounds) -> Self {
        let is_upright = bounds.bottom - bounds.top > bounds.right - bounds.left;
        let (first, end) = if is_upright { (bounds.top, bounds.bottom) } else { (bounds.left, bounds.right) };
        Self { bounds, is_upright, first: f64::from(first), last: f64::from(end) - 1.0 }
    }

    /// Where the wanted value should be, going by the values that touches gave:
    /// on the line through the two that are nearest to it.
    fn place(&self, seen: &[(f64, f64)], value: f64, wanted: f64) -> f64 {
        let length = self.last - self.first;
        let mut near = seen.to_vec();
        near.sort_by(|one, two| (one.1 - wanted).abs().total_cmp(&(two.1 - wanted).abs()));
        let at = match near[..] {
            [] => {
                let part = wanted / USUAL_END.max(value).max(wanted);
                let part = if self.is_upright { 1.0 - part } else { part };
                self.first + length * part
            }
            // Most sliders begin at 0.
            [(at, got)] if got > 0.0 && wanted > 0.0 => {
                let end = if self.is_upright { self.last } else { self.first };
                end + (at - end) * wanted / got
            }
            // From the first touch to the middle of the longer side of it.
            [(at, _)] if at - self.first < length / 2.0 => (at + self.last) / 2.0,
            [(at, _)] => (at + self.first) / 2.0,
            [(one, low), .., (two, high)] if low == near[1].1 => {
                one + (wanted - low) * (two - one) / (high - low)
            }
            [(one, low), (two, high), ..] => one + (wanted - low) * (two - one) / (high - low),
        };
        let at = if at.is_finite() { at } else { self.first + length / 2.0 };
        at.round().clamp(self.first, self.last)
    }

    fn point(&self, at: f64) -> Point {
        let Point { x, y } = self.bounds.center();
        // `as` saturates, and the place is inside the bounds.
        let at = at as i32;
        if self.is_upright { Point { x, y: at } } else { Point { x: at, y } }
    }
}

/// A number as a slider shows it: `30.0`, `75 %`, `0,5`.
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches('%').trim_end().replace(',', ".");
    text.parse().ok().filter(|number: &f64| number.is_finite())
}
