//! Answers as people read them: `--output pretty`. Pure.
//!
//! An execution is a line per step. Any other answer is its values, a line each,
//! and a table for each list of objects.

use anstyle::{AnsiColor, Style};
use clawperator_contract::{ActionKind, DataKey, text};
use serde_json::{Map, Value};

pub(super) const GOOD: Style = AnsiColor::Green.on_default();
pub(super) const ODD: Style = AnsiColor::Yellow.on_default();
pub(super) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(super) const HEAD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

/// Whether to colour text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    Always,
    Never,
}

/// What a step found out, in the order in which it is shown: the first that is there.
pub(super) const FOUND: &[DataKey] = &[
    DataKey::Value,
    DataKey::Pairs,
    DataKey::Query,
    DataKey::Path,
    DataKey::FilePath,
    DataKey::Text,
    DataKey::Uri,
    DataKey::ApplicationId,
    DataKey::Key,
    DataKey::TerminationReason,
    DataKey::ScrollOutcome,
    DataKey::ResolvedPackage,
    DataKey::Confirmed,
    DataKey::Label,
];

/// What is shown of an element that a query found.
const ELEMENT: &[&str] = &["ref", "role", "label", "resourceId", "state"];

/// The widest column; what is longer is not cut, but others are not moved for it.
const MAX_WIDTH: usize = 80;

/// What is odd about a step that succeeded.
const WARNINGS: &[DataKey] = &[
    DataKey::Warn,
    DataKey::SelectionWarning,
    DataKey::TouchWarning,
    DataKey::NotClickable,
    DataKey::LeftOut,
    DataKey::MemoryWarning,
    DataKey::Resumed,
    DataKey::Keyboard,
    DataKey::InTheWay,
];

/// What helps with a step that failed.
const CLUES: &[(DataKey, &str)] = &[
    (DataKey::Candidates, "these fit"),
    (DataKey::Nearest, "nearest"),
    (DataKey::StandsThere, "now there"),
    (DataKey::ExpectedText, "expected"),
    (DataKey::ActualText, "found"),
    (DataKey::RawText, "found"),
    (DataKey::ForegroundPackage, "in front"),
    (DataKey::InTheWay, "over it"),
];

const MAY_HAVE_ACTED: &str = "the phone may have acted: look at the screen before you repeat this";

/// A text in a style, if colours are wanted.
pub(super) fn styled(style: Style, text: &str, colour: Colour) -> String {
    match colour {
        Colour::Always => format!("{style}{text}{style:#}"),
        Colour::Never => text.to_owned(),
    }
}

/// The result of an execution: a line per step, what it found, and why it failed.
/// `None` if the value is no such result.
pub(super) fn execution(result: &Value, colour: Colour) -> Option<String> {
    let steps = result.get("envelope")?.get("stepResults")?.as_array()?;
    let mut out = String::new();
    all_steps(steps, colour, &mut out);
    conclude(result, colour, &mut out);
    Some(out)
}

/// A line per step, and what belongs below it.
fn all_steps(steps: &[Value], colour: Colour, out: &mut String) {
    let width = |key: &str| {
        steps.iter().map(|step| text_of(&step[key]).chars().count()).max().unwrap_or(0).min(MAX_WIDTH)
    };
    let (ids, types) = (width("id"), width("actionType"));
    for step in steps {
        let mark =
            if step["success"] == true { styled(GOOD, "✓", colour) } else { styled(BAD, "✗", colour) };
        let (id, action) = (text_of(&step["id"]), text_of(&step["actionType"]));
        out.push_str(&format!("{mark} {id:<ids$}  {action:<types$}"));
        about(step, colour, out);
    }
}

