//! Scripts as they come: each is run, contained, and named for what it does.

use clawperator_contract::{ErrorCode, Failure};
use clawperator_skills::repo::Repository;
use clawperator_skills::script::{
    self, MARKER, ProcessChannel, ScriptCall, ScriptResult, ScriptSkill, Variables, inherited,
};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs;
use std::future::pending;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const ID: &str = "com.ex.it";
/// No run of these tests takes nearly as long.
const ENOUGH: Duration = Duration::from_secs(25);

/// A repository with one skill, removed after the test.
struct Place {
    root: PathBuf,
}

impl Place {
    /// The skill's only script; its entry has these keys more.
    fn new(script: &str, more: &Value) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("clawperator-script-{}-{number}", std::process::id());
        let root = std::env::temp_dir().join(name);
        let folder = root.join("skills/com.ex.it");
        fs::create_dir_all(folder.join("scripts")).unwrap();
        let file = folder.join("scripts/run.sh");
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        let mut entry = json!({
            "id": ID, "applicationId": "com.ex", "intent": "it", "summary": "s", "path": "skills/com.ex.it",
            "skillFile": "skills/com.ex.it/SKILL.md", "scripts": ["skills/com.ex.it/scripts/run.sh"], "artifacts": [],
        });
        for (key, value) in more.as_object().unwrap() {
            entry[key] = value.clone();
        }
        fs::write(folder.join("skill.json"), entry.to_string()).unwrap();
        fs::write(folder.join("SKILL.md"), "# it\n").unwrap();
        let registry = json!({"skills": [entry]});
        fs::write(root.join("skills/skills-registry.json"), registry.to_string()).unwrap();
        Self { root }
    }

    fn registry(&self) -> PathBuf {
        self.root.join("skills/skills-registry.json")
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.root.join(name)).unwrap_or_default()
    }

    fn variables(&self) -> Variables {
        let mut given: Vec<(OsString, OsString)> = vec![("PLACE".into(), "hunter2".into())];
        given.extend(std::env::vars_os());
        given.push(("SECRET_TOKEN".into(), "hunter2".into()));
        given.push(("ANDROID_SIGNING_PASSWORD".into(), "hunter2".into()));
        given.push(("TMPDIR".into(), self.root.clone().into()));
        Variables {
            inherited: inherited(given),
            program: "/opt/clawperator".into(),
            operator_package: "com.op".to_owned(),
            route: "host",
            lane: "auto",
            session: "cli.test".to_owned(),
            registry: self.registry(),
            run: Some("skill-1".to_owned()),
        }
    }

    fn call(&self) -> ScriptCall<'static> {
        ScriptCall {
            device: None,
            arguments: &[],
            inputs: None,
            timeout: Some(Duration::from_secs(30)),
            expect: None,
            variables: self.variables(),
        }
    }

    async fn run(&self, call: &ScriptCall<'_>) -> Result<ScriptResult, Failure> {
        self.run_until(call, pending()).await
    }

    async fn run_until(
        &self,
        call: &ScriptCall<'_>,
        stop: impl Future<Output = ()> + Send,
    ) -> Result<ScriptResult, Failure> {
        let repository = Repository::open(&self.registry()).unwrap();
        let skill = ScriptSkill::of(&repository, repository.skill(ID).unwrap())?;
        let mut live = |_: ProcessChannel, _: &[u8]| {};
        let running = script::run(&skill, call, &mut live, Box::pin(stop));
        let in_time = tokio::time::timeout(ENOUGH, running).await;
        in_time.unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Whether a process is there that has not ended.
fn lives(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    state.is_some_and(|state| !"ZX".contains(state))
}

fn told(failure: &Failure) -> Value {
    serde_json::to_value(failure).unwrap()
}

fn frame(keys: &Value) -> String {
    let mut frame = json!({
        "contractVersion": "1.0.0", "skillId": ID, "goal": null, "inputs": {}, "status": "success",
        "checkpoints": [{"id": "opened", "status": "ok"}], "terminalVerification": null,
    });
    for (key, value) in keys.as_object().unwrap() {
        frame[key] = value.clone();
    }
    format!("echo '{MARKER}'\necho '{frame}'\n")
}

#[tokio::test]
async fn a_script_gets_its_arguments_and_a_clean_environment() {
    let place = Place::new("echo \"$#:$1:$2:$3\"; echo bad >&2; env", &json!({}));
    let arguments = ["a b".to_owned(), "--json".to_owned()];
    let call = ScriptCall { device: Some("dev9"), arguments: &arguments, ..place.call() };
    let result = place.run(&call).await.unwrap();
    assert!(result.output.starts_with("3:dev9:a b:--json\n"), "{}", result.output);
    assert_eq!((result.exit_code, result.timeout_ms), (0, Some(30_000)));
    assert!(!result.output.contains("hunter2") && !result.output.contains("bad"));
    for line in [
        "CLAWPERATOR_BIN=/opt/clawperator",
        "CLAWPERATOR_DEVICE_ID=dev9",
        "CLAWPERATOR_OPERATOR_PACKAGE=com.op",
        "CLAWPERATOR_ROUTE=host",
        "CLAWPERATOR_SKILL_ID=com.ex.it",
        "CLAWPERATOR_SKILL_INPUTS=[\"a b\",\"--json\"]",
        "CLAWPERATOR_SKILL_RUN=skill-1",
    ] {
        assert!(result.output.lines().any(|own| own == line), "{line}: {}", result.output);
    }
    let result = place.run(&place.call()).await.unwrap();
    assert!(result.output.starts_with("0:") && !result.output.contains("CLAWPERATOR_DEVICE_ID"));
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
async fn what_a_script_gets_wrong_is_named() {
    let good = frame(&json!({}));
    let half = format!("echo '{MARKER}'\nprintf '{{\"contractVersion\":'");
    for (name, script, code, said) in [
        (
            "exits with an error",
            "echo partial; echo bad >&2; exit 3".to_owned(),
            "SKILL_EXECUTION_FAILED",
            "exited with code 3",
        ),
        ("is killed", "echo x; kill -9 $$".to_owned(), "SKILL_EXECUTION_FAILED", "ended by signal 9"),
        (
            "two frames",
            good.clone() + &good,
            "SKILL_RESULT_PARSE_FAILED",
            "line 3 of the output begins a second result frame",
        ),
        (
            "a frame for another skill",
            frame(&json!({"skillId": "com.ex.other"})),
            "SKILL_RESULT_PARSE_FAILED",
            "\"com.ex.other\"",
        ),
        ("half a frame", half, "SKILL_RESULT_PARSE_FAILED", "line 2 of the output is not valid JSON"),
        ("a marker alone", format!("echo '{MARKER}'"), "SKILL_RESULT_PARSE_FAILED", "no JSON line follows"),
        (
            "output after the frame",
            good.clone() + "echo done",
            "SKILL_RESULT_PARSE_FAILED",
            "line 3 of the output comes after",
        ),
        (
            "a source of its own",
            frame(&json!({"source": {"kind": "agent"}})),
            "SKILL_RESULT_PARSE_FAILED",
            "source must not be there",
        ),
        (
            "another major version",
            frame(&json!({"contractVersion": "2.0.0"})),
            "SKILL_RESULT_PARSE_FAILED",
            "only 1.x.x is understood",
        ),
        (
            "says that it failed",
            frame(&json!({"status": "failed"})),
            "SKILL_EXECUTION_FAILED",
            "reports that it failed",
        ),
        (
            "names what failed",
            frame(&json!({"status": "failed", "checkpoints": [{"id": "opened", "status": "ok"},
                {"id": "asked", "status": "skipped"}, {"id": "set_to_23", "status": "failed"}],
                "terminalVerification": {"status": "failed"}})),
            "SKILL_EXECUTION_FAILED",
            "; checkpoint \"set_to_23\" is failed; its terminal verification is failed",
        ),
        (
            "does not know",
            frame(&json!({"status": "indeterminate"})),
            "SKILL_EXECUTION_FAILED",
            "does not know",
        ),
        ("has a frame and fails", good + "exit 4", "SKILL_EXECUTION_FAILED", "code 4"),
    ] {
        let place = Place::new(&script, &json!({}));
        let failure = place.run(&place.call()).await.unwrap_err();
        let told = told(&failure);
        assert_eq!(told["code"], code, "{name}: {told}");
        assert_eq!(told["skillId"], ID, "{name}");
        assert!(failure.message.contains(said), "{name}: {}", failure.message);
        assert!(!told["stdout"].as_str().unwrap().is_empty(), "{name}: {told}");
        let has_result = script.contains("\"status\":\"failed\"")
            || script.contains("indeterminate")
            || script.ends_with("exit 4");
        assert_eq!(told["skillResult"].is_object(), has_result, "{name}: {told}");
    }
}

#[tokio::test]
async fn a_frame_is_the_skill_s_word_and_says_who_spoke() {
    let place =
        Place::new(&format!("echo progress\n{}", frame(&json!({"result": {"kind": "text"}}))), &json!({}));
    let result = place.run(&place.call()).await.unwrap();
    let said = result.skill_result.unwrap();
    assert_eq!(said["source"], json!({"kind": "script"}));
    assert_eq!(said["result"], json!({"kind": "text"}));
    assert_eq!(script::checkpoints(Some(&said)).len(), 1);
    assert!(result.output.starts_with("progress\n[Clawperator-Skill-Result]\n"));
}

#[tokio::test]
async fn the_expected_text_must_be_on_standard_output() {
    let place = Place::new("echo ARGS; echo ERRLINE >&2", &json!({}));
    let expecting = |expect| ScriptCall { expect: Some(expect), ..place.call() };
    let result = place.run(&expecting("RGS\n")).await.unwrap();
    assert_eq!(result.expected_substring.as_deref(), Some("RGS\n"));
    let told = told(&place.run(&expecting("ERRLINE")).await.unwrap_err());
    assert_eq!(told["code"], "SKILL_OUTPUT_ASSERTION_FAILED");
    assert_eq!((&told["output"], &told["expectedSubstring"]), (&json!("ARGS\n"), &json!("ERRLINE")));
}

#[tokio::test]
async fn a_group_that_ignores_sigterm_ends_in_time() {
    let script = "trap '' TERM\necho begin\necho $$ >$TMPDIR/leader\n(trap '' TERM; while :; do sleep 1; done) & echo $! >$TMPDIR/child\nwhile :; do sleep 1; done";
    let place = Place::new(script, &json!({}));
    let call = ScriptCall { timeout: Some(Duration::from_millis(600)), ..place.call() };
    let failure = place.run(&call).await.unwrap_err();
    let told = told(&failure);
    assert_eq!(told["code"], "SKILL_EXECUTION_TIMEOUT");
    assert_eq!((&told["stdout"], &told["timeoutMs"]), (&json!("begin\n"), &json!(600)));
    for process in ["leader", "child"] {
        assert!(!place.file(process).is_empty() && !lives(&place.file(process)), "{process}");
    }
}

#[tokio::test]
async fn processes_that_a_script_leaves_behind_do_not_hold_it() {
    // In the group: ended. Outside of it: not ours, and not waited for.
    for (start, is_ours) in [("sleep 1000", true), ("setsid sleep 1000", false)] {
        let script = format!("{start} &\necho $! >$TMPDIR/other\necho done");
        let place = Place::new(&script, &json!({}));
        let result = place.run(&place.call()).await.unwrap();
        assert_eq!(result.output, "done\n");
        assert_eq!(result.warnings.len(), usize::from(is_ours), "{start}: {:?}", result.warnings);
        let other = place.file("other");
        assert_eq!(lives(&other), !is_ours, "{start}");
        if !is_ours {
            let pid = nix::unistd::Pid::from_raw(other.trim().parse().unwrap());
            nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).unwrap();
        }
    }
}

#[tokio::test]
async fn a_flood_is_cut_and_its_end_still_counts() {
    let script = format!(
        "echo first\nhead -c 100000000 /dev/zero | tr '\\0' x\necho needle\nhead -c 3000000 /dev/zero >&2\nhead -c 3000000 /dev/zero\necho\n{}",
        frame(&json!({}))
    );
    let place = Place::new(&script, &json!({}));
    let mut heard = 0_u64;
    let repository = Repository::open(&place.registry()).unwrap();
    let skill = ScriptSkill::of(&repository, repository.skill(ID).unwrap()).unwrap();
    let call =
        ScriptCall { expect: Some("xneedle\n"), timeout: Some(Duration::from_secs(300)), ..place.call() };
    let mut live = |channel: ProcessChannel, bytes: &[u8]| {
        if channel == ProcessChannel::Out {
            heard += bytes.len() as u64;
        }
    };
    let result = script::run(&skill, &call, &mut live, Box::pin(pending())).await.unwrap();
    let omitted = result.output_omitted_bytes.unwrap();
    assert!(heard > 103_000_000 && omitted > 101_000_000, "{heard} {omitted}");
    assert!(result.output.len() < 3 << 20);
    assert!(result.output.starts_with("first\nxxx") && result.output.trim_end().ends_with('}'));
    assert!(result.output.contains(&format!("[{omitted} bytes are left out here]")));
    assert!(result.skill_result.is_some());
}

#[tokio::test]
async fn a_flood_does_not_outlast_its_time() {
    let place =
        Place::new("trap '' TERM PIPE\nwhile :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done", &json!({}));
    let call = ScriptCall { timeout: Some(Duration::from_millis(300)), ..place.call() };
    let failure = place.run(&call).await.unwrap_err();
    assert_eq!(failure.code, ErrorCode::SkillExecutionTimeout);
}

#[tokio::test]
async fn a_caller_that_stops_or_goes_leaves_nothing_running() {
    let script = "echo $$ >$TMPDIR/leader\nmkfifo $TMPDIR/never\ncat $TMPDIR/never";
    for is_dropped in [false, true] {
        let place = Place::new(script, &json!({}));
        let started = || !place.file("leader").trim().is_empty();
        let stop = async {
            while !started() {
                tokio::task::yield_now().await;
            }
        };
        let call = place.call();
        if is_dropped {
            tokio::select! {
                biased;
                _ = place.run(&call) => panic!("it never ends"),
                () = stop => {}
            }
        } else {
            let failure = place.run_until(&call, stop).await.unwrap_err();
            assert_eq!(failure.code, ErrorCode::ExecutionCancelled);
        }
        // A killed process is gone when the system has got round to it.
        while lives(&place.file("leader")) {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn what_cannot_be_started_says_what_to_do() {
    for (prepare, code, said) in [
        ("rm run.sh", "SKILL_SCRIPT_NOT_FOUND", "no such file"),
        ("chmod -x run.sh", "SKILL_EXECUTION_FAILED", "chmod +x"),
        (
            "sed -i 1s:.*:#!/no/such/program: run.sh",
            "SKILL_EXECUTION_FAILED",
            "names a program that is not there",
        ),
    ] {
        let place = Place::new("echo x", &json!({}));
        let mut words = prepare.split(' ');
        let done = std::process::Command::new(words.next().unwrap())
            .args(words)
            .current_dir(place.root.join("skills/com.ex.it/scripts"))
            .status();
        assert!(done.unwrap().success());
        let told = told(&place.run(&place.call()).await.unwrap_err());
        assert_eq!(told["code"], code, "{prepare}: {told}");
        assert!(told.to_string().contains(said), "{prepare}: {told}");
    }
    let place = Place::new("echo x", &json!({"scripts": ["../../bin/sh"]}));
    let told = told(&place.run(&place.call()).await.unwrap_err());
    assert_eq!(told["code"], "SKILL_SCRIPT_NOT_FOUND");
    assert!(told["message"].as_str().unwrap().contains("leads out of the repository"), "{told}");
}

#[tokio::test]
async fn an_agent_skill_needs_its_program_and_a_frame() {
    let agent = |cli: &str| json!({"agent": {"cli": cli, "timeoutMs": 7000}});
    let place = Place::new(&frame(&json!({})), &agent("no-such-agent"));
    let failure = place.run(&place.call()).await.unwrap_err();
    assert_eq!(failure.code, ErrorCode::SkillAgentCliUnavailable);
    let script = "echo \"$#:$CLAWPERATOR_SKILL_AGENT_CLI_PATH:$CLAWPERATOR_SKILL_AGENT_TIMEOUT_MS:$CLAWPERATOR_DEVICE_ID\"\nls $CLAWPERATOR_SKILL_PROGRAM >/dev/null || exit 1\n";
    let place = Place::new(&format!("{script}{}", frame(&json!({}))), &agent("sh"));
    let call = ScriptCall { device: Some("dev9"), timeout: None, ..place.call() };
    let result = place.run(&call).await.unwrap();
    let first = result.output.lines().next().unwrap();
    assert!(first.starts_with("0:/") && first.ends_with("/sh:7000:dev9"), "{first}");
    assert_eq!(result.skill_result.unwrap()["source"], json!({"kind": "agent", "agentCli": "sh"}));
    let place = Place::new(script, &agent("sh"));
    let failure = place.run(&place.call()).await.unwrap_err();
    assert_eq!(failure.code, ErrorCode::SkillResultParseFailed);
    let place = Place::new(script, &json!({"agent": {"cli": 7}}));
    let failure = place.run(&place.call()).await.unwrap_err();
    assert_eq!(failure.code, ErrorCode::SkillValidationFailed);
}
