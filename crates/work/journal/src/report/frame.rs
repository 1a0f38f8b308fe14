//! The header, banner and footer of a page: the outcome of the run, and the state of its journal.

use super::html::{apart, cut, esc};
use super::page::IncompleteJournal;
use super::status;
use super::story::{SpanKind, Story, duration_text};
use crate::stamp::shown_time;
use crate::{EMPTY, Judgement, StoredJournal};
use clawperator_contract::ERROR_CODES;
use clawperator_events::EndEvent;

/// How much of a message is shown.
const SHOWN: usize = 2000;

/// Everything a page is made from.
pub(super) struct PageInput<'k> {
    pub(super) journal: &'k StoredJournal,
    pub(super) story: &'k Story<'k>,
    pub(super) incomplete: Option<&'k IncompleteJournal>,
    pub(super) end: Option<&'k EndEvent>,
}

impl PageInput<'_> {
    pub(super) fn status(&self) -> &str {
        match (status(self.journal), self.end) {
            ("cut off" | "empty", Some(end)) => &end.status,
            (status, _) => status,
        }
    }
}

/// The CSS class of a status.
pub(super) fn tone(status: &str) -> &'static str {
    match status {
        "success" | "finished" => "good",
        "cut off" => "odd",
        _ => "bad",
    }
}

pub(super) fn head(input: &PageInput<'_>, name: &str) -> String {
    let (journal, status) = (input.journal, input.status());
    let mut facts = Vec::new();
    if let Some(begin) = journal.begin() {
        facts.push(("Phone", begin.device.clone()));
        facts.push(("Started", shown_time(begin.started_ms)));
    }
    if let Some(package) = journal.begin().and_then(|begin| begin.through.clone()) {
        facts.push(("Through", package));
    }
    if let Some(lane) = journal.begin().and_then(|begin| begin.lane.clone()) {
        facts.push(("Lane", lane));
    }
    facts.push(("Took", took(input)));
    facts.push(("Steps", steps_of(input)));
    if let Some(begin) = journal.begin().filter(|begin| begin.task_id != begin.command_id) {
        facts.push(("Task", begin.task_id.clone()));
    }
    about(status, name, &facts_list(&facts))
}

pub(super) fn facts_list(facts: &[(&str, String)]) -> String {
    let fact = |(what, value): &(&str, String)| {
        format!("<div><dt>{what}</dt><dd>{}</dd></div>", apart(&cut(value, 120)))
    };
    facts.iter().map(fact).collect()
}

/// The head of a page: how it ended, what it is of, and facts about it.
pub(super) fn about(status: &str, name: &str, facts: &str) -> String {
    format!(
        "<header><p class=\"pill {}\">{}</p><h1>{}</h1><dl>{facts}</dl></header>",
        tone(status),
        esc(status),
        apart(&cut(name, 200))
    )
}

/// How long it took, and how much of that was for this page.
fn took(input: &PageInput<'_>) -> String {
    let story = input.story;
    let all = input.end.map_or(story.took_us, |end| end.took_us);
    match story.spent(SpanKind::Picture) {
        0 => duration_text(all),
        pictures => {
            format!("{}, including {} for this page's pictures", duration_text(all), duration_text(pictures))
        }
    }
}

fn steps_of(input: &PageInput<'_>) -> String {
    let begin = input.journal.begin();
    let known = input.story.steps.len();
    let actions = begin.and_then(|begin| begin.execution.get("actions")?.as_array());
    let Some(asked) = actions.map(Vec::len) else {
        // What an agent does is not known before.
        return known.to_string();
    };
    match input.end.map(|end| end.status.as_str()) {
        Some("success") => format!("{known} of {asked}"),
        _ if known == 0 && input.story.went_to_the_app() => {
            format!("{asked}; the app did not report how far it got")
        }
        _ => format!("stopped at {known} of {asked}"),
    }
}

/// What is wrong with the journal itself, and how the execution failed.
pub(super) fn banner(input: &PageInput<'_>) -> String {
    let mut html = match (input.journal.judgement(), input.incomplete) {
        (Judgement::Whole { .. } | Judgement::Empty | Judgement::CutOff { .. }, Some(incomplete)) => format!(
            "<p class=\"banner odd\" role=\"status\"><b>The journal could not be written to its end.</b> {}. The run itself continued; this page shows what was recorded before.</p>",
            esc(&incomplete.trouble)
        ),
        (Judgement::Changed { .. }, _) | (_, None) => journal_banner(input.journal),
    };
    if let Some(end) = input.end.filter(|end| end.status != "success") {
        let story = input.story;
        let failed = story.steps.iter().find(|step| step.code().is_some());
        let place = failed.map_or(String::new(), |step| {
            let (number, id) = (step.number, apart(&cut(step.id, 120)));
            format!(" in <a href=\"#step-{number}\">step {}, {id}</a>", number.saturating_add(1))
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

pub(super) fn journal_banner(journal: &StoredJournal) -> String {
    match journal.judgement() {
        Judgement::Changed { line, why } => format!(
            "<p class=\"banner bad\" role=\"alert\"><b>The journal was changed.</b> Line {line}: {}. Only the lines before the change are shown.</p>",
            esc(why)
        ),
        Judgement::Whole { .. } => String::new(),
        Judgement::Empty => {
            format!("<p class=\"banner bad\" role=\"alert\"><b>The journal is empty:</b> {EMPTY}.</p>")
        }
        Judgement::CutOff { .. } => "<p class=\"banner odd\" role=\"status\"><b>The journal is cut off.</b> The run was killed, is still running, or the last lines were removed. The lines shown here are intact.</p>".to_owned(),
    }
}

pub(super) fn hint(code: &str) -> String {
    let row = ERROR_CODES.iter().find(|row| row.name == code);
    row.map_or(String::new(), |row| format!("<p class=\"hint\">{}</p>", esc(row.hint)))
}

pub(super) fn foot(journal: &StoredJournal) -> String {
    let seal = match journal.judgement() {
        Judgement::Whole { seal } => format!("The journal is whole; its seal is <code>{seal}</code>. "),
        Judgement::CutOff { .. } | Judgement::Empty | Judgement::Changed { .. } => String::new(),
    };
    let of_skill = journal.skill_begin().map(|begin| begin.version.as_str());
    let version = journal.begin().map(|begin| begin.version.as_str());
    let version = version.or(of_skill).unwrap_or_default();
    format!(
        "<footer><p>{seal}Made from the journal <code>{}</code> of clawperator {}.</p></footer>",
        esc(&journal.name),
        esc(version)
    )
}
