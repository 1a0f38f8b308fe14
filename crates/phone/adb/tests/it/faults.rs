//! The client against a phone over links that break in every way we could think
//! of: whatever happens, every call ends by its deadline and leaves nothing
//! behind. Time is paused, so a stall costs nothing.
//!
//! `CLAWPERATOR_SEED=n cargo test -p clawperator-adb --test it faults` repeats
//! one run.

mod link;

use crate::phone;
use bytes::Bytes;
use clawperator_adb::{
    AdbError, Authorize, Connection, Deadline, Device, FileTarget, HostIdentity, PrivateKey, Transfer,
};
use link::{Damage, FAULTS, Fault, link};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Once};
use std::time::Duration;
use tokio::time::Instant;

const RUNS: u64 = 2_500;
const THREADS: u64 = 2;
/// How exact a paused clock is.
const GRAIN: Duration = Duration::from_millis(2);

static KEY: LazyLock<PrivateKey> =
    LazyLock::new(|| PrivateKey::generate(&mut StdRng::seed_from_u64(1)).unwrap());

thread_local! {
    /// Panics on this thread, in spawned tasks too: each run has one thread.
    static PANICS: Cell<usize> = const { Cell::new(0) };
}

/// How many calls ended well, closed, timed out, and in nonsense.
static ENDS: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];

fn count(result: &Result<(), AdbError>) {
    let end = match result {
        Ok(()) => 0,
        Err(AdbError::Closed) => 1,
        Err(AdbError::TimedOut { .. }) => 2,
        Err(AdbError::Protocol(_) | AdbError::Refusal(_) | AdbError::NotOpened(_)) => 3,
        Err(other) => panic!("a link in memory cannot end in {other:?}"),
    };
    ENDS[end].fetch_add(1, Ordering::Relaxed);
}

fn count_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PANICS.set(PANICS.get() + 1);
            usual(panic);
        }));
    });
}

#[test]
fn the_same_seed_breaks_the_same_way() {
    for seed in RUNS..RUNS + 200 {
        assert_eq!(run(seed), run(seed), "seed {seed}");
    }
}

#[test]
#[allow(clippy::print_stderr, reason = "one run is repeated to be looked at")]
fn broken_links_end_every_call_in_time() {
    count_panics();
    if let Ok(seed) = std::env::var("CLAWPERATOR_SEED") {
        eprintln!("{:#?}", run(seed.parse().unwrap()));
        return;
    }
    let work = |first| move || (first..RUNS).step_by(THREADS as usize).map(run).for_each(drop);
    let threads: Vec<_> = (0..THREADS).map(|first| std::thread::spawn(work(first))).collect();
    for thread in threads {
        assert!(thread.join().is_ok(), "a run failed; its seed is above");
    }
    // A test in which nothing happens would pass too.
    for (name, count) in ["well", "closed", "timed out", "nonsense"].iter().zip(&ENDS) {
        let count = count.load(Ordering::Relaxed);
        assert!(count > RUNS / 10, "{count} calls ended {name}");
    }
}

/// Says which run failed if it is dropped on the way out of one.
struct Told(u64);

impl Drop for Told {
    #[allow(clippy::print_stderr, reason = "the seed is needed to repeat a failure")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("repeat with CLAWPERATOR_SEED={}", self.0);
        }
    }
}

/// How each call of a run ended, and when.
type Journal = Vec<(Duration, String)>;

fn run(seed: u64) -> Journal {
    let _told = Told(seed);
    let panics = PANICS.get();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let journal = runtime.block_on(scenario(StdRng::seed_from_u64(seed)));
    assert_eq!(PANICS.get(), panics, "something panicked");
    journal
}

