//! Stays within a number of tokens: what of a view is left out.

use crate::counts::Counts;
use crate::role::Role;
use crate::tokens::estimate;

/// One part of a view that is there as a whole or not at all.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) text: String,
    /// What kind of element is left out with it.
    pub(crate) role: Role,
    /// What comes first; lower ones do.
    pub(crate) rank: Rank,
    /// The place of the piece around it, by which it is indented.
    pub(crate) around: Option<usize>,
}

/// What is kept before what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// What takes a touch or text.
    Act,
    /// What has changed since the last view.
    Changed,
    /// What only has a label.
    Rest,
}

/// What is around the pieces of a view.
pub(crate) trait ViewFrame {
    /// The whole text: the pieces that are kept, each with how deep it is, and what was left out.
    fn join(&self, kept: &[(usize, &str)], omitted: &Counts) -> String;
    /// The pieces that are kept, and how many were left out in the fewest
    /// tokens; `None` if there is no such form.
    fn short(&self, kept: &[(usize, &str)], omitted: &Counts) -> Option<String>;
    /// Texts that say less and less, for a budget that allows no more.
    fn instead(&self, omitted: &Counts) -> Vec<String>;
}

/// What fits.
#[derive(Debug)]
pub(crate) struct FittedText {
    pub(crate) text: String,
    pub(crate) omitted: Counts,
}

/// What a piece costs beside its own text: a line end or a comma, and what indents it.
const PIECE_COST: usize = 2;
/// How many pieces are tried once more where the budget is nearly spent.
const MAX_SECOND_TRIES: usize = 16;

/// Puts a view together within a budget.
pub(crate) fn fit(pieces: &[Piece], frame: &dyn ViewFrame, budget: Option<usize>) -> FittedText {
    let mut omitted = Counts::default();
    let whole = frame.join(&kept_pieces(pieces, &vec![true; pieces.len()]), &omitted);
    let Some(budget) = budget.filter(|budget| estimate(&whole) > *budget) else {
        return FittedText { text: whole, omitted };
    };
    for piece in pieces {
        omitted.add(piece.role);
    }
    // What is around the pieces, and what is said of those left out.
    let around = |omitted: &Counts| estimate(&frame.join(&[], omitted));
    let mut kept = vec![false; pieces.len()];
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by_key(|place| (pieces[*place].rank, *place));
    let mut spent = 0;
    for place in order.iter().copied() {
        let piece = &pieces[place];
        let cost = estimate(&piece.text) + PIECE_COST;
        omitted.remove(piece.role);
        if spent + cost < budget && spent + cost + around(&omitted) <= budget {
            spent += cost;
            kept[place] = true;
        } else {
            omitted.add(piece.role);
        }
    }
    // What pieces cost was rounded up: the next may still fit.
    let left = order.into_iter().filter(|place| !kept[*place]);
    for place in left.take(MAX_SECOND_TRIES).collect::<Vec<_>>() {
        kept[place] = true;
        omitted.remove(pieces[place].role);
        if estimate(&frame.join(&kept_pieces(pieces, &kept), &omitted)) > budget {
            kept[place] = false;
            omitted.add(pieces[place].role);
        }
    }
    let text = frame.join(&kept_pieces(pieces, &kept), &omitted);
    let fits = estimate(&text) <= budget;
    if fits && kept.contains(&true) {
        return FittedText { text, omitted };
    }
    if let Some(fitted) = a_few(pieces, frame, budget) {
        return fitted;
    }
    if fits {
        return FittedText { text, omitted };
    }
    // What is left out cannot be listed in full.
    let mut all = Counts::default();
    pieces.iter().for_each(|piece| all.add(piece.role));
    let mut texts = frame.instead(&all).into_iter();
    let text = texts.find(|text| estimate(text) <= budget).unwrap_or_default();
    FittedText { text, omitted: all }
}

/// The first pieces that fit with the shortest word for what is left out.
fn a_few(pieces: &[Piece], frame: &dyn ViewFrame, budget: usize) -> Option<FittedText> {
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by_key(|place| (pieces[*place].rank, *place));
    let mut best = None;
    let mut kept = vec![false; pieces.len()];
    // Each costs more than the one before; a small budget ends this soon.
    for place in order {
        kept[place] = true;
        let mut omitted = Counts::default();
        let left = pieces.iter().zip(&kept).filter(|(_, kept)| !**kept);
        left.for_each(|(piece, _)| omitted.add(piece.role));
        let text = frame.short(&kept_pieces(pieces, &kept), &omitted)?;
        if estimate(&text) > budget {
            break;
        }
        best = Some(FittedText { text, omitted });
    }
    best
}

/// The pieces that are kept, and how many of those around each are kept too.
fn kept_pieces<'p>(pieces: &'p [Piece], kept: &[bool]) -> Vec<(usize, &'p str)> {
    let mut depths: Vec<usize> = Vec::with_capacity(pieces.len());
    let mut shown = Vec::new();
    for (place, piece) in pieces.iter().enumerate() {
        let depth = piece.around.map_or(0, |around| depths[around] + usize::from(kept[around]));
        depths.push(depth);
        if kept[place] {
            shown.push((depth, piece.text.as_str()));
        }
    }
    shown
}
