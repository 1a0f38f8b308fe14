// appium-adb, which runs an adb program for everything it asks.

import { writeFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADB } from 'appium-adb';
import { APP, centre, field, isPng, node, see } from './steps.mjs';

const serial = process.env.PHONE;
const adb = new ADB({
  adbPort: Number(process.env.ANDROID_ADB_SERVER_PORT),
  executable: { path: process.env.ADB, defaultArgs: [] },
  binaries: { adb: process.env.ADB },
});
adb.executable.defaultArgs = ['-P', process.env.ANDROID_ADB_SERVER_PORT];
see('connected', (await adb.getConnectedDevices()).map(({ udid, state }) => [udid, state]), [[serial, 'device']]);
adb.setDeviceId(serial);
await adb.waitForDevice(5);
see('getApiLevel', await adb.getApiLevel(), 34);
see('getPlatformVersion', await adb.getPlatformVersion(), '14');
see('getModel', await adb.getModel(), 'Sim Phone');
see('getDeviceProperty', await adb.getDeviceProperty('ro.build.version.sdk'), '34');
see('getScreenSize', await adb.getScreenSize(), '1080x2400');
see('getScreenDensity', await adb.getScreenDensity(), (density) => density > 100);
see('getScreenOrientation', await adb.getScreenOrientation(), 0);
see('isScreenLocked', await adb.isScreenLocked(), false);
see('listFeatures', await adb.listFeatures(), (names) => names.includes('shell_v2'));
see('isAppInstalled', await adb.isAppInstalled(APP), true);
see('isAppInstalled, not', await adb.isAppInstalled('com.example.nothing'), false);
see('getPackageInfo', (await adb.getPackageInfo(APP)).versionName, '1.0.0');
see('listInstalledPackages', (await adb.listInstalledPackages()).map(({ appPackage }) => appPackage), (names) =>
  names.includes(APP),
);
see('resolveLaunchableActivity', await adb.resolveLaunchableActivity(APP), (name) => name.includes('MainActivity'));

await adb.startApp({ pkg: APP, activity: '.MainActivity', waitForLaunch: true, stopApp: true });
await adb.waitForActivity(APP, '.MainActivity', 5000);
see('getFocusedPackageAndActivity', await adb.getFocusedPackageAndActivity(), {
  appPackage: APP,
  appActivity: '.MainActivity',
});
see('isAppRunning', await adb.isAppRunning(APP), true);
const dump = async () => {
  await adb.shell(['uiautomator', 'dump', '/sdcard/window_dump.xml']);
  return await adb.shell(['cat', '/sdcard/window_dump.xml']);
};
const [x, y] = centre(node(await dump(), 'btn_increment'));
await adb.shell(['input', 'tap', `${x}`, `${y}`]);
see('after the tap', node(await dump(), 'txt_counter').text, 'Counter: 1');
see('takeScreenshot', isPng(await adb.takeScreenshot()));

await adb.forceStop(APP);
see('isAppRunning after forceStop', await adb.isAppRunning(APP), false);
await adb.activateApp('com.clawperator.form');
see('activateApp', (await adb.getFocusedPackageAndActivity()).appPackage, 'com.clawperator.form');
await adb.startApp({ pkg: 'com.clawperator.form', activity: '.SearchActivity', waitForLaunch: true, stopApp: false });
const [left, top] = centre(field(await dump()));
await adb.shell(['input', 'tap', `${left}`, `${top}`]);
await adb.inputText('it works');
see('inputText', field(await dump()).text, 'it works');
see('isSoftKeyboardPresent', (await adb.isSoftKeyboardPresent()).isKeyboardShown, true);
see('hideKeyboard', await adb.hideKeyboard(), true);
see('availableIMEs', (await adb.availableIMEs()).length, (count) => count > 0);
await adb.keyevent(3);
see('keyevent HOME', (await adb.getFocusedPackageAndActivity()).appPackage, (name) => name.includes('launcher'));

await adb.setSetting('system', 'font_scale', '1.15');
see('getSetting', await adb.getSetting('system', 'font_scale'), '1.15');
see('isAnimationOn', await adb.isAnimationOn(), (on) => typeof on === 'boolean');
// It calls only the text 0.0 off, not 0.
await adb.setAnimationScale('0.0');
see('isAnimationOn after', await adb.isAnimationOn(), false);
see('isAirplaneModeOn', await adb.isAirplaneModeOn(), false);
see('isWifiOn', await adb.isWifiOn(), (on) => typeof on === 'boolean');
see('getTimeZone', await adb.getTimeZone(), (zone) => zone.length > 0);
see('getDeviceLocale', await adb.getDeviceLocale(), 'en-US');

const here = join(process.env.HOME ?? tmpdir(), 'appium.bin');
const contents = Buffer.alloc(500_000, 'appium');
writeFileSync(here, contents);
await adb.push(here, '/sdcard/appium.bin');
see('fileExists', await adb.fileExists('/sdcard/appium.bin'), true);
see('fileSize', await adb.fileSize('/sdcard/appium.bin'), contents.length);
await adb.pull('/sdcard/appium.bin', `${here}.back`);
see('pull', readFileSync(`${here}.back`).equals(contents));
await adb.rimraf('/sdcard/appium.bin');
see('rimraf', await adb.fileExists('/sdcard/appium.bin'), false);
see('ls', await adb.ls('/sdcard'), (names) => names.includes('Download'));
see('processExists', await adb.processExists('com.android.systemui'), true);
await adb.forwardPort(17_907, 7);
see('getForwardList', await adb.getForwardList(), (lines) => lines.some((line) => line.includes('tcp:7')));
await adb.removePortForward(17_907);
see('ping', await adb.ping(), true);
process.exit(0);
