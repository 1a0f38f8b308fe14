//! Commands and scripts.

#![cfg(target_os = "linux")]

use super::*;
use clawperator_agent::policy::Policy;
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn a_command_runs_to_its_end() {
    let place = Place::new();
    place.put("folder/a", "hello");
    let result = place.call("exec", json!({"command": "cat a; echo; pwd >&2", "workdir": "folder"})).await;
    assert!(result.ok, "{result:?}");
    assert_eq!(result.data["status"], "completed");
    assert_eq!(result.data["exitCode"], 0);
    let output = result.data["output"].as_str().unwrap();
    assert!(output.contains("hello") && output.contains("work/folder"), "{output}");
    let result = place.call("exec", json!({"command": "exit 3"})).await;
    assert_eq!(
        (result.ok, &result.data["exitCode"], &result.data["status"]),
        (false, &json!(3), &json!("failed"))
    );
    assert_eq!(code(&place.call("exec", json!({"command": " "})).await), "MISSING_ARGUMENT");
    let nowhere = place.call("exec", json!({"command": "ls", "workdir": "none"})).await;
    assert_eq!(code(&nowhere), "WORKSPACE_FILE_FAILED");
}

#[tokio::test]
async fn hole_10_a_command_is_confined_whatever_the_policy_lets_through() {
    let place = Place::new();
    let secret = place.root.join("outside/secret");
    let secret = secret.display();
    for command in [
        format!("cat {secret}"),
        format!("awk 'BEGIN {{ system(\"cat {secret}\") }}'"),
        format!("perl -e 'print `cat {secret}`'"),
        format!("ln -s {secret} link; cat link"),
        format!("echo gone > {secret}"),
    ] {
        let result = place.call("exec", json!({"command": command})).await;
        assert!(!result.text.contains("hunter2"), "{command}: {result:?}");
    }
    let connect = "perl -MSocket -e 'socket(S, AF_INET, SOCK_STREAM, 0) or exit 5'";
    assert_eq!(place.call("exec", json!({"command": connect})).await.data["exitCode"], 5);
    assert_eq!(fs::read_to_string(place.root.join("outside/secret")).unwrap(), "hunter2");
}

/// Each of them would leave the file `ran`; `chmod` and `dd` are on no list.
const NOT_LISTED: &[&str] = &[
    "chmod 644 $PWD; touch ran",
    "dd of=ran <<< x",
    "case x in x) dd of=ran <<< x;; esac",
    "trap 'dd of=ran <<< x' EXIT",
    "env -S 'dd of=ran' <<< x",
    "mapfile -C 'dd of=ran; :' -c 1 <<< x",
    "x='a[$(dd of=ran <<< x)0]'; echo $((x))",
    "eval 'd''d of=ran' <<< x",
    "echo x | $(printf dd) of=ran",
    "echo of=ran | xargs dd",
    "timeout 5 dd of=ran <<< x",
    "find . -maxdepth 0 -exec dd if=/dev/null of=ran ';'",
    "awk 'BEGIN { system(\"dd if=/dev/null of=ran\") }'",
    "node -e 'require(\"child_process\").spawnSync(\"dd\", [\"if=/dev/null\", \"of=ran\"])'",
    "/lib64/ld-linux-x86-64.so.2 /usr/bin/dd of=ran <<< x",
    "cp /usr/bin/dd own; ./own of=ran <<< x",
    "sudo dd of=ran",
];

#[tokio::test]
async fn c15_the_tools_run_listed_programs_only() {
    for script in NOT_LISTED {
        for tool in ["exec", "run_script"] {
            let place = Place::new();
            let script = format!("set -e; {script}");
            let args = json!({"command": script, "script": script});
            let result = place.call(tool, args).await;
            let marks = ["ran", "scripts/ran"].map(|name| place.work().join(name).exists());
            assert_eq!(marks, [false, false], "{tool}: {script}: {result:?}");
        }
    }
}

