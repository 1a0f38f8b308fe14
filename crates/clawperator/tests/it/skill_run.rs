//! Skills that run on a simulated phone, through the program as it is shipped:
//! what their scripts call is one run in the journal.

use super::sim::{Place, is_gone, kill, within};
use super::trail::waits;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Output, Stdio};
use std::time::Duration;

/// A frame with one checkpoint that tells what the script was given.
const FRAME: &str = r#"echo '[Clawperator-Skill-Result]'
printf '{"contractVersion":"1.0.0","skillId":"com.ex.it","goal":null,"inputs":{},"status":"success","checkpoints":[{"id":"counted","status":"ok","note":"given %s"}],"terminalVerification":null}\n' "$2"
"#;

/// Makes a repository with the skill `com.ex.it` and this script.
fn skill(place: &Place, script: &str) {
    let folder = place.folder.join("repo/skills/com.ex.it");
    std::fs::create_dir_all(folder.join("scripts")).unwrap();
    let entry = json!({
        "id": "com.ex.it", "applicationId": "com.ex", "intent": "it", "summary": "s", "path": "skills/com.ex.it",
        "skillFile": "skills/com.ex.it/SKILL.md", "scripts": ["skills/com.ex.it/scripts/run.sh"], "artifacts": [],
    });
    std::fs::write(folder.join("SKILL.md"), "# it\n").unwrap();
    std::fs::write(folder.join("skill.json"), entry.to_string()).unwrap();
    let file = folder.join("scripts/run.sh");
    std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let registry = json!({"skills": [entry]}).to_string();
    std::fs::write(place.folder.join("repo/skills/skills-registry.json"), registry).unwrap();
}

fn program(place: &Place, args: &[&str]) -> std::process::Command {
    let registry = place.folder.join("repo/skills/skills-registry.json");
    let mut program = place.program();
    program.args(args).env("CLAWPERATOR_SKILLS_REGISTRY", registry).env("SECRET_TOKEN", "hunter2");
    program
}

fn run(place: &Place, args: &[&str]) -> Output {
    program(place, args).output().unwrap()
}

fn json_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

#[test]
fn what_a_script_calls_is_one_run_in_the_journal_and_the_report() {
    let place = Place::new();
    let script = r#"env | grep hunter2
"$CLAWPERATOR_BIN" open com.clawperator.conformance --device "$1" >/dev/null || exit 1
"$CLAWPERATOR_BIN" click --text Increment --device "$1" >/dev/null || exit 1
"#;
    skill(&place, &format!("{script}{FRAME}"));
    let output = run(&place, &["skills", "run", "com.ex.it", "--device", "sim", "--unknown", "Savings"]);
    let answer = json_of(&output);
    assert!(output.status.success(), "{output:?}");
    assert!(!answer.to_string().contains("hunter2"));
    // The phone, then what is no flag of ours.
    assert_eq!(answer["skillResult"]["checkpoints"][0]["note"], "given --unknown");
    assert_eq!(answer["skillResult"]["source"]["kind"], "script");
    let run_id = answer["skillRun"].as_str().unwrap();

    // Another execution is not a part of it.
    run(&place, &["press", "home", "--device", "sim"]);
    let listed = json_of(&run(&place, &["journal", "list"]));
    let journals = listed["journals"].as_array().unwrap();
    assert_eq!((journals.len(), &listed["count"]), (2, &json!(4)), "{listed}");
    let skill_run = &journals[1];
    assert_eq!((&skill_run["skillRun"], &skill_run["status"]), (&json!(run_id), &json!("success")));
    assert_eq!(skill_run["executions"].as_array().unwrap().len(), 2, "{skill_run}");
    // What the script was given is in no journal.
    assert_eq!(skill_run["checkpoints"][0]["note"], "given [9 letters]");
    // The limit counts runs, and cuts none in two.
    let one = json_of(&run(&place, &["journal", "list", "--limit", "1"]));
    assert_eq!(one["journals"].as_array().unwrap().len(), 1, "{one}");

    let shown = run(&place, &["journal", "show", run_id]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("checkpoint counted: ok") && shown.contains("(click): done"), "{shown}");
    let verified = json_of(&run(&place, &["journal", "verify", run_id]));
    assert_eq!((verified["journals"].as_array().unwrap().len(), &verified["ok"]), (3, &json!(true)));
    let page = place.folder.join("run.html");
    let made = run(&place, &["report", run_id, "--out", page.to_str().unwrap()]);
    assert_eq!(json_of(&made)["status"], "success", "{made:?}");
    let page = std::fs::read_to_string(page).unwrap();
    for part in ["counted", "id=\"step-0\"", "id=\"step-1\"", "id=\"execution-2\""] {
        assert!(page.contains(part), "{part}");
    }
    let world = place.folder.join("world.yaml");
    let fixture = run(&place, &["report", run_id, "--fixture", world.to_str().unwrap()]);
    assert_eq!(json_of(&fixture)["code"], "USAGE");
}

