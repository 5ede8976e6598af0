// SPDX-License-Identifier: LGPL-2.1-or-later

// All averages of a page follow from one rule, and from the tables: what was
// allocated is divided by the calls of the same row, in C by the allocations; a
// part of it by the objects of that part.

import { mprof, scratch } from './browser.mjs';
import { GOLDEN } from './compare.mjs';
import { ProfileEncoder } from './encode_profile.mjs';

// The figures of measures: the key in the format json, that of the objects, and
// the nouns of these.
const objects = ['object', 'objects'];
const MEASURES = {
  bytes: ['bytes', 'allocations', ['allocation', 'allocations']],
  allocs: ['allocations', 'allocations', ['allocation', 'allocations']],
  kept: ['kept_bytes', 'kept_allocations', objects],
  'kept-allocs': ['kept_allocations', 'kept_allocations', objects],
  live: ['live_bytes', 'live_allocations', objects],
  'live-allocs': ['live_allocations', 'live_allocations', objects],
  peak: ['peak_bytes', 'peak_allocations', objects],
  'peak-allocs': ['peak_allocations', 'peak_allocations', objects],
  lost: ['lost_bytes', 'lost_allocations', objects],
  'lost-allocs': ['lost_allocations', 'lost_allocations', objects],
  temporary: ['temporary_allocations', 'temporary_allocations', objects],
};

// VALUE with three digits, as in headings.
function brief(value, bytes) {
  let step = 0;
  let rest = value;
  for (; rest >= 999.5; step++) rest /= 1000;
  const digits = step === 0 && Number.isInteger(value) ? String(rest)
    : rest.toPrecision(3);
  const unit = ['', 'k', 'M', 'G'][step];
  return bytes ? `${digits} ${unit}B` : step === 0 ? digits : `${digits} ${unit}`;
}

// The text about FIGURES, of a row that was called that often.
function wanted(lisp, word, figures, calls) {
  const [key, ofObjects, nouns] = MEASURES[word];
  const whole = ['bytes', 'allocs'].includes(word);
  const byCalls = lisp && whole;
  const count = byCalls ? calls : figures(ofObjects);
  if (!(count > 0) || (!byCalls && key === ofObjects)) return '';
  const [one, many] = byCalls ? ['call', 'calls'] : nouns;
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many} × ${
    brief(figures(key) / count, key.includes('bytes'))}`;
}

// The heaviest path through the contexts of EXPORTED: a figure, and the name and
// the text of each step.
function heaviest({ language, functions, contexts }, word) {
  const [key] = MEASURES[word];
  const sums = contexts.map((context) => ({ ...context }));
  for (let i = sums.length - 1; i >= 0; i--)
    for (const its of Object.keys(sums[i]))
      if (/bytes$|allocations$/.test(its) && sums[i].parent !== null)
        sums[sums[i].parent][its] += sums[i][its];
  const steps = [];
  const whole = sums.reduce((sum, its) => sum + (its.parent === null
    ? its[key] : 0), 0);
  for (let at = null; ;) {
    let best = -1;
    sums.forEach((its, i) => {
      if (its.parent === at && (best < 0 || its[key] > sums[best][key])) best = i;
    });
    if (best < 0 || sums[best][key] * 10 < whole) return steps;
    const { function: id, calls } = sums[best];
    steps.push([functions[id].name, wanted(language === 'lisp', word,
      (its) => sums[best][its], calls ?? NaN)]);
    at = best;
  }
}

const card = (page) => page.page.evaluate(() => {
  const found = [...document.querySelectorAll('.cards .card')].find((section) =>
    section.querySelector('h2').textContent === 'Heaviest path');
  return [...found.querySelectorAll('li')].map((step) =>
    ['who', 'note'].map((name) => step.querySelector(`.${name}`).textContent));
});

// Whether STEPS are among ALL, in that order.
function isPart(steps, all) {
  let at = 0;
  return steps.every((step) => {
    at = all.findIndex((its, i) => i >= at && String(its) === String(step)) + 1;
    return at > 0;
  });
}

async function compare(tests, browser, name, data) {
  const page = await browser.open(name, data);
  const exported = JSON.parse(mprof('export', '--format=json', data));
  const lisp = exported.language === 'lisp';
  const words = await page.page.evaluate(() =>
    [...document.querySelectorAll('#measures input')].map(({ id }) =>
      id.replace('measure-', '')));
  for (const word of words) {
    await page.page.click(`label:has(#measure-${word})`);
    const found = await card(page);
    const all = heaviest(exported, word);
    tests.check(found.length > 0 || all.length === 0, `${name}: there is a path`);
    tests.check(isPart(found, all), `${name}: averages on the path, ${word}`,
      `${JSON.stringify(found)}\n${JSON.stringify(all)}`);
  }
  await page.page.click('label:has(#measure-bytes)');
  await page.go('#/functions');
  const label = lisp ? 'bytes / call' : 'bytes / alloc';
  tests.equal((await page.rows('.functions')).map((row) =>
    `${row.function}: ${row[label]}`).sort(),
  exported.functions.map((fn) => {
    const count = lisp ? fn.activations : fn.inclusive_allocations;
    return `${fn.name.replaceAll('\n', '\\n')}: ${count > 0
      ? Math.round(fn.inclusive_bytes / count) : ''}`;
  }).sort(), `${name}: averages in the table of functions`);
  tests.equal(page.faults, [], `${name}: no faults`);
  await page.close();
}

// The sentence above the graph: all but one object is freed again.
async function sentence(tests, browser) {
  const p = new ProfileEncoder(['mprof.version=1', 'mprof.language=c'],
    [['inuse_objects', 'count'], ['inuse_space', 'bytes']]);
  const chain = ['main', 'make'];
  p.allocate(chain, 1001, 100100, {}, [0, 0]);
  p.allocate(chain, 1, 1024, {}, [1, 1024]);
  p.activate(['main'], 1002);
  p.activate(chain, 1002);
  const page = await browser.open('averages-kept',
    scratch(browser.folder, 'averages-kept.data', p));
  for (const [word, text] of [['bytes', '1,002 allocations × 101 B'],
    ['kept', '1 object × 1.02 kB']]) {
    await page.page.click(`label:has(#measure-${word})`);
    tests.equal([(await page.text('.hint')).split(': ')[1],
      (await card(page)).at(-1)], [`${text}.`, ['make', text]],
    `averages: ${word} of a function that frees nearly all`);
  }
  await page.close();
}

export async function testAverages(tests, browser) {
  for (const name of ['mixture', 'nested-cycles', 'two-cycles', 'recursion',
    'self-recursion', 'session', 'recursion-c', 'widgets-c', 'live', 'regions',
    'unknown-calls'])
    await compare(tests, browser, name, `${GOLDEN}/${name}.data`);
  await sentence(tests, browser);
}
