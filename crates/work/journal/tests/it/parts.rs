//! What single files promise, through the public API.

mod chain;
mod folder;
mod report;
mod report_html;
mod report_picture;
mod report_steps_page;
mod stamp;
mod writer;
