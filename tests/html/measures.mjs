// SPDX-License-Identifier: LGPL-2.1-or-later

// Figures of C programs, which have more measures, and of named regions.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mprof, scratch } from './browser.mjs';
import { GOLDEN, byName, exported, functionsOfExport, functionsOfPage }
  from './compare.mjs';
import { ProfileEncoder } from './encode_profile.mjs';
import { checkSums } from './sums.mjs';

// The measures that C programs have beside bytes and allocations, and Lisp
// programs whose objects are followed, as the switch calls them, and what the
// Lisp form calls them.
const MEASURES = [
  ['kept', 'kept bytes', 'kept-bytes'],
  ['kept-allocs', 'kept allocs', 'kept-allocations'],
  ['peak', 'peak bytes', 'peak-bytes'],
  ['peak-allocs', 'peak allocs', 'peak-allocations'],
  ['temporary', 'temporary allocs', 'temporary-allocations'],
  ['live', 'live bytes', 'live-bytes'],
  ['live-allocs', 'live allocs', 'live-allocations'],
];

// Keywords stand for sizes that are no numbers.
const sizeOf = ({ size }) =>
  typeof size === 'symbol' ? size.description.slice(1) : size;

async function regionsOfPage(page) {
  await page.go('#/regions');
  return (await page.rows('.regions')).map((r) => [r.region, r.bytes,
    r.allocs, r['kept bytes'], r['peak bytes'], r['temporary allocs'], r.entered,
    r.held]);
}

function regionsOfExport(lisp) {
  const byName = lisp.regions.sort((a, b) => (a.path < b.path ? -1 : 1));
  return byName.map((r) => [r.path, r.bytes, r.allocations, r['kept-bytes'],
    r['peak-bytes'], r['temporary-allocations'], r.entered,
    r['held-bytes']]);
}

// Each measure in the flame graph, the tables and the arcs.
async function allMeasures(tests, browser) {
  for (const name of ['widgets-c', 'regions', 'live']) {
    const data = `${GOLDEN}/${name}.data`;
    const page = await browser.open(name, data);
    const lisp = exported(data);
    tests.equal(await functionsOfPage(page), functionsOfExport(lisp),
      `${name}: functions are the reducer's`);
    tests.equal(await page.page.evaluate(() =>
      [...document.querySelectorAll('#measures label')].map((l) =>
        l.textContent)),
    ['bytes', 'allocs', ...MEASURES.filter(([, , key]) => key in lisp)
      .map(([, label]) => label)], `${name}: what it knows can be measured`);
    for (const [word, label, key] of MEASURES) {
      if (!(key in lisp)) continue;
      await page.page.click(`label:has(#measure-${word})`);
      await page.go('#/functions');
      tests.equal((await page.rows('.functions')).map((r) => [r.function,
        r[`self ${label}`], r[`inclusive ${label}`]]).sort(byName),
      lisp.functions.filter((f) => f[`inclusive-${key}`] > 0).map((f) =>
        [f.name, f[`self-${key}`], f[`inclusive-${key}`]]).sort(byName),
      `${name}: ${label} of functions are the reducer's`);
      await page.go('#/');
      const [all] = (await page.frames()).filter((f) => f.row === 0);
      tests.check(all.title.startsWith(
        `all: ${lisp[key].toLocaleString('en-US')} `),
      `${name}: the flame graph is as wide as ${label}`, all.title);
      await page.go('#/types');
      tests.equal((await page.rows('.sizes')).map((r) => [r.size, r[label]])
        .sort(byName), lisp.bins.map((b) => [sizeOf(b), b[key]]).sort(byName),
      `${name}: ${label} of sizes are the reducer's`);
    }
    await checkSums(tests, page, `${name}: sums over the chains are the reducer's`);
    tests.equal(page.faults, [], `${name}: no request, nothing said`);
    await page.close();
  }
}

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
  p.allocate(['main', 'leak'], 10, 1000, {}, [5, 500, 4, 400, 1, 100]);
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
    await checkSums(tests, page, `leaks: ${name}, the sums are the reducer's`);
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
  const report = mprof('report', '--tables=leaks', '--no-legend', '--verbose',
    '--width=0', ...options, data);
  const lost = / reachable +objects/.test(report);
  const wanted = [...report.matchAll(/^ *([1-9]\d*) .*[^>]$/gm)]
    .map(([line]) => line.trim().split(/ +/))
    .filter((row) => /^(\d\d?|\.|\*\*)$/.test(row[1]))
    .map((row) => lost ? [row[0], row[2], row[7], row[8]]
      : [row[0], '', row[2], row.at(-1)]);
  await page.follow('nav a[data-view=leaks]');
  const found = (await page.rows('.leaks')).map((row) => [String(row.bytes),
    lost ? String(row.objects) : '', String(row.allocations), row.path]);
  tests.check(found.length > 0, `${name}: there are leaks`);
  tests.equal(found, wanted, `${name}: leaks are those of the report`);
  await page.search(found[0][3].split('>').at(-1));
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
  await page.go('#/functions');
  tests.equal((await page.rows('.functions')).map((r) => [r.holder,
    r['self bytes'], r['self objects'], r['retained bytes'],
    r['retained objects']]).sort(byName),
  functionsOfExport(exported(data, '--value=held')).map((r) => r.slice(0, 5)),
  'holders are the reducer\'s');
  await checkSums(tests, page, 'holders: the sums are the reducer\'s');
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

