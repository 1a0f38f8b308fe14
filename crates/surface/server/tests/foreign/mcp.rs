//! The program with MCP clients that we did not write: the official SDKs and
//! the inspector's command line, over pipes and over HTTP, on a phone in the box.
//! `cargo xtask test` builds the program before.

use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A folder with a program that has phones and files of its own there.
struct Bench(PathBuf);

impl Bench {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("clawperator-mcp-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        // Clients start it with an environment of their own.
        let (home, program) = (folder.display(), root().join("target/debug/clawperator"));
        let program = program.canonicalize().unwrap();
        let program = program.display();
        let script = format!(
            "#!/bin/sh\nexport HOME={home} CLAWPERATOR_SIM_DIR={home}/registry CLAWPERATOR_LOCK_DIR={home}/locks \
             CLAWPERATOR_HOME={home}/state ANDROID_ADB_SERVER_PORT=1 ADB_PATH=/nowhere/adb\nexec {program} \"$@\"\n"
        );
        let bench = Self(folder);
        std::fs::write(bench.program(), script).unwrap();
        std::fs::set_permissions(bench.program(), PermissionsExt::from_mode(0o755)).unwrap();
        bench
    }

    fn program(&self) -> PathBuf {
        self.0.join("clawperator")
    }

    /// Starts a server and waits until it listens.
    fn serve(&self) -> Server {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let mut command = Command::new(self.program());
        command.args(["serve", "--port", &port.to_string()]);
        let mut child = command.stderr(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let token = std::fs::read_to_string(self.0.join("state/token")).unwrap();
        Server { child, url: format!("http://127.0.0.1:{port}/mcp"), token: token.trim().to_owned() }
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = Command::new(self.program()).args(["sim", "stop", "--all"]).output();
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

struct Server {
    child: Child,
    url: String,
    token: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn installed() -> PathBuf {
    root().join("target/foreign").canonicalize().unwrap()
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign/mcp").join(name)
}

/// Runs a client to its end; returns what it said.
fn run(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{said}\n{complaints}", output.status);
    said
}

mod python {
    use super::*;

    fn script_of(bench: &Bench, mode: &str) -> Command {
        let mut command = Command::new("timeout");
        command.arg("120").arg(installed().join("venv/bin/python"));
        command.arg(script("mcp_client.py"));
        command.env("PROGRAM", bench.program()).env("MODE", mode);
        command.env("PYTHONDONTWRITEBYTECODE", "1").env_remove("PYTHONPATH");
        command
    }

    #[test]
    fn over_pipes() {
        for mode in ["auto", "legacy"] {
            let bench = Bench::new(&format!("python-{mode}"));
            run(&mut script_of(&bench, mode));
        }
    }

    #[test]
    fn over_http() {
        let bench = Bench::new("python-http");
        let server = bench.serve();
        // Without a session, and with one.
        for mode in ["auto", "legacy"] {
            let mut command = script_of(&bench, mode);
            run(command.env("MCP_URL", &server.url).env("TOKEN", &server.token));
        }
    }
}

mod node {
    use super::*;

    fn script_of(bench: &Bench) -> Command {
        // A script finds packages beside itself.
        let place = bench.0.join("script");
        std::fs::create_dir_all(&place).unwrap();
        let _ = std::os::unix::fs::symlink(installed().join("node_modules"), place.join("node_modules"));
        std::fs::copy(script("mcp_client.mjs"), place.join("mcp_client.mjs")).unwrap();
        let mut command = Command::new("timeout");
        command.args(["120", "node"]).arg(place.join("mcp_client.mjs"));
        command.env("PROGRAM", bench.program());
        command
    }

    /// The inspector's command line, with these arguments.
    fn inspector(bench: &Bench, target: &[&str], arguments: &[&str]) -> String {
        let mut command = Command::new("timeout");
        command.args(["120", "node"]);
        command.arg(installed().join("node_modules/.bin/mcp-inspector"));
        command.arg("--cli").args(target).args(arguments);
        run(command.env("HOME", &bench.0))
    }

    #[test]
    fn over_pipes() {
        let bench = Bench::new("node");
        run(&mut script_of(&bench));
    }

    #[test]
    fn over_http() {
        let bench = Bench::new("node-http");
        let server = bench.serve();
        let mut command = script_of(&bench);
        run(command.env("MCP_URL", &server.url).env("TOKEN", &server.token));
    }

    #[test]
    fn inspector_over_both() {
        let bench = Bench::new("inspector");
        // A phone that stays from one call to the next.
        let agent = bench.0.join("agent");
        let text = format!("#!/bin/sh\nexec {} mcp --device sim\n", bench.program().display());
        std::fs::write(&agent, text).unwrap();
        std::fs::set_permissions(&agent, PermissionsExt::from_mode(0o755)).unwrap();
        let agent = agent.display().to_string();
        let pipe = |arguments: &[&str]| inspector(&bench, &[&agent], arguments);
        assert!(pipe(&["--method", "tools/list"]).contains("\"observe\""));
        let call = ["--method", "tools/call", "--tool-name"];
        let opened = pipe(&[&call[..], &["open", "--tool-arg", "app=com.clawperator.conformance"]].concat());
        assert!(opened.contains("Increment"), "{opened}");
        let tap = r#"steps=[{"do":"tap","on":"Increment"}]"#;
        let tapped = pipe(&[&call[..], &["act", "--tool-arg", tap]].concat());
        assert!(tapped.contains("Counter: 1"), "{tapped}");
        let server = bench.serve();
        let token = format!("Authorization: Bearer {}", server.token);
        let listed = inspector(
            &bench,
            &[&server.url],
            &["--transport", "http", "--header", &token, "--method", "tools/list"],
        );
        assert!(listed.contains("\"observe\""), "{listed}");
    }
}
