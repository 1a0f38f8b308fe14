//! The actions' own rules, applied from the catalogue: what must hold between
//! parameters, then what each must be. A parameter whose structure is already
//! at fault is left alone, so that one mistake is reported once.

use super::report::{About, CheckReport};
use super::values::DraftParams;
use crate::action::{ActionKind, ActionSpec, Need, ParamRule, ParamUse, Relation, ResolvedParams, Step};
use crate::param::ParamKey;
use crate::pattern::Pattern;
use crate::problem::WarningCode;
use crate::wire::PARAMS;
use crate::word::Validator;
use clawperator_document::{Number, Path, text};

/// Applies the rules of one action to its parameters, and builds the typed step
/// unless something is wrong anywhere. `at` is the path of the action.
pub(super) fn judge(
    kind: ActionKind,
    params: &DraftParams,
    at: &Path<'_>,
    report: &mut CheckReport<'_>,
) -> Option<Step> {
    let spec = kind.spec();
    let mut rules = Rules { spec, params, at: &at.field(PARAMS.name), report, pattern: None };
    for relation in spec.relations {
        rules.relation(*relation);
    }
    for used in spec.params {
        rules.param(used);
    }
    rules.warn_of_unused();
    let pattern = rules.pattern;
    if !report.is_clean() {
        return None;
    }
    let step = (spec.build)(&ResolvedParams { spec, params: &params.good, pattern });
    if step.is_none() {
        let message = format!("{} could not be built; this is a bug in clawperator", spec.name);
        report.rules.problem(at, message);
    }
    step
}

/// One action's rules, being applied.
struct Rules<'r, 'w> {
    spec: &'static ActionSpec,
    params: &'r DraftParams,
    at: &'r Path<'r>,
    report: &'r mut CheckReport<'w>,
    /// The validator's pattern, once it is compiled.
    pattern: Option<Pattern>,
}

impl<'r, 'w> Rules<'r, 'w> {
    /// Whether a parameter was given at all, even wrongly.
    fn is_given(&self, key: ParamKey) -> bool {
        self.params.good.get(key).is_some() || self.is_bad(key)
    }

    fn is_bad(&self, key: ParamKey) -> bool {
        self.params.bad.contains(&key)
    }

    /// Whether a parameter was given and says something.
    fn says_something(&self, key: ParamKey) -> bool {
        let blank = self.params.good.text(key).is_some_and(|text| text::is_blank(text));
        self.is_given(key) && !blank
    }