/// The rest of a step's line, and what belongs below it.
fn about(step: &Value, colour: Colour, out: &mut String) {
    let data = |key: DataKey| step["data"].get(key.name()).map(text_of).filter(|text| !text.is_empty());
    let note = |out: &mut String, text: &str| out.push_str(&format!("    {}\n", styled(ODD, text, colour)));
    if step["success"] == true {
        // Only of a snapshot the lines are ours.
        let is_view = step["actionType"] == ActionKind::SnapshotUi.name();
        let view = step["data"][DataKey::Text.name()].as_str().filter(|_| is_view);
        let lines = view.map(|view| view.lines().map(text::visible).collect::<Vec<_>>().join("\n"));
        let elements = data(DataKey::Query).and_then(|found| elements(&found, colour));
        match elements.or(lines).or_else(|| FOUND.iter().find_map(|key| data(*key))) {
            Some(found) if !found.contains('\n') => out.push_str(&format!("  {found}\n")),
            found => {
                out.truncate(out.trim_end().len());
                out.push('\n');
                for line in found.iter().flat_map(|found| found.lines()) {
                    out.push_str(&format!("{line}\n"));
                }
            }
        }
        if let Some(scale) = data(DataKey::Scale) {
            out.push_str(&format!("    1 pixel is {scale} on the screen\n"));
        }
        for warning in WARNINGS.iter().filter_map(|key| data(*key)) {
            note(out, &warning);
        }
        return;
    }
    let code = data(DataKey::Error).unwrap_or_default();
    let message = data(DataKey::Message).unwrap_or_default();
    out.push_str(&format!("  {}  {message}\n", styled(BAD, &code, colour)));
    for (key, title) in CLUES {
        for (number, clue) in data(*key).iter().flat_map(|text| text.split("; ")).enumerate() {
            let title = if number == 0 { title } else { "" };
            out.push_str(&format!("    {}  {clue}\n", styled(FAINT, &format!("{title:>9}"), colour)));
        }
    }
    if data(DataKey::Dispatched).as_deref() == Some("unknown") {
        note(out, MAY_HAVE_ACTED);
    }
}

/// What a query found: a table of the elements, and how many there are more.
fn elements(found: &str, colour: Colour) -> Option<String> {
    let found: Value = serde_json::from_str(found).ok()?;
    let nodes = found.get("nodes")?.as_array()?;
    let row = |node: &Value| {
        let cells = ELEMENT.iter().map(|key| {
            let shown = match &node[*key] {
                Value::Array(words) => words.iter().map(text_of).collect::<Vec<_>>().join(" "),
                value => text_of(value),
            };
            ((*key).to_owned(), Value::from(shown))
        });
        Value::Object(cells.collect())
    };
    let rows: Vec<Value> = nodes.iter().map(row).collect();
    let mut out = table(&rows, colour);
    if found["truncated"] == true {
        let more = format!("{} of {} elements\n", rows.len(), found["totalMatches"]);
        out.push_str(&styled(FAINT, &more, colour));
    }
    Some(out).filter(|_| !rows.is_empty())
}

/// The last lines: the outcome, its hint, and what was odd about the payload.
fn conclude(result: &Value, colour: Colour, out: &mut String) {
    let envelope = &result["envelope"];
    let steps = envelope["stepResults"].as_array().map_or(0, Vec::len);
    let plural = if steps == 1 { "step" } else { "steps" };
    let device = text_of(&result["deviceId"]);
    if envelope["status"] == "success" {
        let done = styled(GOOD, "success", colour);
        out.push_str(&format!("{done}: {steps} {plural} on {device}\n"));
    } else {
        let failed = styled(BAD, "failed", colour);
        let code = text_of(&envelope["errorCode"]);
        let error = text_of(&envelope["error"]);
        let why = [code, error].into_iter().filter(|text| !text.is_empty());
        let why = why.collect::<Vec<_>>().join(": ");
        out.push_str(&format!("{failed} after {steps} {plural} on {device}: {why}\n"));
    }
    if let Some(hint) = envelope.get("hint") {
        out.push_str(&format!("{}: {}\n", styled(HEAD, "hint", colour), text_of(hint)));
    }
    for warning in result["warnings"].as_array().into_iter().flatten() {
        let text = warning.get("message").map_or_else(|| text_of(warning), text_of);
        out.push_str(&format!("{}\n", styled(ODD, &text, colour)));
    }
}

/// A failure without an envelope.
pub(super) fn failure(failure: &Value, colour: Colour) -> String {
    let code = styled(BAD, &text_of(&failure["code"]), colour);
    let mut out = format!("{code}: {}\n", text_of(&failure["message"]));
    let problems = failure["details"]["problems"].as_array();
    for problem in problems.into_iter().flatten() {
        let path = styled(FAINT, &text_of(&problem["path"]), colour);
        out.push_str(&format!("  {path}  {}\n", text_of(&problem["message"])));
    }
    let details = &failure["details"];
    for failed in details["failures"].as_array().into_iter().flatten() {
        let skill = styled(FAINT, &text_of(&failed["skillId"]), colour);
        out.push_str(&format!("  {skill}  {}\n", text_of(&failed["message"])));
    }
    if let Some(steps) = details["stepResults"].as_array() {
        all_steps(steps, colour, &mut out);
    }
    for phones in [&details["devices"], &details["connected"]] {
        for phone in phones.as_array().into_iter().flatten() {
            out.push_str(&format!("  {}\n", text_of(phone)));
        }
    }
    match details["dispatched"].as_str() {
        Some("unknown") => out.push_str(&format!("{}\n", styled(ODD, MAY_HAVE_ACTED, colour))),
        Some(word) => out.push_str(&format!("dispatched: {word}\n")),
        None => {}
    }
    let hints = [&failure["hint"], &failure["details"]["hint"]];
    for hint in hints.into_iter().filter(|hint| hint.is_string()) {
        out.push_str(&format!("{}: {}\n", styled(HEAD, "hint", colour), text_of(hint)));
    }
    out
}

