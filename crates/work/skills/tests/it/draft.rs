//! Recordings become recipes: what is said, what is asked for, what is left
//! out, what is left to do.

use crate::drawing::dump;
use clawperator_recording::read;
use clawperator_skills::draft::{DraftOrder, Facts, RecipeDraft, draft};
use clawperator_skills::recipe::{Denylist, Format, Inputs, LintOptions, compile, lint, parse};
use clawperator_skills::repo::SkillId;
use serde_json::{Value, json};

const HOME: &str = "FrameLayout\n TextView \"Chat\" [0,0][50,50] #l:id/icon clickable";
const LIST: &str = "FrameLayout
 TextView \"Conversations\" [0,0][100,20]
 RecyclerView [0,20][100,200] #c:id/list scrollable
  LinearLayout [0,20][100,60] clickable
   TextView \"Aunt_Mary\" [0,20][100,40] #c:id/title
  LinearLayout [0,60][100,100] clickable
   TextView \"Bob\" [0,60][100,80] #c:id/title
 ImageView @New_chat [0,0][20,20] clickable";
const CHAT: &str = "FrameLayout
 TextView \"Aunt_Mary\" [0,0][100,20] #c:id/header
 Button \"Send\" [0,60][50,80] #c:id/send clickable
 Button \"Mute\" [0,80][50,90] clickable
 Button \"Call_+49_170_1234567\" [0,100][50,120] clickable
 View [0,120][10,130] clickable
 EditText [0,130][100,140] #c:id/query clickable focused";
const SENT: &str = "FrameLayout
 TextView \"Aunt_Mary\" [0,0][100,20] #c:id/header
 TextView \"Delivered\" [0,20][100,40]
 Button \"Send\" [0,60][50,80] #c:id/send clickable
 Button \"Mute\" [0,80][50,90] clickable
 Button \"Call_+49_170_1234567\" [0,100][50,120] clickable
 View [0,120][10,130] clickable";

fn recording(events: &[Value]) -> String {
    let header = json!({"type": "recording_header", "schemaVersion": 1, "sessionId": "s1", "startedAt": 0,
        "operatorPackage": "clawperator", "recorder": "host", "launcherPackage": "home"});
    let mut file = format!("{header}\n");
    for (seq, event) in events.iter().enumerate() {
        let mut event = event.clone();
        event["seq"] = json!(seq);
        event["ts"] = json!(seq * 1000);
        let screen = event.as_object_mut().unwrap().remove("screen");
        event["snapshot"] = match screen.as_ref().and_then(Value::as_str) {
            Some(drawing) => json!(dump(drawing)),
            None => Value::Null,
        };
        file.push_str(&format!("{event}\n"));
    }
    file
}

fn window(package: &str, screen: &str) -> Value {
    json!({"type": "window_change", "packageName": package, "className": null, "title": null, "screen": screen})
}

fn end(screen: &str) -> Value {
    let mut end = window("com.chat", screen);
    end["closing"] = json!(true);
    end
}

fn click(top: i32, screen: &str) -> Value {
    let (left, right, bottom) = match (top, screen) {
        (_, HOME) => (0, 50, 50),
        (20 | 60, LIST) => (0, 100, top + 40),
        (0, LIST) => (0, 20, 20),
        (80, _) => (0, 50, 90),
        (120, _) => (0, 10, 130),
        (_, _) => (0, 50, top + 20),
    };
    json!({"type": "click", "packageName": "com.chat", "resourceId": null, "text": null, "contentDesc": null,
        "bounds": {"left": left, "top": top, "right": right, "bottom": bottom},
        "at": {"x": left + 1, "y": top + 1}, "screen": screen})
}

/// A recording that opens the app and does something in it.
fn opened(events: &[Value]) -> Vec<Value> {
    let mut icon = click(0, HOME);
    icon["packageName"] = json!("home");
    let mut all = vec![window("home", HOME), icon, window("com.chat", LIST)];
    all.extend(events.iter().cloned());
    all
}

fn drafted_with(events: &[Value], facts: &Facts) -> RecipeDraft {
    let recording = read(&recording(&opened(events))).unwrap();
    let order = DraftOrder {
        skill: SkillId::parse("com.chat.send").unwrap(),
        summary: "Sends \"it\".",
        denylist: &Denylist::parse("bob").unwrap(),
        facts,
    };
    draft(&recording, &order).unwrap()
}

fn facts() -> Facts {
    Facts {
        version_name: Some("1.2".to_owned()),
        version_code: Some(12),
        android_api: Some(34),
        ..Facts::default()
    }
}

