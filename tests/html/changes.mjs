// SPDX-License-Identifier: LGPL-2.1-or-later

// Two profiles in one page, by --base: each figure is that of one of them, as
// the command exports it, under the same choices; and known by hand:
//
//   old   MAIN ── PARSE ── READ   200 conses, 3,200 bytes, 10 calls
//           └──── GONE             50 strings, 4,800 bytes
//         MAIN itself              10 floats,   160 bytes
//   new   MAIN ── PARSE ── READ   300 conses, 4,800 bytes, 12 calls
//           └──── FRESH             5 strings,   500 bytes
//         MAIN itself              10 floats,   160 bytes

import { mprof, scratch } from './browser.mjs';
import { GOLDEN, byName, exported } from './compare.mjs';
import { ProfileEncoder, program } from './encode_profile.mjs';
import { checkSums } from './sums.mjs';

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

// Rows of both exports by what KEYOF gives, a list: its values of KEYS, the
// old one, the new one and the difference of each.
function both(old, now, keyOf, keys) {
  const found = new Map();
  for (const [side, rows] of [old, now].entries())
    for (const row of rows) {
      const name = keyOf(row);
      const at = name.join('\n');
      if (!found.has(at)) found.set(at, { name, sides: [{}, {}] });
      found.get(at).sides[side] = row;
    }
  return [...found.values()].map(({ name, sides: [before, after] }) =>
    [...name, ...keys.flatMap((key) => {
      const [a, b] = [before, after].map((row) =>
        row[key] === undefined ? 0 : row[key] ?? '');
      return [a, b, a === '' || b === '' ? '' : b - a];
    })]).sort(byName);
}

const three = (row, label) => ['before', 'after', 'change']
  .map((when) => row[`${label} ${when}`])
  .map((text) => typeof text === 'string' && text !== ''
    ? Number(text.replaceAll(',', '')) : text);

// What of two C programs was never freed, and sizes.
async function ofC(tests, browser) {
  const [old, now] = ['widgets-c', 'regions'].map((name) =>
    `${GOLDEN}/${name}.data`);
  const page = await browser.open('changes-c', now, [`--base=${old}`]);
  const exports = [old, now].map((file) => exported(file));
  await page.page.click('label:has(#measure-kept)');
  await page.go('#/functions');
  tests.equal((await page.rows('.functions')).map((r) => [r.function,
    ...three(r, 'self kept bytes')]).sort(byName),
  both(...exports.map((e) => e.functions.filter((f) =>
    f['inclusive-kept-bytes'] > 0)), (f) => [f.name],
  ['self-kept-bytes']), 'changes of a C program: kept bytes');
  await page.page.click('label:has(#measure-bytes)');
  await page.go('#/types');
  const size = (text) => String(text);
  tests.equal((await page.rows('.sizes')).map((r) => [size(r.size),
    ...three(r, 'bytes')]).sort(byName),
  both(...exports.map((e) => e.bins), (b) => [size(b.size)], ['bytes']),
  'changes of a C program: sizes');
  await checkSums(tests, page, 'changes of a C program: the sums are the reducer\'s');
  await page.close();
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
  await page.page.setViewportSize({ width: 390, height: 844 });
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
  const random = [5, 6].map((seed) => scratch(browser.folder,
    `changes-${seed}.data`, program(40 + 10 * seed, 300, 12, seed)));
  const sums = await browser.open('changes', random[1],
    [`--base=${random[0]}`]);
  await checkSums(tests, sums, "changes: sums over the chains are the reducer's");
  await sums.close();
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
  await page.page.selectOption('#width', 'after');
  await page.settle();
  tests.equal((await page.frames()).map((f) => [f.name.split(':').pop(),
    Math.round(f.share * 5460)]), [['all', 5460], ['MAIN', 5460],
    ['PARSE', 4800], ['FRESH', 500], ['READ', 4800]],
  'changes: as wide as after');
  await page.page.selectOption('#width', 'before');
  await page.settle();
  tests.equal((await page.frames()).map((f) => [f.name.split(':').pop(),
    Math.round(f.share * 8160)]), [['all', 8160], ['MAIN', 8160],
    ['GONE', 4800], ['PARSE', 3200], ['READ', 3200]],
  'changes: as wide as before');
  await page.page.selectOption('#width', '');
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
  const bytes = (r) => three(r, 'bytes');
  const functions = async () => (await page.rows('.functions')).map((r) =>
    [r.function, ...['self bytes', 'inclusive bytes', 'calls'].flatMap(
      (label) => three(r, label))]).sort(byName);
  const read = ['A::READ', 3200, 4800, 1600, 3200, 4800, 1600, 10, 12, 2];
  const parse = ['A::PARSE', 0, 0, 0, 3200, 4800, 1600, 0, 0, 0];
  await page.go('#/functions');
  tests.equal(await functions(), [
    ['A::FRESH', 0, 500, 500, 0, 500, 500, 0, 0, 0],
    ['A::GONE', 4800, 0, -4800, 4800, 0, -4800, 0, 0, 0],
    ['A::MAIN', 160, 160, 0, 8160, 5460, -2700, 1, 1, 0], parse, read],
  'changes: functions');
  await page.follow('.functions tbody tr:has(a:text-is("A::MAIN")) a');
  tests.equal((await page.rows('.callees')).map((r) => [r.callee, ...bytes(r)])
    .sort(byName), [['A::FRESH', 0, 500, 500], ['A::GONE', 4800, 0, -4800],
    ['A::PARSE', 3200, 4800, 1600]], 'changes: arcs');
  await page.go('#/types');
  tests.equal((await page.rows('.types')).map((r) => [r.class, r.category,
    ...bytes(r)]).sort(byName), [['CONS', 'cons', 3200, 4800, 1600],
    ['DOUBLE-FLOAT', 'float', 160, 160, 0],
    ['STRING', 'struct', 4800, 500, -4300]], 'changes: types');
  await page.open('#/functions?focus=PARSE');
  tests.equal(await functions(), [
    ['A::MAIN', 0, 0, 0, 3200, 4800, 1600, 1, 1, 0], parse, read],
  'changes: functions of a part');
  await page.open('#/functions');
  await page.go('#/contexts');
  tests.equal((await page.rows('.contexts')).map((r) => [r['chain of calls'],
    ...three(r, 'bytes')]), [
    ['A::MAIN › A::GONE', 4800, 0, -4800],
    ['A::MAIN › A::PARSE › A::READ', 3200, 4800, 1600],
    ['A::MAIN › A::FRESH', 0, 500, 500], ['A::MAIN', 160, 160, 0]],
  'changes: contexts, by how much they changed');
  tests.equal(await page.page.evaluate(() =>
    [...document.querySelectorAll('.contexts tr td:nth-child(3) span')].map(
      (span) => [span.textContent, span.className,
        span.style.getPropertyValue('--part')])),
  [[-4800, 'shrank'], [1600, 'grew'], [500, 'grew'], [0, 'same']].map(
    ([by, side]) => [`${by > 0 ? '+' : ''}${by.toLocaleString('en-US')}`,
      `change ${side}`, `${20 + (80 * Math.abs(by)) / 8160}%`]),
  'changes: the colour says the sign, too, and the share in the larger whole');
  const diff = mprof('diff', '--tables=contexts', '--verbose', '--no-legend',
    old, now);
  tests.check(['-4800', '+1600', '+500'].every((n) => diff.includes(n)),
    'changes: as mprof diff has them', diff);
  await page.close();
}

export async function testChanges(tests, browser) {
  await head(tests, browser);
  await wide(tests, browser);
  await knownFigures(tests, browser);
  await ofC(tests, browser);
}
