//! Reads the fields of a recipe itself.

use super::steps;
use super::values::{keys, known_word, list, object, plain_text, refuse_placeholder, whole};
use crate::recipe::input::{Input, InputValue};
use crate::recipe::input_text::is_name;
use crate::recipe::limits::{MAX_ENTRIES, MAX_RECIPE_ID, MAX_VALUES};
use crate::recipe::output::Output;
use crate::recipe::problem::{Judge, Place, Report};
use crate::recipe::rule::Rule;
use crate::recipe::word::{
    Capability, Framework, REDACTIONS, RecipeType, RiskLevel, SessionPolicy, ValueType, redaction_from,
};
use crate::recipe::{AppBuild, Compatibility, Recipe, TestedOn};
use clawperator_document::{Document, Fields, Kind, Path, Value, expect_flag, text, within_length};

keys!(Front: "recipe_id" "recipe_version" "recipe_type" "application_id" "summary" "frameworks"
    "session_policy" "fresh_start_injected" "app_build" "tested_on" "capabilities" "inputs" "outputs"
    "compatibility" "known_quirks" "failure_modes" "maintainers" "tags" "risk_level" "steps");
keys!(Build: "version_name" "version_code");
keys!(Tested: "android_api" "device_model" "locale" "last_verified_at");
keys!(Versions: "min_version_code" "max_version_code");
keys!(InputKeys: "name" "type" "required" "default" "description");
keys!(OutputKeys: "name" "type" "redaction" "description");

/// The largest whole number that JSON carries safely.
const MOST: f64 = 9_007_199_254_740_991.0;

/// The fields of the recipe, and where they are.
struct Reader<'r, 'w> {
    document: &'w Document<'w>,
    fields: Fields<'r, 'w, { Front::ALL.len() }>,
    at: &'r Path<'r>,
}

