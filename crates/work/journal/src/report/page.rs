//! The page of an execution: one HTML file that loads nothing.

use super::chart::chart;
use super::facts::{Fold, details};
use super::frame::{PageInput, banner, foot, head, hint};
use super::html::{apart, cut, esc};
use super::picture::Store;
use super::screen::{SceneExtras, scene};
use super::story::{Chapter, Story};
use crate::StoredJournal;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clawperator_events::EndEvent;
use serde_json::Value;
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// How much of a value is shown.
const SHOWN: usize = 2000;

/// The page of an execution.
///
/// Text from a phone or a caller is always escaped: none of it can become a tag, a script or an
/// address. The page's own policy also forbids it to load anything.
pub fn page(journal: &StoredJournal) -> String {
    page_of(journal, None)
}

/// What the caller knows about an execution whose journal is incomplete.
#[derive(Clone, Debug)]
pub struct IncompleteJournal {
    /// What went wrong with the journal.
    pub trouble: String,
    pub end: Option<EndEvent>,
}

/// The page of an execution whose journal could not be written to its end.
pub fn page_of(journal: &StoredJournal, incomplete: Option<&IncompleteJournal>) -> String {
    let part = ReportPart { incomplete, ..ReportPart::new(journal, 0, 0) };
    let input = part.input();
    let mut store = Store::default();
    let inside = part.html(&mut store);
    let name = journal.begin().map_or(journal.name.as_str(), |begin| begin.command_id.as_str());
    let title = format!("{} {}", input.status(), cut(name, 80));
    document(&title, &head(&input, name), &inside, &(foot(journal) + &store.html()))
}

/// What a page may load and run: only what it has in itself, by its hash. A
/// server that sends it says the same.
pub fn policy() -> String {
    format!(
        "default-src 'none'; img-src data:; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}

pub(super) fn document(title: &str, head: &str, main: &str, foot: &str) -> String {
    let policy = policy();
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta name=\"referrer\" content=\"no-referrer\"><meta name=\"color-scheme\" content=\"light dark\"><link rel=\"icon\" href=\"data:,\"><title>{}</title><style>{STYLE}</style></head><body><a class=\"skip\" href=\"#steps\">To the steps</a>{head}<main>{main}</main>{foot}<script>{SCRIPT}</script></body></html>\n",
        esc(title)
    )
}

/// An execution as a part of a page: all of it, or one of several.
pub(super) struct ReportPart<'k> {
    pub(super) journal: &'k StoredJournal,
    /// Its number on the page, from 1; 0 if it is the only one.
    pub(super) number: usize,
    story: Story<'k>,
    incomplete: Option<&'k IncompleteJournal>,
}

impl<'k> ReportPart<'k> {
    /// The steps of a page are counted through: `before` is how many come before this part.
    pub(super) fn new(journal: &'k StoredJournal, number: usize, before: usize) -> Self {
        let mut story = Story::of(journal);
        for step in &mut story.steps {
            step.number = step.number.saturating_add(before);
        }
        Self { journal, number, story, incomplete: None }
    }

    pub(super) fn steps(&self) -> usize {
        self.story.steps.len()
    }

    fn input(&self) -> PageInput<'_> {
        PageInput {
            journal: self.journal,
            story: &self.story,
            incomplete: self.incomplete,
            end: self.journal.end().or_else(|| self.incomplete?.end.as_ref()),
        }
    }

    /// The page without its head and its foot.
    pub(super) fn html(&self, store: &mut Store) -> String {
        let input = self.input();
        let steps = self.story.steps.iter();
        let steps: String = steps.map(|step| chapter(self.journal, step, store)).collect();
        // Of several parts each has places of its own, and all have one before their steps.
        let (id, open, close) = match self.number {
            0 => (String::new(), "<div id=\"steps\">", "</div>"),
            number => (format!("-{number}"), "", ""),
        };
        let outside_id = format!("outside{id}");
        format!(
            "{}{}{open}{}{}{close}",
            banner(&input),
            section(&format!("timing{id}"), "Time", &chart(&self.story, &outside_id)),
            section(&outside_id, "Outside the steps", &outside(&input, store)),
            section(&format!("steps-title{id}"), "Steps", &steps),
        )
    }
}

