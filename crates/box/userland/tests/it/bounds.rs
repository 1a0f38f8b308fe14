//! Everything ends, and nothing grows without bound.

use crate::world::{files, finish, machine, user};
use clawperator_userland::{Actor, Errno, FileSystem, Identity, Io, Machine, Shell, limits};
use std::time::Duration;

/// Lets everything else have so many turns of the runtime. Whatever never gives
/// a turn back hangs the test.
async fn turns() {
    for _ in 0..5 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn deep_nesting_is_refused_and_overflows_nothing() {
    for opening in ["(", "((", "{ ", "$(", "\"$(", "`", "${x:-", "if ", "f() ", "! ", "$((", "echo $(("] {
        let done = finish(&opening.repeat(100_001), b"").await;
        assert_ne!(done.code, 0, "{opening}");
    }
    for script in [
        format!("{}:{}", "(".repeat(30), " )".repeat(30)),
        format!("echo {}a{}", "$(echo ".repeat(30), ")".repeat(30)),
        "f() { f; }; f".to_owned(),
        "f() { (f); }; f".to_owned(),
        "f() { echo $(f); }; f".to_owned(),
        "x='eval \"$x\"'; eval \"$x\"".to_owned(),
        "cd /data/local/tmp; echo 'sh s' > s; sh s".to_owned(),
        "cd /data/local/tmp; echo '. ./s' > s; . ./s".to_owned(),
        "cd /data/local/tmp; echo './s' > s; chmod +x s; ./s".to_owned(),
    ] {
        finish(&script, b"").await;
    }
    let long = "a".repeat(limits::MAX_SCRIPT + 1);
    assert_eq!(finish(&long, b"").await.code, 1);
}

#[tokio::test(start_paused = true)]
async fn values_and_pipelines_have_an_end() {
    for script in [
        "x=aaaaaaaaaaaaaaaa; while :; do x=$x$x$x$x; done",
        "x=$(yes)",
        "x=$(head -c 100000 /dev/zero | tr '\\0' a); y=${x//a/$x}; echo ${#y}",
        "echo aaaaaaaa | sed 's/.*/&&&&&&&&/;s/.*/&&&&&&&&/;s/.*/&&&&&&&&/;s/.*/&&&&&&&&/;s/.*/&&&&&&&&/;s/.*/&&&&&&&&/;s/.*/&&&&&&&&/;s/.*/&&&&&&&&/;s/.*/&&&&&&&&/' | wc -c",
        "x=$(cat /dev/zero); echo ${#x}",
    ] {
        finish(script, b"").await;
    }
    assert_ne!(finish(&vec![":"; 1000].join("|"), b"").await.code, 0);
}

#[tokio::test]
async fn an_endless_loop_can_be_ended() {
    for script in [
        "while true; do :; done",
        "while :; do (:); done",
        "until false; do x=$(echo a); done",
        "yes >/dev/null",
        "cat /dev/zero > /dev/null",
        "while :; do echo x; done >/dev/null",
        "dd if=/dev/zero skip=99999999999 count=1",
        "grep x /dev/zero",
        "grep -B 9999999999 x /dev/zero",
        "sed s/a/b/ /dev/zero > /dev/null",
        "sed 's/./b/g' /dev/zero > /dev/null",
    ] {
        tokio::select! {
            _ = finish(script, b"") => panic!("{script} ended"),
            () = turns() => {}
        }
    }
}

#[tokio::test]
async fn no_endless_input_keeps_the_runtime_from_its_turn() {
    for script in [
        "grep x /dev/zero",
        "sed s/a/b/ /dev/zero > /dev/null",
        "sed 's/./b/g' /dev/zero > /dev/null",
        "head -n 99 /dev/zero > /dev/null",
        "yes | sort",
        "seq 999999 | sort -k 1n -r > /dev/null",
        "f() { f | f; }; f",
        "cd /data/local/tmp; echo './s | ./s' > s; chmod +x s; ./s",
    ] {
        tokio::select! {
            _ = finish(script, b"") => {}
            () = turns() => {}
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_must_be_held_whole_is_refused_when_it_is_too_much() {
    for (script, complaint) in [
        ("yes | sort", "sort: input has more than 4194304 lines\n"),
        ("sort /dev/zero", "sort: input has more than 67108864 bytes\n"),
    ] {
        let done = finish(script, b"").await;
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!((told.as_str(), done.code), (complaint, 2), "{script}");
        assert_eq!(done.stdout, b"", "{script}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_pattern_too_long_to_match_is_an_error_of_the_shell() {
    let long = "?".repeat(60_000);
    for script in [
        format!("case a in {long}) echo b;; *) echo c;; esac; echo d"),
        format!("x=a; echo ${{x#{long}}}; echo d"),
        format!("x=a; echo ${{x%%{long}}}; echo d"),
        format!("x=a; echo ${{x/{long}/b}}; echo d"),
    ] {
        let done = finish(&script, b"").await;
        assert_eq!(done.stdout, b"", "{}", &script[..20]);
        assert_eq!(String::from_utf8_lossy(&done.stderr), "/system/bin/sh: pattern too long\n");
        assert_eq!(done.code, 1);
    }
    let done = finish(&format!("find / -name '{long}'"), b"").await;
    assert_eq!(String::from_utf8_lossy(&done.stderr), "find: pattern too long\n");
    let done = finish(&format!("echo {long} | wc -c"), b"").await;
    assert_eq!(done.stdout, b"60001\n");
}

#[tokio::test(start_paused = true)]
async fn dropping_a_run_leaves_no_process_behind() {
    let machine = machine();
    {
        let (io, _ends) = Io::channels();
        let mut shell = Shell::new(machine.clone(), user());
        let run = shell.run("sleep 1000 | cat | (sleep 2000; true)", io);
        assert!(tokio::time::timeout(Duration::from_secs(5), run).await.is_err());
    }
    assert_eq!(machine.kernel().processes.list(), []);
}

/// As a server on a phone is started: its starter sees the end of the shell.
#[tokio::test(start_paused = true)]
async fn a_job_is_its_program_and_holds_only_streams_of_its_own() {
    let machine = machine();
    let (io, mut ends) = Io::channels();
    let mut shell = Shell::new(machine.clone(), user());
    let script = "nohup sleep 1000 </dev/null >/dev/null 2>&1 & echo $!; sleep 1; pgrep -P $$";
    assert_eq!(shell.run(script, io).await, 0);
    drop(shell);
    let mut said = Vec::new();
    while let Some(written) = ends.output.recv().await {
        said.extend_from_slice(&written.bytes);
    }
    let list = machine.kernel().processes.list();
    let [job] = &list[..] else { panic!("{list:?}") };
    assert_eq!(job.command, "sleep 1000");
    assert_eq!(String::from_utf8(said).unwrap(), format!("{0}\n{0}\n", job.pid));
    machine.kernel().jobs.abort_all();
}

#[tokio::test(start_paused = true)]
async fn jobs_outlive_their_shell_and_end_with_the_machine() {
    let machine = machine();
    let done =
        clawperator_userland::run(machine.clone(), user(), "nohup sleep 1000 >/dev/null 2>&1 & echo $!", b"")
            .await;
    assert_eq!(done.code, 0);
    tokio::task::yield_now().await;
    assert_eq!(machine.kernel().jobs.running(), 1);
    assert!(machine.kernel().processes.list().iter().any(|process| process.name == "sleep"));
    machine.kernel().jobs.abort_all();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(machine.kernel().jobs.running(), 0);
    assert_eq!(machine.kernel().processes.list(), []);
}

#[tokio::test(start_paused = true)]
async fn a_fork_bomb_runs_out_of_processes() {
    let machine = machine();
    let bomb = clawperator_userland::run(machine.clone(), user(), "f() { f & f & wait; }; f", b"");
    let _ = tokio::time::timeout(Duration::from_secs(1 << 30), bomb).await;
    assert!(machine.kernel().jobs.running() <= limits::MAX_JOBS);
    machine.kernel().jobs.abort_all();
}

/// Files of a byte each could otherwise hold a buffer of a megabyte each.
#[test]
fn a_file_keeps_no_more_in_memory_than_its_content() {
    let buffer = bytes::Bytes::from(vec![7; 1 << 20]);
    let mut files = FileSystem::new(1 << 20);
    let who = Identity::root();
    let actor = Actor { who: &who, umask: 0o022, now: Duration::ZERO };
    files.write(&actor, "/a", buffer.slice(..1)).unwrap();
    assert!(buffer.is_unique());
}

#[test]
fn a_full_file_system_says_so_and_forgets_nothing() {
    let root = Identity::root();
    let actor = Actor { who: &root, umask: 0, now: Duration::ZERO };
    let mut files = FileSystem::new(10);
    files.write(&actor, "/a", &b"12345678"[..]).unwrap();
    assert_eq!(files.write(&actor, "/b", &b"123"[..]), Err(Errno::NoSpace));
    files.append(&actor, "/b", b"12").unwrap();
    assert_eq!(files.write_at(&actor, "/b", (1 << 40, b"x")), Err(Errno::NoSpace));
    files.rename(&actor, "/b", "/a").unwrap();
    assert_eq!(files.usage().used, 2);
    files.remove(&actor, "/a").unwrap();
    assert_eq!((files.usage().used, files.usage().nodes), (0, 1));
    assert_eq!(files.create_dir(&actor, &format!("/{}", "n".repeat(256)), 0o755), Err(Errno::NameTooLong));
    let deep = "/d".repeat(limits::MAX_TREE + 1);
    assert_eq!(files.create_dir_all(&actor, &deep, 0o755), Err(Errno::NameTooLong));
}

#[test]
fn a_copy_of_a_system_shares_what_it_does_not_change() {
    let original = files();
    let copies: Vec<FileSystem> = (0..256).map(|_| original.clone()).collect();
    assert!(size_of::<FileSystem>() < 200);
    let root = Identity::root();
    let actor = Actor { who: &root, umask: 0, now: Duration::ZERO };
    let mut copies = copies.into_iter();
    let (mut one, two) = (copies.next().unwrap(), copies.next().unwrap());
    one.write(&actor, "/data/new", &b"x"[..]).unwrap();
    assert!(one.stat(&actor, "/data/new").is_ok());
    assert_eq!(two.stat(&actor, "/data/new"), Err(Errno::NoEntry));
}
