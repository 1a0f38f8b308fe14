//! Reading, writing and editing files.

use super::*;
use serde_json::json;
use std::os::unix::fs::symlink;

#[tokio::test]
async fn lines_of_a_file_are_read() {
    let place = Place::new();
    place.put("a.txt", "1\n2\n3\n4\n");
    let read = place.call("read", json!({"path": "a.txt", "from": 2, "lines": 2})).await;
    assert_eq!(read.text, "a.txt: lines 2 to 3 of 4\n2\n3");
    assert_eq!(read.data["totalLines"], 4);
    let read = place.call("read", json!({"path": "a.txt", "from": 9})).await;
    assert_eq!(read.text, "a.txt: no lines from 9 of 4\n");
    place.put("long", "x".repeat(50_000));
    let read = place.call("read", json!({"path": "long"})).await;
    assert!(read.text.len() < 13_000 && read.data["truncated"] == true);
    place.put("bytes", [0xff, 0xfe]);
    assert_eq!(code(&place.call("read", json!({"path": "bytes"})).await), "WORKSPACE_FILE_FAILED");
    assert_eq!(code(&place.call("read", json!({"path": "none"})).await), "WORKSPACE_FILE_FAILED");
    assert_eq!(code(&place.call("read", json!({"path": ""})).await), "MISSING_ARGUMENT");
    assert_eq!(code(&place.call("read", json!({"path": "."})).await), "WORKSPACE_FILE_FAILED");
}

/// The default back end of the original advertises five features and refuses them.
#[tokio::test]
async fn bug_08_what_is_advertised_works() {
    let place = Place::new();
    place.put("a", "x x\n");
    for (tool, args) in [
        ("write", json!({"path": "a", "content": "more\n", "append": true})),
        ("edit", json!({"path": "a", "find": "x", "replace": "y", "replaceAll": true})),
        ("apply_patch", json!({"input": "*** Begin Patch\n*** Add File: b\n+1\n*** End Patch"})),
        ("exec", json!({"command": "cat", "background": true})),
        ("process", json!({"action": "list"})),
    ] {
        let result = place.call(tool, args).await;
        assert!(result.ok, "{tool}: {result:?}");
    }
    assert_eq!(place.get("a"), "y y\nmore\n");
}

/// Artifacts of approvals are outside the workspace, and the original's `read`
/// refuses them.
#[tokio::test]
async fn bug_09_artifacts_of_approvals_can_be_read_and_not_written() {
    let place = Place::new();
    let artifacts = place.root.join("outside");
    let mut settings = WorkspaceSettings::new(env!("CARGO_BIN_EXE_agent-sandbox-launcher"));
    settings.read.push(artifacts.clone());
    let place = place.with(settings);
    let path = artifacts.join("secret").display().to_string();
    let read = place.call("read", json!({"path": path})).await;
    assert_eq!(read.data["content"], "hunter2", "{read:?}");
    let write = place.call("write", json!({"path": path, "content": "x"})).await;
    assert_eq!(code(&write), "WORKSPACE_PATH_OUTSIDE");
    symlink("/etc/passwd", artifacts.join("link")).unwrap();
    let link = artifacts.join("link").display().to_string();
    assert_eq!(code(&place.call("read", json!({"path": link})).await), "WORKSPACE_PATH_OUTSIDE");
}

#[tokio::test]
async fn a_file_is_written_whole_and_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    assert!(place.call("write", json!({"path": "deep/er/a", "content": "x"})).await.ok);
    assert_eq!(place.get("deep/er/a"), "x");
    place.put("tool", "old");
    fs::set_permissions(place.work().join("tool"), fs::Permissions::from_mode(0o750)).unwrap();
    assert!(place.call("write", json!({"path": "tool", "content": "new"})).await.ok);
    let mode = fs::metadata(place.work().join("tool")).unwrap().permissions().mode();
    assert_eq!((place.get("tool").as_str(), mode & 0o777), ("new", 0o750));
    let left = fs::read_dir(place.work()).unwrap();
    assert!(left.into_iter().all(|entry| !entry.unwrap().file_name().to_string_lossy().contains("tmp")));
    assert_eq!(
        code(&place.call("write", json!({"path": "deep", "content": ""})).await),
        "WORKSPACE_FILE_FAILED"
    );
    assert_eq!(
        code(&place.call("write", json!({"path": "tool/x", "content": ""})).await),
        "WORKSPACE_FILE_FAILED"
    );
}

