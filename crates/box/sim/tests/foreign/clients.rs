//! Libraries and servers that drive phones, each with a script that says what
//! it sees.

use crate::bench::{Bench, Program, installed, text};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::process::Command;

/// How long a script may take; the slowest waits five seconds each time for
/// a program on the phone that never answers.
const PATIENCE: Duration = Duration::from_secs(180);

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign/clients")
}

/// Runs a script to its end; if it fails, what it saw is shown.
async fn run(bench: &Bench, command: Command) {
    let ended = bench.run(command, b"", PATIENCE).await;
    let (seen, complaints) = (text(&ended.stdout), text(&ended.stderr));
    assert!(ended.status.success(), "{}\n{seen}\n{complaints}", ended.status);
}

mod python {
    use super::*;

    async fn script(name: &str) {
        let bench = Bench::new(name, Program::Wheel).await;
        let mut command = Command::new(installed().join("venv/bin/python"));
        command.arg(scripts().join(name));
        // Our program, for those that use the phone together with it.
        command
            .env("CLAWPERATOR", installed().join("../debug/clawperator"))
            .env("CLAWPERATOR_HOME", bench.home.join("state"))
            .env("CLAWPERATOR_LOCK_DIR", bench.home.join("locks"));
        command.env("PYTHONDONTWRITEBYTECODE", "1").env_remove("PYTHONPATH");
        run(&bench, command).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn adbutils() {
        script("adbutils_client.py").await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn adb_enhanced() {
        script("adb_enhanced_client.py").await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn adb_shell() {
        script("adb_shell_client.py").await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn airtest() {
        script("airtest_client.py").await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn android_view_client() {
        script("view_client.py").await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn better_adb_sync() {
        script("better_adb_sync_client.py").await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn mobly() {
        script("mobly_client.py").await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn pure_python_adb() {
        script("ppadb_client.py").await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn uiautomator2() {
        script("uiautomator2_client.py").await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn uiautomator2_and_our_program_share_a_server() {
        script("uiautomator2_lane_client.py").await;
    }
}

mod node {
    use super::*;

    /// Node looks for packages beside the script, so both are brought together.
    async fn script(name: &str, environment: &[(&str, &str)]) {
        let bench = Bench::new(&format!("{name}{}", environment.len()), Program::Debian).await;
        let packages = installed().join("node_modules");
        std::os::unix::fs::symlink(packages, bench.home.join("node_modules")).unwrap();
        for file in [name, "steps.mjs"] {
            std::fs::copy(scripts().join(file), bench.home.join(file)).unwrap();
        }
        let mut command = Command::new("node");
        command.arg(bench.home.join(name));
        command.env("MOBILEMCP_DISABLE_TELEMETRY", "1").env("CI", "1");
        command.envs(environment.iter().copied());
        run(&bench, command).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn agent_device() {
        script("agent_device_client.mjs", &[]).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn appium_adb() {
        script("appium_adb_client.mjs", &[]).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn yume_chan_adb() {
        script("yume_client.mjs", &[]).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn devicefarmer_adbkit() {
        script("adbkit_client.mjs", &[]).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn mobile_mcp_over_mobilecli() {
        script("mobile_mcp_client.mjs", &[]).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn mobile_mcp_over_adb() {
        script("mobile_mcp_client.mjs", &[("MOBILEMCP_LEGACY_ROBOT", "1")]).await;
    }
}
