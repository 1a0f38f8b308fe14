//! Apps start, end and open things; the phone's own keys.

use super::app_name::{self, Naming};
use super::{Outcome, confirm, data};
use crate::lease::Act;
use crate::phone::{Check, PhoneError};
use crate::retry::Tries;
use crate::run::{Data, Run};
use crate::step_failure::StepFailure;
use clawperator_contract::{CloseApp, DataKey, ErrorCode, Key, OpenApp, OpenUri, PressKey, RetryPolicy};

pub(super) async fn open(run: &mut Run<'_>, step: &OpenApp) -> Outcome {
    let (name, code) = (&step.application_id, ErrorCode::AppNotStarted);
    let package = app_name::package_of(run, name, code, Naming::OrBeginning).await?;
    let package = package.ok_or_else(|| app_name::not_found(name, code))?;
    let act = Act::OpenApp {
        package: package.clone(),
    };
    let asked = step.confirm.as_deref();
    let before = confirm::before(run, asked).await?;
    perform(run, act, &step.retry, |_| code).await?;
    confirm::after(run, asked, before, named(name, package)).await
}

/// The data of a step on an app: its name as it was given, and the package if
/// that is another text.
fn named(name: &str, package: String) -> Data {
    let mut data = data([(DataKey::ApplicationId, name.to_owned())]);
    if package != name {
        data.insert(DataKey::ResolvedPackage, package);
    }
    data
}

pub(super) async fn open_uri(run: &mut Run<'_>, step: &OpenUri) -> Outcome {
    let act = Act::OpenUri {
        uri: step.uri.to_string(),
    };
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

pub(super) async fn close(run: &mut Run<'_>, step: &CloseApp) -> Outcome {
    let (name, code) = (&step.application_id, ErrorCode::AppNotClosed);
    let package = app_name::package_of(run, name, code, Naming::Exact).await?;
    // A package that is not there is as good as closed; a name may be misspelt.
    let package = package.ok_or_else(|| app_name::not_found(name, code))?;
    let act = Act::CloseApp {
        package: package.clone(),
    };
    perform(run, act, &step.retry, |_| code).await?;
    Ok(named(name, package))
}

pub(super) async fn press_key(run: &mut Run<'_>, step: &PressKey) -> Outcome {
    let word = match step.key {
        Key::Back => "back",
        Key::Home => "home",
        Key::Recents => "recents",
    };
    let asked = step.confirm.as_deref();
    let before = confirm::before(run, asked).await?;
    // What was in front in the look before it, if there was one.
    let check = match before {
        Some(_) => run.unchanged(),
        None => Check::OnScreen,
    };
    let act = Act::Key(step.key.into(), check);
    let pressed = perform(run, act, &step.retry, |_| ErrorCode::GlobalActionFailed).await;
    pressed.map_err(|failure| failure.with(DataKey::Key, word))?;
    confirm::after(run, asked, before, data([(DataKey::Key, word.to_owned())])).await
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
