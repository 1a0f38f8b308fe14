//! The page of an execution: one HTML file that asks for nothing from
//! anywhere.

use super::chart::chart;
use super::facts::{Fold, details};
use super::frame::{Told, banner, foot, head, hint};
use super::html::{apart, cut, esc};
use super::picture::Store;
use super::screen::{Beside, scene};
use super::story::{Chapter, Story};
use crate::{End, StoredJournal};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// How much of a value is shown.
const SHOWN: usize = 2000;

/// The page of an execution.
///
/// Everything that a phone or a caller said is text in it: nothing of that can
/// become a tag, a script or an address. The page's own policy forbids it to
/// load anything, too.
#[must_use]
pub fn page(kept: &StoredJournal) -> String {
    page_of(kept, None)
}

/// What is known of an execution beside its journal, by whoever ran it.
#[derive(Clone, Debug)]
pub struct Aside {
    /// What went wrong with the journal.
    pub trouble: String,
    /// How the execution ended all the same.
    pub end: Option<End>,
}

/// The page of an execution whose journal could not be written to its end.
#[must_use]
pub fn page_of(kept: &StoredJournal, aside: Option<&Aside>) -> String {
    let story = &Story::of(kept);
    let told = Told {
        kept,
        story,
        aside,
        end: kept.end().or_else(|| aside?.end.as_ref()),
    };
    let mut store = Store::default();
    let steps: String = story
        .steps
        .iter()
        .map(|step| chapter(kept, step, &mut store))
        .collect();
    let name = kept
        .begin()
        .map_or(kept.name.as_str(), |begin| begin.command_id.as_str());
    let title = format!("{} {}", told.status(), cut(name, 80));
    let policy = format!(
        "default-src 'none'; img-src data:; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta name=\"referrer\" content=\"no-referrer\"><meta name=\"color-scheme\" content=\"light dark\"><link rel=\"icon\" href=\"data:,\"><title>{}</title><style>{STYLE}</style></head><body><a class=\"skip\" href=\"#steps\">To the steps</a>{}<main>{}{}<div id=\"steps\">{}{}</div></main>{}{}<script>{SCRIPT}</script></body></html>\n",
        esc(&title),
        head(&told, name),
        banner(&told),
        section("timing", "Time", &chart(story)),
        section("outside", "Outside of the steps", &outside(&told, &mut store)),
        section("steps-title", "Steps", &steps),
        foot(kept),
        store.html()
    )
}

/// A part of the page, unless there is nothing in it.
fn section(id: &str, title: &str, inside: &str) -> String {
    if inside.is_empty() {
        return String::new();
    }
    format!("<section aria-labelledby=\"{id}\"><h2 id=\"{id}\">{title}</h2>{inside}</section>")
}

fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

/// What happened in no step, such as handing the payload to the app.
fn outside(told: &Told<'_>, store: &mut Store) -> String {
    let outside = &told.story.outside;
    if outside.is_empty() {
        return String::new();
    }
    let seen = scenes(told.kept, outside, store);
    let (start, end) = if seen.is_empty() {
        ("<article>", "</article>")
    } else {
        ("<article><div class=\"alone\">", "</div></article>")
    };
    format!(
        "{start}{seen}{}{end}{}",
        details(outside, Fold::Open),
        asked(told)
    )
}

/// What was asked for, where the app does not say what it did of that.
fn asked(told: &Told<'_>) -> String {
    let silent = told.story.steps.is_empty() && told.story.went_to_the_app();
    let begin = told.kept.begin().filter(|_| silent);
    let Some(actions) = begin.and_then(|begin| begin.execution.get("actions")?.as_array()) else {
        return String::new();
    };
    let word = |action: &Value, key: &str| {
        let text = action.get(key).and_then(Value::as_str).unwrap_or_default();
        apart(&cut(text, 120))
    };
    let mut html = String::from(
        "<article><p>The app ran these steps by itself, and did not say what came of each.</p><ol>",
    );
    for action in actions {
        let params = action.get("params").map_or(String::new(), Value::to_string);
        html.push_str(&format!(
            "<li><b>{}</b> <span class=\"action\">{}</span> <code>{}</code></li>",
            word(action, "id"),
            word(action, "type"),
            esc(&cut(&params, SHOWN))
        ));
    }
    html.push_str("</ol></article>");
    html
}

