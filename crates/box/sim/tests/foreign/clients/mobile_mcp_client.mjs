// mobile-mcp: an MCP server on standard input and output, asked as an agent
// would ask it.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { APP, centre, field, isPng, see } from './steps.mjs';

const serial = process.env.PHONE;
const home = dirname(createRequire(import.meta.url).resolve('@mobilenext/mobile-mcp/package.json'));
const server = spawn(process.execPath, [join(home, 'lib', 'index.js'), '--stdio'], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
process.on('exit', () => server.kill('SIGKILL'));
const waiting = new Map();
createInterface({ input: server.stdout }).on('line', (line) => {
  const answer = JSON.parse(line);
  waiting.get(answer.id)?.(answer);
});
let count = 0;
const ask = (method, params) =>
  new Promise((resolve) => {
    count += 1;
    waiting.set(count, resolve);
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: count, method, params })}\n`);
  });
const call = async (name, args = {}) => {
  const began = Date.now();
  const { result, error } = await ask('tools/call', { name, arguments: args });
  if (error !== undefined || result.isError) {
    see(name, error ?? result, false);
  }
  console.log(`     ${name} took ${Date.now() - began} ms`);
  return result.content;
};
const tool = async (name, args = {}) => (await call(name, { device: serial, ...args }))[0].text;

const hello = await ask('initialize', {
  protocolVersion: '2025-03-26',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});
see('initialize', hello.result.serverInfo.name, 'mobile-mcp');
server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
const tools = (await ask('tools/list', {})).result.tools.map(({ name }) => name);
see('tools/list', tools, (names) => names.includes('mobile_list_elements_on_screen'));
see('devices', (await call('mobile_list_available_devices', {}))[0].text, (text) => text.includes(serial));
see('the size', await tool('mobile_get_screen_size'), (text) => /1080.*2400/.test(text));
// It has two ways to a phone: mobilecli, which asks a program of its own on the
// phone and nothing else when that cannot run, and its older one, plain adb.
const old = process.env.MOBILEMCP_LEGACY_ROBOT === '1';
const inFront = async (wanted) => {
  if (!old) {
    see('in front', await tool('mobile_get_foreground_app'), (text) => text.includes(wanted));
  }
};
if (old) {
  see('apps', await tool('mobile_list_apps'), (text) => text.includes(APP));
}
see('launch', await tool('mobile_launch_app', { packageName: APP }), (text) => text.includes(APP));
await inFront(APP);

const elements = () => tool('mobile_list_elements_on_screen');
const listed = await elements();
see('elements', listed, (text) => text.includes('Counter: 0') && text.includes('Increment'));
const line = listed.split('\n').find((text) => text.includes('Increment'));
see('the button', line, (text) => text !== undefined);
const [, left, top, width, height] = line.match(/at=(\d+),(\d+) size=(\d+)x(\d+)/).map(Number);
const ref = line.match(/@e\d+/)?.[0];
see('its ref', ref, (text) => old || text !== undefined);
const place = old ? { x: left + (width >> 1), y: top + (height >> 1) } : { ref };
await tool('mobile_click_on_screen_at_coordinates', place);
see('after the tap', await elements(), (text) => text.includes('Counter: 1'));

const picture = (await call('mobile_take_screenshot', { device: serial })).find(({ type }) => type === 'image');
see('a screenshot', [picture.mimeType, Buffer.from(picture.data, 'base64').length > 1000], ([type, large]) =>
  type.startsWith('image/') && large,
);
if (old) {
  const saved = join(process.env.HOME, 'screen.png');
  await tool('mobile_save_screenshot', { saveTo: saved });
  see('a screenshot in a file', existsSync(saved) && isPng(readFileSync(saved)));
}
see('the orientation', await tool('mobile_get_orientation'), (text) => text.includes('portrait'));
await tool('mobile_press_button', { button: 'HOME' });
await inFront('launcher');
await tool('mobile_terminate_app', { packageName: APP });
await tool('mobile_open_url', { url: 'https://example.org/' });
await inFront('browser');
// Read with adb, because mobilecli takes seconds to find that it cannot.
const dump = () => execFileSync(process.env.ADB, ['exec-out', 'uiautomator', 'dump', '/dev/tty']).toString();
execFileSync(process.env.ADB, ['shell', 'am', 'start', '-W', '-n', 'com.clawperator.form/.SearchActivity']);
const [x, y] = centre(field(dump()));
await tool('mobile_click_on_screen_at_coordinates', { x, y });
await tool('mobile_type_keys', { text: 'it works', submit: false });
see('typed', field(dump()).text, 'it works');
await tool('mobile_swipe_on_screen', { direction: 'up' });
process.exit(0);
