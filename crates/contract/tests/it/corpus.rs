//! The fuzzer's corpus, run on every test.

use std::path::Path;

#[test]
fn nothing_in_the_corpus_breaks_the_door() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/payload");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        crate::properties::hold_for(&bytes);
        count += 1;
    }
    assert!(
        count >= 30,
        "the corpus in {} has only {count} files",
        folder.display()
    );
}
