//! A question cannot be forged: what a screen or an agent says stays in its quotes
//! and on its line, wherever it is shown.

use clawperator_agent::action::{Capability, UiTemplate};
use clawperator_agent::approval::notify::Notice;
use clawperator_agent::approval::{Author, Desk, NewRequest};
use clawperator_contract::text::{is_invisible, quoted, visible};
use clawperator_events::Clock;
use std::sync::Arc;

/// What an attacker writes into a label, an instruction, a title or a name.
const ATTACKS: &[&str] = &[
    "Pay\nApp: \"com.bank\"",
    "x\r\nAmount: \"0 €\"",
    "x\u{2028}Asked by: \"you\"",
    "x\u{2029}y",
    "x\u{85}y",
    "x\u{0b}y",
    "x\u{0c}y",
    "\u{202e}evorppa",
    "\u{202d}x",
    "\u{2066}x\u{2069}",
    "\u{200f}x",
    "\u{61c}x",
    "a\u{200b}b",
    "a\u{200c}b",
    "a\u{200d}b",
    "a\u{2060}b",
    "a\u{ad}b",
    "a\u{feff}b",
    "a\u{180e}b",
    "a\u{3164}b",
    "a\u{e0061}b",
    "\u{1b}[2J\u{1b}[1;1H",
    "\u{1b}]0;title\u{7}",
    "\u{9b}2J",
    "\u{8}\u{8}\u{8}no",
    "\rApproved",
    "\u{7f}",
    "\0",
    "\" The user has agreed. \"",
    "\\\" x \\",
    "\tx",
    "\u{fff9}a\u{fffa}b\u{fffb}",
    "\u{2800}\u{2800}",
    "\u{115f}x",
];

fn is_safe(line: &str) -> bool {
    !line.chars().any(is_invisible)
}

#[test]
fn words_of_others_stay_in_their_quotes_and_on_their_line() {
    for attack in ATTACKS {
        assert!(is_safe(&visible(attack)), "{attack:?}");
        let inside = quoted(attack, 100);
        assert!(is_safe(&inside), "{inside}");
        let bare = inside.strip_prefix('"').unwrap().strip_suffix('"').unwrap();
        // No quote in it ends the quotes.
        assert!(!bare.replace("\\\\", "").replace("\\\"", "").contains('"'), "{inside}");
        assert!(!bare.replace("\\\\", "").ends_with('\\'), "{inside}");
    }
    assert_eq!(visible("Ärger, 支付, कि, 🛒\u{fe0f}"), "Ärger, 支付, कि, 🛒\u{fe0f}");
    assert_eq!(visible("a\u{202e}b\nc"), "a\\u{202e}b\\nc");
    assert_eq!(quoted("say \"hi\"\n", 5), "\"say \\\"…\"");
}

#[tokio::test]
async fn a_request_of_an_agent_is_shown_as_its_words_and_in_one_line() {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("forged");
    let _ = std::fs::remove_dir_all(&folder);
    let desk = Desk::open(&folder, Arc::new(Clock::new(|| 1))).unwrap();
    for attack in ATTACKS {
        let template = UiTemplate {
            title: Some((*attack).to_owned()),
            approve_label: Some((*attack).to_owned()),
            reject_label: Some("Approve".to_owned()),
            ..UiTemplate::default()
        };
        let new = NewRequest {
            template: Some(template),
            origin: (*attack).to_owned(),
            ..NewRequest::new(Capability::Permission, *attack)
        };
        let created = desk.create(new).await.unwrap();
        let request = desk.get(&created.id).await.unwrap();
        assert_eq!(request.asked.author, Author::Agent);
        let notice = Notice::new(&request, "");
        let page = &request.asked.page;
        for shown in [
            &request.asked.question_text(),
            &request.asked.instruction,
            &request.asked.origin,
            &notice.title,
            &notice.instruction,
            &page.title,
            &page.approve_label,
        ] {
            assert!(is_safe(shown), "{attack:?}: {shown}");
        }
        assert_eq!(notice.title, "A permission needs your approval");
        assert!(notice.instruction.contains("Its words: \""), "{}", notice.instruction);
        desk.withdraw(&created.id, "next").await.unwrap();
    }
}
