//! Looks that fail, and what the answer says of the act before them, through the program as
//! it is shipped.

use super::sim::Place;
use serde_json::Value;

/// A phone that is as slow as a real one.
fn pixel_like() -> Place {
    let place = Place::new();
    let started = place.output(&["start", "--latency", "pixel-like"]);
    assert!(started.status.success(), "{started:?}");
    place
}

/// What a command prints, and whether it went well.
fn told(place: &Place, args: &[&str]) -> (String, bool) {
    let output = place.program().args(args).args(["--device", "sim"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (text, output.status.success())
}

fn json(place: &Place, args: &[&str]) -> (Value, bool) {
    let (text, went_well) = told(place, args);
    let value = serde_json::from_str(&text);
    (value.unwrap_or_else(|_| panic!("{args:?}: {text}")), went_well)
}

#[test]
fn an_act_is_done_whatever_becomes_of_the_look_after_it() {
    let place = pixel_like();
    json(&place, &["open", "trouble://never_idle"]);
    let tap = ["click", "--coordinate", "540", "700", "--view"];
    // Once the look ends, once the time of the whole.
    for more in [&[][..], &["--timeout", "2000"]] {
        let (answer, went_well) = json(&place, &[&tap[..], more].concat());
        assert!(went_well, "{answer}");
        let envelope = &answer["envelope"];
        assert_eq!(envelope["status"], "success", "{answer}");
        assert_eq!(envelope["stepResults"].as_array().unwrap().len(), 1, "{answer}");
        assert_eq!(answer["warnings"][0]["code"], "NOT_SHOWN", "{answer}");
    }
    let (text, went_well) = told(&place, &[&tap[..4], &["--output", "agent"]].concat());
    assert!(went_well && text.starts_with("click: done; the screen could not be read: "), "{text}");
    // An act that was not done is a failure, and so is a look alone.
    let (answer, went_well) = json(&place, &["click", "--ref", "@e99", "--view", "--timeout", "3000"]);
    assert!(!went_well && answer["envelope"]["status"] != "success", "{answer}");
}

#[test]
fn a_screen_that_does_not_rest_is_told_of_in_time_and_names_the_lane() {
    let place = pixel_like();
    json(&place, &["open", "trouble://never_idle"]);
    let agent = ["snapshot", "--output", "agent"];
    for _ in 0..2 {
        let (text, went_well) = told(&place, &agent);
        assert!(!went_well && text.contains("did not come to rest within"), "{text}");
        assert!(text.contains("clawperator lane setup"), "{text}");
        assert!(!text.contains("timeout_ms"), "{text}");
    }
    // The second look was short, and a caller with more time waits again.
    let (text, _) = told(&place, &agent);
    let (_, rest) = text.split_once("within ").unwrap();
    let seconds: f64 = rest.split(' ').next().unwrap().parse().unwrap();
    assert!((0.9..2.5).contains(&seconds), "{text}");
    let (answer, _) = json(&place, &["snapshot", "--timeout", "5000"]);
    assert_eq!(answer["code"], "RESULT_ENVELOPE_TIMEOUT", "{answer}");
    assert!(answer["message"].to_string().contains("within 5000 ms"), "{answer}");
    let (seen, _) = json(&place, &["observe", "--timeout", "6000"]);
    assert!(seen["hint"].to_string().contains("clawperator lane setup"), "{}", seen["hint"]);
    let (page, _) = told(&place, &["observe", "--output", "agent"]);
    assert!(page.contains("clawperator lane setup"), "{page}");
    for ms in ["1", "60", "400"] {
        let (answer, went_well) = json(&place, &["observe", "--timeout", ms]);
        assert!(!went_well, "{answer}");
        assert_eq!(answer["code"], "RESULT_ENVELOPE_TIMEOUT", "{answer}");
        assert!(!answer["message"].to_string().contains(" 0 ms"), "{answer}");
    }
}

#[test]
fn what_cannot_come_says_why_and_what_is_near() {
    let place = pixel_like();
    json(&place, &["open", "trouble://pager"]);
    for (args, code) in [
        (&["click", "--text", "NEXT"][..], "NODE_NOT_FOUND"),
        (&["click", "--text", "Previous"], "NODE_NOT_CLICKABLE"),
        (&["click", "--ref", "e3"], "EXECUTION_VALIDATION_FAILED"),
        (&["open", "com.example.none"], "APP_NOT_STARTED"),
        (&["click", "--role", "buton"], "NODE_NOT_FOUND"),
        (&["find", "--role", "buton"], "NODE_NOT_FOUND"),
        (&["wait", "--role", "buton", "--gone"], "NODE_NOT_FOUND"),
        (&["scroll", "down", "--container-role", "buton"], "NODE_NOT_FOUND"),
    ] {
        let (text, went_well) = told(&place, &[args, &["--output", "agent"]].concat());
        assert!(!went_well && text.starts_with(code), "{args:?}: {text}");
        let is_role = args.contains(&"buton");
        assert_eq!(text.contains("the nearest is button"), is_role, "{text}");
    }
}
