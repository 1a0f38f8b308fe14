// The phone in the picture: what is touched, typed and pressed arrives.

import assert from 'node:assert/strict';
import { accessible, open, ready, sees, step } from './browser.mjs';

const { page, close } = await open();
await ready(page);
await page.screenshot({ path: 'wide-light.png' });
await accessible(page, 'the list of elements');

step('a click on an icon of the picture opens its app');
const icon = await sees(page, 'Settings');
await icon.hover();
await page.waitForSelector('#mark:not([hidden])');
const box = await page.locator('#mark').boundingBox();
await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
await sees(page, 'Network');

step('the element under the pointer is shown in the list');
const row = await sees(page, 'Network');
await row.hover();
const at = await page.locator('#mark').boundingBox();
await page.mouse.move(at.x + at.width / 2, at.y + at.height / 2);
await page.waitForSelector('#elements-list li.pointed');

step('a drag scrolls');
await page.screenshot({ path: 'before-drag.png' });
const glass = await page.locator('#picture').boundingBox();
const middle = glass.x + glass.width / 2;
await page.mouse.move(middle, glass.y + glass.height * 0.8);
await page.mouse.down();
await page.mouse.move(middle, glass.y + glass.height * 0.3, { steps: 4 });
await page.mouse.up();
// A quick finger flings the list to its end.
await sees(page, /Location|About phone/);
const { runs } = await page.evaluate(async () => (await fetch('/runs?limit=1')).json());
const journal = await page.evaluate(async (id) => (await fetch(`/journals/${id}`)).text(), runs[0].journal);
assert.ok(journal.includes('drag_to'), journal.slice(0, 2000));

step('a key goes home');
await page.getByRole('button', { name: 'Home', exact: true }).click();
await sees(page, 'Settings');

step('an element is picked on the picture and has selectors');
await page.getByLabel('Pick on the picture').check();
await (await sees(page, 'Settings')).hover();
const settings = await page.locator('#mark').boundingBox();
await page.mouse.click(settings.x + settings.width / 2, settings.y + settings.height / 2);
await page.waitForSelector('.card');
const flags = await page.locator('.card code').first().textContent();
assert.match(flags, /--/);
await page.locator('.card button', { hasText: 'Copy' }).first().click();
assert.equal(await page.evaluate(() => navigator.clipboard.readText()), flags);
await page.screenshot({ path: 'wide-selectors.png' });
await accessible(page, 'the selectors');
await close();

step('narrow and dark');
const small = await open({ width: 360, height: 740, dark: true });
await ready(small.page);
await small.page.screenshot({ path: 'narrow-dark.png', fullPage: true });
await accessible(small.page, 'narrow and dark');
const wide = await small.page.evaluate(() => document.documentElement.scrollWidth);
assert.ok(wide <= 360, `the page is ${wide} px wide`);
await small.close();
