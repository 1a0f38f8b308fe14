//! A recipe made of a recording: what was done, with the user's own texts as
//! inputs, and with what was seen afterwards as confirmations. Pure.
//!
//! Nothing is made up: what a recipe cannot say is left out and told, and what
//! the recording does not know is left for the author.

mod drafter;
mod landmarks;
mod name;
mod private;
mod write;

pub use name::ElementName;
pub use private::RecordedInput;

use crate::recipe::{Capability, Denylist, Framework};
use crate::repo::SkillId;
use clawperator_contract::{ActionKind, Failure};
use clawperator_recording::{AppStart, Doubt, Recording};
use drafter::Drafter;
use serde::Serialize;

/// What to make a recipe of, besides the recording.
#[derive(Clone, Copy, Debug)]
pub struct DraftOrder<'o> {
    pub skill: SkillId<'o>,
    pub summary: &'o str,
    pub denylist: &'o Denylist,
    pub facts: &'o Facts,
}

/// What is known of the app and the phone that were recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    pub version_name: Option<String>,
    pub version_code: Option<u64>,
    pub android_api: Option<u64>,
    pub device_model: Option<String>,
    pub locale: Option<String>,
}

/// A recipe made of a recording.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecipeDraft {
    #[serde(skip)]
    pub recipe: String,
    /// Its inputs, with the values that were recorded.
    pub inputs: Vec<RecordedInput>,
    /// What was done and is not in it.
    pub left_out: Vec<LeftOut>,
    pub to_do: Vec<String>,
    /// What is not certain about the recording.
    pub unsure: Vec<Doubt>,
    /// How its steps name elements, in order.
    #[serde(skip)]
    pub named: Vec<ElementName>,
}

/// Something that was done and is not in the recipe.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeftOut {
    pub seq: clawperator_contract::Number,
    pub action: &'static str,
    pub why: String,
}

/// The steps and what they need, before they are written.
#[derive(Debug, Default)]
struct Sketch {
    steps: Vec<StepSketch>,
    capabilities: Vec<Capability>,
    frameworks: Vec<Framework>,
    /// Whether the app begins afresh.
    start: AppStart,
}

#[derive(Clone, Debug)]
struct StepSketch {
    id: String,
    kind: ActionKind,
    selector: Option<ElementName>,
    container: Option<ElementName>,
    params: Vec<(&'static str, String)>,
    confirm: Option<ConfirmSketch>,
}

/// What must be seen after a step.
#[derive(Clone, Debug)]
struct ConfirmSketch {
    selector: ElementName,
    gone: bool,
    timeout_ms: Option<u32>,
}

/// Makes a recipe of a recording.
///
/// # Errors
/// If the recording cannot be compiled, or never opens the skill's app.
pub fn draft(recording: &Recording, order: &DraftOrder<'_>) -> Result<RecipeDraft, Failure> {
    let mut drafter = Drafter::new(recording, order)?;
    drafter.steps();
    let (sketch, mut draft) = drafter.finish()?;
    draft.recipe = write::recipe(&sketch, order, recording, &mut draft);
    let steps = sketch.steps.into_iter();
    draft.named = steps
        .flat_map(|step| {
            let confirm = step.confirm.map(|confirm| confirm.selector);
            [step.selector, step.container, confirm].into_iter().flatten()
        })
        .collect();
    Ok(draft)
}
