//! Journals and pages say what was, all of it, and nothing else.

use crate::doctor::OPERATOR;
use crate::journal::{Journals, everything, opened_and_clicked};
use crate::world::{World, connect_again, plain, run, run_until, soon};
use clawperator_contract::{Envelope, Failure, accept};
use clawperator_events::{Event, Pictures, digest};
use clawperator_journal::report::{IncompleteJournal, page, page_of, status, text};
use clawperator_journal::{JournalPath, Judgement, StoredJournal};
use clawperator_phone::{LeaseOptions, PackageName, Phone, PhoneLease};
use clawperator_run::operator::OperatorApp;
use clawperator_run::{Route, RunOptions};
use serde_json::{Value, json};
use std::future::pending;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const FORM: &str = "com.clawperator.form";

fn payload(actions: &Value) -> Vec<u8> {
    let payload = json!({"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": 30000,
        "expectedFormat": "android-ui-automator", "actions": actions});
    payload.to_string().into_bytes()
}

/// Runs an execution through the app, with its service on.
async fn through_the_app(world: &World, journals: &Journals, actions: Value) -> Result<Envelope, Failure> {
    world.phone.grant_operator(OPERATOR, soon()).await.unwrap();
    let checked = accept(&payload(&actions)).unwrap();
    let options = RunOptions {
        route: Route::Operator(OperatorApp::new(PackageName::usual_operator())),
        event_log: Some(journals.event_log()),
        ..RunOptions::default()
    };
    Box::pin(run(&world.phone, &checked.execution, &options)).await
}

fn commands(kept: &StoredJournal) -> Vec<&str> {
    let commands = kept.entries.iter().filter_map(|entry| match &entry.event {
        Event::Command(command) => Some(command.line.as_str()),
        _ => None,
    });
    commands.collect()
}

#[tokio::test(start_paused = true)]
async fn a_run_through_the_app_leaves_its_steps_and_its_words() {
    let world = plain().await;
    let journals = Journals::new(Pictures::Taken);
    let envelope = through_the_app(&world, &journals, opened_and_clicked("Incremnt")).await.unwrap();
    let kept = journals.only();
    let end = kept.end().unwrap();
    assert!(envelope.error.is_some() && end.message == envelope.error, "{end:?}");
    // Nothing was typed, so this is the envelope as it is printed.
    assert_eq!(end.envelope, digest(&serde_json::to_vec(&envelope).unwrap()));
    assert_eq!(end.steps, envelope.step_results.len());
    let sent = commands(&kept);
    assert!(sent.iter().any(|line| line.starts_with("payload [")), "{sent:?}");
    let page = page(&kept);
    let error = envelope.error.as_deref().unwrap();
    let shown = error.replace('"', "&quot;").replace('\'', "&#39;");
    for part in [&shown, "running in the Operator app", "Outside the steps", OPERATOR] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("data:image/png") && !page.contains(">Steps</h2></section>"));
    assert!(text(&kept).contains(error));
}

#[tokio::test(start_paused = true)]
async fn an_app_that_never_got_the_payload_ran_nothing() {
    let world = plain().await;
    let journals = Journals::new(Pictures::Left);
    let checked = accept(&payload(&opened_and_clicked("Increment"))).unwrap();
    let options = RunOptions {
        route: Route::Operator(OperatorApp::new(PackageName::parse("com.example.none").unwrap())),
        event_log: Some(journals.event_log()),
        ..RunOptions::default()
    };
    let run = Box::pin(run(&world.phone, &checked.execution, &options)).await;
    let kept = journals.only();
    let (told, page) = (text(&kept), page(&kept));
    assert!(run.is_err() && told.contains("0 steps") && told.contains("OPERATOR_NOT_INSTALLED"), "{told}");
    assert!(page.contains("stopped at 0 of 2") && !page.contains("ran these steps"));
}

#[tokio::test(start_paused = true)]
async fn a_run_through_the_app_that_went_well_counts_its_steps() {
    let world = plain().await;
    let journals = Journals::new(Pictures::Left);
    through_the_app(&world, &journals, opened_and_clicked("Increment")).await.unwrap();
    let kept = journals.only();
    assert_eq!((status(&kept), kept.end().unwrap().steps), ("success", 2));
    let page = page(&kept);
    assert!(page.contains("<bdi>2 of 2</bdi>") && page.contains("only its answer is known"));
    assert!(text(&kept).contains("run by the Operator app"));
    let timed = kept.entries.iter().any(|entry| match &entry.event {
        Event::StepEnd(end) => end.took_us.is_some(),
        _ => false,
    });
    assert!(!timed, "it is unknown how long the app's steps took");
}