#[tokio::test]
async fn c15_a_refusal_names_the_program_and_how_to_allow_it() {
    let place = Place::new();
    for tool in ["exec", "run_script"] {
        for (script, name) in [("dd of=x", "dd\""), ("env dd of=x", "dd"), ("echo > own; ./own", "./own")] {
            let result = place.call(tool, json!({"command": script, "script": script})).await;
            let error = result.error.as_ref().unwrap();
            assert_eq!(error.code.name(), "COMMAND_DENIED", "{script}: {result:?}");
            assert!(error.message.contains(name), "{error:?}");
            let hint = &error.hint;
            assert!(hint.contains("awk, basename, bash") && hint.contains("policy.yaml"), "{hint}");
        }
    }
}

#[tokio::test]
async fn c15_a_program_that_the_user_allows_runs() {
    let place = Place::new();
    let policy = Policy::read("programs: [dd]").unwrap();
    let AgentAction::Exec(exec) = normalize("exec", &json!({"command": "dd of=ran <<< x"})).action else {
        panic!();
    };
    let result = place.workspace.exec(&exec, policy.programs()).await;
    assert!(result.ok && place.get("ran") == "x\n", "{result:?}");
    let AgentAction::Exec(exec) =
        normalize("exec", &json!({"command": "cp /usr/bin/dd own; ./own of=own-ran <<< x"})).action
    else {
        panic!();
    };
    assert!(!place.workspace.exec(&exec, policy.programs()).await.ok);
    let all = Policy::read("programs: ['*']").unwrap();
    assert!(place.workspace.exec(&exec, all.programs()).await.ok);
    for wrong in ["programs: [/usr/bin/dd]", "programs: ['']", "programs: [./x]"] {
        assert!(Policy::read(wrong).is_err(), "{wrong}");
    }
}

#[tokio::test]
async fn hole_13b_a_command_sees_no_variable_of_ours() {
    let place = Place::new();
    // Cargo gives this to every test.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    for tool in ["exec", "run_script"] {
        let script = "env | cut -d= -f1 | sort | tr '\\n' ' '; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c CARGO";
        let result = place.call(tool, json!({"command": script, "script": script})).await;
        let text = format!("{}{}", result.data["output"], result.data["stdout"]);
        assert!(text.contains("HOME LANG PATH PWD SHLVL TERM TMPDIR _ 0"), "{tool}: {result:?}");
    }
}

#[tokio::test]
async fn a_command_in_the_background_is_fed_and_ended() {
    let place = Place::new();
    let result = place.call("exec", json!({"command": "echo up; cat", "background": true})).await;
    assert_eq!((result.ok, &result.data["status"]), (true, &json!("running")));
    let id = result.data["sessionId"].clone();
    let process = async |action: &str, more: Value| {
        let mut args = json!({"action": action, "sessionId": id, "timeoutMs": 20_000});
        more.as_object().unwrap().iter().for_each(|(key, value)| args[key] = value.clone());
        place.call("process", args).await
    };
    assert_eq!(process("poll", json!({})).await.data["output"], "up\n");
    assert!(process("write", json!({"input": "one\ntwo\n"})).await.ok);
    let mut heard = String::new();
    while !heard.contains("two\n") {
        heard += process("poll", json!({})).await.data["output"].as_str().unwrap();
    }
    assert_eq!(heard, "one\ntwo\n");
    let log = process("log", json!({"offset": 1, "limit": 1})).await;
    assert_eq!((&log.data["output"], &log.data["totalLines"]), (&json!("one"), &json!(3)));
    let list = place.call("process", json!({"action": "list"})).await;
    assert_eq!(list.data["sessions"][0]["status"], "running");
    let killed = process("kill", json!({})).await;
    assert_eq!((killed.ok, &killed.data["status"]), (true, &json!("killed")));
    assert_eq!(code(&process("write", json!({"input": "x"})).await), "PROCESS_INPUT_REFUSED");
    assert_eq!(code(&place.call("process", json!({"action": "poll"})).await), "MISSING_ARGUMENT");
    let unknown = place.call("process", json!({"action": "poll", "sessionId": "exec-99"})).await;
    assert_eq!(code(&unknown), "PROCESS_NOT_FOUND");
}

