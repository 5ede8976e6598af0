// SPDX-License-Identifier: LGPL-2.1-or-later

// Averages and percentages: those of the page are those of the report.

import { mprof, scratch } from './browser.mjs';
import { MADE } from './made.mjs';

const LEFT = ['category', 'class', 'name', 'path', 'type', 'types'];

// The rows of TABLE in the report, but for <TOTAL>: an object a row, by the lower
// lines of the headings.
export function report(table, data, ...options) {
  const lines = mprof('report', `--tables=${table}`, '--no-legend', '--verbose',
    ...options, data).split('\n');
  const at = lines.findIndex((line) => /^-+$/.test(line));
  const heads = [...lines[at - 1].matchAll(/\S+/g)];
  return lines.slice(at + 1, lines.indexOf('', at)).map((line) => {
    const row = {};
    heads.forEach(({ 0: head, index }, i) => {
      const before = i > 0 ? heads[i - 1].index + heads[i - 1][0].length : 0;
      const cell = LEFT.includes(head) ? line.slice(index, heads[i + 1]?.index)
        : line.slice(before, index + head.length);
      const same = heads.slice(0, i).filter((other) => other[0] === head).length;
      row[head + (same > 0 ? same + 1 : '')] = cell.trim().replaceAll(',', '');
    });
    return row;
  }).filter((row) => !Object.values(row).includes('<TOTAL>'));
}

// The percentage TEXT of the page as the report writes it.
export const share = (text) => (text === '' ? '' : text === '100 %' ? '**'
  : text.startsWith('<') ? '.' : String(Math.floor(parseFloat(text)))
    .replace(/^0$/, '.'));

// For each view of the page: the table of the report, with options; and what a row
// of either has, the page's first.
const VIEWS = {
  functions: ['direct', ['--sort=inclusive'],
    (row) => [row.function, share(row['%']), share(row['%2']),
      String(row['bytes / call'] ?? row['bytes / alloc'])],
    (row) => [row.name, row.mem, row['+desc'], row['/call'] ??
      (row.allocs === '0' ? '' : row['/alloc'])]],
  types: ['types', [],
    (row) => [row.class, share(row['%']), share(row['%2'])],
    (row) => [row.class || row.type, row['%2'], row['%']]],
  sizes: ['bins', [],
    (row) => [String(row.size).replace(',', ''), share(row['%']), share(row['%2'])],
    (row) => [row.size, row['%2'], row['%']]],
  threads: ['threads', [], (row) => [row.thread, share(row['%'])],
    (row) => [row.name, row['%2']]],
};

const CASES = `
functions types sizes, lisp-lines
functions sizes, lisp-lines --focus=KEY
functions types sizes threads, random
functions types sizes threads, random --focus=PARSER --category=struct
functions, unknown-calls
functions types, live
sizes, sizes
functions threads, phases
functions, widgets-c`.match(/^\S.*/gm);

export async function testShares(tests, browser) {
  const page = await browser.open('shares', `${process.env.GOLDEN}/lines.data`);
  for (const text of CASES) {
    const [views, its] = text.split(', ');
    const [name, ...options] = its.split(' ');
    const data = name in MADE ? scratch(browser.folder, `${name}.data`,
      MADE[name]()) : `${process.env.GOLDEN}/${name}.data`;
    await browser.openIn(page, data, options);
    for (const view of views.split(' ')) {
      const [table, more, found, wanted] = VIEWS[view];
      await page.open(`#/${view === 'sizes' ? 'types' : view}`);
      tests.equal((await page.rows(`.${view}`)).map(found).sort(), report(table,
        data, '--width=250', ...options, ...more).map(wanted).sort(),
      `shares: ${view} of ${its}`);
    }
  }
  tests.equal(page.faults, [], 'shares: no request, nothing said');
  await page.close();
}