#[tokio::test(start_paused = true)]
async fn no_file_has_a_password_that_one_part_of_another_gives_away() {
    let journals = Journals::new(Pictures::Left);
    let world = plain().await;
    world.phone.launch(FORM, soon()).await.unwrap();
    let id = |name: &str| json!({"resourceId": format!("com.clawperator.form:id/{name}")});
    let odd = "pa\"ss\\wOrd9";
    let actions = json!([
        {"id": "in", "type": "click", "params": {"matcher": id("open_login")}},
        {"id": "a", "type": "enter_text", "params": {"matcher": id("input_password"), "clear": true, "text": "Winter"}},
        {"id": "b", "type": "enter_text", "params": {"matcher": id("input_password"), "clear": true, "text": "Winter2024Blue"}},
        {"id": "eye", "type": "click", "params": {"matcher": id("toggle_password")}},
        {"id": "one", "type": "read_text", "params": {"matcher": id("input_password")}},
        {"id": "see", "type": "snapshot_ui", "params": {"view": "compact"}},
        {"id": "hide", "type": "click", "params": {"matcher": id("toggle_password")}},
        {"id": "c", "type": "enter_text", "params": {"matcher": id("input_password"), "clear": true, "text": odd}},
        {"id": "eye2", "type": "click", "params": {"matcher": id("toggle_password")}},
        {"id": "two", "type": "read_text", "params": {"matcher": id("input_password"), "all": true}},
        {"id": "see2", "type": "snapshot_ui", "params": {"view": "compact"}},
    ]);
    let checked = accept(&payload(&actions)).unwrap();
    let options = RunOptions { event_log: Some(journals.event_log()), ..RunOptions::default() };
    let remembering = LeaseOptions { memory: Some(journals.path.join("phones")), ..LeaseOptions::default() };
    let mut lease = PhoneLease::new(Arc::clone(&world.phone), remembering);
    let outcome =
        clawperator_run::run(&mut lease, &checked.execution, &options, Box::pin(pending())).await.unwrap();
    assert_eq!(outcome.step_results.len(), 11, "{outcome:?}");
    assert_eq!(outcome.step_results[4].data["text"], "•".repeat(14));
    assert_eq!(outcome.step_results[9].data["text"], format!("[\"{}\"]", "•".repeat(11)));
    let kept = journals.only();
    let mut all = everything(&kept) + &page(&kept) + &text(&kept);
    all += &std::fs::read_to_string(seen(&journals.path.join("phones"))).unwrap();
    // Not even a view of the screen on which the app shows it.
    all += &format!("{outcome:?}");
    for part in ["2024Blue", "wOrd9", "Winter"] {
        assert!(!all.contains(part), "{part}");
    }
    assert!(all.contains("[14 letters]"));
}

/// The pictures of a run that types a password and has the app show it, and the
/// screen at its end.
async fn pictures_of(password: &str) -> (Vec<String>, String) {
    let journals = Journals::new(Pictures::Taken);
    let world = plain().await;
    world.phone.launch(FORM, soon()).await.unwrap();
    let id = |name: &str| json!({"resourceId": format!("com.clawperator.form:id/{name}")});
    let actions = json!([
        {"id": "in", "type": "click", "params": {"matcher": id("open_login")}},
        {"id": "a", "type": "enter_text", "params": {"matcher": id("input_password"), "text": password}},
        {"id": "eye", "type": "click", "params": {"matcher": id("toggle_password")}},
        {"id": "read", "type": "read_text", "params": {"matcher": id("input_password")}},
    ]);
    let checked = accept(&payload(&actions)).unwrap();
    let options = RunOptions { event_log: Some(journals.event_log()), ..RunOptions::default() };
    let envelope = run(&world.phone, &checked.execution, &options).await.unwrap();
    assert_eq!(envelope.step_results.len(), 4, "{envelope:?}");
    let pictures = journals
        .only()
        .entries
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Picture(picture) => Some(picture.picture.clone()),
            _ => None,
        })
        .collect();
    // A connection that does not know of it.
    let phone = Phone::new(connect_again(&world).await, "other");
    (pictures, digest(&phone.screenshot(soon()).await.unwrap()))
}

