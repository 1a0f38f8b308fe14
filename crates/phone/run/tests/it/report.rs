//! The page of a run: it is what it should be whatever a phone says.

use crate::journal::Journals;
use crate::world::{plain, world};
use clawperator_events::Pictures;
use clawperator_journal::StoredJournal;
use clawperator_journal::report::{page, text};
use clawperator_sim::{Setup, app};
use serde_json::{Value, json};
use std::sync::Arc;

const TAGS: &str = "a article b bdi body circle code dd defs details div dl dt em figcaption figure footer g h1 h2 h3 \
    h4 head header html i image li line link main meta ol p pre q rect script section span style summary svg table \
    tbody td text th thead title tr ul use";
const ATTRIBUTES: &str = "aria-hidden aria-label aria-labelledby charset class content cx cy data-n font-size height \
    href http-equiv id lang name open preserveAspectRatio r rel role scope stroke-width tabindex title viewBox width x x1 x2 y y1 y2";

/// Every tag of a page with its attributes. Whatever was said is escaped, so
/// that a `<` begins a tag; only the page's own style and script are not.
fn tags(page: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once('<') {
        let mut end = None;
        let mut quoted = false;
        for (place, letter) in after.char_indices() {
            match letter {
                '"' => quoted = !quoted,
                '>' if !quoted => {
                    end = Some(place);
                    break;
                }
                '<' => panic!("a tag in a tag: {}", &after[..place.min(200)]),
                _ => {}
            }
        }
        let end = end.unwrap();
        let inside = after[..end].trim_end_matches('/');
        rest = &after[end + 1..];
        let (name, attributes) = inside.split_once(' ').unwrap_or((inside, ""));
        if name == "style" || name == "script" {
            rest = rest.split_once(&format!("</{name}>")).unwrap().1;
        }
        if !name.starts_with(['/', '!']) {
            tags.push((name.to_owned(), attributes_of(attributes)));
        }
    }
    tags
}

fn attributes_of(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        match rest.split_once("=\"") {
            Some((name, after)) if !name.contains(' ') => {
                let (value, after) = after.split_once('"').unwrap();
                found.push((name.to_owned(), value.to_owned()));
                rest = after.trim_start();
            }
            _ => {
                let (name, after) = rest.split_once(' ').unwrap_or((rest, ""));
                found.push((name.to_owned(), String::new()));
                rest = after.trim_start();
            }
        }
    }
    found
}

