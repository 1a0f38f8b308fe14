//! Tools on a simulated phone, over adb's bytes in memory, on a paused clock.

use crate::person::Person;
use clawperator_agent::phone::{MAX_WAIT, PhoneTools};
use clawperator_agent::result::{Dispatched, ToolResult};
use clawperator_agent::snapshot::{Observer, SnapshotOptions};
use clawperator_agent::space::Space;
use clawperator_agent::tool::{TOOLS, normalize};
use clawperator_agent::toolbox::{ActionCall, Approval, Toolbox};
use clawperator_contract::ErrorCode;
use clawperator_events::{Clock, CommandPurpose, Event, EventLog, LogSetup, Pictures, Redactions};
use clawperator_journal::{JournalFolder, Judgement, StoredJournal};
use clawperator_phone::{Deadline, LeaseOptions, Phone, PhoneLease};
use clawperator_run::RunOptions;
use clawperator_sim::fault::Fault;
use clawperator_sim::{Handset, HostKeys, Setup, Welcome, link};
use clawperator_ui::{Point, Tree};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

struct World {
    handset: Arc<Handset>,
    lease: PhoneLease,
    space: Space,
    toolbox: Toolbox,
}

async fn world(faults: &[&str]) -> World {
    let faults = faults.iter().map(|fault| Fault::parse(fault).unwrap()).collect();
    let handset = Handset::new(Setup { faults, ..Setup::default() });
    let welcome = Arc::new(Welcome { keys: HostKeys::NotAsked, ..Welcome::default() });
    let phone = Phone::new(link(&handset, &welcome).await.unwrap(), "sim-1");
    World {
        handset,
        lease: PhoneLease::new(phone, LeaseOptions::default()),
        space: Space::default(),
        toolbox: Toolbox::default(),
    }
}

impl World {
    async fn tool(&mut self, tool: &str, args: Value, approval: Approval) -> ToolResult {
        let action = normalize(tool, &args).action;
        let options = RunOptions::default();
        let call = ActionCall { action: &action, surroundings: None, approval };
        let phone = PhoneTools { lease: &mut self.lease, options: &options, space: self.space };
        self.toolbox.run(call, Some(phone)).await
    }

    async fn does(&mut self, tool: &str, args: Value) -> ToolResult {
        let result = self.tool(tool, args, Approval::None).await;
        assert!(result.ok, "{tool}: {result:?}");
        assert_eq!(result.dispatched, Dispatched::Yes);
        result
    }

    /// Looks as the loop does before each step.
    async fn observe(&mut self) {
        let mut observer = Observer::new(Clock::new(|| 0));
        let deadline = Deadline::after(Duration::from_secs(60));
        let options = SnapshotOptions::default();
        let seen = observer.observe(&mut self.lease, &options, deadline);
        seen.await.unwrap();
    }

    async fn tree(&mut self) -> Tree {
        self.lease.screen(Deadline::after(Duration::from_secs(30))).await.unwrap()
    }

    async fn center(&mut self, wanted: impl Fn(&clawperator_ui::Node) -> bool) -> Point {
        let tree = self.tree().await;
        let found = tree.nodes().find(|(_, node)| wanted(node));
        found.unwrap().1.bounds.center()
    }

    async fn field(&mut self, id: &str) -> Point {
        let id = format!("com.clawperator.form:id/{id}");
        self.center(|node| node.resource_id.as_deref() == Some(&id)).await
    }

    async fn open_notes(&mut self) {
        self.does("launch_app", json!({"packageName": "com.clawperator.form"})).await;
        for id in ["open_notes", "input_notes"] {
            let Point { x, y } = self.field(id).await;
            self.does("tap", json!({"x": x, "y": y})).await;
        }
    }

    async fn shows(&mut self, text: &str) -> bool {
        self.tree().await.nodes().any(|(_, node)| node.text == text)
    }
}

#[tokio::test(start_paused = true)]
async fn an_app_is_opened_and_tapped_in_the_models_coordinates() {
    let mut world = world(&[]).await;
    world.does("launch_app", json!({"packageName": "com.clawperator.conformance"})).await;
    let Point { x, y } = world.center(|node| node.text == "Increment").await;
    world.space = Space { scale_x: 2.0, scale_y: 2.0, size: Some((1080, 2400)) };
    let tapped = world.does("tap", json!({"x": f64::from(x) / 2.0, "y": f64::from(y) / 2.0})).await;
    assert!(tapped.text.starts_with("Tapped ("), "{tapped:?}");
    assert!(world.tree().await.nodes().any(|(_, node)| node.text.ends_with("ounter: 1")));
}

