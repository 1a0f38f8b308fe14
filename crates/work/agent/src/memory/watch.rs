//! Tells whether files of a memory may have changed, without looking at each of
//! them. In doubt they have: the caller then looks.

#[cfg(target_os = "linux")]
mod system {
    use rustix::fd::OwnedFd;
    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
    use std::mem::MaybeUninit;
    use std::path::Path;

    /// The most folders that are watched: each takes memory of the system.
    const MAX_FOLDERS: usize = 512;
    /// The most events that are read before a change is taken for granted.
    const MAX_EVENTS: usize = 256;
    const BUFFER: usize = 4096;

    #[derive(Debug)]
    pub(in super::super) struct FolderWatch {
        events: OwnedFd,
        folders: usize,
        is_complete: bool,
        /// The watch of the workspace, and the names there that matter.
        top: Option<i32>,
    }

    impl FolderWatch {
        pub(in super::super) fn new() -> Option<Self> {
            let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
            Some(Self { events, folders: 0, is_complete: true, top: None })
        }

        /// Watches the workspace: what comes and goes there.
        pub(in super::super) fn watch_top(&mut self, workspace: &Path) {
            self.top = self.add(workspace);
        }

        pub(in super::super) fn watch(&mut self, folder: &Path) {
            self.add(folder);
        }

        fn add(&mut self, folder: &Path) -> Option<i32> {
            let changes = WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MODIFY
                | WatchFlags::ATTRIB
                | WatchFlags::MOVED_FROM
                | WatchFlags::MOVED_TO
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::ONLYDIR
                | WatchFlags::DONT_FOLLOW;
            self.folders += 1;
            let added = if self.folders <= MAX_FOLDERS {
                inotify::add_watch(&self.events, folder, changes).ok()
            } else {
                None
            };
            self.is_complete &= added.is_some();
            added
        }

        /// Whether certainly nothing has changed since the folders are watched.
        pub(in super::super) fn is_quiet(&self, names: &[&str]) -> bool {
            let mut buffer = [MaybeUninit::uninit(); BUFFER];
            let mut reader = Reader::new(&self.events, &mut buffer);
            for _ in 0..MAX_EVENTS {
                let event = match reader.next() {
                    Ok(event) => event,
                    Err(rustix::io::Errno::AGAIN) => return self.is_complete,
                    Err(_) => return false,
                };
                // Of the workspace itself only two names matter.
                let elsewhere = Some(event.wd()) == self.top
                    && !event.events().intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::IGNORED)
                    && event
                        .file_name()
                        .is_some_and(|name| !names.iter().any(|known| name.to_bytes() == known.as_bytes()));
                if !elsewhere {
                    return false;
                }
            }
            false
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::path::Path;

    /// Watches nothing: every search looks at the files.
    #[derive(Debug)]
    pub(in super::super) struct FolderWatch;

    impl FolderWatch {
        pub(in super::super) fn new() -> Option<Self> {
            None
        }

        pub(in super::super) fn watch_top(&mut self, _: &Path) {}

        pub(in super::super) fn watch(&mut self, _: &Path) {}

        pub(in super::super) fn is_quiet(&self, _: &[&str]) -> bool {
            false
        }
    }
}

pub(super) use system::FolderWatch;
