//! What a phone was asked, one line each: when, in milliseconds since the
//! execution began, and what. `legend.txt` has short names for long commands.

use crate::case::Case;
use clawperator_sim::ServiceCall;
use std::fs;
use std::sync::LazyLock;
use std::time::Duration;

/// Short names and the commands they stand for; `{}` is any text.
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

fn shortened(command: &str) -> String {
    // On the old shell protocol a command has its end printed.
    let inside = command.strip_prefix('(');
    let inside = inside.and_then(|rest| rest.strip_suffix("\n); echo 'clawperator: end'"));
    if let Some(inside) = inside {
        return format!("{}, and say so", shortened(inside));
    }
    let row = LEGEND.iter().find_map(|(name, long)| {
        let Some((start, end)) = long.split_once("{}") else {
            return (command == long).then(|| name.clone());
        };
        let inside = command.strip_prefix(start)?.strip_suffix(end)?;
        Some(name.replace("{}", inside))
    });
    row.unwrap_or_else(|| command.to_owned())
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
