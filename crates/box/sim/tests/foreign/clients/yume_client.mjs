// @yume-chan/adb ("Tango"), through an adb server.

import { AdbServerClient } from '@yume-chan/adb';
import { AdbServerNodeTcpConnector } from '@yume-chan/adb-server-node-tcp';
import { APP, centre, isPng, node, see } from './steps.mjs';

const serial = process.env.PHONE;
const connector = new AdbServerNodeTcpConnector({
  host: '127.0.0.1',
  port: Number(process.env.ANDROID_ADB_SERVER_PORT),
});
const server = new AdbServerClient(connector);
see('the version', await server.getVersion(), (version) => version >= 41);
see('listed', (await server.getDevices()).map((device) => device.serial), [serial]);
const adb = await server.createAdb({ serial });
see('the banner', [adb.banner.product, adb.banner.model, adb.banner.device], ['sim', 'Sim_Phone', 'sim']);
see('getProp', await adb.getProp('ro.build.version.sdk'), '34');

const text = (bytes) => new TextDecoder().decode(bytes);
const ended = await adb.subprocess.shellProtocol.spawnWait('echo out; echo err >&2; exit 4');
see('the shell protocol', [ended.exitCode, text(ended.stdout), text(ended.stderr)], [4, 'out\n', 'err\n']);
const plain = await adb.subprocess.noneProtocol.spawnWait('echo one; echo two >&2');
see('without it', text(plain), 'one\ntwo\n');

const shell = async (command) => text((await adb.subprocess.shellProtocol.spawnWait(command)).stdout);
await shell(`am start -n ${APP}/.MainActivity`);
const dump = async () => (await shell('uiautomator dump /dev/tty')).split('UI hier')[0];
const [x, y] = centre(node(await dump(), 'btn_increment'));
await shell(`input tap ${x} ${y}`);
see('after the tap', node(await dump(), 'txt_counter').text, 'Counter: 1');
see('screencap', isPng(await adb.subprocess.noneProtocol.spawnWait('screencap -p')));
const picture = await adb.framebuffer();
see('the framebuffer', [picture.width, picture.height, picture.data.length], [1080, 2400, 1080 * 2400 * 4]);

const contents = new Uint8Array(1_000_000).map((_, index) => index % 249);
const sync = await adb.sync();
await sync.write({
  filename: '/sdcard/yume.bin',
  file: new ReadableStream({
    start(controller) {
      controller.enqueue(contents);
      controller.close();
    },
  }),
});
see('lstat', Number((await sync.lstat('/sdcard/yume.bin')).size), contents.length);
const parts = [];
for await (const part of sync.read('/sdcard/yume.bin')) {
  parts.push(part);
}
see('read back', Buffer.concat(parts).equals(Buffer.from(contents)));
const names = [];
for await (const entry of sync.opendir('/sdcard')) {
  names.push(entry.name);
}
see('opendir', names, (list) => list.includes('yume.bin') && list.includes('Download'));
see('isDirectory', await sync.isDirectory('/sdcard/Download'), true);
await sync.dispose();
await adb.rm('/sdcard/yume.bin');

const socket = await adb.createSocket('tcp:7');
const writer = socket.writable.getWriter();
await writer.write(new TextEncoder().encode('there and back'));
const { value } = await socket.readable.getReader().read();
see('a socket into the phone', text(value), 'there and back');
await socket.close();

// Something on the phone dials what it believes to be its own port.
let heard;
const asked = new Promise((resolve) => (heard = resolve));
const address = await adb.reverse.add('tcp:7200', async (incoming) => {
  const { value } = await incoming.readable.getReader().read();
  heard(text(value));
  await incoming.close();
});
see('reverse', address, 'tcp:7200');
await shell('echo from the phone | nc 127.0.0.1 7200');
see('heard', await asked, 'from the phone\n');
await adb.reverse.removeAll();
see('reverse list', await adb.reverse.list(), []);
process.exit(0);