pub(super) fn recipe(document: &Document<'_>, report: &mut Report) -> Option<Recipe> {
    let root = Path::root("the recipe");
    let fields = object(document.root(), Front::slot, &root, report)?;
    let reader = Reader {
        document,
        fields,
        at: &root,
    };
    let recipe_id = reader.text(
        "recipe_id",
        report,
        is_recipe_id,
        "letters, digits, \".\", \"_\" and \"-\"",
    );
    let recipe_version = reader.text("recipe_version", report, is_semver, "a version such as 1.2.0");
    let recipe_type = reader.word("recipe_type", (RecipeType::from_word, RecipeType::WORDS), report);
    let application_id = reader.text(
        "application_id",
        report,
        is_package,
        "a package id such as com.example.app",
    );
    let summary = reader.text("summary", report, |_| true, "");
    let frameworks = reader.words("frameworks", (Framework::from_word, Framework::WORDS), report);
    let session_policy = report.under(Rule::SessionPolicy, |report| {
        let field = reader.at.field("session_policy");
        let value = reader.fields.required("session_policy", report)?;
        known_word(
            value,
            (SessionPolicy::from_word, SessionPolicy::WORDS),
            &field,
            report,
        )
    });
    let fresh = reader.optional("fresh_start_injected", report, expect_flag);
    let app_build = reader.required("app_build", report, app_build);
    let tested_on = reader.required("tested_on", report, tested_on);
    let capabilities = reader.words("capabilities", (Capability::from_word, Capability::WORDS), report);
    let inputs = reader.values("inputs", report, input);
    let outputs = reader.values("outputs", report, output);
    reader.refuse_twice(inputs.iter().map(|input| input.name.as_str()), "inputs", report);
    reader.refuse_twice(
        outputs.iter().map(|output| output.name.as_str()),
        "outputs",
        report,
    );
    let compatibility = reader.optional("compatibility", report, compatibility);
    let [known_quirks, failure_modes, maintainers, tags] =
        ["known_quirks", "failure_modes", "maintainers", "tags"].map(|name| reader.texts(name, report));
    let risk_level = report.under(Rule::Taxonomy, |report| {
        let words = (RiskLevel::from_word as fn(&str) -> _, RiskLevel::WORDS);
        reader.optional("risk_level", report, |value, at, report| {
            known_word(value, words, at, report)
        })
    });
    let steps = report.under(Rule::StepBlock, |report| {
        reader.required("steps", report, |value, at, report| {
            Some(steps::steps(value, (document, at), report))
        })
    });
    reader.fields.refuse_unknown(Front::known, report);
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

impl<'w> Reader<'_, 'w> {
    fn optional<T>(
        &self,
        name: &str,
        report: &mut Report,
        read: impl FnOnce(Value<'w>, &Path<'_>, &mut Report) -> Option<T>,
    ) -> Option<T> {
        let value = self.fields.optional(name, report)?;
        read(value, &self.at.field(name), report)
    }

    fn required<T>(
        &self,
        name: &str,
        report: &mut Report,
        read: impl FnOnce(Value<'w>, &Path<'_>, &mut Report) -> Option<T>,
    ) -> Option<T> {
        let value = self.fields.required(name, report)?;
        read(value, &self.at.field(name), report)
    }

    fn text(
        &self,
        name: &str,
        report: &mut Report,
        fits: impl Fn(&str) -> bool,
        form: &str,
    ) -> Option<String> {
        self.required(name, report, |value, at, report| {
            let found = plain_text(value, at, report)?;
            if !fits(&found) {
                report.problem(at, format!("{name} must be {form}"));
                return None;
            }
            Some(found)
        })
    }

    fn word<T>(&self, name: &str, words: (fn(&str) -> Option<T>, &[&str]), report: &mut Report) -> Option<T> {
        report.under(Rule::Taxonomy, |report| {
            self.required(name, report, |value, at, report| {
                known_word(value, words, at, report)
            })
        })
    }

    /// A list of words of a table, at least one, each once.
    fn words<T: Copy + PartialEq>(
        &self,
        name: &str,
        words: (fn(&str) -> Option<T>, &[&str]),
        report: &mut Report,
    ) -> Vec<T> {
        let mut found = Vec::new();
        self.required(name, report, |value, at, report| {
            report.under(Rule::Taxonomy, |report| {
                let entries = list(value, MAX_ENTRIES, at, report);
                if entries.is_empty() && value.kind() == Kind::Array {
                    report.problem(at, format!("{name} is empty"));
                }
                for (index, entry) in entries.into_iter().enumerate() {
                    let at = at.index(index, "an entry");
                    let Some(word) = known_word(entry, words, &at, report) else {
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
    fn texts(&self, name: &str, report: &mut Report) -> Vec<String> {
        let read = self.optional(name, report, |value, at, report| {
            let entries = list(value, MAX_ENTRIES, at, report).into_iter().enumerate();
            let texts =
                entries.filter_map(|(index, entry)| plain_text(entry, &at.index(index, "an entry"), report));
            Some(texts.collect())
        });
        read.unwrap_or_default()
    }

    /// The declared inputs or outputs.
    fn values<T>(
        &self,
        name: &str,
        report: &mut Report,
        read: impl Fn(Value<'w>, Place, &Path<'_>, &mut Report) -> Option<T>,
    ) -> Vec<T> {
        let found = self.required(name, report, |value, at, report| {
            let entries = list(value, MAX_VALUES, at, report).into_iter().enumerate();
            let values = entries.filter_map(|(index, entry)| {
                let place = Place(self.document.place(entry).map(|place| place.value));
                read(entry, place, &at.index(index, "an entry"), report)
            });
            Some(values.collect())
        });
        found.unwrap_or_default()
    }

    fn refuse_twice<'n>(&self, names: impl Iterator<Item = &'n str>, list: &str, report: &mut Report) {
        let mut seen: Vec<&str> = Vec::new();
        for name in names {
            if seen.contains(&name) {
                report.problem(&self.at.field(list), format!("{list} has \"{name}\" twice"));
            }
            seen.push(name);
        }
    }
}

fn app_build(value: Value<'_>, at: &Path<'_>, report: &mut Report) -> Option<AppBuild> {
    let fields: Fields<'_, '_, { Build::ALL.len() }> = object(value, Build::slot, at, report)?;
    let name = fields.required("version_name", report);
    let name = name.and_then(|value| plain_text(value, &at.field("version_name"), report));
    let code = fields.required("version_code", report);
    let code = code.and_then(|value| whole(value, (0.0, MOST), &at.field("version_code"), report));
    fields.refuse_unknown(Build::known, report);
    Some(AppBuild {
        version_name: name?,
        version_code: code?,
    })
}

fn tested_on(value: Value<'_>, at: &Path<'_>, report: &mut Report) -> Option<TestedOn> {
    let fields: Fields<'_, '_, { Tested::ALL.len() }> = object(value, Tested::slot, at, report)?;
    let api = fields.required("android_api", report);
    let api = api.and_then(|value| whole(value, (1.0, 10_000.0), &at.field("android_api"), report));
    let [device_model, locale, last_verified_at] =
        ["device_model", "locale", "last_verified_at"].map(|name| {
            let value = fields.optional(name, report)?;
            plain_text(value, &at.field(name), report)
        });
    if last_verified_at.as_deref().is_some_and(|date| !is_date(date)) {
        let field = at.field("last_verified_at");
        let message = "last_verified_at must be a date such as 2026-05-31 or 2026-05-31T12:00:00Z";
        report.problem(&field, message.to_owned());
    }
    fields.refuse_unknown(Tested::known, report);
    Some(TestedOn {
        android_api: api?,
        device_model,
        locale,
        last_verified_at,
    })
}

fn compatibility(value: Value<'_>, at: &Path<'_>, report: &mut Report) -> Option<Compatibility> {
    let fields: Fields<'_, '_, { Versions::ALL.len() }> = object(value, Versions::slot, at, report)?;
    let [min_version_code, max_version_code] = Versions::ALL.map(|name| {
        let value = fields.optional(name, report)?;
        whole(value, (0.0, MOST), &at.field(name), report)
    });
    if let (Some(min), Some(max)) = (min_version_code, max_version_code)
        && min > max
    {
        let message = "min_version_code is greater than max_version_code".to_owned();
        report.problem(&at.field("min_version_code"), message);
    }
    fields.refuse_unknown(Versions::known, report);
    Some(Compatibility {
        min_version_code,
        max_version_code,
    })
}

/// The name and the type of an input or an output.
fn declared<const N: usize>(
    fields: &Fields<'_, '_, N>,
    at: &Path<'_>,
    report: &mut Report,
) -> (Option<String>, Option<ValueType>) {
    let name = fields.required("name", report).and_then(|value| {
        let at = at.field("name");
        let name = plain_text(value, &at, report)?;
        if !is_name(&name) {
            let message = "name must be letters, digits, \"_\" and \"-\", and begin with a letter";
            report.problem(&at, message.to_owned());
            return None;
        }
        Some(name)
    });
    let value_type = fields.required("type", report).and_then(|value| {
        let words = (ValueType::from_word as fn(&str) -> _, ValueType::WORDS);
        let at = at.field("type");
        report.under(Rule::Taxonomy, |report| known_word(value, words, &at, report))
    });
    (name, value_type)
}

fn description<const N: usize>(
    fields: &Fields<'_, '_, N>,
    at: &Path<'_>,
    report: &mut Report,
) -> Option<String> {
    let value = fields.optional("description", report)?;
    plain_text(value, &at.field("description"), report)
}

fn input(value: Value<'_>, place: Place, at: &Path<'_>, report: &mut Report) -> Option<Input> {
    let fields: Fields<'_, '_, { InputKeys::ALL.len() }> = object(value, InputKeys::slot, at, report)?;
    let (name, value_type) = declared(&fields, at, report);
    let required = fields.optional("required", report);
    let required = required.and_then(|value| expect_flag(value, &at.field("required"), report));
    let default = fields.optional("default", report);
    let default = default.and_then(|value| default_value(value, value_type?, &at.field("default"), report));
    let description = description(&fields, at, report);
    fields.refuse_unknown(InputKeys::known, report);
    Some(Input {
        name: name?,
        value_type: value_type?,
        required: required.unwrap_or(true),
        default,
        description,
        at: place,
    })
}

/// A default; null and an empty text are none.
fn default_value(
    value: Value<'_>,
    value_type: ValueType,
    at: &Path<'_>,
    report: &mut Report,
) -> Option<InputValue> {
    let found = match value.kind() {
        Kind::Null => return None,
        Kind::Text("") => return None,
        Kind::Text(text) => {
            refuse_placeholder(text, at, report);
            within_length(text, MAX_RECIPE_ID, at, report);
            InputValue::Text(text.to_owned())
        }
        Kind::Number(number) => InputValue::Number(number),
        Kind::Bool(flag) => InputValue::Flag(flag),
        Kind::Array | Kind::Object => {
            let _: Option<()> = clawperator_document::wrong_type(value, "a plain value", at, report);
            return None;
        }
    };
    if !found.is_a(value_type) {
        let (wanted, given) = (value_type.word(), value.type_name());
        report.problem(
            at,
            format!("default must be a {wanted} like the input, not {given}"),
        );
    }
    Some(found)
}

fn output(value: Value<'_>, place: Place, at: &Path<'_>, report: &mut Report) -> Option<Output> {
    let fields: Fields<'_, '_, { OutputKeys::ALL.len() }> = object(value, OutputKeys::slot, at, report)?;
    let (name, value_type) = declared(&fields, at, report);
    let redaction = report.under(Rule::Taxonomy, |report| {
        let value = fields.optional("redaction", report)?;
        let words = REDACTIONS.map(|(word, _)| word);
        known_word(value, (redaction_from, &words), &at.field("redaction"), report)
    });
    let description = description(&fields, at, report);
    fields.refuse_unknown(OutputKeys::known, report);
    Some(Output {
        name: name?,
        value_type: value_type?,
        redaction,
        description,
        at: place,
    })
}

fn is_recipe_id(id: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    !text::exceeds(id, MAX_RECIPE_ID)
        && id.starts_with(|c: char| c.is_ascii_alphanumeric())
        && id.chars().all(fits)
}

/// Android's rule for package ids.
fn is_package(id: &str) -> bool {
    let fits = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    !text::exceeds(id, MAX_RECIPE_ID) && id.contains('.') && id.split('.').all(fits)
}

fn is_semver(version: &str) -> bool {
    let is_tail = |tail: &str| {
        let fits =
            |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        tail.split('.').all(fits)
    };
    let (version, build) = version
        .split_once('+')
        .map_or((version, None), |(v, b)| (v, Some(b)));
    let (core, pre) = version
        .split_once('-')
        .map_or((version, None), |(v, p)| (v, Some(p)));
    let is_number = |part: &str| {
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        digits && part.len() <= 9 && (part == "0" || !part.starts_with('0'))
    };
    core.split('.').count() == 3
        && core.split('.').all(is_number)
        && pre.is_none_or(is_tail)
        && build.is_none_or(is_tail)
}

/// Whether a text is an ISO 8601 date, or a point in time.
fn is_date(text: &str) -> bool {
    text.parse::<jiff::civil::Date>().is_ok() || text.parse::<jiff::Timestamp>().is_ok()
}