fn drafted(events: &[Value]) -> RecipeDraft {
    drafted_with(events, &facts())
}

/// The steps of a recipe, a line each, as they compile with recorded values.
fn steps(draft: &RecipeDraft) -> Vec<String> {
    let recipe = parse(&draft.recipe, Format::Yaml).unwrap_or_else(|problems| {
        panic!("{:?}\n{}", problems.listed, draft.recipe);
    });
    let inputs =
        draft.inputs.iter().fold(Inputs::default(), |inputs, input| inputs.with(&input.name, &input.value));
    let compiled = compile(&recipe, &inputs).unwrap();
    let execution = json!(compiled.checked.execution);
    let actions = execution["actions"].as_array().unwrap().iter().skip(2);
    actions
        .map(|action| {
            let matcher = action["params"]["matcher"].to_string().replace(['"', '{', '}'], "");
            format!("{} {matcher}", action["id"].as_str().unwrap())
        })
        .collect()
}

fn codes(draft: &RecipeDraft) -> Vec<&'static str> {
    let findings = lint("r.recipe.yaml", &draft.recipe, Format::Yaml, LintOptions::default());
    findings.findings.iter().map(|finding| finding.code.name()).collect()
}

fn inputs(draft: &RecipeDraft) -> Vec<(&str, &str)> {
    let inputs = draft.inputs.iter();
    inputs.map(|input| (input.name.as_str(), input.value.as_str())).collect()
}

#[test]
fn a_row_of_a_list_becomes_an_input_and_every_touch_is_confirmed() {
    let draft = drafted(&[click(20, LIST), click(60, CHAT), end(SENT)]);
    assert_eq!(inputs(&draft), [("item", "Aunt Mary")]);
    assert_eq!(
        steps(&draft),
        [
            "wait_for_start textEquals:Conversations",
            "click_item textEquals:Aunt Mary",
            "click_item.confirm resourceId:c:id/header,textEquals:Aunt Mary",
            "click_send resourceId:c:id/send",
            "click_send.confirm textEquals:Delivered",
        ]
    );
    assert_eq!((codes(&draft), &draft.to_do[..], &draft.left_out[..]), (vec![], &[][..], &[][..]));
    assert!(!draft.recipe.contains("Mary"), "{}", draft.recipe);
    assert!(draft.recipe.contains("annotation: USER_SPECIFIC"));
    assert!(draft.recipe.contains("session_policy: fresh"));
}

#[test]
fn an_entry_of_a_list_that_does_not_scroll_becomes_an_input() {
    let short = LIST.replace(" scrollable", "");
    let mut touch = click(20, LIST);
    touch["screen"] = json!(short);
    let draft = drafted(&[touch, end(CHAT)]);
    assert_eq!(inputs(&draft), [("item", "Aunt Mary")]);
    assert!(!draft.recipe.contains("Mary"), "{}", draft.recipe);
}

#[test]
fn a_private_text_is_no_state() {
    let row = |state: &str| {
        format!(
            "FrameLayout\n LinearLayout [0,60][50,80] clickable\n  TextView \"Owner\" [0,60][50,70]\n  TextView \"{state}\" [0,70][50,80] #c:id/state"
        )
    };
    let mut touch = click(60, CHAT);
    touch["screen"] = json!(row("Nobody"));
    let draft = drafted(&[touch.clone(), end(&row("Bob"))]);
    assert!(!draft.recipe.contains("Bob"), "{}", draft.recipe);
    let draft = drafted(&[touch, end(&row("Somebody"))]);
    assert!(draft.recipe.contains("Somebody"), "{}", draft.recipe);
}

#[test]
fn literals_inside_a_label_become_inputs() {
    let draft = drafted(&[click(20, LIST), click(100, CHAT), end(SENT)]);
    assert_eq!(inputs(&draft), [("item", "Aunt Mary"), ("phone_number", "+49 170 1234567")]);
    assert!(draft.recipe.contains("text_equals: \"Call ${inputs.phone_number}\""), "{}", draft.recipe);
    assert_eq!(codes(&draft), [""; 0]);
}

