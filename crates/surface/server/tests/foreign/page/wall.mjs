// The wall of the pool: 200 phones, 60 changes a second, a queue, and phones
// whose names try to be HTML.

import assert from 'node:assert/strict';
import { accessible, open, step } from './browser.mjs';

const { page, context, close } = await open({ width: 1440, height: 900, hash: `#token=${process.env.TOKEN}` });
await page.getByRole('button', { name: 'Pool', exact: true }).click();

step('all phones are there, by host');
await page.waitForFunction(() => document.querySelectorAll('#wall .tile').length === 200);
await page.waitForFunction(() => document.querySelectorAll('#queue li').length === 40);
assert.deepEqual(await page.locator('#wall h3').evaluateAll((all) => all.map((it) => it.textContent.split(' · ')[0])), ['berlin', 'lab-2', 'osaka']);
assert.equal(await page.locator('#devices').isVisible(), false);
await page.screenshot({ path: 'wall.png' });

step('a text stays text');
assert.equal(await page.evaluate(() => window.hacked), undefined);
assert.equal(await page.locator('#pool img, #pool script').count(), 0);
await page.getByText('<img src=x', { exact: false }).first().waitFor();

step('the queue says why each job waits');
const job = page.locator('#queue li', { hasText: 'shop-checkout-1' }).first();
await job.getByText('no phone of this class or name is in the pool').waitFor();
await page.getByRole('heading', { name: /^Queue · 40 waiting, 9\d running$/ }).waitFor();
await page.locator('.tile.running', { hasText: 'nightly-login-' }).first().waitFor();
await page.locator('.tile.running', { hasText: '. click' }).first().waitFor();
await page.getByRole('button', { name: 'Cancel shop-checkout-0', exact: true }).click();
await page.locator('#status', { hasText: 'shop-checkout-0 is cancelled.' }).waitFor();

step('60 changes a second do not slow it');
const session = await context.newCDPSession(page);
await session.send('Performance.enable');
const busy = async () => {
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (name) => metrics.find((each) => each.name === name).value;
  return { work: of('ScriptDuration') + of('LayoutDuration') + of('RecalcStyleDuration'), time: of('Timestamp'), nodes: of('Nodes') };
};
await page.evaluate(() => {
  window.changes = 0;
  window.frames = 0;
  new MutationObserver((all) => (window.changes += all.length)).observe(document.querySelector('#wall'), { characterData: true, subtree: true });
  const frame = () => requestAnimationFrame(() => ((window.frames += 1), frame()));
  frame();
});
const before = await busy();
await page.waitForTimeout(8000);
const after = await busy();
const seconds = after.time - before.time;
const { changes, frames } = await page.evaluate(() => ({ changes: window.changes, frames: window.frames }));
const share = (after.work - before.work) / seconds;
console.log(`    ${(changes / seconds).toFixed(0)} texts and ${(frames / seconds).toFixed(0)} frames a second, busy ${(share * 100).toFixed(0)} % of the time, ${after.nodes - before.nodes} more nodes`);
assert.ok(changes / seconds > 20, `${changes} changes in ${seconds} s`);
assert.ok(share < 0.4, `busy for ${share} of the time`);
assert.ok(frames / seconds > 10, `${frames} frames in ${seconds} s`);
assert.ok(after.nodes - before.nodes < 200, `${after.nodes - before.nodes} more nodes`);

step('only phones in one state');
await page.getByRole('button', { name: /^quarantined/ }).click();
await page.waitForFunction(() => [...document.querySelectorAll('#wall .tile')].filter((tile) => !tile.hidden).every((tile) => tile.classList.contains('quarantined')));
await page.screenshot({ path: 'wall-quarantined.png' });
await page.getByRole('button', { name: /^quarantined/ }).click();
await accessible(page, 'the wall');

step('the phone of this computer is one click away');
await page.getByRole('button', { name: 'This computer' }).click();
await page.waitForSelector('#picture:not([hidden])');
assert.equal(await page.locator('#pool').isVisible(), false);
await close();

for (const [name, size] of [['dark', { width: 1440, height: 900, dark: true }], ['narrow', { width: 390, height: 844 }]]) {
  step(name);
  const other = await open({ ...size, hash: `#token=${process.env.TOKEN}` });
  await other.page.getByRole('button', { name: 'Pool', exact: true }).click();
  await other.page.waitForFunction(() => document.querySelectorAll('#wall .tile').length === 200);
  await other.page.waitForFunction(() => document.querySelectorAll('#queue li').length > 30);
  await other.page.screenshot({ path: `wall-${name}.png` });
  await accessible(other.page, `the wall, ${name}`);
  const width = await other.page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= size.width, `the page is ${width} px wide`);
  await other.close();
}
