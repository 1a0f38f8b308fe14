//! The files of installed apps that were not installed from a file.

use super::ROOM;
use crate::apk;
use crate::app::App;
use crate::handset::Handset;
use crate::phone::Package;
use clawperator_userland::{Actor, FileSystem, Identity};
use std::sync::Arc;
use std::time::Duration;

/// The apps that came with the phone, each with an APK.
pub(super) fn of_system(handset: &Handset) -> FileSystem {
    let mut files = FileSystem::new(ROOM);
    let root = Identity::root();
    for (path, app) in apps(handset) {
        if let Some((folder, file)) = path.strip_prefix("/system/app").and_then(|path| path.rsplit_once('/'))
        {
            // Root can do all of this on an empty disk.
            let _ = files.create_dir_all(&as_made(&root), folder, 0o755);
            let _ = files.write(&as_made(&root), &format!("{folder}/{file}"), apk::manifest_apk(&app));
        }
    }
    files
}

/// Gives every other app that has no APK one of its own.
pub(super) fn add_missing(handset: &Handset) {
    let root = Identity::root();
    let actor = as_made(&root);
    for (path, app) in apps(handset) {
        let Some((folder, _)) = path.rsplit_once('/') else {
            continue;
        };
        handset.kernel.files.with(|files| {
            if files.lstat(&actor, &path).is_err() {
                // A full disk has no room for it; then there is none.
                let _ = files.create_dir_all(&actor, folder, 0o755);
                let _ = files.write(&actor, &path, apk::manifest_apk(&app));
            }
        });
    }
}

fn apps(handset: &Handset) -> Vec<(String, Arc<App>)> {
    let row = |package: &Package| (package.path.clone(), Arc::clone(&package.app));
    handset.with(|phone| phone.packages.values().map(row).collect())
}

fn as_made(root: &Identity) -> Actor<'_> {
    Actor { who: root, umask: 0o022, now: Duration::from_secs(1_767_225_600) }
}
