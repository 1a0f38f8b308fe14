//! Patches.

use super::*;
use serde_json::json;
use std::collections::BTreeMap;

const VECTORS: &str = include_str!("../../vectors/apply_patch.jsonl");

/// All files of a folder with their texts.
fn files(root: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                all.insert(name, fs::read_to_string(path).unwrap());
            }
        }
    }
    all
}

async fn check(
    name: &str,
    before: &BTreeMap<String, String>,
    patch: &str,
) -> (bool, BTreeMap<String, String>) {
    let place = Place::new();
    before.iter().for_each(|(name, text)| place.put(name, text));
    let result = place.call("apply_patch", json!({"input": patch})).await;
    assert_eq!(result.ok, result.error.is_none(), "{name}");
    (result.ok, files(&place.work()))
}

#[tokio::test]
async fn every_vector_gives_its_files() {
    let mut wrong = Vec::new();
    for line in VECTORS.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let of =
            |key: &str| -> BTreeMap<String, String> { serde_json::from_value(case[key].clone()).unwrap() };
        let name = case["name"].as_str().unwrap();
        let (ok, after) = check(name, &of("files_before"), case["input"].as_str().unwrap()).await;
        if ok != case["ok"] || after != of("files_after") {
            wrong.push(format!("{name}: {ok} {after:?}"));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// Name, file before, lines of the update, file after (none: it is refused).
const CASES: &[(&str, &str, &str, Option<&str>)] = &[
    ("bug_new_lines_end_as_the_file_s", "a\r\nb\r\n", "@@\n a\n-b\n+c\n+d", Some("a\r\nc\r\nd\r\n")),
    ("kept_lines_stay_as_they_are", "  a\t\nb\n", "@@\n a\n-b\n+c", Some("  a\t\nc\n")),
    ("bug_a_move_onto_itself_keeps_the_file", "a\n", "*** Move to: ./f\n@@\n-a\n+b", Some("b\n")),
    ("at_the_end", "x\na\nx\n", "@@\n-x\n+y\n*** End of File", Some("x\na\ny\n")),
    ("not_at_the_end", "x\na\n", "@@\n-x\n+y\n*** End of File", None),
    ("behind_a_line", "f\nx\ng\nx\n", "@@ g\n-x\n+y", Some("f\nx\ng\ny\n")),
    ("a_missing_newline_is_added", "a", "@@\n-a\n+b", Some("b\n")),
    ("removed_line_that_is_empty", "a\n\nb\n", "@@\n a\n-\n b", Some("a\nb\n")),
];

#[tokio::test]
async fn updates_change_what_they_say() {
    for (name, before, lines, after) in CASES {
        let before = BTreeMap::from([("f".to_owned(), (*before).to_owned())]);
        let patch = format!("*** Begin Patch\n*** Update File: f\n{lines}\n*** End Patch");
        let (ok, files) = check(name, &before, &patch).await;
        assert_eq!(ok, after.is_some(), "{name}");
        let expected = after.map_or(before["f"].clone(), str::to_owned);
        assert_eq!(files, BTreeMap::from([("f".to_owned(), expected)]), "{name}");
    }
}

#[tokio::test]
async fn a_file_that_is_no_text_can_go_and_be_replaced() {
    let place = Place::new();
    place.put("a", [0xff]);
    place.put("b", [0xff]);
    let patch =
        "*** Begin Patch\n*** Delete File: a\n*** Add File: b\n+b\n*** Add File: empty\n*** End Patch";
    let result = place.call("apply_patch", json!({"input": patch})).await;
    assert_eq!(result.text, "The patch is applied:\nD a\nA b\nA empty");
    let expected = [("b", "b\n"), ("empty", "")].map(|(name, text)| (name.to_owned(), text.to_owned()));
    assert_eq!(files(&place.work()), BTreeMap::from(expected));
}

#[tokio::test]
async fn a_patch_is_applied_as_a_whole_or_not_at_all() {
    let before = BTreeMap::from([("a".to_owned(), "1\n".to_owned()), ("d/x".to_owned(), "x\n".to_owned())]);
    for last in [
        "*** Update File: a\n@@\n-nope\n+x",
        "*** Delete File: none",
        "*** Add File: ../out\n+x",
        // Only when it is written does it show that this is a folder, or is in a file.
        "*** Add File: d\n+x",
        "*** Add File: new/below\n+x",
    ] {
        let patch = format!(
            "*** Begin Patch\n*** Update File: a\n@@\n-1\n+2\n*** Add File: b\n+b\n*** Delete File: d/x\n*** Add File: new\n+n\n{last}\n*** End Patch"
        );
        let (ok, after) = check(last, &before, &patch).await;
        assert!(!ok, "{last}");
        assert_eq!(after, before, "{last}");
    }
}

/// The original puts such lines at the end, and so do the vectors; here the result says so.
#[tokio::test]
async fn facts_5_3_lines_that_are_only_inserted_go_to_the_end_and_that_is_told() {
    for (marker, is_told) in [("@@", false), ("@@ one", true)] {
        let place = Place::new();
        place.put("a.txt", "one\ntwo\n");
        let patch = format!("*** Begin Patch\n*** Update File: a.txt\n{marker}\n+new\n*** End Patch");
        let result = place.call("apply_patch", json!({"input": patch})).await;
        assert!(result.ok, "{result:?}");
        assert_eq!(place.get("a.txt"), "one\ntwo\nnew\n");
        assert_eq!(result.text.contains("at the end of the file"), is_told, "{result:?}");
    }
}
