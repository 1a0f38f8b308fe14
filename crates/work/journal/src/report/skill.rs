//! A run of a skill, as a page and as text: its checkpoints, and all the steps of its executions.

use super::frame::{about, facts_list, foot, journal_banner, tone};
use super::html::{apart, cut, esc};
use super::page::{ReportPart, document, section};
use super::picture::Store;
use super::status;
use super::story::duration_text;
use super::text::{self, text};
use crate::stamp::shown_time;
use crate::{JournalError, JournalFolder, StoredJournal};

/// How much of a note is shown.
const SHOWN: usize = 500;

/// A run of a skill and its executions.
#[derive(Debug)]
pub struct SkillRun {
    pub journal: StoredJournal,
    /// Those of its executions, the oldest first.
    pub executions: Vec<StoredJournal>,
}

impl SkillRun {
    /// The run whose journal this is; the journal itself if it is of something else.
    pub fn of(journal: StoredJournal, folder: &JournalFolder) -> Result<Self, JournalError> {
        let executions = match journal.skill_begin() {
            Some(begin) => folder.executions_of(begin)?,
            None => Vec::new(),
        };
        Ok(Self { journal, executions })
    }

    fn took_us(&self) -> u64 {
        let last = self.journal.entries.last().map_or(0, |entry| entry.at_us);
        self.journal.skill_end().map_or(last, |end| end.took_us)
    }

    fn name(&self) -> &str {
        let begin = self.journal.skill_begin();
        begin.map_or(self.journal.name.as_str(), |begin| begin.skill_id.as_str())
    }
}

/// The page of a run of a skill.
pub fn skill_page(run: &SkillRun) -> String {
    let mut store = Store::default();
    let mut steps = 0;
    let mut executions = String::new();
    for (number, journal) in run.executions.iter().enumerate() {
        let part = ReportPart::new(journal, number + 1, steps);
        steps += part.steps();
        executions.push_str(&execution(&part, &mut store));
    }
    let status = status(&run.journal);
    let title = format!("{status} {}", cut(run.name(), 80));
    let main = format!(
        "{}{}{}<div id=\"steps\">{executions}</div>",
        journal_banner(&run.journal),
        failure(run),
        section("checkpoints", "Checkpoints", &checkpoints(run)),
    );
    document(&title, &head(run, steps), &main, &(foot(&run.journal) + &store.html()))
}

fn head(run: &SkillRun, steps: usize) -> String {
    let mut facts = Vec::new();
    if let Some(begin) = run.journal.skill_begin() {
        facts.extend(begin.device.clone().map(|device| ("Phone", device)));
        facts.push(("Started", shown_time(begin.started_ms)));
        facts.push(("Run", begin.skill_run.clone()));
    }
    facts.push(("Took", duration_text(run.took_us())));
    facts.push(("Executions", run.executions.len().to_string()));
    facts.push(("Steps", steps.to_string()));
    let status = status(&run.journal);
    about(status, run.name(), &facts_list(&facts))
}

fn failure(run: &SkillRun) -> String {
    let Some(end) = run.journal.skill_end().filter(|end| end.status != "success") else {
        return String::new();
    };
    let message = end.message.as_deref().unwrap_or_default();
    format!(
        "<div class=\"banner bad\"><p><b>{}</b>: {}</p></div>",
        esc(end.code.as_deref().unwrap_or("FAILED")),
        apart(&cut(message, SHOWN))
    )
}

fn checkpoints(run: &SkillRun) -> String {
    let rows: String = run
        .journal
        .checkpoints()
        .map(|checkpoint| {
            let class = match checkpoint.status.as_str() {
                "ok" => "good",
                "failed" => "bad",
                _ => "odd",
            };
            format!(
                "<tr><th scope=\"row\">{}</th><td><span class=\"pill {class}\">{}</span></td><td>{}</td></tr>",
                apart(&cut(&checkpoint.id, 120)),
                esc(&checkpoint.status),
                apart(&cut(checkpoint.note.as_deref().unwrap_or_default(), SHOWN))
            )
        })
        .collect();
    if rows.is_empty() {
        return rows;
    }
    format!("<article><table><tbody>{rows}</tbody></table></article>")
}

fn execution(part: &ReportPart<'_>, store: &mut Store) -> String {
    let status = status(part.journal);
    let name = part.journal.start().map_or(part.journal.name.as_str(), |start| start.id);
    format!(
        "<h2 id=\"execution-{}\">Execution {}: {} <span class=\"pill {}\">{}</span></h2>{}",
        part.number,
        part.number,
        apart(&cut(name, 120)),
        tone(status),
        esc(status),
        part.html(store)
    )
}

/// A run of a skill as text.
pub fn skill_text(run: &SkillRun) -> String {
    let mut lines = Vec::new();
    if let Some(begin) = run.journal.skill_begin() {
        let on = begin.device.as_ref().map_or(String::new(), |device| format!(" on {}", text::plain(device)));
        lines.push(format!("skill {}{on}: {}", text::plain(&begin.skill_id), status(&run.journal)));
        let executions = match run.executions.len() {
            1 => "1 execution".to_owned(),
            many => format!("{many} executions"),
        };
        lines.push(format!(
            "{}, {executions}, {}; the run is {}",
            shown_time(begin.started_ms),
            duration_text(run.took_us()),
            text::plain(&begin.skill_run)
        ));
    }
    lines.push(text::judgement_text(&run.journal));
    if let Some(end) = run.journal.skill_end().filter(|end| end.status != "success") {
        let message = text::plain(end.message.as_deref().unwrap_or_default());
        lines.push(format!("{}: {message}", end.code.as_deref().unwrap_or("FAILED")));
    }
    for checkpoint in run.journal.checkpoints() {
        let note =
            checkpoint.note.as_deref().map_or(String::new(), |note| format!(", {}", text::plain(note)));
        lines.push(format!("checkpoint {}: {}{note}", text::plain(&checkpoint.id), checkpoint.status));
    }
    let mut whole = lines.join("\n") + "\n";
    for journal in &run.executions {
        whole.push('\n');
        whole.push_str(&text(journal));
    }
    whole
}
