//! Views of a screen that are smaller than its tree: one line or one object for
//! each element that has an action or a label.

mod compact;
mod field;
mod fold;
mod json;
mod line;
mod off_screen;
mod summary;

pub use line::{FieldValue, LinePurpose, ViewLine};
pub use summary::ScreenSummary;

use crate::budget::{Piece, ViewFrame, fit};
use crate::counts::Counts;
use crate::diff::{Change, LastView, UnnamedLines};
use crate::limits::MAX_REFS;
use crate::refs::{Fingerprints, Ref, RefBook};
use crate::shown::{Base, ShownViews, SnapshotId};
use crate::words::is_hidden;
use serde::{Deserialize, Serialize};

/// How a view is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewFormat {
    /// One line of text for each element.
    Compact,
    /// One JSON document with an object for each element.
    Json,
}

/// What view is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewRequest {
    pub style: ViewFormat,
    pub budget: Option<usize>,
    /// Which part of the screen is wanted.
    pub extent: Extent,
}

/// Which part of a screen is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Whole,
    /// What has changed since an earlier view; all of it if that is not known.
    Changes(Base),
}

/// A view, written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Its name, to compare later views with.
    pub id: SnapshotId,
    pub text: String,
    /// How many tokens it has, as estimated.
    pub tokens: usize,
    /// What was left out to stay within the budget.
    pub omitted: Counts,
    /// What takes a touch or text and is not on the screen.
    pub off_screen: Counts,
    /// What has changed, where that was asked for.
    pub change: Option<Change>,
}

/// Makes a view, gives refs to what it shows, and remembers it as the latest.
///
/// Refs that are shown again stay valid although texts around them have
/// changed, but only if every change is shown with them.
pub fn view(fingerprints: &Fingerprints<'_>, request: ViewRequest, memory: &mut ViewMemory) -> View {
    let before = request.budget.map(|_| memory.clone());
    let (view, coverage) = make(fingerprints, request, memory, RefBook::show);
    match (coverage, before) {
        (Coverage::Partial, Some(before)) => {
            *memory = before;
            make(fingerprints, request, memory, RefBook::look).0
        }
        (Coverage::Partial | Coverage::Complete, _) => view,
    }
}

/// Whether a view shows everything that has changed.
#[derive(Clone, Copy, PartialEq)]
enum Coverage {
    Complete,
    Partial,
}

/// How a screen is remembered before it is shown.
type Remember = fn(&mut RefBook, &Fingerprints<'_>);

fn make(
    fingerprints: &Fingerprints<'_>,
    request: ViewRequest,
    memory: &mut ViewMemory,
    remember: Remember,
) -> (View, Coverage) {
    let mut summary = ScreenSummary::new(fingerprints.screen());
    remember(&mut memory.book, fingerprints);
    settle_values(&mut summary, fingerprints, memory);
    // No more refs are given than are remembered.
    let named: Vec<(Option<Ref>, &ViewLine)> = summary
        .lines
        .iter()
        .enumerate()
        .map(|(number, line)| {
            let name = (number < MAX_REFS).then(|| memory.book.give(fingerprints, line.id));
            (name.flatten(), line)
        })
        .collect();
    let now = last_view(&named);
    let id = SnapshotId {
        screen: fingerprints.screen_hash(),
        last_ref: now.lines.keys().next_back().map_or(0, |last| last.0),
    };
    let base = match request.extent {
        Extent::Changes(base) => base,
        Extent::Whole => Base::Last,
    };
    let mut differences = crate::diff::compare(memory.shown.base(base), &now);
    if std::mem::take(&mut memory.unread) && differences.change != Change::First {
        differences = crate::diff::compare(None, &now);
        (differences.change, differences.unread) = (Change::Everything, true);
    }
    memory.shown.note(id, now);
    let pieces: Vec<Piece> = match (request.extent, request.style) {
        (Extent::Whole, ViewFormat::Compact) => compact::pieces(&named, &differences),
        (Extent::Whole, ViewFormat::Json) => json::pieces(fingerprints, &named, &differences),
        (Extent::Changes(_), ViewFormat::Compact) => compact::changes(&named, &differences),
        (Extent::Changes(_), ViewFormat::Json) => json::changes(fingerprints, &named, &differences),
    };
    let frame: Box<dyn ViewFrame> = match request.style {
        ViewFormat::Compact => Box::new(compact::frame(&summary, &differences, request.extent)),
        ViewFormat::Json => Box::new(json::frame(&summary, &differences, request.extent)),
    };
    let fitted = fit(&pieces, &*frame, request.budget);
    let is_shown = |(name, line): &(Option<Ref>, &ViewLine)| {
        !differences.touches(*name) || fitted.text.contains(&line.text())
    };
    let coverage = if fitted.omitted.is_empty()
        || (request.style == ViewFormat::Compact && named.iter().all(is_shown))
    {
        Coverage::Complete
    } else {
        Coverage::Partial
    };
    let view = View {
        id,
        tokens: crate::tokens::estimate(&fitted.text),
        text: fitted.text,
        omitted: fitted.omitted,
        off_screen: summary.off_screen,
        change: matches!(request.extent, Extent::Changes(_)).then_some(differences.change),
    };
    (view, coverage)
}

/// What the next view is compared with.
fn last_view(named: &[(Option<Ref>, &ViewLine)]) -> LastView {
    let lines = named.iter().filter_map(|(name, line)| Some(((*name)?, line.text())));
    let unnamed = named.iter().filter(|(name, _)| name.is_none());
    LastView {
        order: named.iter().filter_map(|(name, _)| *name).collect(),
        lines: lines.collect(),
        unnamed: UnnamedLines::new(unnamed.map(|(_, line)| line.text()).collect()),
    }
}

/// Hides what is dark, and tells a typed text from a hint.
fn settle_values(summary: &mut ScreenSummary, fingerprints: &Fingerprints<'_>, memory: &ViewMemory) {
    let screen = fingerprints.screen();
    let is_unsure = |line: &ViewLine| matches!(line.value, Some(FieldValue::Unsure(_)));
    let typed =
        if summary.lines.iter().any(is_unsure) { memory.book.typed(screen.tree()) } else { Vec::new() };
    for line in &mut summary.lines {
        if std::iter::once(&line.label).chain(&line.more).any(|text| is_hidden(text))
            && screen.within(line.id).any(|(_, node)| node.hides_secret)
        {
            line.hint.get_or_insert_with(|| "repeats a secret".to_owned());
        }
        if line.value.is_some() && memory.book.hides(fingerprints, line.id) {
            line.value = Some(FieldValue::Hidden);
        }
        if let Some(FieldValue::Unsure(text)) = &line.value
            && typed.contains(&line.id)
        {
            line.value = Some(FieldValue::Text(text.clone()));
        }
    }
}

/// What is remembered from one view to the next.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ViewMemory {
    pub book: RefBook,
    #[serde(default)]
    pub shown: ShownViews,
    /// Whether the last look at the screen failed.
    #[serde(default)]
    pub unread: bool,
    /// Whether the last view said that the keyboard is shown.
    #[serde(default)]
    pub keyboard: bool,
}
