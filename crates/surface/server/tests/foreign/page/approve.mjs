// The page of an approval request: every field, every way it ends, and scripts
// in every text that an agent can write.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { PAGE, accessible, open, step } from './browser.mjs';

async function call(path, body) {
  const init = body === undefined ? {} : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(PAGE + path, init);
  return response.json();
}

/** Makes a request: its id, and its page without the address of the server. */
async function make(request) {
  const { id, link, repairs } = await call('approvals', request);
  assert.ok(link, `made: ${JSON.stringify(request)}`);
  return { id, link, hash: link.replace(/^\//, ''), token: link.split('#')[1], repairs };
}

const about = (id) => call(`approvals/${id}`);
const kinds = { text: 'walter', textarea: 'two\nlines', password: 'hunter2', email: 'a@b.example', number: '12.5', date: '2030-12-31', select: 'blue', otp: '123456', 'card-number': '4111 1111 1111 1111', expiry: '12/30', cvc: '123' };
const fields = Object.keys(kinds).map((type) => ({
  id: type, label: `Field ${type}`, type, required: true, helperText: `Help for ${type}`,
  options: type === 'select' ? [{ label: 'Red', value: 'red' }, { label: 'Blue', value: 'blue' }] : undefined,
}));
const everything = {
  capability: 'oauth', instruction: 'Sign in to the shop and choose a colour.\nIt is for the order of today.', origin: 'a test', deviceId: 'phone-1',
  uiTemplate: {
    title: 'Sign in to the shop', summary: 'The agent wants to order bread.', capabilityHint: 'A login and a card.', artifactKind: 'form', fields,
    allowTextAttachment: true, allowLocationAttachment: true, allowPhotoAttachment: true, allowAudioAttachment: true, allowFileAttachment: true,
    approveLabel: 'Order', rejectLabel: 'Do not order', noteLabel: 'A word to the agent', notePlaceholder: 'optional',
    style: { brandColor: '#6a1b9a', backgroundCss: 'linear-gradient(180deg, #e1bee7, #90caf9)', fontFamily: 'Georgia, serif' },
  },
};

step('every field and attachment is taken');
const whole = await make(everything);
const { page, close } = await open({ hash: whole.hash });
await page.getByRole('heading', { name: 'An agent asks you' }).waitFor();
await page.getByText('“Sign in to the shop”').waitFor();
await page.getByText('“Order” to approve, “Do not order” to reject.').waitFor();
await page.waitForFunction(() => document.querySelector('figure img')?.naturalWidth > 0);
assert.ok(!page.url().includes(whole.token), 'the token leaves the address');
await page.screenshot({ path: 'approve-wide.png', fullPage: true });
await accessible(page, 'the approval page');
await page.getByRole('button', { name: 'Approve', exact: true }).click();
assert.equal((await about(whole.id)).state, 'pending', 'required fields hold it back');
for (const [type, value] of Object.entries(kinds)) {
  const field = page.locator(`#field-${type}`);
  if (type === 'select') await field.selectOption(value);
  else await field.fill(value);
}
await page.getByLabel('Text', { exact: true }).fill('a text');
await page.getByLabel('Latitude').fill('47,125');
await page.getByLabel('Longitude').fill('-8.5');
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
for (const [name, bytes] of [['a.png', png], ['a.ogg', Buffer.from('OggS')], ['a.txt', Buffer.from('text')]]) await writeFile(name, bytes);
await page.getByLabel('Photo').setInputFiles('a.png');
await page.getByLabel('Audio').setInputFiles('a.ogg');
await page.getByLabel('File').setInputFiles('a.txt');
await page.getByLabel('A word to the agent').fill('Only once, hunter2!');
await page.screenshot({ path: 'approve-filled.png', fullPage: true });
await page.getByRole('button', { name: 'Approve', exact: true }).click();
await page.getByText('Approved.').waitFor();
await page.screenshot({ path: 'approve-done.png' });
await close();
const known = await about(whole.id);
assert.equal(known.state, 'approved');
assert.deepEqual(known.given.map((given) => given.kind), ['form', 'text', 'geo', 'image', 'audio', 'file']);
assert.deepEqual(known.given[0].fields, Object.keys(kinds));
assert.equal(known.note, 'Only once, [7 letters]!');
assert.ok(!JSON.stringify(known).includes('hunter2'));

step('narrow, light and dark');
const small = await make(everything);
for (const dark of [false, true]) {
  const narrow = await open({ width: 360, height: 740, dark, hash: small.hash });
  await narrow.page.getByRole('heading', { name: 'An agent asks you' }).waitFor();
  await narrow.page.screenshot({ path: `approve-narrow-${dark ? 'dark' : 'light'}.png`, fullPage: true });
  await accessible(narrow.page, `narrow${dark ? ', dark' : ''}`);
  const width = await narrow.page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 360, `the page is ${width} px wide`);
  await narrow.close();
}
const plain = await make({ capability: '2fa', instruction: 'The code that was sent to your phone.' });
const night = await open({ width: 390, height: 844, dark: true, hash: plain.hash });
await night.page.getByRole('button', { name: 'Approve' }).waitFor();
await accessible(night.page, 'a plain request, dark');
await night.page.screenshot({ path: 'approve-plain-dark.png', fullPage: true });

step('reject');
await night.page.getByLabel('Note to the agent').fill('not today');
await night.page.getByRole('button', { name: 'Reject' }).click();
await night.page.getByText('Rejected.').waitFor();
await night.close();
assert.deepEqual([(await about(plain.id)).state, (await about(plain.id)).note], ['rejected', 'not today']);

step('used, wrong, missing and expired links');
for (const [hash, text, picture] of [
  [plain.hash, 'This request was rejected already.', 'used'],
  [small.hash.replace(/#.*/, `#${plain.token}`), 'This link is not valid for this request.', 'wrong'],
  [small.hash.replace(/#.*/, ''), 'This link is not complete', 'missing'],
  [process.env.EXPIRED.replace(/^\//, ''), 'This request has expired.', 'expired'],
]) {
  const ended = await open({ hash });
  await ended.page.getByText(text).waitFor();
  assert.equal(await ended.page.getByRole('button').count(), 0);
  await accessible(ended.page, picture);
  await ended.page.screenshot({ path: `approve-${picture}.png` });
  await ended.close();
}
assert.equal((await about(small.id)).state, 'pending');

step('decided elsewhere');
const elsewhere = await open({ hash: small.hash });
await elsewhere.page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
await call(`approvals/${small.id}/reject`, {});
await elsewhere.page.getByText('This request was rejected already.').waitFor();
await elsewhere.close();

step('a script in a text stays text');
const evil = (where) => `</script><script>top.hacked='${where}'</script><img src=x onerror="top.hacked='${where}'">`;
const attack = await make({
  capability: 'unknown', instruction: evil('instruction'), origin: evil('origin'),
  uiTemplate: {
    title: evil('title'), summary: evil('summary'), capabilityHint: evil('hint'), approveLabel: '<b onclick=alert(1)>Yes</b>', rejectLabel: '<img src=x onerror=alert(1)>',
    noteLabel: '<img src=x onerror=alert(1)>', notePlaceholder: '"><script>alert(1)</script>', fileAccept: '"><script>', templateId: evil('id'),
    allowFileAttachment: true,
    style: { brandColor: 'red;}body{}', backgroundCss: 'url(http://127.0.0.1:9/x)', fontFamily: "x;background:url('//y')" },
    fields: [{ id: 'a', label: evil('label'), type: 'select', placeholder: evil('placeholder'), helperText: evil('help'), autocomplete: '"><script>', options: [{ label: evil('option'), value: evil('value') }] }],
  },
});
const attacked = await open({ hash: attack.hash });
await attacked.page.locator('form').waitFor();
await attacked.page.waitForLoadState('networkidle');
assert.equal(await attacked.page.evaluate(() => window.hacked), undefined);
assert.equal(await attacked.page.locator('img, script:not([src]), iframe, b').count(), 0);
await attacked.page.screenshot({ path: 'approve-attack.png', fullPage: true });
await attacked.close();

step("the agent's own HTML and scripts reach nothing but their channel");
const framed = await make({
  capability: 'unknown', instruction: 'Choose a seat.',
  uiTemplate: {
    middleHtml: `<p>Seats</p><label>Seat <input name="seat"></label><img src="/web/icon.svg" alt=""><form action="/approvals" method="post"></form>`,
    middleCss: 'p { color: #6a1b9a; font-weight: bold }',
    middleScript: `
      window.tried = [];
      const attempt = async (name, act) => { try { await act(); tried.push(name); } catch { } };
      await_all = Promise.all([
        attempt('parent', () => { parent.document.body.textContent = 'hacked'; }),
        attempt('cookie', () => document.cookie.length),
        attempt('storage', () => localStorage.length),
        attempt('fetch', () => fetch('/approvals')),
        attempt('top', () => { top.location.href = 'about:blank'; }),
        attempt('eval', () => eval('1')),
        attempt('window', () => { if (!open('/')) throw 0; }),
      ]);
      await_all.then(() => approval.status('reached ' + (tried.join(',') || 'nothing')));`,
    approveScript: `
      await await_all;
      if (!document.querySelector('[name=seat]').value) return { ok: false, error: 'choose a seat' };
      approval.set('tried', tried.join(',') || 'nothing');`,
    fields: [{ id: 'secret', label: 'Secret', type: 'password' }],
  },
});
const boxed = await open({ hash: framed.hash, expected: /Content Security Policy|sandbox|Blocked|Unsafe attempt|frame/i });
await boxed.page.getByText("The agent's content says: reached nothing").waitFor();
const frame = boxed.page.frameLocator('iframe');
await frame.getByText('Seats').waitFor();
await accessible(boxed.page, 'with content from the agent');
await boxed.page.getByRole('button', { name: 'Approve' }).click();
await boxed.page.getByText("The agent's content says: choose a seat").waitFor();
await frame.getByLabel('Seat').fill('12A');
await boxed.page.screenshot({ path: 'approve-frame.png', fullPage: true });
await boxed.page.getByRole('button', { name: 'Approve' }).click();
await boxed.page.getByText('Approved.').waitFor();
await boxed.page.screenshot({ path: 'approve-frame-done.png' });
await boxed.close();
const seat = await about(framed.id);
assert.deepEqual(seat.given, [{ kind: 'form', fields: ['seat', 'tried'] }]);

step('a changed screen is asked about again');
const bound = await make({ capability: 'sms', instruction: 'The code for the shop.', deviceId: 'phone-1' });
const first = await open({ hash: bound.hash });
await first.page.getByLabel('Text', { exact: true }).fill('4711');
await first.page.getByRole('button', { name: 'Approve' }).click();
await first.page.getByText('If the screen has changed since, you are asked again.').waitFor();
await first.close();
const execution = { commandId: 'c', taskId: 't', source: 'test', timeoutMs: 30000, expectedFormat: 'android-ui-automator', actions: [{ id: 'open', type: 'open_app', params: { applicationId: 'com.clawperator.form' } }] };
await call('execute', { execution });
const { applied, askedAgain } = await call(`approvals/${bound.id}/apply`, {});
assert.deepEqual(applied, []);
const second = await open({ width: 390, height: 844, hash: askedAgain.link.replace(/^\//, '') });
await second.page.getByText('You were asked this before.').waitFor();
await second.page.waitForFunction(() => document.querySelector('figure img')?.naturalWidth > 0);
await second.page.screenshot({ path: 'approve-again.png', fullPage: true });
await second.close();
