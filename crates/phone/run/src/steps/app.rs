//! Apps start, end and open things; the phone's own keys.

use super::app_name::{self, Naming};
use super::confirm;
use crate::outcome::{Data, StepFailure, StepOutcome, data};
use crate::retry::Tries;
use crate::run::Run;
use clawperator_contract::{CloseApp, DataKey, ErrorCode, Key, OpenApp, OpenUri, PressKey, RetryPolicy};
use clawperator_phone::{Act, AppLaunch, PhoneError, Precondition};
use std::time::Duration;

/// The result's words for an app that was open already.
const RESUMED: &str = "the app was open and came to the front, maybe on the page it was left on; fresh starts at its first page";
const CLOSED: &str = "closed; the page below it stays: press back again to leave the page";
/// How often the phone is asked whether its keyboard is gone, and how long between.
const ASKED: u32 = 4;
const BETWEEN: Duration = Duration::from_millis(150);

pub(super) async fn open(run: &mut Run<'_>, step: &OpenApp) -> StepOutcome {
    let (name, code) = (&step.application_id, ErrorCode::AppNotStarted);
    let package = app_name::package_of(run, name, code, Naming::OrBeginning).await?;
    let package = package.ok_or_else(|| app_name::not_found(name, code))?;
    let act = Act::OpenApp { package: package.clone() };
    let asked = step.confirm.as_deref();
    let before = confirm::before(run, asked).await?;
    if step.fresh {
        let act = Act::CloseApp { package: package.clone() };
        perform(run, act, &step.retry, |_| code).await?;
    }
    perform(run, act, &step.retry, |_| code).await?;
    let mut details = app_data(name, package);
    if run.lease.launch == Some(AppLaunch::Resumed) {
        details.insert(DataKey::Resumed, RESUMED.to_owned());
    }
    confirm::after(run, asked, before, details).await
}

/// The data of a step on an app: its name as it was given, and the package if that is another text.
fn app_data(name: &str, package: String) -> Data {
    let mut data = data([(DataKey::ApplicationId, name.to_owned())]);
    if package != name {
        data.insert(DataKey::ResolvedPackage, package);
    }
    data
}

pub(super) async fn open_uri(run: &mut Run<'_>, step: &OpenUri) -> StepOutcome {
    let act = Act::OpenUri { uri: step.uri.to_string() };
    let code = |error: &PhoneError| match error {
        PhoneError::UriNotHandled { .. } => ErrorCode::UriNotHandled,
        // The phone did not get as far as looking for an app.
        _ => ErrorCode::AppNotStarted,
    };
    let asked = step.confirm.as_deref();
    let before = confirm::before(run, asked).await?;
    perform(run, act, &step.retry, code).await?;
    let done = data([(DataKey::Uri, step.uri.to_string())]);
    confirm::after(run, asked, before, done).await
}

pub(super) async fn close(run: &mut Run<'_>, step: &CloseApp) -> StepOutcome {
    let (name, code) = (&step.application_id, ErrorCode::AppNotClosed);
    let package = app_name::package_of(run, name, code, Naming::Exact).await?;
    // A package that is not there is as good as closed; a name may be misspelt.
    let package = package.ok_or_else(|| app_name::not_found(name, code))?;
    let act = Act::CloseApp { package: package.clone() };
    perform(run, act, &step.retry, |_| code).await?;
    Ok(app_data(name, package))
}

pub(super) async fn press_key(run: &mut Run<'_>, step: &PressKey) -> StepOutcome {
    let word = step.key.word();
    let asked = step.confirm.as_deref();
    let before = confirm::before(run, asked).await?;
    // What was in front in the look before it, if there was one.
    let check = match before {
        Some(_) => run.unchanged(),
        None => Precondition::OnScreen,
    };
    let was_shown = step.key == Key::Back && has_keyboard(run).await == Some(true);
    let act = Act::Key(step.key.into(), check);
    let pressed = perform(run, act, &step.retry, |_| ErrorCode::GlobalActionFailed).await;
    pressed.map_err(|failure| failure.with(DataKey::Key, word))?;
    let mut details = data([(DataKey::Key, word.to_owned())]);
    if was_shown && is_closed(run).await {
        details.insert(DataKey::Keyboard, CLOSED.to_owned());
    }
    confirm::after(run, asked, before, details).await
}

/// Whether the keyboard is shown, if the phone says.
async fn has_keyboard(run: &mut Run<'_>) -> Option<bool> {
    let shown = run.phone().shown_keyboard(run.deadline).await;
    shown.ok().map(|shown| shown.is_some())
}

/// Whether a keyboard that was shown goes.
async fn is_closed(run: &mut Run<'_>) -> bool {
    for _ in 0..ASKED {
        if has_keyboard(run).await == Some(false) {
            return true;
        }
        run.wait(BETWEEN, "the keyboard to close", None).await;
    }
    false
}

/// Performs an act as often as the policy allows. If the phone gave a reason
/// that does not change, such as a missing app, there is one attempt only.
async fn perform(
    run: &mut Run<'_>,
    act: Act,
    retry: &RetryPolicy,
    code: impl Fn(&PhoneError) -> ErrorCode,
) -> Result<(), StepFailure> {
    let mut tries = Tries::new(retry);
    while let Err(error) = run.perform(act.clone()).await {
        let error = error.error;
        let failure = StepFailure {
            again: matches!(error, PhoneError::Refused { .. } | PhoneError::Unreadable { .. }),
            ..StepFailure::of(code(&error), &error)
        };
        tries.again(run, failure).await?;
    }
    Ok(())
}
