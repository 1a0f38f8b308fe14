//! The display.

use crate::command::screencap::DISPLAY_ID;
use crate::phone::Phone;

pub(super) fn dump(phone: &mut Phone, _: &[&str]) -> String {
    let display = &phone.display;
    let (width, height) = display.size();
    let (made_width, made_height) = display.physical;
    let (density, turns) = (display.density(), display.rotation);
    let state = if phone.power.awake { "ON" } else { "OFF" };
    format!(
        "DISPLAY MANAGER (dumpsys display)
  mOnlyCode=false
  mSafeMode=false
  mGlobalDisplayState={state}
  mViewports=[DisplayViewport{{type=INTERNAL, valid=true, isActive={active}, displayId=0, uniqueId='local:{DISPLAY_ID}', physicalPort=0, orientation={turns}, logicalFrame=Rect(0, 0 - {width}, {height}), physicalFrame=Rect(0, 0 - {width}, {height}), deviceWidth={width}, deviceHeight={height}}}]

Display Devices: size=1
  DisplayDeviceInfo{{\"Built-in Screen\": uniqueId=\"local:{DISPLAY_ID}\", {made_width} x {made_height}, modeId 1, density {made_density}, {made_density}.0 x {made_density}.0 dpi, touch INTERNAL, rotation 0, type INTERNAL, state {state}}}

Logical Displays: size=1
  Display 0:
    mDisplayId=0
    mPrimaryDisplayDevice=Built-in Screen
    mBaseDisplayInfo=DisplayInfo{{\"Built-in Screen\", displayId 0, real {made_width} x {made_height}, rotation 0, state {state}, density {made_density}}}
    mOverrideDisplayInfo=DisplayInfo{{\"Built-in Screen\", displayId 0, app {width} x {app}, real {width} x {height}, rotation {turns}, state {state}, density {density} ({made_density}.0 x {made_density}.0) dpi}}

Display Power Controller:
  mScreenState={state}
  mScreenBrightness=0.4
",
        active = phone.power.awake,
        made_density = display.physical_density,
        app = height - display.px(24),
    )
}
