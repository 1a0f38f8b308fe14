//! Waits for something to be on the screen.

use super::act::retry;
use super::answer::{Outcome, Step, Thrown};
use super::command::{Matcher, Retry};
use super::screen::{Screen, label, missing};
use crate::handset::Handset;
use crate::phone::{Phone, Views};
use std::time::Duration;

/// How often the app looks.
const POLL: Duration = Duration::from_millis(200);

pub(super) async fn wait_for_node(
    handset: &Handset,
    (matcher, rule): (&Matcher, Retry),
    timeout: Option<Duration>,
) -> Outcome {
    let look = retry(handset, rule, |phone| {
        let screen = Screen::of(phone).ok_or_else(|| missing(matcher))?;
        let id = screen.find(matcher).ok_or_else(|| missing(matcher))?;
        let node = screen.tree.node(id);
        let resource_id = node.resource_id.clone().unwrap_or_default();
        Ok((resource_id, label(node).to_owned()))
    });
    let found = match timeout {
        None => look.await,
        Some(longest) => tokio::select! {
            biased;
            found = look => found,
            () = handset.time().sleep(longest) => {
                Err(Thrown(format!("Timed out after {}ms: {}", longest.as_millis(), missing(matcher).0)))
            }
        },
    };
    let (resource_id, label) = found?;
    let step = Step::done(&[("resource_id", &resource_id), ("label", &label)]);
    Ok(step.with("timeout_ms", timeout.map(|time| time.as_millis())))
}

/// The package in front.
pub(super) fn front(phone: &Phone) -> Option<String> {
    let tree = phone.tree(Views::All)?;
    tree.nodes().next().map(|(_, node)| node.package.clone())
}

/// An app counts only once another was in front: whoever is there already
/// waits in vain.
pub(super) async fn wait_for_navigation(
    handset: &Handset,
    (package, node): (Option<&str>, Option<&Matcher>),
    timeout: Duration,
) -> Outcome {
    let began = handset.time().uptime();
    let mut last = handset.with(|phone| front(phone));
    let mut left = last.as_deref() != package;
    loop {
        let seen = handset.with(|phone| {
            let found = node.is_some_and(|node| Screen::of(phone).is_some_and(|it| it.find(node).is_some()));
            (front(phone), found)
        });
        last = seen.0.or(last);
        let arrived = package.is_some() && last.as_deref() == package;
        left |= !arrived;
        let elapsed = handset.time().uptime().saturating_sub(began);
        if (arrived && left) || seen.1 {
            let step = Step::done(&[]).with("resolved_package", last);
            return Ok(step.with("elapsed_ms", Some(elapsed.as_millis())));
        }
        if elapsed >= timeout {
            return Ok(Step::failed("NAVIGATION_TIMEOUT", &[]).with("last_package", last));
        }
        handset
            .time()
            .sleep(POLL.min(timeout.saturating_sub(elapsed)))
            .await;
    }
}
