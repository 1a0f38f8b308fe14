//! Writes the screen into the log.

use super::Variant;
use super::answer::{LogLine, OperatorFailure, OperatorResult, OperatorStep, log};
use super::steps::{front, retry};
use crate::handset::Handset;
use crate::phone::{DumpViews, Namespace, Phone, SYSTEM_UI};
use clawperator_contract::RetryPolicy;

pub(super) async fn take(handset: &Handset, variant: Variant, policy: &RetryPolicy) -> OperatorResult {
    let (xml, step) = retry(handset, policy, |phone| {
        let unavailable = || OperatorFailure("SNAPSHOT_HIERARCHY_UNAVAILABLE".to_owned());
        let xml = hierarchy(phone).ok_or_else(unavailable)?;
        Ok((xml, describe(phone)))
    })
    .await?;
    let line =
        LogLine { level: 'D', tag: "TaskScopeDefault", text: &format!("[TaskScope] UI Hierarchy:\n{xml}") };
    log(handset, variant, line);
    Ok(step)
}

/// A window as accessibility tools see it.
struct Window {
    package: String,
    is_application: bool,
    is_active: bool,
}

fn describe(phone: &Phone) -> OperatorStep {
    let foreground = front(phone);
    let windows = windows(phone);
    let is_over = |window: &&Window| {
        let hidden = !window.is_application && !window.is_active && window.package == SYSTEM_UI;
        !hidden && (!window.is_application || Some(&window.package) != foreground.as_ref())
    };
    let overlay = windows.iter().find(is_over).map(|window| &window.package);
    OperatorStep::success()
        .with("actual_format", "hierarchy_xml")
        .maybe("foreground_package", foreground.as_ref())
        .with("has_overlay", overlay.is_some())
        .maybe("overlay_package", overlay)
        .with("window_count", windows.len())
}

/// Every window, the uppermost first.
fn windows(phone: &Phone) -> Vec<Window> {
    let window = |package: &str, is_application, is_active| Window {
        package: package.to_owned(),
        is_application,
        is_active,
    };
    // The bar at the top.
    let mut found = vec![window(SYSTEM_UI, false, false)];
    found.extend(phone.overlay_package().map(|name| window(name, false, false)));
    if phone.keyboard_shown {
        let method = phone.settings.get(Namespace::Secure, "default_input_method");
        let package = method.and_then(|method| method.split('/').next());
        found.extend(package.map(|name| window(name, false, false)));
    }
    let own = phone.shown_windows().rev();
    found.extend(own.map(|it| window(it.owner(), it.owner() != SYSTEM_UI, it.owner() == SYSTEM_UI)));
    if phone.power.locked {
        found.push(window(SYSTEM_UI, false, true));
    } else {
        found.extend(phone.front_package().map(|name| window(name, true, true)));
    }
    found
}

/// The window in front as the app writes it, whether it can be seen or not.
pub(super) fn hierarchy(phone: &Phone) -> Option<String> {
    phone.tree(DumpViews::All).as_ref().map(clawperator_ui::write_lines)
}

/// Tells whether something is one of the apps' own.
pub(super) fn is_own(package: &str) -> bool {
    Variant::ALL.iter().any(|variant| variant.package() == package)
}
