//! The page in Debian's Chromium, driven by Playwright, checked by axe.

use crate::support::{Server, folder, server};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

/// How long a script may take.
const LIMIT: Duration = Duration::from_secs(240);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs a script against a server, in a folder of its own that keeps its
/// pictures.
async fn script(name: &str, server: &Server) {
    let home = folder(&format!("browser-{name}"));
    std::fs::create_dir_all(&home).unwrap();
    let packages = root().join("target/foreign/node_modules");
    std::os::unix::fs::symlink(packages.canonicalize().unwrap(), home.join("node_modules")).unwrap();
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign/page");
    for file in [&format!("{name}.mjs"), "browser.mjs"] {
        std::fs::copy(scripts.join(file), home.join(file)).unwrap();
    }
    let mut command = Command::new("node");
    command
        .current_dir(&home)
        .arg(format!("{name}.mjs"))
        .env("PAGE", format!("http://127.0.0.1:{}/", server.port))
        .env("HOME", &home)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let output = tokio::time::timeout(LIMIT, command.output())
        .await
        .unwrap()
        .unwrap();
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    println!("{said}");
    assert!(output.status.success(), "{name}: {said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn page_shows_a_phone_that_can_be_touched() {
    let server = server("page-touch").await;
    script("touch", &server).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn page_records_a_skill() {
    let server = server("page-record").await;
    script("record", &server).await;
}
