//! What happens on a system that lacks a part. The inside of a sandbox is such a
//! system: the tests run themselves there.

use super::*;
use clawperator_sandbox::Part;

const INSIDE: &str = "CLAWPERATOR_TEST_INSIDE";

#[tokio::test]
async fn a_system_that_lacks_a_part_is_refused_unless_that_is_allowed() {
    let place = Place::new();
    let test = std::env::current_exe().unwrap();
    let mut plan = place.plan(
        "",
        &[(INSIDE, place.work().display().to_string()), (LAUNCHER, launcher().display().to_string())],
    );
    plan.program = test.clone().into();
    plan.arguments = ["--exact", "nested::inside", "--nocapture"].map(OsString::from).to_vec();
    plan.read = vec![test, launcher()];
    let out = run(&plan, Job::within(Duration::from_secs(20))).await;
    assert!(out.is_success(), "{out:?}");
    assert!(
        out.text.contains("refused: [UserNamespace, MountNamespace, PidNamespace, NetworkNamespace"),
        "{out:?}"
    );
    assert!(out.text.contains("best effort: Exited(7) hello"), "{out:?}");
}

/// Runs only inside; outside it has nothing to show.
#[tokio::test]
async fn inside() {
    let Some(work) = std::env::var_os(INSIDE) else {
        return;
    };
    let place = Place { root: work.into() };
    let seconds = marker();
    let script = "(setsid sleep $M &); cat /etc/shadow 2>/dev/null; echo hello; exit 7";
    let mut plan = place.plan(script, &[("M", seconds.clone())]);
    plan.folder = place.root.clone();
    plan.write = vec![place.root.clone()];
    let (_, ran) = try_run(&plan, Job::within(Duration::from_secs(10))).await;
    let Err(SandboxError::Refused(missing)) = ran else {
        panic!("{ran:?}");
    };
    let parts: Vec<Part> = missing.iter().map(|missing| missing.part).collect();
    println!("refused: {parts:?}");
    plan.level = Level::BestEffort;
    let (text, ran) = try_run(&plan, Job::within(Duration::from_secs(10))).await;
    let ran = ran.unwrap();
    assert!(!ran.missing.is_empty());
    // Without a pid namespace, too, nothing is left.
    assert_eq!(processes(&seconds), [] as [i32; 0]);
    alone(&place, &plan).await;
    println!("best effort: {:?} {}", ran.ending, text.trim());
}

/// Without namespaces, too, a program has a place for its files, shares no memory with
/// the computer, and runs listed programs only.
async fn alone(place: &Place, plan: &Plan) {
    let script = r#"
        exec 2>&1; echo kept > "$TMPDIR/file" && cat "$TMPDIR/file"; echo "$TMPDIR"
        perl -e 'print defined(shmget(0, 64, 01600)) ? "shared\n" : "alone\n"'
        perl -e 'print defined(msgget(0, 01600)) ? "shared\n" : "alone\n"'
        touch ran; /usr/bin/env touch ran; "$LOADER" /usr/bin/touch ran
        cp /bin/cat own; ./own own"#;
    let mut plan = plan.clone();
    plan.arguments = ["-c", script].map(OsString::from).to_vec();
    plan.variables.push(("TMPDIR".into(), "/tmp".into()));
    plan.variables.push(("LOADER".into(), programs::loader().into()));
    plan.programs = Programs::Only(["cat", "cp", "env", "perl"].map(str::to_owned).to_vec());
    let (text, ran) = try_run(&plan, Job::within(Duration::from_secs(10))).await;
    assert!(ran.is_ok(), "{ran:?}");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], &lines[2..4]), ("kept", &["alone", "alone"][..]), "{text}");
    assert!(lines[1].starts_with("/tmp/clawperator-"), "{text}");
    assert!(!Path::new(lines[1]).exists(), "{text}");
    assert!(!place.root.join("ran").exists(), "{text}");
    assert_eq!(text.matches("Permission denied").count(), 4, "{text}");
}