#[tokio::test]
async fn the_input_of_a_command_can_be_closed() {
    let place = Place::new();
    let result = place.call("exec", json!({"command": "wc -c", "background": true})).await;
    let id = result.data["sessionId"].clone();
    for args in [
        json!({"action": "write", "sessionId": id, "input": "12345"}),
        json!({"action": "write", "sessionId": id}),
    ] {
        assert!(place.call("process", args).await.ok);
    }
    let polled = place.call("process", json!({"action": "poll", "sessionId": id, "timeoutMs": 20_000})).await;
    assert_eq!(polled.data["output"].as_str().unwrap().trim(), "5");
}

#[tokio::test]
async fn a_command_is_left_running_after_a_while() {
    let place = Place::new();
    let result = place.call("exec", json!({"command": "sleep 60", "yieldMs": 50})).await;
    assert_eq!((result.ok, &result.data["status"]), (true, &json!("running")));
    let result = place.call("exec", json!({"command": "echo quick", "yieldMs": 20_000})).await;
    assert_eq!(result.data["status"], "completed");
    place.workspace.close().await;
    let list = place.call("process", json!({"action": "list"})).await;
    assert_eq!(list.data["sessions"][1]["status"], "killed");
}

/// How many processes of this computer sleep for so long.
fn sleeping(seconds: &str) -> usize {
    let lines = fs::read_dir("/proc").unwrap().map(|entry| {
        let line = fs::read(entry.unwrap().path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).into_owned()
    });
    lines.filter(|line| line.contains(seconds)).count()
}

#[tokio::test]
async fn facts_4_timeouts_do_not_wait_for_grandchildren() {
    let place = Place::new();
    let seconds = format!("88.{}", std::process::id());
    let script = format!("setsid sleep {seconds} & (sleep {seconds} &) ; sleep {seconds}");
    for tool in ["exec", "run_script"] {
        let args = json!({"command": script, "script": script, "timeoutSec": 1});
        let call = place.call(tool, args);
        let result = tokio::time::timeout(Duration::from_secs(10), call).await.unwrap();
        let timed_out = result.data["timedOut"] == true || result.data["status"] == "timeout";
        assert!(!result.ok && timed_out, "{tool}: {result:?}");
        let error = result.error.as_ref().unwrap();
        assert!(error.message.contains("its time was over"), "{error:?}");
        assert_eq!(sleeping(&seconds), 0);
    }
}

#[tokio::test]
async fn commands_end_with_their_workspace() {
    let place = Place::new();
    let seconds = format!("99.{}", std::process::id());
    let command = format!("setsid sleep {seconds} & echo up; sleep {seconds}");
    let result = place.call("exec", json!({"command": command, "background": true})).await;
    let id = result.data["sessionId"].clone();
    place.call("process", json!({"action": "poll", "sessionId": id, "timeoutMs": 20_000})).await;
    assert!(sleeping(&seconds) > 0);
    drop(place);
    let gone = async {
        while sleeping(&seconds) > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), gone).await.unwrap();
}

/// What did not fit into a poll was never told before.
#[tokio::test]
async fn a_long_output_is_polled_to_its_end() {
    let place = Place::new();
    let command = "seq 1 4000; exit 3";
    let result = place.call("exec", json!({"command": command, "background": true})).await;
    let (mut heard, mut ended) = (String::new(), json!(null));
    while ended.is_null() {
        let args = json!({"action": "poll", "sessionId": result.data["sessionId"], "timeoutMs": 20_000});
        let data = place.call("process", args).await.data;
        heard += data["output"].as_str().unwrap();
        if data["more"] == false && data["status"] != "running" {
            ended = data;
        }
    }
    let whole: String = (1..=4000).map(|number| format!("{number}\n")).collect();
    assert_eq!(heard, whole);
    assert_eq!((&ended["exitCode"], &ended["truncated"]), (&json!(3), &json!(false)));
    assert!(ended["runtimeMs"].is_u64(), "{ended}");
}

