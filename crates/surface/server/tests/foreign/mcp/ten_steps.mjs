// The same task of ten steps on the same simulated phone through three MCP
// servers, as an agent that wastes nothing would do it: calls and tokens of
// answers are counted. It is no test: it needs packages that are not installed
// otherwise. In an empty folder:
//
//   npm install --ignore-scripts @mobilenext/mobile-mcp@1.0.4 @mobilenext/mobilecli-linux-amd64@1.0.9 \
//     claude-in-mobile@4.4.1 gpt-tokenizer@4.0.0
//   cp REPOSITORY/crates/surface/server/tests/foreign/mcp/ten_steps.mjs . && node ten_steps.mjs PATH_OF_CLAWPERATOR
//
// It needs adb; it starts an adb server and phones of its own, and ends them.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { countTokens as old } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as current } from 'gpt-tokenizer/encoding/o200k_base';

const program = resolve(process.argv[2] ?? 'clawperator');
const home = mkdtempSync(join(tmpdir(), 'ten-steps-'));
Object.assign(process.env, {
  HOME: home,
  CLAWPERATOR_HOME: join(home, 'state'),
  CLAWPERATOR_SIM_DIR: join(home, 'registry'),
  CLAWPERATOR_LOCK_DIR: join(home, 'locks'),
  ANDROID_ADB_SERVER_PORT: '5998',
  MOBILEMCP_DISABLE_TELEMETRY: '1',
  // Its newer way needs more calls and more time for the same.
  MOBILEMCP_LEGACY_ROBOT: '1',
});
const run = (...words) => execFileSync(words[0], words.slice(1), { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
/** How many tokens a model reads: the larger count of two encodings. */
const tokens = (text) => Math.max(old(text), current(text));

/** An MCP server on standard input and output, and what it said. */
async function server(command) {
  const child = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer = JSON.parse(line);
    waiting.get(answer.id)?.(answer.result ?? answer);
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = (method, params) =>
    new Promise((answered) => {
      waiting.set(waiting.size + 1, answered);
      send({ id: waiting.size, method, params });
    });
  await ask('initialize', { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'agent', version: '1' } });
  send({ method: 'notifications/initialized' });
  const { tools } = await ask('tools/list', {});
  const heard = { calls: 0, tokens: 0, tools: tools.length, list: tokens(JSON.stringify(tools)) };
  /** Calls a tool; what the agent needs next must be in the answer. */
  const call = async (name, args, wanted = '', mayFail = false) => {
    const { content, isError } = await ask('tools/call', { name, arguments: args });
    const text = content.map((block) => block.text ?? '').join('\n');
    heard.calls += 1;
    heard.tokens += tokens(text);
    assert.ok((mayFail || !isError) && text.includes(wanted), `${name} ${JSON.stringify(args)}: ${text}`);
    return text;
  };
  return { call, heard, end: () => child.kill('SIGKILL') };
}

/** Looks, and scrolls and looks again, until a text is on the screen. */
async function scrollTo(text, look, scroll) {
  for (let swipes = 0; swipes < 20; swipes += 1) {
    const seen = await look();
    if (seen.includes(`"${text}"`)) return seen;
    await scroll();
  }
  throw new Error(`${text} is not there`);
}

/** Taps a text without looking, and scrolls until there is one. */
async function scrollAndTap(text, tap, scroll) {
  for (let swipes = 0; swipes < 20; swipes += 1) {
    if (!(await tap(text)).includes('ELEMENT_NOT_FOUND')) return;
    await scroll();
  }
  throw new Error(`${text} is not there`);
}

async function clawperator(serial) {
  const { call, heard, end } = await server([program, 'mcp', '--device', serial]);
  await call('open', { app: 'Settings' }, 'Network & internet');
  const act = (steps, wanted) => call('act', { steps }, wanted);
  await act([{ do: 'tap', on: 'About phone', direction: 'down' }], '"Sim Phone"');
  const battery = await act([{ do: 'key', key: 'back' }, { do: 'tap', on: 'Battery', direction: 'up' }], 'Battery Saver');
  const [, saver] = battery.match(/(@e\d+) switch "Battery Saver" unchecked/);
  await act([{ do: 'tap', on: saver }], 'switch "Battery Saver" checked');
  await act([{ do: 'key', key: 'home' }], 'new screen');
  return [heard, end];
}

async function mobileMcp(serial) {
  const { call, heard, end } = await server(['node', 'node_modules/@mobilenext/mobile-mcp/lib/index.js', '--stdio']);
  const tool = (name, args = {}) => call(`mobile_${name}`, { device: serial, ...args });
  const look = () => tool('list_elements_on_screen');
  const swipe = (direction) => () => tool('swipe_on_screen', { direction });
  const tap = (seen, text) => {
    const line = seen.split('\n').find((each) => each.includes(`text="${text}"`));
    const [, x, y, width, height] = line.match(/at=(\d+),(\d+) size=(\d+)x(\d+)/).map(Number);
    return tool('click_on_screen_at_coordinates', { x: x + (width >> 1), y: y + (height >> 1) });
  };
  await call('mobile_list_available_devices', {}, serial);
  await tool('launch_app', { packageName: 'com.android.settings' });
  await tap(await scrollTo('About phone', look, swipe('up')), 'About phone');
  assert.ok((await look()).includes('Sim Phone'));
  await tool('press_button', { button: 'BACK' });
  await tap(await scrollTo('Battery', look, swipe('down')), 'Battery');
  await tap(await look(), 'Battery Saver');
  // It does not tell which switches are on, but the text below this one does.
  assert.match(await look(), /text="Battery Saver".*\n.*text="On"/);
  await tool('press_button', { button: 'HOME' });
  return [heard, end];
}

/** As few looks as it can do with: it finds texts by itself. */
const claudeInMobile = () => claude(scrollAndTap);

/** Each screen is looked at before something on it is tapped. */
const claudeInMobileLooking = () =>
  claude(async (text, tap, scroll, look) => {
    await scrollTo(text, look, scroll);
    await tap(text);
  });

async function claude(reach) {
  const { call, heard, end } = await server(['node', 'node_modules/claude-in-mobile/bin.mjs']);
  const look = () => call('ui', { action: 'tree' });
  const swipe = (direction) => () => call('input', { action: 'swipe', direction });
  // An element that is not there is what it is asked for here.
  const tap = (text) => call('input', { action: 'tap', text }, '', true);
  await call('device', { action: 'list' }, 'Sim_Phone');
  await call('app', { action: 'launch', package: 'com.android.settings' });
  await reach('About phone', tap, swipe('up'), look);
  assert.ok((await look()).includes('Sim Phone'));
  await call('input', { action: 'key', key: 'BACK' });
  await reach('Battery', tap, swipe('down'), look);
  await reach('Battery Saver', tap, swipe('up'), look);
  assert.match(await look(), /text="Battery Saver".*\n.*text="On"/);
  await call('input', { action: 'key', key: 'HOME' });
  return [heard, end];
}

try {
  for (const agent of [clawperator, claudeInMobile, claudeInMobileLooking, mobileMcp]) {
    // A phone of its own, so that all begin alike.
    const { serial } = JSON.parse(run(program, 'sim', 'start', '--seed', '1'));
    run('adb', 'connect', serial);
    const [heard, end] = await agent(serial);
    end();
    console.log(`${agent.name}: ${heard.calls} calls, ${heard.tokens} tokens; ${heard.tools} tools, ${heard.list} tokens`);
    run('adb', 'disconnect', serial);
    run(program, 'sim', 'stop', '--all');
  }
} finally {
  run(program, 'sim', 'stop', '--all');
  run('adb', 'kill-server');
  rmSync(home, { recursive: true, force: true });
}
