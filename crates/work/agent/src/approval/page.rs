//! What an approval page shows: a template after it was checked and cut to its limits, with what
//! the capability asks for where the template says nothing. Pure.
//!
//! All texts are shown as texts. What may not be shown in this page's origin,
//! the agent's own HTML, CSS and scripts, is apart, in `frame`.

use super::limits;
use crate::action::{
    ArtifactKind, Capability, FieldType, TemplateField, TemplateOption, TemplateStyle, UiTemplate,
};
use clawperator_contract::text::is_invisible;
use serde::{Deserialize, Serialize};

/// What a page shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalPage {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_id: Option<String>,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    pub artifact_kind: ArtifactKind,
    pub needs_artifact: bool,
    pub attachments: Vec<Attachment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_accept: Option<String>,
    pub fields: Vec<TemplateField>,
    pub approve_label: String,
    pub reject_label: String,
    /// The field for a note; without it there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<NoteField>,
    pub style: TemplateStyle,
    /// What the agent wrote itself. It belongs in a sandboxed frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<CustomPage>,
}

/// What can be given beside the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Attachment {
    Text,
    Location,
    Photo,
    Audio,
    File,
}

/// The field for a note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteField {
    pub label: String,
    pub placeholder: String,
}

/// HTML, CSS and scripts of the agent's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CustomPage {
    pub html: String,
    pub css: String,
    pub script: String,
    pub approve_script: String,
}

/// What a capability asks for, where the template says nothing: attachments, the kind
/// of files, and whether something must be given.
fn usual(capability: Capability) -> (&'static [Attachment], Option<&'static str>, bool) {
    match capability {
        Capability::Camera => (&[Attachment::Photo, Attachment::File], Some("image/*"), true),
        Capability::Microphone | Capability::Voice => {
            (&[Attachment::Audio, Attachment::File], Some("audio/*"), true)
        }
        Capability::Location => (&[Attachment::Location], None, true),
        Capability::Sms | Capability::TwoFactor => (&[Attachment::Text], None, true),
        Capability::Qr => (&[Attachment::Text, Attachment::Photo], None, true),
        Capability::Files => (&[Attachment::File], None, true),
        Capability::Payment => (&[], None, true),
        // To agree is enough.
        Capability::Permission | Capability::Biometric | Capability::Nfc => (&[], None, false),
        Capability::Notification
        | Capability::Contacts
        | Capability::Calendar
        | Capability::Oauth
        | Capability::Unknown => (&[Attachment::Text], None, false),
    }
}

impl ApprovalPage {
    /// The page of a request, and the keys of the template that were cut or left out.
    pub fn new(capability: Capability, template: Option<&UiTemplate>) -> (Self, Vec<String>) {
        let none = UiTemplate::default();
        let sent = template.unwrap_or(&none);
        let (usual, accept, needs_artifact) = usual(capability);
        let mut clean = Clean::default();
        let mut fields = clean.fields(sent.fields.as_deref().unwrap_or_default());
        if capability == Capability::Payment && fields.is_empty() {
            fields = card_fields();
        }
        // Without fields, a text stands for what is given.
        let asked = [
            (Attachment::Text, sent.allow_text_attachment),
            (Attachment::Location, sent.allow_location_attachment),
            (Attachment::Photo, sent.allow_photo_attachment),
            (Attachment::Audio, sent.allow_audio_attachment),
            (Attachment::File, sent.allow_file_attachment),
        ];
        let has_fields = !fields.is_empty();
        let is_usual = |kind: &Attachment| usual.contains(kind) && !(has_fields && *kind == Attachment::Text);
        let attachments: Vec<Attachment> = asked
            .into_iter()
            .filter(|(kind, allowed)| allowed.unwrap_or_else(|| is_usual(kind)))
            .map(|(kind, _)| kind)
            .collect();
        let mut line = |key: &str, sent: &Option<String>, most| clean.line(key, sent.as_deref(), most);
        let page = Self {
            template_id: line("templateId", &sent.template_id, limits::TEMPLATE_ID),
            title: line("title", &sent.title, limits::TITLE).unwrap_or_else(|| title(capability)),
            summary: line("summary", &sent.summary, limits::SUMMARY),
            hint: line("capabilityHint", &sent.capability_hint, limits::HINT),
            approve_label: line("approveLabel", &sent.approve_label, limits::LABEL)
                .unwrap_or_else(|| "Approve".to_owned()),
            reject_label: line("rejectLabel", &sent.reject_label, limits::LABEL)
                .unwrap_or_else(|| "Reject".to_owned()),
            // What is written about a payment is often a part of it.
            note: (capability != Capability::Payment).then(|| NoteField {
                label: line("noteLabel", &sent.note_label, limits::NOTE_LABEL)
                    .unwrap_or_else(|| "Note to the agent".to_owned()),
                placeholder: line("notePlaceholder", &sent.note_placeholder, limits::PLACEHOLDER)
                    .unwrap_or_default(),
            }),
            artifact_kind: sent.artifact_kind.unwrap_or(ArtifactKind::Auto),
            needs_artifact: sent.require_artifact_on_approve.unwrap_or(needs_artifact),
            file_accept: clean
                .fitting("fileAccept", sent.file_accept.as_deref(), is_accept)
                .or(accept.map(str::to_owned)),
            style: clean.style(sent.style.clone().unwrap_or_default()),
            frame: clean.frame(sent),
            attachments,
            fields,
        };
        (page, clean.left_out)
    }

