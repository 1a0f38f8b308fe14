//! What a model may do by itself, what a person is asked about, and what is never
//! done.
//!
//! Pure. What is on a screen was written by others: it can make a decision
//! stricter, and never wider.

mod builtin;
mod file;
mod load;
mod pattern;

use crate::action::{AgentAction, Capability};
use crate::tool::of_kind;
use pattern::{is_like, paths_of};
use serde::{Deserialize, Serialize};
use std::path::Path;

pub use file::PolicyError;

/// What is to be done with an action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "decision", rename_all = "lowercase")]
pub enum Decision {
    /// It is done.
    Allow,
    /// It is not done.
    Deny {
        /// Why, for the model and for people.
        reason: String,
    },
    /// A person is asked first.
    Ask {
        /// What the person is asked for.
        capability: Capability,
        /// Why, for people.
        reason: String,
    },
}

/// What is known of the world when an action is judged.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context<'c> {
    /// The package of the app in front.
    pub app: Option<&'c str>,
    /// What the element says that a finger is about to touch.
    pub label: Option<&'c str>,
    /// The workspace's folder.
    pub workspace: Option<&'c Path>,
}

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The action is done.
    Allow,
    /// It is not done.
    Deny,
    /// A person is asked.
    Ask,
}

/// A user's rule: it holds if everything that it names fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    /// The tools; none stands for all.
    pub(crate) tools: Vec<String>,
    /// Packages of apps; `*` stands for any letters.
    pub(crate) app: Option<String>,
    /// What the built-in rules take the action for.
    pub(crate) capability: Option<Capability>,
    /// Files of the workspace; `*` stands for any letters.
    pub(crate) path: Option<String>,
    /// Words that the touched element says.
    pub(crate) label: Option<String>,
    pub(crate) verdict: Verdict,
    pub(crate) reason: Option<String>,
}

/// The rules: those of the user, then the built-in ones. The first that fits
/// decides.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    rules: Vec<Rule>,
    /// Programs that commands may run besides the usual ones.
    programs: Vec<String>,
}

impl Policy {
    /// Reads a user's rules, as YAML or JSON.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn read(text: &str) -> Result<Self, PolicyError> {
        let (rules, programs) = file::read(text)?;
        Ok(Self { rules, programs })
    }

    /// What `exec` and `run_script` may run besides the usual programs.
    #[must_use]
    pub fn programs(&self) -> &[String] {
        &self.programs
    }

    /// Decides on an action.
    #[must_use]
    pub fn decide(&self, action: &AgentAction, context: &Context<'_>) -> Decision {
        let built_in = builtin::judge(action, context);
        let capability = match action {
            AgentAction::RequestHumanAuth(request) => Some(request.capability),
            _ => built_in.map(|row| row.capability),
        };
        let fits = |rule: &&Rule| rule.fits(action, capability, context);
        if let Some(rule) = self.rules.iter().find(fits) {
            let reason = || {
                let reason = rule.reason.clone();
                reason.unwrap_or_else(|| format!("A rule of the user's policy covers {}.", action.kind()))
            };
            return match rule.verdict {
                Verdict::Allow => Decision::Allow,
                Verdict::Deny => Decision::Deny { reason: reason() },
                Verdict::Ask => Decision::Ask {
                    capability: capability.unwrap_or(Capability::Permission),
                    reason: reason(),
                },
            };
        }
        match built_in {
            None => Decision::Allow,
            Some(row) => Decision::Ask {
                capability: row.capability,
                reason: row.reason.to_owned(),
            },
        }
    }
}

impl Rule {
    fn fits(&self, action: &AgentAction, capability: Option<Capability>, context: &Context<'_>) -> bool {
        let tool = of_kind(action.kind()).map_or("", |tool| tool.name);
        let names = [tool, action.kind()];
        let is_tool = self.tools.is_empty() || self.tools.iter().any(|name| names.contains(&name.as_str()));
        let app = match action {
            // What is opened counts, not what is open.
            AgentAction::LaunchApp(launch) => Some(launch.package_name.as_str()),
            _ => context.app,
        };
        let is_app = self
            .app
            .as_deref()
            .is_none_or(|like| app.is_some_and(|app| is_like(like, app)));
        let is_capability = self.capability.is_none_or(|wanted| capability == Some(wanted));
        let is_path = self.path.as_deref().is_none_or(|like| {
            let paths = paths_of(action, context.workspace);
            paths.iter().any(|path| is_like(like, path))
        });
        let is_label = self.label.as_deref().is_none_or(|like| {
            let label = context.label.unwrap_or_default().to_lowercase();
            is_like(&like.to_lowercase(), &label)
        });
        is_tool && is_app && is_capability && is_path && is_label
    }
}
