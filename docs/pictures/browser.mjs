// Takes a picture in Chromium: node browser.mjs report FILE OUT.png, or
// node browser.mjs page URL OUT.png. It speaks to the browser over a pipe, so it
// needs no package and opens no port.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [, , what, from, out] = process.argv;
const PATIENCE = 60_000;
const data = mkdtempSync(join(tmpdir(), 'chromium-'));
const flags = '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars';
const quiet = '--disable-background-networking --disable-component-update --disable-sync';
const browser = spawn(
  process.env.CHROMIUM ?? 'chromium',
  [...flags.split(' '), ...quiet.split(' '), '--remote-debugging-pipe', `--user-data-dir=${data}`],
  { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
);

const waiting = new Map();
let last = 0;
let rest = '';
browser.stdio[4].setEncoding('utf8').on('data', (chunk) => {
  const messages = (rest + chunk).split('\0');
  rest = messages.pop();
  for (const { id, result, error } of messages.map((message) => JSON.parse(message))) {
    waiting.get(id)?.(error ? Promise.reject(new Error(error.message)) : result);
  }
});

let session;
/** Sends a command of the browser's protocol and waits for its answer. */
function send(method, params = {}) {
  const id = (last += 1);
  browser.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: session })}\0`);
  return new Promise((done) => waiting.set(id, done));
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** The value of an expression of the page. */
async function value(expression) {
  const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, returnByValue: true });
  if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description}`);
  return result.value;
}

/** Waits until an expression of the page is true. */
async function until(expression) {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await pause(100)) {
    if (await value(`Boolean(${expression})`)) return;
  }
  throw new Error(`never true: ${expression}`);
}

/** The report without what was measured, which differs from run to run. */
function withoutTimes(file) {
  const page = readFileSync(file, 'utf8')
    .replace(/<span class="took">[^<]*<\/span>/g, '')
    .replace(/At [\d.]+ m?s; /g, '');
  writeFileSync(file, page);
  return `file://${resolve(file)}`;
}

/** What is seen of each, and how to get there. Answers the part to take. */
const scenes = {
  async report() {
    await until("document.readyState === 'complete' && document.querySelector('#step-2 svg.phone')");
    return value(`(({x, y, width, height}) => ({x: x - 12, y: y - 12 + scrollY, width: width + 24, height: height + 24}))
      (document.querySelector('#step-2').getBoundingClientRect())`);
  },
  async page() {
    const plus = "[...document.querySelectorAll('#elements-list li')].find((item) => item.textContent.includes('+'))";
    await until(`document.querySelector('#picture:not([hidden])') && ${plus}`);
    await value(`${plus}.click()`);
    await until("document.querySelector('.card')");
    await pause(1_500);
    return undefined;
  },
};

try {
  const { targetInfos } = await send('Target.getTargets');
  const { targetId } = targetInfos.find(({ type }) => type === 'page');
  ({ sessionId: session } = await send('Target.attachToTarget', { targetId, flatten: true }));
  const size = what === 'page' ? { width: 1280, height: 820 } : { width: 1040, height: 900 };
  await send('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: 1, mobile: false });
  await send('Page.navigate', { url: what === 'report' ? withoutTimes(from) : from });
  const part = await scenes[what]();
  const clip = part && { clip: { ...part, scale: 1 }, captureBeyondViewport: true };
  const { data: picture } = await send('Page.captureScreenshot', { format: 'png', ...clip });
  writeFileSync(out, Buffer.from(picture, 'base64'));
} finally {
  browser.kill();
  await new Promise((done) => browser.once('exit', done));
  rmSync(data, { recursive: true, force: true, maxRetries: 5 });
}