    /// Whether it asks for a yes or a no, and nothing can be given.
    pub fn is_yes_or_no(&self) -> bool {
        self.fields.is_empty() && self.attachments.is_empty() && self.frame.is_none()
    }

    /// The field of an id.
    pub fn field(&self, id: &str) -> Option<&TemplateField> {
        self.fields.iter().find(|field| field.id == id)
    }
}

pub(crate) fn title(capability: Capability) -> String {
    let text = match capability {
        Capability::Camera => "A photo is needed",
        Capability::Qr => "A QR code is needed",
        Capability::Microphone | Capability::Voice => "A recording is needed",
        Capability::Nfc => "Something must be held to the phone",
        Capability::Sms => "A code from a message is needed",
        Capability::TwoFactor => "A second factor is needed",
        Capability::Location => "A location is needed",
        Capability::Biometric => "A fingerprint or face is needed",
        Capability::Notification => "A notification must be read",
        Capability::Contacts => "Contacts are needed",
        Capability::Calendar => "Calendar entries are needed",
        Capability::Files => "A file is needed",
        Capability::Oauth => "A sign-in is needed",
        Capability::Payment => "A payment needs your approval",
        Capability::Permission => "A permission needs your approval",
        Capability::Unknown => "Your approval is needed",
    };
    text.to_owned()
}

fn card_fields() -> Vec<TemplateField> {
    let field = |id: &str, label: &str, kind, autocomplete: &str| TemplateField {
        id: id.to_owned(),
        label: label.to_owned(),
        kind,
        placeholder: None,
        required: Some(true),
        helper_text: None,
        options: None,
        autocomplete: Some(autocomplete.to_owned()),
        artifact_key: None,
    };
    vec![
        field("cardNumber", "Card number", FieldType::CardNumber, "cc-number"),
        field("expiry", "Valid until", FieldType::Expiry, "cc-exp"),
        field("cvc", "Security code", FieldType::Cvc, "cc-csc"),
    ]
}

/// Cuts and checks, and keeps the names of what did not fit.
#[derive(Default)]
struct Clean {
    left_out: Vec<String>,
}

impl Clean {
    /// One line of at most so many letters; none if nothing is left of it.
    fn line(&mut self, key: &str, text: Option<&str>, most: usize) -> Option<String> {
        let text = text?;
        let plain: String = text
            .chars()
            .map(|letter| if letter.is_control() { ' ' } else { letter })
            .filter(|letter| !is_invisible(*letter))
            .collect();
        let cut: String = plain.trim().chars().take(most).collect();
        if cut != text {
            self.left_out.push(key.to_owned());
        }
        (!cut.is_empty()).then_some(cut)
    }

