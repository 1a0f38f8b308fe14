//! The tools of Android's SDK: where they are, and how one is run. It knows
//! neither HTTP nor phones.

mod avd;

pub(crate) use avd::Avd;

use clawperator_contract::{ErrorCode, Failure, text, words};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;
use tokio::time::timeout;

/// How much of a tool's last words is kept.
const MAX_WORDS: usize = 4 << 10;
/// The most folders of command-line tools that are looked at.
const MAX_VERSIONS: usize = 64;

words! {
    /// A tool of the SDK.
    pub(crate) Tool {
        Emulator = "emulator",
        AvdManager = "avdmanager",
        SdkManager = "sdkmanager",
    }
}

impl Tool {
    /// The variable that names its file.
    fn variable(self) -> &'static str {
        match self {
            Self::Emulator => "EMULATOR_PATH",
            Self::AvdManager => "AVDMANAGER_PATH",
            Self::SdkManager => "SDKMANAGER_PATH",
        }
    }

    fn file(self) -> String {
        match self {
            _ if !cfg!(windows) => self.word().to_owned(),
            Self::Emulator => "emulator.exe".to_owned(),
            Self::AvdManager | Self::SdkManager => format!("{}.bat", self.word()),
        }
    }

    /// The folders of an SDK in which it may be, the newest first.
    fn folders(self, root: &Path) -> Vec<PathBuf> {
        if self == Self::Emulator {
            return vec![root.join("emulator")];
        }
        let versions = std::fs::read_dir(root.join("cmdline-tools"));
        let versions = versions.into_iter().flatten().flatten().take(MAX_VERSIONS);
        let mut folders: Vec<_> = versions.map(|version| version.path().join("bin")).collect();
        // `latest` stands behind the numbers.
        folders.sort_unstable_by(|one, other| other.cmp(one));
        folders.push(root.join("tools/bin"));
        folders
    }
}

/// Where Android's SDK and its virtual devices may be. It is looked at when it is
/// needed, so what is installed later is found.
#[derive(Clone, Debug, Default)]
pub struct Sdk {
    roots: Vec<PathBuf>,
    programs: Vec<PathBuf>,
    named: Vec<(Tool, PathBuf)>,
    adb: PathBuf,
    /// Where virtual devices are described.
    avds: PathBuf,
}

impl Sdk {
    /// What the environment says. `home` is the user's folder.
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>, home: &Path, adb: PathBuf) -> Self {
        let path = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let roots = ["ANDROID_HOME", "ANDROID_SDK_ROOT"];
        let named = Tool::ALL.iter().filter_map(|tool| Some((*tool, path(tool.variable())?)));
        let below = |name: &str| Some(path(name)?.join("avd"));
        Self {
            roots: roots.into_iter().filter_map(path).collect(),
            programs: variable("PATH").map_or_else(Vec::new, |list| std::env::split_paths(&list).collect()),
            named: named.collect(),
            adb,
            avds: path("ANDROID_AVD_HOME")
                .or_else(|| below("ANDROID_USER_HOME"))
                .or_else(|| below("ANDROID_EMULATOR_HOME"))
                .unwrap_or_else(|| home.join(".android/avd")),
        }
    }

    pub(crate) fn tool(&self, tool: Tool) -> Result<PathBuf, Failure> {
        let named = self.named.iter().find(|(named, _)| *named == tool);
        let in_sdk = self.roots.iter().flat_map(|root| tool.folders(root));
        let anywhere = in_sdk.chain(self.programs.iter().cloned());
        let mut files = match named {
            Some((_, file)) => vec![file.clone()],
            None => anywhere.map(|folder| folder.join(tool.file())).collect(),
        };
        files.retain(|file| file.is_absolute() && file.is_file());
        files.into_iter().next().ok_or_else(|| {
            let (name, variable) = (tool.word(), tool.variable());
            let places = format!("{variable}, ANDROID_HOME, ANDROID_SDK_ROOT and PATH do not lead to it");
            Failure::of(ErrorCode::AndroidSdkToolMissing, format!("{name} is not there: {places}"))
        })
    }

    /// Whether virtual devices can be made and started.
    pub(crate) fn is_there(&self) -> bool {
        [Tool::Emulator, Tool::AvdManager].iter().all(|tool| self.tool(*tool).is_ok())
    }

    /// Whether a package is installed, such as `system-images;android-35;google_apis;x86_64`.
    pub(crate) fn has(&self, package: &str) -> bool {
        let path: PathBuf = package.split(';').collect();
        self.roots.iter().any(|root| root.join(&path).join("package.xml").is_file())
    }

    /// Every virtual device, by name.
    pub(crate) fn avds(&self) -> Vec<Avd> {
        avd::read_all(&self.avds)
    }

    pub(crate) fn adb(&self) -> &Path {
        &self.adb
    }
}

/// A tool that ran and did not succeed.
#[derive(Debug)]
pub(crate) struct Complaint(String);

impl Complaint {
    pub(crate) fn of(self, code: ErrorCode) -> Failure {
        Failure::of(code, self.0)
    }
}

/// Runs a tool to its end, and kills it if that takes too long. It reads nothing:
/// a question, such as one about a licence, gets no answer.
pub(crate) async fn run(program: &Path, arguments: &[&str], limit: Duration) -> Result<(), Complaint> {
    let name = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let mut child =
        command.spawn().map_err(|error| Complaint(format!("{name} cannot be started: {error}")))?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let running = async { tokio::join!(last_words(out), last_words(err), child.wait()) };
    let Ok((out, err, ended)) = timeout(limit, running).await else {
        let seconds = limit.as_secs();
        return Err(Complaint(format!("{name} did not end within {seconds} s, so it was killed")));
    };
    if ended.as_ref().is_ok_and(ExitStatus::success) {
        return Ok(());
    }
    let words = if text::is_blank(&err) { out } else { err };
    Err(Complaint(format!("{name} failed: {}", last_line(&words))))
}

/// The end of what a tool prints. All of it is read, or the tool would wait.
async fn last_words(pipe: Option<impl AsyncRead + Unpin>) -> String {
    let Some(mut pipe) = pipe else {
        return String::new();
    };
    let (mut words, mut chunk) = (Vec::new(), vec![0; MAX_WORDS]);
    // An output that cannot be read has ended.
    while let Ok(read @ 1..) = pipe.read(&mut chunk).await {
        words.extend_from_slice(&chunk[..read]);
        words.drain(..words.len().saturating_sub(MAX_WORDS));
    }
    String::from_utf8_lossy(&words).into_owned()
}

/// The last line of a text that is not blank, short enough for a message.
pub(crate) fn last_line(words: &str) -> String {
    let line = words.lines().rev().find(|line| !text::is_blank(line));
    line.map_or_else(|| "it said nothing".to_owned(), |line| text::excerpt(line.trim()).to_string())
}
