//! Tests of `smart_socket.rs`.

use clawperator_adb::smart_socket::*;
use proptest::prelude::*;

#[test]
fn requests_have_the_bytes_everyone_expects() {
    assert_eq!(encode("host:version").unwrap(), b"000chost:version");
    assert_eq!(encode(&"x".repeat(65_535)).unwrap()[..4], *b"ffff");
    assert!(matches!(encode(&"x".repeat(65_536)), Err(SmartSocketError::RequestTooLong(65_536))));
}

#[test]
fn lengths_and_statuses_are_strict() {
    assert_eq!(parse_length(*b"00Ff"), Ok(255));
    for bad in [*b"+123", *b" 12 ", *b"12\xff4", *b"zzzz"] {
        assert!(parse_length(bad).is_err());
    }
    assert_eq!(AnswerStatus::parse(*b"OKAY"), Ok(AnswerStatus::Okay));
    assert_eq!(AnswerStatus::parse(*b"FAIL"), Ok(AnswerStatus::Fail));
    assert!(AnswerStatus::parse(*b"okay").is_err());
}

proptest! {
    #[test]
    fn lengths_come_back(text in ".{0,300}") {
        let wire = encode(&text).unwrap();
        let digits: [u8; 4] = wire[..4].try_into().unwrap();
        prop_assert_eq!(parse_length(digits), Ok(text.len()));
    }
}
