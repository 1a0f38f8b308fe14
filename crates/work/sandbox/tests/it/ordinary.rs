//! The same tests as a user without any rights: most people are not root.

use super::*;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;

/// A user that owns nothing.
const USER: u32 = 65_534;

/// Whether this user may do what a sandbox needs: some systems forbid namespaces to
/// all but root.
fn may_have_namespaces() -> bool {
    let mut tried = Command::new("unshare");
    tried.args(["--user", "--mount", "true"]).uid(USER).gid(USER);
    tried.output().is_ok_and(|ran| ran.status.success())
}

#[test]
fn c16_every_test_of_the_sandbox_passes_for_an_ordinary_user() {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        // The other tests of this run are those of an ordinary user.
        return;
    }
    if !may_have_namespaces() {
        println!("skipped: this system lets only root have namespaces");
        return;
    }
    // Not in `/tmp`, of which a sandbox has its own.
    let place = Path::new("/var/tmp").join(format!("sandbox-ordinary-{}", std::process::id()));
    fs::create_dir_all(&place).unwrap();
    let put = |from: &Path, name: &str| {
        let to = place.join(name);
        fs::copy(from, &to).unwrap();
        fs::set_permissions(&to, fs::Permissions::from_mode(0o755)).unwrap();
        to
    };
    let test = put(&std::env::current_exe().unwrap(), "it");
    let launcher = put(&launcher(), "launcher");
    chown(&place, Some(USER), Some(USER)).unwrap();
    let ran = Command::new(test)
        .args(["--test-threads", "2"])
        .env(FOLDER, &place)
        .env(LAUNCHER, launcher)
        .current_dir(&place)
        .uid(USER)
        .gid(USER)
        .output();
    fs::remove_dir_all(&place).unwrap();
    let ran = ran.unwrap();
    let text = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{text}{}", String::from_utf8_lossy(&ran.stderr));
    let summary = text.lines().find(|line| line.starts_with("test result"));
    println!("as user {USER}: {}", summary.unwrap_or_default());
}
