// @devicefarmer/adbkit, through an adb server.

import adbkit from '@devicefarmer/adbkit';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { APP, centre, isPng, node, see } from './steps.mjs';

const serial = process.env.PHONE;
const client = adbkit.Adb.createClient({ port: Number(process.env.ANDROID_ADB_SERVER_PORT), bin: process.env.ADB });
const all = async (stream) => await adbkit.Adb.util.readAll(stream);
see('listed', (await client.listDevices()).map(({ id, type }) => [id, type]), [[serial, 'device']]);
const phone = client.getDevice(serial);
see('getProperties', (await phone.getProperties())['ro.product.model'], 'Sim Phone');
see('getFeatures', Object.keys(await phone.getFeatures()), (names) => names.length > 0);
see('getPackages', await phone.getPackages(), (names) => names.includes(APP));
see('isInstalled', [await phone.isInstalled(APP), await phone.isInstalled('com.example.nothing')], [true, false]);
await phone.waitBootComplete();
see('waitBootComplete', true);
see('shell', (await all(await phone.shell('echo "hi there"'))).toString(), 'hi there\n');
await phone.startActivity({ component: `${APP}/.MainActivity`, wait: true });
const dump = async () => (await all(await phone.shell('uiautomator dump /dev/tty'))).toString();
const [x, y] = centre(node(await dump(), 'btn_increment'));
await all(await phone.shell(`input tap ${x} ${y}`));
see('after the tap', node(await dump(), 'txt_counter').text, 'Counter: 1');
see('screencap', isPng(await all(await phone.screencap())));
const contents = Buffer.alloc(700_000, 'adbkit');
// From a file: of a stream it sends each piece as it comes, and adbd takes
// none above 64 KiB.
const here = join(process.env.HOME, 'adbkit.bin');
writeFileSync(here, contents);
const push = await phone.push(here, '/sdcard/adbkit.bin');
await new Promise((resolve, reject) => push.on('end', resolve).on('error', reject));
see('stat', (await phone.stat('/sdcard/adbkit.bin')).size, contents.length);
see('pull', (await all(await phone.pull('/sdcard/adbkit.bin'))).equals(contents));
see('readdir', (await phone.readdir('/sdcard')).map((entry) => entry.name), (names) => names.includes('adbkit.bin'));
await phone.reverse('tcp:7300', 'tcp:7301');
see('listReverses', (await phone.listReverses()).map(({ remote, local }) => [remote, local]), [['tcp:7300', 'tcp:7301']]);
const socket = await phone.openTcp(7);
socket.write('there and back');
see('openTcp', await new Promise((resolve) => socket.once('data', (data) => resolve(data.toString()))), 'there and back');
socket.end();

const loaded = await phone.openProcStat();
const load = await new Promise((resolve, reject) => loaded.on('load', resolve).on('error', reject));
loaded.end();
see('openProcStat', Object.keys(load).sort(), ['cpu0', 'cpu1', 'cpu2', 'cpu3', 'cpu4', 'cpu5', 'cpu6', 'cpu7']);
await all(await phone.shell('log -p w -t Adbkit "a line"'));
const log = await phone.openLogcat();
const line = await new Promise((resolve) => log.on('entry', (entry) => entry.tag === 'Adbkit' && resolve(entry)));
see('openLogcat', [line.tag, line.message, line.priority], ['Adbkit', 'a line', 5]);
log.end();
const monkey = await phone.openMonkey();
const told = (verb, ...words) =>
  new Promise((resolve, reject) => monkey[verb](...words, (error, value) => (error ? reject(error) : resolve(value))));
see('openMonkey', await told('get', 'display.width'), '1080');
await told('tap', x, y);
see('after a tap of the monkey', node(await dump(), 'txt_counter').text, 'Counter: 2');
monkey.end();
see('reboot', await phone.reboot(), true);
process.exit(0);
