// SPDX-License-Identifier: LGPL-2.1-or-later

// What to change: the first lines are those of mprof advise.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { mprof, scratch } from './browser.mjs';
import { ProfileEncoder } from './encode_profile.mjs';

const texts = (page) => page.page.evaluate(() =>
  [...document.querySelectorAll('.advice li')].map((li) => li.textContent));

const cons = { category: 'cons', type: 'CONS' };

export async function testAdvice(tests, browser) {
  const p = new ProfileEncoder();
  const parse = ['FORMAT', 'SI::TOKENIZE-CONTROL-STRING'];
  p.allocate(['A::MAIN', 'A::PRINT', ...parse], 60, 960, cons);
  p.allocate(['A::MAIN', ...parse], 20, 320, cons);
  p.allocate(['A::MAIN', 'A::WALK'], 20, 320, cons);
  const data = scratch(browser.folder, 'advice.data', p);
  const page = await browser.open('advice', data);
  tests.equal(await texts(page), [
    'Saves 60.0 %, 960 bytes: A::PRINT calls FORMAT, which parses the ' +
      'control string each time',
    'Saves 20.0 %, 320 bytes: A::MAIN calls FORMAT, which parses the ' +
      'control string each time'], 'what to change, what saves most first');
  await page.follow('.advice a:text-is("A::PRINT")');
  await page.settle();
  tests.check(/#\/function\/\d+$/.test(page.page.url()),
    'it leads to the function', page.page.url());
  const [all] = JSON.parse(mprof('export', '--format=json', data)).advice;
  tests.equal(await page.page.evaluate(() =>
    [...document.querySelectorAll('.advice p')].map((p) => p.textContent)),
  ['60 objects, 960 bytes, mostly for A::MAIN', all.remedy, all.example,
    `Not known: ${all.unknown}.`], 'whose page has all of it');
  await page.close();

  const rules = join(browser.folder, 'rules');
  writeFileSync(rules, 'rule: own\ncalled: FORMAT\nfault: calls FORMAT\n' +
    'remedy: Do not.\n');
  const own = await browser.open('rules', data, [`--rules=${rules}`]);
  tests.equal(await texts(own), [
    'Saves up to 60.0 %, 960 bytes: A::PRINT calls FORMAT',
    'Saves up to 20.0 %, 320 bytes: A::MAIN calls FORMAT'],
  'rules of the user come first');
  await own.close();

  const none = new ProfileEncoder();
  none.allocate(['A::MAIN'], 1, 16, cons);
  const other = await browser.open('no-advice',
    scratch(browser.folder, 'no-advice.data', none));
  tests.equal(await other.page.evaluate(() =>
    document.querySelectorAll('.advice').length), 0,
  'nothing where no rule finds anything');
  tests.equal(other.faults, [], 'advice: no request, nothing said');
  await other.close();
}
