// SPDX-License-Identifier: LGPL-2.1-or-later

// Leaks, holders, and named regions, beside their figures, which same.mjs has.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mprof, scratch } from './browser.mjs';
import { ProfileEncoder } from './encode_profile.mjs';
import { MADE } from './made.mjs';
import { report, share } from './shares.mjs';

const { GOLDEN } = process.env;

// What a C program kept: some of it lost, some of that through another object,
// some still reachable, and some that a suppression names.
//
//   main ── leak       10 objects, 1,000 bytes: 4 lost, 400 bytes, and 1 with
//     │                these, 100 bytes; the others freed
//     ├──── cache       2 objects,   200 bytes, still reachable
//     └──── setlocale   3 objects,    96 bytes, suppressed; 1 lost, 32 bytes
async function leaks(tests, browser) {
  const p = new ProfileEncoder(['mprof.version=1', 'mprof.language=c'],
    [['inuse_objects', 'count'], ['inuse_space', 'bytes'],
      ['lost_objects', 'count'], ['lost_space', 'bytes'],
      ['indirectly_lost_objects', 'count'],
      ['indirectly_lost_space', 'bytes']]);
  p.allocate(['main', { name: 'leak', file: 'a.c', line: 7, start: 7 }], 10, 1000, {},
    [5, 500, 4, 400, 1, 100]);
  p.allocate(['main', 'cache'], 2, 200, {}, [2, 200, 0, 0, 0, 0]);
  p.allocate(['main', 'setlocale'], 3, 96, {}, [3, 96, 1, 32, 0, 0]);
  const data = scratch(browser.folder, 'leaks.data', p);
  const file = join(browser.folder, 'suppressions');
  writeFileSync(file, 'leak:setlocale\n');
  const suppress = `--suppressions=${file}`;
  // bytes lost directly: after all that is lost, its share and its objects
  const table = (...options) => /^.*<TOTAL>$/m.exec(mprof('report',
    '--tables=leaks', '--no-legend', ...options, data))[0].trim()
    .split(/ +/)[3];
  const totals = async (name, options, wanted, head) => {
    const page = await browser.open('leaks', data, options);
    const found = [];
    for (const word of ['kept', 'kept-allocs', 'lost', 'lost-allocs']) {
      await page.page.click(`label:has(#measure-${word})`);
      found.push(Number(/^all: ([\d,]+)/.exec((await page.frames())[0].title)[1]
        .replaceAll(',', '')));
    }
    tests.equal([...found, table(...options)], [...wanted, String(wanted[2])],
      `leaks: ${name}, as in the leak table`);
    tests.equal(await page.page.evaluate(() =>
      [...document.querySelectorAll('#facts span')].slice(2, -3).map((s) =>
        s.textContent)), head, `leaks: the head, ${name}`);
    tests.equal(page.faults, [], 'leaks: no request, nothing said');
    await page.close();
  };
  await totals('nothing that is suppressed', [suppress], [700, 7, 400, 4],
    ['700 bytes kept', '400 bytes lost directly',
      '100 bytes lost indirectly', '96 bytes suppressed']);
  await totals('with --suppressions=none', [suppress, '--suppressions=none'],
    [796, 10, 432, 5], ['796 bytes kept', '432 bytes lost directly',
      '100 bytes lost indirectly']);
  await leakTable(tests, browser, 'lost', data, suppress);
  await leakTable(tests, browser, 'all lost', data, suppress,
    '--suppressions=none');
  for (const kept of ['widgets-c', 'regions'])
    await leakTable(tests, browser, kept, `${GOLDEN}/${kept}.data`);
  const page = await browser.open('lost', data, [suppress, '--value=lost']);
  tests.equal((await page.frames()).map((f) => f.title.split('\n')[0]),
    ['all: 400 bytes lost directly, 100 %', 'main: 400 bytes lost directly, 100 %',
      'leak: 400 bytes lost directly, 100 %'], 'leaks: --value=lost');
  await page.close();
}

// The view of leaks has the rows of the table that the report has, until
// something is filtered.
async function leakTable(tests, browser, name, data, ...options) {
  const page = await browser.open('leak-table', data, options);
  await page.follow('nav a[data-view=leaks]');
  for (const [table, ...by] of [['.leaks'], ['.line-leaks', '--by=line']]) {
    const wanted = report('leaks', data, ...by, ...options)
      .map((row) => [row.lost ?? row.kept, row['%'], row.allocs, row.path])
      .filter(([bytes]) => bytes !== '0');
    const found = (await page.rows(table) ?? []).map((row) =>
      [String(row.bytes), share(row['%']), String(row.allocations), row.path]);
    const lines = ['lost', 'all lost', 'regions'].includes(name);
    tests.equal(found, by.length === 0 || lines ? wanted : [],
      `${name}: leaks are those of the report ${by}`);
  }
  await page.search((await page.rows('.leaks'))[0].path.split('>').at(-1));
  tests.check((await page.rows('.leaks')).length > 0, `${name}: a search`);
  await page.tick('category-0', false);
  tests.check((await page.text('#view')).startsWith('Leaks are known only'),
    `${name}: no leaks of a part`);
  tests.equal(page.faults, [], `${name}: no request, nothing said of leaks`);
  await page.close();
}