    /// A text as it is, if it fits; a part of it would mean something else.
    fn fitting(&mut self, key: &str, text: Option<&str>, fits: fn(&str) -> bool) -> Option<String> {
        let text = text?.trim();
        if text.is_empty() || fits(text) {
            return Some(text.to_owned()).filter(|text| !text.is_empty());
        }
        self.left_out.push(key.to_owned());
        None
    }

    fn fields(&mut self, sent: &[TemplateField]) -> Vec<TemplateField> {
        let mut fields: Vec<TemplateField> = Vec::new();
        for (number, field) in sent.iter().enumerate() {
            let key = format!("fields.{number}");
            let is_new = fields.iter().all(|other| other.id != field.id);
            if fields.len() >= limits::FIELDS || !is_name(&field.id) || !is_new {
                self.left_out.push(key);
                continue;
            }
            fields.push(self.field(&key, field));
        }
        fields
    }

    fn field(&mut self, key: &str, sent: &TemplateField) -> TemplateField {
        let mut line = |name: &str, text: Option<&str>, most| self.line(&format!("{key}.{name}"), text, most);
        let label = line("label", Some(&sent.label), limits::FIELD_LABEL);
        let placeholder = line("placeholder", sent.placeholder.as_deref(), limits::PLACEHOLDER);
        let helper_text = line("helperText", sent.helper_text.as_deref(), limits::HINT);
        let name = |clean: &mut Self, name: &str, text: &Option<String>, fits| {
            clean.fitting(&format!("{key}.{name}"), text.as_deref(), fits)
        };
        TemplateField {
            label: label.unwrap_or_else(|| sent.id.clone()),
            placeholder,
            helper_text,
            autocomplete: name(self, "autocomplete", &sent.autocomplete, is_autocomplete),
            artifact_key: name(self, "artifactKey", &sent.artifact_key, is_name),
            options: (sent.kind == FieldType::Select).then(|| self.options(key, sent)),
            id: sent.id.clone(),
            kind: sent.kind,
            required: sent.required,
        }
    }

    fn options(&mut self, key: &str, sent: &TemplateField) -> Vec<TemplateOption> {
        let all = sent.options.as_deref().unwrap_or_default();
        if all.len() > limits::OPTIONS {
            self.left_out.push(format!("{key}.options"));
        }
        let few = all.iter().take(limits::OPTIONS).enumerate();
        few.filter_map(|(number, option)| {
            let key = format!("{key}.options.{number}");
            let value = self.line(&format!("{key}.value"), Some(&option.value), limits::FIELD_LABEL)?;
            let label = self.line(&format!("{key}.label"), Some(&option.label), limits::FIELD_LABEL);
            Some(TemplateOption { label: label.unwrap_or_else(|| value.clone()), value })
        })
        .collect()
    }

    fn style(&mut self, sent: TemplateStyle) -> TemplateStyle {
        let mut part = |key: &str, text: Option<String>, fits| self.fitting(key, text.as_deref(), fits);
        TemplateStyle {
            brand_color: part("style.brandColor", sent.brand_color, is_color),
            background_css: part("style.backgroundCss", sent.background_css, is_background),
            font_family: part("style.fontFamily", sent.font_family, is_font),
        }
    }

    fn frame(&mut self, sent: &UiTemplate) -> Option<CustomPage> {
        let mut part = |key: &str, text: &Option<String>, most: usize| {
            let text = text.clone().unwrap_or_default();
            if text.chars().count() <= most {
                return text;
            }
            // Half a script does something else.
            self.left_out.push(key.to_owned());
            String::new()
        };
        let frame = CustomPage {
            html: part("middleHtml", &sent.middle_html, limits::HTML),
            css: part("middleCss", &sent.middle_css, limits::CSS),
            script: part("middleScript", &sent.middle_script, limits::SCRIPT),
            approve_script: part("approveScript", &sent.approve_script, limits::SCRIPT),
        };
        (frame != CustomPage::default()).then_some(frame)
    }
}

/// At most so many letters, digits and signs.
fn is_plain(text: &str, most: usize, signs: &[u8]) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || signs.contains(&byte);
    text.len() <= most && text.bytes().all(plain)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && is_plain(text, limits::FIELD_ID, b"_-")
}

fn is_autocomplete(text: &str) -> bool {
    is_plain(text, limits::LABEL, b"- ") && !text.contains(|letter: char| letter.is_ascii_uppercase())
}

