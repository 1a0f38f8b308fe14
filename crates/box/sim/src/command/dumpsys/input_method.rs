//! The keyboard.

use super::{hash, window_name};
use crate::phone::{Namespace, Phone};

pub(super) fn dump(phone: &mut Phone, _: &[&str]) -> String {
    let setting = |name: &str| phone.settings.get(Namespace::Secure, name).unwrap_or_default();
    let id = setting("default_input_method");
    let shown = phone.keyboard_shown;
    let window = phone.focus().map_or_else(|| "null".to_owned(), |focus| window_name(&focus.title));
    let methods: String = super::super::ime::keyboards(phone)
        .iter()
        .map(|id| format!("  InputMethod:\n    mId={id} mSettingsActivityName=null mIsVrOnly=false\n"))
        .collect();
    format!(
        "Current Input Method Manager state:
  Input Methods: mMethodMapUpdateCount=1
{methods}  mCurMethodId={id}
  mCurId={id}
  mCurClient=ClientState{{{client} uid=10100 pid=1200 displayId=0}}
  mCurFocusedWindow={window}
  mBoundToMethod=true mVisibleBound={shown}
  mShowRequested={shown} mShowExplicitlyRequested=false mShowForced=false mInputShown={shown}
  mSystemReady=true mInteractive={awake}
  mInputShown={shown}
  mIsInputViewShown={shown}
  mDecorViewVisible={shown} mWindowVisible={shown}
  mEnabledInputMethods={enabled}
",
        client = hash("client"),
        awake = phone.power.awake,
        enabled = setting("enabled_input_methods"),
    )
}
