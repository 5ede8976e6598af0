// SPDX-License-Identifier: LGPL-2.1-or-later

// Are the sums that a page makes over its chains those of the reducer?  The
// script of the page is run here, without a browser, on the page's own data,
// in which the tables are those of the format json.

import { readFileSync } from 'node:fs';
import vm from 'node:vm';

// What the script of the page in FILE defines, and its data.
function readPage(file) {
  const page = readFileSync(file, 'utf8');
  const last = (mark) => page.lastIndexOf(mark);
  const script = page.slice(last('<script>') + '<script>'.length,
    last('</script>'));
  const [, data] = /<script [^>]*id="profile">([^<]*)/.exec(page);
  const context = vm.createContext({ addEventListener() {}, atob, Blob,
    DecompressionStream, Response, TextDecoder });
  const body = /^\s*'use strict';\s*\{([^]*)\}\s*$/.exec(script)[1];
  vm.runInContext(`${body}; globalThis.its = { allocates, beforeOf, CHOICES,
    figuresAt, isWithin, Model, readProfile };`, context);
  return { ...context.its, data };
}

// Compares what PROFILE, a side of PAGE's, has in its tables with MODEL's sums;
// KEYOF gives the key of that side's figures.
function compareSide(check, page, profile, model, keyOf) {
  const { sums, tree, profile: united } = model;
  const same = (row, figures, prefix = '') => profile.keys.every((key) =>
    row[prefix + key] === figures(keyOf(key))) &&
    (united.compared || (row[`${prefix}category_bytes`] ?? []).every((n, i) =>
      n === figures(i)));
  check(same(profile.totals, sums.total));
  const byName = new Map(model.functions.map((row) => [row.fn.raw, row]));
  for (const fn of profile.functions) {
    const { self, inclusive } = byName.get(fn.raw);
    check(same(fn, self, 'self_') && same(fn, inclusive, 'inclusive_') &&
      Object.is(fn.calls, self(keyOf('calls'))));
  }
  const pairOf = (functions, { caller, callee }) =>
    `${functions[caller].raw}\n${functions[callee].raw}`;
  const arcs = new Map(tree.arcs.pairs.map((pair, i) =>
    ({ ...pair, figures: page.figuresAt(sums.arcs, i) }))
    .filter(({ caller, figures }) => caller >= 0 &&
      ['bytes', 'allocations', 'calls'].some((key) =>
        figures(keyOf(key)) > 0))
    .map((arc) => [pairOf(tree.functions, arc), arc.figures]));
  // A chain can be known for a call at its end alone: then nothing is counted
  // for the pairs on the way.
  check(arcs.size === profile.arcs.length);
  for (const arc of profile.arcs) {
    const figures = arcs.get(pairOf(profile.functions, arc));
    check(figures !== undefined && same(arc, figures) &&
      Object.is(figures(keyOf('calls')), arc.calls ?? NaN));
  }
  const identity = ({ name, type, category }) =>
    [name, type, category].join('\n');
  for (const [key, label, column] of [['types', 'type', sums.types],
    ['regions', 'region', sums.regions], ['phases', 'phase'],
    ['threads', 'thread']]) {
    const rows = united[key];
    const places = new Map(rows.map((row, i) => [identity(row), i]));
    const all = column ?? sums.by(united.rows[label], rows.length);
    for (const row of profile[key])
      check(same(row, page.figuresAt(all, places.get(identity(row)))));
  }
  let contexts = 0;
  for (let node = 1; node < tree.count; node++)
    if (['bytes', 'allocations'].some((key) =>
      sums.self(keyOf(key))[node] > 0)) contexts++;
  check(profile.contexts === contexts);
}

// The test NAME: the figures of the page in FILE are its own sums.
export async function checkSums(tests, { file }, name) {
  const page = readPage(file);
  const profile = await page.readProfile(page.data);
  const model = new page.Model(profile);
  model.choose({ ...page.CHOICES });
  const wrong = [];
  let compared = 0;
  for (const [i, side] of profile.sides.entries())
    compareSide((good) => {
      compared++;
      if (!good) wrong.push(compared);
    }, page, side, model, i === 0 ? (key) => key : page.beforeOf);
  tests.check(wrong.length === 0 && compared > 1, name,
    `wrong: ${wrong.join(', ')} of ${compared}`);
}
