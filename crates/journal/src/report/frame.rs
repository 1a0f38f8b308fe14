//! What stands above and below the steps of a page: how the run came out, and
//! what is to be said of its journal.

use super::html::{apart, cut, esc};
use super::page::Aside;
use super::status;
use super::story::{SpanKind, Story, shown};
use crate::stamp::shown_time;
use crate::{EMPTY, End, Judgement, StoredJournal};
use clawperator_contract::ERROR_CODES;

/// How much of a message is shown.
const SHOWN: usize = 2000;

/// What a page is of.
pub(super) struct Told<'k> {
    pub(super) kept: &'k StoredJournal,
    pub(super) story: &'k Story<'k>,
    pub(super) aside: Option<&'k Aside>,
    pub(super) end: Option<&'k End>,
}

impl Told<'_> {
    pub(super) fn status(&self) -> &str {
        match (status(self.kept), self.end) {
            ("cut off" | "empty", Some(end)) => &end.status,
            (status, _) => status,
        }
    }
}

/// What stands for a status in the page's style.
fn tone(status: &str) -> &'static str {
    match status {
        "success" => "good",
        "cut off" => "odd",
        _ => "bad",
    }
}

pub(super) fn head(told: &Told<'_>, name: &str) -> String {
    let (kept, status) = (told.kept, told.status());
    let mut facts = Vec::new();
    if let Some(begin) = kept.begin() {
        facts.push(("Phone", begin.device.clone()));
        facts.push(("Started", shown_time(begin.started_ms)));
    }
    if let Some(package) = kept.begin().and_then(|begin| begin.through.clone()) {
        facts.push(("Through", package));
    }
    facts.push(("Took", took(told)));
    facts.push(("Steps", steps_of(told)));
    if let Some(begin) = kept.begin().filter(|begin| begin.task_id != begin.command_id) {
        facts.push(("Task", begin.task_id.clone()));
    }
    let facts: String = facts
        .iter()
        .map(|(what, value)| format!("<div><dt>{what}</dt><dd>{}</dd></div>", apart(&cut(value, 120))))
        .collect();
    format!(
        "<header><p class=\"pill {}\">{}</p><h1>{}</h1><dl>{facts}</dl></header>",
        tone(status),
        esc(status),
        apart(&cut(name, 200))
    )
}

/// How long it took, and how much of that this page did.
fn took(told: &Told<'_>) -> String {
    let story = told.story;
    let all = told.end.map_or(story.took_us, |end| end.took_us);
    match story.spent(SpanKind::Picture) {
        0 => shown(all),
        pictures => format!(
            "{}, {} of them pictures for this page",
            shown(all),
            shown(pictures)
        ),
    }
}

/// How far it got.
fn steps_of(told: &Told<'_>) -> String {
    let begin = told.kept.begin();
    let asked = begin
        .and_then(|begin| begin.execution.get("actions")?.as_array())
        .map_or(0, Vec::len);
    let known = told.story.steps.len();
    match told.end.map(|end| end.status.as_str()) {
        Some("success") => format!("{known} of {asked}"),
        _ if known == 0 && told.story.went_to_the_app() => {
            format!("{asked}; the app did not say how far it got")
        }
        _ => format!("stopped at {known} of {asked}"),
    }
}

/// What is wrong with the journal itself, and how the execution failed.
pub(super) fn banner(told: &Told<'_>) -> String {
    let mut html = match (told.kept.judgement(), told.aside) {
        (Judgement::Changed { line, why }, _) => format!(
            "<p class=\"banner bad\" role=\"alert\"><b>The journal was changed.</b> Line {line}: {}. Only what holds is shown.</p>",
            esc(why)
        ),
        (_, Some(aside)) => format!(
            "<p class=\"banner odd\" role=\"status\"><b>The journal could not be written to its end.</b> {}. What was noted before that is here; the run itself went on.</p>",
            esc(&aside.trouble)
        ),
        (Judgement::Whole { .. }, None) => String::new(),
        (Judgement::Empty, None) => {
            format!("<p class=\"banner bad\" role=\"alert\"><b>The journal is empty:</b> {EMPTY}.</p>")
        }
        (Judgement::CutOff { .. }, None) => "<p class=\"banner odd\" role=\"status\"><b>The journal is cut off.</b> The run was killed or goes on, or somebody removed its end. What is here is as it was written.</p>".to_owned(),
    };
    if let Some(end) = told.end.filter(|end| end.status != "success") {
        let story = told.story;
        let failed = story.steps.iter().find(|step| step.code().is_some());
        let place = failed.map_or(String::new(), |step| {
            let (number, id) = (step.number, apart(&cut(step.id, 120)));
            format!(
                " in <a href=\"#step-{number}\">step {}, {id}</a>",
                number.saturating_add(1)
            )
        });
        let code = end.code.as_deref().unwrap_or("FAILED");
        html.push_str(&format!(
            "<div class=\"banner bad\"><p><b>{}</b>{place}: {}</p>{}</div>",
            esc(code),
            apart(&cut(end.message.as_deref().unwrap_or_default(), SHOWN)),
            hint(code)
        ));
    }
    html
}

pub(super) fn hint(code: &str) -> String {
    let row = ERROR_CODES.iter().find(|row| row.name == code);
    row.map_or(String::new(), |row| {
        format!("<p class=\"hint\">{}</p>", esc(row.hint))
    })
}

pub(super) fn foot(kept: &StoredJournal) -> String {
    let seal = match kept.judgement() {
        Judgement::Whole { seal } => format!("The journal is whole; its seal is <code>{seal}</code>. "),
        Judgement::CutOff { .. } | Judgement::Empty | Judgement::Changed { .. } => String::new(),
    };
    let version = kept.begin().map_or("", |begin| begin.version.as_str());
    format!(
        "<footer><p>{seal}Made from the journal <code>{}</code> of clawperator {}.</p></footer>",
        esc(&kept.name),
        esc(version)
    )
}
