//! Template files of approvals are read inside the workspace.

use super::{Place, Swapping};
use clawperator_agent::action::UiTemplate;
use clawperator_agent::approval::with_template_file;
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;

#[test]
fn a_file_of_the_workspace_is_merged_and_nothing_else_is_read() {
    let place = Place::new();
    let file = json!({"title": "File", "summary": "File", "style": {"brandColor": "#123456"}, "odd": 1});
    place.put("templates/a.json", file.to_string());
    place.put("list.json", "[]");
    place.put("large.json", format!("{{\"title\": \"{}\"}}", "x".repeat(300 << 10)));
    fs::write(place.root.join("secret.json"), "{}").unwrap();
    let inline: UiTemplate =
        serde_json::from_value(json!({"title": "Inline", "style": {"fontFamily": "serif"}})).unwrap();
    let read = with_template_file(&place.workspace, "templates/a.json", Some(&inline));
    let (template, left_out) = read.unwrap();
    assert_eq!(left_out, ["odd"]);
    let expected = json!({"title": "Inline", "summary": "File",
        "style": {"brandColor": "#123456", "fontFamily": "serif"}});
    assert_eq!(template, serde_json::from_value(expected).unwrap());
    symlink(place.root.join("secret.json"), place.work().join("link.json")).unwrap();
    for (path, code) in [
        ("../secret.json", "WORKSPACE_PATH_OUTSIDE"),
        ("/etc/passwd.json", "WORKSPACE_PATH_OUTSIDE"),
        ("link.json", "WORKSPACE_PATH_OUTSIDE"),
        ("none.json", "WORKSPACE_FILE_FAILED"),
        ("templates/a.txt", "APPROVAL_INVALID"),
        ("list.json", "APPROVAL_INVALID"),
        ("large.json", "APPROVAL_INVALID"),
        ("", "APPROVAL_INVALID"),
    ] {
        let error = with_template_file(&place.workspace, path, None).unwrap_err();
        assert_eq!(error.code.name(), code, "{path}");
    }
}

/// A program of the workspace swaps the folder between the check and the use.
#[test]
fn hole_13_a_template_behind_a_swapped_link_never_leads_out() {
    let place = Place::new();
    place.put("inside/a.json", r#"{"title": "mine"}"#);
    fs::write(place.root.join("outside/a.json"), r#"{"title": "hunter2"}"#).unwrap();
    let swapping = Swapping::begin(&place);
    let mut read = 0;
    for round in 0..200_000 {
        if let Ok((template, _)) = with_template_file(&place.workspace, "folder/a.json", None) {
            assert_eq!(template.title.as_deref(), Some("mine"));
            read += 1;
        }
        if round > 5_000 && read > 100 {
            break;
        }
    }
    swapping.end();
    assert!(read > 0, "the link never led inside");
}
