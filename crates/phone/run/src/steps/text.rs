//! Types text into a field, and reads it back.

use super::field::{FieldKind, InputField};
use super::{picker, slider};
use crate::look::{Codes, RetriedLook};
use crate::outcome::{StepFailure, StepOutcome};
use crate::retry::Tries;
use crate::run::Run;
use clawperator_contract::{DataKey, EnterText, ErrorCode};
use clawperator_phone::{
    Act, ActError, DispatchState, Finger, Front, KeyCode, OnlyFocused, PhoneError, Sameness, TypedText,
};
use clawperator_redact::is_masked;
use clawperator_ui::{Flag, Screen, Tree};

/// The end of the message about a field that stays as it is when it is touched.
const TAKES_NONE: &str =
    " (nothing changed: the touch was lost, or it takes no typed text; then press the app's own keys)";

pub(super) async fn enter_text(run: &mut Run<'_>, step: &EnterText) -> StepOutcome {
    let codes = Codes { unseen: ErrorCode::NodeNotFound, untouched: ErrorCode::TextNotEntered };
    let found = run.look_and_touch(&step.retry, codes, |run, tree| {
        let screen = Screen::new(&tree);
        let (chosen, mut details) = run.choose(&screen, &step.matcher)?;
        let field = InputField::around(run, &screen, chosen, &mut details)?;
        let finger = (!field.focused && field.kind.is_typed()).then_some(Finger::Tap(field.at));
        let filled = fill_secrets(run, step)?;
        Ok((finger, (field, details, filled, tree)))
    });
    let (mut field, mut details, filled, before) = found.await?;
    if !field.kind.is_typed() {
        details.extend(match field.kind {
            FieldKind::Picker => picker::set(run, step, &field).await?,
            _ => slider::set(run, step, &field).await?,
        });
        return Ok(details);
    }
    let (step, is_given) = (filled.as_ref().unwrap_or(step), filled.is_some());
    // What the caller sent comes back as it is, or a guess would be told from others.
    field.tells = !field.password && !is_given;
    if field.password && !is_given {
        run.note(|log| log.add_own(&step.text));
    }
    // What a person gave is secret in every field.
    field.password |= is_given || run.phone().dark().keeps_out(&step.text);
    type_in(run, step, &mut field, &before).await?;
    run.note_accepted();
    read_back(run, step, &field).await?;
    if step.submit {
        submit(run, step, &field).await?;
    }
    details.insert(DataKey::Submit, step.submit.to_string());
    if field.tells {
        details.insert(DataKey::Text, step.text.to_string());
    }
    Ok(details)
}

/// Types into the field, which must have the focus. If something else is in front
/// by then, nothing is typed and the look is repeated.
async fn type_in(
    run: &mut Run<'_>,
    step: &EnterText,
    field: &mut InputField,
    before: &Tree,
) -> Result<(), StepFailure> {
    let mut tries = Tries::new(&step.retry);
    loop {
        if !field.focused {
            (field.text, field.named) = wait_for_focus(run, step, field, before).await?;
        }
        if field.password && is_masked(&field.text) && letters(&field.text) == letters(&step.text) {
            // Its dots would look like those of the new text.
            field.text = empty_field(run, step, field).await?;
        }
        if field.password {
            run.note(|log| log.add_secret(&step.text));
            run.lease.memory.keep_out(&step.text);
            // Before the keys go out: whatever happens then, it is dark.
            let noted = run.phone().dark().note(field.mark.clone(), &step.text);
            let not_stored = |error: std::io::Error| PhoneError::NotStored(error.to_string());
            noted.map_err(|error| act_failure(&not_stored(error).into()))?;
        }
        let typing = Act::Type(TypedText {
            text: step.text.to_string(),
            replaces: letters(&field.text),
            field: field.named.take().filter(|_| !field.password),
            check: run.unchanged(),
        });
        match run.perform(typing).await {
            Ok(()) => return Ok(()),
            Err(error) => tries.again(run, act_failure(&error)).await?,
        }
        field.focused = false;
    }
}

/// Presses enter in the field that shows the text. If something else is in front
/// by then, nothing is pressed and the look is repeated.
async fn submit(run: &mut Run<'_>, step: &EnterText, field: &InputField) -> Result<(), StepFailure> {
    let mut tries = Tries::new(&step.retry);
    loop {
        match run.perform(Act::Key(KeyCode::Enter, run.unchanged())).await {
            Ok(()) => return Ok(()),
            Err(error) => tries.again(run, act_failure(&error)).await?,
        }
        read_back(run, step, field).await?;
    }
}

