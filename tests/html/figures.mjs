// SPDX-License-Identifier: LGPL-2.1-or-later

// The figures of the page are those of mprof export --format=lisp, with
// filters as with the options of the same meaning.

import { mprof, scratch } from './browser.mjs';
import { ProfileEncoder, program } from './encode_profile.mjs';
import { readExport } from './read_lisp.mjs';

const GOLDEN = process.env.GOLDEN;

const byName = (a, b) =>
  a.join() < b.join() ? -1 : a.join() > b.join() ? 1 : 0;

// Names show as in a report: on one line.
function shown(name) {
  return name.replaceAll('\n', '\\n');
}

function exported(data, ...options) {
  const lisp = readExport(mprof('export', '--format=lisp', ...options, data));
  for (const f of lisp.functions) f.name = shown(f.name);
  for (const a of lisp.arcs) {
    a.caller = shown(a.caller);
    a.callee = shown(a.callee);
  }
  return lisp;
}

// Calls that are not known show as nothing.
const blank = (calls) => (calls === null ? '' : calls);

async function functionsOfPage(page) {
  await page.go('#/functions');
  const rows = await page.rows('.functions');
  return rows
    .map((r) => [r.function, r['self bytes'],
      r['self allocs'], r['inclusive bytes'], r['inclusive allocs'], r.calls])
    .sort(byName);
}

function functionsOfExport(lisp) {
  return lisp.functions
    .map((f) => [f.name, f['self-bytes'], f['self-allocations'],
      f['inclusive-bytes'], f['inclusive-allocations'], blank(f.activations)])
    .sort(byName);
}

async function typesOfPage(page) {
  await page.go('#/types');
  const rows = await page.rows('.types');
  return rows.map((r) => [r.type, r.class, r.category, r.bytes, r.allocs])
    .sort(byName);
}

// Types of C programs are sizes.
async function sizesOfPage(page) {
  await page.go('#/types');
  return (await page.rows('.types')).map((r) => [r.size,
    r.bytes, r.allocs]).sort(byName);
}

function sizesOfExport(lisp) {
  return lisp.types.map((t) => [t.category, t.bytes, t.allocations])
    .sort(byName);
}

function typesOfExport(lisp) {
  return lisp.types
    .map((t) => [t.type ?? '', t.class ?? t.type ?? '[unknown type]',
      t.category, t.bytes, t.allocations])
    .sort(byName);
}

// The callers and callees on the pages of all functions, as arcs.  In a
// function's table of callers stands what its arcs in are, and likewise for
// callees; both tables must give the same arcs.
async function arcsOfPage(page, side) {
  await page.go('#/functions');
  await page.rows('.functions');
  const links = await page.page.evaluate(() =>
    [...document.querySelectorAll('.functions tbody a')].map((a) =>
      [a.textContent, a.getAttribute('href')]));
  const arcs = [];
  for (const [name, href] of links) {
    await page.page.evaluate((to) => new Promise((done) => {
      addEventListener('hashchange', () => done(), { once: true });
      location.hash = to;
    }), href);
    for (const r of await page.rows(`.${side}s`))
      if (r[side] !== '<root>')
        arcs.push(side === 'caller'
          ? [r.caller, name, r.calls, r.bytes, r.allocs]
          : [name, r.callee, r.calls, r.bytes, r.allocs]);
  }
  return arcs.sort(byName);
}

function arcsOfExport(lisp) {
  return lisp.arcs.map((a) => [a.caller, a.callee, blank(a.calls), a.bytes,
    a.allocations]).sort(byName);
}

async function goldenProfiles(tests, browser) {
  for (const name of ['widgets', 'mixture', 'recursion', 'two-cycles',
    'phases', 'session', 'packages', 'lines', 'unknown-calls']) {
    const data = `${GOLDEN}/${name}.data`;
    const page = await browser.open(name, data);
    const lisp = exported(data);
    tests.equal(await functionsOfPage(page), functionsOfExport(lisp),
      `${name}: functions are the reducer's`);
    if (lisp.language === 'c')
      tests.equal(await sizesOfPage(page), sizesOfExport(lisp),
        `${name}: sizes are the reducer's`);
    else
      tests.equal(await typesOfPage(page), typesOfExport(lisp),
        `${name}: types are the reducer's`);
    for (const side of ['caller', 'callee'])
      tests.equal(await arcsOfPage(page, side), arcsOfExport(lisp),
        `${name}: ${side}s are the reducer's`);
    await contexts(tests, page, data, name);
    await page.go('#/about');
    const check = await page.text('#check');
    tests.check(/, no difference\.$/.test(check),
      `${name}: sums over the chains are the reducer's`, check);
    tests.equal(page.faults, [], `${name}: no request, nothing said`);
    await page.close();
  }
}