// Named regions: their table, and a filter that means what --region does.
async function regions(tests, browser) {
  const data = `${GOLDEN}/regions.data`;
  const page = await browser.open('regions', data, ['--value=kept']);
  tests.check(await page.page.isChecked('#measure-kept'),
    '--value says what is measured first');
  tests.equal(await regionsOfPage(page), regionsOfExport(exported(data)),
    'regions are the reducer\'s');
  await page.page.click('.regions button:text-is("load;lex")');
  const lisp = exported(data, '--region=^load;lex$');
  tests.equal(await regionsOfPage(page),
    regionsOfExport(exported(data)).map((row) => {
      const left = lisp.regions.find((r) => r.path === row[0]);
      return [row[0], left.bytes, left.allocations, left['kept-bytes'],
        left['peak-bytes'], left['temporary-allocations'], ...row.slice(6)];
    }), 'a click leaves that region alone');
  await page.go('#/functions');
  const head = await page.text('.functions thead');
  tests.check(!head.includes('calls'), 'nobody counts calls by region', head);
  for (const [label, path] of [['load', '^load$'], ['run', '^run$'],
    ['run;lex', '^run;lex$']]) {
    await page.page.selectOption('#region', { label });
    await page.page.click('label:has(#measure-bytes)');
    const wanted = exported(data, `--region=${path}`);
    await page.go('#/functions');
    tests.equal((await page.rows('.functions')).map((r) => [r.function,
      r['self bytes'], r['self kept bytes'], r['inclusive bytes'],
      r['inclusive peak bytes'], r['self temporary allocs']]).sort(byName),
    wanted.functions.map((f) => [f.name, f['self-bytes'],
      f['self-kept-bytes'], f['inclusive-bytes'],
      f['inclusive-peak-bytes'], f['self-temporary-allocations']])
      .sort(byName), `${label}: functions as with --region=${path}`);
  }
  tests.equal(page.faults, [], 'regions: no request, nothing said');
  await page.close();
  await regionsInLisp(tests, browser);
}

async function regionsInLisp(tests, browser) {
  const cons = { category: 'cons', type: 'CONS' };
  const profile = new ProfileEncoder();
  profile.allocate(['A::MAIN', 'A::PARSE'], 10, 160,
    { ...cons, region: 'parse' });
  profile.allocate(['A::MAIN', 'A::PARSE', 'A::LEX'], 5, 80,
    { ...cons, region: 'parse;lex' });
  profile.allocate(['A::MAIN'], 1, 16, cons);
  profile.activate(['A::MAIN'], 1);
  profile.comment('mprof.region=1 9 1795258066302999999 1795258066303000008 ' +
    '0 parse');
  const data = scratch(browser.folder, 'lisp-regions.data', profile);
  const page = await browser.open('lisp-regions', data);
  await page.go('#/regions');
  tests.equal((await page.rows('.regions')).map((r) =>
    [r.region, r.bytes, r.allocs]), [['parse', 240, 15], ['parse;lex', 80, 5]],
  'regions of Lisp');
  tests.equal((await page.rows('.regions')).map((r) =>
    [r['first entered (UTC)'], r['last left (UTC)']]),
  [['2026-11-21 10:47:46.302', '2026-11-21 10:47:46.303'], ['', '']],
  'a time is not rounded up');
  await page.page.click('.regions button:text-is("parse;lex")');
  await page.go('#/functions');
  tests.equal((await page.rows('.functions')).map((r) => [r.function,
    r['self bytes'], r['inclusive bytes']]).sort(byName),
  exported(data, '--region=lex').functions.map((f) => [f.name,
    f['self-bytes'], f['inclusive-bytes']]).sort(byName),
  'a region of Lisp: functions as with --region');
  await page.close();
}

export async function testMeasures(tests, browser) {
  await allMeasures(tests, browser);
  await leaks(tests, browser);
  await holders(tests, browser);
  await regions(tests, browser);
}
