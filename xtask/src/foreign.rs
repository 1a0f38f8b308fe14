//! The tests with clients that we did not write. They are installed where they
//! are missing and may be, and run in a network namespace that has loopback
//! only, so that none of them can reach out, and in a process namespace that
//! ends with the tests, so that nothing they start outlives them.

mod packages;

use crate::check::{TESTS, cargo, works};
use crate::outcome::{Outcome, told};
use crate::pool::Pool;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

/// A program and the Debian package that has it.
const PROGRAMS: [(&str, &str); 4] =
    [("adb", "adb"), ("ip", "iproute2"), ("nats-server", "nats-server"), ("unshare", "util-linux")];

/// The browser for the page.
const BROWSER: [(&str, &str); 1] = [("chromium", "chromium")];

/// A world of their own, with `/proc` for it.
const NAMESPACE: [&str; 5] = ["--net", "--pid", "--fork", "--kill-child", "--mount-proc"];

/// Clients that have to be installed, and the modules of the tests that need
/// them.
struct Clients {
    modules: &'static [&'static str],
    install: fn(&Path) -> Result<(), String>,
    /// Whether they are there, or why not, once it is known.
    there: OnceLock<Result<(), String>>,
}

/// From the Python package index; one of them brings a newer adb.
static PIP: Clients = Clients {
    modules: &["wheel_adb::", "python::"],
    install: |root| packages::PIP.install(root),
    there: OnceLock::new(),
};

/// From the Node package registry.
static NPM: Clients =
    Clients { modules: &["node::"], install: |root| packages::NPM.install(root), there: OnceLock::new() };

/// Debian's Chromium, with tools from the Node package registry.
static PAGE: Clients = Clients {
    modules: &["page::"],
    install: |root| NPM.there(root).clone().and_then(|()| install(&BROWSER)),
    there: OnceLock::new(),
};

impl Clients {
    /// Installs them, once; others who ask wait for that.
    fn there(&self, root: &Path) -> &Result<(), String> {
        self.there.get_or_init(|| (self.install)(root))
    }

    fn outcome(&self, root: &Path) -> Outcome {
        match self.there(root) {
            Ok(()) => Outcome::Passed,
            Err(why) => Outcome::Skipped(why.clone()),
        }
    }
}

/// Installs every client. Downloads wait for the network, so this can go on
/// beside a build.
pub(crate) fn install_all(root: &Path) {
    for clients in [&PIP, &NPM, &PAGE] {
        let _ = clients.there(root);
    }
}

/// Whether the clients of the Python package index are there.
pub(crate) fn pip(root: &Path) -> Outcome {
    PIP.outcome(root)
}

/// Whether the clients of the Node package registry are there.
pub(crate) fn npm(root: &Path) -> Outcome {
    NPM.outcome(root)
}

/// Whether the browser is there.
pub(crate) fn browser(root: &Path) -> Outcome {
    PAGE.outcome(root)
}

/// Runs the tests of all clients that are there; Debian's adb is the least.
pub(crate) fn tests(root: &Path) -> Outcome {
    if let Err(why) = install(&PROGRAMS) {
        return Outcome::Skipped(why);
    }
    let missing = [&PIP, &NPM, &PAGE].into_iter().filter(|clients| clients.there(root).is_err());
    let skipped = missing.flat_map(|clients| clients.modules).flat_map(|module| ["--skip", module]);
    // Built before, because a namespace without a network cannot fetch crates.
    // One package alone would need its dependencies with other features, and
    // so would build them all again.
    let build = ["test", "--workspace", "--test", "foreign", "--locked"];
    // Some clients start the program.
    let program = told(&mut cargo(root, &[&TESTS[..], &["--no-run"]].concat()));
    if !matches!(program, Outcome::Passed) {
        return program;
    }
    let mut namespace = Command::new("unshare");
    namespace.args(NAMESPACE).arg("true");
    if !works(namespace) {
        return Outcome::Skipped("a network namespace needs more rights than we have".to_owned());
    }
    let shell = ["sh", "-c", "ip link set lo up && exec \"$0\" \"$@\""];
    let pool = Pool {
        build: &build,
        inside: &[&["unshare"], &NAMESPACE[..], &shell].concat(),
        args: skipped.collect(),
        at_once: 4,
    };
    pool.run(root)
}

/// Installs what is missing; says why where it cannot.
fn install(programs: &[(&str, &'static str)]) -> Result<(), String> {
    let missing: Vec<_> =
        programs.iter().filter(|(program, _)| !exists(program)).map(|(_, package)| *package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    let by_hand = format!("missing: apt-get install {list}");
    if !exists("apt-get") || !is_root() {
        return Err(by_hand);
    }
    println!("installing {list}");
    let apt = |args: &[&str]| {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive").args(["-qq", "-y"]).args(args);
        command.status().is_ok_and(|status| status.success())
    };
    let installed = apt(&["update"]) && apt(&[&["install"], &missing[..]].concat());
    if installed { Ok(()) } else { Err(by_hand) }
}

fn exists(program: &str) -> bool {
    let mut command = Command::new("sh");
    command.args(["-c", "command -v \"$0\""]).arg(program);
    works(command)
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.starts_with(b"0\n"))
}
