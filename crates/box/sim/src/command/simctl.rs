//! `simctl`: what no real phone has: moving its time, its faults and its user.

use super::answer::{Answer, CommandResult, words};
use crate::fault::{Fault, FaultPoint};
use crate::handset::Handset;
use crate::phone::{Finger, Intent, Namespace, Notification, Phone};
use clawperator_userland::Call;
use std::time::Duration;

/// The command's name; it costs no time and is not disturbed itself.
pub(super) const NAME: &str = "simctl";

const USAGE: &str = "usage: simctl COMMAND
  advance MILLISECONDS        moves a virtual clock on
  fault POINT[=VALUE][@PERCENT%][xTIMES][+SKIP]...
                              adds faults
  fault list                  lists the active faults and how often each happened
  fault points                lists the faults that can be injected
  fault clear                 removes all faults
  finger tap X Y              touches the screen through the kernel, so that
  finger touch LABEL          getevent sees it (unlike the input command)
  finger hold X Y [MS]
  finger swipe X1 Y1 X2 Y2 [MS]
  finger type TEXT            on the keyboard that is shown
  finger key NAME             a key of the phone's case
  ring NUMBER                 starts an incoming call
  notify TITLE TEXT           puts a notification into the shade
  rotate TURNS                turns the phone, in quarters: 0 to 3
  steal PACKAGE               brings an app to the front
  battery PERCENT             sets the battery level
  lock, unlock                locks or unlocks the phone
  seed                        prints the random seed
  help                        prints this
";

/// Who sends the notifications of this command: every phone has it.
const SENDER: &str = "com.clawperator.messenger";

pub(super) fn run(handset: &Handset, call: &Call) -> Answer {
    let words = words(call);
    let answer = match words[..] {
        ["help" | "--help"] => Ok(USAGE.to_owned()),
        ["fault", ref rest @ ..] if !rest.is_empty() => fault(handset, rest),
        ["seed"] => Ok(format!("{}\n", handset.faults(|faults| faults.seed))),
        ["advance", ms] => advance(handset, ms),
        _ => handset.with(|phone| touch(phone, &words)),
    };
    answer.map_err(|text| CommandResult::complaint(call, &text))
}

const MOST_MS: u64 = 86_400_000;

fn advance(handset: &Handset, ms: &str) -> Result<String, String> {
    let number = ms.parse().map_err(|_| format!("`{ms}` is not a number of milliseconds"))?;
    if number > MOST_MS {
        return Err(format!("at most {MOST_MS} milliseconds at a time"));
    }
    if handset.advance(Duration::from_millis(number)) {
        Ok(String::new())
    } else {
        Err("the phone runs on real time, which cannot be advanced".to_owned())
    }
}

fn fault(handset: &Handset, words: &[&str]) -> Result<String, String> {
    match words {
        ["clear"] => {
            handset.faults(|faults| faults.set_plan(Vec::new()));
            Ok(String::new())
        }
        ["points"] => {
            let rows = FaultPoint::ALL.iter();
            Ok(rows.map(|(_, name, what)| format!("{name}:{what}\n")).collect())
        }
        ["list"] => Ok(handset.faults(|faults| {
            let row = |fault: &Fault| {
                let (passed, struck) =
                    faults.counts().find(|row| row.0 == fault.point).map_or((0, 0), |row| row.1);
                format!("{fault} passed={passed} struck={struck}\n")
            };
            faults.plan().iter().map(row).collect()
        })),
        words => {
            let new = words.iter().map(|word| Fault::parse(word)).collect::<Result<Vec<_>, _>>();
            let new = new.map_err(|error| error.to_string())?;
            handset.faults(|faults| {
                let mut plan = faults.plan().to_vec();
                plan.retain(|old| new.iter().all(|fault| fault.point != old.point));
                plan.extend(&new);
                faults.set_plan(plan);
            });
            Ok(String::new())
        }
    }
}

/// What happens to the phone itself.
fn touch(phone: &mut Phone, words: &[&str]) -> Result<String, String> {
    match words {
        ["finger", words @ ..] => phone.finger(&Finger::parse(words)?)?,
        ["ring", number] => phone.ring(number),
        ["notify", title, text] => phone.notify(Notification {
            package: SENDER.to_owned(),
            title: (*title).to_owned(),
            text: (*text).to_owned(),
        }),
        ["rotate", turns] => match turns.parse::<u8>() {
            Ok(0..=3) => {
                phone.put_setting(Namespace::System, "user_rotation", Some(turns));
            }
            _ => return Err(format!("`{turns}` is not 0, 1, 2 or 3")),
        },
        ["steal", package] => {
            phone.start(&Intent::launch(package)).map_err(|_| format!("there is no app `{package}`"))?;
        }
        ["battery", level] => match level.parse() {
            Ok(level @ 0..=100) => phone.battery.level = level,
            _ => return Err(format!("`{level}` is not a percentage")),
        },
        ["lock"] => {
            phone.switch_screen(false);
            phone.switch_screen(true);
        }
        ["unlock"] => {
            phone.switch_screen(true);
            phone.unlock();
        }
        _ => return Err(format!("unknown command\n{}", USAGE.trim_end())),
    }
    Ok(String::new())
}
