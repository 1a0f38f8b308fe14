//! Tests of `validate.rs`.

use clawperator_contract::{Pattern, TextCheck};
use clawperator_ui::*;

#[test]
fn texts_pass_or_do_not() {
    let pattern = TextCheck::Pattern(Pattern::compile("ORD-[0-9]{2}").unwrap());
    for (check, passing, failing) in [
        (TextCheck::None, vec!["", "anything"], vec![]),
        (
            TextCheck::Temperature,
            vec!["21", "21.5", " -3 °C ", "70°F", "+4C", "4 F", "\u{a0}5\u{a0}°C", ".5", "1e1"],
            vec![
                "", "°C", "21°", "21 K", "warm", "nan", "inf", "infinity", "1e999", "21 22", "2,5", "21°C°C",
                "0x1",
            ],
        ),
        (
            TextCheck::Version,
            vec!["1", "1.2", "10.0.3"],
            vec!["", ".", "1.", ".1", "1..2", "v1", "1.2b", " 1", "1\n", "١"],
        ),
        (pattern, vec!["ORD-12"], vec!["ORD-123", "an ORD-12", "ORD-12\n", ""]),
    ] {
        let validator = TextValidator::new(&check).unwrap();
        for text in passing {
            assert!(validator.passes(text), "{check:?} {text:?}");
        }
        for text in failing {
            assert!(!validator.passes(text), "{check:?} {text:?}");
        }
    }
}

#[test]
fn what_cannot_be_checked_is_refused() {
    let error = TextValidator::new(&TextCheck::Unknown("email".into())).unwrap_err();
    assert_eq!(error.to_string(), "there is no validator \"email\"");
}
