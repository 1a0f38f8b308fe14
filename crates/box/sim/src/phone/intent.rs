//! What asks an app to do something: intents, and who answers them.

use super::package::{Package, full_name};
use super::{Phone, package::short_component};
use std::collections::BTreeMap;

/// What one app asks of another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intent {
    pub action: Option<String>,
    /// What kind of thing does it.
    pub categories: Vec<String>,
    pub data: Option<String>,
    pub mime: Option<String>,
    pub package: Option<String>,
    /// Who exactly: the package and its class.
    pub component: Option<(String, String)>,
    pub extras: BTreeMap<String, String>,
    /// How it is to be done, as numbers are written.
    pub flags: Option<String>,
}

/// The action of starting an app.
pub const MAIN: &str = "android.intent.action.MAIN";
/// The category of apps with an icon.
pub const LAUNCHER: &str = "android.intent.category.LAUNCHER";
/// The category of the home screen.
pub const HOME: &str = "android.intent.category.HOME";

/// What answers an intent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntentTarget {
    pub package: String,
    pub activity: String,
    /// The number of the app's rule that named it.
    pub rule: Option<usize>,
}

impl Intent {
    /// What an app is started with from the home screen.
    pub fn launch(package: &str) -> Self {
        Self {
            action: Some(MAIN.to_owned()),
            categories: vec![LAUNCHER.to_owned()],
            package: Some(package.to_owned()),
            ..Self::default()
        }
    }

    /// As Android writes it: `act=… cat=[…] dat=… cmp=…`.
    pub fn describe(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.action.iter().map(|action| format!("act={action}")));
        if !self.categories.is_empty() {
            parts.push(format!("cat=[{}]", self.categories.join(",")));
        }
        parts.extend(self.data.iter().map(|data| format!("dat={data}")));
        parts.extend(self.mime.iter().map(|mime| format!("typ={mime}")));
        parts.extend(self.flags.iter().map(|flags| format!("flg={flags}")));
        parts.extend(self.package.iter().map(|package| format!("pkg={package}")));
        let component = self.component.iter();
        parts.extend(component.map(|(package, class)| format!("cmp={}", short_component(package, class))));
        if !self.extras.is_empty() {
            parts.push("(has extras)".to_owned());
        }
        parts.join(" ")
    }
}

impl Phone {
    /// Who answers an intent that starts something.
    pub fn resolve(&self, intent: &Intent) -> Option<IntentTarget> {
        self.resolve_all(intent).into_iter().next()
    }

    /// Every app that could.
    pub fn resolve_all(&self, intent: &Intent) -> Vec<IntentTarget> {
        if let Some((package, class)) = &intent.component {
            let found = self.packages.get(package).filter(|package| package.enabled);
            let activity = found.and_then(|package| package.activity(class));
            return activity.iter().map(|activity| resolved(package, &activity.name, None)).collect();
        }
        let packages = self.packages.values().filter(|package| {
            package.enabled && intent.package.as_ref().is_none_or(|name| package.name() == name)
        });
        let mut found: Vec<_> = packages.flat_map(|package| answers(package, intent)).collect();
        // A filter that names the host comes before one that takes any.
        found.sort_by_key(|(_, specific)| !specific);
        found.into_iter().map(|(resolved, _)| resolved).collect()
    }
}

fn resolved(package: &str, class: &str, rule: Option<usize>) -> IntentTarget {
    IntentTarget { package: package.to_owned(), activity: full_name(package, class), rule }
}

/// What of a package answers an intent, and whether it names the link's host.
fn answers(package: &Package, intent: &Intent) -> Vec<(IntentTarget, bool)> {
    let action = intent.action.as_deref().unwrap_or_default();
    let is_main = action == MAIN || (action.is_empty() && intent.data.is_none());
    if is_main {
        let wants_home = intent.categories.iter().any(|category| category == HOME);
        let is_home = package.name() == super::LAUNCHER_PACKAGE;
        let named = intent.package.is_some();
        let activities = package.app.activities.iter();
        let fitting = activities.filter(|activity| match (wants_home, is_home) {
            (true, is_home) => is_home,
            (false, false) => activity.launcher,
            (false, true) => named,
        });
        return fitting.map(|activity| (resolved(package.name(), &activity.name, None), false)).collect();
    }
    let uri = intent.data.as_deref().unwrap_or_default();
    let (scheme, host) = split_uri(uri);
    let rules = package.app.on_intent.iter().enumerate();
    let fitting = rules.filter(|(_, rule)| {
        rule.action == action
            && rule.scheme.as_deref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(scheme))
            && rule.host.as_deref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(host))
            && (rule.scheme.is_some() || uri.is_empty())
    });
    let named = fitting.filter_map(|(number, rule)| {
        let named = rule.activity.as_deref().and_then(|name| package.activity(name));
        let activity = named.or(package.main())?;
        Some((resolved(package.name(), &activity.name, Some(number)), rule.host.is_some()))
    });
    named.collect()
}

/// A link's scheme and host.
fn split_uri(uri: &str) -> (&str, &str) {
    let Some((scheme, rest)) = uri.split_once(':') else {
        return ("", "");
    };
    let host = rest.strip_prefix("//").unwrap_or_default();
    let end = host.find(['/', '?', '#', ':']).unwrap_or(host.len());
    (scheme, &host[..end])
}
