//! Does one action.

use super::answer::{Outcome, Step, Thrown};
use super::command::{Kind, Retry};
use super::{Variant, navigation, read, recording, scroll, snapshot, touch};
use crate::handset::Handset;
use crate::phone::{Intent, Namespace, Phone};
use std::sync::Arc;

/// The flag of an intent that begins a task of its own.
const NEW_TASK: &str = "0x10000000";
const VIEW: &str = "android.intent.action.VIEW";

pub(super) async fn act(handset: &Arc<Handset>, variant: Variant, kind: &Kind) -> Outcome {
    match kind {
        Kind::OpenApp { package, retry } => open_app(handset, package, *retry).await,
        Kind::OpenUri { uri, retry } => open_uri(handset, uri, *retry).await,
        Kind::CloseApp(package) => Ok(Step::failed(
            "UNSUPPORTED_RUNTIME_CLOSE",
            &[
                ("application_id", package),
                ("message", &"An app cannot end another; the host does that."),
            ],
        )),
        Kind::TakeScreenshot => Ok(Step::failed(
            "UNSUPPORTED_RUNTIME_SCREENSHOT",
            &[("message", &"The host takes screenshots.")],
        )),
        Kind::StartRecording(id) => Ok(recording::start(handset, variant, id.as_deref())),
        Kind::StopRecording(id) => Ok(recording::stop(handset, variant, id.as_deref())),
        Kind::WaitForNode {
            matcher,
            timeout,
            retry,
        } => navigation::wait_for_node(handset, (matcher, *retry), *timeout).await,
        Kind::WaitForNavigation {
            package,
            node,
            timeout,
        } => navigation::wait_for_navigation(handset, (package.as_deref(), node.as_ref()), *timeout).await,
        Kind::Click { target, click, retry } => touch::click(handset, target, (*click, *retry)).await,
        Kind::EnterText {
            matcher,
            text,
            submit,
            retry,
        } => touch::enter_text(handset, (matcher, *retry), (text, *submit)).await,
        Kind::PressKey(key) => Ok(touch::press_key(handset, *key)),
        Kind::ReadText(read) => read::text(handset, read).await,
        Kind::ReadKeyValue { label, retry } => Ok(read::key_value(handset, label, *retry).await),
        Kind::Scroll { swipe, retry } => Ok(scroll::once(handset, swipe, *retry).await),
        Kind::ScrollUntil(until) => scroll::until(handset, until).await,
        Kind::ScrollAndClick(find) => scroll::and_click(handset, find).await,
        Kind::Snapshot(retry) => snapshot::take(handset, variant, *retry).await,
        Kind::Sleep(time) => {
            handset.time().sleep(*time).await;
            Ok(Step::done(&[("duration_ms", &time.as_millis())]))
        }
        Kind::DoctorPing => Ok(doctor_ping(handset)),
    }
}

/// Tries something until it works, as often as a rule says.
pub(super) async fn retry<T, E>(
    handset: &Handset,
    retry: Retry,
    mut attempt: impl FnMut(&mut Phone) -> Result<T, E>,
) -> Result<T, E> {
    let mut number = 0;
    loop {
        let result = handset.with(&mut attempt);
        number += 1;
        if result.is_ok() || number >= retry.attempts {
            return result;
        }
        handset.time().sleep(retry.delay(number - 1)).await;
    }
}

async fn open_app(handset: &Handset, name: &str, rule: Retry) -> Outcome {
    retry(handset, rule, |phone| {
        let package = phone.packages.get(name).filter(|package| package.enabled);
        let has_icon = package.is_some_and(|package| package.launcher().is_some());
        let started = has_icon && phone.start(&Intent::launch(name)).is_ok();
        started
            .then_some(())
            .ok_or_else(|| Thrown(format!("App not found: {name}")))
    })
    .await?;
    Ok(Step::done(&[("application_id", &name)]))
}

async fn open_uri(handset: &Handset, uri: &str, rule: Retry) -> Outcome {
    let intent = Intent {
        action: Some(VIEW.to_owned()),
        data: Some(uri.to_owned()),
        flags: Some(NEW_TASK.to_owned()),
        ..Intent::default()
    };
    retry(handset, rule, |phone| {
        let started = phone.start(&intent);
        started.map_err(|_| Thrown(format!("URI_NOT_HANDLED: {uri}")))
    })
    .await?;
    Ok(Step::done(&[("uri", &uri)]))
}

fn doctor_ping(handset: &Handset) -> Step {
    let is_on = |name: &str| handset.with(|phone| phone.settings.get(Namespace::Global, name) == Some("1"));
    Step::done(&[
        (
            "developer_options_enabled",
            &is_on("development_settings_enabled"),
        ),
        ("usb_debugging_enabled", &is_on("adb_enabled")),
    ])
}