fn chapter(kept: &StoredJournal, step: &Chapter<'_>, store: &mut Store) -> String {
    let (class, word) = match (step.end, step.code()) {
        (None, _) => ("odd", "not ended"),
        (Some(_), Some(code)) => ("bad", code),
        (Some(_), None) => ("good", "done"),
    };
    let number = step.number;
    let mut html = format!(
        "<article id=\"step-{number}\" class=\"{class}\" aria-labelledby=\"title-{number}\"><h3 id=\"title-{number}\"><span class=\"number\">{}</span> {} <span class=\"action\">{}</span> <span class=\"pill {class}\">{}</span> <span class=\"took\">{}</span></h3>",
        number.saturating_add(1),
        apart(&cut(step.id, 120)),
        esc(step.action),
        esc(word),
        step.took()
    );
    if let (Some(code), Some(end)) = (step.code(), step.end) {
        let message = end.data.get("message").map_or("", String::as_str);
        html.push_str(&format!(
            "<p class=\"error\">{}</p>{}",
            apart(message),
            hint(code)
        ));
    }
    if step.by_app {
        html.push_str("<p class=\"none\">The Operator app ran this step: only its answer is known.</p>");
    }
    // What shows no tree has room beside its picture.
    let alone = step.scenes.iter().all(|scene| scene.look.is_none()) && !step.scenes.is_empty();
    let (start, end, fold) = if alone {
        ("<div class=\"alone\">", "</div>", Fold::Open)
    } else if step.code().is_some() {
        ("", "", Fold::Open)
    } else {
        ("", "", Fold::Closed)
    };
    html.push_str(start);
    html.push_str(&scenes(kept, step, store));
    html.push_str(&details(step, fold));
    html.push_str(end);
    html.push_str("</article>");
    html
}

/// What was seen: the scene that mattered, and the others folded away.
fn scenes(kept: &StoredJournal, step: &Chapter<'_>, store: &mut Store) -> String {
    let failed = step.code().is_some();
    let last_seen = step.scenes.iter().rposition(|scene| scene.look.is_some());
    let acted = step.scenes.iter().rposition(|scene| !scene.touches.is_empty());
    // What a step failed on is what it saw last, not what it touched before.
    let main = if failed { last_seen } else { acted.or(last_seen) };
    let main = main.or(step.scenes.len().checked_sub(1));
    // What a step led to stands beside what it did.
    let after = step.scenes.last().filter(|scene| scene.after_step && !failed);
    let after = after.filter(|_| main.is_some_and(|main| main + 1 < step.scenes.len()));
    let (mut shown, mut folded) = (String::new(), String::new());
    let mut count = 0;
    for (number, seen) in step.scenes.iter().enumerate() {
        let is_main = main == Some(number);
        if !is_main && after.is_some_and(|after| std::ptr::eq(after, seen)) {
            continue;
        }
        let beside = Beside {
            wanted: step.matcher().filter(|_| failed && is_main),
            after: after.filter(|_| is_main),
        };
        let html = scene(kept, seen, store, beside);
        if is_main {
            shown = html;
        } else {
            count += 1;
            folded.push_str(&html);
        }
    }
    if count > 0 {
        let more = if count == 1 {
            "1 more screen".to_owned()
        } else {
            format!("{count} more screens")
        };
        shown.push_str(&format!(
            "<details class=\"more\"><summary>{more} of this step</summary>{folded}</details>"
        ));
    }
    shown
}
