//! The device's side of moving files: answers a host's requests from whatever holds the files.

use super::channel::SyncChannel;
use crate::connection::ServiceStream;
use crate::connection::Stream;
use crate::error::AdbError;
use crate::sync::{self, FileEntry, FileStat, Form, Id, MAX_DATA};
use bytes::{BufMut, Bytes, BytesMut};

/// The largest file that is taken from a host.
pub const MAX_FILE: usize = 256 << 20;

/// Whatever holds a device's files. A refusal is in the words a host is shown.
pub trait Files {
    fn stat(&self, path: &str) -> Option<FileStat>;
    /// What is in a folder; nothing if there is none.
    fn list(&self, path: &str) -> Vec<FileEntry>;
    /// A file's contents.
    ///
    /// # Errors
    /// Why they cannot be read.
    fn read(&self, path: &str) -> Result<Bytes, String>;
    /// So many bytes of a file that comes are held until it is written; none are when it is done.
    ///
    /// # Errors
    /// Why there is no room for them.
    fn hold(&mut self, bytes: usize) -> Result<(), String>;
    /// Makes or replaces a file.
    ///
    /// # Errors
    /// Why it cannot be written.
    fn write(&mut self, path: &str, stat: FileStat, contents: Bytes) -> Result<(), String>;
}

/// Answers a host's requests until it is done.
///
/// # Errors
/// What broke, or what the host said that is not the protocol.
pub async fn serve_files(stream: Stream, files: &mut (dyn Files + Send)) -> Result<(), AdbError> {
    let mut channel = SyncChannel::new(ServiceStream::Stream(stream));
    loop {
        let id = match channel.letters().await {
            // A host may also just go away.
            Err(AdbError::Closed) => return Ok(()),
            other => other?,
        };
        let length = channel.number().await?;
        if id == Id::QUIT {
            return Ok(());
        }
        let path = channel.text(length).await?;
        match id {
            Id::STAT => answer_stat(&mut channel, id, Form::Old, files.stat(&path)).await?,
            Id::STAT_2 | Id::LSTAT_2 => answer_stat(&mut channel, id, Form::New, files.stat(&path)).await?,
            Id::LIST => answer_list(&mut channel, Id::ENTRY, Form::Old, &files.list(&path)).await?,
            Id::LIST_2 => answer_list(&mut channel, Id::ENTRY_2, Form::New, &files.list(&path)).await?,
            Id::RECEIVE => answer_contents(&mut channel, files.read(&path)).await?,
            Id::RECEIVE_2 => {
                channel.expect(id).await?;
                let refusal = sync::refused_flags(channel.number().await?);
                answer_contents(&mut channel, refusal.map_or_else(|| files.read(&path), Err)).await?;
            }
            Id::SEND => {
                let target = sync::split_mode(&path).ok_or_else(|| format!("no mode in {path:?}"));
                let answer = take_file(&mut channel, target, files).await?;
                channel.send(answer).await?;
            }
            Id::SEND_2 => {
                channel.expect(id).await?;
                let mode = channel.number().await?;
                let refusal = sync::refused_flags(channel.number().await?);
                let target = refusal.map_or(Ok((path.as_str(), mode)), Err);
                let answer = take_file(&mut channel, target, files).await?;
                channel.send(answer).await?;
            }
            other => {
                channel.send(sync::failure(&format!("unknown request {other}"))).await?;
                channel.flush().await?;
                return Err(AdbError::Protocol(format!("unknown request {other}")));
            }
        }
        match channel.flush().await {
            // A host that has what it wants may go away without a word.
            Err(AdbError::Closed) => return Ok(()),
            other => other?,
        }
    }
}

async fn answer_stat(
    channel: &mut SyncChannel,
    id: Id,
    form: Form,
    stat: Option<FileStat>,
) -> Result<(), AdbError> {
    let mut out = BytesMut::new();
    out.put_slice(&id.0);
    form.encode_stat(stat, &mut out);
    channel.send(out.freeze()).await
}

async fn answer_list(
    channel: &mut SyncChannel,
    id: Id,
    form: Form,
    entries: &[FileEntry],
) -> Result<(), AdbError> {
    let mut out = BytesMut::new();
    for entry in entries {
        out.put_slice(&id.0);
        form.encode_stat(Some(entry.stat), &mut out);
        out.put_u32_le(entry.name.len() as u32);
        out.put_slice(entry.name.as_bytes());
    }
    // The end has the shape of an entry with nothing in it.
    out.put_slice(&Id::DONE.0);
    out.put_bytes(0, form.stat_bytes() + 4);
    channel.send(out.freeze()).await
}

async fn answer_contents(channel: &mut SyncChannel, contents: Result<Bytes, String>) -> Result<(), AdbError> {
    let mut contents = match contents {
        Ok(contents) => contents,
        Err(reason) => return channel.send(sync::failure(&reason)).await,
    };
    while !contents.is_empty() {
        let data = contents.split_to(contents.len().min(MAX_DATA));
        let mut block = BytesMut::with_capacity(8 + data.len());
        block.put_slice(&Id::DATA.0);
        block.put_u32_le(data.len() as u32);
        block.put_slice(&data);
        channel.send(block.freeze()).await?;
    }
    channel.send(sync::short(Id::DONE, 0)).await
}

/// Takes a file from the host and says what came of it. One that is refused is
/// read to its end all the same, so that the host hears why.
async fn take_file(
    channel: &mut SyncChannel,
    target: Result<(&str, u32), String>,
    files: &mut (dyn Files + Send),
) -> Result<Bytes, AdbError> {
    let mut contents = BytesMut::new();
    let mut target = target;
    let modified = loop {
        let id = channel.letters().await?;
        let number = channel.number().await?;
        match id {
            Id::DATA if number as usize <= MAX_DATA => {
                let data = channel.take(number as usize).await?;
                let length = contents.len() + data.len();
                let held = match target {
                    Ok(_) if length > MAX_FILE => Err(format!("the file is larger than {MAX_FILE} bytes")),
                    Ok(_) => files.hold(length),
                    Err(_) => continue,
                };
                match held {
                    Ok(()) => contents.extend_from_slice(&data),
                    Err(reason) => {
                        contents = BytesMut::new();
                        target = Err(reason);
                    }
                }
            }
            Id::DONE => break number,
            other => {
                return Err(AdbError::Protocol(format!("received {other} {number} in the middle of a file")));
            }
        }
    };
    let written = target.and_then(|(path, mode)| {
        let stat = FileStat { mode, size: contents.len() as u64, modified: i64::from(modified) };
        files.write(path, stat, contents.freeze())
    });
    let freed = files.hold(0);
    Ok(match written.and(freed) {
        Ok(()) => sync::short(Id::OKAY, 0),
        Err(reason) => sync::failure(&reason),
    })
}