#[test]
fn what_a_recipe_cannot_say_is_left_out_and_told() {
    let typed = json!({"type": "text_change", "packageName": "com.chat", "resourceId": "c:id/query", "text": "Delivered",
        "field": {"left": 0, "top": 130, "right": 100, "bottom": 140}, "screen": CHAT});
    let back = json!({"type": "press_key", "key": "back", "screen": CHAT});
    let draft = drafted(&[click(20, LIST), typed, back, click(120, CHAT), click(60, CHAT), end(SENT)]);
    let told: Vec<_> = draft.left_out.iter().map(|each| (each.action, each.seq.get() as u64)).collect();
    assert_eq!(told, [("enter_text", 4), ("press_key", 5), ("click", 6)], "{:?}", draft.left_out);
    assert!(draft.recipe.contains("# Left out: enter_text (event 4)"), "{}", draft.recipe);
    // What was typed is the user's, wherever it is seen.
    assert!(!draft.recipe.contains("Delivered"), "{}", draft.recipe);
}

#[test]
fn a_touch_without_a_visible_effect_is_left_to_the_author() {
    let draft = drafted(&[click(20, LIST), click(80, CHAT), end(CHAT)]);
    assert_eq!(
        draft.to_do,
        ["the recording shows no effect of the step click_mute: write a confirm block for it"]
    );
    assert_eq!(codes(&draft), ["VERIFICATION_MISSING"]);
    let draft = drafted(&[click(20, LIST)]);
    assert_eq!(draft.to_do.len(), 1, "{:?}", draft.to_do);
    assert!(draft.to_do[0].contains("was not captured"), "{:?}", draft.to_do);
}

#[test]
fn what_the_recording_does_not_know_is_not_made_up() {
    let draft = drafted_with(&[click(20, LIST), end(CHAT)], &Facts::default());
    assert_eq!(draft.to_do.len(), 2, "{:?}", draft.to_do);
    assert!(draft.to_do[0].starts_with("app_build") && draft.to_do[1].starts_with("tested_on"));
    assert_eq!(codes(&draft), ["FRONTMATTER_INVALID", "FRONTMATTER_INVALID"]);
}

#[test]
fn a_row_is_what_it_says_and_not_which_one_it_is() {
    let list = LIST.replace(
        "LinearLayout [0,20][100,60]",
        "LinearLayout @Aunt_Mary,_2_unread #c:id/row_0 [0,20][100,60]",
    );
    let mut touch = click(20, LIST);
    touch["screen"] = json!(list);
    touch["resourceId"] = json!("c:id/row_0");
    let draft = drafted(&[touch, end(CHAT)]);
    assert_eq!(inputs(&draft), [("item", "Aunt Mary")], "{}", draft.recipe);
    assert!(!draft.recipe.contains("row_0"), "{}", draft.recipe);
    assert!(draft.recipe.contains("class: \"android.widget.TextView\""), "{}", draft.recipe);
    // A dump says that an element has no id by an empty one.
    let draft = drafted(&[click(20, LIST), end(&CHAT.replace(" #c:id/header", " #"))]);
    assert!(!draft.recipe.contains("resource_id: \"\""), "{}", draft.recipe);
}

/// A page with a value, and the dialog that sets it.
fn page(value: &str) -> String {
    format!(
        "FrameLayout [0,0][100,200]\n TextView \"Heating\" [0,0][100,20]\n LinearLayout #c:id/target [0,60][50,80] clickable\n  TextView \"Target\" [0,60][50,70] #c:id/title\n  TextView \"{value}\" [0,70][50,80] #c:id/summary"
    )
}
const DIALOG: &str = "FrameLayout [1,1][90,150]
 TextView \"Set_it\" [10,20][90,40]
 Button \"Warmer\" [0,60][50,80] #c:id/warmer clickable
 Button \"Cancel\" [0,100][50,120] #android:id/button2 clickable";

#[test]
fn the_value_that_changed_is_the_confirmation() {
    let on = |screen: &str| {
        let mut touch = click(60, CHAT);
        touch["screen"] = json!(screen);
        touch
    };
    // A touch on the page itself, and one in a dialog over it.
    let direct = drafted(&[on(&page("22.5")), end(&page("23.0"))]);
    let asked = drafted(&[on(&page("22.5")), on(DIALOG), end(&page("23.0"))]);
    for draft in [direct, asked] {
        let last = steps(&draft).pop().unwrap();
        assert!(last.ends_with("resourceId:c:id/summary,textEquals:23.0"), "{last}");
        assert_eq!(codes(&draft), [""; 0], "{}", draft.recipe);
    }
    // What Cancel would show, too, is no confirmation.
    let draft = drafted(&[on(&page("22.5")), on(DIALOG), end(&page("22.5"))]);
    assert_eq!(codes(&draft), ["VERIFICATION_MISSING"], "{}", draft.recipe);
    assert!(draft.to_do[0].contains("no effect of the step click_warmer"), "{:?}", draft.to_do);
    // The time is no value.
    let draft = drafted(&[on(&page("12:01")), end(&page("12:02"))]);
    assert_eq!(codes(&draft), ["VERIFICATION_MISSING"], "{}", draft.recipe);
}

