//! Writes a sketch as the YAML of a recipe.

use super::name::ElementName;
use super::{DraftOrder, Facts, RecipeDraft, Sketch, StepSketch};
use crate::recipe::{Annotation, Capability, RecipeType, SessionPolicy};
use crate::world::quoted;
use clawperator_contract::ActionKind;
use clawperator_recording::{AppStart, Recording};
use std::fmt::Write as _;

/// The recipe. What is not known is left for the author, and told.
pub(super) fn recipe(
    sketch: &Sketch,
    order: &DraftOrder<'_>,
    recording: &Recording,
    draft: &mut RecipeDraft,
) -> String {
    let mut out = String::new();
    let session: String = recording.header.session_id.chars().filter(|c| !c.is_control()).collect();
    line(&mut out, &format!("# Made of the recording {session}. Read it before you publish it."));
    for gesture in &draft.left_out {
        let (seq, action, why) = (gesture.seq, gesture.action, &gesture.why);
        line(&mut out, &format!("# Left out: {action} (event {seq}): {}", one_line(why)));
    }
    head(&mut out, sketch, order);
    facts(&mut out, order.facts, &mut draft.to_do);
    let words: Vec<_> = sketch.capabilities.iter().map(|each| each.word()).collect();
    line(&mut out, &format!("capabilities: [{}]", words.join(", ")));
    if draft.inputs.is_empty() {
        line(&mut out, "inputs: []");
    } else {
        line(&mut out, "inputs:");
    }
    for input in &draft.inputs {
        line(&mut out, &format!("  - name: {}", input.name));
        line(&mut out, "    type: string\n    required: true\n    default: \"\"");
        line(&mut out, &format!("    description: {}", quoted(input.description)));
    }
    line(&mut out, "outputs: []\nsteps:");
    for step in &sketch.steps {
        self::step(&mut out, step);
    }
    out
}

fn head(out: &mut String, sketch: &Sketch, order: &DraftOrder<'_>) {
    let touches = [Capability::Click, Capability::LongClick];
    // Whether a touch only navigates cannot be told, so each is verified.
    let acts = sketch.capabilities.iter().any(|each| touches.contains(each));
    let kind = if acts { RecipeType::Action } else { RecipeType::Flow };
    let frameworks: Vec<_> = sketch.frameworks.iter().map(|each| each.word()).collect();
    line(out, &format!("recipe_id: {}", order.skill.id));
    line(out, "recipe_version: 0.1.0");
    line(out, &format!("recipe_type: {}", kind.word()));
    line(out, &format!("application_id: {}", order.skill.application_id));
    line(out, &format!("summary: {}", quoted(order.summary)));
    line(out, &format!("frameworks: [{}]", frameworks.join(", ")));
    let policy = match sketch.start {
        AppStart::Clean => SessionPolicy::Fresh,
        AppStart::AsItIs => SessionPolicy::ResumeOk,
    };
    line(out, &format!("session_policy: {}", policy.word()));
}

fn facts(out: &mut String, facts: &Facts, to_do: &mut Vec<String>) {
    match (&facts.version_name, facts.version_code) {
        (Some(name), Some(code)) => {
            line(out, &format!("app_build:\n  version_name: {}\n  version_code: {code}", quoted(name)));
        }
        _ => {
            line(out, "# app_build: {version_name: \"\", version_code: 0}");
            to_do.push(
                "app_build is not known from the recording: write version_name and version_code, or name the phone \
                 with --device"
                    .to_owned(),
            );
        }
    }
    let Some(api) = facts.android_api else {
        line(out, "# tested_on: {android_api: 0}");
        to_do.push(
            "tested_on is not known from the recording: write android_api, or name the phone with --device"
                .to_owned(),
        );
        return;
    };
    line(out, &format!("tested_on:\n  android_api: {api}"));
    for (key, value) in [("device_model", &facts.device_model), ("locale", &facts.locale)] {
        if let Some(value) = value {
            line(out, &format!("  {key}: {}", quoted(value)));
        }
    }
}

fn step(out: &mut String, step: &StepSketch) {
    line(out, &format!("  - id: {}\n    type: {}", step.id, step.kind.name()));
    if let Some(named) = &step.selector {
        // A click after scrolling on what is the app's own would count as
        // navigation. Only the author can tell whether it is.
        match (step.kind, named.annotation()) {
            (ActionKind::ScrollAndClick, Annotation::Structural) => bare(out, "selector", named, 4),
            _ => selector(out, "selector", named, 4),
        }
    }
    if let Some(named) = &step.container {
        selector(out, "container", named, 4);
    }
    if !step.params.is_empty() {
        line(out, "    params:");
        for (key, value) in &step.params {
            line(out, &format!("      {key}: {value}"));
        }
    }
    if let Some(confirm) = &step.confirm {
        line(out, "    confirm:");
        selector(out, "selector", &confirm.selector, 6);
        if confirm.gone {
            line(out, "      gone: true");
        }
        if let Some(timeout) = confirm.timeout_ms {
            line(out, &format!("      timeout_ms: {timeout}"));
        }
    }
}

/// A selector without an annotation.
fn bare(out: &mut String, key: &str, named: &ElementName, indent: usize) {
    let before = " ".repeat(indent);
    line(out, &format!("{before}{key}:"));
    for (key, value) in named.fields() {
        line(out, &format!("{before}  {key}: {}", quoted(value)));
    }
}

fn selector(out: &mut String, key: &str, named: &ElementName, indent: usize) {
    bare(out, key, named, indent);
    let before = " ".repeat(indent);
    line(out, &format!("{before}  annotation: {}", named.annotation().word()));
}

fn line(out: &mut String, text: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(out, "{text}");
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
