//! Tests of `forward_spec.rs`.

use clawperator_adb::*;
use proptest::prelude::*;

#[test]
fn addresses_are_read_as_adb_writes_them() {
    for text in [
        "tcp:0",
        "tcp:65535",
        "localabstract:scrcpy_1",
        "localreserved:adbd",
        "localfilesystem:/tmp/a:b",
        "dev:/dev/ttyS0",
        "jdwp:4711",
    ] {
        assert_eq!(text.parse::<ForwardSpec>().unwrap().to_string(), text);
    }
}

#[test]
fn what_is_no_address_says_why() {
    let long = format!("dev:{}", "x".repeat(MAX_SPEC + 1));
    for (text, error) in [
        ("", SpecError::UnknownKind),
        ("tcp", SpecError::UnknownKind),
        ("udp:7", SpecError::UnknownKind),
        ("tcp:", SpecError::BadNumber),
        ("tcp:+7", SpecError::BadNumber),
        ("tcp:65536", SpecError::BadNumber),
        ("tcp:evil.example:80", SpecError::BadNumber),
        ("jdwp:x", SpecError::BadNumber),
        ("localabstract:", SpecError::BadName),
        ("localabstract:a b", SpecError::BadName),
        ("localabstract:a\0b", SpecError::BadName),
        ("localfilesystem:/a;tcp:1", SpecError::BadName),
        (&long, SpecError::BadName),
    ] {
        assert_eq!(text.parse::<ForwardSpec>(), Err(error), "{text:?}");
    }
}

proptest! {
    #[test]
    fn what_is_read_is_written_the_same(text in "(tcp|dev|jdwp|localabstract):.{0,20}") {
        if let Ok(spec) = text.parse::<ForwardSpec>() {
            prop_assert_eq!(spec.to_string().parse(), Ok(spec));
        }
    }
}
