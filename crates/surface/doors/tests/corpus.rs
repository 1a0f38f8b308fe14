//! The fuzzer's corpora, run on every test.

use clawperator_doors::DOORS;
use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn no_door_breaks_on_its_corpus() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fuzz/corpus");
    let mut known = BTreeSet::new();
    for door in DOORS {
        let files = std::fs::read_dir(corpora.join(door.name));
        let files = files.unwrap_or_else(|error| panic!("fuzz/corpus/{}: {error}", door.name));
        let mut count = 0;
        for file in files {
            (door.enter)(&std::fs::read(file.unwrap().path()).unwrap());
            count += 1;
        }
        assert!(count >= 5, "fuzz/corpus/{} has only {count} files", door.name);
        known.insert(door.name.to_owned());
    }
    let folders = std::fs::read_dir(&corpora).unwrap();
    let folders: BTreeSet<_> =
        folders.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(folders, known, "every corpus has its door");
}