#[tokio::test(start_paused = true)]
async fn no_picture_shows_a_password_that_the_app_shows() {
    let (one, at_end) = pictures_of("Winter2024Blue").await;
    let (other, other_end) = pictures_of("Summer1999Gray").await;
    assert_ne!(at_end, other_end, "the app shows it");
    assert!(one.len() >= 8, "{one:?}");
    assert_eq!(one, other);
}

fn seen(phones: &Path) -> std::path::PathBuf {
    let mut folders = std::fs::read_dir(phones).unwrap();
    folders.next().unwrap().unwrap().path().join("seen.json")
}

/// A journal of a run that went well, with pictures.
async fn some() -> (Journals, JournalPath) {
    let journals = Journals::new(Pictures::Taken);
    let world = plain().await;
    journals.run(&world.phone, opened_and_clicked("Increment")).await.unwrap();
    let found = journals.folder().list().unwrap().remove(0);
    (journals, found)
}

fn file(found: &JournalPath, start: &str) -> std::path::PathBuf {
    let mut files = std::fs::read_dir(&found.path).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.file_name().unwrap().to_str().unwrap().starts_with(start)).unwrap()
}

#[tokio::test(start_paused = true)]
async fn everything_says_the_same_of_a_journal_that_was_changed() {
    let (_journals, found) = some().await;
    let (tree, picture) = (file(&found, "tree-"), file(&found, "picture-"));
    let (packed, png) = (std::fs::read(&tree).unwrap(), std::fs::read(&picture).unwrap());
    let changed = || {
        let kept = StoredJournal::open(&found).unwrap();
        let judged = matches!(kept.judgement(), Judgement::Changed { .. });
        let (page, text) = (page(&kept), text(&kept));
        let said = [
            status(&kept) == "changed",
            page.contains("The journal was changed.") && !page.contains("The journal is whole"),
            text.contains("THE JOURNAL WAS CHANGED") && !text.contains("is whole"),
        ];
        assert_eq!(said, [judged; 3], "{text}");
        judged
    };
    assert!(!changed());
    std::fs::write(&tree, [&packed[..], b"more"].concat()).unwrap();
    assert!(changed());
    std::fs::write(&tree, [&packed[..], &packed[packed.len() - 4..]].concat()).unwrap();
    assert!(changed());
    std::fs::remove_file(&tree).unwrap();
    assert!(changed());
    std::fs::write(&tree, &packed).unwrap();
    std::fs::write(&picture, &png[..png.len() - 1]).unwrap();
    assert!(changed());
    std::fs::write(&picture, &png).unwrap();
    assert!(!changed());
}

#[tokio::test(start_paused = true)]
async fn a_renamed_an_emptied_and_an_unfinished_journal_are_called_so() {
    let (journals, found) = some().await;
    let name = found.name.replacen("2026", "2027", 1);
    let later = JournalPath { path: found.path.with_file_name(&name), name };
    std::fs::rename(&found.path, &later.path).unwrap();
    let judge = |found: &JournalPath| StoredJournal::open(found).unwrap().judgement().clone();
    assert!(matches!(judge(&later), Judgement::Changed { line: 1, .. }));
    // A journal that is taken away may get any name.
    let away = JournalPath { path: journals.path.join("mine"), name: "mine".to_owned() };
    std::fs::rename(&later.path, &away.path).unwrap();
    assert!(matches!(judge(&away), Judgement::Whole { .. }));
    let lines = away.path.join("journal.ndjson");
    let text = std::fs::read_to_string(&lines).unwrap();
    let second = text.find('\n').unwrap() + 1;
    std::fs::write(&lines, &text[..second + 9]).unwrap();
    assert_eq!(judge(&away), Judgement::CutOff { unfinished: 9 });
    std::fs::write(&lines, format!("{}rest", &text[..second])).unwrap();
    assert!(matches!(judge(&away), Judgement::Changed { line: 2, .. }));
    std::fs::write(&lines, "").unwrap();
    assert_eq!(judge(&away), Judgement::Empty);
    assert!(!Judgement::Empty.holds());
}

