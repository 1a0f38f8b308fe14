// From the link to a phone that can be touched; the token; and strings that
// would be scripts if the page let them.

import assert from 'node:assert/strict';
import { PAGE, accessible, open, ready, sees, step } from './browser.mjs';

const TOKEN = process.env.TOKEN;

step('without the token there is a form for it');
const stranger = await open();
await stranger.page.getByLabel('Token').waitFor();
await accessible(stranger.page, 'the form for the token');
await stranger.page.screenshot({ path: 'token.png' });
await stranger.page.getByLabel('Token').fill('not-the-token-at-all');
await stranger.page.getByRole('button', { name: 'Sign in' }).click();
await stranger.page.getByText("That token is not the server's.").waitFor();
await stranger.page.getByLabel('Token').fill(TOKEN);
await stranger.page.getByRole('button', { name: 'Sign in' }).click();
await stranger.page.getByRole('button', { name: 'Start the phone in the box' }).waitFor();
await accessible(stranger.page, 'the start page');
await stranger.close();

step('one key leads from the link to a phone');
const began = Date.now();
const { page, context, close } = await open({ hash: `#token=${TOKEN}` });
const start = page.getByRole('button', { name: 'Start the phone in the box' });
await start.waitFor();
await page.screenshot({ path: 'start.png' });
assert.equal(page.url(), PAGE);
// It has the focus: Enter is enough.
await page.keyboard.press('Enter');
await ready(page);
const took = Date.now() - began;
console.log(`  a phone ${took} ms after the browser was started`);
assert.ok(took < 10_000, `${took} ms from the link to a phone`);

step('the token is nowhere that a script could read it');
const known = await page.evaluate(() => [document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage), location.href].join());
assert.ok(!known.includes(TOKEN), known);
const [cookie] = await context.cookies();
assert.ok(cookie.httpOnly && cookie.sameSite === 'Strict' && !cookie.value.includes(TOKEN));

step('a script in a string stays text');
const evil = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
await (await sees(page, 'Settings')).click();
await page.locator('#tap').click();
await (await sees(page, 'Search settings')).click();
await page.locator('#tap').click();
await sees(page, 'editable');
await page.getByLabel('Text for the focused field').fill(evil);
await page.getByRole('button', { name: 'Type', exact: true }).click();
const row = await sees(page, evil);
await row.click();
await page.locator('#details h3', { hasText: evil }).waitFor();
await page.locator('.card').first().waitFor();
await page.screenshot({ path: 'text.png' });
assert.equal(await page.evaluate(() => window.hacked), undefined);
assert.equal(await page.locator('#panel img, #panel script').count(), 0);
await close();