/// The step with values in place of their names, if it names some and all are for the app in front.
fn fill_secrets(run: &Run<'_>, step: &EnterText) -> Result<Option<EnterText>, StepFailure> {
    let refused = |why: String| StepFailure::new(ErrorCode::SecretRefused, why).for_good();
    let app = run.front.as_ref().and_then(Front::package);
    let doubt = run.options.vault.as_ref().and_then(|vault| vault.doubt(&step.text, app));
    if let Some(doubt) = doubt {
        return Err(refused(format!("{doubt} It was not typed.")));
    }
    // A value can come to its end while a run goes on.
    let secret = run.options.fill(&step.text).map_err(|failure| refused(failure.message))?;
    Ok(secret.map(|secret| EnterText { text: secret.expose().into(), ..step.clone() }))
}

pub(super) fn act_failure(error: &ActError) -> StepFailure {
    let failure = StepFailure::of(ErrorCode::TextNotEntered, &error.error);
    // Only what certainly was not typed is typed again.
    match error.error {
        PhoneError::ScreenChanged { .. } if error.dispatched == DispatchState::No => failure,
        _ => failure.for_good(),
    }
}

fn not_entered(message: &str) -> StepFailure {
    StepFailure::new(ErrorCode::TextNotEntered, message)
}

fn letters(text: &str) -> usize {
    text.chars().count()
}

/// Waits until the field has the focus, and returns its text, and its name if nothing else has the
/// focus. If the touch was lost, the text would be typed into another field.
async fn wait_for_focus(
    run: &mut Run<'_>,
    step: &EnterText,
    field: &InputField,
    before: &Tree,
) -> Result<(String, Option<OnlyFocused>), StepFailure> {
    let mut is_same = false;
    let looking = run.look_for(RetriedLook::to_touch(&step.retry, ErrorCode::TextNotEntered), |run, tree| {
        is_same = tree == *before;
        let found = field.again(&tree).map(|id| (id, tree.node(id)));
        let found = found.filter(|(_, node)| node.flags.has(Flag::Focused));
        let (id, node) = found.ok_or_else(|| not_entered("it did not get the focus"))?;
        Ok((node.text.clone(), run.phone().only_focused(&tree, id)))
    });
    let touched = match field.cover.as_deref() {
        None => "the field was touched, and nothing was typed".to_owned(),
        Some(warning) => format!("the place of the field was touched ({warning}), and the text was not sent"),
    };
    let focused = looking.await.map_err(|failure| failure.after(&touched));
    focused.map_err(|mut failure| {
        failure.message.push_str(if is_same { TAKES_NONE } else { "" });
        failure
    })
}

/// Empties a password field, and checks that its text changed.
async fn empty_field(run: &mut Run<'_>, step: &EnterText, field: &InputField) -> Result<String, StepFailure> {
    let clearing = Act::Clear { letters: letters(&field.text), check: run.unchanged() };
    run.perform(clearing).await.map_err(|error| act_failure(&error))?;
    let looking = run.look_for(RetriedLook::to_touch(&step.retry, ErrorCode::TextNotEntered), |_, tree| {
        let node = field.again(&tree).map(|id| tree.node(id));
        let node = node.filter(|node| node.text != field.text);
        let missing = || not_entered("the password field could not be emptied; nothing was typed");
        node.map(|node| node.text.clone()).ok_or_else(missing)
    });
    looking.await
}

/// Succeeds only if the field shows the text. A dump does not say what a
/// password field holds, only how long it is.
async fn read_back(run: &mut Run<'_>, step: &EnterText, field: &InputField) -> Result<(), StepFailure> {
    let wanted = step.text.as_ref();
    let mut shown = None;
    let reading = run.look_for(RetriedLook::to_touch(&step.retry, ErrorCode::TextNotEntered), |run, tree| {
        let id = field.again(&tree);
        shown = id.map(|id| tree.node(id).text.clone());
        // What is dots there is compared, and told to no caller.
        let compare = |id, text| run.private.compare(&tree, id, text);
        let may_be = |id| match compare(id, wanted) {
            Sameness::Same => true,
            Sameness::Dots => field.password,
            Sameness::Length => field.was_dark || field.kind == FieldKind::Password,
            Sameness::None => false,
        };
        let is_old = |id| field.password && compare(id, &field.text) == Sameness::Same;
        let same = id.is_some_and(|id| may_be(id) && !is_old(id));
        if let Some(id) = id.filter(|_| same && !field.password && field.text != wanted) {
            run.note_typed(&tree, id);
        }
        same.then_some(()).ok_or_else(|| not_entered("the field does not show it"))
    });
    let read = reading.await.map_err(|failure| failure.after("the phone took the text"));
    read.map_err(|failure| match shown {
        Some(shown) if field.tells => {
            failure.with(DataKey::ExpectedText, wanted).with(DataKey::ActualText, shown)
        }
        _ => failure,
    })
}