#[tokio::test(start_paused = true)]
async fn a_wait_is_told_as_long_as_it_was() {
    let journals = Journals::new(Pictures::Left);
    let world = plain().await;
    let checked =
        accept(&payload(&json!([{"id": "z", "type": "sleep", "params": {"durationMs": 8000}}]))).unwrap();
    let options = RunOptions { event_log: Some(journals.event_log()), ..RunOptions::default() };
    let stop = tokio::time::sleep(Duration::from_millis(300));
    let stopped = Box::pin(run_until(&world.phone, &checked.execution, &options, stop)).await;
    assert!(stopped.is_err());
    let kept = journals.only();
    let told = text(&kept);
    assert!(
        told.contains("planned to wait 8000 ms, interrupted after") && !told.contains("waited 8000"),
        "{told}"
    );
    assert!(!page(&kept).contains("8.00 s"));
}

#[tokio::test(start_paused = true)]
async fn a_wait_before_another_attempt_is_noted_with_where_it_strayed_to() {
    let journals = Journals::new(Pictures::Left);
    let world = plain().await;
    let retry = json!({"maxAttempts": 3, "initialDelayMs": 200, "jitterRatio": 0.5});
    let click = json!([{"id": "c", "type": "click", "params": {"matcher": {"textEquals": "nowhere"}, "retry": retry}}]);
    journals.run(&world.phone, click).await.unwrap();
    let kept = journals.only();
    let mut checked = 0;
    for (number, entry) in kept.entries.iter().enumerate() {
        if let Event::Wait(wait) = &entry.event {
            let Event::Command(next) = &kept.entries[number + 1].event else {
                continue;
            };
            let passed = kept.entries[number + 1].at_us - entry.at_us - next.took_us;
            let off = (passed / 1000).abs_diff(wait.ms);
            assert!(wait.ms != 200 && off < 40, "{wait:?} took {passed}");
            checked += 1;
        }
    }
    assert_eq!(checked, 2);
}

#[tokio::test(start_paused = true)]
async fn a_page_tells_how_a_run_ended_whose_journal_met_a_full_disk() {
    let (_journals, found) = some().await;
    let end = StoredJournal::open(&found).unwrap().end().cloned();
    let lines = found.path.join("journal.ndjson");
    let text = std::fs::read_to_string(&lines).unwrap();
    std::fs::write(&lines, &text[..text.len() / 2]).unwrap();
    let kept = StoredJournal::open(&found).unwrap();
    let incomplete = IncompleteJournal { trouble: "No space left <on device>".to_owned(), end };
    let told = page_of(&kept, Some(&incomplete));
    assert!(told.contains("No space left &lt;on device&gt;") && told.contains(">success</p>"));
    assert!(!told.contains("The journal is cut off"));
    assert!(page(&kept).contains("The journal is cut off"));
}

#[tokio::test(start_paused = true)]
async fn a_run_whose_journal_cannot_be_written_still_knows_its_end() {
    let journals = Journals::new(Pictures::Left);
    std::fs::write(&journals.path, "a file where a folder should be").unwrap();
    let world = plain().await;
    let log = journals.event_log();
    let press = json!([{"id": "home", "type": "press_key", "params": {"key": "home"}}]);
    let run = crate::journal::run_with(&world.phone, press, Arc::clone(&log)).await;
    assert!(run.is_ok() && log.problem().is_some());
    assert_eq!(log.end_of_run().unwrap().status, "success");
    std::fs::remove_file(&journals.path).unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_touch_that_was_not_made_is_not_told() {
    let world = plain().await;
    for (x, touched) in [(5, true), (5000, false)] {
        let journals = Journals::new(Pictures::Left);
        let actions = json!([{"id": "it", "type": "click", "params": {"coordinate": {"x": x, "y": 900}}}]);
        journals.run(&world.phone, actions).await.unwrap();
        let kept = journals.only();
        let touches = kept.entries.iter().filter_map(|entry| match &entry.event {
            Event::Touch(touch) => Some(touch.at),
            _ => None,
        });
        let touches: Vec<_> = touches.collect();
        assert_eq!(touches, if touched { vec![[x, 900]] } else { Vec::new() });
        let sent = commands(&kept);
        assert!(matches!(sent[..], [line] if line.contains(&format!("'{x}' '900' wanted='-'"))), "{sent:?}");
        assert_eq!(page(&kept).contains("tapped at"), touched);
    }
}