#[tokio::test(start_paused = true)]
async fn bug_12_a_newline_in_type_presses_enter_and_any_language_is_typed() {
    let mut world = world(&[]).await;
    world.open_notes().await;
    world.does("type_text", json!({"text": "a b%s\nGrüße 👋"})).await;
    world.does("type_text", json!({"text": "!"})).await;
    assert!(world.shows("a b%s\nGrüße 👋!").await);
}

#[tokio::test(start_paused = true)]
async fn typing_without_a_field_changes_nothing() {
    let mut world = world(&[]).await;
    let result = world.tool("type_text", json!({"text": "a"}), Approval::None).await;
    assert_eq!((result.ok, result.dispatched), (false, Dispatched::No));
    assert_eq!(result.error.unwrap().code, ErrorCode::TextNotEntered);
}

#[tokio::test(start_paused = true)]
async fn hole_11_text_key_and_package_cannot_reach_the_phones_shell() {
    let mut world = world(&[]).await;
    let evil = "é'; input keyevent 26; echo `reboot` $(reboot) \"&";
    world.open_notes().await;
    world.does("type_text", json!({"text": evil})).await;
    assert!(world.shows(evil).await);
    for (tool, args) in [
        ("keyevent", json!({"keycode": "KEYCODE_HOME; reboot"})),
        ("keyevent", json!({"keycode": "26"})),
        ("keyevent", json!({"keycode": "$(reboot)"})),
        ("launch_app", json!({"packageName": "com.x; reboot"})),
        ("launch_app", json!({"packageName": "$(reboot)"})),
        ("launch_app", json!({"packageName": ""})),
    ] {
        let result = world.tool(tool, args.clone(), Approval::None).await;
        assert!(!result.ok, "{args}: {result:?}");
        assert_eq!(result.dispatched, Dispatched::No, "{args}: {result:?}");
    }
    assert!(world.shows(evil).await);
}

#[tokio::test(start_paused = true)]
async fn keys_have_names() {
    let mut world = world(&[]).await;
    world.does("launch_app", json!({"packageName": "com.clawperator.form"})).await;
    for key in ["KEYCODE_HOME", "HOME", "KEYCODE_DPAD_DOWN", "KEYCODE_VOLUME_UP"] {
        world.does("keyevent", json!({"keycode": key})).await;
    }
}

#[tokio::test(start_paused = true)]
async fn d24_every_name_of_androids_keys_is_taken_and_no_other() {
    let mut world = world(&[]).await;
    for key in [
        "KEYCODE_SOFT_RIGHT",
        "KEYCODE_CAMERA",
        "KEYCODE_SYM",
        "KEYCODE_HEADSETHOOK",
        "KEYCODE_MEDIA_NEXT",
        "KEYCODE_BUTTON_L1",
        "KEYCODE_F12",
        "KEYCODE_NUM_LOCK",
        "KEYCODE_ZOOM_IN",
        "KEYCODE_3D_MODE",
        "CALCULATOR",
        "KEYCODE_VOICE_ASSIST",
        "KEYCODE_TV_INPUT_HDMI_1",
        "KEYCODE_STEM_1",
        "KEYCODE_VIDEO_APP_8",
        "KEYCODE_EMOJI_PICKER",
    ] {
        let pressed = world.tool("keyevent", json!({"keycode": key}), Approval::Given).await;
        assert!(pressed.ok, "{key}: {pressed:?}");
    }
    for (key, hint) in [
        ("KEYCODE_VOLUME_UPP", "KEYCODE_VOLUME_UP"),
        ("66", "KEYCODE_"),
        ("", "KEYCODE_ENTER"),
        ("KEYCODE_HOME; reboot", "KEYCODE_"),
    ] {
        let result = world.tool("keyevent", json!({"keycode": key}), Approval::None).await;
        let error = result.error.unwrap();
        assert!(error.hint.contains(hint), "{key}: {error:?}");
        assert_eq!(result.dispatched, Dispatched::No);
    }
}

