// A browser with the page in it, and what every script checks.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
export const PAGE = process.env.PAGE;

/** Opens the page; collects every request that leaves the origin and every error. */
export async function open({ width = 1280, height = 900, dark = false, hash = '', expected = null } = {}) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  const wrong = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(PAGE) && !url.startsWith(`blob:${PAGE}`)) wrong.push(`a request to ${url}`);
  });
  page.on('pageerror', (error) => wrong.push(`an error: ${error.stack}`));
  page.on('console', (message) => {
    // A refused request is told by the page itself.
    const isExpected = message.text().includes('status of') || expected?.test(message.text());
    if (message.type() === 'error' && !isExpected) wrong.push(message.text());
  });
  page.setDefaultTimeout(60_000);
  await page.goto(PAGE + hash);
  const close = async () => {
    await browser.close();
    assert.deepEqual(wrong, []);
  };
  return { page, context, close };
}

/** Waits until the picture and the elements of the phone are there. */
export async function ready(page) {
  await page.waitForSelector('#picture:not([hidden])');
  await page.waitForSelector('#elements-list li');
}

/** Waits until the list has an element with that text. */
export async function sees(page, text) {
  const item = page.locator('#elements-list li', { hasText: text }).first();
  await item.waitFor();
  return item;
}

/** No rule of axe that matters is broken. */
export async function accessible(page, what) {
  if (!(await page.evaluate(() => 'axe' in window))) {
    // Evaluated, not added as a script: the page's policy forbids that.
    const { readFile } = await import('node:fs/promises');
    await page.evaluate(await readFile(axe, 'utf8'));
  }
  const { violations } = await page.evaluate(() => window.axe.run());
  const found = violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map((node) => node.html).join(' ')}`);
  for (const each of found) console.log(`axe, ${what}: ${each}`);
  assert.deepEqual(found, [], what);
}

export const step = (text) => console.log(`  ${text}`);
