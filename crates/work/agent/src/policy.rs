//! What a model may do by itself, what a person is asked about, and what is never done.
//!
//! Pure. What is on a screen was written by others: it can make a decision
//! stricter, and never wider.

mod builtin;
mod file;
mod load;
mod pattern;

use crate::action::{AgentAction, Capability};
use crate::surroundings::{Sight, Surroundings};
use crate::tool::{Risk, of_kind};
use clawperator_document::words;
use clawperator_ui::words::alike;
use pattern::{is_like, paths_of};
use serde::{Deserialize, Serialize};
use std::path::Path;

pub use file::PolicyError;

/// What is to be done with an action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "decision", rename_all = "lowercase")]
pub enum Decision {
    Allow,
    Deny { reason: String },
    Ask { capability: Capability, reason: String },
}

words! {
    /// How much is asked about.
    #[derive(Default)]
    pub Level {
        /// Nothing is judged, and the user's rules do not count.
        None = "none",
        /// What spends money, deletes an account or installs something.
        Money = "money",
        /// Also messages, calls, permissions and commands.
        #[default]
        Full = "full",
    }
}

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleVerdict {
    Allow,
    Ask,
    Deny,
}

/// A user's rule: it holds if everything that it names fits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PolicyRule {
    /// The tools; none stands for all.
    #[serde(default, rename = "tool", deserialize_with = "file::one_or_more")]
    pub(crate) tools: Vec<String>,
    /// Packages of apps; `*` stands for any letters.
    pub(crate) app: Option<String>,
    pub(crate) capability: Option<Capability>,
    /// Files of the workspace; `*` stands for any letters.
    pub(crate) path: Option<String>,
    /// Words that the touched element says.
    pub(crate) label: Option<String>,
    #[serde(rename = "decision")]
    pub(crate) verdict: RuleVerdict,
    pub(crate) reason: Option<String>,
}

/// The rules: those of the user, then the built-in ones. The first that fits
/// decides; where it is not known whether one fits that denies or asks, it does.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    rules: Vec<PolicyRule>,
    /// Programs that commands may run besides the usual ones.
    programs: Vec<String>,
    level: Option<Level>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    No,
    /// What it names could not be seen.
    Maybe,
    Yes,
}

impl From<bool> for Fit {
    fn from(fits: bool) -> Self {
        if fits { Self::Yes } else { Self::No }
    }
}

impl Policy {
    /// Reads a user's rules, as YAML or JSON.
    pub fn read(text: &str) -> Result<Self, PolicyError> {
        file::read(text)
    }

    /// The rules as a text that can be read again.
    pub(crate) fn write(&self) -> String {
        let Self { rules, programs, level } = self;
        serde_json::json!({"level": level, "rules": rules, "programs": programs}).to_string()
    }

    /// What `exec` and `run_script` may run besides the usual programs.
    pub fn programs(&self) -> &[String] {
        &self.programs
    }

    /// The same rules at this level.
    pub fn at(self, level: Level) -> Self {
        Self { level: Some(level), ..self }
    }

    /// Whether the user has rules.
    pub fn has_rules(&self) -> bool {
        !self.rules.is_empty()
    }

    /// Its level; this one if neither a file nor a caller has chosen one.
    pub fn level_or(&self, usual: Level) -> Level {
        self.level.unwrap_or(usual)
    }

    /// Decides on an action.
    pub fn decide(&self, action: &AgentAction, on: &Surroundings, workspace: Option<&Path>) -> Decision {
        let level = self.level_or(Level::Full);
        if level == Level::None {
            return Decision::Allow;
        }
        let built_in = builtin::judge(action, on, level);
        let capability = match action {
            AgentAction::RequestHumanAuth(request) => Some(request.capability),
            _ => built_in.map(|row| row.capability),
        };
        let subject = RuleSubject { action, capability, on, workspace };
        let mut strictest: Option<&PolicyRule> = None;
        for rule in &self.rules {
            let fit = rule.fits(&subject);
            let counts = fit == Fit::Yes || fit == Fit::Maybe && rule.verdict != RuleVerdict::Allow;
            if counts && strictest.is_none_or(|before| before.verdict < rule.verdict) {
                strictest = Some(rule);
            }
            if fit == Fit::Yes {
                break;
            }
        }
        let Some(rule) = strictest else {
            return built_in.map_or(Decision::Allow, |row| Decision::Ask {
                capability: row.capability,
                reason: row.reason.to_owned(),
            });
        };
        let reason = rule.reason.clone();
        let reason =
            reason.unwrap_or_else(|| format!("A rule of the user's policy covers {}.", action.kind()));
        match rule.verdict {
            RuleVerdict::Allow => Decision::Allow,
            RuleVerdict::Deny => Decision::Deny { reason },
            RuleVerdict::Ask => {
                Decision::Ask { capability: capability.unwrap_or(Capability::Permission), reason }
            }
        }
    }
}

struct RuleSubject<'a> {
    action: &'a AgentAction,
    capability: Option<Capability>,
    on: &'a Surroundings,
    workspace: Option<&'a Path>,
}

impl PolicyRule {
    fn fits(&self, subject: &RuleSubject<'_>) -> Fit {
        let RuleSubject { action, capability, on, workspace } = *subject;
        let tool = of_kind(action.kind()).map_or("", |tool| tool.name);
        let names = [tool, action.kind()];
        let is_tool = self.tools.is_empty() || self.tools.iter().any(|name| names.contains(&name.as_str()));
        let is_app = |like: &str| match action {
            // What is opened counts, not what is open.
            AgentAction::LaunchApp(launch) if !launch.package_name.contains(':') => {
                is_like(like, launch.package_name.trim()).into()
            }
            _ if on.app == Sight::Unseen => Fit::Maybe,
            _ => on.apps().any(|app| is_like(like, app)).into(),
        };
        let unless_unclear = |is_it: bool| {
            if !is_it && on.is_unclear() && is_touch(action) { Fit::Maybe } else { is_it.into() }
        };
        let is_capability = |wanted: Capability| unless_unclear(capability == Some(wanted));
        let is_path = |like: &str| {
            let paths = paths_of(action, workspace);
            let mut paths = paths.iter().map(|path| is_like(like, path));
            // What is allowed is allowed for all of them.
            match self.verdict {
                RuleVerdict::Allow => (paths.len() > 0 && paths.all(|fits| fits)).into(),
                RuleVerdict::Ask | RuleVerdict::Deny => paths.any(|fits| fits).into(),
            }
        };
        let is_label = |like: &str| {
            let label = on.label().unwrap_or_default();
            let is_same = is_like(&like.to_lowercase(), &label.to_lowercase());
            unless_unclear(is_same || is_like(&alike(like), &alike(&label)))
        };
        let fits = [
            is_tool.into(),
            self.app.as_deref().map_or(Fit::Yes, is_app),
            self.capability.map_or(Fit::Yes, is_capability),
            self.path.as_deref().map_or(Fit::Yes, is_path),
            self.label.as_deref().map_or(Fit::Yes, is_label),
        ];
        fits.into_iter().min().unwrap_or(Fit::No)
    }
}

/// Tells whether an action activates something on a screen.
fn is_touch(action: &AgentAction) -> bool {
    of_kind(action.kind()).is_some_and(|tool| tool.risk == Risk::Acts) && !builtin::is_harmless(action)
}
