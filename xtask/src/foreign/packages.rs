//! Clients from package registries, pinned, under `target/foreign`: installed
//! once, and again when what is wanted changes.

use crate::check::works;
use crate::outcome::{Outcome, outcome};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Where the scripts and the lists of versions are.
const CLIENTS: &str = "crates/box/sim/tests/foreign/clients";
/// Where clients are installed.
const INSTALLED: &str = "target/foreign";

/// Clients from one registry.
pub(super) struct Packages {
    /// The files that say which, and which versions.
    pins: &'static [&'static str],
    /// What has to be there first, and what to do if it is not.
    needs: (&'static [&'static str], &'static str),
    /// The folder they are installed to.
    folder: &'static str,
    /// The programs that install them, run in [`INSTALLED`].
    steps: &'static [&'static [&'static str]],
}

/// From the Python package index.
pub(super) const PIP: Packages = Packages {
    pins: &["requirements.txt"],
    needs: (&["python3", "-c", "import ensurepip, venv"], "missing: apt-get install python3-venv"),
    folder: "venv",
    steps: &[
        &["python3", "-m", "venv", "--clear", "venv"],
        &[
            "venv/bin/pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--only-binary=:all:",
            // They come as source only.
            "--no-binary=adb-shell,airtest,docopt,ffmpeg-python,future,pure-python-adb",
            "--no-deps",
            "--retries=1",
            "--requirement=requirements.txt",
        ],
    ],
};

/// From the Node package registry. Their install scripts are not run.
pub(super) const NPM: Packages = Packages {
    pins: &["package.json", "package-lock.json"],
    needs: (
        &["node", "-e", "process.exit(Number(parseInt(process.versions.node) < 20))"],
        "missing: Node.js 20 or newer, with npm",
    ),
    folder: "node_modules",
    steps: &[&[
        "npm",
        "install",
        "--ignore-scripts",
        "--omit=optional",
        "--no-audit",
        "--no-fund",
        "--fetch-retries=1",
        "--loglevel=error",
    ]],
};

impl Packages {
    /// Installs them, unless they are there; says why where it cannot.
    pub(super) fn install(&self, root: &Path) -> Result<(), String> {
        let into = root.join(INSTALLED);
        let stamp = into.join(format!("{}.installed", self.folder));
        let wanted = self.wanted(root)?;
        if into.join(self.folder).is_dir() && fs::read(&stamp).is_ok_and(|there| there == wanted) {
            return Ok(());
        }
        let (program, hint) = self.needs;
        if !works(command(root, program)) {
            return Err(hint.to_owned());
        }
        self.run_steps(root, &into)?;
        fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))
    }

    /// What the files say, one after the other.
    fn wanted(&self, root: &Path) -> Result<Vec<u8>, String> {
        let mut wanted = Vec::new();
        for pin in self.pins {
            let path = root.join(CLIENTS).join(pin);
            wanted.extend(fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?);
        }
        Ok(wanted)
    }

    fn run_steps(&self, root: &Path, into: &Path) -> Result<(), String> {
        fs::create_dir_all(into).map_err(|error| format!("{}: {error}", into.display()))?;
        for pin in self.pins {
            let from = root.join(CLIENTS).join(pin);
            fs::copy(&from, into.join(pin)).map_err(|error| format!("{}: {error}", from.display()))?;
        }
        for step in self.steps {
            println!("installing: {}", step.join(" "));
            if !matches!(outcome(&mut command(into, step)), Outcome::Passed) {
                return Err(format!("could not be installed; by hand: cd {INSTALLED} && {}", step.join(" ")));
            }
        }
        Ok(())
    }
}

fn command(folder: &Path, words: &[&str]) -> Command {
    let (program, args) = words.split_first().unwrap_or((&"false", &[]));
    // A path is meant from that folder, which not every system does by itself.
    let mut command =
        if program.contains('/') { Command::new(folder.join(program)) } else { Command::new(program) };
    command.current_dir(folder).args(args);
    command
}
