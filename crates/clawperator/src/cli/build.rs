//! Builds executions from flat commands. What is built passes the same door as
//! every other payload, so a builder only translates.

mod app;
mod frame;
mod observe;
mod scroll;
mod touch;
mod wait;

pub(crate) use app::{close, open, record_start, record_stop};
pub(crate) use frame::Frame;
pub(crate) use observe::{find, read, read_value, screenshot, snapshot};
pub(crate) use scroll::{scroll, scroll_and_click, scroll_until};
pub(crate) use touch::{back, click, enter_text, press};
pub(crate) use wait::{sleep, wait, wait_for_navigation};
