//! Touchscreen and keys.

use super::hash;
use crate::phone::Phone;

pub(super) fn dump(phone: &mut Phone, _: &[&str]) -> String {
    let (width, height) = phone.display.size();
    let turns = phone.display.rotation;
    let focus = phone.focus().map_or_else(
        || "<none>".to_owned(),
        |focus| format!("displayId=0, name='{} {}'", hash(&focus.title), focus.title),
    );
    format!(
        "INPUT MANAGER (dumpsys input)

Event Hub State:
  BuiltInKeyboardId: -2
  Devices:
    1: gpio_keys
      Classes: KEYBOARD
      Path: /dev/input/event0
    2: sim_touchscreen
      Classes: TOUCH | TOUCH_MT
      Path: /dev/input/event1

Input Reader State:
  Device 2: sim_touchscreen
    Sources: TOUCHSCREEN
    Touch Input Mapper (mode - DIRECT):
      Viewport INTERNAL: displayId=0, orientation={turns}, logicalFrame=[0, 0, {width}, {height}], physicalFrame=[0, 0, {width}, {height}], deviceSize=[{width}, {height}], isActive=[1]
      SurfaceWidth: {width}px
      SurfaceHeight: {height}px
      SurfaceOrientation: {turns}

Input Dispatcher State:
  DispatchEnabled: {awake}
  DispatchFrozen: false
  FocusedDisplayId: 0
  FocusedWindows:
    {focus}
  TouchStates: <no displays touched>
  PendingEvent: <none>
",
        awake = phone.power.awake,
    )
}
