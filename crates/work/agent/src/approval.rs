//! Human approval: requests for a person's word, and what comes of them.
//!
//! A request is in SQLite before anybody hears of it, and its decision before anybody acts on it,
//! so both survive a restart. What a person gives is sealed beside it until its time is over, so
//! that it survives too; in clear it is in the memory of the process that uses it and nowhere else.

pub mod answer;
mod apply;
mod artifact;
mod desk;
mod error;
pub mod limits;
pub mod notify;
mod page;
mod qr;
mod request;
mod screen;
mod table;
mod template_file;
mod token;
mod wait;

// Given to a phone, and to nothing else.
pub use clawperator_phone::Secret;

pub use answer::{AnswerFlaw, Submission};
pub use apply::{ApplyError, ArtifactUse, apply};
pub use artifact::{Artifact, Description, FormValue, GeoPoint, GivenFile};
pub use desk::{Desk, PersonDecision, Who};
pub use error::DeskError;
pub use page::{ApprovalPage, Attachment, CustomPage, NoteField};
pub use qr::qr_code;
pub use request::{
    ApprovalDecision, ApprovalRequest, ApprovalScreen, Author, CreatedRequest, NewRequest, RequestContent,
    ScreenPicture, State,
};
pub use screen::screen_hash;
pub use template_file::with_template_file;
pub use token::ApprovalToken;
pub(crate) use token::random_id;
