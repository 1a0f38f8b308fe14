//! Views, refs and searches on the simulated phone.

use crate::world::{World, faulty, plain};
use clawperator_contract::{StepResult, accept};
use clawperator_phone::{LeaseOptions, Phone, PhoneLease};
use clawperator_run::{RunOptions, Strictness};
use serde_json::{Value, json};
use std::future::pending;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

const CONFORMANCE: &str = "com.clawperator.conformance";

/// A folder of this test's own that ends with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("clawperator-views-{}-{number}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs actions in one execution, each with a number for an id.
async fn run_with(phone: &Arc<Phone>, memory: Option<&Path>, steps: &[(&str, Value)]) -> Vec<StepResult> {
    let actions: Vec<Value> = steps
        .iter()
        .enumerate()
        .map(|(number, (kind, params))| json!({"id": format!("a{number}"), "type": kind, "params": params}))
        .collect();
    let payload = json!({"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": 60000,
        "expectedFormat": "android-ui-automator", "actions": actions});
    let checked = accept(payload.to_string().as_bytes()).unwrap();
    let options = RunOptions {
        strictness: Strictness::First,
        seed: 1,
        pictures: std::env::temp_dir(),
        now_ms: 1,
        ..RunOptions::default()
    };
    let remembering = LeaseOptions { memory: memory.map(Path::to_path_buf), ..LeaseOptions::default() };
    let mut lease = PhoneLease::new(Arc::clone(phone), remembering);
    let ran = clawperator_run::run(&mut lease, &checked.execution, &options, Box::pin(pending())).await;
    ran.unwrap().step_results
}

/// One action on what is remembered in a folder.
async fn one(phone: &Arc<Phone>, memory: &Folder, kind: &str, params: Value) -> StepResult {
    let mut results = run_with(phone, Some(&memory.0), &[(kind, params)]).await;
    results.pop().unwrap()
}

async fn open(app: &str) -> World {
    let world = plain().await;
    let results = run_with(&world.phone, None, &[("open_app", json!({"applicationId": app}))]).await;
    assert!(results[0].success, "{results:?}");
    world
}

/// The ref of the line that says something.
fn ref_of(view: &str, said: &str) -> String {
    let line = view.lines().find(|line| line.contains(said));
    let line = line.unwrap_or_else(|| panic!("{said} is not in\n{view}"));
    line.trim_start_matches(['+', '~', '-', ' ']).split(' ').next().unwrap().to_owned()
}

fn error(step: &StepResult) -> &str {
    step.data.get("error").map_or("", String::as_str)
}

#[tokio::test(start_paused = true)]
async fn a_ref_is_clicked_and_read_and_holds_while_a_counter_counts() {
    let world = open(CONFORMANCE).await;
    let memory = Folder::new();
    let seen = one(&world.phone, &memory, "snapshot_ui", json!({"view": "compact"})).await;
    let name = ref_of(&seen.data["text"], "\"Increment\"");
    for _ in 0..2 {
        // Each of these is a session of its own: the ref is read from the file.
        let params = json!({"matcher": {"ref": name}, "retry": {"maxAttempts": 1}});
        let click = one(&world.phone, &memory, "click", params.clone()).await;
        assert!(click.success, "{click:?}");
        // The counter has changed, which is not what the button means.
        let again = one(&world.phone, &memory, "click", params).await;
        assert!(again.success, "{again:?}");
        let seen = one(&world.phone, &memory, "snapshot_ui", json!({"diff": true})).await;
        assert_eq!(seen.data["change"], "some", "{seen:?}");
    }
    let read = one(&world.phone, &memory, "read_text", json!({"matcher": {"textContains": "counter"}})).await;
    assert_eq!(read.data["text"], "Counter: 4");
    let again = one(&world.phone, &memory, "snapshot_ui", json!({"view": "compact"})).await;
    assert_eq!(ref_of(&again.data["text"], "\"Increment\""), name);
    let read = one(&world.phone, &memory, "read_text", json!({"matcher": {"ref": name}})).await;
    assert_eq!(read.data["text"], "Increment");
    // Every field of a matcher must fit.
    let matcher = json!({"ref": name, "textEquals": "Decrement"});
    let params = json!({"matcher": matcher, "retry": {"maxAttempts": 1}});
    let other = one(&world.phone, &memory, "click", params).await;
    assert_eq!(error(&other), "NODE_NOT_FOUND");
}

