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
use std::sync::Arc;

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

    fn relation(&mut self, relation: Relation) {
        let action = self.spec.name;
        match relation {
            Relation::ExactlyOne(a, b) => {
                let (a_name, b_name) = (a.name(), b.name());
                match (self.is_given(a), self.is_given(b)) {
                    (false, false) => {
                        let message = format!("{action} requires params.{a_name} or params.{b_name}");
                        self.report.rules.problem(self.at, message);
                    }
                    (true, true) => {
                        let message = format!("{action} takes params.{a_name} or params.{b_name}, not both");
                        self.report.rules.problem(self.at, message);
                    }
                    (true, false) | (false, true) => {}
                }
            }
            Relation::AtLeastOne(a, b) => {
                if !self.says_something(a) && !self.says_something(b) {
                    let message = format!("{action} requires params.{} or params.{}", a.name(), b.name());
                    self.report.rules.problem(self.at, message);
                }
            }
            Relation::WhenTrue(flag, needed) => {
                if self.params.good.flag(flag) == Some(true) && !self.is_given(needed) {
                    let message = format!(
                        "{action} with params.{}=true requires params.{}",
                        flag.name(),
                        needed.name()
                    );
                    self.problem(needed, message);
                }
            }
            Relation::NeedsTrue(key, flag) => {
                let is_true = self.params.good.flag(flag).or(self.spec.default_flag(flag));
                if self.is_given(key) && !self.is_bad(flag) && is_true != Some(true) {
                    let message =
                        format!("{action} with params.{} requires params.{}=true", key.name(), flag.name());
                    self.problem(key, message);
                }
            }
            Relation::Excludes(key, word, other) => {
                // A word is compared as its own rule compares it.
                let folds = self.spec.folds_case(key);
                let says_it = self
                    .params
                    .good
                    .text(key)
                    .is_some_and(|text| if folds { text::fold(text) == word } else { &**text == word });
                if says_it && self.is_given(other) {
                    let message = format!(
                        "{action} does not take {}=\"{word}\" with params.{}",
                        key.name(),
                        other.name()
                    );
                    self.problem(key, message);
                }
            }
        }
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
            let action = self.spec.name;
            let name = used.key.name();
            let bound = match used.rule {
                ParamRule::Above(min, _) => format!(" > {min}"),
                _ => String::new(),
            };
            self.problem(used.key, format!("{action} requires params.{name}{bound}"));
        }
    }

    fn text(&mut self, used: &ParamUse) {
        let params: &'r DraftParams = self.params;
        let Some(text) = params.good.text(used.key) else {
            return self.missing(used);
        };
        let (action, name) = (self.spec.name, used.key.name());
        match used.rule {
            ParamRule::NotBlank if text::is_blank(text) => {
                self.problem(used.key, format!("{action} params.{name} must not be blank"));
            }
            // No command of a phone can carry it, and no path contains it.
            ParamRule::NotBlank if text.contains('\0') => {
                self.problem(
                    used.key,
                    format!("{action} params.{name} must not contain the character U+0000"),
                );
            }
            ParamRule::OneOf(words) if !words.contains(&&*text::fold(text)) => {
                let shown = text::excerpt(text);
                let message =
                    format!("{action} params.{name} must be one of: {}, not \"{shown}\"", words.join(", "));
                self.problem(used.key, message);
            }
            ParamRule::Known(words) if !words.contains(&&**text) => self.warn_of_word(used.key, text, words),
            ParamRule::KnownAnyCase(words) if !words.contains(&&*text::fold(text)) => {
                self.warn_of_word(used.key, text, words);
            }
            _ => {}
        }
    }

    fn warn_of_word(&mut self, key: ParamKey, word: &str, words: &[&str]) {
        self.warn(WarningCode::ValueUnsupported, key, || {
            let (name, shown, known) = (key.name(), text::excerpt(word), words.join(", "));
            format!("{name} \"{shown}\" is not one of: {known}; the step will fail when it runs")
        });
    }

    fn number(&mut self, used: &ParamUse) {
        let Some(number) = self.params.good.number(used.key) else {
            return self.missing(used);
        };
        let (action, name) = (self.spec.name, used.key.name());
        match used.rule {
            ParamRule::Above(min, _) if number.get() <= min => self.missing(used),
            ParamRule::Above(_, max) if number.get() > max => {
                self.problem(used.key, format!("{action} params.{name} must not exceed {max}, not {number}"));
            }
            ParamRule::Within(min, max) if !within(number, min, max) => {
                self.problem(
                    used.key,
                    format!("{action} params.{name} must be in [{min}, {max}], not {number}"),
                );
            }
            ParamRule::Count(min, max) if !number.is_integer() || !within(number, min, max) => {
                let message =
                    format!("{action} params.{name} must be a whole number in [{min}, {max}], not {number}");
                self.problem(used.key, message);
            }
            ParamRule::Clamped(clamp) if clamp.apply(number) != number => {
                self.warn(WarningCode::ValueClamped, used.key, || clamp.warning(name, number));
            }
            _ => {}
        }
    }

    /// The pattern matters only to the regex validator.
    fn pattern(&mut self, key: ParamKey) {
        let wanted = self.params.good.text(ParamKey::Validator);
        if wanted.and_then(|word| Validator::from_word(word)) != Some(Validator::Regex) {
            if self.params.good.text(key).is_some() {
                self.warn(WarningCode::ParamUnused, key, || {
                    let name = key.name();
                    format!("{name} matters only with validator \"regex\"; it has no effect")
                });
            }
            return;
        }
        let action = self.spec.name;
        let params: &'r DraftParams = self.params;
        match params.good.text(key) {
            None => {
                self.problem(
                    key,
                    format!("{action} with validator=\"regex\" requires params.{}", key.name()),
                );
            }
            Some(text) if text::is_blank(text) => {
                self.problem(key, format!("{action} params.{} must not be blank", key.name()));
            }
            Some(text) => self.read_pattern(key, text),
        }
    }

    fn read_pattern(&mut self, key: ParamKey, text: &Arc<str>) {
        match self.report.patterns.compile(text) {
            Ok(pattern) => self.pattern = Some(pattern),
            Err(error) => {
                let (action, name) = (self.spec.name, key.name());
                let message = format!("{action} params.{name} cannot be run: {}", error.reason);
                self.problem(key, message).hint = Some(error.hint.to_owned());
            }
        }
    }

    fn warn_of_unused(&mut self) {
        let unused: Vec<_> = self.params.good.keys().filter(|key| !self.spec.uses(*key)).collect();
        let action = self.spec.name;
        for key in unused {
            self.warn(WarningCode::ParamUnused, key, || {
                let name = key.name();
                format!("{action} does not use {name}; it has no effect")
            });
        }
    }
}

fn within(number: Number, min: f64, max: f64) -> bool {
    (min..=max).contains(&number.get())
}
