//! `am broadcast`.

use super::super::answer::{Answer, Words};
use super::super::intent;
use crate::fault::Point;
use crate::handset::Handset;
use crate::operator;

/// What every broadcast from the shell gets.
const FROM_SHELL: u32 = 0x0040_0000;

pub(super) fn broadcast(handset: &Handset, words: &mut Words<'_>) -> Answer {
    let mut own = |option: &str, words: &mut Words<'_>| match option {
        "--user" | "--receiver-permission" => words.value(option).map(|_| true),
        "--async" | "--allow-background-activity-starts" => Ok(true),
        _ => Ok(false),
    };
    let mut intent = match intent::parse(words, &mut own) {
        Ok(intent) => intent,
        Err(what) => return Answer::exception("broadcast", &what),
    };
    intent::set_flags(&mut intent, FROM_SHELL);
    let shown = format!("Broadcasting: Intent {{ {} }}\n", intent.describe());
    if handset.strike(Point::BroadcastRefused).is_some() {
        let why =
            "Security exception: Permission Denial: not allowed to send broadcast from pid=1, uid=2000\n";
        return Answer::ok(format!("{shown}{why}"));
    }
    // A named receiver means its whole package: the phone's apps have no
    // receivers with names of their own.
    let to = intent.component.as_ref().map(|(package, _)| package.clone());
    intent.package = intent.package.take().or(to);
    handset.with(|phone| phone.broadcast(&intent));
    // What the Operator app does is in no app file.
    if let Some(shared) = handset.shared() {
        operator::receive(&shared, &intent);
    }
    Answer::ok(format!("{shown}Broadcast completed: result=0\n"))
}
