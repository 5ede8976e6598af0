// SPDX-License-Identifier: LGPL-2.1-or-later

// Profiles with many contexts, and with deep ones, open and can be used.

import { mprof, scratch } from './browser.mjs';
import { ProfileEncoder, program } from './encode_profile.mjs';

async function manyContexts(tests, browser) {
  const data = scratch(browser.folder, 'large.data',
    program(2000, 30000, 24, 3));
  const page = await browser.open('large', data);
  const frames = await page.frames();
  tests.check(frames.length > 100 && frames.length <= 4020,
    'as many frames are drawn as can be seen', frames.length);
  const widest = frames.filter((f) => f.row === 3)
    .sort((a, b) => b.share - a.share)[0];
  await page.clickFrame(widest.name);
  const same = (await page.frames()).find((f) => f.row === 3);
  tests.check(same.name === widest.name && same.share > 0.999 &&
    same.title === widest.title, 'zooming shows the frame in full width',
  JSON.stringify(same));
  await page.go('#/');
  await page.tick('invert', true);
  await page.search('PARSER::F[0-9]*1$');
  tests.check(/^[\d,]+ matches, .* %$/.test(
    await page.text('#found')), 'the search has a share');
  await page.search('');
  await page.go('#/contexts');
  tests.equal(await page.page.evaluate(() =>
    document.querySelectorAll('.contexts tbody tr').length), 100,
  'of 30,000 contexts a table shows the first 100');
  tests.equal(page.faults, [], '30,000 contexts: no request, nothing said');
  await page.close();
}

// One chain of 20,000 functions.
async function deepChain(tests, browser) {
  const profile = new ProfileEncoder();
  const chain = Array.from({ length: 20000 }, (_, i) => `APP::F${i}`);
  profile.allocate(chain, 3, 48, { category: 'cons', type: 'CONS' });
  profile.allocate(chain.slice(0, 10000), 1, 16,
    { category: 'cons', type: 'CONS' });
  const data = scratch(browser.folder, 'deep.data', profile);
  const page = await browser.open('deep', data);
  tests.equal((await page.frames()).length, 151,
    '20,000 calls deep: the first 150 rows show');
  await page.clickFrame('APP::F149');
  const frames = await page.frames();
  tests.check(frames.some((f) => f.name === 'APP::F299') &&
    frames.some((f) => f.name === 'all'), 'zooming goes on from there');
  const ids = new Map(JSON.parse(mprof('export', '--format=json', data))
    .functions.map(({ name }, id) => [name, id]));
  await page.go(`#/zoom/${chain.map((name) => ids.get(name)).join('.')}`);
  tests.check((await page.text('.details')).startsWith('APP::F19999'),
    'down to the last', await page.text('.details'));
  await page.go('#/');
  await page.tick('invert', true);
  tests.check((await page.frames())[1].name === 'APP::F19999',
    'and up from there');
  tests.equal(page.faults, [], '20,000 calls deep: nothing said');
  await page.close();
}

export async function testLargeProfiles(tests, browser) {
  await manyContexts(tests, browser);
  await deepChain(tests, browser);
}
