// An execution is run, its steps are seen, a selector is picked and used, and
// the report is there.

import assert from 'node:assert/strict';
import { PAGE, accessible, open, ready, sees, step } from './browser.mjs';

const { page, context, close } = await open({ dark: true });
await ready(page);

step('the execution in the editor runs, and its steps are seen');
await page.getByRole('tab', { name: 'Run', exact: true }).click();
const run = page.getByRole('button', { name: 'Run', exact: true });
await run.click();
await page.getByText('The execution succeeded.').waitFor();
await page.waitForFunction(() => document.querySelectorAll('#runs .steps li.done').length === 2);
await page.screenshot({ path: 'run-dark.png' });
await accessible(page, 'the run');

step('a selector that is picked works in an execution');
await page.getByRole('tab', { name: 'Elements' }).click();
await (await sees(page, 'Battery')).click();
await page.getByRole('button', { name: 'Use in an execution' }).first().click();
const text = await page.inputValue('#execution');
const execution = JSON.parse(text);
const added = execution.actions.at(-1);
assert.equal(added.type, 'click');
await run.click();
await page.waitForFunction(() => document.querySelectorAll('#runs .steps li.done').length === 3);
await page.getByRole('tab', { name: 'Elements' }).click();
await sees(page, 'Battery Saver');

step('a failure says what failed');
await page.getByRole('tab', { name: 'Run', exact: true }).click();
await page.fill('#execution', JSON.stringify({ ...execution, actions: [{ id: 'a', type: 'read_text', params: { matcher: { textEquals: '<b>none</b>' }, retry: { maxAttempts: 1 } } }] }));
await run.click();
await page.waitForSelector('#status.bad');
await page.waitForSelector('#runs .steps li.failed');
await page.screenshot({ path: 'run-failed.png' });

step('a payload that is wrong is refused with what to do');
await page.fill('#execution', '{"actions": [}');
await run.click();
await page.locator('#status', { hasText: 'no JSON' }).waitFor();

step('a long run is cancelled');
await page.fill('#execution', JSON.stringify({ ...execution, commandId: 'long', actions: [{ id: 'wait', type: 'sleep', params: { durationMs: 20000 } }] }));
await run.click();
await page.waitForSelector('#runs .steps li.running');
await page.getByRole('button', { name: 'Cancel' }).click();
await page.locator('#status.bad', { hasText: 'interrupted' }).waitFor();
await page.waitForSelector('#runs .steps li.interrupted');

step('the history has the runs, and each its report');
await page.getByRole('tab', { name: 'History' }).click();
const link = page.locator('#history tbody tr', { hasText: 'long' }).getByRole('link', { name: 'Report' });
await link.waitFor();
await accessible(page, 'the history');
await page.screenshot({ path: 'history-dark.png' });
const [report] = await Promise.all([context.waitForEvent('page'), link.click()]);
await report.waitForLoadState();
assert.ok(report.url().startsWith(PAGE), report.url());
await report.getByText('long').first().waitFor();
await report.screenshot({ path: 'report.png' });
await close();
