//! Actions: what a row of the catalogue says. The checks, the schema, the
//! documentation and the command line are derived from the rows.

mod catalogue;
mod param_values;
mod step;

use crate::clamp::Clamp;
use crate::data_key::DataKey;
use crate::param::ParamKey;
use crate::retry::RetryPreset;
use crate::word::Lane;
pub use catalogue::{ActionKind, CATALOGUE, Step};
use clawperator_document::text;
pub(crate) use param_values::ResolvedParams;
pub use step::*;

/// One row of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct ActionSpec {
    pub kind: ActionKind,
    /// The canonical type as it is written.
    pub name: &'static str,
    /// Types that mean the same on input.
    pub aliases: &'static [&'static str],
    pub doc: &'static str,
    /// The parameters it uses, in the order they are checked.
    pub params: &'static [ParamUse],
    /// What must hold between parameters; checked before the parameters.
    pub relations: &'static [Relation],
    /// The retry objects it takes, and what holds without them.
    pub retries: &'static [(ParamKey, RetryPreset)],
    /// Parameters it once had; a caller who sends one gets a hint.
    pub removed: &'static [&'static str],
    /// How it runs where an execution goes through the Operator app.
    pub operator: OperatorRoute,
    /// The parameter by which a caller says how long it may take.
    pub time: Option<ParamKey>,
    pub effect: ActionEffect,
    /// The lane without which it cannot be done.
    pub lane: Option<Lane>,
    /// The parameter with what a user types: no journal, no page shows it.
    pub private: Option<ParamKey>,
    /// The parameters of a recipe's step of this type; `None` if a recipe has no such step.
    pub recipe: Option<&'static [ParamKey]>,
    /// What agents call it, where none of their tools has a shape of its own for it.
    pub verb: Option<&'static str>,
    /// The flat commands that build it; one without a shape of its own is made of the row.
    pub commands: &'static [&'static str],
    /// The keys that the contract promises on success, whatever runs it.
    pub promised_keys: &'static [DataKey],
    /// The keys its data always has on success where this runtime runs it.
    pub success_keys: &'static [DataKey],
    /// The keys its data may have on success, beside [`COMMON_KEYS`].
    ///
    /// [`COMMON_KEYS`]: crate::COMMON_KEYS
    pub optional_keys: &'static [DataKey],
    /// The keys that only its failures may have, beside [`FAILED_KEYS`] and
    /// [`COMMON_FAILURE_KEYS`]; what it would have said on success may be
    /// there, too.
    ///
    /// [`FAILED_KEYS`]: crate::FAILED_KEYS
    /// [`COMMON_FAILURE_KEYS`]: crate::COMMON_FAILURE_KEYS
    pub failure_keys: &'static [DataKey],
    /// Builds the typed step once every rule holds.
    pub(crate) build: fn(&ResolvedParams<'_>) -> Option<Step>,
}

/// How an action runs where an execution goes through the Operator app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorRoute {
    App,
    /// The host runs it between two parts that the app runs.
    Host,
    /// The app does not know it, so the execution is refused.
    Unsupported,
}

/// What an action does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionEffect {
    /// It lets time pass.
    Nothing,
    Observes,
    /// It observes until something is there.
    Waits,
    /// It has something of the phone until it is given back.
    Borrows,
    /// It leads somewhere else: another app, another page, further down.
    Moves,
    /// It touches what is on the screen; a policy looks at what that is.
    Touches,
    /// It changes the phone itself.
    Changes,
}

/// How an action uses one parameter.
#[derive(Clone, Copy, Debug)]
pub struct ParamUse {
    pub key: ParamKey,
    pub need: Need,
    pub rule: ParamRule,
    /// What holds where it is left out.
    pub default: Fallback,
}

/// Whether a parameter may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    Required,
    Optional,
}