pub(super) fn page(value: &Value, colour: Colour) -> String {
    let mut out = String::new();
    match value {
        Value::Object(entries) => entries_page(entries, colour, &mut out),
        Value::Array(rows) => out.push_str(&table(rows, colour)),
        other => out.push_str(&format!("{}\n", text_of(other))),
    }
    out
}

fn entries_page(entries: &Map<String, Value>, colour: Colour, out: &mut String) {
    let is_table = |value: &Value| value.as_array().is_some_and(|rows| !rows.is_empty());
    let (lists, values): (Vec<_>, Vec<_>) = entries.iter().partition(|(_, value)| is_table(value));
    let mut lines = Vec::new();
    for (key, value) in values {
        named_values(key, value, &mut lines);
    }
    let width = lines.iter().map(|(key, _)| key.chars().count()).max().unwrap_or(0);
    for (key, text) in lines {
        let key = styled(FAINT, &format!("{key:<width$}"), colour);
        out.push_str(&format!("{key}  {text}\n"));
    }
    for (key, list) in lists {
        let rows = list.as_array().map(Vec::as_slice).unwrap_or_default();
        let head = styled(HEAD, &format!("{key} ({})", rows.len()), colour);
        out.push_str(&format!("{head}\n{}", table(rows, colour)));
    }
}

/// The names and texts of a value: those of an object have its name in front.
fn named_values(key: &str, value: &Value, lines: &mut Vec<(String, String)>) {
    match value {
        Value::Object(inner) if !inner.is_empty() => {
            for (name, value) in inner {
                named_values(&format!("{key}.{name}"), value, lines);
            }
        }
        Value::Array(rows) if rows.is_empty() => lines.push((key.to_owned(), "none".to_owned())),
        other => lines.push((key.to_owned(), text_of(other))),
    }
}

/// Objects with a column for each key; anything else a line each.
fn table(rows: &[Value], colour: Colour) -> String {
    let mut columns: Vec<&str> = Vec::new();
    for key in rows.iter().filter_map(Value::as_object).flat_map(Map::keys) {
        if !columns.contains(&key.as_str()) {
            columns.push(key);
        }
    }
    let cells = |row: &Value| match row.as_object() {
        Some(row) => columns.iter().map(|key| row.get(*key).map_or(String::new(), text_of)).collect(),
        None => vec![text_of(row)],
    };
    let head: Vec<String> = columns.iter().map(|key| (*key).to_owned()).collect();
    let mut all = vec![head];
    all.extend(rows.iter().map(cells));
    let mut out = String::new();
    for (at, line) in aligned(&all).into_iter().enumerate() {
        match (at, columns.is_empty()) {
            (0, true) => {}
            (0, false) => out.push_str(&format!("  {}\n", styled(FAINT, &line, colour))),
            _ => out.push_str(&format!("  {line}\n")),
        }
    }
    out
}

/// Rows of cells as lines, each column as wide as its widest cell. Nothing in a cell ends its line.
pub(super) fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let shown = |row: &Vec<String>| row.iter().map(|cell| text::visible(cell).into_owned()).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(shown).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let length = |row: &Vec<String>, at: usize| row.get(at).map_or(0, |cell| cell.chars().count());
    let width = |at: usize| rows.iter().map(|row| length(row, at)).max().unwrap_or(0).min(MAX_WIDTH);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths);
        let padded: Vec<String> = cells.map(|(cell, width)| format!("{cell:<width$}")).collect();
        padded.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// A value in one cell or line: nothing in it ends the line, moves the cursor or hides.
fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => text::visible(text).into_owned(),
        other => other.to_string(),
    }
}
