//! The stage: Google's adbd, mksh and toybox of Debian's packages, in namespaces before a simulated
//! phone. The packages are unpacked under `target/genuine`; nothing is installed. docs/genuine.md.

use crate::check::{TESTS, cargo, works};
use crate::outcome::{Outcome, told};
use crate::pool::Pool;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::OnceLock;

/// The Debian whose packages these are, and where newer ones for it are.
const DEBIAN: &str = "bookworm";
const BACKPORTS: &str = "bookworm-backports";
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
/// What is unpacked: the programs, and libraries that a computer may lack.
const PACKAGES: [&str; 14] = [
    "adb/bookworm-backports",
    "adbd/bookworm-backports",
    "android-libbase/bookworm-backports",
    "android-libboringssl",
    "android-libcutils/bookworm-backports",
    "android-liblog/bookworm-backports",
    "android-libziparchive/bookworm-backports",
    "libbrotli1",
    "liblz4-1",
    "libprotobuf32",
    "libusb-1.0-0",
    "libzstd1",
    "mksh",
    "toybox",
];
/// Like the namespaces of a stage.
const NAMESPACES: [&str; 9] =
    ["--user", "--map-root-user", "--mount", "--net", "--pid", "--uts", "--ipc", "--fork", "true"];

/// The folder with the unpacked packages.
fn unpacked(root: &Path) -> PathBuf {
    root.join("target/genuine/deb")
}

/// The shell and the applets for tests that want them without a stage: variables, and the paths
/// where the programs are, if they are there.
pub(crate) fn programs(root: &Path) -> impl Iterator<Item = (&'static str, PathBuf)> + use<> {
    let deb = fs::canonicalize(unpacked(root)).unwrap_or_default();
    let named = [("CLAWPERATOR_MKSH", "bin/mksh"), ("CLAWPERATOR_TOYBOX", "bin/toybox")];
    let paths = named.into_iter().map(move |(name, path)| (name, deb.join(path)));
    paths.filter(|(_, path)| path.is_file())
}

/// Fetches the packages, once; others who ask wait for that.
fn there(root: &Path) -> &'static Result<(), String> {
    static THERE: OnceLock<Result<(), String>> = OnceLock::new();
    THERE.get_or_init(|| fetch(root))
}

/// Fetches the packages, which can go on beside a build.
pub(crate) fn prepare(root: &Path) {
    let _ = there(root);
}

/// Whether the packages are there already.
pub(crate) fn is_there(root: &Path) -> bool {
    fs::read_to_string(root.join(STAMP)).is_ok_and(|stamp| stamp == PACKAGES.join(" "))
}

const STAMP: &str = "target/genuine/unpacked";

/// Whether a stage can be opened here.
pub(crate) fn stage(root: &Path) -> Outcome {
    match there(root).clone().and_then(|()| allowed()) {
        Ok(()) => Outcome::Passed,
        Err(why) => Outcome::Skipped(why),
    }
}

fn allowed() -> Result<(), String> {
    let mut namespaces = Command::new("unshare");
    namespaces.args(NAMESPACES);
    let refused = "this system refuses user namespaces to us, as containers often do";
    if works(namespaces) { Ok(()) } else { Err(refused.to_owned()) }
}

/// Runs the tests on stages.
pub(crate) fn tests(root: &Path) -> Outcome {
    if let Outcome::Skipped(why) = stage(root) {
        return Outcome::Skipped(why);
    }
    // Some of them start the program.
    let program = told(&mut cargo(root, &[&TESTS[..], &["--no-run"]].concat()));
    if !matches!(program, Outcome::Passed) {
        return program;
    }
    let build = ["test", "--workspace", "--test", "genuine", "--locked"];
    let pool = Pool { build: &build, inside: &[], args: vec!["--nocapture"], at_once: 2 };
    pool.run(root)
}

fn fetch(root: &Path) -> Result<(), String> {
    if is_there(root) {
        return Ok(());
    }
    let source = source()?;
    let folder = root.join("target/genuine");
    let done = fetch_to(&folder, &source).map_err(|error| format!("{}: {error}", folder.display()))?;
    // The lists are ten times as large as the packages.
    let _ = fs::remove_dir_all(folder.join("apt"));
    if !done {
        return Err("the packages of Debian 12 and its backports cannot be fetched".to_owned());
    }
    fs::write(root.join(STAMP), PACKAGES.join(" ")).map_err(|error| error.to_string())
}

