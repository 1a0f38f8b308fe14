//! The command line as an AI agent uses it: the page it reads first, short help,
//! acts that show what changed, dialogs of the phone's, and budgets.

use super::clawperator;
use super::sim::Place;
use clawperator_ui::estimate;
use serde_json::Value;

/// Runs a command as an agent does.
fn as_agent(place: &Place, args: &[&str]) -> (String, bool) {
    let mut program = place.program();
    program.env("CLAWPERATOR_OUTPUT", "agent").env("ANDROID_SERIAL", "sim");
    let output = program.args(args).current_dir(&place.folder).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.success())
}

fn help(args: &[&str]) -> String {
    let output = clawperator().args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn help_is_short_unless_all_of_it_is_asked_for() {
    let groups = [
        "sim",
        "packages",
        "operator",
        "lane",
        "journal",
        "record",
        "skills",
        "approvals",
        "secrets",
        "agent",
    ];
    let mut pages = vec![vec!["help"], vec!["--help"], vec!["-h"]];
    pages.extend(groups.map(|group| vec![group, "--help"]));
    pages.extend(groups.iter().filter(|group| **group != "agent").map(|group| vec!["help", group]));
    for args in pages {
        let page = help(&args);
        let size = (page.lines().count(), estimate(&page));
        assert!(size.0 <= 40 && size.1 <= 600, "{args:?}: {size:?}\n{page}");
        let all = help(&[&args[..], &["--all"]].concat());
        assert!(all.len() > page.len(), "{args:?}: {all}");
    }
    assert!(help(&["help"]).contains("AI agents: read clawperator help agent first."));
    let page = help(&["help", "agent"]);
    assert!(estimate(&page) <= 700, "{}", estimate(&page));
    // The group has a page of its own.
    assert!(help(&["agent", "--help"]).contains("eval") && !page.contains("eval"));
}

/// The words of a line, without the quotes.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    let parts = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    parts.collect()
}

#[test]
fn every_example_of_the_page_for_agents_works_in_its_order() {
    let (place, page) = (Place::new(), help(&["help", "agent"]));
    let mut examples: Vec<&str> =
        page.lines().filter_map(|line| line.strip_prefix("  clawperator ")).collect();
    assert!(examples.len() > 12, "{page}");
    let commands: std::collections::BTreeSet<_> =
        examples.iter().map(|line| line.split(' ').next()).collect();
    assert!(commands.len() <= 12, "{commands:?}");
    let mut seen = String::new();
    for example in &mut examples {
        // What follows two spaces says what it is for.
        let mut args = words(example.split("  ").next().unwrap());
        if let Some(at) = args.iter().position(|word| word.starts_with("@e")) {
            let role = if args[0] == "type" { " textfield " } else { " row \"Network" };
            let line = seen.lines().find(|line| line.contains(role)).unwrap();
            args[at] = line.split_whitespace().next().unwrap().to_owned();
        }
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (told, is_done) = as_agent(&place, &args);
        assert!(is_done && estimate(&told) <= 1_000, "{example}: {told}");
        assert!(!told.contains("not done"), "{example}: {told}");
        seen = told;
    }
    assert!(seen.contains("slider \"Volume\" = \"40\""), "{seen}");
    assert!(place.folder.join("screen.png").exists());
}