    fn problem(&mut self, key: ParamKey, message: String) -> &mut clawperator_document::Problem<About<'w>> {
        self.report.rules.problem(&self.at.field(key.name()), message)
    }

    fn warn(&mut self, code: WarningCode, key: ParamKey, message: impl FnOnce() -> String) {
        self.report.warn(code, &self.at.field(key.name()), message);
    }

    /// Reports a relation that does not hold: of the parameter at fault, or of all of them.
    fn relation(&mut self, relation: Relation) {
        let action = self.spec.name;
        let good = &self.params.good;
        let (key, message) = match relation {
            Relation::ExactlyOne(a, b) => match (self.is_given(a), self.is_given(b)) {
                (false, false) => (None, format!("{action} requires params.{a} or params.{b}")),
                (true, true) => (None, format!("{action} takes params.{a} or params.{b}, not both")),
                (true, false) | (false, true) => return,
            },
            Relation::AtLeastOne(a, b) if !self.says_something(a) && !self.says_something(b) => {
                (None, format!("{action} requires params.{a} or params.{b}"))
            }
            Relation::WhenTrue(flag, needed) if good.flag(flag) == Some(true) && !self.is_given(needed) => {
                (Some(needed), format!("{action} with params.{flag}=true requires params.{needed}"))
            }
            Relation::NeedsTrue(key, flag)
                if self.is_given(key)
                    && !self.is_bad(flag)
                    && good.flag(flag).or(self.spec.default_flag(flag)) != Some(true) =>
            {
                (Some(key), format!("{action} with params.{key} requires params.{flag}=true"))
            }
            Relation::Excludes(key, word, other) if self.says(key, word) && self.is_given(other) => {
                (Some(key), format!("{action} does not take {key}=\"{word}\" with params.{other}"))
            }
            Relation::AtLeastOne(..)
            | Relation::WhenTrue(..)
            | Relation::NeedsTrue(..)
            | Relation::Excludes(..) => return,
        };
        match key {
            Some(key) => self.problem(key, message),
            None => self.report.rules.problem(self.at, message),
        };
    }

    /// Whether a parameter is a word, compared as its own rule compares it.
    fn says(&self, key: ParamKey, word: &str) -> bool {
        let folds = self.spec.folds_case(key);
        let given = self.params.good.text(key);
        given.is_some_and(|text| if folds { text::fold(text) == word } else { &**text == word })
    }

    fn param(&mut self, used: &ParamUse) {
        if self.is_bad(used.key) {
            return;
        }
        match used.rule {
            ParamRule::Pattern => self.pattern(used.key),
            ParamRule::Any if self.params.good.get(used.key).is_none() => self.missing(used),
            ParamRule::Any => {}
            ParamRule::NotBlank | ParamRule::OneOf(_) | ParamRule::Known(_) | ParamRule::KnownAnyCase(_) => {
                self.text(used);
            }
            ParamRule::Within(..) | ParamRule::Above(..) | ParamRule::Count(..) | ParamRule::Clamped(_) => {
                self.number(used);
            }
        }
    }

    /// Reports a required parameter that is not there.
    fn missing(&mut self, used: &ParamUse) {
        if used.need == Need::Required {
            let (action, key) = (self.spec.name, used.key);
            let bound = match used.rule {
                ParamRule::Above(min, _) => format!(" > {min}"),
                _ => String::new(),
            };
            self.problem(key, format!("{action} requires params.{key}{bound}"));
        }
    }

    fn text(&mut self, used: &ParamUse) {
        let params: &'r DraftParams = self.params;
        let Some(text) = params.good.text(used.key) else {
            return self.missing(used);
        };
        let (action, key) = (self.spec.name, used.key);
        let message = match used.rule {
            ParamRule::NotBlank if text::is_blank(text) => {
                format!("{action} params.{key} must not be blank")
            }
            // No command of a phone can carry it, and no path contains it.
            ParamRule::NotBlank if text.contains('\0') => {
                format!("{action} params.{key} must not contain the character U+0000")
            }
            ParamRule::OneOf(words) if !words.contains(&&*text::fold(text)) => {
                let (words, shown) = (words.join(", "), text::excerpt(text));
                format!("{action} params.{key} must be one of: {words}, not \"{shown}\"")
            }
            ParamRule::Known(words) if !words.contains(&&**text) => {
                return self.warn_of_word(key, text, words);
            }
            ParamRule::KnownAnyCase(words) if !words.contains(&&*text::fold(text)) => {
                return self.warn_of_word(key, text, words);
            }
            _ => return,
        };
        self.problem(key, message);
    }

    fn warn_of_word(&mut self, key: ParamKey, word: &str, words: &[&str]) {
        self.warn(WarningCode::ValueUnsupported, key, || {
            let (shown, known) = (text::excerpt(word), words.join(", "));
            format!("{key} \"{shown}\" is not one of: {known}; the step will fail when it runs")
        });
    }

    fn number(&mut self, used: &ParamUse) {
        let Some(number) = self.params.good.number(used.key) else {
            return self.missing(used);
        };
        let (action, key) = (self.spec.name, used.key);
        let message = match used.rule {
            ParamRule::Above(min, _) if number.get() <= min => return self.missing(used),
            ParamRule::Above(_, max) if number.get() > max => {
                format!("{action} params.{key} must not exceed {max}, not {number}")
            }
            ParamRule::Within(min, max) if !within(number, min, max) => {
                format!("{action} params.{key} must be in [{min}, {max}], not {number}")
            }
            ParamRule::Count(min, max) if !number.is_integer() || !within(number, min, max) => {
                format!("{action} params.{key} must be a whole number in [{min}, {max}], not {number}")
            }
            ParamRule::Clamped(clamp) if clamp.apply(number) != number => {
                return self.warn(WarningCode::ValueClamped, key, || clamp.warning(key.name(), number));
            }
            _ => return,
        };
        self.problem(key, message);
    }

    /// The pattern matters only to the regex validator.
    fn pattern(&mut self, key: ParamKey) {
        let wanted = self.params.good.text(ParamKey::Validator);
        if wanted.and_then(|word| Validator::from_word(word)) != Some(Validator::Regex) {
            if self.params.good.text(key).is_some() {
                self.warn(WarningCode::ParamUnused, key, || {
                    format!("{key} matters only with validator \"regex\"; it has no effect")
                });
            }
            return;
        }
        let action = self.spec.name;
        let params: &'r DraftParams = self.params;
        let (message, hint) = match params.good.text(key) {
            None => (format!("{action} with validator=\"regex\" requires params.{key}"), None),
            Some(text) if text::is_blank(text) => (format!("{action} params.{key} must not be blank"), None),
            Some(text) => match self.report.patterns.compile(text) {
                Ok(pattern) => {
                    self.pattern = Some(pattern);
                    return;
                }
                Err(error) => {
                    let message = format!("{action} params.{key} cannot be run: {}", error.reason);
                    (message, Some(error.hint.to_owned()))
                }
            },
        };
        self.problem(key, message).hint = hint;
    }

    fn warn_of_unused(&mut self) {
        let unused: Vec<_> = self.params.good.keys().filter(|key| !self.spec.uses(*key)).collect();
        let action = self.spec.name;
        for key in unused {
            self.warn(WarningCode::ParamUnused, key, || {
                format!("{action} does not use {key}; it has no effect")
            });
        }
    }
}

fn within(number: Number, min: f64, max: f64) -> bool {
    (min..=max).contains(&number.get())
}
