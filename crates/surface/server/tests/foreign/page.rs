//! The page in Debian's Chromium, driven by Playwright, checked by axe.

mod approve;
mod wall;

use crate::support::phones::{Phones, engine};
use crate::support::{Server, folder, server, server_with};
use clawperator_adb::DeviceEntry;
use clawperator_contract::Failure;
use clawperator_engine::Discovery;
use clawperator_phone::{Deadline, Phone};
use clawperator_server::{BoxedPhone, BoxedPhones};
use futures_core::future::BoxFuture;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::process::Command;
use tokio::sync::Mutex;

/// How long a script may take.
const LIMIT: Duration = Duration::from_secs(240);

/// One browser at a time: two would only take longer.
static TURN: Mutex<()> = Mutex::const_new(());
const TOKEN: &str = "a-token-for-the-tests-of-the-page";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

async fn script(name: &str, server: &Server) {
    script_with(name, server, &[]).await;
}

/// Runs a script against a server, in a folder of its own that keeps its
/// pictures, with these variables.
async fn script_with(name: &str, server: &Server, variables: &[(&str, &str)]) {
    let _turn = TURN.lock().await;
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
        .env("TOKEN", TOKEN)
        .env("PAGE", format!("http://127.0.0.1:{}/", server.port))
        .env("HOME", &home)
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let output = tokio::time::timeout(LIMIT, command.output()).await.unwrap().unwrap();
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn page_runs_an_execution_with_a_selector_that_was_picked() {
    let server = server("page-run").await;
    script("run", &server).await;
}

/// A phone in the box: the page shows it once it is started.
#[derive(Debug)]
struct InTheBox {
    phones: Arc<Phones>,
    is_started: AtomicBool,
}

impl Discovery for InTheBox {
    fn find<'d>(&'d self, name: &'d str) -> BoxFuture<'d, Result<String, Failure>> {
        self.phones.find(name)
    }

    fn connect<'d>(
        &'d self,
        wanted: Option<&'d str>,
        deadline: Deadline,
    ) -> BoxFuture<'d, Result<Phone, Failure>> {
        self.phones.connect(wanted, deadline)
    }

    fn list(&self, _: Deadline) -> BoxFuture<'_, Result<Vec<DeviceEntry>, Failure>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

impl BoxedPhones for InTheBox {
    fn list(&self) -> Result<Vec<BoxedPhone>, Failure> {
        let phone = BoxedPhone { name: "sim-1".to_owned(), serial: "phone-1".to_owned() };
        let is_started = self.is_started.load(Ordering::Relaxed);
        Ok(is_started.then_some(phone).into_iter().collect())
    }

    fn start(&self, _: Option<&str>) -> Result<BoxedPhone, Failure> {
        self.is_started.store(true, Ordering::Relaxed);
        Ok(BoxedPhones::list(self)?.remove(0))
    }

    fn stop(&self, _: &str) -> Result<(), Failure> {
        panic!("the page stops no phone")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn page_leads_from_the_link_to_a_phone_with_one_key() {
    let boxed = Arc::new(InTheBox {
        phones: Phones::new(["phone-1".to_owned()]),
        is_started: AtomicBool::new(false),
    });
    let server = server_with("page-start", |app| {
        app.engine = engine(&boxed, &folder("page-start-phones"), None);
        app.boxed = boxed;
        app.token = Some(TOKEN.to_owned());
    });
    script("start", &server.await).await;
}
