//! What a phone was asked, one line each: when, in milliseconds since the
//! execution began, and what. Scripts have their
//! names, and `legend.txt` has short names for long commands.

use crate::case::Case;
use clawperator_sim::ServiceCall;
use std::fs;
use std::sync::LazyLock;
use std::time::Duration;

/// Short names and the commands they stand for.
static LEGEND: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let text = fs::read_to_string(Case::root().join("legend.txt")).unwrap();
    let rows = text.lines().filter_map(|line| line.split_once(" = "));
    rows.map(|(name, command)| (name.to_owned(), command.to_owned())).collect()
});

/// The log of an execution that began then and ended now.
pub(crate) fn write(asked: &[ServiceCall], (began, ended): (Duration, Duration)) -> String {
    let mut text = String::new();
    for one in asked {
        let at = one.at.saturating_sub(began).as_millis();
        let (kind, command) = one.service.split_once(':').unwrap_or((&one.service, ""));
        text.push_str(&format!("{at:>6} {kind}: {}\n", printable(&shortened(command))));
    }
    let took = ended.saturating_sub(began).as_millis();
    text.push_str(&format!("{took:>6} the end; round trips: {}\n", asked.len()));
    text
}

/// The scripts of the product: their names, and their texts as a phone gets them.
static SCRIPTS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../phone/src/phone/script");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let scripts = files.map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        let lines = text.lines().map(str::trim_start);
        let lines: Vec<&str> = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
        (path.file_stem().unwrap().to_str().unwrap().to_owned(), lines.join("\n"))
    });
    scripts.collect()
});

/// Values that are the same for all guards.
const ALWAYS: [&str; 3] = ["cl_lock_lines=", "cl_locked=", "cl_covered="];

/// A script by the name of its last file, with its values and words.
fn script(command: &str) -> Option<String> {
    let found = SCRIPTS.iter().filter_map(|(_, text)| command.find(text.as_str()));
    let at = found.min()?;
    let (mut rest, mut last) = (&command[at..], "");
    while let Some((name, text)) = SCRIPTS.iter().find(|(_, text)| rest.starts_with(text.as_str())) {
        (rest, last) = (rest[text.len()..].trim_start_matches('\n'), name);
    }
    let head = command[..at].lines().filter(|line| !ALWAYS.iter().any(|start| line.starts_with(start)));
    let head = head.map(|line| line.strip_prefix("cl_").or(line.strip_prefix("set -- ")).unwrap_or(line));
    let named: Vec<&str> = [last].into_iter().chain(head).collect();
    let behind = if rest.is_empty() { String::new() } else { format!("; {}", shortened(rest)) };
    Some(format!("<{}>{behind}", named.join(" ")))
}

fn shortened(command: &str) -> String {
    // On the old shell protocol a command has its end printed.
    let inside = command.strip_prefix('(');
    let inside = inside.and_then(|rest| rest.strip_suffix("\n); echo 'clawperator: end'"));
    if let Some(inside) = inside {
        return format!("{}, and say so", shortened(inside));
    }
    let row = LEGEND.iter().find(|(_, long)| command == long).map(|(name, _)| name.clone());
    row.or_else(|| script(command)).unwrap_or_else(|| command.to_owned())
}

/// One line whatever is in it.
fn printable(text: &str) -> String {
    let shown = |letter: char| match letter {
        '\n' => "\\n".to_owned(),
        letter if letter.is_control() => letter.escape_default().to_string(),
        letter => letter.to_string(),
    };
    text.chars().map(shown).collect()
}