#[test]
#[cfg(target_os = "linux")]
fn a_script_in_the_sandbox_reaches_its_phone_and_nothing_else() {
    let place = Place::new();
    let outside = place.folder.join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("secret"), "hunter2").unwrap();
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let script = format!(
        r#"cat {outside}/secret && exit 9
echo x > {outside}/new && exit 8
bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' && exit 7
kill -0 {pid} && exit 6
echo scratch > /tmp/x || exit 5
"$CLAWPERATOR_BIN" open com.clawperator.conformance --device "$1" || exit 1
"$CLAWPERATOR_BIN" click --text Increment --device "$1" || exit 1
"#,
        outside = outside.display(),
        port = other.local_addr().unwrap().port(),
        pid = std::process::id(),
    );
    skill(&place, &script);
    let args = ["skills", "run", "com.ex.it", "--device", "sim"];
    // Without the sandbox the first line ends it.
    assert_eq!(json_of(&run(&place, &args))["exitCode"], 9);
    let answer = run(&place, &[&args[..], &["--sandbox"]].concat());
    assert!(answer.status.success(), "{answer:?}");
    let answer = json_of(&answer);
    assert!(!answer.to_string().contains("hunter2"), "{answer}");
    assert_eq!(std::fs::read_dir(outside).unwrap().count(), 1);
    let run_id = answer["skillRun"].as_str().unwrap();
    let shown = String::from_utf8(run(&place, &["journal", "show", run_id]).stdout).unwrap();
    assert!(shown.contains("(click): done"), "{shown}");
    let odd = run(&place, &[&args[..], &["--sandbox=loose"]].concat());
    assert_eq!(json_of(&odd)["code"], "USAGE");
}

#[test]
fn a_run_leaves_no_journal_if_none_is_wanted() {
    let place = Place::new();
    skill(&place, "echo \"run:$CLAWPERATOR_SKILL_RUN\"");
    let answer = json_of(&run(&place, &["skills", "run", "com.ex.it", "--no-journal"]));
    assert_eq!((&answer["output"], &answer["skillRun"]), (&json!("run:\n"), &Value::Null));
    assert_eq!(json_of(&run(&place, &["journal", "list"]))["count"], 0);
    let odd = program(&place, &["devices"]).env("CLAWPERATOR_SKILL_RUN", "../x").output().unwrap();
    assert_eq!(json_of(&odd)["code"], "USAGE");
}

#[test]
fn inputs_are_given_by_name_or_by_file() {
    let place = Place::new();
    skill(&place, "echo \"$CLAWPERATOR_SKILL_INPUTS\"");
    let file = place.folder.join("inputs.json");
    std::fs::write(&file, r#"{"a":1,"b":true}"#).unwrap();
    let file = file.to_str().unwrap();
    let said = |args: &[&str]| {
        let words = [&["skills", "run", "com.ex.it"], args].concat();
        json_of(&run(&place, &words))
    };
    assert_eq!(said(&["--input", "a=x=y", "--inputs-file", file])["output"], "{\"a\":\"x=y\",\"b\":true}\n");
    assert_eq!(said(&["x", "--", "--input"])["output"], "[\"x\",\"--input\"]\n");
    for wrong in [
        &["--input", "a"][..],
        &["--input", "=x"],
        &["--inputs-file", "/no/such/file"],
        &["--inputs-file", "/dev/null"],
    ] {
        assert!(said(wrong)["code"].is_string(), "{wrong:?}");
    }
}

#[test]
fn a_skill_that_another_calls_leaves_nothing_running_either() {
    let place = Place::new();
    // The skill calls itself; the inner script does not want to end.
    let script = r#"if [ "$1" = inner ]; then
  trap '' TERM
  echo $$ >"$HOME/inner"
  while :; do sleep 1; done
fi
trap '' TERM
"$CLAWPERATOR_BIN" skills run com.ex.it inner"#;
    skill(&place, script);
    let child = program(&place, &["skills", "run", "com.ex.it"]).stdout(Stdio::piped()).spawn().unwrap();
    let inner = || {
        let written = std::fs::read_to_string(place.folder.join("inner"));
        written.ok().and_then(|text| text.trim().parse::<i32>().ok())
    };
    assert!(within(Duration::from_secs(30), || inner().is_some()));
    kill(i32::try_from(child.id()).unwrap(), "INT").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(json_of(&output)["code"], "EXECUTION_CANCELLED");
    assert!(within(Duration::from_secs(5), || is_gone(inner().unwrap())));
}

#[test]
fn a_run_that_is_interrupted_or_killed_is_told_as_what_it_is() {
    for signal in ["INT", "KILL"] {
        let place = Place::new();
        run(&place, &["press", "home", "--device", "sim", "--no-journal"]);
        skill(
            &place,
            "echo $$ >\"$HOME/leader\"\n\"$CLAWPERATOR_BIN\" sleep 20000 --timeout 60000 --device sim",
        );
        let child = program(&place, &["skills", "run", "com.ex.it"]).stdout(Stdio::piped()).spawn().unwrap();
        assert!(within(Duration::from_secs(30), || waits(&place)));
        kill(i32::try_from(child.id()).unwrap(), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        let leader = std::fs::read_to_string(place.folder.join("leader")).unwrap();
        let leader: i32 = leader.trim().parse().unwrap();
        let journals = || {
            let listed = json_of(&run(&place, &["journal", "list"]));
            listed["journals"].as_array().unwrap().clone()
        };
        if signal == "INT" {
            assert_eq!(json_of(&output)["code"], "EXECUTION_CANCELLED");
            assert!(within(Duration::from_secs(10), || is_gone(leader)));
            assert_eq!(journals()[0]["errorCode"], "EXECUTION_CANCELLED");
        } else {
            assert_eq!(journals()[0]["status"], "cut off");
            // The program is gone, so the test ends the script.
            nix::sys::signal::killpg(nix::unistd::Pid::from_raw(leader), nix::sys::signal::Signal::SIGKILL)
                .unwrap();
        }
        let found = journals();
        assert_eq!((found.len(), found[0]["executions"].as_array().unwrap().len()), (1, 1), "{found:?}");
    }
}
