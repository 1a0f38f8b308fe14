//! Reads the fields of a recipe itself.

use super::declared::{input, output};
use super::form::{Form, PACKAGE, RECIPE_ID, SEMVER, TEXT, is_date};
use super::steps;
use super::values::{ObjectReader, keys, known_word, list, object, plain_text, whole};
use crate::recipe::limits::{MAX_ENTRIES, MAX_VALUES};
use crate::recipe::problem::{Judge, RecipePlace, RecipeReport};
use crate::recipe::rule::Rule;
use crate::recipe::word::{Capability, Framework, RecipeType};
use crate::recipe::{AppBuild, Compatibility, Recipe, TestedOn};
use clawperator_document::{Document, Kind, Path, Value, Word, expect_flag};

keys!(Front: "recipe_id" "recipe_version" "recipe_type" "application_id" "summary" "frameworks"
    "session_policy" "fresh_start_injected" "app_build" "tested_on" "capabilities" "inputs" "outputs"
    "compatibility" "known_quirks" "failure_modes" "maintainers" "tags" "risk_level" "steps");
keys!(Build: "version_name" "version_code");
keys!(Tested: "android_api" "device_model" "locale" "last_verified_at");
keys!(Versions: "min_version_code" "max_version_code");

/// The largest whole number that JSON carries safely.
const MOST: f64 = 9_007_199_254_740_991.0;

struct FrontReader<'r, 'w> {
    document: &'w Document<'w>,
    own: ObjectReader<'r, 'w, { Front::ALL.len() }>,
    at: &'r Path<'r>,
}

pub(super) fn recipe(document: &Document<'_>, report: &mut RecipeReport) -> Option<Recipe> {
    let root = Path::root("the recipe");
    let own = object(document.root(), Front::slot, &root, report)?;
    let reader = FrontReader { document, own, at: &root };
    let recipe_id = reader.text("recipe_id", RECIPE_ID, report);
    let recipe_version = reader.text("recipe_version", SEMVER, report);
    let recipe_type = reader.word::<RecipeType>("recipe_type", report);
    let application_id = reader.text("application_id", PACKAGE, report);
    let summary = reader.text("summary", TEXT, report);
    let frameworks = reader.words::<Framework>("frameworks", report);
    let session_policy =
        report.under(Rule::SessionPolicy, |report| reader.own.required("session_policy", report, known_word));
    let fresh = reader.own.optional("fresh_start_injected", report, expect_flag);
    let app_build = reader.own.required("app_build", report, app_build);
    let tested_on = reader.own.required("tested_on", report, tested_on);
    let capabilities = reader.words::<Capability>("capabilities", report);
    let inputs = reader.values("inputs", report, input);
    let outputs = reader.values("outputs", report, output);
    reader.refuse_twice("inputs", inputs.iter().map(|each| each.name.as_str()), report);
    reader.refuse_twice("outputs", outputs.iter().map(|each| each.name.as_str()), report);
    let compatibility = reader.own.optional("compatibility", report, compatibility);
    let [known_quirks, failure_modes, maintainers, tags] =
        ["known_quirks", "failure_modes", "maintainers", "tags"].map(|name| reader.texts(name, report));
    let risk_level =
        report.under(Rule::Taxonomy, |report| reader.own.optional("risk_level", report, known_word));
    let steps = report.under(Rule::StepBlock, |report| {
        let value = reader.own.fields.required("steps", report)?;
        Some(steps::steps(value, document, &root.field("steps"), report))
    });
    reader.own.fields.refuse_each_unknown(Front::known, report);
    Some(Recipe {
        recipe_id: recipe_id?,
        recipe_version: recipe_version?,
        recipe_type: recipe_type?,
        application_id: application_id?,
        summary: summary?,
        frameworks,
        session_policy: session_policy?,
        fresh_start_injected: fresh.unwrap_or(true),
        app_build: app_build?,
        compatibility: compatibility.unwrap_or_default(),
        tested_on: tested_on?,
        capabilities,
        inputs,
        outputs,
        known_quirks,
        failure_modes,
        maintainers,
        tags,
        risk_level,
        steps: steps?,
    })
}

