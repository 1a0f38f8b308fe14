//! Nothing that runs on the phone reaches the host: not its shell, not its
//! files, not its network.

use clawperator_sim::{Handset, Setup, shell_user};
use clawperator_userland::{Machine, ShellResult, run};
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};

async fn on(handset: &Arc<Handset>, script: &str) -> ShellResult {
    run(Arc::clone(handset) as Arc<dyn Machine>, shell_user(), script, b"").await
}

#[tokio::test]
async fn no_command_reads_or_writes_the_host_s_files() {
    let folder = std::env::temp_dir().join(format!("clawperator-isolation-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let canary = folder.join("canary.txt");
    std::fs::write(&canary, "only the host knows this").unwrap();
    let (path, dir) = (canary.display(), folder.display());
    let handset = Handset::new(Setup::default());
    let programs = std::env::current_exe().unwrap();
    let scripts = [
        format!("cat {path}"),
        format!("ls -la {dir}"),
        format!("cp {path} /sdcard/x; cat /sdcard/x"),
        format!("ln -s {path} /sdcard/link; cat /sdcard/link"),
        format!("dd if={path}; head {path}; grep . {path}; md5sum {path}; od {path}; base64 {path}"),
        format!("while read line; do echo $line; done < {path}"),
        format!("pm install {path}; screencap {dir}/s.png; uiautomator dump {dir}/d.xml; logcat -d -f {dir}/log"),
        format!("echo x > {dir}/new; touch {dir}/new; mkdir -p {dir}/new; mv {path} /sdcard; rm -rf {dir}; tee {dir}/new </dev/null"),
        format!("$(cat {path}); . {path}; sh {path}; exec {}", programs.display()),
        "/bin/sh -c 'echo host'; /usr/bin/env; /usr/bin/id; bash -c id; python3 -c 'print(1)'; perl -e 'print 1'".to_owned(),
        "cat /etc/passwd /etc/hostname /proc/self/environ /proc/self/cmdline /proc/1/cmdline; ls /home /root /usr".to_owned(),
        "cd ../../../../..; cat etc/passwd; ls .".to_owned(),
        "run-as com.clawperator.form cat /etc/passwd; app_process / Main; am start -d file:///etc/passwd".to_owned(),
    ];
    for script in &scripts {
        let finished = on(&handset, script).await;
        let said = [finished.stdout, finished.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(!said.contains("only the host knows"), "{script}: {said}");
        assert!(!said.contains("root:x:") && !said.contains("PATH=/usr"), "{script}: {said}");
    }
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["canary.txt"]);
    assert_eq!(std::fs::read_to_string(&canary).unwrap(), "only the host knows this");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test]
async fn no_command_reaches_the_host_s_network() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let handset = Handset::new(Setup::default());
    for script in [
        format!("echo hi | nc 127.0.0.1 {port}"),
        format!("echo hi | toybox nc localhost {port}"),
        format!("echo hi > /dev/tcp/127.0.0.1/{port}"),
        format!(
            "curl http://127.0.0.1:{port}; wget http://127.0.0.1:{port}; ping -c 1 127.0.0.1; telnet 127.0.0.1 {port}"
        ),
        format!("am start -a android.intent.action.VIEW -d http://127.0.0.1:{port}/"),
    ] {
        on(&handset, &script).await;
    }
    // Connections are accepted in the order they were made.
    let ours = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let (_, first) = listener.accept().await.unwrap();
    assert_eq!(first, ours.local_addr().unwrap(), "another connection was made");
}
