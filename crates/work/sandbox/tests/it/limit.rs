//! How much a program gets.

use super::*;

#[tokio::test]
async fn a_fork_storm_is_bounded_in_number_and_time() {
    let place = Place::new();
    let seconds = marker();
    let more = [("M", seconds.clone())];
    // Without the sandbox nothing stops it at this number.
    let storm = "for i in $(seq 400); do sleep $M 2>/dev/null & done; jobs -p | wc -l; kill $(jobs -p)";
    assert_eq!(place.free(storm, &more).text.trim(), "400");
    end(&processes(&seconds));

    let plan = place.plan("f() { f | f & }; f; sleep 30", &[]);
    let (ran, most) = {
        let running = run(&plan, Job::within(Duration::from_secs(2)));
        let mut running = std::pin::pin!(running);
        let mut most = 0;
        loop {
            tokio::select! {
                biased;
                ran = &mut running => break (ran, most),
                () = tokio::task::yield_now() => most = most.max(processes("f | f").len()),
            }
        }
    };
    assert!(matches!(ran.ending, Ending::TimedOut | Ending::Flooded), "{:?}", ran.ending);
    assert!(ran.took < Duration::from_secs(5), "{:?}", ran.took);
    assert!((100..=305).contains(&most), "{most} processes");
    assert_eq!(processes("f | f"), [] as [i32; 0]);
}

#[tokio::test]
async fn a_flood_of_output_is_cut_and_ended() {
    let place = Place::new();
    assert_eq!(place.free("yes | head -c 5000000 | wc -c", &[]).text.trim(), "5000000");
    let mut job = Job::within(Duration::from_secs(20));
    job.output_bytes = 1 << 20;
    let inside = run(&place.plan("yes & yes >&2", &[]), job).await;
    assert_eq!(inside.ending, Ending::Flooded);
    assert_eq!(inside.text.len(), 1 << 20);
    assert!(inside.took < Duration::from_secs(10));
}

#[tokio::test]
async fn memory_time_and_files_are_limited() {
    let place = Place::new();
    let cases = [
        ("perl -e '$x = \"x\" x (300 << 20); print length $x'", "memory"),
        ("while :; do :; done", "processor"),
        ("head -c 3000000 /dev/zero > $W/file && ls -l $W", "size of a file"),
        ("head -c 9000000 /dev/zero > /tmp/file", "scratch"),
        ("for i in $(seq 10 60); do eval \"exec $i</dev/null\" || exit 1; done", "open files"),
    ];
    for (script, what) in cases {
        let mut plan = place.plan(script, &[]);
        plan.limits = Limits {
            cpu_seconds: 1,
            memory_bytes: 200 << 20,
            processes: 300,
            open_files: 40,
            file_bytes: 2 << 20,
            scratch_bytes: 1 << 20,
        };
        let inside = run(&plan, Job::within(Duration::from_secs(20))).await;
        assert!(!inside.is_success() && inside.ending != Ending::TimedOut, "{what}: {inside:?}");
    }
}
