//! Files that are generated and committed: `UPDATE_EXPECT=1` rewrites them.

use std::path::{Path, PathBuf};

/// A place in the repository.
pub(crate) fn place(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").join(path)
}

/// Compares one part of a page, between two comments of its name, with what it
/// should hold. The rest of the page is written by hand.
pub(crate) fn check_part(path: &str, name: &str, wanted: &str) {
    let page = std::fs::read_to_string(place(path)).unwrap();
    let (begin, end) = (format!("<!-- {name}: "), format!("<!-- end of {name} -->\n"));
    let (before, rest) = page.split_once(&begin).expect("the page has the part");
    let (_, after) = rest.split_once(&end).expect("the part ends");
    let note = "written from the tables by `UPDATE_EXPECT=1 cargo test -p clawperator-contract` -->";
    check(path, &format!("{before}{begin}{note}\n{wanted}{end}{after}"));
}

/// Compares a file of the repository with what it should hold.
pub(crate) fn check(path: &str, wanted: &str) {
    let path = place(path);
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
