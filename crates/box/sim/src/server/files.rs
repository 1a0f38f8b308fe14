//! The phone's files, as hosts push and pull them: with the shell's rights.

use crate::command::ADBD;
use crate::handset::{Handset, shell_user};
use crate::upload::UploadShare;
use bytes::Bytes;
use clawperator_adb::Files;
use clawperator_adb::sync::{FileEntry, FileStat};
use clawperator_userland::{Actor, Errno, FileSystem, Machine, Stat};
use std::sync::Arc;
use std::time::Duration;

/// The phone's files.
pub(super) struct Disk {
    handset: Arc<Handset>,
    held: UploadShare,
}

impl Disk {
    pub(super) fn new(handset: Arc<Handset>) -> Self {
        let held = handset.uploads.begin();
        Self { handset, held }
    }

    fn with<R>(&self, work: impl FnOnce(&mut FileSystem, &Actor<'_>) -> R) -> R {
        let who = shell_user();
        let actor = Actor { who: &who, umask: 0, now: self.handset.now() };
        self.handset.kernel.files.with(|files| work(files, &actor))
    }
}

impl Files for Disk {
    fn stat(&self, path: &str) -> Option<FileStat> {
        self.handset.refresh(path, ADBD);
        self.with(|files, actor| files.stat(actor, path)).ok().map(|stat| file_stat(&stat))
    }

    fn list(&self, path: &str) -> Vec<FileEntry> {
        self.handset.refresh(path, ADBD);
        let listed = self.with(|files, actor| files.list(actor, path)).unwrap_or_default();
        let entries =
            listed.into_iter().map(|entry| FileEntry { stat: file_stat(&entry.stat), name: entry.name });
        let dots = [".", ".."].into_iter().filter_map(|name| {
            let stat = self.with(|files, actor| files.stat(actor, &format!("{path}/{name}"))).ok()?;
            Some(FileEntry { stat: file_stat(&stat), name: name.to_owned() })
        });
        dots.chain(entries).collect()
    }

    fn read(&self, path: &str) -> Result<Bytes, String> {
        self.handset.refresh(path, ADBD);
        self.with(|files, actor| files.read(actor, path)).map_err(|errno| format!("open failed: {errno}"))
    }

    fn hold(&mut self, bytes: usize) -> Result<(), String> {
        let full = || format!("couldn't create file: {}", Errno::NoSpace);
        self.held.set(bytes).then_some(()).ok_or_else(full)
    }

    fn write(&mut self, path: &str, stat: FileStat, contents: Bytes) -> Result<(), String> {
        // What the owner may do, all may.
        let owner = stat.mode >> 6 & 7;
        let mode = stat.mode & 0o777 | owner << 3 | owner;
        self.with(|files, actor| {
            let folder = path.rsplit_once('/').map(|(folder, _)| folder);
            // No file has a name that ends like a folder's; then nothing is made.
            if let Some(folder) = folder.filter(|folder| !folder.is_empty() && !path.ends_with('/')) {
                match files.create_dir_all(actor, folder, 0o775) {
                    Ok(()) | Err(Errno::Exists) => {}
                    Err(errno) => return Err(format!("secure_mkdirs failed: {errno}")),
                }
            }
            let modified = Duration::from_secs(stat.modified.try_into().unwrap_or(0));
            let written = files.write(actor, path, contents).and_then(|()| {
                files.chmod(actor, path, mode)?;
                files.set_mtime(actor, path, modified)
            });
            written.map_err(|errno| format!("couldn't create file: {errno}"))
        })
    }
}

fn file_stat(stat: &Stat) -> FileStat {
    FileStat {
        mode: stat.st_mode(),
        size: stat.size,
        modified: stat.mtime.as_secs().try_into().unwrap_or(i64::MAX),
    }
}