#[tokio::test(start_paused = true)]
async fn a_ref_of_another_screen_is_stale_and_nothing_is_touched() {
    let world = open(CONFORMANCE).await;
    let memory = Folder::new();
    let seen = one(&world.phone, &memory, "snapshot_ui", json!({"view": "compact"})).await;
    let name = ref_of(&seen.data["text"], "\"Increment\"");
    let home = one(&world.phone, &memory, "open_app", json!({"applicationId": "com.android.settings"})).await;
    assert!(home.success);
    let before = world.phone.round_trips();
    for kind in ["click", "read_text", "wait_for_node"] {
        let params = json!({"matcher": {"ref": name}, "retry": {"maxAttempts": 1}});
        let step = one(&world.phone, &memory, kind, params).await;
        assert_eq!(error(&step), "REF_STALE", "{kind} {step:?}");
        assert_eq!(step.data["dispatched"], "no");
        assert!(step.data["message"].contains("Increment"), "{step:?}");
        assert!(!step.data["stands_there"].is_empty(), "{step:?}");
    }
    // Three looks, each with a question for the lock, and not one touch.
    assert_eq!(world.phone.round_trips() - before, 6);
    let unknown = one(&world.phone, &memory, "click", json!({"matcher": {"ref": "@e999"}})).await;
    assert_eq!(error(&unknown), "REF_STALE");
    // Back where it was given, it holds again.
    one(&world.phone, &memory, "open_app", json!({"applicationId": CONFORMANCE})).await;
    let click = one(&world.phone, &memory, "click", json!({"matcher": {"ref": name}})).await;
    assert!(click.success, "{click:?}");
}

#[tokio::test(start_paused = true)]
async fn without_a_memory_refs_hold_for_one_execution() {
    let world = open(CONFORMANCE).await;
    let snapshot = ("snapshot_ui", json!({"view": "compact"}));
    let seen = run_with(&world.phone, None, std::slice::from_ref(&snapshot)).await;
    let name = ref_of(&seen[0].data["text"], "\"Increment\"");
    let click = ("click", json!({"matcher": {"ref": name}}));
    let both = run_with(&world.phone, None, &[snapshot, click.clone()]).await;
    assert!(both[1].success, "{both:?}");
    let later = run_with(&world.phone, None, &[click]).await;
    assert_eq!(error(&later[0]), "REF_STALE");
}

#[tokio::test(start_paused = true)]
async fn a_list_is_scrolled_and_a_field_filled_by_ref() {
    let world = open("com.android.settings").await;
    let memory = Folder::new();
    let seen = one(&world.phone, &memory, "snapshot_ui", json!({"view": "compact"})).await;
    let list = ref_of(&seen.data["text"], "scrollable");
    for _ in 0..2 {
        let scrolled = one(&world.phone, &memory, "scroll", json!({"container": {"ref": list}})).await;
        assert_eq!(scrolled.data["scroll_outcome"], "moved", "{scrolled:?}");
    }
    let stale = one(&world.phone, &memory, "scroll", json!({"container": {"ref": "@e77"}})).await;
    assert_eq!(error(&stale), "REF_STALE");

    let world = open("com.clawperator.form").await;
    let memory = Folder::new();
    one(
        &world.phone,
        &memory,
        "click",
        json!({"matcher": {"resourceId": "com.clawperator.form:id/open_notes"}}),
    )
    .await;
    let seen = one(&world.phone, &memory, "snapshot_ui", json!({"view": "compact"})).await;
    let field = ref_of(&seen.data["text"], "textfield");
    for text in ["tea", "coffee"] {
        let params = json!({"matcher": {"ref": field}, "text": text});
        let typed = one(&world.phone, &memory, "enter_text", params).await;
        assert!(typed.success, "{typed:?}");
    }
    let seen = one(&world.phone, &memory, "snapshot_ui", json!({"view": "compact"})).await;
    assert!(seen.data["text"].contains("= \"coffee\""), "{}", seen.data["text"]);
}

