//! A phone in memory: apps, windows, input, screen, files, shell commands,
//! faults and time; served over adb's device side.

mod apk;
pub mod app;
mod automation;
pub mod builtin;
mod command;
mod disk;
pub mod fault;
mod handset;
mod instrumentation;
mod latency;
mod layout;
mod link;
mod operator;
pub mod phone;
mod port;
mod scope;
mod server;
mod service_calls;
mod snapshot_helper;
mod time;
mod uiautomator2;
mod upload;
mod view;
mod virtual_files;

pub use apk::package_of;
pub use command::names as phone_commands;
pub use handset::{Handset, Setup, TimeKind, shell_user};
pub use latency::{Cost, Latency};
pub use link::{ask, link};
pub use server::{HostKeys, Welcome, host_files, serve, serve_host};
pub use service_calls::ServiceCall;
pub use time::Time;
