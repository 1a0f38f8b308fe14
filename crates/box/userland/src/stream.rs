//! Where a command's bytes come from and go to: pipes, files, or nowhere.

use crate::machine::Machine;
use crate::{Actor, Errno, Identity, limits};
use bytes::Bytes;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;

/// Why a command's output went nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputError {
    /// The reader of the pipe is gone.
    Reader,
    /// The file took no more.
    File(Errno),
}

impl OutputError {
    /// The exit code of a command that this ends.
    pub fn code(self) -> u8 {
        match self {
            Self::Reader => 141,
            Self::File(_) => 1,
        }
    }
}

/// Where bytes come from. Clones read on from the same place.
#[derive(Debug, Clone)]
pub struct Input(Arc<tokio::sync::Mutex<InputSource>>);

#[derive(Debug)]
enum InputSource {
    Bytes(Bytes),
    Channel { receiver: mpsc::Receiver<Bytes>, pending: Bytes },
    Zero,
    Random { state: u64, left: u64 },
    Closed,
}

impl Input {
    fn new(source: InputSource) -> Self {
        Self(Arc::new(tokio::sync::Mutex::new(source)))
    }

    /// Nothing to read.
    pub fn empty() -> Self {
        Self::bytes(Bytes::new())
    }

    /// These bytes and no more.
    pub fn bytes(bytes: impl Into<Bytes>) -> Self {
        Self::new(InputSource::Bytes(bytes.into()))
    }

    /// What comes through this channel, until its senders are gone.
    pub fn channel(receiver: mpsc::Receiver<Bytes>) -> Self {
        Self::new(InputSource::Channel { receiver, pending: Bytes::new() })
    }

    pub(crate) fn zero() -> Self {
        Self::new(InputSource::Zero)
    }

    pub(crate) fn random() -> Self {
        Self::new(InputSource::Random { state: 0x9e37_79b9_7f4a_7c15, left: limits::MAX_RANDOM })
    }

    pub(crate) fn closed() -> Self {
        Self::new(InputSource::Closed)
    }

    /// The next bytes, at most a chunk; none at the end.
    pub async fn read(&self) -> Option<Bytes> {
        self.0.lock().await.next().await
    }

    /// The next line with its end, or what there is at the end of the input.
    pub async fn read_line(&self) -> Option<Bytes> {
        self.read_until(b'\n').await
    }

    /// The same with another byte at the end of a line.
    pub(crate) async fn read_until(&self, end_of_line: u8) -> Option<Bytes> {
        let mut source = self.0.lock().await;
        let mut line = Vec::new();
        while let Some(mut piece) = source.next().await {
            let end = piece.iter().position(|byte| *byte == end_of_line).map_or(piece.len(), |at| at + 1);
            let head = piece.split_to(end.min(limits::MAX_LINE - line.len()));
            source.put_back(piece);
            if line.is_empty() && head.ends_with(&[end_of_line]) {
                return Some(head);
            }
            line.extend_from_slice(&head);
            if line.ends_with(&[end_of_line]) || line.len() >= limits::MAX_LINE {
                break;
            }
        }
        if line.is_empty() { None } else { Some(line.into()) }
    }

    /// Everything that is left, up to the bound for commands that hold their input.
    pub async fn read_all(&self) -> Vec<u8> {
        let mut all = Vec::new();
        while let Some(piece) = self.read().await {
            let room = limits::MAX_HELD - all.len();
            all.extend_from_slice(&piece[..piece.len().min(room)]);
            if all.len() >= limits::MAX_HELD {
                break;
            }
        }
        all
    }

    /// Drops what a program has read ahead when it ends early: its buffer is gone with it.
    pub(crate) async fn spill(&self) {
        match &mut *self.0.lock().await {
            InputSource::Bytes(bytes) => drop(bytes.split_to(bytes.len().min(limits::BUFFER))),
            InputSource::Channel { pending, .. } => pending.clear(),
            InputSource::Zero | InputSource::Random { .. } | InputSource::Closed => {}
        }
    }