fn is_accept(text: &str) -> bool {
    is_plain(text, limits::ACCEPT, b".,/*+- ")
}

fn is_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or_default();
    [3, 6].contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Colours and gradients: nothing that loads a file.
fn is_background(text: &str) -> bool {
    const FUNCTIONS: [&str; 6] = ["linear-gradient", "radial-gradient", "rgb", "rgba", "hsl", "hsla"];
    let calls = text.split('(').collect::<Vec<_>>();
    let names = calls.iter().rev().skip(1).rev();
    let mut names = names.map(|before| {
        let name = before.rsplit(|letter: char| !letter.is_ascii_alphabetic() && letter != '-');
        name.into_iter().next().unwrap_or_default().to_ascii_lowercase()
    });
    is_plain(text, limits::BACKGROUND, b"#%(),.- ") && names.all(|name| FUNCTIONS.contains(&name.as_str()))
}

fn is_font(text: &str) -> bool {
    is_plain(text, limits::FONT, b", '\"-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn page(capability: Capability, template: Value) -> (ApprovalPage, Vec<String>) {
        let template: UiTemplate = serde_json::from_value(template).unwrap();
        ApprovalPage::new(capability, Some(&template))
    }

    #[test]
    fn every_capability_has_a_page() {
        for capability in Capability::ALL {
            let (page, left_out) = ApprovalPage::new(*capability, None);
            assert!(!page.title.is_empty() && left_out.is_empty());
            let can_give = !page.attachments.is_empty() || !page.fields.is_empty();
            assert!(can_give || !page.needs_artifact, "{capability:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_cut_or_left_out_and_named() {
        let long = "x".repeat(30_000);
        let (page, left_out) = page(
            Capability::Unknown,
            json!({
                "title": long, "summary": "a\u{202e}b\nc", "middleHtml": long, "middleScript": "ok()",
                "fileAccept": "image/*\"><script>",
                "style": {"brandColor": "red;}", "backgroundCss": "url(//evil)", "fontFamily": "x}"},
                "fields": [
                    {"id": "a", "label": " A ", "type": "text", "autocomplete": "\"><b>"},
                    {"id": "a", "label": "twice", "type": "text"},
                    {"id": "<b>", "label": "b", "type": "text"}],
            }),
        );
        assert_eq!(page.title.chars().count(), limits::TITLE);
        assert_eq!(page.summary.as_deref(), Some("ab c"));
        assert_eq!(page.fields.len(), 1);
        assert_eq!(page.fields[0].label, "A");
        assert_eq!(page.style, TemplateStyle::default());
        assert_eq!(page.frame.unwrap().html, "");
        let expected = [
            "fields.0.label",
            "fields.0.autocomplete",
            "fields.1",
            "fields.2",
            "title",
            "summary",
            "fileAccept",
            "style.brandColor",
            "style.backgroundCss",
            "style.fontFamily",
            "middleHtml",
        ];
        assert_eq!(left_out, expected);
    }

    #[test]
    fn backgrounds_load_nothing() {
        for (text, fits) in [
            ("#fff", true),
            ("linear-gradient(90deg, #fff 0%, rgb(0,0,0) 100%)", true),
            ("url(x)", false),
            ("URL(x)", false),
            ("image-set(x)", false),
            ("element(#a)", false),
            ("red; color: blue", false),
            ("var(--x)", false),
        ] {
            assert_eq!(is_background(text), fits, "{text}");
        }
    }

    #[test]
    fn the_capability_says_what_the_template_does_not() {
        let (card, _) = page(Capability::Payment, json!({}));
        assert_eq!(card.fields.len(), 3);
        assert!(card.note.is_none() && card.needs_artifact);
        let (photo, _) = page(Capability::Camera, json!({"allowFileAttachment": false}));
        assert_eq!(photo.attachments, [Attachment::Photo]);
        assert_eq!(photo.file_accept.as_deref(), Some("image/*"));
        let (login, _) =
            page(Capability::Oauth, json!({"fields": [{"id": "u", "label": "User", "type": "text"}]}));
        assert_eq!(login.attachments, []);
    }
}
