//! Profiles: which capabilities a recipe may have where it is run.

use super::Recipe;
use super::format::Format;
use super::limits::MAX_ENTRIES;
use super::problem::{Judge, RecipeProblems, RecipeReport};
use super::read::{ObjectReader, keys, known_word, list, object, read};
use super::rule::Rule;
use super::word::Capability;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_document::{Path, Value, words};
use std::collections::BTreeMap;

words! {
    /// What a profile says about a capability.
    pub Policy {
        Allow = "allow",
        Ask = "ask",
        Deny = "deny",
    }
}

/// A profile: a policy for each capability, and capabilities that may not come together.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    pub name: String,
    pub default: Policy,
    pub listed: BTreeMap<Capability, Policy>,
    /// Capabilities that one recipe may not have together.
    pub forbidden_together: Vec<Vec<Capability>>,
}

/// The profiles of a file, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profiles(pub BTreeMap<String, Profile>);

/// What a profile says about a recipe.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfileDecision {
    pub ask: Vec<Capability>,
    pub denied: Vec<Capability>,
    /// The capabilities that may not come together.
    pub together: Vec<Vec<Capability>>,
}

keys!(FileKeys: "profiles");
keys!(ProfileKeys: "default" "allow" "ask" "deny" "forbidden_together");

impl Profile {
    /// The profile where none is chosen: everything is allowed but what could
    /// spend money, which the user is asked about.
    pub fn standard() -> Self {
        Self {
            name: "standard".to_owned(),
            default: Policy::Allow,
            listed: BTreeMap::from([(Capability::PurchaseRisk, Policy::Ask)]),
            forbidden_together: Vec::new(),
        }
    }

    /// What the profile says about a capability.
    pub fn policy(&self, capability: Capability) -> Policy {
        self.listed.get(&capability).copied().unwrap_or(self.default)
    }

    /// What the profile says about a recipe. `agreed` is what the user agreed to already.
    pub fn decide(&self, recipe: &Recipe, agreed: &[Capability]) -> ProfileDecision {
        let mut decision = ProfileDecision::default();
        for capability in &recipe.capabilities {
            match self.policy(*capability) {
                Policy::Allow => {}
                Policy::Ask if agreed.contains(capability) => {}
                Policy::Ask => decision.ask.push(*capability),
                Policy::Deny => decision.denied.push(*capability),
            }
        }
        let has_all = |set: &&Vec<Capability>| set.iter().all(|each| recipe.capabilities.contains(each));
        decision.together = self.forbidden_together.iter().filter(has_all).cloned().collect();
        decision
    }

    /// Reports what the profile forbids.
    pub(crate) fn judge(&self, recipe: &Recipe, report: &mut RecipeReport) {
        let root = Path::root("the recipe");
        let at = root.field("capabilities");
        let decision = self.decide(recipe, &[]);
        if let Some(why) = decision.refusal(&self.name) {
            report.broken(Rule::CapabilityForbidden, &at, why);
        }
        if !decision.ask.is_empty() {
            let message = format!("the profile {} asks about {}", self.name, words(&decision.ask));
            report.broken(Rule::CapabilityAsks, &at, message);
        }
    }
}

impl ProfileDecision {
    /// Whether the recipe may run as things are.
    pub fn is_allowed(&self) -> bool {
        self.ask.is_empty() && self.denied.is_empty() && self.together.is_empty()
    }

    /// Why the recipe may not run whatever the user says.
    fn refusal(&self, profile: &str) -> Option<String> {
        let mut reasons = Vec::new();
        if !self.denied.is_empty() {
            reasons.push(format!("denies {}", words(&self.denied)));
        }
        let together = self.together.iter();
        reasons.extend(together.map(|set| format!("forbids {} together", words(set))));
        (!reasons.is_empty()).then(|| format!("the profile {profile} {}", reasons.join(", and ")))
    }

