//! A build without simulated phones says so wherever one is asked for.

use crate::line::{answer_to, assert_refused, json_of};
use serde_json::json;

#[test]
fn what_needs_a_simulated_phone_is_refused() {
    for args in [
        &["sim"][..],
        &["sim", "start"],
        &["sim", "list", "--json"],
        &["help", "sim"],
        &["snapshot", "--device", "sim"],
        &["snapshot", "--device", "sim-1"],
        &["doctor", "--device", "sim"],
        &["schema", "app"],
    ] {
        let answer = assert_refused(args, "SIM_NOT_BUILT");
        assert_eq!(answer["message"], "this build of clawperator has no simulated phone");
    }
}

#[test]
fn other_commands_know_no_simulated_phone() {
    assert_eq!(json_of(&["devices"]), (json!({"devices": []}), 0));
    let help = answer_to(&["--help"], b"").text;
    assert!(!help.contains("simulated phones on this computer"), "{help}");
    assert_refused(&["snapshot", "--device", "simple"], "ADB_NOT_FOUND");
}
