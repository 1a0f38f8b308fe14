//! Reads what is on the screen.

use super::Outcome;
use crate::session::{Data, Session};
use crate::step_failure::StepFailure;
use clawperator_contract::{DataKey, ErrorCode, Matches, ReadKeyValuePair, ReadText, TextCheck};
use clawperator_ui::{NodeId, Screen, TextValidator, Tree};

pub(super) async fn read_text(session: &Session<'_>, step: &ReadText) -> Outcome {
    let validator = TextValidator::new(&step.check).map_err(|error| {
        StepFailure::new(ErrorCode::ExecutionValidationFailed, error.to_string()).for_good()
    })?;
    session
        .attempts(&step.retry, async || {
            let tree = session.tree(ErrorCode::NodeNotFound).await?;
            let screen = Screen::new(&tree);
            match step.matches {
                Matches::All => all(session, &screen, step),
                Matches::First => first(session, &screen, (step, &validator)),
            }
        })
        .await
}

/// The container to look in, if one is named.
fn container(
    session: &Session<'_>,
    screen: &Screen<'_>,
    step: &ReadText,
) -> Result<Option<NodeId>, StepFailure> {
    let Some(matcher) = &step.container else {
        return Ok(None);
    };
    let missing = || {
        StepFailure::new(
            ErrorCode::ContainerNotFound,
            "nothing on the screen fits the container",
        )
    };
    session.first(screen, matcher)?.map(Some).ok_or_else(missing)
}

fn first(
    session: &Session<'_>,
    screen: &Screen<'_>,
    (step, validator): (&ReadText, &TextValidator),
) -> Outcome {
    let (found, mut said) = match container(session, screen, step)? {
        None => session.choose(screen, &step.matcher)?,
        Some(outer) => {
            let missing = "nothing in the container fits the matcher";
            let inside = session.fitting_inside(screen, (outer, &step.matcher))?;
            session.choose_of(screen, inside.into_iter(), missing)?
        }
    };
    let text = screen.tree().node(found).label();
    if text.is_empty() {
        return Err(StepFailure::new(
            ErrorCode::NodeNotFound,
            "the element has no text",
        ));
    }
    if !validator.passes(text) {
        let message = match validator_word(&step.check) {
            "regex" => "the text does not fit the pattern".to_owned(),
            word => format!("the text is not a {word}"),
        };
        return Err(StepFailure::new(ErrorCode::ValidatorMismatch, message).with(DataKey::RawText, text));
    }
    say_container(step, &mut said);
    said.insert(DataKey::Text, text.to_owned());
    said.insert(DataKey::Validator, validator_word(&step.check).to_owned());
    Ok(said)
}

/// Every text, as a JSON list; none is a success, too.
fn all(session: &Session<'_>, screen: &Screen<'_>, step: &ReadText) -> Outcome {
    let found: Vec<NodeId> = match container(session, screen, step)? {
        None => session.fitting(screen, &step.matcher)?,
        Some(outer) => session.fitting_inside(screen, (outer, &step.matcher))?,
    };
    let texts = labels(screen.tree(), &found);
    let mut said = Data::new();
    say_container(step, &mut said);
    said.insert(DataKey::Count, texts.len().to_string());
    said.insert(DataKey::Text, serde_json::Value::from(texts).to_string());
    said.insert(DataKey::All, "true".to_owned());
    said.insert(DataKey::Validator, "none".to_owned());
    Ok(said)
}

fn say_container(step: &ReadText, into: &mut Data) {
    if let Some(matcher) = &step.container
        && let Ok(json) = serde_json::to_string(&**matcher)
    {
        into.insert(DataKey::Container, json);
    }
}

fn labels(tree: &Tree, found: &[NodeId]) -> Vec<String> {
    let labels = found.iter().map(|id| tree.node(*id).label());
    labels
        .filter(|label| !label.is_empty())
        .map(str::to_owned)
        .collect()
}

fn validator_word(check: &TextCheck) -> &'static str {
    match check {
        TextCheck::None | TextCheck::Unknown(_) => "none",
        TextCheck::Temperature => "temperature",
        TextCheck::Version => "version",
        TextCheck::Pattern(_) => "regex",
    }
}

pub(super) async fn read_key_value_pair(session: &Session<'_>, step: &ReadKeyValuePair) -> Outcome {
    session
        .attempts(&step.retry, async || {
            let tree = session.tree(ErrorCode::NodeNotFound).await?;
            let screen = Screen::new(&tree);
            let (label, mut said) = session.choose(&screen, &step.label_matcher)?;
            let missing =
                || StepFailure::new(ErrorCode::ValueNodeNotFound, "no value stands beside the label");
            let value = screen.value_of(label).ok_or_else(missing)?;
            said.insert(DataKey::Label, tree.node(label).label().to_owned());
            said.insert(DataKey::Value, tree.node(value).label().to_owned());
            Ok(said)
        })
        .await
}