fn touch_of(screen: &str) -> Value {
    let mut touch = click(60, CHAT);
    touch["screen"] = json!(screen);
    touch
}

/// What confirms the last step, or that nothing does.
fn confirmed(draft: &RecipeDraft) -> String {
    let recipe = parse(&draft.recipe, Format::Yaml).unwrap_or_else(|problems| {
        panic!("{:?}\n{}", problems.listed, draft.recipe);
    });
    let last = recipe.steps.last().unwrap();
    match &last.confirm {
        Some(_) => draft.recipe.split("confirm:\n").last().unwrap().to_owned(),
        None => "nothing".to_owned(),
    }
}

#[test]
fn what_leaving_a_page_shows_is_no_confirmation() {
    let main = |more: &str| {
        format!(
            "FrameLayout [0,0][100,200]\n TextView \"Ma_maison\" [0,0][100,20] #c:id/head\n Button \"Alarme\" [0,60][50,80] #c:id/edit clickable{more}"
        )
    };
    let page = |title: &str, save: &str, leave: &str| {
        format!(
            "FrameLayout [0,0][100,200]\n TextView \"{title}\" [0,0][100,20] #c:id/q\n Button \"{save}\" [0,60][50,80] #c:id/save clickable\n Button {leave} [0,100][50,120] clickable"
        )
    };
    for edit in [
        page("Alarme_?", "Enregistrer", "\"Annuler\""),
        page("Alarm_?", "Yes", "\"No\""),
        page("Edit_alarm", "Save", "@Navigate_up"),
        page("警報", "保存", "\"取消\""),
        // Without ids.
        page("Alarm", "Tak", "\"Nie\"").replace(" #c:id/q", "").replace(" #c:id/save", ""),
        page("x", "Annuler", "\"Enregistrer\""),
        // A sheet over the page that is still there.
        main("\n TextView \"Alarme_?\" [0,90][90,100]")
            .replace("Button \"Alarme\" [0,60][50,80] #c:id/edit", "Button \"Oui\" [0,60][50,80] #c:id/yes"),
    ] {
        let draft = drafted(&[touch_of(&main("")), touch_of(&edit), end(&main(""))]);
        assert_eq!(confirmed(&draft), "nothing", "{edit}\n{}", draft.recipe);
        assert_eq!(codes(&draft), ["VERIFICATION_MISSING"], "{}", draft.recipe);
        // What was not there before the page was opened tells the act.
        let armed = main("\n TextView \"Armée\" [0,90][50,100]");
        let draft = drafted(&[touch_of(&main("")), touch_of(&edit), end(&armed)]);
        assert!(confirmed(&draft).contains("text_equals: \"Armée\""), "{}", draft.recipe);
    }
    // A button that does nothing but lead back is confirmed by where it leads.
    let up = page("Edit", "Save", "\"Help\"").replace("\"Save\"", "@Navigate_up");
    let draft = drafted(&[touch_of(&main("")), touch_of(&up), end(&main(""))]);
    assert!(confirmed(&draft).contains("Ma maison"), "{}", draft.recipe);
    // What was touched and is gone for the first time is an effect.
    let card = main("").replace("Alarme", "Fermer");
    let without = card.split_once("\n Button").unwrap().0;
    let draft = drafted(&[touch_of(&card), end(without)]);
    assert!(confirmed(&draft).contains("gone: true"), "{}", draft.recipe);
    // A page that was open from the start leads back to one that was not seen.
    let inside = page("Edit", "Save", "@Navigate_up");
    let events = [window("com.chat", &inside), touch_of(&inside), end(&main(""))];
    let recording = read(&recording(&events)).unwrap();
    let order = DraftOrder {
        skill: SkillId::parse("com.chat.send").unwrap(),
        summary: "x",
        denylist: &Denylist::default(),
        facts: &facts(),
    };
    assert_eq!(confirmed(&clawperator_skills::draft::draft(&recording, &order).unwrap()), "nothing");
}

