//! Ways out, each tried without the sandbox and inside.

use super::*;
use std::io::Read as _;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};

/// An attack works outside and fails inside.
async fn contained(place: &Place, script: &str, more: &[(&str, String)]) {
    let free = place.free(script, more);
    assert!(free.is_success(), "the attack does not work at all: {free:?}");
    let inside = place.confined(script, more).await;
    assert!(!inside.is_success(), "{script}: {inside:?}");
    assert!(!inside.text.contains("hunter2"), "{inside:?}");
    assert_eq!(fs::read_to_string(place.outside().join("secret")).unwrap(), "hunter2");
}

#[tokio::test]
async fn a_file_outside_is_not_read() {
    let place = Place::new();
    let own = [("PID", std::process::id().to_string())];
    for script in [
        r#"cat "$O/secret""#,
        r#"cat "$W/../outside/secret""#,
        r#"ls "$O/secret""#,
        r#"stat "$O""#,
        r#"cd "$O""#,
        r#"ln -sfn "$O/secret" "$W/link" && cat "$W/link""#,
        r#"ln -sfn "$O" "$W/folder" && cat "$W/folder/secret""#,
        r#"ln -f "$O/secret" "$W/hard" && cat "$W/hard""#,
        r#"ln -sfn "/proc/$PID/root" "$W/root" && ls "$W/root/$O/secret""#,
        r#"exec 9<"$O/secret" && cat <&9"#,
    ] {
        contained(&place, script, &own).await;
    }
}

#[tokio::test]
async fn a_file_outside_is_not_written() {
    for script in [
        r#"echo x > "$O/new""#,
        r#"mkdir -p "$O/folder""#,
        r#"echo hunter2 | tr -d '\n' > "$O/secret""#,
        r#"chmod 644 "$O/secret""#,
        r#"touch "$O/secret""#,
        r#"echo y > "$O/other" && mv "$O/other" "$W/stolen""#,
        r#"echo z > "$O/third" && rm "$O/third""#,
        r#"echo hunter2 > "$W/mine" && cp "$W/mine" "$O/copy""#,
    ] {
        let place = Place::new();
        let before = outside(&place);
        // Below /tmp it may write one of its own, so its exit code says nothing.
        place.confined(script, &[]).await;
        assert_eq!(outside(&place), before, "{script}");
        assert!(!place.work().join("stolen").exists(), "{script}");
        let free = place.free(script, &[]);
        assert!(free.is_success(), "the attack does not work at all: {free:?}");
        assert_ne!(
            (outside(&place), place.work().join("stolen").exists()),
            (before, false),
            "{script} does nothing"
        );
    }
}

/// All that is outside: names, what they hold, rights, and when they were changed.
fn outside(place: &Place) -> Vec<(PathBuf, Option<String>, u32, i64)> {
    use std::os::unix::fs::MetadataExt as _;
    let entries = fs::read_dir(place.outside()).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path()).chain([place.outside()]);
    let mut all: Vec<_> = paths
        .map(|path| {
            let about = fs::metadata(&path).unwrap();
            (fs::read_to_string(&path).ok(), about.mode(), about.ctime_nsec(), path)
        })
        .map(|(text, mode, changed, path)| (path, text, mode, changed))
        .collect();
    all.sort();
    all
}

#[tokio::test]
async fn a_folder_to_read_is_not_written() {
    let place = Place::new();
    let script = r#"cat "$O/secret" && echo x > "$O/new""#;
    assert!(place.free(script, &[]).is_success());
    fs::remove_file(place.outside().join("new")).unwrap();
    let mut plan = place.plan(script, &[]);
    plan.read.push(place.outside());
    let inside = run(&plan, Job::within(Duration::from_secs(20))).await;
    assert!(!inside.is_success() && inside.text.contains("hunter2"), "{inside:?}");
    assert!(!place.outside().join("new").exists());
}

#[tokio::test]
async fn a_link_that_is_swapped_all_the_time_never_leads_out() {
    let place = Place::new();
    fs::write(place.work().join("mine"), "mine").unwrap();
    let script = r#"
        (while :; do ln -sfn "$W/mine" "$W/link"; ln -sfn "$O/secret" "$W/link"; done) &
        for i in $(seq 300); do cat "$W/link" 2>/dev/null; done | sort -u | grep -q hunter2
        found=$?; kill %1; exit $found"#;
    contained(&place, script, &[]).await;
}

