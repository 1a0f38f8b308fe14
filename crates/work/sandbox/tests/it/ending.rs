//! How programs end, and that nothing of them is left.

use super::*;
use clawperator_sandbox::InputPiece;
use tokio::sync::mpsc;

/// Scripts that leave a process behind; `$M` is how long it sleeps.
const LEAVING: &[&str] = &[
    "sleep $M & disown",
    "setsid sleep $M & sleep 0.2",
    "(setsid sleep $M &) & sleep 0.2",
    "setsid bash -c 'setsid bash -c \"setsid sleep $M & \" &' >/dev/null 2>&1 & sleep 0.4",
    "nohup setsid sleep $M >/dev/null 2>&1 </dev/null & sleep 0.2",
    "trap '' TERM HUP INT; bash -c \"trap '' TERM HUP; sleep $M\" & sleep 0.2",
];

/// The processes with a mark. A child has it only when it has become its program,
/// which may be after its parent has ended.
fn started(mark: &str) -> Vec<i32> {
    let mut looks = (0..2_000).map(|_| {
        std::thread::yield_now();
        processes(mark)
    });
    looks.find(|found| !found.is_empty()).unwrap_or_default()
}

#[tokio::test]
async fn what_a_program_leaves_behind_ends_with_it() {
    let place = Place::new();
    for script in LEAVING {
        let seconds = marker();
        let more = [("M", seconds.clone())];
        // The output is closed: without the sandbox the shell's reader would wait.
        let free = place.free(&format!("exec >/dev/null 2>&1; {script}"), &more);
        let left = started(&seconds);
        assert!(!left.is_empty(), "the attack does not work at all: {script} {free:?}");
        end(&left);
        let seconds = marker();
        let inside = place.confined(script, &[("M", seconds.clone())]).await;
        assert!(inside.is_success() && inside.took < Duration::from_secs(10), "{inside:?}");
        assert_eq!(processes(&seconds), [] as [i32; 0], "{script}");
    }
}

#[tokio::test]
async fn a_program_out_of_time_ends_with_all_that_it_started() {
    let place = Place::new();
    for script in LEAVING {
        let seconds = marker();
        let script = format!("{script}; sleep 1{seconds}");
        let plan = place.plan(&script, &[("M", seconds.clone())]);
        let inside = run(&plan, Job::within(Duration::from_secs(1))).await;
        assert_eq!(inside.ending, Ending::TimedOut, "{inside:?}");
        assert!(inside.took < Duration::from_secs(3), "{inside:?}");
        assert_eq!(processes(&seconds), [] as [i32; 0], "{script}");
    }
}

#[tokio::test]
async fn a_run_that_is_dropped_leaves_nothing() {
    let place = Place::new();
    let seconds = marker();
    let plan = place.plan("setsid sleep $M & echo up; sleep 9$M", &[("M", seconds.clone())]);
    let (up, mut started) = mpsc::unbounded_channel();
    let mut listen = move |_: Channel, _: &[u8]| up.send(()).unwrap();
    let sandbox = sandbox();
    tokio::select! {
        ran = sandbox.run(&plan, Job::within(Duration::from_secs(60)), &mut listen) => panic!("{ran:?}"),
        _ = started.recv() => {}
    }
    let gone = async {
        while !processes(&seconds).is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), gone).await.unwrap();
}

#[tokio::test]
async fn codes_and_signals_are_told_apart() {
    let place = Place::new();
    for (script, ending) in [
        ("exit 0", Ending::Exited(0)),
        ("exit 137", Ending::Exited(137)),
        ("kill -9 $$", Ending::Signalled(9)),
        ("kill -SEGV $$", Ending::Signalled(11)),
        ("no-such-command", Ending::Exited(127)),
    ] {
        assert_eq!(place.confined(script, &[]).await.ending, ending, "{script}");
    }
}

#[tokio::test]
async fn a_caller_can_end_a_program() {
    let place = Place::new();
    let seconds = marker();
    let plan = place.plan("setsid sleep $M & sleep 9$M", &[("M", seconds.clone())]);
    let mut job = Job::within(Duration::from_secs(60));
    job.stop = Box::pin(async {});
    let inside = run_any(&plan, job).await;
    assert_eq!(inside, Ending::Stopped);
    assert_eq!(processes(&seconds), [] as [i32; 0]);
}

async fn run_any(plan: &Plan, job: Job) -> Ending {
    try_run(plan, job).await.1.unwrap().ending
}

#[tokio::test]
async fn a_program_reads_its_input() {
    let place = Place::new();
    let (to, input) = mpsc::channel(4);
    let long = vec![b'x'; 300_000];
    to.send(InputPiece::Bytes(long)).await.unwrap();
    to.send(InputPiece::Bytes(b"last\n".to_vec())).await.unwrap();
    to.send(InputPiece::End).await.unwrap();
    let mut job = Job::within(Duration::from_secs(20));
    job.input = Some(input);
    let inside = run(&place.plan("wc -c", &[]), job).await;
    assert_eq!(inside.text.trim(), "300005");
    // Without input there is none, rather than a wait.
    assert_eq!(place.confined("wc -c", &[]).await.text.trim(), "0");
}

#[tokio::test]
async fn a_program_that_does_not_read_ends_in_time() {
    let place = Place::new();
    let (to, input) = mpsc::channel(4);
    to.send(InputPiece::Bytes(vec![b'x'; 2 << 20])).await.unwrap();
    let mut job = Job::within(Duration::from_secs(1));
    job.input = Some(input);
    let inside = run(&place.plan("sleep 60", &[]), job).await;
    assert_eq!(inside.ending, Ending::TimedOut);
    assert!(inside.took < Duration::from_millis(1900), "{inside:?}");
}

#[tokio::test]
async fn a_program_that_cannot_start_is_named() {
    let place = Place::new();
    let mut plan = place.plan("", &[]);
    plan.program = "no-such-program".into();
    let (_, ran) = try_run(&plan, Job::within(Duration::from_secs(20))).await;
    let message = ran.unwrap_err().to_string();
    assert!(message.contains("no-such-program") && message.contains("No such file"), "{message}");
    let mut plan = place.plan("", &[]);
    plan.write.push("/no/such/folder".into());
    let (_, ran) = try_run(&plan, Job::within(Duration::from_secs(20))).await;
    assert!(matches!(ran, Err(SandboxError::Path { .. })), "{ran:?}");
}
