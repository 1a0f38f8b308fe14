//! Tests of `server/files.rs`.

use bytes::Bytes;
use clawperator_adb::Files as _;
use clawperator_adb::sync::FileStat;
use clawperator_sim::{Handset, Setup, host_files};

#[test]
fn a_folder_has_its_dots_and_is_made_for_what_is_pushed() {
    let handset = Handset::new(Setup::default());
    let mut files = host_files(&handset);
    let stat = FileStat { mode: 0o100_644, size: 1, modified: 5 };
    let mut push = |path: &str| files.write(path, stat, Bytes::from_static(b"x"));
    assert_eq!(push("/none/dir/x"), Err("secure_mkdirs failed: Permission denied".to_owned()));
    assert_eq!(push("/data/local/tmp/new/deep/a"), Ok(()));
    let names: Vec<String> =
        files.list("/data/local/tmp/new/deep").into_iter().map(|entry| entry.name).collect();
    assert_eq!(names, [".", "..", "a"]);
    let pushed = files.stat("/data/local/tmp/new/deep/a").map(|stat| stat.mode);
    assert_eq!(pushed, Some(0o100_666), "what the owner may do, all may");
}

#[test]
fn hosts_that_send_share_one_bound() {
    let handset = Handset::new(Setup::default());
    let mut one = host_files(&handset);
    let mut two = host_files(&handset);
    assert_eq!(one.hold(256 << 20), Ok(()));
    assert_eq!(two.hold(1), Err("couldn't create file: No space left on device".to_owned()));
    assert_eq!(one.hold(0), Ok(()));
    assert_eq!(two.hold(1), Ok(()));
}