/// A rng of its own, so that what one part draws does not move another.
fn fork(rng: &mut StdRng) -> StdRng {
    StdRng::seed_from_u64(rng.r#gen())
}

/// One run: a link, a phone behind it, a few calls, then a check that no stream is still open.
async fn scenario(mut rng: StdRng) -> Journal {
    let mut damage = || Damage::choose(FAULTS[rng.gen_range(0..FAULTS.len())], fork(&mut rng));
    let (outward, inward) = (damage(), damage());
    let is_sound = [&outward, &inward].iter().all(|damage| damage.fault == Fault::None);
    let (host, device, moving) = link(outward, inward);
    let moving = tokio::spawn(moving);
    let proves = rng.gen_bool(0.005);
    let features = ["shell_v2,stat_v2,ls_v2,sendrecv_v2", "shell_v2", ""][rng.gen_range(0..3)];
    tokio::spawn(async move {
        let mut owner = phone::Trusting::default();
        let owner = proves.then_some(&mut owner as &mut dyn Authorize);
        let banner = phone::banner(features);
        let greeting = Connection::from_host(device.0, device.1, &banner, owner);
        if let Ok((connection, _)) = greeting.await {
            phone::answer_all(Arc::new(connection)).await;
        }
    });

    let asking = HostIdentity {
        banner: "host::features=shell_v2".to_owned(),
        key: Some(&*KEY).filter(|_| proves),
        name: "me@here".to_owned(),
    };
    let greeting = Connection::to_device(host.0, host.1, &asking);
    let (after, begun) = (Duration::from_secs(3), Instant::now());
    let greeted = Deadline::after(after).run("greeting", greeting).await;
    assert!(begun.elapsed() <= after + GRAIN, "a greeting took too long");
    let mut journal = vec![(begun.elapsed(), format!("{:?}", greeted.as_ref().map(drop)))];
    if let Ok(connection) = greeted {
        let connection = Arc::new(connection);
        journal.extend(calls(&Device::Direct(connection.clone()), &mut rng).await);
        let (open, given_up) = (connection.open_streams(), connection.abandoned_streams());
        assert_eq!(open, given_up, "streams are left open");
        assert!(!is_sound || given_up == 0, "streams were given up for no reason");
    }
    let all_well = journal.iter().all(|(_, end)| end == "Ok(())");
    assert!(all_well || !is_sound, "{journal:#?}");
    moving.abort();
    nothing_is_left().await;
    journal
}

/// A few calls, one or two at a time.
async fn calls(device: &Device, rng: &mut StdRng) -> Journal {
    let begun = Instant::now();
    let mut journal = vec![];
    for _ in 0..rng.gen_range(2..7) {
        let (mut one, mut two) = (fork(rng), fork(rng));
        let mut ends = vec![];
        if rng.gen_bool(0.3) {
            let both = tokio::join!(call(device, &mut one), call(device, &mut two));
            ends.extend([both.0, both.1]);
        } else {
            ends.push(call(device, &mut one).await);
        }
        journal.extend(ends.iter().map(|end| (begun.elapsed(), format!("{end:?}"))));
    }
    journal
}

/// Every task ends by itself once the link is gone.
async fn nothing_is_left() {
    let alive = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    for _ in 0..1000 {
        if alive() == 0 {
            return;
        }
        tokio::task::yield_now().await;
    }
    // Whatever waits for a time that is not a deadline ends too.
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(alive(), 0, "tasks are left");
}

/// One call with a deadline, which is sometimes dropped before it ends.
async fn call(device: &Device, rng: &mut StdRng) -> Result<(), AdbError> {
    let Device::Direct(connection) = device else {
        unreachable!("these are connections of our own");
    };
    let was_over = connection.over().is_some();
    let after = Duration::from_millis(*[5, 200, 2_000, 30_000].get(rng.gen_range(0..4)).unwrap());
    let is_dropped = rng.gen_bool(0.1);
    let begun = Instant::now();
    let work = ask(device, rng, Deadline::after(after));
    let result = if is_dropped {
        // A call that is dropped says nothing, and leaves nothing.
        let _ = tokio::time::timeout(after / 3, work).await;
        Ok(())
    } else {
        work.await
    };
    assert!(begun.elapsed() <= after + GRAIN, "a call of {after:?} took too long");
    // An ended connection is reported at once, not at the deadline.
    assert!(!was_over || begun.elapsed() < GRAIN, "it was over already");
    let is_late = matches!(result, Err(AdbError::TimedOut { .. })) && connection.over().is_some();
    assert!(!is_late, "it ended while the call waited");
    count(&result);
    result
}

async fn ask(device: &Device, rng: &mut StdRng, deadline: Deadline) -> Result<(), AdbError> {
    let size = [0, 1, 700, 9_000, 70_000][rng.gen_range(0..5)];
    let data = Bytes::from(vec![rng.r#gen::<u8>(); size]);
    let path = ["/sdcard/a", "/sdcard/b"][rng.gen_range(0..2)];
    let transfer = Transfer { deadline, progress: |_| {} };
    match rng.gen_range(0..9) {
        0 => {
            let output = device.shell("cat", data.clone(), deadline).await?;
            // Damaged data is not adb's to find, but a sound link has none.
            if output.exit_code.is_some() && output.stdout != data {
                return Err(AdbError::Protocol("not what was sent".to_owned()));
            }
        }
        1 => drop(device.shell("echo hello", Bytes::new(), deadline).await?),
        2 => drop(device.exec("anything", deadline).await?),
        3 => {
            let target = FileTarget { path, permissions: 0o644, modified: 7 };
            device.push(&data[..], target, transfer).await?;
        }
        4 => match device.pull(path, Vec::new(), transfer).await {
            Err(AdbError::Refusal(_)) => {}
            other => drop(other?),
        },
        5 => drop(device.list("/sdcard", deadline).await?),
        6 => drop(device.stat(path, deadline).await?),
        7 => echo(device, data, deadline).await?,
        _ => match device.open("nothing:", deadline).await {
            Err(AdbError::NotOpened(_)) => {}
            other => drop(other?),
        },
    }
    Ok(())
}

/// A stream that is opened, used and closed.
async fn echo(device: &Device, data: Bytes, deadline: Deadline) -> Result<(), AdbError> {
    let mut stream = device.open("tcp:7", deadline).await?;
    let (mut reader, mut writer) = stream.split();
    let talking = async {
        writer.send(data.clone()).await?;
        let mut back = Vec::new();
        while back.len() < data.len() {
            back.extend(reader.receive().await?.ok_or(AdbError::Closed)?);
        }
        if back != data {
            return Err(AdbError::Protocol("not what was sent".to_owned()));
        }
        Ok(())
    };
    deadline.run("an echo", talking).await
}