// A context is a distinct chain at whose end something was allocated: the
// page's head, its table, a report and a comparison have as many.
async function contexts(tests, page, data, name) {
  const count = (text) => Number(/([\d,]+) +contexts?(?=[,·\n]|$)/m.exec(text)?.[1]
    .replaceAll(',', ''));
  const said = await page.page.evaluate(() =>
    [...document.querySelectorAll('#facts span')].map((s) => s.textContent)
      .join('\n'));
  await page.go('#/contexts');
  const rows = (await page.rows('.contexts')).length;
  tests.equal([count(said), rows], [count(mprof('report', data)),
    count(mprof('diff', data, data))], `${name}: as many contexts as elsewhere`);
  tests.equal(count(said), rows, `${name}: and they are in the table`);
}

// Of sizes that nobody counted, of large ones, and of what grew.
async function specialSizes(tests, browser) {
  const string = { category: 'struct', type: 'STRING' };
  const own = new ProfileEncoder();
  own.allocate(['A::MAIN'], 1, 4096, string);
  own.allocate(['A::MAIN'], 0, 100, string);
  const foreign = new ProfileEncoder([]);
  foreign.allocate(['main'], 0, 512, {});
  foreign.allocate(['main'], 2, 64, {});
  for (const [name, profile, wanted] of [
    ['large and grown', own, [['> 1024', 4096], ['grown', 100]]],
    ['unknown', foreign, [['unknown', 512], [32, 64]]]]) {
    const file = scratch(browser.folder, 'special-sizes.data', profile);
    const page = await browser.open('special-sizes', file);
    await page.go('#/types');
    tests.equal((await page.rows('.sizes')).map((r) => [r.size, r.bytes]),
      wanted, `sizes: ${name}`);
    const report = mprof('report', '--tables=bins', '--no-legend', file);
    tests.check(wanted.every(([size]) => report.includes(String(size))),
      `sizes: ${name}, as in the report`, report);
    await page.close();
  }
}

// What a filter leaves, against the option that means the same.
async function filters(tests, browser, data) {
  const page = await browser.open('filters', data);
  const same = async (what, options, arcs) => {
    const lisp = exported(data, ...options);
    tests.equal(await functionsOfPage(page), functionsOfExport(lisp),
      `${what}: functions as with ${options.join(' ') || 'no option'}`);
    tests.equal(await typesOfPage(page), typesOfExport(lisp),
      `${what}: types`);
    if (arcs)
      tests.equal(await arcsOfPage(page, 'callee'), arcsOfExport(lisp),
        `${what}: arcs`);
  };
  const choose = (id, label) => page.page.selectOption(`#${id}`, { label });
  await same('nothing left out', [], true);
  await page.tick('program-only', true);
  await same("without ECL's own functions", ['--hide-system'], true);
  await choose('thread', 'worker');
  await same('and one thread', ['--hide-system', '--thread=^worker$'], false);
  await page.page.click('#reset');
  await choose('thread', 'main');
  await same('one thread', ['--thread=^main$'], true);
  await page.page.click('#reset');
  for (const [word, label] of [['compile', 'compile time'],
    ['load', 'load time'], ['run', 'run time']]) {
    await choose('phase', label);
    await same(label, [`--phase=${word}`], word === 'run');
  }
  await page.page.click('#reset');
  await same('all again', [], false);
  tests.equal(page.faults, [], 'filters: no request, nothing said');
  await page.close();
}

// By function what chains of the folded form add up to; only such as end
// with a type for which KEPT is true.
function inclusiveOfFolded(data, value, kept) {
  const sums = new Map();
  const lines = mprof('export', '--format=folded', '--types',
    `--value=${value}`, data).trimEnd().split('\n');
  for (const line of lines) {
    const at = line.lastIndexOf(' ');
    const chain = line.slice(0, at).split(';');
    if (!kept(chain.pop())) continue;
    for (const name of new Set(chain))
      sums.set(name, (sums.get(name) ?? 0) + Number(line.slice(at + 1)));
  }
  return [...sums].sort(byName);
}

