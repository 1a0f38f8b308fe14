//! Files on a device: what is known of them, what is in a folder, and moving
//! them, in both directions and from both sides.

mod channel;
mod service;

use crate::deadline::Deadline;
use crate::device::Device;
use crate::error::AdbError;
use crate::sync::{self, FileEntry, FileStat, Form, Id, MAX_DATA, MAX_PATH};
use bytes::{Buf, BufMut, BytesMut};
use channel::SyncChannel;
pub use service::{Files, MAX_FILE, serve_files};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// The most files one folder may list.
pub const MAX_ENTRIES: usize = 100_000;

/// The feature of devices that know SND2 and RCV2.
const NEW_TRANSFERS: &str = "sendrecv_v2";

/// A file to be written on a device.
#[derive(Clone, Copy, Debug)]
pub struct FileTarget<'p> {
    pub path: &'p str,
    /// Its permissions; it becomes a plain file.
    pub permissions: u32,
    /// When it was last changed, in seconds since 1970.
    pub modified: u32,
}

/// How a file is moved.
#[derive(Clone, Copy, Debug)]
pub struct Transfer<F> {
    pub deadline: Deadline,
    /// Told how many bytes have been moved so far.
    pub progress: F,
}

impl Device {
    /// What is known of a file; `None` if there is none. Links are not followed.
    pub async fn stat(&self, path: &str, deadline: Deadline) -> Result<Option<FileStat>, AdbError> {
        let (id, form) =
            if self.has_feature("stat_v2") { (Id::LSTAT_2, Form::New) } else { (Id::STAT, Form::Old) };
        let asking = async {
            let mut channel = self.sync(path, deadline).await?;
            channel.send(sync::request(id, path)).await?;
            channel.expect(id).await?;
            let answer = channel.take(form.stat_bytes()).await?;
            decoded(form.decode_stat(&answer))
        };
        deadline.run("asking about a file", asking).await
    }

    /// What is in a folder, in the device's order; nothing if there is no such
    /// folder, which the protocol does not tell apart from an empty one.
    pub async fn list(&self, path: &str, deadline: Deadline) -> Result<Vec<FileEntry>, AdbError> {
        let (id, form, entry) = if self.has_feature("ls_v2") {
            (Id::LIST_2, Form::New, Id::ENTRY_2)
        } else {
            (Id::LIST, Form::Old, Id::ENTRY)
        };
        let asking = async {
            let mut channel = self.sync(path, deadline).await?;
            channel.send(sync::request(id, path)).await?;
            let mut entries = Vec::new();
            loop {
                let found = channel.id().await?;
                if found == Id::DONE {
                    return Ok(entries);
                }
                if found != entry || entries.len() == MAX_ENTRIES {
                    return Err(AdbError::Protocol(format!("received {found} in a directory listing")));
                }
                let stat = channel.take(form.stat_bytes()).await?;
                let length = channel.number().await?;
                let name = channel.text(length).await?;
                // What cannot be looked at is left out, as a phone's own list does.
                let stat = form.decode_stat(&stat).ok().flatten();
                entries.extend(stat.map(|stat| FileEntry { name, stat }));
            }
        };
        deadline.run("listing a folder", asking).await
    }

    /// Writes a file, telling how many bytes have gone so far.
    ///
    /// # Errors
    /// [`AdbError::Refusal`] with the device's words, such as that the folder
    /// cannot be written. What was there before may be gone.
    pub async fn push(
        &self,
        mut source: impl AsyncRead + Unpin,
        target: FileTarget<'_>,
        mut transfer: Transfer<impl FnMut(u64)>,
    ) -> Result<u64, AdbError> {
        const PLAIN_FILE: u32 = 0o100_000;
        let deadline = transfer.deadline;
        let pushing = async {
            let mut channel = self.sync(target.path, deadline).await?;
            let mode = PLAIN_FILE | (target.permissions & 0o7777);
            channel
                .send(if self.has_feature(NEW_TRANSFERS) {
                    sync::send_2(target.path, mode)
                } else {
                    sync::request(Id::SEND, &format!("{},{mode}", target.path))
                })
                .await?;
            let mut total = 0;
            loop {
                let mut block = BytesMut::with_capacity(8 + MAX_DATA);
                block.put_slice(&Id::DATA.0);
                block.put_u32_le(0);
                let mut data = block.split_off(8).limit(MAX_DATA);
                let count = source.read_buf(&mut data).await.map_err(AdbError::local)?;
                if count == 0 {
                    break;
                }
                block[4..].copy_from_slice(&(count as u32).to_le_bytes());
                block.unsplit(data.into_inner());
                channel.send_or_hear_why(block.freeze()).await?;
                total += count as u64;
                (transfer.progress)(total);
            }
            channel.send_or_hear_why(sync::short(Id::DONE, target.modified)).await?;
            channel.expect(Id::OKAY).await?;
            channel.number().await?;
            Ok(total)
        };
        deadline.run("writing a file", pushing).await
    }

    /// Reads a file, telling how many bytes have come so far.
    ///
    /// # Errors
    /// [`AdbError::Refusal`] with the device's words, such as that there is no
    /// such file. Part of it may have been written to the sink.
    pub async fn pull(
        &self,
        path: &str,
        mut sink: impl AsyncWrite + Unpin,
        mut transfer: Transfer<impl FnMut(u64)>,
    ) -> Result<u64, AdbError> {
        let deadline = transfer.deadline;
        let pulling = async {
            let mut channel = self.sync(path, deadline).await?;
            channel
                .send(if self.has_feature(NEW_TRANSFERS) {
                    sync::receive_2(path)
                } else {
                    sync::request(Id::RECEIVE, path)
                })
                .await?;
            let mut total = 0;
            loop {
                match channel.id().await? {
                    Id::DATA => {
                        let length = channel.number().await? as usize;
                        if length > MAX_DATA {
                            return Err(AdbError::Protocol(format!(
                                "the device sent a block of {length} bytes, which is too long"
                            )));
                        }
                        let mut data = channel.take(length).await?;
                        total += data.remaining() as u64;
                        sink.write_all_buf(&mut data).await.map_err(AdbError::local)?;
                        (transfer.progress)(total);
                    }
                    Id::DONE => break,
                    other => {
                        return Err(AdbError::Protocol(format!("received {other} in the middle of a file")));
                    }
                }
            }
            sink.flush().await.map_err(AdbError::local)?;
            Ok(total)
        };
        deadline.run("reading a file", pulling).await
    }

    async fn sync(&self, path: &str, deadline: Deadline) -> Result<SyncChannel, AdbError> {
        if path.len() > MAX_PATH {
            return Err(AdbError::Refusal(format!(
                "the path has {} bytes; at most {MAX_PATH} are allowed",
                path.len()
            )));
        }
        Ok(SyncChannel::new(self.open("sync:", deadline).await?))
    }
}

/// `None` if the file does not exist; an error if it may not be read.
fn decoded(stat: Result<Option<FileStat>, u32>) -> Result<Option<FileStat>, AdbError> {
    stat.map_err(|error| AdbError::Refusal(format!("the device answered with error {error}")))
}
