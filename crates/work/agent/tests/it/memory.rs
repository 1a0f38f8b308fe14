//! What an agent finds and reads of its notes.

use clawperator_agent::action::MemorySearch;
use clawperator_agent::memory::{Memory, MemorySettings};
use clawperator_agent::result::ToolResult;
use clawperator_contract::Number;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A workspace with these files, in an empty folder.
fn workspace(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("memory").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for (path, text) in files {
        write(&folder, path, text);
    }
    folder
}

fn write(workspace: &Path, path: &str, text: &str) {
    let file = workspace.join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

fn memory(workspace: &Path) -> Memory {
    Memory::open(workspace, None, MemorySettings::default()).unwrap()
}

async fn search(memory: &Memory, query: &str) -> ToolResult {
    let (max_results, min_score) = (Number::from(6_u32), Number::new(0.2).unwrap());
    let search = MemorySearch { query: query.to_owned(), max_results, min_score, reason: None };
    memory.search(search).await
}

async fn paths(memory: &Memory, query: &str) -> Vec<String> {
    let found = search(memory, query).await;
    let results = found.data["results"].as_array().unwrap().iter();
    results.map(|result| result["path"].as_str().unwrap().to_owned()).collect()
}

async fn get(memory: &Memory, path: &str, from: f64, lines: f64) -> ToolResult {
    memory.get(path, from, lines).await
}

#[tokio::test]
async fn a_passage_comes_with_its_path_lines_and_citation() {
    let folder = workspace(
        "passage",
        &[
            ("MEMORY.md", "# Me\n\n- The kitchen lamp is called Luna.\n"),
            ("memory/2026-01-01.md", "nothing of note\n"),
            ("notes.md", "The kitchen lamp is a secret here.\n"),
            ("memory/lamp.txt", "The kitchen lamp is no note.\n"),
        ],
    );
    let found = search(&memory(&folder), "kitchen lamp").await;
    assert!(found.ok && found.error.is_none());
    let score = found.data["results"][0]["score"].as_f64().unwrap();
    assert!((0.9..=1.0).contains(&score), "{score}");
    assert_eq!(
        found.data,
        json!({"query": "kitchen lamp", "minScore": 0.2, "scannedFiles": 2, "results": [{
            "path": "MEMORY.md", "startLine": 1, "endLine": 3, "score": score,
            "snippet": "# Me\n\n- The kitchen lamp is called Luna.", "citation": "MEMORY.md#L1-L3"}]})
    );
    assert_eq!(serde_json::from_str::<Value>(&found.text).unwrap(), found.data);
}

#[tokio::test]
async fn words_are_found_in_any_script_and_with_or_without_accents() {
    let folder = workspace(
        "scripts",
        &[
            ("memory/a.md", "Le caf\u{e9} pr\u{e9}f\u{e9}r\u{e9} est \u{e0} c\u{f4}t\u{e9}."),
            ("memory/b.md", "\u{6211}\u{7684}\u{94f6}\u{884c}\u{5bc6}\u{7801}\u{5728}\u{7eb8}\u{4e0a}"),
            (
                "memory/c.md",
                "\u{6771}\u{4eac}\u{30bf}\u{30ef}\u{30fc}\u{306b}\u{884c}\u{304d}\u{305f}\u{3044}",
            ),
            ("memory/d.md", "The screenshots go to Photos."),
            (
                "memory/deep/er/e.MD",
                "\u{645}\u{631}\u{62d}\u{628}\u{627} \u{628}\u{639}\u{627}\u{644}\u{645}",
            ),
        ],
    );
    let memory = memory(&folder);
    for (query, path) in [
        ("CAFE prefere", "memory/a.md"),
        ("\u{94f6}\u{884c}\u{5bc6}\u{7801}", "memory/b.md"),
        ("\u{5bc6}", "memory/b.md"),
        ("\u{6771}\u{4eac}", "memory/c.md"),
        ("screenshot photo", "memory/d.md"),
        ("\u{645}\u{631}\u{62d}\u{628}\u{627}", "memory/deep/er/e.MD"),
    ] {
        assert_eq!(paths(&memory, query).await, [path], "{query}");
    }
    // Nothing to search for finds nothing, and no word is a command.
    assert_eq!(paths(&memory, "?! \"' *").await, [""; 0]);
    assert_eq!(paths(&memory, "word AND NOT (near").await, [""; 0]);
    let blank = search(&memory, " \n").await.error.unwrap();
    assert_eq!(blank.code.name(), "EXECUTION_VALIDATION_FAILED");
}

#[tokio::test]
async fn a_low_score_is_left_out_and_rare_words_count_most() {
    let mut files = vec![("memory/z.md".to_owned(), "the router of the office".to_owned())];
    for number in 0..40 {
        files.push((format!("memory/{number}.md"), format!("the office has {number} chairs")));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let memory = memory(&workspace("scores", &files));
    assert_eq!(paths(&memory, "where is the router").await[0], "memory/z.md");
    // One word of five, and every note has it.
    assert_eq!(paths(&memory, "office printer toner paper tray").await.len(), 0);
}

#[tokio::test]
async fn one_file_does_not_fill_the_answer() {
    let many = "the cat sat\n\n\n\n\n\n\n".repeat(30);
    let files = [("memory/a.md", &*many), ("memory/b.md", "a cat")];
    let memory = memory(&workspace("fill", &files));
    let found = search(&memory, "cat").await;
    let results = found.data["results"].as_array().unwrap();
    let of = |path: &str| results.iter().filter(|result| result["path"] == path).count();
    assert_eq!((of("memory/a.md"), of("memory/b.md")), (3, 1));
}

#[tokio::test]
async fn only_files_that_changed_are_read_again() {
    let files = [("MEMORY.md", "one apple"), ("memory/a.md", "two pears"), ("memory/b.md", "three plums")];
    let folder = workspace("changes", &files);
    let index = folder.join("state/index.sqlite");
    let open = || Memory::open(&folder, Some(&index), MemorySettings::default()).unwrap();
    let read = |memory: &Memory| {
        let refreshed = memory.refresh().unwrap();
        (refreshed.files, refreshed.read)
    };
    let memory = open();
    assert_eq!((read(&memory), read(&memory)), ((3, 3), (3, 0)));
    // Another process finds the index.
    let memory = open();
    assert_eq!(read(&memory), (3, 0));
    write(&folder, "memory/a.md", "two quinces");
    std::fs::remove_file(folder.join("memory/b.md")).unwrap();
    write(&folder, "memory/new/c.md", "four figs");
    assert_eq!(read(&memory), (3, 2));
    assert_eq!(paths(&memory, "quince").await, ["memory/a.md"]);
    assert_eq!(paths(&memory, "plum").await, [""; 0]);
    assert_eq!(paths(&memory, "pear").await, [""; 0]);
    // In a folder that was not there at first.
    write(&folder, "memory/new/c.md", "five dates");
    assert_eq!(paths(&memory, "date").await, ["memory/new/c.md"]);
    write(&folder, "MEMORY.md", "six limes");
    assert_eq!(paths(&memory, "lime").await, ["MEMORY.md"]);
    drop(memory);
    // An index that is none is made anew.
    std::fs::write(&index, "not a database, for certain".repeat(100)).unwrap();
    assert_eq!(read(&open()), (3, 3));
}

#[tokio::test]
async fn lines_of_a_file_are_read() {
    let folder = workspace("get", &[("MEMORY.md", "a\nb\nc\nd\n"), ("memory/empty.md", "")]);
    let memory = memory(&folder);
    let lines_of = |path: &str, from: u32, lines: u32, all: u32, text: &str| json!({"path": path, "from": from, "lines": lines, "totalLines": all, "text": text});
    for (path, from, lines, data) in [
        ("MEMORY.md", 2.0, 2.0, lines_of("MEMORY.md", 2, 2, 4, "b\nc")),
        ("MEMORY.md", 99.0, 9.0, lines_of("MEMORY.md", 4, 1, 4, "d")),
        ("MEMORY.md", f64::NAN, -1.0, lines_of("MEMORY.md", 1, 1, 4, "a")),
        ("memory/empty.md", 1.0, 5.0, lines_of("memory/empty.md", 1, 0, 0, "")),
        ("memory/none.md", 1.0, 5.0, json!({"path": "memory/none.md", "missing": true})),
    ] {
        assert_eq!(get(&memory, path, from, lines).await.data, data, "{path}");
    }
    for path in ["", "../x.md", "/etc/passwd", "memory/../../x.md", "notes.md", "memory/key.pem"] {
        let error = get(&memory, path, 1.0, 1.0).await.error.unwrap();
        assert_eq!(error.code.name(), "INVALID_PATH", "{path}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn hole_13_a_symbolic_link_leads_nowhere() {
    use std::os::unix::fs::symlink;
    let secret = [("secret.md", "the launch code is 0000"), ("memory/in.md", "launch code")];
    let outside = workspace("outside", &secret);
    for (name, link, target) in [
        ("link_file", "memory/secret.md", outside.join("secret.md")),
        ("link_main", "MEMORY.md", outside.join("secret.md")),
        ("link_folder", "memory/folder", outside.clone()),
        ("link_all", "memory", outside.clone()),
    ] {
        let folder = workspace(name, &[]);
        if link.starts_with("memory/") {
            std::fs::create_dir(folder.join("memory")).unwrap();
        }
        symlink(&target, folder.join(link)).unwrap();
        let memory = memory(&folder);
        let found = search(&memory, "launch code").await.data;
        assert_eq!((&found["scannedFiles"], &found["results"]), (&json!(0), &json!([])), "{name}");
        for path in ["memory/secret.md", "MEMORY.md", "memory/folder/secret.md"] {
            let read = get(&memory, path, 1.0, 9.0).await;
            let refused = read.error.as_ref().map(|error| error.code.name());
            // `link_all` leads to a folder in which it is not.
            let is_linked = folder.join(path).exists() || name == "link_all" && path != "MEMORY.md";
            assert_eq!(refused, is_linked.then_some("MEMORY_UNUSABLE"), "{name} {path}");
            assert!(!read.text.contains("0000"), "{name} {path}");
        }
    }
}

#[tokio::test]
async fn bug_07_the_limits_of_the_user_hold() {
    let texts: Vec<_> = (0..9).map(|number| format!("cat number {number}")).collect();
    let paths: Vec<_> = (0..9).map(|number| format!("memory/{number}.md")).collect();
    let files: Vec<_> = paths.iter().zip(&texts).map(|(path, text)| (&**path, &**text)).collect();
    let folder = workspace("limits", &files);
    let settings = MemorySettings { max_results: 2, min_score: 0.6, max_snippet_chars: 1 };
    let memory = Memory::open(&folder, None, settings).unwrap();
    // The numbers that a model's call has if it says nothing.
    let found = search(&memory, "cat").await.data;
    assert_eq!((found["results"].as_array().unwrap().len(), &found["minScore"]), (2, &json!(0.6)));
    assert_eq!(search(&memory, "cat dog").await.data["results"], json!([]));
    let long = workspace("long", &[("MEMORY.md", &"cat ".repeat(400))]);
    let memory = Memory::open(&long, None, settings).unwrap();
    let found = search(&memory, "cat").await.data;
    // 200 is the least.
    assert_eq!(found["results"][0]["snippet"].as_str().unwrap().chars().count(), 201);
}