/// A part of the page, unless there is nothing in it.
pub(super) fn section(id: &str, title: &str, inside: &str) -> String {
    if inside.is_empty() {
        return String::new();
    }
    format!("<section aria-labelledby=\"{id}\"><h2 id=\"{id}\">{title}</h2>{inside}</section>")
}

fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

/// What happened outside the steps, such as sending the payload to the app.
fn outside(input: &PageInput<'_>, store: &mut Store) -> String {
    let outside = &input.story.outside;
    if outside.is_empty() {
        return String::new();
    }
    let seen = scenes(input.journal, outside, store);
    let (start, end) = if seen.is_empty() {
        ("<article>", "</article>")
    } else {
        ("<article><div class=\"alone\">", "</div></article>")
    };
    format!("{start}{seen}{}{end}{}", details(outside, Fold::Open), requested_steps(input))
}

/// The requested steps, if the app does not report which of them it ran.
fn requested_steps(input: &PageInput<'_>) -> String {
    let silent = input.story.steps.is_empty() && input.story.went_to_the_app();
    let begin = input.journal.begin().filter(|_| silent);
    let Some(actions) = begin.and_then(|begin| begin.execution.get("actions")?.as_array()) else {
        return String::new();
    };
    let word = |action: &Value, key: &str| {
        let text = action.get(key).and_then(Value::as_str).unwrap_or_default();
        apart(&cut(text, 120))
    };
    let mut html = String::from(
        "<article><p>The app ran these steps itself and did not report the result of each.</p><ol>",
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

fn chapter(journal: &StoredJournal, step: &Chapter<'_>, store: &mut Store) -> String {
    let (class, word) = match (step.end, step.code()) {
        (None, _) => ("odd", "not finished"),
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
        html.push_str(&format!("<p class=\"error\">{}</p>{}", apart(message), hint(code)));
    }
    if step.by_app {
        html.push_str("<p class=\"none\">The Operator app ran this step, so only its answer is known.</p>");
    }
    // Without a tree there is room next to the picture.
    let alone = step.scenes.iter().all(|scene| scene.look.is_none()) && !step.scenes.is_empty();
    let (start, end, fold) = if alone {
        ("<div class=\"alone\">", "</div>", Fold::Open)
    } else if step.code().is_some() {
        ("", "", Fold::Open)
    } else {
        ("", "", Fold::Closed)
    };
    html.push_str(start);
    html.push_str(&scenes(journal, step, store));
    html.push_str(&details(step, fold));
    html.push_str(end);
    html.push_str("</article>");
    html
}

/// What was seen: the scene that mattered, and the others folded away.
fn scenes(journal: &StoredJournal, step: &Chapter<'_>, store: &mut Store) -> String {
    let failed = step.code().is_some();
    let last_seen = step.scenes.iter().rposition(|scene| scene.look.is_some());
    let acted = step.scenes.iter().rposition(|scene| !scene.touches.is_empty());
    // A step failed on the screen it saw last, not on one it touched before.
    let main = if failed { last_seen } else { acted.or(last_seen) };
    let main = main.or(step.scenes.len().checked_sub(1));
    // The screen after the step goes next to the screen it acted on.
    let after = step.scenes.last().filter(|scene| scene.after_step && !failed);
    let after = after.filter(|_| main.is_some_and(|main| main + 1 < step.scenes.len()));
    let (mut shown, mut folded) = (String::new(), String::new());
    let mut count = 0;
    for (number, seen) in step.scenes.iter().enumerate() {
        let is_main = main == Some(number);
        if !is_main && after.is_some_and(|after| std::ptr::eq(after, seen)) {
            continue;
        }
        let extras = SceneExtras {
            wanted: step.matcher().filter(|_| failed && is_main),
            after: after.filter(|_| is_main),
        };
        let html = scene(journal, seen, store, extras);
        if is_main {
            shown = html;
        } else {
            count += 1;
            folded.push_str(&html);
        }
    }
    if count > 0 {
        let more = if count == 1 { "1 more screen".to_owned() } else { format!("{count} more screens") };
        shown.push_str(&format!(
            "<details class=\"more\"><summary>{more} in this step</summary>{folded}</details>"
        ));
    }
    shown
}