#[tokio::test(start_paused = true)]
async fn bug_10_long_press_drag_has_a_hold() {
    let mut world = world(&[]).await;
    world.does("keyevent", json!({"keycode": "KEYCODE_HOME"})).await;
    let Point { x, y } = world.center(|node| node.content_desc == "At a glance").await;
    let way = json!({"x1": x, "y1": y, "x2": x, "y2": y + 300, "holdMs": 600});
    world.does("drag", way.clone()).await;
    let plain = world.tree().await;
    let held = world.does("long_press_drag", way).await;
    assert_eq!(held.data["hold_ms"], "600");
    assert_ne!(format!("{:?}", world.tree().await), format!("{plain:?}"));
}

#[tokio::test(start_paused = true)]
async fn a_phone_without_motion_events_says_so() {
    let mut world = world(&["motion_missing"]).await;
    let dragged = world.does("long_press_drag", json!({"x1": 500, "y1": 900, "x2": 500, "y2": 1200})).await;
    assert!(dragged.text.contains("cannot hold"), "{dragged:?}");
}

#[tokio::test(start_paused = true)]
async fn bug_11_wait_is_bounded() {
    let mut world = world(&[]).await;
    let since = Instant::now();
    let waited = world.tool("wait", json!({"durationMs": 1e12}), Approval::None).await;
    assert_eq!((waited.ok, since.elapsed()), (true, MAX_WAIT));
    assert_eq!(waited.data["cut"], true);
    let since = Instant::now();
    world.tool("wait", json!({"durationMs": -5}), Approval::None).await;
    assert_eq!(since.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_shell_command_needs_a_yes_and_tells_its_end() {
    let mut world = world(&[]).await;
    let refused = world.tool("shell", json!({"command": "echo hi"}), Approval::None).await;
    assert_eq!(refused.error.unwrap().code, ErrorCode::ApprovalRequired);
    assert_eq!(refused.dispatched, Dispatched::No);
    let ran = world.tool("shell", json!({"command": "echo 'a  b'; echo bad >&2"}), Approval::Given).await;
    assert!(ran.ok, "{ran:?}");
    assert_eq!(ran.data, json!({"exitCode": 0, "stdout": "a  b", "stderr": "bad", "cut": false}));
    let failed = world.tool("shell", json!({"command": "exit 3"}), Approval::Given).await;
    assert_eq!((failed.ok, &failed.data["exitCode"]), (false, &json!(3)));
    let empty = world.tool("shell", json!({"command": " "}), Approval::Given).await;
    assert_eq!((empty.ok, empty.dispatched), (false, Dispatched::No));
}

#[tokio::test(start_paused = true)]
async fn a_tap_on_send_in_a_messenger_needs_a_yes() {
    let mut world = world(&[]).await;
    world.does("launch_app", json!({"packageName": "com.clawperator.messenger"})).await;
    let first =
        world.center(|node| node.flags.has(clawperator_ui::Flag::Clickable) && node.bounds.top > 400).await;
    world.does("tap", json!(first)).await;
    let is_send = |node: &clawperator_ui::Node| node.text == "Send" || node.content_desc.starts_with("Send");
    let send = world.center(is_send).await;
    let refused = world.tool("tap", json!(send), Approval::None).await;
    assert_eq!(refused.error.unwrap().code, ErrorCode::ApprovalRequired);
    assert!(world.tool("tap", json!(send), Approval::Given).await.ok);
}

#[tokio::test(start_paused = true)]
async fn a_point_outside_the_screen_is_not_touched() {
    let mut world = world(&[]).await;
    let result = world.tool("tap", json!({"x": 50_000, "y": 5}), Approval::Given).await;
    assert_eq!((result.ok, result.dispatched), (false, Dispatched::No));
    assert_eq!(result.error.unwrap().code, ErrorCode::GestureFailed);
    // What is there is unknown.
    let asked = world.tool("tap", json!({"x": 50_000, "y": 5}), Approval::None).await;
    assert_eq!(asked.error.unwrap().code, ErrorCode::ApprovalRequired);
}

/// The original typed 1234 into a lock screen that it was not sure of.
#[tokio::test(start_paused = true)]
async fn bug_13_a_locked_phone_stays_locked_and_no_digit_is_typed() {
    assert!(TOOLS.iter().all(|tool| !tool.name.contains("unlock") && !tool.about.contains("PIN")));
    let mut world = world(&[]).await;
    let power = |handset: &Handset| handset.with(|phone| phone.power.clone());
    // Off, and on again.
    for _ in 0..2 {
        world.does("keyevent", json!({"keycode": "KEYCODE_POWER"})).await;
    }
    assert!(power(&world.handset).locked);
    world.observe().await;
    for (tool, args) in [
        ("tap", json!({"x": 500, "y": 900})),
        ("type_text", json!({"text": "hello"})),
        ("launch_app", json!({"packageName": "com.android.settings"})),
    ] {
        world.tool(tool, args, Approval::None).await;
    }
    world.observe().await;
    assert!(power(&world.handset).locked);
}

#[tokio::test(start_paused = true)]
async fn hole_12_there_is_no_tool_that_sends_a_file_of_the_host() {
    let mut world = world(&[]).await;
    let result = world.tool("send_media", json!({"path": "/etc/passwd"}), Approval::Given).await;
    // An unknown tool waits.
    assert_eq!(result.text, "Waited 1000 ms.");
}

/// A journal of a test's own.
struct Diary {
    folder: std::path::PathBuf,
    log: Arc<EventLog>,
}

impl Diary {
    fn new(name: &str) -> Self {
        let name = format!("agent-journal-{name}-{}", std::process::id());
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let log = EventLog::new(LogSetup {
            version: "0.0.0",
            clock: Clock::new(|| 1_767_260_460_000),
            pictures: Pictures::Left,
            journal: Some(Box::new(JournalFolder::new(&folder))),
            skill_run: None,
            redactions: Redactions::default(),
            subscribers: None,
        });
        log.begin_acts("act-1", "agent", "sim-1");
        Self { folder, log: Arc::new(log) }
    }

    fn read(&self) -> StoredJournal {
        StoredJournal::open(&JournalFolder::new(&self.folder).find("act-1").unwrap()).unwrap()
    }
}

impl Drop for Diary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[tokio::test(start_paused = true)]
async fn every_act_on_a_phone_is_in_the_journal() {
    let mut world = world(&[]).await;
    let diary = Diary::new("acts");
    world.lease.log_to(diary.log.clone());
    world.open_notes().await;
    for (tool, args) in [
        ("swipe", json!({"x1": 500, "y1": 900, "x2": 500, "y2": 1000})),
        ("drag", json!({"x1": 500, "y1": 900, "x2": 500, "y2": 1000})),
        ("type_text", json!({"text": "plain words"})),
        ("keyevent", json!({"keycode": "KEYCODE_HOME"})),
    ] {
        world.does(tool, args).await;
    }
    let shell = json!({"command": "echo done"});
    world.tool("shell", shell, Approval::Given).await;
    // What is refused, and what does nothing to the phone.
    world.tool("keyevent", json!({"keycode": "?"}), Approval::None).await;
    world.tool("wait", json!({"durationMs": 1}), Approval::None).await;
    diary.log.end_acts(Ok(()));
    let journal = diary.read();
    assert!(matches!(journal.judgement(), Judgement::Whole { .. }), "{journal:?}");
    let mut steps: Vec<(&str, bool, usize)> = Vec::new();
    for entry in &journal.entries {
        match &entry.event {
            Event::StepBegin(begin) => steps.push((&begin.action, false, 0)),
            Event::StepEnd(end) => steps[end.step].1 = end.success,
            // A look is a command, too: only those are counted that change something.
            Event::Command(command) => {
                let acts = command.kind.is_some_and(|kind| kind.purpose() == CommandPurpose::Act);
                steps.last_mut().unwrap().2 += usize::from(acts);
            }
            _ => {}
        }
    }
    let acted: Vec<_> = steps.iter().map(|(tool, ok, acts)| (*tool, *ok, *acts > 0)).collect();
    assert_eq!(
        acted,
        [
            ("launch_app", true, true),
            ("tap", true, true),
            ("tap", true, true),
            ("swipe", true, true),
            ("drag", true, true),
            ("type_text", true, true),
            ("keyevent", true, true),
            ("shell", true, true),
            ("keyevent", false, false),
            ("wait", true, false),
        ]
    );
    let page = clawperator_journal::report::page(&journal);
    assert!(page.contains("type_text") && !page.contains("of 0"), "{page}");
}

#[tokio::test(start_paused = true)]
async fn what_a_person_gives_is_in_no_line_of_the_journal() {
    let mut world = world(&[]).await;
    let person = Person::new(Some("Code 491823"));
    world.toolbox.people = Some(person.people());
    let diary = Diary::new("secret");
    world.lease.log_to(diary.log.clone());
    world.open_notes().await;
    let request = json!({"capability": "sms", "instruction": "The code"});
    let given = tokio::select! {
        given = world.tool("request_human_auth", request, Approval::None) => given,
        () = person.answer(async || {}) => unreachable!(),
    };
    assert!(given.ok, "{given:?}");
    // Looks afterwards, and a command that prints it.
    world.tree().await;
    let shell = json!({"command": "echo Code 491823"});
    world.tool("shell", shell, Approval::Given).await;
    diary.log.end_acts(Ok(()));
    let journal = diary.read();
    let typed = journal.entries.iter().any(|entry| match &entry.event {
        Event::Command(command) => command.kind.is_some_and(|kind| kind.purpose() == CommandPurpose::Act),
        _ => false,
    });
    assert!(typed);
    for file in files_in(&diary.folder) {
        let bytes = std::fs::read(&file).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("491823"), "{file:?}");
    }
}

fn files_in(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_in(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// What must not press "Pay now" without a yes: fingers and keys, however they are
/// written.
#[allow(clippy::too_many_lines, reason = "one list of attacks")]
#[tokio::test(start_paused = true)]
async fn nothing_pays_without_a_yes_neither_by_finger_nor_by_key() {
    let mut world = world(&[]).await;
    let open = "am start -a android.intent.action.VIEW -d trouble://same_text";
    world.tool("shell", json!({"command": open}), Approval::Given).await;
    let Point { x, y } = world.center(|node| node.text == "Pay now" && node.class.contains("Button")).await;
    let mut attacks = vec![
        ("tap", json!({"x": x, "y": y})),
        ("tap", json!({"coordinate": [x, y]})),
        ("swipe", json!({"x1": x, "y1": y, "x2": x, "y2": y})),
        ("swipe", json!({"x1": x, "y1": y, "x2": x + 3, "y2": y + 3})),
        ("drag", json!({"x1": x, "y1": y, "x2": x, "y2": y})),
        ("long_press_drag", json!({"x1": x, "y1": y, "x2": x, "y2": y})),
        ("shell", json!({"command": format!("input tap {x} {y}")})),
        // Nothing has the focus.
        ("keyevent", json!({"keycode": "KEYCODE_ENTER"})),
        ("keyevent", json!({"keycode": "KEYCODE_DPAD_CENTER"})),
    ];
    for (tool, args) in attacks.drain(..) {
        let result = world.tool(tool, args.clone(), Approval::None).await;
        let code = result.error.map(|error| error.code);
        assert_eq!(
            (code, result.dispatched),
            (Some(ErrorCode::ApprovalRequired), Dispatched::No),
            "{tool} {args}"
        );
    }
    // The focus may move.
    for _ in 0..20 {
        world.does("keyevent", json!({"keycode": "KEYCODE_TAB"})).await;
        let tree = world.tree().await;
        let focused = tree.nodes().find(|(_, node)| node.flags.has(clawperator_ui::Flag::Focused));
        if focused.is_some_and(|(_, node)| {
            node.resource_id.as_deref().is_some_and(|id| id.ends_with("card_button"))
        }) {
            break;
        }
    }
    for key in [
        "KEYCODE_ENTER",
        "ENTER",
        "KEYCODE_ENTER ",
        "\tKEYCODE_ENTER\n",
        "keycode_enter",
        "KEYCODE_DPAD_CENTER",
        "dpad_center",
        " DPAD_CENTER ",
        "KEYCODE_SPACE",
    ] {
        let result = world.tool("keyevent", json!({"keycode": key}), Approval::None).await;
        let code = result.error.map(|error| error.code);
        assert_eq!((code, result.dispatched), (Some(ErrorCode::ApprovalRequired), Dispatched::No), "{key:?}");
    }
    assert!(world.shows("Pressed: nothing").await);
    assert!(world.tool("keyevent", json!({"keycode": " dpad_center"}), Approval::Given).await.ok);
    assert!(!world.shows("Pressed: nothing").await);
}

/// A screen without a tree: every touch needs a yes, and a rule that denies counts.
#[tokio::test(start_paused = true)]
async fn a_screen_that_cannot_be_read_lets_no_touch_through() {
    for fault in ["dump_null_root", "dump_cut_off", "dump_not_idle"] {
        let mut world = world(&[fault]).await;
        for (tool, args) in [
            ("tap", json!({"x": 500, "y": 500})),
            ("swipe", json!({"x1": 1, "y1": 1, "x2": 1, "y2": 900})),
            ("keyevent", json!({"keycode": "KEYCODE_ENTER"})),
        ] {
            let result = world.tool(tool, args, Approval::None).await;
            assert_eq!(
                result.error.map(|error| error.code),
                Some(ErrorCode::ApprovalRequired),
                "{fault} {tool}"
            );
        }
    }
    let mut world = world(&[]).await;
    let open = "am start -a android.intent.action.VIEW -d trouble://never_idle";
    world.tool("shell", json!({"command": open}), Approval::Given).await;
    let tap = || json!({"x": 500, "y": 500});
    let asked = world.tool("tap", tap(), Approval::None).await;
    assert_eq!(asked.error.map(|error| error.code), Some(ErrorCode::ApprovalRequired));
    world.toolbox.policy =
        clawperator_agent::policy::Policy::read("rules: [{label: '*pay*', decision: deny}]").unwrap();
    let denied = world.tool("tap", tap(), Approval::Given).await;
    assert_eq!(denied.error.map(|error| error.code), Some(ErrorCode::PolicyDenied));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_done_on_a_phone_that_is_locked_or_off() {
    for (keys, code) in [
        ("input keyevent 223; input keyevent 224", ErrorCode::DeviceLocked),
        ("input keyevent 223", ErrorCode::DeviceScreenOff),
    ] {
        let mut world = world(&[]).await;
        world.open_notes().await;
        let soon = Deadline::after(Duration::from_secs(30));
        world.lease.shell(keys, soon).await.unwrap();
        for (tool, args) in [
            ("tap", json!({"x": 540, "y": 300})),
            ("swipe", json!({"x1": 500, "y1": 1500, "x2": 500, "y2": 500})),
            ("long_press_drag", json!({"x1": 500, "y1": 1500, "x2": 500, "y2": 500})),
            ("type_text", json!({"text": "abc"})),
            ("keyevent", json!({"keycode": "KEYCODE_ENTER"})),
            ("keyevent", json!({"keycode": "KEYCODE_HOME"})),
            ("keyevent", json!({"keycode": "KEYCODE_DPAD_CENTER"})),
        ] {
            // A person is not asked about it, either.
            for approval in [Approval::Given, Approval::None] {
                let result = world.tool(tool, args.clone(), approval).await;
                assert_eq!(result.error.map(|error| error.code), Some(code), "{tool} {args}");
                assert_eq!(result.dispatched, Dispatched::No, "{tool} {args}");
            }
        }
        for key in ["KEYCODE_VOLUME_UP", "KEYCODE_MEDIA_NEXT", "KEYCODE_WAKEUP"] {
            let pressed = world.tool("keyevent", json!({"keycode": key}), Approval::Given);
            assert!(pressed.await.ok, "{key}");
        }
    }
}

#[test]
fn a_repaired_call_does_not_do_something_else() {
    for (tool, args, is_refused) in [
        ("keyevent", json!({"key": "HOME"}), true),
        ("keyevent", json!({"keyCode": "KEYCODE_BACK", "reason": "back"}), true),
        ("tap", json!({"x": 5, "Y": 7}), true),
        ("swipe", json!({"from": [1, 2], "to": [3, 4]}), true),
        ("keyevent", json!({"keycode": "KEYCODE_BACK", "times": 2}), false),
        ("tap", json!({"x": "5", "y": 7, "button": "left"}), false),
        ("keyevent", json!({}), false),
        ("tap", json!({"position": [5, 7]}), false),
    ] {
        let doubt = normalize(tool, &args).doubt();
        assert_eq!(doubt.is_some(), is_refused, "{tool} {args} {doubt:?}");
    }
}