/// Where this computer has Debian's packages from.
fn source() -> Result<String, String> {
    // What it would ask for; nothing is asked.
    let known = Command::new("apt-get").args(["update", "--print-uris"]).output();
    let known =
        known.map_or_else(|_| String::new(), |known| String::from_utf8_lossy(&known.stdout).into_owned());
    let release = format!("/dists/{DEBIAN}/InRelease'");
    let found = known.lines().find_map(|line| line.strip_prefix('\'')?.split_once(&release));
    found.map(|(source, _)| source.to_owned()).ok_or_else(|| {
        "the packages are those of Debian 12, and apt-get knows no source of them here".to_owned()
    })
}

/// Downloads and unpacks, with a configuration of our own: this computer's stays as it is.
fn fetch_to(folder: &Path, source: &str) -> std::io::Result<bool> {
    let (apt, deb) = (folder.join("apt"), folder.join("deb"));
    for old in [&apt, &deb] {
        let _ = fs::remove_dir_all(old);
    }
    for new in ["lists/partial", "cache/archives/partial", "packages"] {
        fs::create_dir_all(apt.join(new))?;
    }
    let apt = fs::canonicalize(apt)?;
    let keys = if Path::new(KEYRING).is_file() { format!("Signed-By: {KEYRING}\n") } else { String::new() };
    let stanza =
        format!("Types: deb\nURIs: {source}\nSuites: {DEBIAN} {BACKPORTS}\nComponents: main\n{keys}");
    fs::write(apt.join("debian.sources"), stanza)?;
    let run = |words: &[&str]| {
        let mut command = Command::new("apt-get");
        command.current_dir(apt.join("packages")).arg("-qq");
        for (option, value) in [
            ("Dir::Etc::SourceList", apt.join("debian.sources")),
            ("Dir::Etc::SourceParts", "-".into()),
            ("Dir::State::Lists", apt.join("lists")),
            ("Dir::Cache", apt.join("cache")),
            ("Acquire::Languages", "none".into()),
            ("Acquire::Retries", "1".into()),
            ("Acquire::http::Timeout", "20".into()),
            ("APT::Sandbox::User", "".into()),
        ] {
            command.arg("-o").arg(format!("{option}={}", value.display()));
        }
        command.args(words).stdout(Stdio::null()).status().map(|status| status.success())
    };
    if !run(&["update"])? || !run(&[&["download"], &PACKAGES[..]].concat())? {
        return Ok(false);
    }
    for package in fs::read_dir(apt.join("packages"))? {
        if !Command::new("dpkg").arg("-x").arg(package?.path()).arg(&deb).status()?.success() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Starts a simulated phone and a stage before it, until Ctrl-C.
pub(crate) fn open(root: &Path) -> ExitCode {
    match opened(root) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("no stage: {why}");
            ExitCode::FAILURE
        }
    }
}

fn opened(root: &Path) -> Result<(), String> {
    there(root).clone().and_then(|()| allowed())?;
    // As the tests are built, so that nothing is built twice.
    let build = ["test", "--workspace", "--test", "genuine", "--locked", "--no-run"];
    if !cargo(root, &build).status().is_ok_and(|status| status.success()) {
        return Err("the programs cannot be built".to_owned());
    }
    let built = |name: &str| Command::new(root.join("target/debug").join(name));
    // What ends without a Ctrl-C leaves no phone for long.
    let mut phone = built("clawperator");
    let (mut phone, said) = started(phone.args(["sim", "start", "--foreground", "--idle", "30"]))?;
    let port = said.split("\"port\":").nth(1).and_then(|rest| rest.split(',').next());
    let port = port.ok_or_else(|| format!("the simulated phone said {said:?}"))?.to_owned();
    let mut stage = built("clawperator-stage");
    stage.arg(unpacked(root)).args([&format!("127.0.0.1:{port}"), "127.0.0.1:0"]).stdin(Stdio::piped());
    let opened = started(&mut stage).and_then(|(mut stage, address)| {
        println!("adb connect {address}\nThe simulated phone behind it: 127.0.0.1:{port}. Ctrl-C ends both.");
        // It ends with its input, which waiting would close.
        let input = stage.stdin.take();
        let ended = stage.wait().map(drop).map_err(|error| error.to_string());
        drop(input);
        ended
    });
    let _ = phone.kill();
    opened
}

/// Starts a program that says one line when it is ready.
fn started(command: &mut Command) -> Result<(Child, String), String> {
    let program = command.get_program().display().to_string();
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|error| format!("{program}: {error}"))?;
    let mut line = String::new();
    if let Some(out) = child.stdout.take() {
        BufReader::new(out).read_line(&mut line).map_err(|error| error.to_string())?;
    }
    let line = line.trim().to_owned();
    if line.is_empty() { Err(format!("{program} ended")) } else { Ok((child, line)) }
}
