//! The doors of the simulated phone, and of the connections to a phone.

use clawperator_adb::{Connection, HostIdentity};
use clawperator_sim::{Handset, HostKeys, Setup, TimeKind, Welcome, app, serve_host, shell_user};
use clawperator_userland::run;
use std::sync::Arc;
use std::time::Duration;

/// The most a script may take: one that loops is not a fault.
const SCRIPT_TIME: Duration = Duration::from_millis(200);
/// The most that a conversation may take.
const TALK_TIME: Duration = Duration::from_millis(500);

fn block_on(work: impl Future<Output = ()>, most: Duration) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        // What takes longer is dropped, as by a host that hangs up.
        let _ = tokio::time::timeout(most, work).await;
    });
}

fn phone() -> Arc<Handset> {
    Handset::new(Setup { time: TimeKind::Virtual, ..Setup::default() })
}

/// Bytes that a device sends to a host.
pub(crate) fn adb_host(bytes: &[u8]) {
    let host = HostIdentity { banner: "host::features=shell_v2".to_owned(), key: None, name: String::new() };
    let input = std::io::Cursor::new(bytes.to_vec());
    block_on(
        async {
            let Ok(connection) = Connection::to_device(input, tokio::io::sink(), &host).await else {
                return;
            };
            if let Ok(mut stream) = connection.open("shell:").await {
                while let Ok(Some(_)) = stream.receive().await {}
            }
        },
        TALK_TIME,
    );
}

/// Bytes that a host sends to a device.
pub(crate) fn adb_device(bytes: &[u8]) {
    let welcome = Welcome { keys: HostKeys::NotAsked, ..Welcome::default() };
    let input = std::io::Cursor::new(bytes.to_vec());
    block_on(serve_host(phone(), input, tokio::io::sink(), Arc::new(welcome)), TALK_TIME);
}

/// An app file; an app that is accepted can be installed, opened and seen.
pub(crate) fn app_file(bytes: &[u8]) {
    let Ok(app) = app::parse(&String::from_utf8_lossy(bytes)) else {
        return;
    };
    let handset = phone();
    handset.with(|phone| {
        let package = app.package.clone();
        phone.install(Arc::new(app));
        let _ = phone.start(&clawperator_sim::phone::Intent::launch(&package));
        phone.advance(Duration::from_secs(2));
        let _ = phone.dump(clawperator_sim::phone::DumpViews::All);
    });
}

/// A script for the phone's shell.
pub(crate) fn shell(bytes: &[u8]) {
    script(&String::from_utf8_lossy(bytes), b"");
}

/// A script for the phone's `sed`, by a file; the text is fixed.
pub(crate) fn sed(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).replace('\'', "'\\''");
    script(&format!("sed -E '{text}'"), b"one two\nthree  four\n\nfive=5\n");
}

fn script(script: &str, stdin: &[u8]) {
    block_on(
        async {
            run(phone(), shell_user(), script, stdin).await;
        },
        SCRIPT_TIME,
    );
}
