//! Nothing here reaches the host.

use crate::world::{finish, user};
use std::process::Command;

#[tokio::test(start_paused = true)]
async fn no_script_sees_or_changes_the_host() {
    let marker = format!("/tmp/userland-{}", std::process::id());
    for script in [
        "cat /etc/hostname",
        "cat /etc/passwd",
        "cat /proc/self/status",
        "ls /proc/self/fd",
        "/bin/bash -c 'echo host'",
        "/usr/bin/env echo host",
        "/usr/bin/touch MARK",
        "echo x > MARK",
        "mkdir MARK",
        "sh -c 'echo x >MARK'",
        "cp /system/etc/hosts MARK",
        "cd /tmp && touch MARK",
        "nc 127.0.0.1 22",
        "cat ../../../../../../etc/hostname",
        ". /etc/profile",
        "cat < /dev/tcp/127.0.0.1/22",
        "ln -s /etc/hostname /data/local/tmp/l; cat /data/local/tmp/l",
        "python3 -c 'print(1)'",
        "dd if=/dev/zero of=MARK count=1",
    ] {
        let done = finish(&script.replace("MARK", &marker), b"").await;
        assert_ne!(done.code, 0, "{script}");
        assert_eq!(String::from_utf8_lossy(&done.stdout), "", "{script}");
        assert!(!std::path::Path::new(&marker).exists(), "{script}");
    }
    let environment = finish("env; echo $$; pwd; id -u; uname -n", b"").await;
    let text = String::from_utf8_lossy(&environment.stdout).into_owned();
    assert!(!text.contains("CARGO") && !text.contains(&format!("\n{}\n", std::process::id())), "{text}");
    assert!(text.contains(&format!("\n{}\n", user().uid)), "{text}");
    assert_eq!(
        finish("/bin/ls /", b"").await.stdout,
        b"data\ndev\nproc\nsdcard\nsystem\n",
        "ours, not the host's"
    );
}

/// Runs a script in the host's shell, if there is one.
#[expect(clippy::disallowed_types, reason = "the host's shell is what ours is compared with")]
pub(crate) fn host_shell(script: &str) -> Option<(Vec<u8>, i32)> {
    let output = Command::new("/bin/sh").arg("-c").arg(script).env_clear().output().ok()?;
    Some((output.stdout, output.status.code()?))
}