// What holds what is alive: holders take the places of functions.
async function holders(tests, browser) {
  const data = `${GOLDEN}/held.data`;
  const page = await browser.open('held', data, ['--value=held']);
  tests.equal([await page.text('#title'), await page.page.evaluate(() =>
    [...document.querySelectorAll('#facts span')].slice(0, 4).map((s) =>
      s.textContent)), await page.page.isVisible('#warnings')],
  ['Holders of live objects in a program', ['3,712 bytes held',
    '92 objects held', '8 holders', '6 chains'], false],
  'holders: the head is of what is held');
  const words = [];
  for (const view of ['functions', 'function/0', 'function/3', 'types',
    'type/0', 'contexts', '']) {
    await page.go(`#/${view}`);
    words.push(...await page.page.evaluate(() => [document.body.innerText,
      ...[...document.querySelectorAll('[title]')].map(({ title }) => title),
      ...[...document.querySelectorAll('.legend')].map((l) => l.textContent)]
      .flatMap((text) => text.match(/.*\b(call|function|alloc|ECL).*/gi) ?? [])
      .filter((line) => !line.includes('--system=hide'))));
  }
  tests.equal([...new Set(words)], [],
    'holders: nothing is said of calls, functions and allocation');
  const frames = await page.frames();
  tests.equal(frames.filter((f) => f.row === 1)
    .map((f) => f.title.slice(0, f.title.lastIndexOf(': '))).sort(),
  ['APP::*CACHE*', 'APP::*CACHE* and APP::*INDEX*', 'APP::*INDEX*',
    'stack of worker'], 'chains begin at roots');
  tests.check(frames.some((f) => f.row === 0 &&
    f.title.startsWith('all: 3,712 bytes held')),
  'and hold what is alive', frames[0].title);
  tests.equal(page.faults, [], 'holders: no request, nothing said');
  await page.close();
}

// Averages: of all that was allocated by its number, of a part by the objects of
// that part.  All but one object is freed again.
async function averages(tests, browser) {
  const p = new ProfileEncoder(['mprof.version=1', 'mprof.language=c'],
    [['inuse_objects', 'count'], ['inuse_space', 'bytes']]);
  const chain = ['main', 'make'];
  p.allocate(chain, 1001, 100100, {}, [0, 0]);
  p.allocate(chain, 1, 1024, {}, [1, 1024]);
  const page = await browser.open('averages-kept',
    scratch(browser.folder, 'averages-kept.data', p));
  for (const [word, text] of [['bytes', '1,002 allocations × 101 B'],
    ['kept', '1 object × 1.02 kB']]) {
    await page.page.click(`label:has(#measure-${word})`);
    tests.equal([(await page.text('.hint')).split(': ')[1],
      await page.page.textContent('.bars li:last-child .note')],
    [`${text}.`, text], `averages: ${word} of a function that frees nearly all`);
  }
  await page.close();
}

// A click on a region or a thread leaves it alone.
async function clicks(tests, browser) {
  for (const [view, name, data] of [
    ['regions', 'parse;lex', scratch(browser.folder, 'lisp-regions.data',
      MADE['lisp-regions']())],
    ['threads', 'worker', `${GOLDEN}/phases.data`]]) {
    const page = await browser.open(view, data);
    await page.go(`#/${view}`);
    await page.page.click(`.${view} button:text-is("${name}")`);
    await page.settle();
    const totals = (...options) => JSON.parse(mprof('export', '--format=json',
      ...options, data)).totals;
    const [all, part] = [totals(), totals(`--${view.slice(0, -1)}=^${name}$`)];
    const said = (key) => `${part[key].toLocaleString('en-US')} of ${
      all[key].toLocaleString('en-US')} ${key}`;
    tests.equal(await page.text('#selection-text'),
      `Selected: ${said('bytes')}, ${said('allocations')}`, `${view}: a click`);
    await page.close();
  }
}

export async function testMeasures(tests, browser) {
  await leaks(tests, browser);
  await holders(tests, browser);
  await averages(tests, browser);
  await clicks(tests, browser);
}
