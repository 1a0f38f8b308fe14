//! Stays within a number of tokens: how many a text has, and what is left out.
//!
//! Tokens are estimated, because every model has a tokenizer of its own. The
//! estimator is named `chars-1` and errs upwards: a test compares it with real
//! tokenizers.

use crate::counts::Counts;
use crate::role::Role;

/// How many tokens a text has, at the most as far as is known.
///
/// A word that can be spoken has one for every three letters; any other run of
/// letters has one for each, digits have one for two, and so do signs and line
/// ends one each. Beyond ASCII there is one for each byte. A space before a
/// word or a sign is part of it.
#[must_use]
pub fn estimate(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut tokens = 0;
    let mut at = 0;
    while at < bytes.len() {
        let run = |is: fn(&u8) -> bool| bytes[at..].iter().take_while(|byte| is(byte)).count();
        let length = match bytes[at] {
            b'a'..=b'z' | b'A'..=b'Z' => {
                // A capital letter begins a new word.
                let lower = bytes[at + 1..].iter().take_while(|b| b.is_ascii_lowercase());
                let length = 1 + lower.count();
                tokens += letters(&bytes[at..at + length]);
                length
            }
            b'0'..=b'9' => {
                let length = run(u8::is_ascii_digit);
                tokens += length.div_ceil(2);
                length
            }
            b' ' => {
                let length = run(|byte| *byte == b' ');
                let joins = bytes.get(at + length).is_some_and(u8::is_ascii_graphic);
                tokens += usize::from(length > 1 || !joins);
                length
            }
            _ => {
                tokens += 1;
                1
            }
        };
        at += length;
    }
    tokens
}

/// The tokens of a run of letters.
fn letters(run: &[u8]) -> usize {
    const MOST_CONSONANTS: usize = 4;
    let mut consonants = 0;
    let mut vowels = 0;
    for byte in run {
        if b"aeiouyAEIOUY".contains(byte) {
            vowels += 1;
            consonants = 0;
        } else {
            consonants += 1;
        }
        if consonants > MOST_CONSONANTS {
            return run.len();
        }
    }
    if vowels == 0 {
        run.len()
    } else {
        run.len().div_ceil(3)
    }
}

/// One part of a view that is there as a whole or not at all.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// Its text.
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
    /// The whole text: the pieces that are kept, each with how deep it is, and
    /// what was left out.
    fn join(&self, kept: &[(usize, &str)], omitted: &Counts) -> String;
    /// The pieces that are kept, and how many were left out in the fewest
    /// tokens; `None` if there is no such form.
    fn short(&self, kept: &[(usize, &str)], omitted: &Counts) -> Option<String>;
    /// Texts that say less and less, for a budget that allows no more.
    fn instead(&self, omitted: &Counts) -> Vec<String>;
}

/// What fits.
#[derive(Debug)]
pub(crate) struct Fitted {
    pub(crate) text: String,
    pub(crate) omitted: Counts,
}

/// What a piece costs beside its own text: a line end or a comma, and what
/// indents it.
const PIECE_COST: usize = 2;

/// Puts a view together within a budget.
pub(crate) fn fit(pieces: &[Piece], frame: &dyn ViewFrame, budget: Option<usize>) -> Fitted {
    let mut omitted = Counts::default();
    let whole = frame.join(&shown(pieces, &vec![true; pieces.len()]), &omitted);
    let Some(budget) = budget.filter(|budget| estimate(&whole) > *budget) else {
        return Fitted { text: whole, omitted };
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
    let mut full = None;
    for place in order {
        let piece = &pieces[place];
        // Nothing is kept at the cost of what comes before it.
        if full.is_some_and(|rank| rank < piece.rank) {
            break;
        }
        let cost = estimate(&piece.text) + PIECE_COST;
        omitted.remove(piece.role);
        if spent + cost < budget && spent + cost + around(&omitted) <= budget {
            spent += cost;
            kept[place] = true;
        } else {
            omitted.add(piece.role);
            full = full.or(Some(piece.rank));
        }
    }
    let text = frame.join(&shown(pieces, &kept), &omitted);
    let fits = estimate(&text) <= budget;
    if fits && kept.contains(&true) {
        return Fitted { text, omitted };
    }
    if let Some(fitted) = a_few(pieces, frame, budget) {
        return fitted;
    }
    if fits {
        return Fitted { text, omitted };
    }
    // What is left out cannot be listed in full.
    let mut all = Counts::default();
    pieces.iter().for_each(|piece| all.add(piece.role));
    let mut texts = frame.instead(&all).into_iter();
    let text = texts.find(|text| estimate(text) <= budget).unwrap_or_default();
    Fitted { text, omitted: all }
}

/// The first pieces that fit with the shortest word for what is left out.
fn a_few(pieces: &[Piece], frame: &dyn ViewFrame, budget: usize) -> Option<Fitted> {
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
        let text = frame.short(&shown(pieces, &kept), &omitted)?;
        if estimate(&text) > budget {
            break;
        }
        best = Some(Fitted { text, omitted });
    }
    best
}

/// The pieces that are kept, and how many of those around each are kept too.
fn shown<'p>(pieces: &'p [Piece], kept: &[bool]) -> Vec<(usize, &'p str)> {
    let mut depths: Vec<usize> = Vec::with_capacity(pieces.len());
    let mut shown = Vec::new();
    for (place, piece) in pieces.iter().enumerate() {
        let depth = piece
            .around
            .map_or(0, |around| depths[around] + usize::from(kept[around]));
        depths.push(depth);
        if kept[place] {
            shown.push((depth, piece.text.as_str()));
        }
    }
    shown
}