    /// Gives back what was read too far.
    pub(crate) async fn put_back(&self, rest: Bytes) {
        self.0.lock().await.put_back(rest);
    }
}

impl InputSource {
    async fn next(&mut self) -> Option<Bytes> {
        // Some sources never wait and never end; their readers must still yield.
        tokio::task::consume_budget().await;
        match self {
            Self::Bytes(bytes) => {
                let piece = bytes.split_to(bytes.len().min(limits::CHUNK));
                if piece.is_empty() { None } else { Some(piece) }
            }
            Self::Channel { receiver, pending } => loop {
                if !pending.is_empty() {
                    return Some(pending.split_to(pending.len().min(limits::CHUNK)));
                }
                *pending = receiver.recv().await?;
            },
            Self::Zero => Some(Bytes::from_static(&[0; 4096])),
            Self::Random { state, left } => {
                *left = left.checked_sub(4096)?;
                Some((0..4096).map(|_| noise(state)).collect())
            }
            Self::Closed => None,
        }
    }

    fn put_back(&mut self, rest: Bytes) {
        let place = match self {
            Self::Bytes(bytes) => bytes,
            Self::Channel { pending, .. } => pending,
            Self::Zero | Self::Random { .. } | Self::Closed => return,
        };
        if place.is_empty() {
            *place = rest;
        } else if !rest.is_empty() {
            *place = [rest, std::mem::take(place)].concat().into();
        }
    }
}

/// One byte of an xorshift generator.
fn noise(state: &mut u64) -> u8 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 32) as u8
}

/// Where bytes go. Clones write to the same place, in the order of their writes.
#[derive(Clone)]
pub struct Output(Sink);

#[derive(Clone)]
enum Sink {
    Null,
    Closed,
    Full,
    Pipe(mpsc::Sender<Bytes>),
    Session(mpsc::Sender<OutputPiece>, OutputStream),
    Collector(Arc<Collector>),
    File(Arc<OpenFile>),
}

/// Keeps what is written, up to a bound.
struct Collector {
    bytes: Mutex<Vec<u8>>,
    limit: usize,
}

/// A file open for writing: its true path, which file that was, and where to go on.
struct OpenFile {
    machine: Arc<dyn Machine>,
    path: String,
    inode: u64,
    /// None where every write goes to the end.
    offset: Option<Mutex<u64>>,
}

impl Output {
    /// Takes everything and forgets it.
    pub fn null() -> Self {
        Self(Sink::Null)
    }

    /// Keeps what is written, up to this many bytes; see [`Output::collected`].
    pub fn collector(limit: usize) -> Self {
        Self(Sink::Collector(Arc::new(Collector { bytes: Mutex::default(), limit })))
    }

    pub(crate) fn closed() -> Self {
        Self(Sink::Closed)
    }

    pub(crate) fn full() -> Self {
        Self(Sink::Full)
    }

    pub(crate) fn file(machine: Arc<dyn Machine>, path: String, inode: u64, offset: Option<u64>) -> Self {
        Self(Sink::File(Arc::new(OpenFile { machine, path, inode, offset: offset.map(Mutex::new) })))
    }

