//! One execution at a time on a phone.

use clawperator_phone::{LockError, Locks, Owner};
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn owner(command_id: &str, since_ms: u64) -> Owner {
    Owner { pid: 7, command_id: command_id.to_owned(), since: Duration::from_millis(since_ms) }
}

#[tokio::test(start_paused = true)]
async fn the_second_is_told_who_was_first() {
    let locks = Locks::new(folder("second"));
    let (first, second) = (owner("first with spaces\nand lines", 1_000), owner("second", 3_500));
    let guard = locks.acquire("127.0.0.1:1", &first, None).await.unwrap();
    match locks.acquire("127.0.0.1:1", &second, None).await {
        Err(LockError::Conflict(conflict)) => {
            assert_eq!(conflict.owner, Some(first));
            // The second waited half a second for it.
            assert_eq!(conflict.age, Some(Duration::from_millis(3_000)));
        }
        other => panic!("{other:?}"),
    }
    // Another phone is another matter.
    locks.acquire("127.0.0.1:2", &second, None).await.unwrap();
    drop(guard);
    locks.acquire("127.0.0.1:1", &second, None).await.unwrap();
}

/// Stops the paused clock from jumping ahead until it is dropped: a thread, not
/// the runtime, waits for the lock.
struct HeldClock(#[expect(dead_code, reason = "dropping it ends the task")] std::sync::mpsc::Sender<()>);

fn hold_clock() -> HeldClock {
    let (end, ended) = std::sync::mpsc::channel::<()>();
    tokio::task::spawn_blocking(move || ended.recv());
    HeldClock(end)
}

#[tokio::test(start_paused = true)]
async fn a_waiter_gets_the_phone_when_it_is_free() {
    let locks = Locks::new(folder("waits"));
    let guard = locks.acquire("a", &owner("first", 0), None).await.unwrap();
    let short = Some(Duration::from_millis(50));
    let late = locks.acquire("a", &owner("late", 0), short).await;
    assert!(matches!(late, Err(LockError::Conflict(_))), "{late:?}");
    let _clock = hold_clock();
    let waiting = tokio::spawn({
        let locks = locks.clone();
        async move {
            let long = Some(Duration::from_secs(20));
            locks.acquire("a", &owner("second", 0), long).await.map(drop)
        }
    });
    tokio::task::yield_now().await;
    drop(guard);
    waiting.await.unwrap().unwrap();
}

#[tokio::test]
async fn waiters_get_a_phone_in_order_and_one_that_left_does_not_keep_it() {
    let locks = Locks::new(folder("order"));
    let guard = locks.acquire("a", &owner("first", 0), None).await.unwrap();
    let (note, mut noted) = tokio::sync::mpsc::unbounded_channel();
    let mut waiting = Vec::new();
    for number in 0..8_u64 {
        let (locks, note) = (locks.clone(), note.clone());
        waiting.push(tokio::spawn(async move {
            let long = Some(Duration::from_secs(60));
            let guard = locks.acquire("a", &owner("next", 0), long).await.unwrap();
            note.send(number).unwrap();
            drop(guard);
        }));
        tokio::task::yield_now().await;
    }
    for left in [0, 3, 7] {
        waiting[left].abort();
    }
    drop((guard, note));
    let mut order = Vec::new();
    while let Some(number) = noted.recv().await {
        order.push(number);
    }
    assert_eq!(order, [1, 2, 4, 5, 6]);
    // No thread keeps a lock for a waiter that has left.
    let long = Some(Duration::from_secs(60));
    locks.acquire("a", &owner("last", 0), long).await.unwrap();
}

#[tokio::test]
async fn a_process_that_dies_lets_go() {
    if !PathBuf::from("/usr/bin/flock").exists() {
        return;
    }
    let folder = folder("dies");
    let locks = Locks::new(&folder);
    drop(locks.acquire("a", &owner("first", 0), None).await.unwrap());
    // Another process, which takes the same lock and is killed.
    let mut child = Command::new("/usr/bin/flock")
        .arg("--no-fork")
        .arg(folder.join("phone-a.lock"))
        .args(["sh", "-c", "echo held; exec sleep 60"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut held = String::new();
    let stdout = child.stdout.take().unwrap();
    BufReader::new(stdout).read_line(&mut held).unwrap();
    assert_eq!(held, "held\n");
    let probe = locks.acquire("a", &owner("probe", 0), None).await;
    assert!(matches!(probe, Err(LockError::Conflict(_))), "{probe:?}");
    child.kill().unwrap();
    child.wait().unwrap();
    let long = Some(Duration::from_secs(20));
    locks.acquire("a", &owner("second", 0), long).await.unwrap();
}

#[tokio::test]
async fn a_folder_that_cannot_be_is_an_error() {
    let locks = Locks::new("/dev/null/locks");
    let error = locks.acquire("a", &owner("x", 0), None).await.unwrap_err();
    assert!(matches!(error, LockError::Io { .. }), "{error}");
    let error = locks.acquire("", &owner("x", 0), None).await.unwrap_err();
    assert!(matches!(error, LockError::Serial(_)), "{error}");
}

/// A process that is being started holds a copy of the lock until it runs its
/// own program.
#[tokio::test(start_paused = true)]
async fn a_lock_that_is_only_held_by_a_copy_is_waited_for() {
    let folder = folder("copy");
    let locks = Locks::new(&folder);
    drop(locks.acquire("a", &owner("first", 0), None).await.unwrap());
    let name = clawperator_phone::lock::file_name("a").unwrap();
    let copy = clawperator_phone::lock::open_lock(&folder.join(format!("{name}.lock"))).unwrap();
    copy.lock().unwrap();
    let _clock = hold_clock();
    let next = tokio::spawn(async move { locks.acquire("a", &owner("next", 0), None).await.map(drop) });
    tokio::task::yield_now().await;
    drop(copy);
    next.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_age_is_counted_from_when_the_phone_is_had() {
    let locks = Locks::new(folder("age"));
    let guard = locks.acquire("a", &owner("first", 0), None).await.unwrap();
    let clock = hold_clock();
    let second = tokio::spawn({
        let locks = locks.clone();
        async move {
            let long = Some(Duration::from_secs(20));
            locks.acquire("a", &owner("second", 1_000), long).await
        }
    });
    tokio::task::yield_now().await;
    tokio::time::advance(Duration::from_millis(100)).await;
    drop(guard);
    let _second = second.await.unwrap().unwrap();
    drop(clock);
    match locks.acquire("a", &owner("third", 1_000), None).await {
        Err(LockError::Conflict(conflict)) => {
            let had = conflict.owner.unwrap().since;
            assert!(had >= Duration::from_millis(1_050), "{had:?}");
            let waited = Duration::from_millis(400);
            assert_eq!(conflict.age, Some(waited), "since it got the phone");
        }
        other => panic!("{other:?}"),
    }
}

#[cfg(unix)]
#[tokio::test]
async fn what_others_put_into_the_folder_of_locks_is_not_written_through() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
    let folder = folder("links");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
    let victim = folder.join("victim");
    std::fs::write(&victim, "precious").unwrap();
    for name in ["phone-a.owner", "phone-a.owner.draft", "phone-b.lock"] {
        symlink(&victim, folder.join(name)).unwrap();
    }
    let locks = Locks::new(&folder);
    let guard = locks.acquire("a", &owner("first", 0), None).await.unwrap();
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious");
    let written = std::fs::symlink_metadata(folder.join("phone-a.owner")).unwrap();
    assert!(written.is_file() && written.mode() & 0o077 == 0, "{written:?}");
    assert_eq!(std::fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
    drop(guard);
    let linked = locks.acquire("b", &owner("x", 0), None).await.unwrap_err();
    assert!(matches!(linked, LockError::Io { .. }), "{linked}");

    let link = folder.join("link");
    symlink(&folder, &link).unwrap();
    let error = Locks::new(&link).prepare().unwrap_err();
    assert!(matches!(error, LockError::Unsafe { .. }), "{error}");
    // Root could write there, and is refused all the same.
    let others = std::fs::metadata("/proc/1/task")
        .is_ok_and(|about| about.uid() != std::fs::metadata(&folder).unwrap().uid());
    if others {
        let error = Locks::new("/proc/1/task").prepare().unwrap_err();
        assert!(matches!(error, LockError::Unsafe { .. }), "{error}");
    }
}