    /// The error object of a recipe that may not run; nothing if it may.
    pub fn failure(&self, profile: &str) -> Option<Failure> {
        let code = ErrorCode::CapabilityDenied;
        if let Some(why) = self.refusal(profile) {
            return Some(Failure::new(code, why).hint("Use another profile, or change the recipe."));
        }
        if self.ask.is_empty() {
            return None;
        }
        let flags: Vec<_> = self.ask.iter().map(|each| format!("--allow {}", each.word())).collect();
        let message = format!("the profile {profile} asks about {}", words(&self.ask));
        Some(Failure::new(code, message).hint(format!("If you agree, add {}.", flags.join(" "))))
    }
}

fn words(capabilities: &[Capability]) -> String {
    let words: Vec<_> = capabilities.iter().map(|each| each.word()).collect();
    words.join(", ")
}

impl Profiles {
    /// Reads a profile file, YAML or JSON.
    pub fn parse(text: &str) -> Result<Self, RecipeProblems> {
        let (document, _) = read(text, Format::Yaml)?;
        let mut report = RecipeReport::default();
        let profiles = profiles(document.root(), &mut report);
        let mut problems = report.finish();
        problems.locate_in(&document);
        match profiles {
            Some(profiles) if problems.listed.is_empty() => Ok(profiles),
            _ => Err(problems),
        }
    }
}

fn profiles(value: Value<'_>, report: &mut RecipeReport) -> Option<Profiles> {
    let root = Path::root("the profile file");
    let reader: ObjectReader<'_, '_, { FileKeys::ALL.len() }> = object(value, FileKeys::slot, &root, report)?;
    let given = reader.fields.required("profiles", report);
    reader.fields.refuse_each_unknown(FileKeys::known, report);
    let at = root.field("profiles");
    // Any name is a name here.
    let _: ObjectReader<'_, '_, 0> = object(given?, |_| None, &at, report)?;
    let each = given?.children().filter_map(|value| {
        let name = value.key().to_owned();
        Some((name.clone(), profile(name, value, &at.field(value.key()), report)?))
    });
    Some(Profiles(each.collect()))
}

fn profile(name: String, value: Value<'_>, at: &Path<'_>, report: &mut RecipeReport) -> Option<Profile> {
    let reader: ObjectReader<'_, '_, { ProfileKeys::ALL.len() }> =
        object(value, ProfileKeys::slot, at, report)?;
    let default = reader.optional("default", report, known_word);
    let mut listed = BTreeMap::new();
    for policy in Policy::ALL {
        let Some(value) = reader.fields.optional(policy.word(), report) else {
            continue;
        };
        let at = at.field(policy.word());
        for capability in capabilities(value, &at, report) {
            if listed.insert(capability, *policy).is_some() {
                let message = format!("{} is listed more than once", capability.word());
                report.problem(&at, message);
            }
        }
    }
    let together = reader.optional("forbidden_together", report, |value, at, report| {
        let sets = list(value, MAX_ENTRIES, at, report).into_iter().enumerate();
        let sets = sets.map(|(index, set)| {
            let at = at.index(index, "an entry");
            let found = capabilities(set, &at, report);
            if found.len() < 2 {
                report.problem(&at, "an entry needs at least two capabilities".to_owned());
            }
            found
        });
        Some(sets.collect())
    });
    reader.fields.refuse_each_unknown(ProfileKeys::known, report);
    Some(Profile {
        name,
        default: default.unwrap_or(Policy::Deny),
        listed,
        forbidden_together: together.unwrap_or_default(),
    })
}

fn capabilities(value: Value<'_>, at: &Path<'_>, report: &mut RecipeReport) -> Vec<Capability> {
    let entries = list(value, MAX_ENTRIES, at, report).into_iter().enumerate();
    let found = entries.filter_map(|(index, entry)| known_word(entry, &at.index(index, "an entry"), report));
    found.collect()
}