    /// Takes what a collector has kept; other outputs keep nothing.
    pub fn collected(&self) -> Vec<u8> {
        let Sink::Collector(kept) = &self.0 else {
            return Vec::new();
        };
        std::mem::take(&mut kept.bytes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Goes on further back in a file; other outputs have no places.
    pub(crate) fn skip(&self, bytes: u64) {
        if let Sink::File(file) = &self.0
            && let Some(offset) = &file.offset
        {
            let mut offset = offset.lock().unwrap_or_else(PoisonError::into_inner);
            *offset = offset.saturating_add(bytes);
        }
    }

    /// Writes all of these bytes.
    pub async fn write(&self, bytes: impl Into<Bytes>) -> Result<(), OutputError> {
        let bytes = bytes.into();
        match &self.0 {
            Sink::Null => Ok(()),
            Sink::Closed => Err(OutputError::File(Errno::BadDescriptor)),
            Sink::Full => Err(OutputError::File(Errno::NoSpace)),
            Sink::Pipe(sender) => {
                for piece in pieces(bytes) {
                    sender.send(piece).await.map_err(|_| OutputError::Reader)?;
                }
                Ok(())
            }
            Sink::Session(sender, stream) => {
                let stream = *stream;
                for bytes in pieces(bytes) {
                    let written = OutputPiece { stream, bytes };
                    sender.send(written).await.map_err(|_| OutputError::Reader)?;
                }
                Ok(())
            }
            Sink::Collector(kept) => {
                let mut held = kept.bytes.lock().unwrap_or_else(PoisonError::into_inner);
                let room = kept.limit.saturating_sub(held.len());
                held.extend_from_slice(&bytes[..bytes.len().min(room)]);
                if bytes.len() > room { Err(OutputError::Reader) } else { Ok(()) }
            }
            Sink::File(file) => file.write(&bytes).map_err(OutputError::File),
        }
    }
}

/// The same bytes in pieces that fit into a channel.
fn pieces(mut bytes: Bytes) -> impl Iterator<Item = Bytes> {
    std::iter::from_fn(move || {
        let piece = bytes.split_to(bytes.len().min(limits::CHUNK));
        (!piece.is_empty()).then_some(piece)
    })
}

impl OpenFile {
    fn write(&self, bytes: &[u8]) -> Result<(), Errno> {
        // The right to write was checked when the file was opened.
        let root = Identity::root();
        let actor = Actor { who: &root, umask: 0, now: self.machine.now() };
        self.machine.kernel().files.with(|files| {
            // A file that is gone, or another one of the same name, is not written.
            if files.lstat(&actor, &self.path).map(|stat| stat.inode) != Ok(self.inode) {
                return Ok(());
            }
            let Some(offset) = &self.offset else {
                return files.append(&actor, &self.path, bytes);
            };
            let mut offset = offset.lock().unwrap_or_else(PoisonError::into_inner);
            files.write_at(&actor, &self.path, (*offset, bytes))?;
            *offset += bytes.len() as u64;
            Ok(())
        })
    }
}

/// The three streams of a command.
#[derive(Clone)]
pub struct Io {
    pub stdin: Input,
    pub stdout: Output,
    pub stderr: Output,
}

/// Which of its outputs a command wrote to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputStream {
    Stdout,
    Stderr,
}

/// What a command wrote, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputPiece {
    pub stream: OutputStream,
    pub bytes: Bytes,
}

/// The other ends of a command's streams.
#[derive(Debug)]
pub struct Ends {
    /// Feeds its input; dropping it ends the input.
    pub stdin: mpsc::Sender<Bytes>,
    /// Its results and complaints, in the order in which they were written;
    /// dropping it breaks the command's pipe.
    pub output: mpsc::Receiver<OutputPiece>,
}

impl Io {
    /// Nothing to read, and nowhere to write.
    pub(crate) fn none() -> Self {
        Self { stdin: Input::empty(), stdout: Output::null(), stderr: Output::null() }
    }

    /// Streams through bounded channels, and their other ends. Both outputs
    /// share one channel, so that their order is never lost.
    pub fn channels() -> (Self, Ends) {
        let (feed, stdin) = mpsc::channel(limits::PIPE);
        let (written, output) = mpsc::channel(limits::PIPE);
        let io = Self {
            stdin: Input::channel(stdin),
            stdout: Output(Sink::Session(written.clone(), OutputStream::Stdout)),
            stderr: Output(Sink::Session(written, OutputStream::Stderr)),
        };
        (io, Ends { stdin: feed, output })
    }
}

/// A pipe: what is written to the one is read from the other.
pub(crate) fn pipe() -> (Output, Input) {
    let (sender, receiver) = mpsc::channel(limits::PIPE);
    (Output(Sink::Pipe(sender)), Input::channel(receiver))
}
