//! Payloads that are written from typed values.

use clawperator_contract::{ActionKind, Mode, Number, ParamKey, Payload, PayloadAction};
use serde_json::value::RawValue;

#[test]
fn a_payload_is_the_canonical_form_of_itself() {
    let json = RawValue::from_string(r#"{"textEquals":"a"}"#.to_owned()).unwrap();
    let actions = [
        PayloadAction::new("a1", ActionKind::EnterText)
            .with(ParamKey::Clear, true)
            .with(ParamKey::Text, "b")
            .with(ParamKey::Matcher, json)
            .with_some(ParamKey::Submit, None::<bool>),
        PayloadAction::new("a2", ActionKind::SnapshotUi),
    ];
    let payload = Payload {
        mode: Some(Mode::Direct),
        strict: Some(true),
        ..Payload::new("c", "s", Number::from(5_000_u32), &actions)
    };
    let checked = payload.check().unwrap();
    assert_eq!(serde_json::to_string(&checked.execution).unwrap(), payload.to_json());
}