#[tokio::test]
async fn hole_13_no_path_and_no_link_leads_out() {
    let place = Place::new();
    let outside = place.root.join("outside");
    symlink(&outside, place.work().join("folder")).unwrap();
    symlink(outside.join("secret"), place.work().join("link")).unwrap();
    symlink("../outside/secret", place.work().join("relative")).unwrap();
    symlink("/proc/self/root", place.work().join("magic")).unwrap();
    let absolute = outside.join("secret");
    for path in [
        "link",
        "relative",
        "folder/secret",
        "../outside/secret",
        "a/../../outside/secret",
        absolute.to_str().unwrap(),
        "/etc/passwd",
        "~/x",
        &format!("magic{}", absolute.display()),
    ] {
        for (tool, args) in [
            ("read", json!({"path": path})),
            ("write", json!({"path": path, "content": "gone", "append": true})),
            ("edit", json!({"path": path, "find": "hunter2", "replace": "gone"})),
            ("exec", json!({"command": "ls", "workdir": path})),
        ] {
            let result = place.call(tool, args).await;
            assert!(!result.ok && !result.text.contains("hunter2"), "{tool} {path}: {result:?}");
        }
        // A link itself may be replaced; what it names stays.
        place.call("write", json!({"path": path, "content": "gone"})).await;
        let patch = format!("*** Begin Patch\n*** Add File: {path}\n+gone\n*** End Patch");
        place.call("apply_patch", json!({"input": patch})).await;
    }
    assert_eq!(fs::read_to_string(outside.join("secret")).unwrap(), "hunter2");
    assert_eq!(fs::read_dir(outside).unwrap().count(), 1);
}

#[tokio::test]
async fn a_link_and_a_name_that_stay_inside_are_fine() {
    let place = Place::new();
    place.put("real", "text");
    place.put("..hidden", "dots");
    symlink("real", place.work().join("link")).unwrap();
    let absolute = place.work().join("real");
    for path in ["link", "./real", "x/../real", absolute.to_str().unwrap()] {
        assert!(place.call("read", json!({"path": path})).await.ok, "{path}");
    }
    assert!(place.call("read", json!({"path": "..hidden"})).await.ok);
}

#[tokio::test]
async fn hole_13_a_link_that_is_swapped_all_the_time_never_leads_out() {
    let place = Place::new();
    place.put("inside/secret", "mine");
    let swapping = Swapping::begin(&place);
    let mut read = 0;
    for round in 0..20_000 {
        let result = place.call("read", json!({"path": "folder/secret"})).await;
        assert!(!result.text.contains("hunter2"));
        read += usize::from(result.ok);
        let content = format!("mine {round}");
        place.call("write", json!({"path": "folder/other", "content": content})).await;
        if round > 500 && read > 100 {
            break;
        }
    }
    swapping.end();
    assert!(read > 0, "the link never led inside");
    assert_eq!(fs::read_dir(place.root.join("outside")).unwrap().count(), 1);
}

#[tokio::test]
async fn a_pipe_holds_nobody() {
    let place = Place::new();
    let pipe = place.work().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    for (tool, args) in [
        ("read", json!({"path": "pipe"})),
        ("write", json!({"path": "pipe", "content": "x", "append": true})),
        ("write", json!({"path": "pipe", "content": "x"})),
    ] {
        assert_eq!(code(&place.call(tool, args).await), "WORKSPACE_FILE_FAILED", "{tool}");
    }
}

#[tokio::test]
async fn facts_5_2_an_edit_takes_a_replacement_literally() {
    let place = Place::new();
    place.put("a", "price: X");
    let args = json!({"path": "a", "find": "X", "replace": "$& $$ $1 \\1"});
    assert!(place.call("edit", args).await.ok);
    assert_eq!(place.get("a"), "price: $& $$ $1 \\1");
}

#[tokio::test]
async fn an_edit_changes_what_is_meant_or_nothing() {
    let place = Place::new();
    place.put("a", "x y x");
    for (find, replace_all, expected, text) in [
        ("z", false, "WORKSPACE_EDIT_FAILED", "x y x"),
        ("", false, "WORKSPACE_EDIT_FAILED", "x y x"),
        ("x", false, "WORKSPACE_EDIT_FAILED", "x y x"),
        ("y", false, "none", "x new x"),
        ("x", true, "none", "new new new"),
    ] {
        let args = json!({"path": "a", "find": find, "replace": "new", "replaceAll": replace_all});
        assert_eq!(code(&place.call("edit", args).await), expected, "{find}");
        assert_eq!(place.get("a"), text);
    }
}

#[tokio::test]
async fn facts_5_3_an_edit_keeps_the_line_ends_of_a_file() {
    let place = Place::new();
    place.put("a", "one\r\ntwo\r\nthree\r\n");
    let args = json!({"path": "a", "find": "one\ntwo", "replace": "1\n2"});
    assert!(place.call("edit", args).await.ok);
    assert_eq!(place.get("a"), "1\r\n2\r\nthree\r\n");
}
