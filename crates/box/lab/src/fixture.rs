//! Turns a run's journal into a world for the simulated phone, in which the
//! same payload runs the same way: the screens that were seen, and what led
//! from one to the next. Pure but for the trees that it reads.

mod act;
mod dumps;

use act::{of_command, of_touch};
use clawperator_contract::ActionKind;
use clawperator_events::Event;
use clawperator_journal::StoredJournal;
use clawperator_redact::masked_letters;
use clawperator_skills::world::{MAX_SCENES, SIZE, Scene, SceneAct, home, world};
use clawperator_ui::{Flag, Screen};
pub use dumps::{DumpScreen, of_dumps};
use serde_json::Value;
use std::fmt;

/// The most letters that are made up.
const MAX_LETTERS: usize = 10_000;

/// A world, and the payload that goes with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixture {
    pub world: String,
    pub payload: String,
    /// What may not be as it was, for people.
    pub unsure: Vec<String>,
    pub screens: usize,
}

/// Why there is no world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixtureError {
    NoBeginning,
    NothingSeen,
}

impl fmt::Display for FixtureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoBeginning => "the journal has no first line, so the payload is unknown",
            Self::NothingSeen => "the run saw no screen and started no app",
        })
    }
}

impl std::error::Error for FixtureError {}

/// Makes a world of a journal.
///
/// # Errors
/// [`FixtureError`] if the journal has not what it takes.
pub fn fixture(kept: &StoredJournal) -> Result<Fixture, FixtureError> {
    let begin = kept.begin().ok_or(FixtureError::NoBeginning)?;
    let mut unsure = Vec::new();
    let (scenes, launched) = scenes(kept, &mut unsure);
    if scenes.is_empty() && launched.is_empty() {
        return Err(FixtureError::NothingSeen);
    }
    let mut payload = begin.execution.clone();
    restore(kept, &mut payload, &mut unsure);
    differences(&scenes, &mut unsure);
    let world = world(&scenes, &launched, &mut unsure);
    Ok(Fixture { world, payload: format!("{payload:#}\n"), unsure, screens: scenes.len() })
}

/// The screens that were seen, and the packages that were started.
fn scenes(kept: &StoredJournal, unsure: &mut Vec<String>) -> (Vec<Scene>, Vec<String>) {
    let mut scenes: Vec<Scene> = Vec::new();
    let mut launched: Vec<String> = Vec::new();
    let mut acts = Vec::new();
    let mut starting: Option<String> = None;
    let mut last = "";
    for entry in &kept.entries {
        match &entry.event {
            // What was done and changed nothing leads nowhere.
            Event::Look(look) if look.tree == last => acts.clear(),
            Event::Look(look) => {
                let tree = kept.tree(&look.tree).and_then(|dump| clawperator_ui::read(&dump).ok());
                let Some(tree) = tree.filter(|_| scenes.len() < MAX_SCENES) else {
                    unsure.push(format!("the screen at {} ms was not stored", entry.at_us / 1000));
                    continue;
                };
                last = &look.tree;
                scenes.push(Scene {
                    tree,
                    package: home(&look.package),
                    at_us: entry.at_us,
                    before: std::mem::take(&mut acts),
                });
            }
            Event::Touch(touch) => acts.push(of_touch(touch)),
            Event::Command(command) => acts.extend(of_command(command)),
            _ => {}
        }
        // An app that did not start must not be there to start.
        match (&entry.event, acts.last()) {
            (Event::StepBegin(_), _) => starting = None,
            (Event::Command(_), Some(SceneAct::Launch(package))) => starting = Some(package.clone()),
            (Event::StepEnd(end), _) if end.success => launched.extend(starting.take()),
            _ => {}
        }
    }
    launched.retain(|package| home(package) == *package);
    (scenes, launched)
}

/// What of the phone that was the simulated one is not like.
fn differences(scenes: &[Scene], unsure: &mut Vec<String>) {
    let Some(first) = scenes.first() else { return };
    let area = Screen::new(&first.tree).area();
    if (area.right, area.bottom) != SIZE {
        let (width, height) = (area.right, area.bottom);
        unsure.push(format!(
            "the screen was {width}x{height}: give the simulated phone that size (adb shell wm size {width}x{height})"
        ));
    }
    if first.tree.rotation != 0 {
        unsure.push("the screen was rotated".to_owned());
    }
}

/// Puts something in the place of what was typed and not told: what the field
/// showed afterwards, or letters of that number.
fn restore(kept: &StoredJournal, payload: &mut Value, unsure: &mut Vec<String>) {
    let Some(actions) = payload.get_mut("actions").and_then(Value::as_array_mut) else {
        return;
    };
    for (number, action) in actions.iter_mut().enumerate() {
        let kind = action["type"].as_str().and_then(ActionKind::from_type);
        let key = kind.and_then(|kind| kind.spec().private);
        let text = key.and_then(|key| action.pointer_mut(&format!("/params/{}", key.name())));
        let letters = text.as_ref().and_then(|text| masked_letters(text.as_str()?));
        let (Some(text), Some(letters)) = (text, letters) else {
            continue;
        };
        let letters = letters.min(MAX_LETTERS);
        let shown = shown_after(kept, number).filter(|shown| shown.chars().count() == letters);
        if shown.is_none() {
            unsure.push(format!("step {number} types {letters} letters that the journal hides"));
        }
        *text = Value::from(shown.unwrap_or_else(|| "x".repeat(letters)));
    }
}

/// What the field with the focus showed at the end of a step.
fn shown_after(kept: &StoredJournal, step: usize) -> Option<String> {
    let begins = |event: &Event| matches!(event, Event::StepBegin(begin) if begin.step == step);
    let ends = |event: &Event| matches!(event, Event::StepEnd(end) if end.step == step);
    let from = kept.entries.iter().position(|entry| begins(&entry.event))?;
    let inside = kept.entries.iter().skip(from).take_while(|entry| !ends(&entry.event));
    let looks = inside.filter_map(|entry| match &entry.event {
        Event::Look(look) => Some(look),
        _ => None,
    });
    let tree = clawperator_ui::read(&kept.tree(&looks.last()?.tree)?).ok()?;
    let mut nodes = tree.nodes();
    let field = nodes.find(|(_, node)| node.flags.has(Flag::Focused))?.1;
    (!field.flags.has(Flag::Password)).then(|| field.text.clone())
}
