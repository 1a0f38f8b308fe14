//! A person's answer as it comes in, and what becomes of it: artifacts that fit
//! the page, or all that is wrong with it. Pure. No message repeats a value.

use super::artifact::{Artifact, FormValue, GeoPoint, GivenFile};
use super::limits;
use super::page::{ApprovalPage, Attachment};
use crate::action::{ArtifactKind, FieldType, TemplateField};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clawperator_phone::Secret;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;

/// An answer as it comes in. It is kept as its bytes: they are what is sealed.
pub struct Submission {
    bytes: Vec<u8>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[derive(Default)]
struct Wire {
    fields: BTreeMap<String, String>,
    text: Option<String>,
    location: Option<GeoPoint>,
    files: Vec<WireFile>,
    frame: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WireFile {
    role: Attachment,
    name: String,
    media_type: String,
    base64: String,
}

/// One thing that is wrong with an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerFlaw {
    pub path: String,
    pub message: &'static str,
}

impl fmt::Display for AnswerFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

impl fmt::Debug for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Submission({} bytes)", self.bytes.len())
    }
}

impl Drop for Submission {
    fn drop(&mut self) {
        self.bytes.fill(0);
        std::hint::black_box(&self.bytes);
    }
}

impl Submission {
    /// An answer of these bytes: a JSON object with any of `fields`, `text`,
    /// `location`, `files` and `frame`.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into() }
    }

    /// The answer that only agrees.
    pub fn empty() -> Self {
        Self::new("{}")
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The artifacts that it has, if it fits the page.
    pub fn artifacts(&self, page: &ApprovalPage) -> Result<Vec<Artifact>, Vec<AnswerFlaw>> {
        let flaw = |path: &str, message| AnswerFlaw { path: path.to_owned(), message };
        if self.bytes.len() > limits::ANSWER {
            return Err(vec![flaw("answer", "it is too large")]);
        }
        // A list would be read as the values of an object, in order.
        let is_object = self.bytes.trim_ascii_start().starts_with(b"{");
        let wire = serde_json::from_slice::<Wire>(&self.bytes);
        let Some(wire) = wire.ok().filter(|_| is_object) else {
            return Err(vec![flaw("answer", "it is no object of fields, text, location, files and frame")]);
        };
        let mut check = AnswerCheck { page, flaws: Vec::new() };
        let artifacts = check.all(&wire);
        if artifacts.is_empty() && page.needs_artifact && check.flaws.is_empty() {
            check.flaws.push(flaw("answer", "something must be given to approve"));
        }
        if check.flaws.is_empty() { Ok(artifacts) } else { Err(check.flaws) }
    }
}

struct AnswerCheck<'p> {
    page: &'p ApprovalPage,
    flaws: Vec<AnswerFlaw>,
}

impl AnswerCheck<'_> {
    fn wrong(&mut self, path: impl Into<String>, message: &'static str) {
        self.flaws.push(AnswerFlaw { path: path.into(), message });
    }

    fn allow(&mut self, path: &str, kind: Attachment) -> bool {
        let is_allowed = self.page.attachments.contains(&kind);
        if !is_allowed {
            self.wrong(path, "the request does not ask for it");
        }
        is_allowed
    }

    fn all(&mut self, wire: &Wire) -> Vec<Artifact> {
        let mut artifacts: Vec<Artifact> = self.fields(wire).into_iter().collect();
        if let Some(text) = wire.text.as_deref().filter(|text| !text.is_empty())
            && self.allow("text", Attachment::Text)
        {
            if text.chars().count() > limits::VALUE {
                self.wrong("text", "it is too long");
            }
            artifacts.push(Artifact::Text(Secret::new(text)));
        }
        if let Some(place) = wire.location
            && self.allow("location", Attachment::Location)
        {
            if !(-90.0..=90.0).contains(&place.lat) || !(-180.0..=180.0).contains(&place.lon) {
                self.wrong("location", "lat is from -90 to 90, lon from -180 to 180");
            }
            artifacts.push(Artifact::Geo(place));
        }
        artifacts.extend(self.files(&wire.files));
        artifacts
    }

    fn files(&mut self, files: &[WireFile]) -> Vec<Artifact> {
        if files.len() > limits::FILE_COUNT {
            self.wrong("files", "there are too many");
            return Vec::new();
        }
        let mut artifacts = Vec::new();
        let mut total = 0;
        for (number, file) in files.iter().enumerate() {
            let path = format!("files.{number}");
            if !self.allow(&path, file.role) {
                continue;
            }
            let Ok(bytes) = STANDARD.decode(&file.base64) else {
                self.wrong(path, "it is not base 64");
                continue;
            };
            total += bytes.len();
            if total > limits::FILES {
                self.wrong(path, "the files are too large together");
                break;
            }
            if !is_media_type(&file.media_type) {
                self.wrong(path, "its mediaType is no type such as image/png");
                continue;
            }
            let given = GivenFile {
                name: file.name.chars().take(limits::FIELD_LABEL).collect(),
                media_type: file.media_type.clone(),
                bytes,
            };
            artifacts.push(match file.media_type.split('/').next() {
                Some("image") => Artifact::Image(given),
                Some("audio") => Artifact::Audio(given),
                _ => Artifact::File(given),
            });
        }
        artifacts
    }

    fn fields(&mut self, wire: &Wire) -> Option<Artifact> {
        for id in wire.fields.keys().filter(|id| self.page.field(id).is_none()) {
            self.wrong(format!("fields.{id}"), "the request has no such field");
        }
        let mut filled = Vec::new();
        for field in &self.page.fields {
            let value = wire.fields.get(&field.id).map_or("", |value| value.trim());
            match check_value(field, value) {
                Err(message) => self.wrong(format!("fields.{}", field.id), message),
                Ok(()) if value.is_empty() => {}
                Ok(()) => filled.push((field, value)),
            }
        }
        let mut own: Vec<FormValue> = Vec::new();
        for (key, value) in &wire.frame {
            if self.page.frame.is_none()
                || value.chars().count() > limits::VALUE
                || key.len() > limits::FIELD_ID
            {
                self.wrong("frame", "the request has no such value");
                break;
            }
            own.push(form_value(key, value));
        }
        artifact_of(self.page, &filled, own)
    }
}