#[tokio::test]
async fn the_network_is_not_reached() {
    let place = Place::new();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_nonblocking(true).unwrap();
    let more = [
        ("TCP", tcp.local_addr().unwrap().port().to_string()),
        ("UDP", udp.local_addr().unwrap().port().to_string()),
    ];
    contained(&place, "exec 3<>/dev/tcp/127.0.0.1/$TCP", &more).await;
    contained(&place, "echo hello > /dev/udp/127.0.0.1/$UDP", &more).await;
    let mut bytes = [0; 16];
    assert_eq!(udp.recv(&mut bytes).unwrap(), 6, "the one from without the sandbox");
    assert!(udp.recv(&mut bytes).is_err());
}

#[tokio::test]
async fn sockets_of_this_computer_are_not_reached() {
    let place = Place::new();
    let name = format!("clawperator-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _abstract = UnixListener::bind_addr(&address).unwrap();
    // A path of a socket is at most 108 bytes long.
    let path = std::env::temp_dir().join(format!("clawperator-{}.socket", std::process::id()));
    let _at_path = UnixListener::bind(&path).unwrap();
    let more = [("NAME", name), ("AT", path.display().to_string())];
    let connect = |to: &str| {
        format!(
            "perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) or exit 2; connect(S, pack_sockaddr_un({to})) or exit 3'"
        )
    };
    contained(&place, &connect(r#""\0$ENV{NAME}""#), &more).await;
    contained(&place, &connect("$ENV{AT}"), &more).await;
    fs::remove_file(path).unwrap();
}

#[tokio::test]
async fn only_the_given_ports_are_reached() {
    let place = Place::new();
    let (given, other) =
        (TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = given.local_addr().unwrap().port();
    let more = [
        ("GIVEN", port.to_string()),
        ("OTHER", other.local_addr().unwrap().port().to_string()),
        ("UDP", udp.local_addr().unwrap().port().to_string()),
    ];
    let tries = [
        ("echo hello > /dev/tcp/127.0.0.1/$GIVEN", true),
        ("echo hello > /dev/tcp/127.0.0.1/$OTHER", false),
        ("echo hello > /dev/udp/127.0.0.1/$UDP", false),
        // Other protocols that TCP's rules do not hold for.
        (r#"perl -MSocket -e 'socket(S, AF_INET, SOCK_STREAM, 262) or exit 2'"#, false),
        (r#"perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) or exit 2'"#, false),
        (r#"perl -MSocket -e 'socket(S, AF_INET, SOCK_STREAM, 0); listen(S, 1) or exit 2'"#, false),
    ];
    for (script, works) in tries {
        assert!(place.free(script, &more).is_success(), "{script}");
        let mut plan = place.plan(script, &more);
        plan.network = Network::TcpPorts(vec![port]);
        let inside = run(&plan, Job::within(Duration::from_secs(20))).await;
        assert_eq!(inside.is_success(), works, "{script}: {inside:?}");
    }
    let mut text = String::new();
    for _ in 0..2 {
        given.accept().unwrap().0.read_to_string(&mut text).unwrap();
    }
    assert_eq!(text, "hello\nhello\n");
}

#[tokio::test]
async fn variables_of_the_caller_are_not_seen() {
    let place = Place::new();
    // Cargo gives this to every test.
    let script = "cat /proc/*/environ /proc/$PPID/environ | tr '\\0' '\\n' | grep CARGO_MANIFEST_DIR";
    contained(&place, script, &[]).await;
    contained(&place, "env | grep CARGO_MANIFEST_DIR", &[]).await;
    let inside = place.confined("env | cut -d= -f1 | sort | tr '\\n' ' '", &[]).await;
    assert_eq!(inside.text, "O PATH PWD SHLVL W _ ");
}

#[tokio::test]
async fn other_processes_are_not_seen() {
    let place = Place::new();
    let own = [("PID", std::process::id().to_string())];
    contained(&place, "cat /proc/$PID/cmdline", &own).await;
    contained(&place, "ls /proc/$PID/root/", &own).await;
    contained(&place, "test -d /proc/$PID", &own).await;
    let inside = place.confined("ls /proc | grep -c '^[0-9]'", &[]).await;
    assert!(inside.text.trim().parse::<u32>().unwrap() < 8, "{inside:?}");
    // Nor is the process that stands in front of the program.
    for script in ["cat /proc/1/mem", "cat /proc/1/environ", "ls /proc/1/root/", "ls -l /proc/1/fd/0"] {
        assert!(!place.confined(script, &[]).await.is_success(), "{script}");
    }
}

#[tokio::test]
async fn other_processes_get_no_signals() {
    let place = Place::new();
    let own = [("PID", std::process::id().to_string())];
    contained(&place, "kill -0 $PID", &own).await;
    // Nor does the process in front of the program, nor all.
    let inside =
        place.confined("kill -9 1; for i in {1..300}; do kill -TERM 1; done; echo alive", &own).await;
    assert!(inside.text.contains("alive") && inside.is_success(), "{inside:?}");
    let inside = place.confined("kill -9 -1; kill -9 $PPID; echo alive", &own).await;
    assert!(inside.text.contains("alive"), "{inside:?}");
}

#[tokio::test]
async fn processes_are_not_traced() {
    let place = Place::new();
    #[cfg(target_arch = "x86_64")]
    let (ptrace, read, unshare) = (101, 310, 272);
    #[cfg(target_arch = "aarch64")]
    let (ptrace, read, unshare) = (117, 270, 97);
    let victim = "sleep 20 & victim=$!;";
    let done = "kill -9 $victim; exit $done";
    let attach = format!(
        "{victim} perl -e 'exit(syscall({ptrace}, 0x4206, 0 + $ARGV[0], 0, 0) == -1)' $victim; done=$?; {done}"
    );
    contained(&place, &attach, &[]).await;
    // A read of nothing is allowed where a read of something would be.
    let read = format!(
        "{victim} perl -e 'exit(syscall({read}, 0 + $ARGV[0], 0, 0, 0, 0, 0) == -1)' $victim; done=$?; {done}"
    );
    contained(&place, &read, &[]).await;
    contained(&place, &format!("perl -e 'exit(syscall({unshare}, 0x10000000) == -1)'"), &[]).await;
    contained(&place, "unshare --user --map-root-user true", &[]).await;
}

#[tokio::test]
async fn the_special_rights_of_root_are_gone() {
    let place = Place::new();
    let inside = place
        .confined("grep -E 'CapEff|CapPrm|CapBnd|NoNewPrivs|Seccomp:' /proc/self/status; true", &[])
        .await;
    let values: Vec<&str> = inside.text.split_whitespace().collect();
    let none = "0000000000000000";
    let expected = ["CapPrm:", none, "CapEff:", none, "CapBnd:", none, "NoNewPrivs:", "1", "Seccomp:", "2"];
    assert_eq!(values, expected);
    for script in [
        "mount -t tmpfs x /tmp",
        "chroot / true",
        "hostname other",
        "mknod $W/d b 8 0",
        "echo 9999 > /proc/sys/kernel/pid_max",
    ] {
        assert!(!place.confined(script, &[]).await.is_success(), "{script}");
    }
}

#[tokio::test]
async fn its_own_files_are_its_own() {
    let place = Place::new();
    let script = r#"
        set -e
        echo hello > "$W/file"; mkdir "$W/folder"; mv "$W/file" "$W/folder/"; cat "$W/folder/file"
        printf '#!/bin/sh\necho ran\n' > "$W/tool"; chmod +x "$W/tool"; "$W/tool"
        echo scratch > /tmp/x; cat /tmp/x; cat <(echo substituted); echo gone > /dev/null"#;
    let inside = place.confined(script, &[]).await;
    assert_eq!(inside.text, "hello\nran\nscratch\nsubstituted\n", "{inside:?}");
    assert_eq!(fs::read_to_string(place.work().join("folder/file")).unwrap(), "hello\n");
}

#[tokio::test]
async fn no_file_runs_with_the_rights_of_its_owner_and_devices_stay_as_they_are() {
    let place = Place::new();
    let perl = |code: &str| format!("perl -e 'exit(({code}) ? 0 : 1)'");
    for line in [
        "cp /bin/true own; chmod 4755 own",
        "cp /bin/true own; chmod g+s own",
        "install -m 6755 /bin/true own",
        &perl("open(F, \">own\") && chmod(04711, *F)"),
        &perl("sysopen(F, \"made$$\", 65, 04755)"),
    ] {
        contained(&place, line, &[]).await;
    }
    let usual = "! chmod 666 /dev/full && ! touch /dev/zero && echo x > /dev/null && chmod 755 . && echo y > f && chmod 700 f && cat f";
    let inside = place.confined(usual, &[]).await;
    assert!(inside.text.contains('y') && inside.is_success(), "{inside:?}");
}
