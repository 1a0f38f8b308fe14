//! What a person's answer becomes, and what is refused.

use clawperator_agent::action::{Capability, UiTemplate};
use clawperator_agent::approval::{ApprovalPage, Artifact, Submission};
use serde_json::{Value, json};

fn given(capability: Capability, template: Value, answer: &Value) -> Result<Vec<Artifact>, Vec<String>> {
    let template: UiTemplate = serde_json::from_value(template).unwrap();
    let (page, _) = ApprovalPage::new(capability, Some(&template));
    let artifacts = Submission::new(answer.to_string()).artifacts(&page);
    artifacts.map_err(|flaws| flaws.iter().map(|flaw| flaw.path.clone()).collect())
}

#[test]
fn each_field_type_takes_what_it_is_for() {
    for (kind, good, bad) in [
        ("text", "anything", ""),
        ("textarea", "two\nlines", ""),
        ("password", "hunter2", ""),
        ("email", "a@b.c", "a@"),
        ("number", "-1.5", "one"),
        ("date", "2030-12-31", "2030-02-30"),
        ("select", "blue", "green"),
        ("otp", "123 456", "12"),
        ("card-number", "4111 1111 1111 1111", "4111 1111 1111 1112"),
        ("expiry", "12/30", "13/30"),
        ("cvc", "123", "12"),
    ] {
        let template = json!({"fields": [{"id": "f", "label": "F", "type": kind, "required": true,
            "options": [{"label": "Blue", "value": "blue"}]}]});
        let answer = |value: &str| json!({"fields": {"f": value}});
        let artifacts = given(Capability::Unknown, template.clone(), &answer(good));
        assert_eq!(artifacts.unwrap().len(), 1, "{kind}");
        let flaws = given(Capability::Unknown, template, &answer(bad));
        assert_eq!(flaws.unwrap_err(), ["fields.f"], "{kind}");
    }
}

#[test]
fn fields_become_the_artifact_that_they_are_together() {
    let field = |id: &str, kind: &str| json!({"id": id, "label": id, "type": kind});
    for (template, answer, kind) in [
        (json!({"fields": [field("code", "otp")]}), json!({"fields": {"code": "1234"}}), "text"),
        (
            json!({"fields": [field("user", "text"), field("pass", "password")]}),
            json!({"fields": {"user": "me", "pass": "hunter2"}}),
            "credentials",
        ),
        (
            json!({"fields": [field("card", "card-number"), field("end", "expiry")]}),
            json!({"fields": {"card": "4111111111111111", "end": "1/31"}}),
            "payment_card",
        ),
        (
            json!({"artifactKind": "form", "fields": [field("a", "text")]}),
            json!({"fields": {"a": "x"}}),
            "form",
        ),
        (json!({"middleHtml": "<b>"}), json!({"frame": {"k": "v"}}), "form"),
        (json!({"allowTextAttachment": true}), json!({"text": "x"}), "text"),
        (json!({"allowLocationAttachment": true}), json!({"location": {"lat": 1.5, "lon": -2}}), "geo"),
        (
            json!({"allowPhotoAttachment": true}),
            json!({"files": [{"role": "photo", "name": "a", "mediaType": "image/png", "base64": "AAAA"}]}),
            "image",
        ),
    ] {
        let artifacts = given(Capability::Unknown, template, &answer).unwrap();
        let kinds: Vec<_> = artifacts.iter().map(Artifact::kind).collect();
        assert_eq!(kinds, [kind]);
    }
}

#[test]
fn what_was_not_asked_for_is_refused() {
    let none = json!({"allowTextAttachment": false});
    for (answer, path) in [
        (json!({"text": "x"}), "text"),
        (json!({"location": {"lat": 1, "lon": 2}}), "location"),
        (json!({"fields": {"x": "y"}}), "fields.x"),
        (json!({"frame": {"x": "y"}}), "frame"),
        (json!({"files": [{"role": "file", "name": "a", "mediaType": "a/b", "base64": ""}]}), "files.0"),
        (json!({"other": 1}), "answer"),
        (json!([]), "answer"),
    ] {
        assert_eq!(given(Capability::Unknown, none.clone(), &answer).unwrap_err(), [path]);
    }
    let nothing = given(Capability::Sms, json!({}), &json!({}));
    assert_eq!(nothing.unwrap_err(), ["answer"]);
    let far = given(Capability::Location, json!({}), &json!({"location": {"lat": 91, "lon": 0}}));
    assert_eq!(far.unwrap_err(), ["location"]);
}

#[test]
fn nothing_of_an_answer_is_in_its_debug_output() {
    let template = json!({"fields": [{"id": "user", "label": "U", "type": "text"},
        {"id": "pass", "label": "P", "type": "password"}], "allowLocationAttachment": true,
        "allowFileAttachment": true});
    let answer = json!({"fields": {"user": "walter", "pass": "hunter2"}, "location": {"lat": 47.125, "lon": 8.5},
        "files": [{"role": "file", "name": "walter.txt", "mediaType": "text/plain", "base64": "aHVudGVyMg=="}]});
    let artifacts = given(Capability::Oauth, template, &answer).unwrap();
    let about: Vec<_> = artifacts.iter().map(Artifact::describe).collect();
    let shown = format!("{artifacts:?} {about:?} {:?}", Submission::new(answer.to_string()));
    for secret in ["walter", "hunter2", "47.1", "8.5"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}
