//! The toolbox with everything that it can have: a folder, and a person.

use crate::person::Person;
use clawperator_agent::approval::State;
use clawperator_agent::phone::PhoneTools;
use clawperator_agent::policy::Policy;
use clawperator_agent::result::{Dispatched, ToolResult};
use clawperator_agent::space::Space;
use clawperator_agent::tool::normalize;
use clawperator_agent::toolbox::{ActionCall, Approval, Toolbox};
use clawperator_agent::workspace::{Workspace, WorkspaceSettings};
use clawperator_contract::ErrorCode;
use clawperator_phone::{Deadline, LeaseOptions, Phone, PhoneLease};
use clawperator_run::RunOptions;
use clawperator_sim::{Handset, HostKeys, Setup, Welcome, ask, link};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const CONVERSATION: &str = "am start -n com.clawperator.messenger/.ConversationListActivity";
const SETTINGS: &str = "am start -n com.android.settings/.Settings";

pub(crate) struct World {
    pub(crate) handset: Arc<Handset>,
    pub(crate) welcome: Arc<Welcome>,
    pub(crate) lease: PhoneLease,
}

impl World {
    pub(crate) async fn new(setup: &str) -> Self {
        let handset = Handset::new(Setup::default());
        let welcome = Arc::new(Welcome { keys: HostKeys::NotAsked, ..Welcome::default() });
        ask(&handset, &welcome, setup).await.unwrap();
        let device = link(&handset, &welcome).await.unwrap();
        let lease = PhoneLease::new(Phone::new(device, "sim-1"), LeaseOptions::default());
        Self { handset, welcome, lease }
    }

    pub(crate) async fn call(&mut self, toolbox: &Toolbox, tool: &str, args: Value) -> ToolResult {
        let action = normalize(tool, &args).action;
        let phone =
            PhoneTools { lease: &mut self.lease, options: &RunOptions::default(), space: Space::default() };
        let call = ActionCall { action: &action, surroundings: None, approval: Approval::Ask };
        toolbox.run(call, Some(phone)).await
    }

    /// Where an element is that says this, or whose id ends like this.
    pub(crate) async fn center(&mut self, says: &str) -> Value {
        let tree = self.lease.screen(Deadline::after(Duration::from_secs(30))).await;
        let tree = tree.unwrap();
        let found = tree.nodes().find(|(_, node)| {
            let id = node.resource_id.as_deref().unwrap_or_default();
            node.text == says || node.content_desc == says || id.ends_with(&format!("/{says}"))
        });
        json!(found.unwrap_or_else(|| panic!("{says}")).1.bounds.center())
    }
}

fn with(person: &Person) -> Toolbox {
    Toolbox { people: Some(person.people()), ..Toolbox::default() }
}

pub(crate) fn code(result: ToolResult) -> ErrorCode {
    assert_eq!(result.dispatched, Dispatched::No, "{result:?}");
    result.error.unwrap().code
}

#[tokio::test]
async fn a_folder_carries_out_files_and_commands() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("agent-toolbox-{}", std::process::id()));
    std::fs::create_dir_all(&root).unwrap();
    let settings = WorkspaceSettings::new(env!("CARGO_BIN_EXE_agent-sandbox-launcher"));
    let toolbox = Toolbox {
        workspace: Some(Arc::new(Workspace::open(&root, settings).unwrap())),
        policy: Policy::read("rules: [{path: secrets/*, decision: deny}]").unwrap(),
        ..Toolbox::default()
    };
    let call = async |tool: &str, args: Value, approval: Approval| {
        let action = normalize(tool, &args).action;
        let call = ActionCall { action: &action, surroundings: None, approval };
        toolbox.run(call, None).await
    };
    for (tool, args, says) in [
        ("write", json!({"path": "a.txt", "content": "one"}), "a.txt"),
        ("edit", json!({"path": "a.txt", "find": "one", "replace": "two"}), "1 place"),
        (
            "apply_patch",
            json!({"input": "*** Begin Patch\n*** Add File: b.txt\n+three\n*** End Patch"}),
            "b.txt",
        ),
        ("read", json!({"path": "a.txt"}), "two"),
        ("process", json!({"action": "list"}), ""),
    ] {
        let result = call(tool, args, Approval::None).await;
        assert!(result.ok && result.text.contains(says), "{tool}: {result:?}");
    }
    for (tool, args) in
        [("exec", json!({"command": "cat a.txt b.txt"})), ("run_script", json!({"script": "echo two"}))]
    {
        let refused = call(tool, args.clone(), Approval::Ask).await;
        assert_eq!(code(refused), ErrorCode::ApprovalRequired, "no person can be asked");
        let result = call(tool, args, Approval::Given).await;
        // Where the kernel lacks a part of the sandbox, nothing is run.
        match &result.error {
            None => assert!(result.text.contains("two"), "{tool}: {result:?}"),
            Some(error) => assert_eq!(error.code, ErrorCode::SandboxUnavailable, "{tool}: {result:?}"),
        }
    }
    let refused = call("read", json!({"path": "secrets/key"}), Approval::Given).await;
    assert_eq!(code(refused), ErrorCode::PolicyDenied);
    toolbox.close().await;
    std::fs::remove_dir_all(&root).unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_the_policy_asks_about_is_done_after_a_yes_only() {
    for (answer, is_done) in [(Some("yes"), true), (None, false)] {
        let mut world = World::new(CONVERSATION).await;
        let person = Person::new(answer);
        let toolbox = with(&person);
        let command = json!({"command": "settings put global asked 1"});
        let result = tokio::select! {
            result = world.call(&toolbox, "shell", command) => result,
            () = person.answer(async || {}) => unreachable!(),
        };
        assert_eq!(result.ok, is_done, "{result:?}");
        if !is_done {
            assert_eq!(code(result), ErrorCode::ApprovalRejected);
        }
        let asked = person.requests().await;
        assert_eq!(asked.len(), 1);
        assert!(asked[0].asked.instruction.contains("settings put global asked 1"));
        assert!(asked[0].has_picture || asked[0].asked.screen.is_some());
        let stored = ask(&world.handset, &world.welcome, "settings get global asked").await;
        assert_eq!(stored.unwrap().trim() == "1", is_done);
    }
}

