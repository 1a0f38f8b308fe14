//! Files that are generated and committed: `UPDATE_EXPECT=1` rewrites them.

use std::path::Path;

/// Compares a file of the repository with what it should hold.
pub(crate) fn check(path: &str, wanted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, wanted).unwrap();
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == wanted,
        "{} is out of date; run UPDATE_EXPECT=1 cargo test and review the change",
        path.display()
    );
}
