//! What a person gave is typed by name, and no other caller gets it.

use crate::person::Person;
use crate::toolbox::{World, code};
use clawperator_agent::model::{Model, Script};
use clawperator_agent::result::{Dispatched, ToolResult};
use clawperator_agent::session::{BeginEntry, Session, SessionId, Status, StoredSession, script};
use clawperator_agent::snapshot::{Observer, ScreenImage, SnapshotOptions};
use clawperator_agent::task::{PhoneHands, Task, TaskClock, TaskPlan, run};
use clawperator_agent::toolbox::{Approval, Toolbox};
use clawperator_contract::ErrorCode;
use clawperator_phone::vault::{ValueScope, Vault, VaultEntry};
use clawperator_phone::{Deadline, Secret};
use clawperator_sim::ask;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const LOGIN: &str = "am start -n com.clawperator.form/.LoginActivity";
const ORDER: &str = "am start -n com.clawperator.form/.OrderActivity";
const USER: &str = "walter@example.com";
const PASSWORD: &str = "hunter2-Straße";

fn login() -> Value {
    json!({"capability": "oauth", "instruction": "Sign in, please.", "uiTemplate": {
        "artifactKind": "credentials", "requireArtifactOnApprove": true, "fields": [
            {"id": "username", "label": "User", "type": "email", "required": true},
            {"id": "password", "label": "Password", "type": "password", "required": true}]}})
}

fn person() -> Person {
    Person::giving(Some(json!({"fields": {"username": USER, "password": PASSWORD}})))
}

/// The tools of a session with a person.
fn with(person: &Person) -> Toolbox {
    Toolbox { people: Some(person.people()), vault: Some(Arc::default()), ..Toolbox::default() }
}

fn deadline() -> Deadline {
    Deadline::after(Duration::from_secs(60))
}

fn tells_nothing(what: &impl std::fmt::Debug) {
    let shown = format!("{what:?}");
    assert!(!shown.contains("walter") && !shown.contains("hunter2"), "{shown}");
}

async fn answered(world: &mut World, toolbox: &Toolbox, person: &Person, tool: (&str, Value)) -> ToolResult {
    tokio::select! {
        result = world.call(toolbox, tool.0, tool.1) => result,
        () = person.answer(async || {}) => unreachable!(),
    }
}

#[tokio::test(start_paused = true)]
async fn a_login_is_typed_by_name_and_nobody_sees_it() {
    let mut world = World::new(LOGIN).await;
    let person = person();
    let toolbox = with(&person);
    let given = answered(&mut world, &toolbox, &person, ("request_human_auth", login())).await;
    assert!(given.ok && given.dispatched == Dispatched::No, "{given:?}");
    assert!(given.text.contains("{{secret:credentials.username}}"), "{given:?}");
    tells_nothing(&given);
    for (field, name) in [
        ("input_email", "{{secret:credentials.username}}"),
        ("input_password", "{{secret:credentials.password}}"),
    ] {
        let at = world.center(field).await;
        assert!(world.call(&toolbox, "tap", at).await.ok);
        let typed = world.call(&toolbox, "type_text", json!({"text": name})).await;
        assert!(typed.ok && typed.dispatched == Dispatched::Yes, "{typed:?}");
        tells_nothing(&typed);
        tells_nothing(&world.lease.screen(deadline()).await.unwrap());
    }
    // The phone has the name, and a model that asks the phone's shell does not.
    let dump = "uiautomator dump /dev/tty";
    let shown = ask(&world.handset, &world.welcome, dump).await.unwrap();
    assert!(shown.contains(USER), "{shown}");
    let person = Person::new(Some("yes"));
    let toolbox = Toolbox { people: Some(person.people()), ..toolbox };
    let printed = answered(&mut world, &toolbox, &person, ("shell", json!({"command": dump}))).await;
    assert!(printed.ok && printed.text.contains("hierarchy"), "{printed:?}");
    tells_nothing(&printed);
}