impl<'w> FrontReader<'_, 'w> {
    fn text(&self, name: &str, form: Form, report: &mut RecipeReport) -> Option<String> {
        self.own.required(name, report, |value, at, report| {
            let found = plain_text(value, at, report)?;
            if !(form.fits)(&found) {
                report.problem(at, format!("{name} must be {}", form.words));
                return None;
            }
            Some(found)
        })
    }

    fn word<T: Word>(&self, name: &str, report: &mut RecipeReport) -> Option<T> {
        report.under(Rule::Taxonomy, |report| self.own.required(name, report, known_word))
    }

    /// A list of words of a table, at least one, each once.
    fn words<T: Word + PartialEq>(&self, name: &str, report: &mut RecipeReport) -> Vec<T> {
        let mut found = Vec::new();
        self.own.required(name, report, |value, at, report| {
            report.under(Rule::Taxonomy, |report| {
                let entries = list(value, MAX_ENTRIES, at, report);
                if entries.is_empty() && value.kind() == Kind::Array {
                    report.problem(at, format!("{name} is empty"));
                }
                for (index, entry) in entries.into_iter().enumerate() {
                    let at = at.index(index, "an entry");
                    let Some(word) = known_word(entry, &at, report) else {
                        continue;
                    };
                    if found.contains(&word) {
                        report.problem(&at, format!("{name} has an entry twice"));
                    }
                    found.push(word);
                }
                Some(())
            })
        });
        found
    }

    /// A list of texts, which may be missing.
    fn texts(&self, name: &str, report: &mut RecipeReport) -> Vec<String> {
        let read = self.own.optional(name, report, |value, at, report| {
            let entries = list(value, MAX_ENTRIES, at, report).into_iter().enumerate();
            let texts =
                entries.filter_map(|(index, entry)| plain_text(entry, &at.index(index, "an entry"), report));
            Some(texts.collect())
        });
        read.unwrap_or_default()
    }

    fn values<T>(
        &self,
        name: &str,
        report: &mut RecipeReport,
        read: impl Fn(Value<'w>, RecipePlace, &Path<'_>, &mut RecipeReport) -> Option<T>,
    ) -> Vec<T> {
        let found = self.own.required(name, report, |value, at, report| {
            let entries = list(value, MAX_VALUES, at, report).into_iter().enumerate();
            let values = entries.filter_map(|(index, entry)| {
                let place = RecipePlace(self.document.place(entry).map(|place| place.value));
                read(entry, place, &at.index(index, "an entry"), report)
            });
            Some(values.collect())
        });
        found.unwrap_or_default()
    }

    fn refuse_twice<'n>(&self, list: &str, names: impl Iterator<Item = &'n str>, report: &mut RecipeReport) {
        let mut seen: Vec<&str> = Vec::new();
        for name in names {
            if seen.contains(&name) {
                report.problem(&self.at.field(list), format!("{list} has \"{name}\" twice"));
            }
            seen.push(name);
        }
    }
}

fn app_build(value: Value<'_>, at: &Path<'_>, report: &mut RecipeReport) -> Option<AppBuild> {
    let reader: ObjectReader<'_, '_, { Build::ALL.len() }> = object(value, Build::slot, at, report)?;
    let name = reader.required("version_name", report, plain_text);
    let code =
        reader.required("version_code", report, |value, at, report| whole(value, 0.0..=MOST, at, report));
    reader.fields.refuse_each_unknown(Build::known, report);
    Some(AppBuild { version_name: name?, version_code: code? })
}

fn tested_on(value: Value<'_>, at: &Path<'_>, report: &mut RecipeReport) -> Option<TestedOn> {
    let reader: ObjectReader<'_, '_, { Tested::ALL.len() }> = object(value, Tested::slot, at, report)?;
    let api =
        reader.required("android_api", report, |value, at, report| whole(value, 1.0..=10_000.0, at, report));
    let [device_model, locale, last_verified_at] =
        ["device_model", "locale", "last_verified_at"].map(|name| reader.optional(name, report, plain_text));
    if last_verified_at.as_deref().is_some_and(|date| !is_date(date)) {
        let field = at.field("last_verified_at");
        let message = "last_verified_at must be a date such as 2026-05-31 or 2026-05-31T12:00:00Z";
        report.problem(&field, message.to_owned());
    }
    reader.fields.refuse_each_unknown(Tested::known, report);
    Some(TestedOn { android_api: api?, device_model, locale, last_verified_at })
}

fn compatibility(value: Value<'_>, at: &Path<'_>, report: &mut RecipeReport) -> Option<Compatibility> {
    let reader: ObjectReader<'_, '_, { Versions::ALL.len() }> = object(value, Versions::slot, at, report)?;
    let [min_version_code, max_version_code] = Versions::ALL
        .map(|name| reader.optional(name, report, |value, at, report| whole(value, 0.0..=MOST, at, report)));
    if let (Some(min), Some(max)) = (min_version_code, max_version_code)
        && min > max
    {
        let message = "min_version_code is greater than max_version_code".to_owned();
        report.problem(&at.field("min_version_code"), message);
    }
    reader.fields.refuse_each_unknown(Versions::known, report);
    Some(Compatibility { min_version_code, max_version_code })
}
