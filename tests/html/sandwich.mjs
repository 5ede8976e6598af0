// SPDX-License-Identifier: LGPL-2.1-or-later

// The graph on the page of a function: its callers above, its callees below.

import { scratch } from './browser.mjs';
import { ProfileEncoder } from './encode_profile.mjs';

// A click goes to the graph of the frame, and so does Enter; arrows move.
async function moves(tests, browser, data) {
  const page = await browser.open('sandwich', data);
  const where = () => page.text('.function-page h1');
  await page.go('#/functions');
  await page.follow('.functions a:text-is("B::WALK")');
  tests.equal((await page.sandwich()).sort((a, b) => a[0] - b[0] || b[2] - a[2]), [
    [-2, 'A::MAIN', 500], [-1, 'A::MAIN', 4000], [-1, 'B::OTHER', 500],
    [0, 'B::WALK', 4600], [1, 'B::LEAF', 3000], [1, 'B::WALK', 100],
    [2, 'B::WALK', 3000]], 'sandwich: the outermost call on a chain counts');
  await page.page.click('.sandwich .frame:text-is("OTHER")');
  tests.equal(await where(), 'B::OTHER', 'sandwich: a click goes to a caller');
  await page.page.focus('.flame');
  const line = () => page.text('.sandwich .details a');
  const seen = [];
  for (const key of ['Up', 'Down', 'Down', 'Up', 'Up']) {
    await page.page.keyboard.press(`Arrow${key}`);
    seen.push(await line());
  }
  tests.equal(seen, ['A::MAIN', 'B::OTHER', 'B::WALK', 'B::OTHER', 'A::MAIN'],
    'sandwich: arrows go up to callers and down to callees');
  await page.page.keyboard.press('Enter');
  tests.equal(await where(), 'A::MAIN', 'sandwich: Enter opens one');
  await page.close();
}

export async function testSandwich(tests, browser) {
  const p = new ProfileEncoder();
  const cons = { category: 'cons', type: 'CONS' };
  const [main, walk] = ['A::MAIN', 'B::WALK'];
  p.allocate([main, walk], 10, 1000, cons);
  p.allocate([main, walk, 'B::LEAF', walk], 30, 3000, cons);
  p.allocate([main, 'B::OTHER', walk], 5, 500, cons);
  p.allocate([walk, walk], 1, 100, cons);
  const data = scratch(browser.folder, 'sandwich.data', p);
  await moves(tests, browser, data);
}