#[tokio::test(start_paused = true)]
async fn what_was_typed_by_name_is_black_in_the_picture() {
    let mut world = World::new(LOGIN).await;
    let person = person();
    let toolbox = with(&person);
    answered(&mut world, &toolbox, &person, ("request_human_auth", login())).await;
    let at = world.center("input_email").await;
    world.call(&toolbox, "tap", at).await;
    let text = json!({"text": "{{secret:credentials.username}}"});
    assert!(world.call(&toolbox, "type_text", text).await.ok);
    let mut observer = Observer::new(clawperator_events::Clock::new(|| 0));
    let options = SnapshotOptions::default();
    let seen = observer.observe(&mut world.lease, &options, deadline());
    let seen = seen.await.unwrap();
    tells_nothing(&seen.ui_elements);
    let mut elements = seen.ui_elements.iter();
    let field = elements.find(|element| element.resource_id.ends_with("input_email"));
    let bounds = field.unwrap().scaled_bounds;
    let area = clawperator_paint::Area::new(bounds.left, bounds.top, bounds.right, bounds.bottom);
    let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, &seen.screenshot_base64);
    let shown = ScreenImage::decode(&bytes.unwrap()).unwrap();
    let mut black = shown.clone();
    black.blank([area]);
    assert!(black.shows_the_same(&shown, area));
}

#[tokio::test(start_paused = true)]
async fn an_unknown_name_is_refused_and_the_known_ones_are_told() {
    let mut world = World::new(LOGIN).await;
    let person = person();
    let toolbox = with(&person);
    let at = world.center("input_email").await;
    world.call(&toolbox, "tap", at).await;
    let wrong = json!({"text": "{{secret:credentials.pin}}"});
    let result = world.call(&toolbox, "type_text", wrong.clone()).await;
    assert_eq!(code(result), ErrorCode::SecretUnknown);
    answered(&mut world, &toolbox, &person, ("request_human_auth", login())).await;
    let result = world.call(&toolbox, "type_text", wrong).await;
    assert!(result.text.contains("credentials.password"), "{result:?}");
    assert_eq!(code(result), ErrorCode::SecretUnknown);
    // One call alone has no session, so nothing can be named.
    let alone = Toolbox { vault: None, ..toolbox };
    let given = answered(&mut world, &alone, &person, ("request_human_auth", login())).await;
    assert!(given.ok && given.text.contains("forgotten"), "{given:?}");
    assert!(!given.text.contains("{{secret:"), "{given:?}");
    let result = world.call(&alone, "type_text", json!({"text": "{{secret:credentials.password}}"})).await;
    assert_eq!(code(result), ErrorCode::SecretUnknown);
    let dump = ask(&world.handset, &world.welcome, "uiautomator dump /dev/tty").await;
    assert!(!dump.unwrap().contains("secret:"), "a name is never typed");
}

/// A screen that talks a model into it does not get the password of another app.
#[tokio::test(start_paused = true)]
async fn in_another_app_a_person_is_asked_first() {
    let mut world = World::new(LOGIN).await;
    let giving = person();
    let toolbox = with(&giving);
    answered(&mut world, &toolbox, &giving, ("request_human_auth", login())).await;
    let evil = "am start -n com.clawperator.messenger/.ConversationListActivity";
    ask(&world.handset, &world.welcome, evil).await.unwrap();
    for says in ["Alan Turing", "compose_message_text"] {
        let at = world.center(says).await;
        assert!(world.call(&toolbox, "tap", at).await.ok);
    }
    let refusing = Person::new(None);
    let toolbox = Toolbox { people: Some(refusing.people()), ..toolbox };
    let text = json!({"text": "{{secret:credentials.password}}"});
    let result = answered(&mut world, &toolbox, &refusing, ("type_text", text)).await;
    assert_eq!(code(result), ErrorCode::ApprovalRejected);
    let asked = refusing.requests().await;
    let words = &asked[0].asked.instruction;
    assert!(
        words.contains("com.clawperator.messenger") && words.contains("{{secret:credentials.password}}"),
        "{words}"
    );
    tells_nothing(&asked);
}

