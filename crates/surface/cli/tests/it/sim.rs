//! Simulated phones, without starting any.

use crate::line::{assert_refused, json_of};
use serde_json::json;

#[test]
fn nonsense_about_a_simulated_phone_is_refused_before_one_starts() {
    for (args, flag) in [
        (&["sim", "start", "--port", "65536"][..], "--port"),
        (&["sim", "start", "--port", "-1"], "--port"),
        (&["sim", "start", "--port", "65535", "--count", "2"], "--port"),
        (&["sim", "start", "--port", "65533", "--count", "4"], "--port"),
        (&["sim", "start", "--count", "0"], "--count"),
        (&["sim", "start", "--count", "257"], "--count"),
        (&["sim", "start", "--seed", "9007199254740992"], "--seed"),
        (&["sim", "start", "--seed", "x"], "--seed"),
        (&["sim", "start", "--latency", ""], "--latency"),
        (&["sim", "start", "--time", "slow"], "--time"),
        (&["sim", "start", "--fault", "fire"], "--fault"),
        (&["sim", "start", "--fault", "reboot,"], "--fault"),
        (&["sim", "start", "--fault", "reboot", "--fault", "reboot@200%"], "--fault"),
        (&["sim", "start", "--fault", "reboot,reboot@5%"], "--fault"),
        (&["sim", "start", "--fault", "connection_reset"], "--fault"),
        (&["sim", "faults", "--set", "reboot=1"], "--set"),
        (&["sim", "faults", "--set", "reboot", "--points"], "--points"),
        (&["sim", "status", "sim-1", "--device", "sim-2"], "--device"),
        (&["sim", "start", "--idle", "-1"], "--idle"),
        (&["sim", "start", "--idle"], "--idle"),
        (&["sim", "screen", "--columns", "0"], "--columns"),
        (&["sim", "screen", "--columns", "401"], "--columns"),
        (&["sim", "faults", "--set", "x", "--clear"], "--set"),
        (&["sim", "faults", "--set", "reboot", "--clear"], "--clear"),
        (&["sim", "screen", "--out", "-", "--tree"], "--out"),
        (&["sim", "stop", "--all", "sim-1"], "--all"),
    ] {
        let answer = assert_refused(args, "USAGE");
        assert_eq!(answer["details"]["flag"], flag, "{args:?}: {answer}");
    }
    for (args, code) in [
        (&["sim", "start", "--apps", "/nowhere/at/all"][..], "SIM_APP_INVALID"),
        (&["sim", "start"], "SIM_START_FAILED"),
        (&["sim", "screen"], "SIM_START_FAILED"),
        (&["sim", "stop"], "SIM_NOT_RUNNING"),
        (&["sim", "status", "sim-7"], "SIM_NOT_RUNNING"),
        (&["sim", "advance"], "MISSING_ARGUMENT"),
        (&["sim", "advance", "soon"], "USAGE"),
        (&["sim", "advance", "-5"], "USAGE"),
        (&["sim", "advance", "86400001"], "USAGE"),
        (&["sim", "advance", "5", "sim-1", "more"], "USAGE"),
        (&["sim", "check"], "MISSING_ARGUMENT"),
        (&["sim", "faults", "--set", "reboot"], "SIM_NOT_RUNNING"),
    ] {
        assert_refused(args, code);
    }
    let (answer, exit) = json_of(&["sim", "list"]);
    assert_eq!((answer, exit), (json!({"phones": []}), 0));
    let (answer, _) = json_of(&["sim", "faults"]);
    assert!(answer["points"].as_array().unwrap().len() >= 16, "{answer}");
}
