// What is done on the picture is recorded, and becomes a skill with a world to
// test it in.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, open, ready, sees, step } from './browser.mjs';

/** Clicks an element on the picture. */
async function touch(page, text) {
  await (await sees(page, text)).hover();
  const box = await page.locator('#mark').boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

const { page, close } = await open();
await ready(page);

step('the execution grows with each touch');
await page.getByRole('tab', { name: 'Record' }).click();
await page.getByRole('button', { name: 'Record', exact: true }).click();
await page.waitForFunction(() => document.body.classList.contains('recording'));
const actions = page.locator('#recorder .steps li');
await page.getByRole('tab', { name: 'Elements' }).click();
await touch(page, 'Settings');
await sees(page, 'Network & internet');
await touch(page, 'Battery');
await sees(page, 'Battery Saver');
await page.getByRole('tab', { name: 'Record' }).click();
await page.waitForFunction(() => document.querySelectorAll('#recorder .steps li').length >= 2);
const before = await actions.count();
await page.screenshot({ path: 'recording.png' });

step('it is stopped, and shows a form for the skill');
await page.getByRole('button', { name: 'Stop' }).click();
await page.waitForSelector('#skill-id');
assert.ok((await actions.count()) >= before);
assert.equal(await page.inputValue('#skill-id'), 'com.android.settings.');
await accessible(page, 'the recorder');
await page.fill('#skill-id', 'com.android.settings.open-battery');
await page.fill('#skill-summary', '<img src=x onerror=alert(1)>Opens the battery settings.');
await page.getByRole('button', { name: 'Save the skill' }).click();
await page.locator('#recorder h3', { hasText: 'Saved com.android.settings.open-battery' }).waitFor();
const folder = await page.locator('#recorder .result code').first().textContent();
for (const file of ['SKILL.md', 'artifacts/open-battery.recipe.yaml', 'tests/recorded.world.yaml', 'tests/recorded.app.yaml']) {
  assert.ok(existsSync(join(folder, file)), join(folder, file));
}
await page.screenshot({ path: 'skill.png', fullPage: true });
await close();