/// A field that is not in focus is no reason to ask the person twice.
#[tokio::test(start_paused = true)]
async fn a_text_that_was_not_typed_is_typed_by_name_later() {
    let mut world = World::new(ORDER).await;
    let person = Person::new(Some("walter-491823"));
    let toolbox = with(&person);
    let request = json!({"capability": "2fa", "instruction": "The code, please."});
    let result = answered(&mut world, &toolbox, &person, ("request_human_auth", request)).await;
    assert!(result.text.contains("{{secret:text.text}}"), "{result:?}");
    assert_eq!(code(result), ErrorCode::ApprovalNotApplied);
    let at = world.center("input_name").await;
    world.call(&toolbox, "tap", at).await;
    let text = json!({"text": "{{secret:text.text}}"});
    assert!(world.call(&toolbox, "type_text", text).await.ok);
    let dump = ask(&world.handset, &world.welcome, "uiautomator dump /dev/tty").await;
    assert!(dump.unwrap().contains("walter-491823"));
}

#[tokio::test(start_paused = true)]
async fn no_file_of_a_session_has_what_was_given() {
    let world = World::new(LOGIN).await;
    let person = person();
    let lines = [
        json!({"tool": "request_human_auth", "args": login()}),
        json!({"tool": "tap", "on": {"id": "input_email"}}),
        json!({"tool": "type_text", "args": {"text": "{{secret:credentials.username}}"},
            "thought": "It has a name."}),
        json!({"tool": "tap", "on": {"id": "input_password"}}),
        json!({"tool": "type_text", "args": {"text": "{{secret:credentials.password}}"}}),
        json!({"tool": "finish", "args": {"message": "Signed in."}}),
    ];
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    let mut model = Model::Script(Box::new(Script::parse(&lines.join("\n")).unwrap()));
    let name = format!("agent-vault-{}", std::process::id());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut session = Session::begin(&folder, 1, BeginEntry::default()).unwrap();
    let observer = Observer::new(clawperator_events::Clock::new(|| 0));
    let mut hands = PhoneHands::new(world.lease, observer, "test", with(&person));
    hands.approval = Approval::Ask;
    let plan = TaskPlan::new("Sign in", TaskClock::new(|| 0));
    let task = Task {
        plan: &plan,
        model: &mut model,
        session: Some(&mut session),
        before: None,
        stop: Arc::default(),
        progress: &mut |_| {},
    };
    let ended = tokio::select! {
        ended = run(task, &mut hands) => ended,
        () = person.answer(async || {}) => unreachable!(),
    };
    assert_eq!(ended.status, Status::Finished, "{}", ended.message);
    let id = SessionId::parse(ended.session.as_ref().unwrap()).unwrap();
    let stored = StoredSession::read(&folder, &id).unwrap();
    assert!(stored.steps.iter().all(|step| step.result.ok), "{:?}", stored.steps);
    // What was typed is known by its name: in another session it was not given.
    assert!(script(&stored).contains("{{secret:credentials.password}}"));
    let dump = ask(&world.handset, &world.welcome, "uiautomator dump /dev/tty").await;
    assert!(dump.unwrap().contains(USER));
    let mut folders = vec![folder.clone()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains(USER) && !text.contains(PASSWORD), "{}", path.display());
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// What a model sends comes back as it was sent, whatever a person gave.
#[tokio::test(start_paused = true)]
async fn a_tool_tells_no_guess() {
    let mut world = World::new(LOGIN).await;
    let vault = Vault::default();
    vault.keep(VaultEntry {
        name: "pin".to_owned(),
        place: ValueScope::Anywhere,
        values: vec![(String::new(), Secret::new("4711"))],
    });
    let toolbox = Toolbox { vault: Some(Arc::new(vault)), ..Toolbox::default() };
    for (tool, key) in [("finish", "message"), ("launch_app", "packageName"), ("keyevent", "keycode")] {
        let result = world.call(&toolbox, tool, json!({key: "4710 4711 4712"})).await;
        let told = serde_json::to_string(&result).unwrap();
        assert!(told.contains("4710 4711 4712"), "{tool}: {told}");
        assert!(!told.contains("letters]"), "{tool}: {told}");
    }
}