#[tokio::test(start_paused = true)]
async fn a_search_lists_what_fits_and_finds_nothing_with_success() {
    let world = open(CONFORMANCE).await;
    let memory = Folder::new();
    let found = one(&world.phone, &memory, "query", json!({"matcher": {"role": "button"}, "limit": 1})).await;
    let query: Value = serde_json::from_str(&found.data["query"]).unwrap();
    assert_eq!((&query["returnedCount"], &query["truncated"]), (&json!(1), &json!(true)), "{query}");
    assert!(query["totalMatches"].as_u64().unwrap() > 1);
    let node = &query["nodes"][0];
    assert_eq!(node["role"], "button");
    assert!(node["bounds"]["right"].as_i64() > node["bounds"]["left"].as_i64());
    let click = one(&world.phone, &memory, "click", json!({"matcher": {"ref": node["ref"]}})).await;
    assert!(click.success, "{click:?}");
    let nothing = one(&world.phone, &memory, "query", json!({"matcher": {"textEquals": "nowhere"}})).await;
    let query: Value = serde_json::from_str(&nothing.data["query"]).unwrap();
    assert_eq!((nothing.success, &query["totalMatches"]), (true, &json!(0)));
    let all = one(&world.phone, &memory, "query", json!({"visibility": "all", "limit": 1000})).await;
    let query: Value = serde_json::from_str(&all.data["query"]).unwrap();
    assert_eq!(query["totalMatches"], world.tree().await.len());
}

#[tokio::test(start_paused = true)]
async fn absence_is_waited_for_and_an_unseen_screen_is_no_absence() {
    let world = open(CONFORMANCE).await;
    let memory = Folder::new();
    let wait = |text: &str| json!({"matcher": {"textEquals": text}, "gone": true, "timeoutMs": 1000});
    let gone = one(&world.phone, &memory, "wait_for_node", wait("nowhere")).await;
    assert_eq!((gone.success, gone.data["count"].as_str()), (true, "0"));
    let there = one(&world.phone, &memory, "wait_for_node", wait("Increment")).await;
    assert_eq!(error(&there), "NODE_STILL_PRESENT", "{there:?}");
    let world = faulty(&["dump_not_idle"]).await;
    let unseen = one(&world.phone, &memory, "wait_for_node", wait("nowhere")).await;
    assert_eq!(error(&unseen), "SNAPSHOT_EXTRACTION_FAILED", "{unseen:?}");
}

#[tokio::test(start_paused = true)]
async fn only_what_changed_is_told() {
    let world = open(CONFORMANCE).await;
    let memory = Folder::new();
    let diff = || one(&world.phone, &memory, "snapshot_ui", json!({"diff": true}));
    let first = diff().await;
    assert_eq!(first.data["change"], "first");
    assert!(first.data["text"].contains("Increment"));
    let same = diff().await;
    assert_eq!(
        (same.data["change"].as_str(), same.data["text"].as_str()),
        ("none", "no change\napp: com.clawperator.conformance, page \"Conformance\"")
    );
    one(&world.phone, &memory, "click", json!({"matcher": {"textEquals": "Increment"}})).await;
    let some = diff().await;
    assert_eq!(some.data["change"], "some");
    assert!(some.data["text"].contains("Counter: 1"), "{}", some.data["text"]);
    assert!(!some.data["text"].contains("Increment"), "{}", some.data["text"]);
    // A hierarchy counts as a view, too.
    one(&world.phone, &memory, "open_app", json!({"applicationId": "com.android.settings"})).await;
    one(&world.phone, &memory, "snapshot_ui", json!({})).await;
    assert_eq!(diff().await.data["change"], "none");
}

#[tokio::test(start_paused = true)]
async fn a_budget_is_kept_and_says_what_it_cost() {
    let world = open("com.android.settings").await;
    let memory = Folder::new();
    for (budget, view) in [(1, "compact"), (20, "compact"), (90, "compact"), (300, "json")] {
        let params = json!({"budget": budget, "view": view});
        let seen = one(&world.phone, &memory, "snapshot_ui", params).await;
        let tokens: usize = seen.data["tokens"].parse().unwrap();
        assert!(tokens <= budget, "{seen:?}");
        assert!(!seen.data["omitted"].is_empty());
        assert_eq!(seen.data["view"], view);
    }
}