// Types and categories: there is no such option, but folded chains know.
async function typesAndCategories(tests, browser, data) {
  const page = await browser.open('categories', data);
  const inclusive = async () =>
    (await functionsOfPage(page))
      .filter((r) => r[3] > 0).map((r) => [r[0], r[3]]);
  const allocs = async () =>
    (await functionsOfPage(page))
      .filter((r) => r[4] > 0).map((r) => [r[0], r[4]]);
  await page.page.selectOption('#type', { label: 'APP::WIDGET' });
  const widget = (type) => type === 'APP::WIDGET';
  tests.equal(await inclusive(), inclusiveOfFolded(data, 'bytes', widget),
    'one type: inclusive bytes');
  tests.equal(await allocs(), inclusiveOfFolded(data, 'allocs', widget),
    'one type: inclusive allocations');
  await page.page.click('#reset');
  for (const i of [0, 1, 3]) await page.tick(`category-${i}`, false);
  const struct = (type) => ['APP::WIDGET', 'STRING'].includes(type);
  tests.equal(await inclusive(), inclusiveOfFolded(data, 'bytes', struct),
    'one category: inclusive bytes');
  const lisp = exported(data);
  const wanted = lisp.functions
    .map((f) => [f.name, f.types.filter((t) => t.category === 'struct')
      .reduce((sum, t) => sum + t.bytes, 0)])
    .filter(([, bytes]) => bytes > 0).sort(byName);
  tests.equal((await functionsOfPage(page)).filter((r) => r[1] > 0)
    .map((r) => [r[0], r[1]]), wanted, 'one category: self bytes');
  await page.go('#/');
  const [all] = (await page.frames()).filter((f) => f.row === 0);
  const sum = wanted.reduce((s, [, bytes]) => s + bytes, 0);
  tests.check(all.title.includes(sum.toLocaleString('en-US')),
    'one category: the flame graph too', all.title);
  for (const i of [0, 1, 2, 3]) await page.tick(`category-${i}`, false);
  tests.equal(await functionsOfPage(page), [], 'no category, no function');
  await page.go('#/');
  tests.equal((await page.frames()).map((f) => f.name), ['all'],
    'no category, no frame');
  tests.equal(page.faults, [], 'categories: no request, nothing said');
  await page.close();
}

// The measures that C programs have beside bytes and allocations, as the
// switch calls them, and what the Lisp form calls them.
const MEASURES = [
  ['kept', 'kept bytes', 'kept-bytes'],
  ['kept-allocs', 'kept allocs', 'kept-allocations'],
  ['peak', 'peak bytes', 'peak-bytes'],
  ['peak-allocs', 'peak allocs', 'peak-allocations'],
  ['temporary', 'temporary allocs', 'temporary-allocations'],
];

async function regionsOfPage(page) {
  await page.go('#/regions');
  return (await page.rows('.regions')).map((r) => [r.region, r.bytes,
    r.allocs, r['kept bytes'], r['peak bytes'], r['temporary allocs'], r.entered,
    r.held]);
}

function regionsOfExport(lisp) {
  return lisp.regions.map((r) => [r.path, r.bytes, r.allocations,
    r['kept-bytes'], r['peak-bytes'], r['temporary-allocations'], r.entered,
    r['held-bytes']]);
}

// C programs: each measure in the flame graph, the tables and the arcs.
async function programsInC(tests, browser) {
  for (const name of ['widgets-c', 'regions']) {
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
        .sort(byName), lisp.bins.map((b) => [b.size, b[key]]).sort(byName),
      `${name}: ${label} of sizes are the reducer's`);
    }
    await page.go('#/about');
    const check = await page.text('#check');
    tests.check(/, no difference\.$/.test(check),
      `${name}: sums over the chains are the reducer's`, check);
    tests.equal(page.faults, [], `${name}: no request, nothing said`);
    await page.close();
  }
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
  const data = scratch(browser.folder, 'lisp-regions.data', profile);
  const page = await browser.open('lisp-regions', data);
  await page.go('#/regions');
  tests.equal((await page.rows('.regions')).map((r) =>
    [r.region, r.bytes, r.allocs]), [['parse', 240, 15], ['parse;lex', 80, 5]],
  'regions of Lisp');
  await page.page.click('.regions button:text-is("parse;lex")');
  await page.go('#/functions');
  tests.equal((await page.rows('.functions')).map((r) => [r.function,
    r['self bytes'], r['inclusive bytes']]).sort(byName),
  exported(data, '--region=lex').functions.map((f) => [f.name,
    f['self-bytes'], f['inclusive-bytes']]).sort(byName),
  'a region of Lisp: functions as with --region');
  await page.close();
}

export async function testFigures(tests, browser) {
  await goldenProfiles(tests, browser);
  await programsInC(tests, browser);
  await specialSizes(tests, browser);
  await regions(tests, browser);
  const data = scratch(browser.folder, 'program.data',
    program(60, 1500, 14, 7));
  await filters(tests, browser, data);
  await typesAndCategories(tests, browser, data);
  for (const option of ['--focus=PARSER::F1', '--phase=compile,load',
    '--hide=F1', '--show-runtime']) {
    const page = await browser.open('options', data, [option]);
    tests.equal(await functionsOfPage(page),
      functionsOfExport(exported(data, option)), `${option}: functions`);
    await page.go('#/about');
    tests.check(/, no difference\.$/.test(await page.text('#check')),
      `${option}: the sums are the reducer's`, await page.text('#check'));
    await page.close();
  }
  const grouped = await browser.open('grouped', data, ['--by=package']);
  const lisp = exported(data, '--by=package');
  tests.equal(await functionsOfPage(grouped), functionsOfExport(lisp),
    '--by=package: packages are the reducer\'s');
  await grouped.close();
}