#[test]
fn a_variable_makes_every_act_show_what_changed() {
    let place = Place::new();
    let run = |word: &str, args: &[&str]| -> Value {
        let mut program = place.program();
        program.env("CLAWPERATOR_VIEW", word).env("ANDROID_SERIAL", "sim");
        let output = program.args(args).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let opened = run("always", &["open", "com.clawperator.conformance"]);
    assert_eq!(opened["envelope"]["stepResults"][1]["id"], "view", "{opened}");
    let clicked = run("always", &["click", "--text", "Increment"]);
    let view = &clicked["envelope"]["stepResults"][1]["data"];
    assert!(view["text"].as_str().unwrap().contains("Counter: 1"), "{clicked}");
    // What only looks is as it was.
    let read = run("always", &["read", "--text-contains", "Counter"]);
    assert_eq!(read["envelope"]["stepResults"].as_array().unwrap().len(), 1);
    let plain = run("asked", &["click", "--text", "Increment"]);
    assert_eq!(plain["envelope"]["stepResults"].as_array().unwrap().len(), 1);
    let wrong = run("sometimes", &["click", "--text", "Increment"]);
    assert!(
        wrong["message"].as_str().unwrap().contains("CLAWPERATOR_VIEW must be one of: asked, always"),
        "{wrong}"
    );
}

#[test]
fn what_came_in_the_way_is_named_with_choices_that_work() {
    let place = Place::new();
    let run = |args: &[&str]| as_agent(&place, args);
    let chosen = |told: &str, label: &str| {
        let (_, choices) = told.split_once("; choices: ").unwrap_or_else(|| panic!("{told}"));
        let named = choices.lines().next().unwrap().split(", ").find(|named| named.ends_with(label));
        named.unwrap_or_else(|| panic!("{told}")).split(' ').next().unwrap().to_owned()
    };
    run(&["open", "trouble://permission"]);
    let (asked, _) = run(&["click", "--text", "Use the camera"]);
    assert!(asked.contains("in the way: permission dialog: "), "{asked}");
    let (below, is_done) = run(&["click", "--text", "Camera: unknown"]);
    assert!(!is_done && below.contains("in the way: permission dialog: "), "{below}");
    assert!(!below.contains("for a person"), "{below}");
    let (denied, _) = run(&["click", "--ref", &chosen(&below, "\"Don’t allow\"")]);
    assert!(denied.contains("Camera: denied"), "{denied}");
    for (row, kind, label) in [
        ("Not responding", "an app isn't responding", "\"Wait\""),
        ("Crash", "an app has stopped", "\"Close app\""),
    ] {
        let (fresh, _) = run(&["open", "com.clawperator.trouble", "--fresh"]);
        assert!(!fresh.contains("resumed: "), "{fresh}");
        let (told, is_done) = run(&["click", "--text", row]);
        assert!(is_done && told.contains(&format!("in the way: {kind}: ")), "{told}");
        let (answered, is_done) = run(&["click", "--ref", &chosen(&told, label)]);
        assert!(is_done && !answered.contains("in the way"), "{answered}");
    }
    run(&["open", "com.clawperator.trouble", "--fresh"]);
    run(&["scroll-and-click", "--text", "Pager"]);
    run(&["press", "home"]);
    let (again, _) = run(&["open", "com.clawperator.trouble"]);
    assert!(again.contains("resumed: ") && again.contains("Page 1"), "{again}");
    run(&["press", "home"]);
    let (fresh, _) = run(&["open", "com.clawperator.trouble", "--fresh"]);
    assert!(!fresh.contains("resumed: ") && fresh.contains("Never idle"), "{fresh}");
    run(&["press", "home"]);
    let (led, _) = run(&["click", "--text", "Settings"]);
    assert!(led.contains("in the way: another app is in front: com.android.settings"), "{led}");
}

#[test]
fn an_answer_about_5000_elements_stays_small_and_a_hint_names_commands() {
    let place = Place::new();
    let run = |args: &[&str]| as_agent(&place, args);
    run(&["open", "trouble://many"]);
    for (args, more) in [
        (&["snapshot"][..], "(for the rest: a larger --budget, or find)"),
        (&["find"], "a larger --limit lists more"),
        (&["snapshot", "--view", "compact", "--json"], "omitted"),
        (&["find", "--json"], "a larger limit, up to 1000, lists more"),
    ] {
        let (told, is_done) = run(args);
        assert!(is_done && told.contains(more), "{args:?}: {told}");
        // Some 1,000 tokens.
        assert!(told.len() <= 4_000, "{args:?}: {}", told.len());
    }
    run(&["open", "trouble://overlap"]);
    let (doubtful, is_done) = run(&["click", "--text", "Under glass"]);
    assert!(is_done && doubtful.contains("may cover it"), "{doubtful}");
    let (unknown, _) = run(&["open", "Nothing like it"]);
    assert!(unknown.contains("hint: clawperator packages list"), "{unknown}");
    for told in [doubtful, unknown] {
        assert!(!told.contains("for a person") && !told.contains("device with"), "{told}");
    }
}

#[test]
fn a_picture_says_its_scale_and_its_points_can_be_touched() {
    let place = Place::new();
    let run = |args: &[&str]| as_agent(&place, args).0;
    run(&["open", "com.clawperator.conformance"]);
    let shot = run(&["screenshot", "--path", "screen.png"]);
    assert!(shot.contains("screen.png (its pixels are the screen's: click --coordinate X Y)"), "{shot}");
    let json: Value = serde_json::from_str(&run(&["screenshot", "--path", "screen.png", "--json"])).unwrap();
    assert_eq!(json["envelope"]["stepResults"][0]["data"]["scale"], "1", "{json}");
    let pretty = run(&["screenshot", "--path", "screen.png", "--output", "pretty"]);
    assert!(pretty.contains("1 pixel is 1 on the screen"), "{pretty}");
    let found = run(&["find", "--text", "Increment"]);
    let (_, place_of) = found.trim().rsplit_once(" at ").unwrap();
    let (x, y) = place_of.split_once(',').unwrap();
    let half = |text: &str| (text.parse::<u32>().unwrap() / 2).to_string();
    // A point of a picture that is half as large.
    let clicked = run(&["click", "--coordinate", &half(x), &format!("{}*2", half(y))]);
    assert!(clicked.contains("Counter: 1"), "{clicked}");
    for wrong in ["5*0", "5*x", "5*-1", "-5*2"] {
        let refused = run(&["click", "--coordinate", "5", wrong]);
        assert!(refused.contains("EXECUTION_VALIDATION_FAILED"), "{wrong}: {refused}");
    }
}
