//! Views of a screen that are smaller than its tree: what can be done and what
//! is said, one line or one object for each element that matters.

mod compact;
mod count;
mod glance;
mod json;
mod line;
mod off_screen;
#[cfg(test)]
mod tests;

pub use count::Counts;
pub use glance::Glance;
pub use line::{Line, Use, Value};

use crate::budget::{Frame, Piece, fit};
use crate::limits::MAX_REFS;
use crate::refs::{Ref, RefBook, Sight};
use crate::stable_hash::stable_hash;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a view is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// One line of text for each element.
    Compact,
    /// One JSON document with an object for each element.
    Json,
}

/// What a view is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// How it is written.
    pub style: Style,
    /// The most tokens it may have.
    pub budget: Option<usize>,
    /// What of the screen is wanted.
    pub extent: Extent,
}

/// What of a screen is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All that matters.
    Whole,
    /// What has changed since the last view.
    Changes,
}

/// A view, written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The text.
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

/// What has changed since the last view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// There is no last view.
    First,
    /// Nothing.
    Nothing,
    /// Some of it.
    Some,
    /// All of it.
    Everything,
}

impl Change {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Nothing => "none",
            Self::Some => "some",
            Self::Everything => "all",
        }
    }
}

/// What the last view showed: each ref and its line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastView {
    pub(crate) lines: BTreeMap<Ref, String>,
    /// The lines without a ref.
    #[serde(default)]
    pub(crate) unnamed: Unnamed,
}

/// Lines without a ref: how many there are, and what they say in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Unnamed {
    pub(crate) count: usize,
    pub(crate) said: u64,
}

impl Unnamed {
    fn new<'l>(lines: impl Iterator<Item = &'l Line>) -> Self {
        let mut said: Vec<String> = lines.map(Line::say).collect();
        if said.is_empty() {
            return Self::default();
        }
        // Whatever order they are in.
        said.sort_unstable();
        Self {
            count: said.len(),
            said: stable_hash(&said),
        }
    }
}

/// Makes a view, gives refs to what it shows, and remembers it as the last one.
///
/// Refs that are shown again hold although texts around them have changed, but
/// only if every change is shown with them.
pub fn view(sight: &Sight<'_>, wish: Wish, memory: &mut ViewMemory) -> View {
    let before = wish.budget.map(|_| memory.clone());
    let (view, told) = make(sight, wish, (memory, RefBook::show));
    match (told, before) {
        (Told::Part, Some(before)) => {
            *memory = before;
            make(sight, wish, (memory, RefBook::look)).0
        }
        (Told::Part | Told::All, _) => view,
    }
}

/// Whether a view tells all that has changed.
#[derive(Clone, Copy, PartialEq)]
enum Told {
    All,
    Part,
}

/// How a screen is noted before it is shown.
type Note = fn(&mut RefBook, &Sight<'_>);

fn make(sight: &Sight<'_>, wish: Wish, (memory, note): (&mut ViewMemory, Note)) -> (View, Told) {
    let mut glance = Glance::new(sight.screen());
    note(&mut memory.book, sight);
    for line in &mut glance.lines {
        if line.value.is_some() && memory.book.hides(sight, line.id) {
            line.value = Some(Value::Hidden);
        }
    }
    // No more refs are given than are remembered.
    let named: Vec<(Option<Ref>, &Line)> = glance
        .lines
        .iter()
        .enumerate()
        .map(|(place, line)| {
            let name = (place < MAX_REFS).then(|| memory.book.give(sight, line.id));
            (name.flatten(), line)
        })
        .collect();
    let said: BTreeMap<Ref, String> = named
        .iter()
        .filter_map(|(name, line)| Some(((*name)?, line.say())))
        .collect();
    let unnamed = named.iter().filter(|(name, _)| name.is_none());
    let now = LastView {
        lines: said,
        unnamed: Unnamed::new(unnamed.map(|(_, line)| *line)),
    };
    let differences = crate::diff::compare(memory.last.as_ref(), &now);
    memory.last = Some(now);
    let pieces: Vec<Piece> = match (wish.extent, wish.style) {
        (Extent::Whole, Style::Compact) => compact::pieces(&named, &differences),
        (Extent::Whole, Style::Json) => json::pieces(sight, &named, &differences),
        (Extent::Changes, Style::Compact) => compact::changes(&named, &differences),
        (Extent::Changes, Style::Json) => json::changes(sight, &named, &differences),
    };
    let frame: Box<dyn Frame> = match wish.style {
        Style::Compact => Box::new(compact::frame(&glance, &differences, wish.extent)),
        Style::Json => Box::new(json::frame(&glance, &differences, wish.extent)),
    };
    let fitted = fit(&pieces, &*frame, wish.budget);
    let told = |(name, line): &(Option<Ref>, &Line)| {
        !differences.touches(*name) || fitted.text.contains(&line.say())
    };
    let told = if fitted.omitted.is_empty() || (wish.style == Style::Compact && named.iter().all(told)) {
        Told::All
    } else {
        Told::Part
    };
    let view = View {
        tokens: crate::budget::estimate(&fitted.text),
        text: fitted.text,
        omitted: fitted.omitted,
        off_screen: glance.off_screen,
        change: (wish.extent == Extent::Changes).then_some(differences.change),
    };
    (view, told)
}

/// What is remembered from one view to the next.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ViewMemory {
    /// The refs that were given.
    pub book: RefBook,
    /// What the last view showed.
    pub last: Option<LastView>,
}