#[tokio::test(start_paused = true)]
async fn a_memory_that_cannot_be_read_begins_anew_and_says_so() {
    let world = open(CONFORMANCE).await;
    let memory = Folder::new();
    let seen = one(&world.phone, &memory, "snapshot_ui", json!({"view": "compact"})).await;
    assert!(!seen.data.contains_key("memory_warning"), "{seen:?}");
    let folder = std::fs::read_dir(&memory.0).unwrap().next().unwrap().unwrap().path();
    let file = folder.join("seen.json");
    let whole = std::fs::read_to_string(&file).unwrap();
    let first_of = |seen: &StepResult| -> u32 {
        let (_, name) = seen.data["text"].split_once("@e").unwrap();
        name.split(' ').next().unwrap().parse().unwrap()
    };
    let mut last = first_of(&seen);
    for spoilt in [
        &whole[..whole.len() / 2],
        "",
        "[]",
        "{\"version\":99,\"views\":{}}",
        &whole.replace("\"last\":", "\"last\":\"x"),
    ] {
        std::fs::write(&file, spoilt).unwrap();
        let stale = one(&world.phone, &memory, "click", json!({"matcher": {"ref": "@e1"}})).await;
        assert_eq!(error(&stale), "REF_STALE", "{spoilt}");
        let seen = one(&world.phone, &memory, "snapshot_ui", json!({"view": "compact"})).await;
        assert!(seen.success && seen.data.contains_key("memory_warning"), "{spoilt}");
        let seen = one(&world.phone, &memory, "snapshot_ui", json!({"view": "compact"})).await;
        assert!(!seen.data.contains_key("memory_warning"));
        // No number is given twice.
        assert!(first_of(&seen) > last, "{}", seen.data["text"]);
        last = first_of(&seen);
    }
    std::fs::remove_file(&file).unwrap();
    let seen = one(&world.phone, &memory, "snapshot_ui", json!({"view": "compact"})).await;
    assert!(first_of(&seen) > last, "{}", seen.data["text"]);
    // Without its file the last number is unknown, whatever else is lost; a
    // device in place of a file is not read for ever.
    for lost in [Some(""), None, Some("/dev/zero")] {
        std::fs::remove_file(folder.join("last_ref")).unwrap();
        std::fs::remove_file(&file).unwrap();
        match lost {
            Some(device) if !device.is_empty() => std::os::unix::fs::symlink(device, &file).unwrap(),
            Some(text) => std::fs::write(&file, text).unwrap(),
            None => {}
        }
        let seen = one(&world.phone, &memory, "snapshot_ui", json!({"view": "compact"})).await;
        assert_eq!(first_of(&seen), 100_001, "{}", seen.data["text"]);
    }
    // Where nothing can be kept, the answer has the snapshot all the same.
    let nowhere = Folder(file.join("no-folder"));
    let seen = one(&world.phone, &nowhere, "snapshot_ui", json!({"view": "compact"})).await;
    assert!(seen.success && seen.data.contains_key("memory_warning"), "{seen:?}");
}

#[tokio::test(start_paused = true)]
async fn each_reader_learns_what_changed_since_its_own_look() {
    let world = open(CONFORMANCE).await;
    let memory = Folder::new();
    let look = async |since: Option<&str>| {
        let params = match since {
            Some(id) => json!({"since": id}),
            None => json!({"view": "compact"}),
        };
        one(&world.phone, &memory, "snapshot_ui", params).await
    };
    let first = look(None).await;
    // Another reader toggles a switch, counts, and looks.
    for text in ["Enabled", "Increment"] {
        let params = json!({"matcher": {"textEquals": text}});
        assert!(one(&world.phone, &memory, "click", params).await.success);
    }
    let other = look(None).await;
    assert_ne!(first.data["snapshot_id"], other.data["snapshot_id"]);
    // The first one has seen none of it; the other one has seen all.
    let news = look(Some(&first.data["snapshot_id"])).await;
    assert_eq!(news.data["change"], "some");
    let text = &news.data["text"];
    assert!(text.contains("\"Enabled\" checked") && text.contains("Counter: 1"), "{text}");
    let nothing = look(Some(&other.data["snapshot_id"])).await;
    assert!(nothing.data["text"].starts_with("no change\napp: "), "{nothing:?}");
    // What was not seen, or what is forgotten, is no base: the view is whole.
    for unknown in ["00000000000000b8-7", "nonsense", "🙂"] {
        let whole = look(Some(unknown)).await;
        assert_eq!((whole.data["change"].as_str(), &whole.data["text"]), ("first", &other.data["text"]));
    }
}
