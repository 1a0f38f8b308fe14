//! Arranges a command line so that clap reads it as we mean it.

use super::command::{self, CommandSpec};
use super::flag::Takes;
use clawperator_contract::ViewStyle;
use std::ffi::OsString;

/// Whether a command can write what it says in several ways.
pub(super) fn has_views(spec: &'static CommandSpec) -> bool {
    command::local_flags(spec).any(|flag| flag.name == "view")
}

/// Where a command has views, `--format` names one of them; elsewhere it is
/// another word for `--output`, and so is what is no view.
pub(super) fn view_format(args: Vec<OsString>, spec: Option<&'static CommandSpec>) -> Vec<OsString> {
    if !spec.is_some_and(has_views) {
        return args;
    }
    let is_view = |value: &&str| ViewStyle::from_any_case(value).is_some();
    let mut front: Vec<OsString> = Vec::with_capacity(args.len());
    let mut args = args.into_iter().peekable();
    while let Some(token) = args.next_if(|token| token != "--") {
        let word = token.to_str().unwrap_or_default();
        let joined = word.strip_prefix("--format=").filter(is_view);
        let next = args.peek().and_then(|next| next.to_str()).filter(is_view);
        let view = joined.or(next.filter(|_| word == "--format"));
        match view.map(|view| format!("--view={view}")) {
            Some(view) => {
                if joined.is_none() {
                    args.next();
                }
                front.push(view.into());
            }
            None => front.push(token),
        }
    }
    front.into_iter().chain(args).collect()
}

/// Arranges a line so that clap reads what starts with a dash as we mean it.
///
/// A flag and a value with a dash are joined, so that `--text -18` means what
/// it says; a token that is itself a flag is no value: `--text --json` lacks
/// one, and `--text=--json` is how to say it all the same. A token with a single
/// dash is no flag of ours (but for `-h` and `-V`), so it is an argument, and
/// arguments with dashes stand at the end, behind `--`.
pub(super) fn arrange(args: Vec<OsString>, spec: Option<&'static CommandSpec>) -> Vec<OsString> {
    let mut front: Vec<OsString> = Vec::with_capacity(args.len() + 1);
    let mut behind: Option<Vec<OsString>> = None;
    let mut args = args.into_iter().peekable();
    while let Some(token) = args.next() {
        if token == "--" {
            behind.get_or_insert_default().extend(args);
            break;
        }
        let word = token.to_str().unwrap_or_default();
        let takes = command::flag_of(word, spec).map(|flag| flag.takes);
        let is_value = |next: &OsString| next.to_str().is_some_and(|next| is_dashed_value(next, spec));
        match (takes, word.split_once('=')) {
            (Some(Takes::One(_) | Takes::Several(_)), None) => match args.next_if(is_value) {
                Some(value) => front.push([token, value].join(&OsString::from("="))),
                None => front.push(token),
            },
            // Clap would take the one value for all there is.
            (Some(Takes::Two(..)), Some((name, first))) => {
                front.extend([name.into(), first.into()]);
                front.extend(args.next_if(is_value));
            }
            (Some(Takes::Two(..)), None) => {
                front.push(token);
                front.extend(args.next_if(is_value));
                front.extend(args.next_if(is_value));
            }
            (None, _) if is_argument(word) => behind.get_or_insert_default().push(token),
            (Some(_) | None, _) => front.push(token),
        }
    }
    if let Some(behind) = behind {
        front.push("--".into());
        front.extend(behind);
    }
    front
}

/// Tells whether a token that starts with a dash can only be a flag's value.
fn is_dashed_value(token: &str, spec: Option<&'static CommandSpec>) -> bool {
    let dashed = token.len() > 1 && token.starts_with('-') && token != "--";
    dashed && command::flag_of(token, spec).is_none()
}

/// Tells whether a token that starts with a dash can only be an argument.
fn is_argument(token: &str) -> bool {
    let single = token.starts_with('-') && !token.starts_with("--");
    single && !["-", "-h", "-V"].contains(&token)
}