#[test]
fn what_changes_by_itself_is_no_effect() {
    let meter = |power: &str| {
        format!(
            "FrameLayout [0,0][100,200]\n TextView \"Meter\" [0,0][100,20]\n TextView \"{power}\" [0,20][100,40] #c:id/power\n Button \"Send_report\" [0,60][50,80] #c:id/send clickable"
        )
    };
    let with = |mut event: Value, restless: &[&str]| {
        event["restless"] = json!(restless);
        event
    };
    let power = "c:id/power";
    let opens = |power: &str| window("com.chat", &meter(power));
    for (events, effect) in [
        // It stood still, and changed with the touch.
        (vec![opens("10_W"), touch_of(&meter("10_W")), end(&meter("15_W"))], true),
        // Its effect came late.
        (vec![opens("10_W"), touch_of(&meter("10_W")), with(end(&meter("15_W")), &[power])], true),
        // The screen was read twice before the touch.
        (vec![opens("10_W"), touch_of(&meter("11_W")), end(&meter("15_W"))], false),
        // The recorder saw it change before the touch, or again and again after.
        (vec![with(touch_of(&meter("11_W")), &[power]), end(&meter("15_W"))], false),
        (vec![touch_of(&meter("11_W")), with(end(&meter("15_W")), &[power, power])], false),
        // Words that take turns.
        (vec![opens("Rain"), touch_of(&meter("Sun")), end(&meter("Snow"))], false),
        // A value that was not there yet did not change.
        (vec![opens("--"), touch_of(&meter("10_W")), end(&meter("15_W"))], true),
    ] {
        let draft = drafted(&events);
        let found = confirmed(&draft);
        assert_eq!(found.contains(power), effect, "{events:#?}\n{}", draft.recipe);
        assert_eq!(found == "nothing", !effect, "{}", draft.recipe);
    }
    // Without ids, the same.
    let bare = |power: &str| meter(power).replace(" #c:id/power", "");
    let events = [window("com.chat", &bare("Rain")), touch_of(&bare("Sun")), end(&bare("Snow"))];
    assert_eq!(confirmed(&drafted(&events)), "nothing");
}

#[test]
fn what_began_inside_the_app_goes_on_there() {
    let up = format!("{CHAT}\n ImageButton @Navigate_up [50,0][60,10] clickable");
    for (first, policy) in [(up.as_str(), "resume_ok"), (CHAT, "fresh")] {
        let mut touch = click(60, CHAT);
        touch["screen"] = json!(first);
        let events = [window("com.chat", first), touch, end(SENT)];
        let recording = read(&recording(&events)).unwrap();
        let order = DraftOrder {
            skill: SkillId::parse("com.chat.send").unwrap(),
            summary: "x",
            denylist: &Denylist::default(),
            facts: &facts(),
        };
        let draft = draft(&recording, &order).unwrap();
        let says = format!("session_policy: {policy}\n");
        assert!(draft.recipe.contains(&says), "{}", draft.recipe);
        assert_eq!(draft.recipe.contains("type: open_app"), policy == "resume_ok", "{}", draft.recipe);
        assert_eq!(
            (draft.unsure.len(), draft.to_do.len()),
            match policy {
                "fresh" => (1, 0),
                _ => (0, 1),
            }
        );
    }
}

#[test]
fn a_recording_in_which_nothing_is_done_becomes_no_skill() {
    let typed = json!({"type": "text_change", "packageName": "com.chat", "resourceId": "c:id/query", "text": "Hello",
        "field": {"left": 0, "top": 130, "right": 100, "bottom": 140}, "screen": CHAT});
    for events in [vec![end(LIST)], vec![typed, end(CHAT)]] {
        let recording = read(&recording(&opened(&events))).unwrap();
        let order = DraftOrder {
            skill: SkillId::parse("com.chat.send").unwrap(),
            summary: "x",
            denylist: &Denylist::default(),
            facts: &facts(),
        };
        let refused = draft(&recording, &order).unwrap_err();
        assert_eq!(refused.code.name(), "RECORDING_COMPILE_FAILED");
        assert!(refused.message.contains("a skill would do nothing"), "{}", refused.message);
        assert_eq!(refused.message.contains("enter_text: recipes have no step"), events.len() == 2);
    }
}

#[test]
fn a_recording_of_another_app_is_refused() {
    let recording = read(&recording(&opened(&[click(20, LIST), end(CHAT)]))).unwrap();
    let order = DraftOrder {
        skill: SkillId::parse("com.other.send").unwrap(),
        summary: "x",
        denylist: &Denylist::default(),
        facts: &facts(),
    };
    let refused = draft(&recording, &order).unwrap_err();
    assert!(refused.message.contains("never opens com.other"), "{}", refused.message);
}