/// Nothing in the page loads or sends anything, and the page says so to the browser.
fn asks_for_nothing(page: &str) {
    let known = |list: &str, name: &str| list.split_whitespace().any(|word| word == name);
    let tags = tags(page);
    for (name, attributes) in &tags {
        assert!(known(TAGS, name), "<{name}>");
        for (attribute, value) in attributes {
            assert!(known(ATTRIBUTES, attribute), "<{name} {attribute}>");
            if attribute == "href" {
                let inside = value.starts_with('#')
                    || value.starts_with("data:image/png;base64,")
                    || value == "data:,";
                assert!(inside, "<{name} href={}>", &value[..value.len().min(80)]);
            }
        }
    }
    let count = |name: &str| tags.iter().filter(|(tag, _)| tag == name).count();
    assert_eq!((count("script"), count("style"), count("link")), (1, 1, 1));
    let policy = tags.iter().find(|(_, attributes)| {
        attributes.contains(&("http-equiv".to_owned(), "Content-Security-Policy".to_owned()))
    });
    let policy = &policy.unwrap().1.iter().find(|(name, _)| name == "content").unwrap().1;
    assert!(policy.starts_with("default-src 'none'; img-src data:; style-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains("http") && !policy.contains('*'), "{policy}");
    // The style and the script are ours, and constant.
    for word in [
        "url(",
        "@import",
        "@font-face",
        "fetch",
        "XMLHttp",
        "import(",
        "WebSocket",
        "innerHTML",
        "http:",
        "https:",
    ] {
        let own = page.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0.contains(word)
            || page.rsplit_once("<script>").unwrap().1.contains(word);
        assert!(!own, "{word}");
    }
}

fn hostile() -> Vec<Arc<app::App>> {
    let file = r##"
package: com.example.hostile
label: Hostile
activities: [{name: .Main, screen: main, launcher: true}]
screens:
  main:
    captured:
      - {at: [0, 0, 1080, 2400], class: android.widget.FrameLayout, flags: [enabled]}
      - {depth: 1, at: [0, 0, 900, 90], class: "android.widget.Button\"><script>alert(0)</script>", id: "x:id/\"><svg onload=alert(1)>", text: "</script><img src=x onerror=alert(1)>", flags: [enabled, clickable]}
      - {depth: 1, at: [0, 100, 900, 190], class: android.widget.TextView, text: "\" onmouseover=\"alert(2)", desc: "'><style>*{background:url(http://evil.example)}</style>", flags: [enabled]}
      - {depth: 1, at: [-100000, -100000, 100000, 100000], class: android.widget.TextView, text: "]]></svg>&lt;\u202eevil\u0000", flags: [enabled]}
      - {depth: 1, at: [5, 5, 5, 5], class: "", text: "javascript:alert(3)", flags: [enabled, password]}
"##;
    vec![Arc::new(app::parse(&file.replace("\\u0000", "\\u0007")).unwrap())]
}

async fn hostile_run(pictures: Pictures) -> (Journals, StoredJournal) {
    let phone = world(Setup { apps: hostile(), ..Setup::default() }).await;
    let journals = Journals::new(pictures);
    let actions: Value = json!([
        {"id": "</script><b onclick=x>", "type": "open_app", "params": {"applicationId": "com.example.hostile"}},
        {"id": "touch", "type": "click", "params": {"matcher": {"textContains": "onerror"}}},
        {"id": "<img src=//evil.example>", "type": "click", "params": {"matcher": {"textEquals": "</script><img src=y onerror=alert(1)>"}, "retry": {"maxAttempts": 1}}},
    ]);
    journals.run(&phone.phone, actions).await.unwrap();
    let kept = journals.only();
    (journals, kept)
}

#[tokio::test(start_paused = true)]
async fn a_page_asks_for_nothing_whatever_a_phone_says() {
    for pictures in [Pictures::Left, Pictures::Taken] {
        let (_journals, kept) = hostile_run(pictures).await;
        let page = page(&kept);
        asks_for_nothing(&page);
        assert!(page.contains("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"));
        assert!(page.contains("\" title=\"[0,0][900,90]\">"), "the tree is in it");
        assert_eq!(page.contains("data:image/png"), pictures == Pictures::Taken);
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_shows_what_was_touched_and_what_was_nearest() {
    let phone = plain().await;
    let journals = Journals::new(Pictures::Left);
    journals.run(&phone.phone, json!([
        {"id": "open", "type": "open_app", "params": {"applicationId": "com.clawperator.conformance"}},
        {"id": "more", "type": "click", "params": {"matcher": {"textEquals": "Increment"}}},
        {"id": "slip", "type": "click", "params": {"matcher": {"textEquals": "Incremnt", "role": "button"}, "retry": {"maxAttempts": 1}}},
    ])).await.unwrap();
    let kept = journals.only();
    let page = page(&kept);
    asks_for_nothing(&page);
    for part in [
        "class=\"finger\"",
        "class=\"drawn\"",
        "class=\"tree\"",
        "NODE_NOT_FOUND",
        "<code>textEquals</code> should be <q><bdi>Incremnt</bdi></q>, but is <q><bdi>Increment</bdi></q>",
        "role=\"img\" aria-label=\"slip: ",
        "<main>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let told = text(&kept);
    assert!(told.contains("near: Button \"Increment\"") && told.contains("tapped at ("), "{told}");
}

#[tokio::test(start_paused = true)]
async fn a_page_of_a_journal_that_was_changed_says_so() {
    let phone = plain().await;
    let journals = Journals::new(Pictures::Left);
    let press = json!([{"id": "home", "type": "press_key", "params": {"key": "home"}}]);
    journals.run(&phone.phone, press).await.unwrap();
    let found = journals.folder().list().unwrap().remove(0);
    let lines = found.path.join("journal.ndjson");
    let text = std::fs::read_to_string(&lines).unwrap();
    std::fs::write(&lines, text.replacen("press '3'", "press '4'", 1)).unwrap();
    let changed = page(&StoredJournal::open(&found).unwrap());
    assert!(changed.contains("The journal was changed.") && changed.contains("Line 3"), "{changed}");
    std::fs::write(&lines, &text[..text.len() / 2]).unwrap();
    assert!(page(&StoredJournal::open(&found).unwrap()).contains("The journal is cut off."));
    std::fs::write(&lines, "").unwrap();
    asks_for_nothing(&page(&StoredJournal::open(&found).unwrap()));
}
