//! A journal as text for people.

use super::near;
use super::status;
use super::story::{Chapter, Story, StoryScene, duration_text, touch_text};
use crate::stamp::shown_time;
use crate::{EMPTY, Judgement, StoredJournal};

/// How much of a value is shown.
const SHOWN: usize = 200;

/// A journal as text.
pub fn text(journal: &StoredJournal) -> String {
    let story = Story::of(journal);
    let mut lines = Vec::new();
    if let Some(begin) = journal.begin() {
        lines.push(format!("{} on {}: {}", plain(&begin.command_id), plain(&begin.device), status(journal)));
        lines.push(format!(
            "{}, {}, {}",
            shown_time(begin.started_ms),
            match (story.went_to_the_app(), story.steps.len()) {
                (true, 0) => "the app did not report its steps".to_owned(),
                (_, 1) => "1 step".to_owned(),
                (_, steps) => format!("{steps} steps"),
            },
            duration_text(story.took_us)
        ));
    }
    lines.push(judgement_text(journal));
    if let Some(end) = journal.end().filter(|end| end.status != "success") {
        let code = end.code.as_deref().unwrap_or("FAILED");
        lines.push(format!("{code}: {}", plain(end.message.as_deref().unwrap_or_default())));
    }
    if !story.outside.is_empty() {
        lines.push(String::new());
        lines.push("outside the steps:".to_owned());
        event_lines(&story.outside, &mut lines);
    }
    for step in &story.steps {
        lines.push(String::new());
        chapter(journal, step, &mut lines);
    }
    lines.join("\n") + "\n"
}

pub(super) fn judgement_text(journal: &StoredJournal) -> String {
    match journal.judgement() {
        Judgement::Whole { seal } => format!("the journal is whole; its seal is {seal}"),
        Judgement::CutOff { .. } => {
            "the journal is cut off: the run was killed, or is still running".to_owned()
        }
        Judgement::Empty => format!("THE JOURNAL IS EMPTY: {EMPTY}"),
        Judgement::Changed { line, why } => format!("THE JOURNAL WAS CHANGED: line {line}: {why}"),
    }
}

fn chapter(journal: &StoredJournal, step: &Chapter<'_>, lines: &mut Vec<String>) {
    let outcome = match (step.end, step.code()) {
        (None, _) => "not finished",
        (Some(_), Some(code)) => code,
        (Some(_), None) => "done",
    };
    lines.push(format!(
        "{}. {} ({}): {}, {}",
        step.number.saturating_add(1),
        plain(step.id),
        step.action,
        outcome,
        if step.by_app { "run by the Operator app".to_owned() } else { step.took() }
    ));
    event_lines(step, lines);
    if let Some(end) = step.end {
        lines.extend(end.data.iter().map(|(key, value)| format!("   {key}: {}", plain(value))));
    }
    if let (Some(_), Some(wanted)) = (step.code(), step.matcher())
        && let Some(tree) = step.scenes.iter().rev().find_map(|scene| scene.tree(journal))
    {
        lines.extend(near::lines(&tree, wanted).into_iter().map(|line| format!("   near: {line}")));
    }
}

/// What was seen, waited for and sent.
fn event_lines(step: &Chapter<'_>, lines: &mut Vec<String>) {
    for scene in &step.scenes {
        lines.extend(scene_lines(scene));
    }
    lines.extend(step.remarks.iter().map(|remark| format!("   {}", plain(remark))));
    for (from, command) in &step.commands {
        let exit = command.exit_code.map_or(String::new(), |code| format!(", exit {code}"));
        let error = command.error.as_deref().map_or(String::new(), |error| format!(", {error}"));
        lines.push(format!(
            "   {:>10}  {}  [{}, {} bytes{exit}{error}]",
            duration_text(*from),
            plain(&command.line),
            duration_text(command.took_us),
            command.out_bytes
        ));
    }
}

fn scene_lines(scene: &StoryScene<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(look) = scene.look {
        let times = if scene.times > 1 { format!(", {} times", scene.times) } else { String::new() };
        lines.push(format!("   saw {} elements of {}{times}", look.nodes, plain(&look.package)));
    }
    if let Some(choice) = scene.choice {
        lines.push(match &choice.says {
            Some(says) => format!("   chose {} (one of {})", plain(says), choice.fits),
            None => format!("   nothing matched {}", plain(&near::in_words(&choice.matcher))),
        });
    }
    lines.extend(scene.touches.iter().map(|touch| format!("   {}", touch_text(touch))));
    lines
}

/// Text from a phone, without the terminal's control characters.
pub(super) fn plain(text: &str) -> String {
    let safe = |letter: char| if letter.is_control() { '\u{fffd}' } else { letter };
    super::html::cut(&text.chars().map(safe).collect::<String>(), SHOWN).into_owned()
}
