//! Whether the phone is awake.

use crate::phone::{Namespace, Phone};

pub(super) fn dump(phone: &mut Phone, _: &[&str]) -> String {
    let awake = phone.power.awake;
    let (name, state) = if awake { ("Awake", "ON") } else { ("Asleep", "OFF") };
    let setting = |namespace, name: &str| phone.settings.get(namespace, name).unwrap_or("0").to_owned();
    format!(
        "POWER MANAGER (dumpsys power)

Power Manager State:
  mDirty=0x0
  mWakefulness={name}
  mWakefulnessRaw={name}
  mWakefulnessChanging=false
  mIsPowered={plugged}
  mPlugType={plug}
  mBatteryLevel={level}
  mDockState=0
  mStayOn={stay}
  mBootCompleted={booted}
  mSystemReady=true
  mHalInteractiveModeEnabled={awake}
  mHoldingWakeLockSuspendBlocker={awake}
  mHoldingDisplaySuspendBlocker={awake}
  mLastUserActivityTime={activity}

Settings and Configuration:
  mScreenOffTimeoutSetting={timeout}
  mStayOnWhilePluggedInSetting={stay_setting}
  mScreenBrightnessModeSetting=1
  mLowPowerModeSetting={low}

Wake Locks: size=0

Suspend Blockers: size=2
  PowerManagerService.Display: ref count={count}
  PowerManagerService.WakeLocks: ref count=0

Display Power: state={state}
",
        plugged = phone.battery.plugged(),
        plug = phone.battery.plug as u8,
        level = phone.battery.level,
        stay = phone.battery.plugged() && setting(Namespace::Global, "stay_on_while_plugged_in") != "0",
        booted = phone.power.booted,
        activity = phone.last_activity_ms,
        timeout = setting(Namespace::System, "screen_off_timeout"),
        stay_setting = setting(Namespace::Global, "stay_on_while_plugged_in"),
        low = setting(Namespace::Global, "low_power"),
        count = u8::from(awake),
    )
}
