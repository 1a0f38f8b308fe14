//! `am instrument`: no code of an APK runs, but one instrumentation is known
//! by its name, and the phone does what it does.

use super::super::answer::{Answer, Words};
use super::super::intent;
use crate::handset::Handset;
use crate::snapshot_helper::{self, Extras};
use clawperator_userland::{Call, Ended};

pub(super) async fn instrument(handset: &Handset, call: &mut Call, words: &mut Words<'_>) -> Ended {
    let mut waits = false;
    let mut extras = Extras::new();
    while let Some(option) = words.option() {
        match option {
            "-e" => {
                if let (Some(name), Some(value)) = (words.next(), words.next()) {
                    extras.insert(name.to_owned(), value.to_owned());
                }
            }
            "-p" | "--user" | "--abi" => {
                words.next();
            }
            option => waits |= option == "-w",
        }
    }
    let Some(name) = words.next() else {
        let none = "java.lang.IllegalArgumentException: Argument expected after \"null\"";
        return Answer::exception("instrument", none).give(call).await;
    };
    let component = intent::component(name).ok();
    let (package, class) = component
        .as_ref()
        .map_or(("", ""), |(package, class)| (package, class));
    let is_there = (package, class) == (snapshot_helper::PACKAGE, snapshot_helper::CLASS)
        && handset.with(|phone| phone.packages.contains_key(package));
    if is_there {
        return snapshot_helper::run(handset, call, &extras).await;
    }
    let info = if component.is_some() {
        format!("{package}/{class}")
    } else {
        name.to_owned()
    };
    let status = format!(
        "INSTRUMENTATION_STATUS: Error=Unable to find instrumentation info for: ComponentInfo{{{info}}}\nINSTRUMENTATION_STATUS: id=ActivityManagerService\nINSTRUMENTATION_STATUS_CODE: -1\n"
    );
    let answer = Answer {
        out: if waits { status } else { String::new() },
        err: format!("android.util.AndroidException: INSTRUMENTATION_FAILED: {name}\n"),
        code: 1,
    };
    answer.give(call).await
}
