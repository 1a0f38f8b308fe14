//! Executions through the Operator app on the phone in the box, through the
//! program as it is shipped.

use super::sim::Place;
use serde_json::Value;

const APP: &str = "com.clawperator.operator";

/// What the program prints, and whether it says that all went well.
fn run(place: &Place, args: &[&str], environment: &[(&str, &str)]) -> (Value, bool) {
    let mut program = place.program();
    program.env_remove("CLAWPERATOR_OPERATOR_PACKAGE");
    program.envs(environment.iter().copied());
    let output = program.args(args).args(["--device", "sim"]).output().unwrap();
    let answer = serde_json::from_slice(&output.stdout);
    let answer: Value = answer.unwrap_or_else(|_| panic!("{args:?}: {output:?}"));
    (answer, output.status.success())
}

#[test]
fn a_user_switches_the_app_on_and_then_it_runs_executions() {
    let place = Place::new();
    let run = |args: &[&str], environment: &[(&str, &str)]| run(&place, args, environment);
    let through = ["--operator-package", APP];
    let open = ["open", "com.clawperator.conformance"];
    let (off, went_well) = run(&[&open[..], &through, &["--route", "operator"]].concat(), &[]);
    assert!(!went_well);
    assert_eq!(off["envelope"]["errorCode"], "SERVICE_UNAVAILABLE", "{off}");
    let hint = off["envelope"]["hint"].as_str().unwrap();
    assert!(hint.contains("clawperator doctor --fix --device 127.0.0.1:"), "{hint}");

    // From here, as a user would.
    run(&["open", APP], &[]);
    for text in ["Open accessibility settings", "Clawperator Operator", "Use Clawperator Operator"] {
        let (clicked, _) = run(&["click", "--text", text], &[]);
        assert_eq!(clicked["envelope"]["status"], "success", "{clicked}");
    }
    let (opened, went_well) = run(&[&open[..], &through].concat(), &[]);
    assert!(went_well, "{opened}");
    let named = [("CLAWPERATOR_OPERATOR_PACKAGE", APP)];
    run(&["click", "--text", "Increment"], &named);
    let alias = ["snapshot", "--receiver-package", APP];
    let (seen, _) = run(&alias, &[]);
    let data = &seen["envelope"]["stepResults"][0]["data"];
    assert!(data["text"].as_str().unwrap().contains("Counter: 1"), "{seen}");
    // Only the app says how many windows there are.
    assert!(data["window_count"].is_string(), "{seen}");
    // An empty name is none.
    let (seen, _) = run(&["snapshot"], &[("CLAWPERATOR_OPERATOR_PACKAGE", "")]);
    let data = &seen["envelope"]["stepResults"][0]["data"];
    assert!(data["text"].is_string() && data["window_count"].is_null(), "{seen}");
}

#[test]
fn an_app_that_is_not_there_is_a_failure_that_says_what_to_do() {
    let place = Place::new();
    for (package, code) in [
        ("com.example.operator", "OPERATOR_NOT_INSTALLED"),
        ("com.clawperator.operator.dev", "OPERATOR_VARIANT_MISMATCH"),
    ] {
        let args = ["back", "--operator-package", package, "--route", "operator"];
        let (told, went_well) = run(&place, &args, &[]);
        assert_eq!((&told["code"], went_well), (&code.into(), false), "{told}");
        assert!(told["details"]["hint"].is_string(), "{told}");
    }
}

#[test]
fn the_host_runs_what_the_app_cannot_and_says_why() {
    let place = Place::new();
    let other = "com.clawperator.operator.dev";
    let snapshot = |package: &'static str| vec!["snapshot", "--operator-package", package];
    let check = |args: &[&str], environment: &[(&str, &str)], why: Option<&str>| {
        let (told, went_well) = run(&place, args, environment);
        assert!(went_well, "{args:?} {told}");
        let data = &told["envelope"]["stepResults"][0]["data"];
        assert!(data["window_count"].is_null(), "the app ran it: {told}");
        let warning = &told["warnings"][0];
        let Some(why) = why else {
            assert!(warning.is_null(), "{args:?} {told}");
            return;
        };
        assert_eq!(warning["code"], "OPERATOR_NOT_USED", "{args:?} {told}");
        let message = warning["message"].as_str().unwrap();
        assert!(message.contains(why), "{args:?} {message}");
    };
    check(&snapshot("com.example.operator"), &[], Some("com.example.operator is not installed"));
    check(&snapshot(other), &[], Some("but com.clawperator.operator is"));
    check(&snapshot(APP), &[], Some("service of com.clawperator.operator is off"));
    let named = [("CLAWPERATOR_OPERATOR_PACKAGE", APP), ("CLAWPERATOR_ROUTE", "auto")];
    check(&["snapshot"], &named, Some("is off"));
    // What the app would drop is not sent to it.
    check(&[&snapshot(APP)[..], &["--strict"]].concat(), &[], Some("strict"));
    let open = ["open", "com.android.settings", "--operator-package", APP];
    let confirmed = [&open[..], &["--confirm", "changed"]].concat();
    check(&confirmed, &[], Some("actions.0.params.confirm"));
    // The app was not asked for.
    check(&[&snapshot(APP)[..], &["--route", "host"]].concat(), &[], None);
    check(&snapshot(APP), &[("CLAWPERATOR_ROUTE", "host")], None);
    check(&["snapshot", "--route", "auto"], &[], None);
    // The flag comes before the variable.
    let host = [("CLAWPERATOR_ROUTE", "host")];
    let insisting = [&snapshot("com.example.operator")[..], &["--route", "operator"]].concat();
    let (told, _) = run(&place, &insisting, &host);
    assert_eq!(told["code"], "OPERATOR_NOT_INSTALLED", "{told}");
    // Without a name it is the usual app.
    let (told, _) = run(&place, &["snapshot", "--route", "operator"], &[]);
    assert_eq!(told["envelope"]["errorCode"], "SERVICE_UNAVAILABLE", "{told}");
    for (args, environment) in [
        (&["snapshot", "--route", "app"][..], ""),
        (&["snapshot", "--validate-only", "--route", "app"], ""),
        (&["snapshot"], "app"),
    ] {
        let (told, went_well) = run(&place, args, &[("CLAWPERATOR_ROUTE", environment)]);
        assert_eq!((&told["code"], went_well), (&"USAGE".into(), false), "{args:?} {told}");
    }
}

#[test]
fn what_is_no_name_is_refused_before_a_phone_is_started() {
    let place = Place::new();
    for package in ["no; reboot", "../../../../data/local/tmp/x", " ", "a..b"] {
        for args in [
            &["back"][..],
            &["record", "pull"],
            &["doctor"],
            &["version", "--check-compat"],
            &["grant-device-permissions"],
        ] {
            let by_flag = [args, &["--operator-package", package]].concat();
            let (told, went_well) = run(&place, &by_flag, &[]);
            assert_eq!((&told["code"], went_well), (&"USAGE".into(), false), "{args:?} {told}");
            assert_eq!(told["details"]["flag"], "--operator-package", "{told}");
            let (told, went_well) = run(&place, args, &[("CLAWPERATOR_OPERATOR_PACKAGE", package)]);
            assert_eq!((&told["code"], went_well), (&"USAGE".into(), false), "{args:?} {told}");
            let message = told["message"].as_str().unwrap();
            assert!(message.starts_with("CLAWPERATOR_OPERATOR_PACKAGE: "), "{told}");
        }
    }
    let listed = place.program().args(["sim", "list"]).output().unwrap();
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["phones"], serde_json::json!([]), "{listed}");
}