fn form_value(key: &str, value: &str) -> FormValue {
    FormValue { key: key.to_owned(), value: Secret::new(value) }
}

type FilledField<'f> = (&'f TemplateField, &'f str);

/// What these fields are together, and the values of the agent's frame.
fn artifact_of(page: &ApprovalPage, filled: &[FilledField<'_>], own: Vec<FormValue>) -> Option<Artifact> {
    let has = |kind| page.fields.iter().any(|field| field.kind == kind);
    let kind = match page.artifact_kind {
        ArtifactKind::Auto if has(FieldType::CardNumber) => ArtifactKind::PaymentCard,
        ArtifactKind::Auto if has(FieldType::Password) && page.fields.len() == 2 => ArtifactKind::Credentials,
        ArtifactKind::Auto if own.is_empty() && page.fields.len() == 1 => ArtifactKind::Auto,
        ArtifactKind::Auto => ArtifactKind::Form,
        named => named,
    };
    if filled.is_empty() && own.is_empty() {
        return None;
    }
    let key = |field: &TemplateField| field.artifact_key.clone().unwrap_or_else(|| field.id.clone());
    let mut values: Vec<FormValue> =
        filled.iter().map(|(field, value)| form_value(&key(field), value)).collect();
    values.extend(own);
    match kind {
        ArtifactKind::Auto => filled.first().map(|(_, value)| Artifact::Text(Secret::new(*value))),
        ArtifactKind::PaymentCard => Some(Artifact::PaymentCard(values)),
        ArtifactKind::Form => Some(Artifact::Form(values)),
        ArtifactKind::Credentials => {
            let is_password =
                |(field, _): &&FilledField<'_>| key(field) == "password" || field.kind == FieldType::Password;
            let password = filled.iter().find(is_password);
            let username = filled.iter().find(|field| !is_password(field));
            let (Some((_, username)), Some((_, password))) = (username, password) else {
                return Some(Artifact::Form(values));
            };
            Some(Artifact::Credentials { username: Secret::new(*username), password: Secret::new(*password) })
        }
    }
}

fn check_value(field: &TemplateField, value: &str) -> Result<(), &'static str> {
    if value.is_empty() {
        let is_required = field.required.unwrap_or(false);
        return if is_required { Err("it must be filled in") } else { Ok(()) };
    }
    if value.chars().count() > limits::VALUE {
        return Err("it is too long");
    }
    let digits: String = value.chars().filter(|letter| !" -".contains(*letter)).collect();
    let (fits, message) = match field.kind {
        FieldType::Text | FieldType::TextArea | FieldType::Password => (true, ""),
        FieldType::Email => (is_email(value), "it is no mail address"),
        FieldType::Number => (value.parse::<f64>().is_ok_and(f64::is_finite), "it is no number"),
        FieldType::Date => (
            value.parse::<jiff::civil::Date>().is_ok() && value.len() == 10,
            "it is no date such as 2030-12-31",
        ),
        FieldType::Select => {
            let mut options = field.options.iter().flatten();
            (options.any(|option| option.value == value), "it is none of the options")
        }
        FieldType::Otp => (is_digits(&digits, 4..=10), "it is no code of 4 to 10 digits"),
        FieldType::CardNumber => {
            (is_digits(&digits, 12..=19) && has_check_digit(&digits), "it is no number of a card")
        }
        FieldType::Expiry => (is_expiry(value), "it is no month and year such as 12/30"),
        FieldType::Cvc => (is_digits(&digits, 3..=4), "it is no code of 3 or 4 digits"),
    };
    if fits { Ok(()) } else { Err(message) }
}

fn is_email(text: &str) -> bool {
    let parts = text.split_once('@');
    let is_part = |part: &str| !part.is_empty() && !part.contains(['@', ' ']);
    parts.is_some_and(|(name, host)| is_part(name) && is_part(host))
}

fn is_digits(text: &str, length: std::ops::RangeInclusive<usize>) -> bool {
    length.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Every card number ends with a digit that is computed of the others.
fn has_check_digit(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, byte)| match (place % 2, u32::from(byte - b'0')) {
            (0, digit) => digit,
            (_, digit) if digit > 4 => digit * 2 - 9,
            (_, digit) => digit * 2,
        })
        .sum();
    sum.is_multiple_of(10)
}

fn is_expiry(text: &str) -> bool {
    let Some((month, year)) = text.split_once('/') else {
        return false;
    };
    let (month, year) = (month.trim(), year.trim());
    let is_month = month.parse().is_ok_and(|number: u8| (1..=12).contains(&number));
    is_month && (is_digits(year, 2..=2) || is_digits(year, 4..=4))
}

fn is_media_type(text: &str) -> bool {
    let plain = |part: &str| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".+-_".contains(&byte);
        !part.is_empty() && part.len() <= limits::FIELD_ID && part.bytes().all(fits)
    };
    let parts = text.split_once('/');
    parts.is_some_and(|(kind, form)| plain(kind) && plain(form))
}
