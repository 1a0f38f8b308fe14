//! A view as text: a line for each element, with its ref in front.

use super::line::{LinePurpose, ViewLine};
use super::summary::ScreenSummary;
use super::{Change, Extent};
use crate::budget::{Piece, Rank, ViewFrame};
use crate::counts::Counts;
use crate::diff::Differences;
use crate::limits::MAX_INDENT;
use crate::refs::Ref;
use crate::role::Role;

/// The first line of a view of another screen.
const NEW: &str = "new screen";

/// The text around the lines.
pub(super) struct Lines {
    head: Vec<String>,
    tail: Option<String>,
}

pub(super) fn pieces(named: &[(Option<Ref>, &ViewLine)], differences: &Differences) -> Vec<Piece> {
    let piece = |(name, line): &(Option<Ref>, &ViewLine)| Piece {
        text: say(*name, line),
        role: line.role,
        rank: rank(*name, line, differences),
        around: line.around,
    };
    named.iter().map(piece).collect()
}

/// The lines that have changed: `+` for new ones, `~` for changed ones and `-`
/// for those that are gone. If all have, they are as ever.
pub(super) fn changes(named: &[(Option<Ref>, &ViewLine)], differences: &Differences) -> Vec<Piece> {
    if matches!(differences.change, Change::First | Change::Everything) {
        return pieces(named, differences);
    }
    let touched = named.iter().filter(|(name, _)| differences.touches(*name));
    let touched = touched.map(|(name, line)| {
        let added = name.is_some_and(|name| differences.added.contains(&name));
        let mark = if added { '+' } else { '~' };
        Piece {
            text: format!("{mark} {}", say(*name, line)),
            role: line.role,
            rank: rank(*name, line, differences),
            around: None,
        }
    });
    let gone = gone_lines(differences).into_iter().map(|text| Piece {
        text,
        role: Role::Unknown,
        rank: Rank::Rest,
        around: None,
    });
    touched.chain(gone).collect()
}

/// From so many of a kind on, what is gone is one line.
const MANY_GONE: usize = 3;

fn gone_lines(differences: &Differences) -> Vec<String> {
    let kind = |line: &str| line.split([' ', '"']).next().unwrap_or_default().to_owned();
    let mut kinds: Vec<(String, Vec<String>)> = Vec::new();
    for (name, line) in &differences.gone {
        let (own, text) = (kind(line), format!("{name} {line}"));
        match kinds.iter_mut().find(|(kind, _)| *kind == own) {
            Some((_, lines)) => lines.push(text),
            None => kinds.push((own, vec![text])),
        }
    }
    let said = kinds.into_iter().flat_map(|(_, lines)| match lines.len() {
        0..MANY_GONE => lines.iter().map(|line| format!("- {line}")).collect(),
        many => vec![format!("- {many} left the view, the first: {}", lines[0])],
    });
    said.collect()
}

pub(super) fn rank(name: Option<Ref>, line: &ViewLine, differences: &Differences) -> Rank {
    match line.purpose {
        LinePurpose::Act | LinePurpose::Title => Rank::Act,
        LinePurpose::Read if differences.touches(name) => Rank::Changed,
        LinePurpose::Read => Rank::Rest,
    }
}

fn say(name: Option<Ref>, line: &ViewLine) -> String {
    let name = name.map(|name| format!("{name} ")).unwrap_or_default();
    let place = line.place.map(|at| format!(" at {},{}", at.x, at.y));
    format!("{name}{}{}", line.text(), place.unwrap_or_default())
}

/// The text around the lines of a view.
pub(super) fn frame(summary: &ScreenSummary, differences: &Differences, extent: Extent) -> Lines {
    let app = Some(&summary.app).filter(|app| !app.is_empty());
    let app = app.map(|app| format!("app: {app}"));
    let head = match (extent, differences.change) {
        (Extent::Whole, _) | (Extent::Changes(_), Change::First) => app.into_iter().collect(),
        (Extent::Changes(_), Change::Some) => Vec::new(),
        (Extent::Changes(_), Change::Nothing) => vec!["no change".to_owned()],
        (Extent::Changes(_), Change::Everything) => {
            let new = if differences.unread { "new screen (the one before could not be read)" } else { NEW };
            std::iter::once(new.to_owned()).chain(app).collect()
        }
    };
    let beyond = &summary.off_screen;
    let whole = extent == Extent::Whole && !beyond.is_empty();
    let some =
        matches!(extent, Extent::Changes(_)) && differences.change == Change::Some && differences.unnamed > 0;
    let tail = match (whole, some) {
        (true, _) => Some(format!("off-screen: {beyond}")),
        (_, true) => Some(format!("also changed: some of {} without refs", differences.unnamed)),
        (false, false) => None,
    };
    Lines { head, tail }
}

impl ViewFrame for Lines {
    fn join(&self, kept: &[(usize, &str)], omitted: &Counts) -> String {
        let mut lines = self.head.clone();
        let indented =
            kept.iter().map(|(depth, text)| format!("{}{text}", " ".repeat((*depth).min(MAX_INDENT))));
        lines.extend(indented);
        lines.extend(self.tail.clone());
        if !omitted.is_empty() {
            lines.push(format!("omitted: {omitted}"));
        }
        lines.join("\n")
    }

    fn short(&self, kept: &[(usize, &str)], omitted: &Counts) -> Option<String> {
        let mut lines = self.needed().to_vec();
        lines.extend(kept.iter().map(|(_, text)| (*text).to_owned()));
        if !omitted.is_empty() {
            lines.push(format!("omitted: {}", omitted.total()));
        }
        Some(lines.join("\n"))
    }

    fn instead(&self, omitted: &Counts) -> Vec<String> {
        let total = omitted.total();
        let short = format!("omitted: {total}");
        let mut told = self.needed().to_vec();
        told.push(short.clone());
        vec![
            told.join("\n"),
            format!("omitted: {omitted}"),
            format!("omitted: {total} elements"),
            short,
            format!("+{total}"),
        ]
    }
}

impl Lines {
    /// What a view of another screen says first, however small it is.
    fn needed(&self) -> &[String] {
        match self.head.first() {
            Some(first) if first.starts_with(NEW) => &self.head,
            _ => &[],
        }
    }
}
