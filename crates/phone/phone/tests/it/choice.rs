//! Which of several phones is chosen.

use clawperator_adb::{DeviceEntry, DeviceState};
use clawperator_contract::ErrorCode;
use clawperator_phone::{ChoiceError, PhoneChoice, choose};

fn known(list: &[(&str, DeviceState)]) -> Vec<DeviceEntry> {
    let entry = |(serial, state): &(&str, DeviceState)| DeviceEntry {
        serial: (*serial).to_owned(),
        state: state.clone(),
        details: Vec::new(),
    };
    list.iter().map(entry).collect()
}

#[test]
fn a_phone_is_chosen_as_the_contract_says() {
    use DeviceState::{Device, Offline, Other, Unauthorized};
    let other = || Other("recovery".to_owned());
    let mixed = known(&[
        ("a", Device),
        ("b", Offline),
        ("c", Unauthorized),
        ("d", other()),
        ("10.0.0.7:5555", Offline),
    ]);
    let server = |serial: &str| Ok(PhoneChoice::Server(serial.to_owned()));
    for (wanted, expect) in [
        (None, server("a")),
        (Some("a"), server("a")),
        (Some("b"), Err(ErrorCode::DeviceOffline)),
        (Some("c"), Err(ErrorCode::DeviceUnauthorized)),
        (Some("d"), Err(ErrorCode::DeviceNotFound)),
        (Some("e"), Err(ErrorCode::DeviceNotFound)),
        (Some("A"), Err(ErrorCode::DeviceNotFound)),
        (Some("10.0.0.7:5555"), Err(ErrorCode::DeviceOffline)),
        (Some("10.0.0.7:0"), Err(ErrorCode::DeviceNotFound)),
        (Some(":5555"), Err(ErrorCode::DeviceNotFound)),
        (Some("10.0.0.8:5555"), Ok(PhoneChoice::Direct("10.0.0.8:5555".to_owned()))),
    ] {
        let chosen = choose(&mixed, wanted).map_err(|error| error.code());
        assert_eq!(chosen, expect, "{wanted:?}");
    }
}

#[test]
fn without_a_name_there_must_be_one_phone() {
    use DeviceState::{Device, Offline};
    let two = known(&[("a", Device), ("x", Offline), ("b", Device)]);
    let several = ChoiceError::Several(vec!["a".to_owned(), "b".to_owned()]);
    assert_eq!(choose(&two, None), Err(several));
    let none = known(&[("x", Offline)]);
    assert_eq!(choose(&none, None), Err(ChoiceError::None(none.clone())));
    assert_eq!(choose(&[], None), Err(ChoiceError::None(Vec::new())));
}