/// What a parameter's value must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParamRule {
    Any,
    /// Something other than white space, without U+0000.
    NotBlank,
    /// One of these words, trimmed and in any case.
    OneOf(&'static [&'static str]),
    /// One of these words exactly; any other is let through with a warning.
    Known(&'static [&'static str]),
    /// One of these words, trimmed and in any case; any other is let through with a warning.
    KnownAnyCase(&'static [&'static str]),
    /// A number from the first to the second.
    Within(f64, f64),
    /// A number above the first and up to the second.
    Above(f64, f64),
    /// A whole number from the first to the second.
    Count(f64, f64),
    /// Any number; it is brought into this range with a warning.
    Clamped(Clamp),
    /// A pattern, needed when the validator is `regex`.
    Pattern,
}

/// What holds where a parameter is left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fallback {
    None,
    Number(f64),
    Word(&'static str),
    Flag(bool),
}

/// What must hold between parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Relation {
    /// One of the two, not both.
    ExactlyOne(ParamKey, ParamKey),
    /// One of the two or both; blank text does not count.
    AtLeastOne(ParamKey, ParamKey),
    /// The first, if true, needs the second.
    WhenTrue(ParamKey, ParamKey),
    /// The first needs the second to be true.
    NeedsTrue(ParamKey, ParamKey),
    /// The first may not have that value beside the second.
    Excludes(ParamKey, &'static str, ParamKey),
}

impl ActionKind {
    /// The action's row.
    pub fn spec(self) -> &'static ActionSpec {
        // The macro writes catalogue and enum in one order.
        &CATALOGUE[self as usize]
    }

    /// The canonical type as it is written.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// Reads a type or an alias of one, trimmed and in any case.
    pub fn from_type(written: &str) -> Option<Self> {
        // Almost every type is canonical and written as it should be.
        let canonical = |wanted: &str| CATALOGUE.iter().find(|spec| spec.name == wanted);
        let known = canonical(written).or_else(|| {
            let wanted = &*text::fold(written);
            let is_alias = |spec: &&ActionSpec| spec.aliases.contains(&wanted);
            canonical(wanted).or_else(|| CATALOGUE.iter().find(is_alias))
        });
        known.map(|spec| spec.kind)
    }
}

impl ActionSpec {
    /// Tells whether the action uses a parameter.
    pub fn uses(&self, key: ParamKey) -> bool {
        self.params.iter().any(|used| used.key == key) || self.retries.iter().any(|(slot, _)| *slot == key)
    }

    /// Tells whether the words of a parameter are read in any case.
    pub fn folds_case(&self, key: ParamKey) -> bool {
        let rule = self.param(key).map(|used| used.rule);
        matches!(rule, Some(ParamRule::OneOf(_) | ParamRule::KnownAnyCase(_)))
    }

    /// The truth value of a parameter that is left out, if it has one.
    pub fn default_flag(&self, key: ParamKey) -> Option<bool> {
        match self.param(key)?.default {
            Fallback::Flag(value) => Some(value),
            Fallback::None | Fallback::Number(_) | Fallback::Word(_) => None,
        }
    }

    /// How the action uses a parameter.
    pub fn param(&self, key: ParamKey) -> Option<&'static ParamUse> {
        self.params.iter().find(|used| used.key == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_type_means_two_actions() {
        let mut seen = BTreeSet::new();
        for spec in &CATALOGUE {
            for name in spec.aliases.iter().chain([&spec.name]) {
                assert!(seen.insert(*name), "{name}");
            }
        }
    }

    #[test]
    fn types_are_trimmed_and_case_does_not_count() {
        assert_eq!(ActionKind::from_type(" TAP\t"), Some(ActionKind::Click));
        assert_eq!(ActionKind::from_type("\u{feff}key_press"), Some(ActionKind::PressKey));
        assert_eq!(ActionKind::from_type("\u{200b}click"), None);
        assert_eq!(ActionKind::from_type("doctor_ping"), None);
    }
}
