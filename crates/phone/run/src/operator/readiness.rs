//! Chooses between the Operator app and the host, where the caller leaves it to us.

use super::{AppPresence, OperatorApp, problems};
use crate::run::{Route, Strictness};
use clawperator_adb::Deadline;
use clawperator_contract::Execution;
use clawperator_phone::{Operator, PackageName, Phone, other_variant};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long a phone may take to say whether the app is ready.
const ASK: Duration = Duration::from_secs(5);

/// What a caller wants to run the steps.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RouteWish {
    #[default]
    Host,
    /// The Operator app of this package.
    Operator(PackageName),
    /// The Operator app if it can run the execution, otherwise this runtime.
    Auto(PackageName),
}

impl RouteWish {
    /// The route for an execution; and why it is not the app's, where the app
    /// was wanted if possible. One round trip, and none if the wish is clear.
    pub async fn choose(
        &self,
        phone: &Phone,
        execution: &Execution,
        strictness: Strictness,
    ) -> (Route, Option<String>) {
        let mut app = match self {
            Self::Host => return (Route::Host, None),
            Self::Operator(package) => {
                return (Route::Operator(OperatorApp::new(package.clone())), None);
            }
            Self::Auto(package) => OperatorApp::new(package.clone()),
        };
        if let Some(problem) = problems(phone, execution, strictness, &app).first() {
            let at = match problem.path.as_str() {
                "" => String::new(),
                path => format!(" ({path})"),
            };
            return (Route::Host, Some(format!("{}{at}", problem.message)));
        }
        let package = app.package.as_str();
        let asked = phone.operator_readiness(package, Deadline::after(ASK.min(execution.timeout())));
        let why_not = match asked.await {
            Ok(found) => unready(&found, package, phone.serial()),
            Err(error) => Some(format!("the phone did not say whether {package} is ready: {error}")),
        };
        match why_not {
            Some(why) => (Route::Host, Some(why)),
            None => {
                app.presence = AppPresence::Known;
                (Route::Operator(app), None)
            }
        }
    }
}

/// Why an app cannot run anything now, if it cannot.
fn unready(found: &Operator, package: &str, serial: &str) -> Option<String> {
    match (found.installed, found.service) {
        (Some(true), Some(true)) => None,
        (Some(true), _) => Some(format!("the accessibility service of {package} is off on {serial}")),
        (Some(false), _) if found.other_installed == Some(true) => {
            let other = other_variant(package);
            Some(format!("{package} is not installed on {serial}, but {other} is"))
        }
        (Some(false), _) => Some(format!("{package} is not installed on {serial}")),
        (None, _) => Some(format!("{serial} did not say whether {package} is installed")),
    }
}
