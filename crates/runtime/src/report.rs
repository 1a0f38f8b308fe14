//! What an execution did, told from its journal: as a page, and as text. Pure
//! but for the trees and pictures that it reads from the journal's folder.

mod chart;
mod html;
mod near;
mod page;
mod picture;
mod screen;
mod story;
mod text;
mod tree;

pub use page::page;
pub use text::text;

use crate::journal::{Kept, Verdict};

/// How an execution came out, in one word.
#[must_use]
pub fn status(kept: &Kept) -> &str {
    match (&kept.verdict, kept.end()) {
        (Verdict::Broken { .. }, _) => "changed",
        (_, Some(end)) => &end.status,
        (_, None) => "cut off",
    }
}
