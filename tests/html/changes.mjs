// SPDX-License-Identifier: LGPL-2.1-or-later

// How a page of two profiles, by --base, shows what changed:
//
//   old   MAIN ── PARSE ── READ   200 conses, 3,200 bytes, 10 calls
//           └──── GONE             50 strings, 4,800 bytes
//         MAIN itself              10 floats,   160 bytes
//   new   MAIN ── PARSE ── READ   300 conses, 4,800 bytes, 12 calls
//           └──── FRESH             5 strings,   500 bytes
//         MAIN itself              10 floats,   160 bytes

import { scratch } from './browser.mjs';
import { ProfileEncoder } from './encode_profile.mjs';

const cons = { category: 'cons', type: 'CONS' };
const string = { category: 'struct', type: 'STRING' };
const float = { category: 'float', type: 'DOUBLE-FLOAT' };

function known(reads, calls, other, count, bytes) {
  const p = new ProfileEncoder();
  p.allocate(['A::MAIN', 'A::PARSE', 'A::READ'], reads, 16 * reads, cons);
  p.allocate(['A::MAIN', other], count, bytes, string);
  p.allocate(['A::MAIN'], 10, 160, float);
  p.activate(['A::MAIN'], 1);
  p.activate(['A::MAIN', 'A::PARSE', 'A::READ'], calls);
  return p;
}

// The head names both files and has the figures of both; and tables with
// numbers of nine digits are in their frames.
async function head(tests, browser) {
  const [old, now] = ['A::GONE', 'A::FRESH'].map((other, i) =>
    scratch(browser.folder, `head-${i}.data`, known(4000000 - 1000000 * i,
      12345678, other, 1234567, 123456789 * (i + 1))));
  const page = await browser.open('head', now, [`--base=${old}`],
    { viewport: { width: 1400, height: 900 } });
  tests.equal([await page.page.title(), await page.text('#title')],
    Array(2).fill(`Allocation profile: ${now} compared with ${old}`),
    'changes: the title names both profiles');
  tests.equal(await page.page.evaluate(() =>
    [...document.querySelectorAll('#facts span')].map((s) => s.textContent)),
  ['187,456,949 → 294,913,738 bytes', '5,234,577 → 4,234,577 allocations',
    '4 → 4 functions', '3 → 3 contexts'],
  'changes: the head has the figures of both');
  await fitting(tests, page, 'changes');
  await page.close();
}

async function fitting(tests, page, name) {
  const cut = [];
  for (const view of ['functions', 'function/0', 'function/1', 'types',
    'type/0', 'contexts']) {
    await page.go(`#/${view}`);
    cut.push(...await page.page.evaluate((its) =>
      [...document.querySelectorAll('.scroll')].flatMap((frame) =>
        (frame.scrollWidth > frame.clientWidth ? [[its, frame.scrollWidth]]
          : [])), view));
  }
  tests.equal(cut, [], `${name}: no table is cut at 1,400 pixels`);
}

// The page of one profile; tables that are wider than a window have names in
// view, however far they are scrolled.
async function wide(tests, browser) {
  const data = scratch(browser.folder, 'wide.data', known(2000000, 12345678,
    'A::A-FUNCTION-WITH-A-LONG-NAME', 1234567, 123456789));
  const page = await browser.open('wide', data, [],
    { viewport: { width: 1400, height: 900 } });
  await fitting(tests, page, 'one profile');
  await page.page.setViewportSize({ width: 700, height: 844 });
  await page.go('#/functions');
  tests.equal(await page.page.evaluate(() => {
    const frame = document.querySelector('.functions .scroll');
    frame.scrollLeft = frame.scrollWidth;
    const left = (its) => its.getBoundingClientRect().left;
    return [left(frame.querySelector('td')) - left(frame),
      frame.scrollLeft > 0];
  }), [0, true], 'a wide table scrolls in its frame, and names stay');
  await page.close();
}

async function knownFigures(tests, browser) {
  const old = scratch(browser.folder, 'old.data',
    known(200, 10, 'A::GONE', 50, 4800));
  const now = scratch(browser.folder, 'new.data',
    known(300, 12, 'A::FRESH', 5, 500));
  const page = await browser.open('known-changes', now, [`--base=${old}`]);
  const frames = async () => (await page.frames()).map((f) =>
    [f.row, f.title.split('\n')[0], Math.round(f.share * 10260)]);
  tests.equal(await frames(), [
    [0, 'all: bytes 8,160 before, 5,460 after, -2,700 (-33.0 %)', 10260],
    [1, 'A::MAIN: bytes 8,160 before, 5,460 after, -2,700 (-33.0 %)', 10260],
    [2, 'A::PARSE: bytes 3,200 before, 4,800 after, +1,600 (+50.0 %)', 4800],
    [2, 'A::GONE: bytes 4,800 before, 0 after, -4,800 (-100 %)', 4800],
    [2, 'A::FRESH: bytes 0 before, 500 after, +500', 500],
    [3, 'A::READ: bytes 3,200 before, 4,800 after, +1,600 (+50.0 %)', 4800],
  ], 'changes: frames are as wide as the larger of both');
  tests.equal(await page.page.evaluate(() => [...document
    .querySelectorAll('.frame')].map((f) => f.classList[1])),
  ['plain', 'shrank', 'grew', 'shrank', 'grew', 'grew'],
  'changes: their colours');
  await page.tick('invert', true);
  tests.equal((await page.frames()).filter((f) => f.row === 1).map((f) =>
    f.title.split('\n')[0]).sort(), [
    'A::FRESH: bytes 0 before, 500 after, +500',
    'A::GONE: bytes 4,800 before, 0 after, -4,800 (-100 %)',
    'A::MAIN: bytes 160 before, 160 after, 0',
    'A::READ: bytes 3,200 before, 4,800 after, +1,600 (+50.0 %)'],
  'changes: inverted');
  await page.tick('invert', false);
  tests.equal(await page.page.evaluate(() =>
    [...document.querySelectorAll('.bars')].map((list) =>
      [...list.children].map((li) => li.innerText.split('\n').join(' ')))),
  [['A::READ +1,600', 'A::FRESH +500'], ['A::GONE -4,800'],
    ['STRING -4,300', 'CONS +1,600']], 'changes: what changed most');
  await page.clickFrame('A::PARSE');
  tests.equal(await page.text('.details'), 'A::PARSEbytes 3,200 before, ' +
    '4,800 after, +1,600 (+50.0 %)self bytes 0 before, 0 after, 0A',
  'changes: the line of details');
  tests.equal((await page.frames()).find((f) => f.title.startsWith('A::READ'))
    .title.split('\n').slice(1), ['self bytes 3,200 before, 4,800 after, ' +
    '+1,600 (+50.0 %)', 'calls here 10 before, 12 after, +2 (+20.0 %)'],
  'changes: what a frame itself has, and its calls');
  await page.go('#/contexts');
  tests.equal(await page.page.evaluate(() =>
    [...document.querySelectorAll('.contexts tr td:nth-child(3) span')].map(
      (span) => [span.textContent, span.className,
        span.style.getPropertyValue('--part')])),
  [[-4800, 'shrank'], [1600, 'grew'], [500, 'grew'], [0, 'same']].map(
    ([by, side]) => [`${by > 0 ? '+' : ''}${by.toLocaleString('en-US')}`,
      `change ${side}`, `${20 + (80 * Math.abs(by)) / 8160}%`]),
  'changes: the colour says the sign, too, and the share in the larger whole');
  await page.close();
}

export async function testChanges(tests, browser) {
  await head(tests, browser);
  await wide(tests, browser);
  await knownFigures(tests, browser);
}
