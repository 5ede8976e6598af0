// SPDX-License-Identifier: LGPL-2.1-or-later

// The graph on the page of a function: its callers above, its callees below.  Its
// figures are sums over the chains of the command's form folded, in which the
// outermost call of the function counts.

import { scratch } from './browser.mjs';
import { GOLDEN, byName, contextsOfExport } from './compare.mjs';
import { ProfileEncoder, program } from './encode_profile.mjs';

// The frames as [row from the function, down from it, name, bytes], of at most
// ROWS in either direction.
const graph = (page, rows) => page.page.evaluate((most) => {
  const frames = [...document.querySelectorAll('.sandwich .frame')];
  const top = (made) => parseFloat(made.style.top) / 20;
  const middle = top(document.querySelector('.sandwich .chosen'));
  return frames.map((made) => {
    const [, name, bytes] = /^(.*): ([\d,]+) bytes/.exec(made.title);
    return [top(made) - middle, name, Number(bytes.replaceAll(',', ''))];
  }).filter(([row]) => Math.abs(row) <= most);
}, rows);

// The same from CHAINS: [functions, bytes].
function expected(chains, name, rows) {
  const sums = new Map();
  for (const [chain, bytes] of chains) {
    const at = chain.indexOf(name);
    if (at < 0 || bytes === 0) continue;
    for (let i = Math.max(0, at - rows); i < chain.length && i <= at + rows; i++) {
      const way = chain.slice(Math.min(i, at), Math.max(i, at) + 1);
      const key = JSON.stringify([i - at, way]);
      const sum = sums.get(key) ?? [i - at, chain[i], 0];
      sum[2] += bytes;
      sums.set(key, sum);
    }
  }
  return [...sums.values()].sort(byName);
}

async function compare(tests, browser, data, rows, ...options) {
  const page = await browser.open('sandwich', data);
  const chains = contextsOfExport(data, ...options).map(([chain, bytes]) =>
    [chain.split(' › '), bytes]);
  await page.open(`#/functions?${options.map((o) => o.slice(2)).join('&')}`);
  const functions = await page.rows('.functions');
  const links = await page.page.evaluate(() =>
    [...document.querySelectorAll('.functions tbody a')].map((a) =>
      [a.textContent, a.getAttribute('href').split('?')[0]]));
  const wrong = [];
  for (const [i, [name, href]] of links.entries()) {
    await page.go(href);
    const found = (await graph(page, rows)).sort(byName);
    const inclusive = found.find(([row]) => row === 0)?.[2] ?? 0;
    if (JSON.stringify(found) !== JSON.stringify(expected(chains, name, rows)) ||
        inclusive !== functions[i]['inclusive bytes']) wrong.push(name);
  }
  tests.check(links.length > 2, 'sandwich: there are functions', links.length);
  tests.equal(wrong, [], `sandwich: sums over ${data.split('/').pop()} ${
    options.join(' ')}`);
  tests.equal(page.faults, [], 'sandwich: no request, nothing said');
  await page.close();
}

// A click goes to the graph of the frame, and so does Enter; arrows move.
async function moves(tests, browser, data) {
  const page = await browser.open('sandwich', data);
  const where = () => page.text('.function-page h1');
  await page.go('#/functions');
  await page.follow('.functions a:text-is("B::WALK")');
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
  await compare(tests, browser, data, Infinity);
  await moves(tests, browser, data);
  await compare(tests, browser, `${GOLDEN}/two-cycles.data`, Infinity);
  const random = scratch(browser.folder, 'sandwich-random.data',
    program(40, 300, 12, 7));
  await compare(tests, browser, random, 1);
  await compare(tests, browser, random, 1, '--focus=PARSER', '--hide=^LIB');
}
