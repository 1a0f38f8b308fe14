//! Reports an execution from its journal, as a page and as text. Pure except
//! for reading trees and pictures from the journal's folder.

mod chart;
mod facts;
mod frame;
mod html;
mod list;
mod near;
mod page;
mod picture;
mod screen;
mod skill;
mod steps_page;
mod story;
mod table_page;
mod text;
mod tree;

pub use list::list;
pub use page::{IncompleteJournal, page, page_of, policy};
pub use skill::{SkillRun, skill_page, skill_text};
pub use steps_page::{ToldPage, ToldPicture, ToldStep, shown_time, told_page};
pub use table_page::{TablePage, table_page};
pub use text::text;

use crate::{Judgement, StoredJournal};

/// The outcome of an execution, or of a run of a skill, in one word.
pub fn status(journal: &StoredJournal) -> &str {
    let of_skill = || journal.skill_end().map(|end| &end.status);
    match (journal.judgement(), journal.end().map(|end| &end.status).or_else(of_skill)) {
        (Judgement::Changed { .. }, _) => "changed",
        (Judgement::Empty, _) => "empty",
        (_, Some(status)) => status,
        (_, None) => "cut off",
    }
}