/// The person said yes to another screen than the one that is there now.
#[tokio::test(start_paused = true)]
async fn a_changed_screen_is_asked_about_again() {
    let mut world = World::new(CONVERSATION).await;
    let person = Person::new(Some("yes"));
    let toolbox = with(&person);
    let (handset, welcome) = (world.handset.clone(), world.welcome.clone());
    let result = tokio::select! {
        result = world.call(&toolbox, "shell", json!({"command": "echo hi"})) => result,
        () = person.answer(async || { ask(&handset, &welcome, SETTINGS).await.unwrap(); }) => unreachable!(),
    };
    assert!(result.ok, "{result:?}");
    let asked = person.requests().await;
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert_eq!(asked[1].asked.again_of.as_deref(), Some(asked[0].id.as_str()));
    assert_ne!(asked[0].asked.screen, asked[1].asked.screen);
}

/// A rule that denies holds for the screen that came while a person was asked.
#[tokio::test(start_paused = true)]
async fn a_changed_screen_is_judged_again() {
    let mut world = World::new("am start -n com.clawperator.trouble/.PermissionActivity").await;
    let person = Person::new(Some("yes"));
    let toolbox = Toolbox {
        policy: Policy::read(
            "rules: [{app: com.android.settings, decision: deny}, {tool: tap, decision: ask}]",
        )
        .unwrap(),
        ..with(&person)
    };
    let (handset, welcome) = (world.handset.clone(), world.welcome.clone());
    let tap = world.center("Use the camera").await;
    let result = tokio::select! {
        result = world.call(&toolbox, "tap", tap) => result,
        () = person.answer(async || { ask(&handset, &welcome, SETTINGS).await.unwrap(); }) => unreachable!(),
    };
    assert_eq!(code(result), ErrorCode::PolicyDenied);
    assert_eq!(person.requests().await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_a_person_gives_is_typed_and_not_told() {
    let mut world = World::new("am start -n com.clawperator.form/.OrderActivity").await;
    let request = json!({"capability": "2fa", "instruction": "The code, please."});
    let person = Person::new(Some("sesame-491823"));
    let toolbox = with(&person);
    let nowhere = tokio::select! {
        result = world.call(&toolbox, "request_human_auth", request.clone()) => result,
        () = person.answer(async || {}) => unreachable!(),
    };
    assert_eq!(code(nowhere), ErrorCode::ApprovalNotApplied);
    let field = world.center("input_name").await;
    assert!(world.call(&toolbox, "tap", field).await.ok);
    let typed = tokio::select! {
        result = world.call(&toolbox, "request_human_auth", request) => result,
        () = person.answer(async || {}) => unreachable!(),
    };
    assert!(typed.ok && typed.dispatched == Dispatched::Yes, "{typed:?}");
    assert!(!format!("{typed:?}").contains("sesame"), "{typed:?}");
    let dump = ask(&world.handset, &world.welcome, "uiautomator dump /dev/tty").await;
    assert!(dump.unwrap().contains("sesame-491823"));
}

#[tokio::test(start_paused = true)]
async fn a_question_is_taken_back_when_its_asker_is_stopped() {
    let mut world = World::new(SETTINGS).await;
    let person = Person::new(None);
    let toolbox = with(&person);
    let shell = json!({"command": "id"});
    tokio::select! {
        result = world.call(&toolbox, "shell", shell) => panic!("{result:?}"),
        () = person.is_asked() => {}
    }
    toolbox.close().await;
    let requests = person.requests().await;
    let [request] = &requests[..] else { panic!("{requests:?}") };
    assert_eq!(request.state, State::Rejected);
    assert_eq!(request.decided_by.as_deref(), Some("agent"));
    assert!(request.note.as_deref().unwrap().contains("stopped"), "{request:?}");
}
