//! The details of a step besides its screens: parameters, result, waits and commands. Pure.

use super::html::{apart, cut, esc};
use super::story::{Chapter, duration_text};

/// How much of a value is shown.
const SHOWN: usize = 2000;
/// How much of a command is shown before the rest is folded away.
const FOLDED: usize = 120;
/// How many commands of one step are listed.
const MAX_COMMANDS: usize = 500;

#[derive(Clone, Copy)]
pub(super) enum Fold {
    Open,
    Closed,
}

/// The parameters, data, waits and commands of a step.
pub(super) fn details(step: &Chapter<'_>, fold: Fold) -> String {
    let open = match fold {
        Fold::Open => " open",
        Fold::Closed => "",
    };
    // Outside the steps there are neither parameters nor a result.
    let has = if step.params.is_none() && step.end.is_none() {
        "Waits and commands"
    } else {
        "Parameters, result and commands"
    };
    let mut html = format!("<details class=\"facts\"{open}><summary>{has}</summary>");
    if let Some(params) = step.params {
        html.push_str(&format!("<h4>Parameters</h4><pre>{}</pre>", esc(&cut(&format!("{params:#}"), SHOWN))));
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
        html.push_str("<h4>Waits and failed screen reads</h4><ul>");
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
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{exit}</td><td>{}</td></tr>",
            duration_text(*from),
            line(&command.line),
            duration_text(command.took_us),
            command.out_bytes.saturating_add(command.err_bytes)
        ));
    }
    html.push_str("</tbody></table></div>");
    html
}

/// A command line; the rest of a long one is folded away.
fn line(line: &str) -> String {
    let start = cut(line, FOLDED);
    if start == line {
        return format!("<code>{}</code>", esc(line));
    }
    format!(
        "<details class=\"line\"><summary><code>{}</code></summary><code>{}</code></details>",
        esc(&start),
        esc(&cut(line, SHOWN))
    )
}
