//! One call of a command: its words, its streams, and what it can ask for.

use crate::files::{Access, DeviceFile, FileKind};
use crate::machine::{ExitResult, Machine, Stop};
use crate::stream::{Input, Io, Output, OutputError};
use crate::{Actor, Errno, FileSystem, Identity, Pid};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

/// One call of a command.
#[derive(Clone)]
pub struct Call {
    /// Its words; the first is the name it was called by.
    pub args: Vec<String>,
    pub machine: Arc<dyn Machine>,
    pub env: BTreeMap<String, String>,
    pub cwd: String,
    pub identity: Identity,
    /// Bits a new file does not get.
    pub umask: u32,
    pub pid: Pid,
    /// The process that it takes the place of, as `exec` does, instead of getting one of its own.
    pub(crate) replaces: Option<Pid>,
    pub stdin: Input,
    pub stdout: Output,
    pub stderr: Output,
    /// What `/dev/tty` is for it: the stream its session began with.
    pub terminal: Io,
    /// How deep in shells and commands it is.
    pub(crate) depth: usize,
    /// All shells and calls that came of one run.
    pub(crate) family: Arc<Family>,
}

/// What all shells and calls of one run share; how many hold it is how many there are.
#[derive(Debug, Default)]
pub(crate) struct Family {
    /// Commands since the runtime last got its turn. Shared, because the stages of a
    /// pipeline are polled together: with a count each, deep ones would never rest.
    pub(crate) rounds: AtomicU32,
}

impl Call {
    /// The name the command was called by, without a directory.
    pub fn name(&self) -> &str {
        let name = self.args.first().map_or("", String::as_str);
        name.rsplit('/').next().unwrap_or(name)
    }

    /// Writes to standard output.
    pub async fn out(&mut self, bytes: impl AsRef<[u8]>) -> Result<(), OutputError> {
        self.stdout.write(Bytes::copy_from_slice(bytes.as_ref())).await
    }

    /// Writes to standard output, as the last thing the command does.
    pub async fn print(&mut self, bytes: impl AsRef<[u8]>) -> ExitResult {
        self.out(bytes).await?;
        Ok(0)
    }

    /// Writes to standard error; who does not listen misses it.
    pub async fn err(&mut self, bytes: impl AsRef<[u8]>) {
        // A complaint that is not read changes nothing for the command.
        let _ = self.stderr.write(Bytes::copy_from_slice(bytes.as_ref())).await;
    }

    /// Says `name: what` on standard error, and gives the exit code for it.
    pub async fn complain(&mut self, what: impl AsRef<str>) -> u8 {
        let line = format!("{}: {}\n", self.name(), what.as_ref());
        self.err(line).await;
        1
    }

    /// Says why the command ended early, if it did, and gives its exit code.
    pub(crate) async fn conclude(&mut self, ended: ExitResult) -> u8 {
        match ended {
            Ok(code) => code,
            Err(Stop::Complaint(what, code)) => {
                self.complain(what).await;
                code
            }
            Err(Stop::Output(broken)) => {
                if let OutputError::File(error) = broken {
                    self.complain(format!("write: {error}")).await;
                }
                broken.code()
            }
        }
    }

    /// The next bytes of standard input; none at its end.
    pub async fn read(&mut self) -> Option<Bytes> {
        self.stdin.read().await
    }

    /// The absolute path a word means. Not to be asked while the files are locked:
    /// what is made up for every reader is brought up to date.
    pub fn path(&self, word: &str) -> String {
        let path = join(&self.cwd, word);
        self.machine.refresh(&path, self.pid);
        path
    }

    /// Does something with the machine's files as this call's user.
    pub fn files<R>(&self, work: impl FnOnce(&mut FileSystem, &Actor<'_>) -> R) -> R {
        let actor = Actor { who: &self.identity, umask: self.umask, now: self.machine.now() };
        self.machine.kernel().files.with(|files| work(files, &actor))
    }

    /// Opens a file for reading; `-` is standard input.
    pub fn open(&self, word: &str) -> Result<Input, Errno> {
        match word {
            "-" => Ok(self.stdin.clone()),
            word => self.open_path(word),
        }
    }

    /// Opens a file for reading by its path alone.
    pub(crate) fn open_path(&self, word: &str) -> Result<Input, Errno> {
        if let "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" = word {
            return Ok(self.stdin.clone());
        }
        let path = self.path(word);
        self.files(|files, actor| {
            let stat = files.stat(actor, &path)?;
            files.access(actor, &path, Access::Read)?;
            match stat.kind {
                FileKind::Directory => Err(Errno::IsDirectory),
                FileKind::File | FileKind::Link => files.read(actor, &path).map(Input::bytes),
                FileKind::Device(DeviceFile::Null) => Ok(Input::empty()),
                FileKind::Device(DeviceFile::Zero | DeviceFile::Full) => Ok(Input::zero()),
                FileKind::Device(DeviceFile::Random) => Ok(Input::random()),
                FileKind::Device(DeviceFile::Terminal) => Ok(self.terminal.stdin.clone()),
            }
        })
    }

    /// Opens a file for writing, and creates it if need be.
    pub fn create(&self, word: &str, mode: Write) -> Result<Output, Errno> {
        match word {
            "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1" => return Ok(self.stdout.clone()),
            "/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2" => return Ok(self.stderr.clone()),
            _ => {}
        }
        let path = self.path(word);
        self.files(|files, actor| {
            match files.stat(actor, &path).map(|stat| stat.kind) {
                Ok(FileKind::Device(device)) => {
                    files.access(actor, &path, Access::Write)?;
                    return Ok(match device {
                        DeviceFile::Null | DeviceFile::Zero | DeviceFile::Random => Output::null(),
                        DeviceFile::Full => Output::full(),
                        DeviceFile::Terminal => self.terminal.stdout.clone(),
                    });
                }
                Ok(FileKind::Directory) => return Err(Errno::IsDirectory),
                Ok(FileKind::File | FileKind::Link) | Err(_) => {}
            }
            match mode {
                Write::Truncate => files.write(actor, &path, Bytes::new())?,
                Write::Append | Write::Keep => files.append(actor, &path, b"")?,
            }
            let path = files.canonical(actor, &path)?;
            let inode = files.lstat(actor, &path)?.inode;
            let offset = if mode == Write::Append { None } else { Some(0) };
            Ok(Output::file(self.machine.clone(), path, inode, offset))
        })
    }
}

/// How a file is opened for writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Write {
    Truncate,
    /// Every write goes to its end.
    Append,
    /// Writes go over what is there.
    Keep,
}

/// The absolute path a word means in a directory; dots are left for the file system.
pub(crate) fn join(cwd: &str, word: &str) -> String {
    if word.is_empty() {
        String::new()
    } else if word.starts_with('/') {
        word.to_owned()
    } else {
        format!("{}/{word}", cwd.trim_end_matches('/'))
    }
}
