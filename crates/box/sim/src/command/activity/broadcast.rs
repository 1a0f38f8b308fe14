//! `am broadcast`.

use super::super::answer::{Answer, CommandResult, CommandWords, is_in};
use super::super::intent;
use crate::fault::FaultPoint;
use crate::handset::Handset;
use crate::operator;

/// What every broadcast from the shell gets.
const FROM_SHELL: u32 = 0x0040_0000;

/// What only the system may tell, of `android.intent.action`.
const PROTECTED: &str = "ACTION_POWER_CONNECTED ACTION_POWER_DISCONNECTED ACTION_SHUTDOWN AIRPLANE_MODE \
    BATTERY_CHANGED BATTERY_LOW BATTERY_OKAY BOOT_COMPLETED CONFIGURATION_CHANGED DEVICE_STORAGE_LOW \
    LOCALE_CHANGED LOCKED_BOOT_COMPLETED MY_PACKAGE_REPLACED NEW_OUTGOING_CALL PACKAGE_ADDED \
    PACKAGE_REMOVED PACKAGE_REPLACED REBOOT SCREEN_OFF SCREEN_ON TIMEZONE_CHANGED TIME_SET USER_PRESENT \
    USER_UNLOCKED";

pub(super) fn broadcast(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    let mut own = |option: &str, words: &mut CommandWords<'_>| match option {
        "--user" | "--receiver-permission" => words.value(option).map(|_| true),
        "--async" | "--allow-background-activity-starts" => Ok(true),
        _ => Ok(false),
    };
    let mut intent = intent::parse(words, "broadcast", &mut own)?;
    intent::set_flags(&mut intent, FROM_SHELL);
    let shown = format!("Broadcasting: Intent {{ {} }}\n", intent.describe());
    if handset.strike(FaultPoint::BroadcastRefused).is_some() {
        let why =
            "Security exception: Permission Denial: not allowed to send broadcast from pid=1, uid=2000\n";
        return Ok(format!("{shown}{why}"));
    }
    let action = intent.action.as_deref().unwrap_or_default();
    if let Some(name) = action.strip_prefix("android.intent.action.")
        && is_in(PROTECTED, name)
    {
        let what = format!(
            "java.lang.SecurityException: Permission Denial: not allowed to send broadcast {action} from pid=4001, uid=2000"
        );
        return Err(CommandResult { out: shown, ..CommandResult::exception("broadcast", &what) });
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
    Ok(format!("{shown}Broadcast completed: result=0\n"))
}
