//! What single files promise, through the public API.

mod apk;
mod app_expression;
mod app_template;
mod command;
mod command_dumpsys;
mod command_network;
mod fault;
mod phone_properties;
mod phone_settings;
mod port_line;
mod server_files;
mod service_calls;
mod snapshot_helper;
mod time;
mod uiautomator2;
mod uiautomator2_http;
mod upload;