#[tokio::test]
async fn an_output_is_cut() {
    let place = Place::new();
    let command = "seq 1 200000; echo last";
    let result = place.call("exec", json!({"command": command})).await;
    let output = result.data["output"].as_str().unwrap();
    assert!(output.len() <= 12_000 && output.ends_with("last\n"), "{}", output.len());
    assert_eq!(result.data["truncated"], true);
    let log = place
        .call("process", json!({"action": "log", "sessionId": result.data["sessionId"], "offset": 200_000}))
        .await;
    assert_eq!((&log.data["output"], &log.data["totalLines"]), (&json!("last"), &json!(200_001)));
}

#[tokio::test]
async fn a_script_leaves_a_run_folder() {
    let place = Place::new();
    let script = "echo out; echo err >&2; pwd; exit 4";
    let result = place.call("run_script", json!({"script": script})).await;
    let data = &result.data;
    assert_eq!(
        (result.ok, &data["ok"], &data["exitCode"], &data["timedOut"]),
        (false, &json!(false), &json!(4), &json!(false))
    );
    assert!(data["stdout"].as_str().unwrap().starts_with("out\n"));
    assert!(data["stdout"].as_str().unwrap().ends_with("work/scripts\n"));
    assert_eq!(data["stderr"], "err\n");
    let folder = data["runDir"].as_str().unwrap();
    assert_eq!(folder, format!("scripts/runs/{}", data["runId"].as_str().unwrap()));
    assert_eq!(place.get(&format!("{folder}/script.sh")), script);
    assert_eq!(place.get(&format!("{folder}/stderr.log")), "err\n");
    let kept: Value = serde_json::from_str(&place.get(&format!("{folder}/result.json"))).unwrap();
    assert_eq!(&kept, data);
}

#[tokio::test]
async fn a_script_that_is_refused_is_kept_too() {
    let place = Place::new();
    {
        let script = "#".repeat(12_001);
        let result = place.call("run_script", json!({"script": script})).await;
        assert_eq!((code(&result), &result.data["exitCode"]), ("COMMAND_DENIED", &Value::Null));
        let folder = result.data["runDir"].as_str().unwrap();
        assert_eq!(place.get(&format!("{folder}/script.sh")), script);
        assert!(place.get(&format!("{folder}/result.json")).contains("\"exitCode\":null"));
        assert!(!place.work().join(folder).join("stdout.log").exists());
    }
}

#[tokio::test]
async fn what_was_refused_is_named_also_where_the_line_ends_well() {
    let place = Place::new();
    for (command, refused) in [
        ("mount; true", vec!["/usr/bin/mount"]),
        ("env mount; true", vec!["mount"]),
        ("timeout 5 mount; true", vec!["mount"]),
        ("find . -maxdepth 0 -exec mount ';'; true", vec!["mount"]),
        ("perl -we 'system \"mount\", \"x\"'", vec!["mount"]),
        ("mount; env chroot; true", vec!["/usr/bin/mount", "chroot"]),
        // What is said of files is not about programs.
        ("echo 'sh: 1: cannot open mount.txt: Permission denied'", vec![]),
        ("echo 'cannot open /etc/shadow: Permission denied'", vec![]),
        ("echo 'open: Permission denied by mount'", vec![]),
        ("ls", vec![]),
    ] {
        let result = place.call("exec", json!({"command": command})).await;
        assert!(result.ok, "{command}: {result:?}");
        let named = result.data["refused"].as_array().cloned().unwrap_or_default();
        assert_eq!(named, refused, "{command}: {result:?}");
        assert_eq!(result.text.contains("none of the programs"), !refused.is_empty());
    }
}

#[tokio::test]
async fn a_workspace_with_the_systems_programs_in_it_is_refused() {
    for root in ["/", "/usr", "/usr/bin"] {
        let settings = WorkspaceSettings::new(env!("CARGO_BIN_EXE_agent-sandbox-launcher"));
        let error = Workspace::open(Path::new(root), settings).unwrap_err();
        assert!(error.to_string().contains("system's programs"), "{error}");
    }
}
