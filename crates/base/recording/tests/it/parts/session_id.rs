//! Tests of `session_id.rs`.

use clawperator_recording::*;

#[test]
fn only_a_name_that_is_safe_as_a_file_is_one() {
    for good in ["a", "record-1-0000beef", "A_b-9"] {
        assert_eq!(RecordingId::new(good).unwrap().file_name(), format!("{good}.ndjson"));
    }
    for bad in ["", "latest", "Running", " ", "a b", "../x", "a.b", "é", &"x".repeat(201)] {
        assert_eq!(RecordingId::new(bad), None, "{bad}");
    }
    assert_eq!(RecordingId::generate(17, 0x1_0000_00ff).as_str(), "record-17-000000ff");
}
