//! Reads what is on the screen.

use super::scroll::NO_CONTAINER;
use crate::look::{Candidates, NO_MATCH, RetriedLook};
use crate::outcome::{Data, StepFailure, StepOutcome};
use crate::run::Run;
use clawperator_contract::{DataKey, ErrorCode, Matcher, Matches, ReadKeyValuePair, ReadText, TextCheck};
use clawperator_ui::{NodeId, Screen, TextValidator};
use serde_json::{Value, json};

pub(super) async fn read_text(run: &mut Run<'_>, step: &ReadText) -> StepOutcome {
    let validator = TextValidator::new(&step.check).map_err(|error| {
        StepFailure::new(ErrorCode::ExecutionValidationFailed, error.to_string()).for_good()
    })?;
    let reading = run.look_for(RetriedLook::to_show(&step.retry, ErrorCode::NodeNotFound), |run, tree| {
        let screen = Screen::new(&tree);
        match step.matches {
            Matches::All => all(run, &screen, step, &validator),
            Matches::First => first(run, &screen, step, &validator),
        }
    });
    reading.await
}

/// The container to look in, if the step names one.
fn container(run: &mut Run<'_>, screen: &Screen<'_>, step: &ReadText) -> Result<Option<NodeId>, StepFailure> {
    let Some(matcher) = &step.container else {
        return Ok(None);
    };
    let missing = || StepFailure::new(ErrorCode::ContainerNotFound, NO_CONTAINER);
    let found = run.first_match(screen, matcher)?.ok_or_else(missing)?;
    if run.rules.strict {
        run.choose(screen, matcher).map_err(|mut failure| {
            failure.message.push_str(" the container");
            failure
        })?;
    }
    Ok(Some(found))
}

/// The elements that may be read.
fn candidates<'s>(
    run: &mut Run<'_>,
    screen: &Screen<'_>,
    step: &'s ReadText,
) -> Result<Candidates<'s>, StepFailure> {
    let matcher = &*step.matcher;
    Ok(match container(run, screen, step)? {
        None => Candidates { ids: run.matching(screen, matcher)?, matcher, none: NO_MATCH },
        Some(outer) => Candidates {
            ids: run.matching_inside(screen, outer, matcher)?,
            matcher,
            none: "no element in the container matches",
        },
    })
}

fn first(run: &mut Run<'_>, screen: &Screen<'_>, step: &ReadText, validator: &TextValidator) -> StepOutcome {
    let candidates = candidates(run, screen, step)?;
    let (found, mut details) = run.choose_among(screen, &candidates)?;
    let text = screen.tree().node(found).label();
    if text.is_empty() {
        let message = "the element has no text";
        return Err(StepFailure::new(ErrorCode::NodeNotFound, message));
    }
    if !validator.passes(text) {
        return Err(mismatch(&step.check, text));
    }
    add_container(step, &mut details);
    details.insert(DataKey::Text, text.to_owned());
    details.insert(DataKey::Validator, validator_word(&step.check).to_owned());
    Ok(details)
}

/// The failure of a text that the validator refuses.
fn mismatch(check: &TextCheck, text: &str) -> StepFailure {
    let message = match validator_word(check) {
        "regex" => "the text does not match the pattern".to_owned(),
        word => format!("the text is not a {word}"),
    };
    StepFailure::new(ErrorCode::ValidatorMismatch, message).with(DataKey::RawText, text)
}

/// Every text that the validator accepts, as a JSON list. If there is none, the
/// step fails as it does for a single text.
fn all(run: &mut Run<'_>, screen: &Screen<'_>, step: &ReadText, validator: &TextValidator) -> StepOutcome {
    let candidates = candidates(run, screen, step)?;
    let labels = candidates.ids.iter().map(|id| screen.tree().node(*id).label());
    let texts: Vec<&str> = labels.filter(|label| !label.is_empty()).collect();
    let read = texts.len();
    let Some(first) = texts.first() else {
        if candidates.ids.is_empty() {
            return run.choose_among(screen, &candidates).map(|(_, details)| details);
        }
        let message = "none of the elements that match has a text";
        return Err(StepFailure::new(ErrorCode::NodeNotFound, message));
    };
    let failure = mismatch(&step.check, first);
    let texts: Vec<&str> = texts.into_iter().filter(|text| validator.passes(text)).collect();
    if texts.is_empty() {
        return Err(failure);
    }
    let mut details = Data::new();
    if texts.len() < read {
        details.insert(DataKey::LeftOut, (read - texts.len()).to_string());
    }
    add_container(step, &mut details);
    details.insert(DataKey::Count, texts.len().to_string());
    details.insert(DataKey::Text, Value::from(texts).to_string());
    details.insert(DataKey::All, "true".to_owned());
    details.insert(DataKey::Validator, validator_word(&step.check).to_owned());
    Ok(details)
}

fn add_container(step: &ReadText, into: &mut Data) {
    if let Some(matcher) = &step.container
        && let Ok(json) = serde_json::to_string(&**matcher)
    {
        into.insert(DataKey::Container, json);
    }
}

fn validator_word(check: &TextCheck) -> &'static str {
    match check {
        TextCheck::None | TextCheck::Unknown(_) => "none",
        TextCheck::Temperature => "temperature",
        TextCheck::Version => "version",
        TextCheck::Pattern(_) => "regex",
    }
}

pub(super) async fn read_key_value_pair(run: &mut Run<'_>, step: &ReadKeyValuePair) -> StepOutcome {
    let reading = run.look_for(RetriedLook::to_show(&step.retry, ErrorCode::NodeNotFound), |run, tree| {
        let screen = Screen::new(&tree);
        match step.matches {
            Matches::All => all_pairs(run, &screen, &step.label_matcher),
            Matches::First => {
                let (label, mut details) = run.choose(&screen, &step.label_matcher)?;
                add_pairs(&pairs(&screen, &[label]), &mut details)?;
                Ok(details)
            }
        }
    });
    reading.await
}

/// Every label that has a value next to it; if there is none, the step fails.
fn all_pairs(run: &mut Run<'_>, screen: &Screen<'_>, labels: &Matcher) -> StepOutcome {
    let found = run.matching(screen, labels)?;
    if found.is_empty() {
        // The failure lists the nearest elements, as for a single label.
        return run.choose(screen, labels).map(|(_, details)| details);
    }
    let pairs = pairs(screen, &found);
    let mut details = Data::new();
    add_pairs(&pairs, &mut details)?;
    let listed = pairs.iter().map(|(label, value)| json!({"label": label, "value": value}));
    details.insert(DataKey::Count, pairs.len().to_string());
    details.insert(DataKey::Pairs, listed.collect::<Value>().to_string());
    details.insert(DataKey::All, "true".to_owned());
    Ok(details)
}

/// The labels that have a value next to them, and the values.
fn pairs<'s>(screen: &'s Screen<'_>, labels: &[NodeId]) -> Vec<(&'s str, &'s str)> {
    let text = |id: NodeId| screen.tree().node(id).label();
    labels.iter().filter_map(|label| Some((text(*label), text(screen.value_of(*label)?)))).collect()
}

/// The first pair is also there for callers that read one.
fn add_pairs(pairs: &[(&str, &str)], into: &mut Data) -> Result<(), StepFailure> {
    let missing = || StepFailure::new(ErrorCode::ValueNodeNotFound, "there is no value next to the label");
    let (label, value) = pairs.first().ok_or_else(missing)?;
    into.insert(DataKey::Label, (*label).to_owned());
    into.insert(DataKey::Value, (*value).to_owned());
    Ok(())
}
