// SPDX-License-Identifier: LGPL-2.1-or-later

// The figures of the page are those of mprof export --format=lisp.  What
// filters leave, choices.mjs has.

import { mprof, scratch } from './browser.mjs';
import { GOLDEN, arcsOfExport, arcsOfPage, exported,
  functionsOfExport, functionsOfPage, sizesOfExport, sizesOfPage,
  typesOfExport, typesOfPage } from './compare.mjs';
import { ProfileEncoder, program } from './encode_profile.mjs';
import { checkSums } from './sums.mjs';

async function goldenProfiles(tests, browser) {
  for (const name of ['mixture', 'two-cycles', 'session', 'lines',
    'unknown-calls']) {
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
    await checkSums(tests, page, `${name}: sums over the chains are the reducer's`);
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

// What a type or a category is left by, as --type and --category leave it.
async function typesAndCategories(tests, browser, data) {
  const page = await browser.open('categories', data);
  const figures = (rows) => rows.filter((r) => r[3] > 0)
    .map((r) => r.slice(0, 5));
  const same = async (option) => {
    const lisp = exported(data, option);
    tests.equal(figures(await functionsOfPage(page)),
      figures(functionsOfExport(lisp)), `${option}: functions`);
    tests.equal(await typesOfPage(page), typesOfExport(lisp),
      `${option}: types`);
    await page.go('#/');
    const [all] = (await page.frames()).filter((f) => f.row === 0);
    tests.check(all.title.startsWith(
      `all: ${lisp.bytes.toLocaleString('en-US')} bytes`),
    `${option}: the flame graph`, all.title);
  };
  await page.page.selectOption('#type', { label: 'APP::WIDGET' });
  await same('--type=^APP::WIDGET$');
  await page.page.click('#reset');
  for (const i of [0, 1, 3]) await page.tick(`category-${i}`, false);
  await same('--category=struct');
  await page.tick('category-2', false);
  tests.equal(await functionsOfPage(page), [], 'no category, no function');
  await page.go('#/');
  tests.equal((await page.frames()).map((f) => f.name), ['all'],
    'no category, no frame');
  tests.equal(page.faults, [], 'categories: no request, nothing said');
  await page.close();
}

export async function testFigures(tests, browser) {
  await goldenProfiles(tests, browser);
  await specialSizes(tests, browser);
  const data = scratch(browser.folder, 'program.data',
    program(60, 1500, 14, 7));
  await typesAndCategories(tests, browser, data);
}
