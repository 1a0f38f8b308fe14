//! The page of an execution: one HTML file that asks for nothing from
//! anywhere.

use super::chart::chart;
use super::html::{apart, cut, esc};
use super::picture::Store;
use super::screen::{Beside, scene};
use super::status;
use super::story::{Chapter, Story, shown};
use crate::journal::{Kept, Verdict, shown_time};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clawperator_contract::ERROR_CODES;
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// How much of a value is shown.
const SHOWN: usize = 2000;
/// How many commands of one step are listed.
const MAX_COMMANDS: usize = 500;

/// The page of an execution.
///
/// Everything that a phone or a caller said is text in it: nothing of that can
/// become a tag, a script or an address. The page's own policy forbids it to
/// load anything, too.
#[must_use]
pub fn page(kept: &Kept) -> String {
    let story = Story::of(kept);
    let mut store = Store::default();
    let steps: String = story
        .steps
        .iter()
        .map(|step| chapter(kept, step, &mut store))
        .collect();
    let name = kept
        .begin()
        .map_or(kept.name.as_str(), |begin| begin.command_id.as_str());
    let title = format!("{} {}", status(kept), cut(name, 80));
    let policy = format!(
        "default-src 'none'; img-src data:; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta name=\"referrer\" content=\"no-referrer\"><meta name=\"color-scheme\" content=\"light dark\"><link rel=\"icon\" href=\"data:,\"><title>{}</title><style>{STYLE}</style></head><body><a class=\"skip\" href=\"#steps\">To the steps</a>{}<main>{}<section aria-labelledby=\"timing\"><h2 id=\"timing\">Time</h2>{}</section><section id=\"steps\" aria-labelledby=\"steps-title\"><h2 id=\"steps-title\">Steps</h2>{steps}</section></main>{}{}<script>{SCRIPT}</script></body></html>\n",
        esc(&title),
        head(kept, &story, name),
        banner(kept, &story),
        chart(&story),
        foot(kept),
        store.html()
    )
}

fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

/// What stands for a status in the page's style.
fn tone(status: &str) -> &'static str {
    match status {
        "success" => "good",
        "cut off" => "odd",
        _ => "bad",
    }
}

fn head(kept: &Kept, story: &Story<'_>, name: &str) -> String {
    let status = status(kept);
    let mut facts = Vec::new();
    if let Some(begin) = kept.begin() {
        facts.push(("Phone", begin.device.clone()));
        facts.push(("Started", shown_time(begin.started_ms)));
    }
    facts.push(("Took", shown(story.took_us)));
    let asked = kept
        .begin()
        .and_then(|begin| begin.execution.get("actions")?.as_array())
        .map_or(0, Vec::len);
    facts.push(("Steps", format!("{} of {asked}", story.steps.len())));
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

/// What is wrong with the journal itself, and how the execution failed.
fn banner(kept: &Kept, story: &Story<'_>) -> String {
    let mut html = match &kept.verdict {
        Verdict::Whole { .. } => String::new(),
        Verdict::CutOff => "<p class=\"banner odd\" role=\"status\"><b>The journal is cut off.</b> The run was killed or goes on, or somebody removed its end. What is here is as it was written.</p>".to_owned(),
        Verdict::Broken { line, why } => format!(
            "<p class=\"banner bad\" role=\"alert\"><b>The journal was changed.</b> Line {line}: {why}. Only what stands before it is shown.</p>"
        ),
    };
    if let Some(end) = kept.end().filter(|end| end.status != "success") {
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

fn hint(code: &str) -> String {
    let row = ERROR_CODES.iter().find(|row| row.name == code);
    row.map_or(String::new(), |row| {
        format!("<p class=\"hint\">{}</p>", esc(row.hint))
    })
}

fn foot(kept: &Kept) -> String {
    let seal = match &kept.verdict {
        Verdict::Whole { seal } => format!("The journal is whole; its seal is <code>{seal}</code>. "),
        Verdict::CutOff | Verdict::Broken { .. } => String::new(),
    };
    let version = kept.begin().map_or("", |begin| begin.version.as_str());
    format!(
        "<footer><p>{seal}Made from the journal <code>{}</code> of clawperator {}.</p></footer>",
        esc(&kept.name),
        esc(version)
    )
}

fn chapter(kept: &Kept, step: &Chapter<'_>, store: &mut Store) -> String {
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
        shown(step.took_us())
    );
    if let (Some(code), Some(end)) = (step.code(), step.end) {
        let message = end.data.get("message").map_or("", String::as_str);
        html.push_str(&format!(
            "<p class=\"error\">{}</p>{}",
            apart(message),
            hint(code)
        ));
    }
    // What shows no tree has room beside its picture.
    let alone = step.scenes.iter().all(|scene| scene.look.is_none()) && !step.scenes.is_empty();
    let (start, end, fold) = if alone {
        ("<div class=\"alone\">", "</div>", Fold::Open)
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
fn scenes(kept: &Kept, step: &Chapter<'_>, store: &mut Store) -> String {
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

/// Whether something is folded away.
#[derive(Clone, Copy)]
enum Fold {
    Open,
    Closed,
}

/// What else is known of a step: parameters, data, commands, waits.
fn details(step: &Chapter<'_>, fold: Fold) -> String {
    let open = match fold {
        Fold::Open => " open",
        Fold::Closed => "",
    };
    let mut html =
        format!("<details class=\"facts\"{open}><summary>Parameters, result and commands</summary>");
    if let Some(params) = step.params {
        html.push_str(&format!(
            "<h4>Parameters</h4><pre>{}</pre>",
            esc(&cut(&format!("{params:#}"), SHOWN))
        ));
    }
    if let Some(end) = step.end.filter(|end| !end.data.is_empty()) {
        html.push_str("<h4>Result</h4><table><tbody>");
        for (key, value) in &end.data {
            html.push_str(&format!(
                "<tr><th scope=\"row\">{}</th><td>{}</td></tr>",
                esc(key),
                apart(&cut(value, SHOWN))
            ));
        }
        html.push_str("</tbody></table>");
    }
    if !step.remarks.is_empty() {
        html.push_str("<h4>On the way</h4><ul>");
        for remark in step.remarks.iter().take(MAX_COMMANDS) {
            html.push_str(&format!("<li>{}</li>", apart(&cut(remark, SHOWN))));
        }
        html.push_str("</ul>");
    }
    html.push_str(&commands(step));
    html.push_str("</details>");
    html
}

fn commands(step: &Chapter<'_>) -> String {
    if step.commands.is_empty() {
        return String::new();
    }
    let mut html = String::from(
        "<h4>Commands</h4><div class=\"wide\"><table><thead><tr><th scope=\"col\">At</th><th scope=\"col\">Command</th><th scope=\"col\">Took</th><th scope=\"col\">Exit</th><th scope=\"col\">Bytes</th></tr></thead><tbody>",
    );
    for (from, command) in step.commands.iter().take(MAX_COMMANDS) {
        let exit = match (&command.error, command.exit_code) {
            (Some(error), _) => esc(&cut(error, 120)),
            (None, Some(code)) => code.to_string(),
            (None, None) => "–".to_owned(),
        };
        html.push_str(&format!(
            "<tr><td>{}</td><td><code>{}</code></td><td>{}</td><td>{exit}</td><td>{}</td></tr>",
            shown(*from),
            esc(&cut(&command.line, 120)),
            shown(command.took_us),
            command.out_bytes.saturating_add(command.err_bytes)
        ));
    }
    html.push_str("</tbody></table></div>");
    html
}
