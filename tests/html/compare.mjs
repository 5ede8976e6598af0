// SPDX-License-Identifier: LGPL-2.1-or-later

// The tables of the page, and those of mprof export --format=lisp, as lists
// that are the same where the figures are.

import { mprof } from './browser.mjs';
import { readExport } from './read_lisp.mjs';

export const GOLDEN = process.env.GOLDEN;

export const byName = (a, b) =>
  a.join() < b.join() ? -1 : a.join() > b.join() ? 1 : 0;

// Names show as in a report: on one line.
function shown(name) {
  return name.replaceAll('\n', '\\n');
}

export function exported(data, ...options) {
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

export async function functionsOfPage(page) {
  await page.go('#/functions');
  const rows = await page.rows('.functions');
  return rows
    .map((r) => [r.function, r['self bytes'],
      r['self allocs'], r['inclusive bytes'], r['inclusive allocs'], r.calls])
    .sort(byName);
}

export function functionsOfExport(lisp) {
  return lisp.functions
    .map((f) => [f.name, f['self-bytes'], f['self-allocations'],
      f['inclusive-bytes'], f['inclusive-allocations'], blank(f.activations)])
    .sort(byName);
}

export async function typesOfPage(page) {
  await page.go('#/types');
  const rows = await page.rows('.types');
  return rows.map((r) => [r.type, r.class, r.category, r.bytes, r.allocs])
    .sort(byName);
}

// Types of C programs are sizes.
export async function sizesOfPage(page) {
  await page.go('#/types');
  return (await page.rows('.types')).map((r) => [r.size,
    r.bytes, r.allocs]).sort(byName);
}

export function sizesOfExport(lisp) {
  return lisp.types.map((t) => [t.type ?? t.category, t.bytes,
    t.allocations])
    .sort(byName);
}

export function typesOfExport(lisp) {
  return lisp.types
    .map((t) => [t.type ?? '', t.class ?? t.type ?? '[unknown type]',
      t.category, t.bytes, t.allocations])
    .sort(byName);
}

// The callers and callees on the pages of all functions, as arcs.  In a
// function's table of callers stands what its arcs in are, and likewise for
// callees; both tables must give the same arcs.
export async function arcsOfPage(page, side) {
  await page.go('#/functions');
  await page.rows('.functions');
  const links = await page.page.evaluate(() =>
    [...document.querySelectorAll('.functions tbody a')].map((a) =>
      [a.textContent, a.getAttribute('href')]));
  const arcs = [];
  for (const [name, href] of links) {
    await page.go(href);
    for (const r of await page.rows(`.${side}s`))
      if (r[side] !== '<root>')
        arcs.push(side === 'caller'
          ? [r.caller, name, r.calls, r.bytes, r.allocs]
          : [name, r.callee, r.calls, r.bytes, r.allocs]);
  }
  return arcs.sort(byName);
}

export function arcsOfExport(lisp) {
  return lisp.arcs.map((a) => [a.caller, a.callee, blank(a.calls), a.bytes,
    a.allocations]).sort(byName);
}

// Chains with what was allocated at their ends, and how often their last
// function was called by them.
export async function contextsOfPage(page) {
  await page.go('#/contexts');
  await page.rows('.contexts');
  await page.page.evaluate(() => {
    for (const more of document.querySelectorAll('.contexts .middle'))
      more.click();
  });
  return (await page.rows('.contexts')).map((r) => [r['chain of calls'],
    r.bytes, r.allocs]).sort(byName);
}

// TEXT, a chain of the form folded, as the page has it.
export function chainOf(text) {
  return text.replaceAll(';', ' › ').replaceAll('\\x3b', ';')
    .replaceAll('\\\\', '\\');
}

// The command writes a chain as the form folded does; it has one figure.
export function contextsOfExport(data, ...options) {
  const figures = (value) => new Map(mprof('export', '--format=folded',
    `--value=${value}`, ...options, data).trimEnd().split('\n')
    .filter(Boolean).map((line) => {
      const at = line.lastIndexOf(' ');
      return [chainOf(line.slice(0, at)), Number(line.slice(at + 1))];
    }));
  const [bytes, allocs] = ['bytes', 'allocs'].map(figures);
  return [...new Set([...bytes.keys(), ...allocs.keys()])].map((chain) =>
    [chain, bytes.get(chain) ?? 0, allocs.get(chain) ?? 0]).sort(byName);
}
