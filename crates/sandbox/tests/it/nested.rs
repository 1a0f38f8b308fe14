//! What happens on a system that lacks a part. The inside of a sandbox is such a
//! system: the tests run themselves there.

use super::*;
use clawperator_sandbox::Part;

const INSIDE: &str = "CLAWPERATOR_TEST_INSIDE";

#[tokio::test]
async fn a_system_that_lacks_a_part_is_refused_unless_that_is_allowed() {
    let place = Place::new();
    let test = std::env::current_exe().unwrap();
    let mut plan = place.plan("", &[(INSIDE, place.work().display().to_string())]);
    plan.program = test.clone().into();
    plan.arguments = ["--exact", "nested::inside", "--nocapture"]
        .map(OsString::from)
        .to_vec();
    plan.read = vec![test, env!("CARGO_BIN_EXE_sandbox-launcher").into()];
    let out = run(&plan, Job::within(Duration::from_secs(20))).await;
    assert!(out.is_success(), "{out:?}");
    assert!(
        out.text
            .contains("refused: [UserNamespace, MountNamespace, PidNamespace, NetworkNamespace"),
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
    println!("best effort: {:?} {}", ran.ending, text.trim());
}
