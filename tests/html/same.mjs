// SPDX-License-Identifier: LGPL-2.1-or-later

// One table of cases: profiles and options.  Each figure that the page shows
// under them, in all tables and for each measure, is the one that the command
// exports.

import { readFileSync } from 'node:fs';
import { mprof, scratch } from './browser.mjs';
import { MADE } from './made.mjs';

const GOLDEN = process.env.GOLDEN;

// A case has the name of a profile in golden/ or in made.mjs, then options.  The
// first three have lines, too.  The cases of left.txt follow.
const CASES = `
lines
lisp-lines
lisp-lines --system=hide
lisp-lines --focus=SORT
lisp-lines --ignore=KEY|VECTOR
lisp-lines --hide=READ
lisp-lines --category=float,struct,other
lisp-lines --hide=SORT --focus=MAIN --category=cons,struct,other
two-cycles
nested-cycles
self-recursion
recursion-c
unknown-calls
sizes
unknown-sizes
widgets-c
live
held --value=held
regions
regions --region=^load$
regions --region=^load;lex$
regions --region=^run;lex$
lisp-regions
lisp-regions --region=^parse;lex$
inlined
inlined --hide=outer
inlined --ignore=make
inlined --focus=format
timeline --from=2.14
timeline --from=2.14 --to=7.49
timeline --to=5.35 --focus=PARSE
in-use --at=1
in-use --at=5.35
in-use --at=8 --focus=f2
in-use --at=20 --hide=f3
in-use --from=2.14
random --type=^APP::WIDGET$
random --category=struct
random --category=cons,other
random --focus=PARSER::F1
random --ignore=SI::F
random --hide=:F[0-9]*[13579]$
random --focus=^NET|^SI --ignore=F1[0-9]$ --hide=^APP::F
random --thread=^worker$ --focus=PARSER --hide=^LIB
random --base=other
random --base=other --focus=PARSER --category=struct
regions --base=widgets-c
live --base=live-before`.match(/^\S.*/gm);

const oneLine = (name) => name.replaceAll('\n', '\\n');
const sorted = (rows) => rows.map((row) => JSON.stringify(row)).sort();
const sizeOf = ({ kind, size }) => String(size ?? (kind === 'large' ? '> 1024' : kind));

const exports = new Map();

// What the command exports, with names in place of numbers.
function exported(data, options) {
  const key = [data, ...options].join('\n');
  if (exports.has(key)) return exports.get(key);
  const lisp = JSON.parse(mprof('export', '--format=json', ...options, data));
  exports.set(key, lisp);
  const nameOf = (id) => oneLine(lisp.functions[id].name);
  for (const row of lisp.contexts)
    row.chain = [...lisp.contexts[row.parent]?.chain ?? [], nameOf(row.function)];
  for (const arc of lisp.arcs)
    Object.assign(arc, { from: nameOf(arc.caller), to: nameOf(arc.callee) });
  return lisp;
}

// The graph of the function NAME by CONTEXTS, one row up and down: [row, chain
// to there, bytes], where its outermost call in a chain counts.
function neighbours(contexts, name) {
  const sums = new Map();
  for (const { chain, bytes } of contexts) {
    const at = chain.indexOf(name);
    if (at < 0 || bytes === 0) continue;
    for (const row of [-1, 0, 1]) {
      const key = JSON.stringify([row, chain[at + row]]);
      if (chain[at + row] !== undefined)
        sums.set(key, (sums.get(key) ?? 0) + bytes);
    }
  }
  return [...sums].map(([key, bytes]) => [name, ...JSON.parse(key), bytes]);
}

// A case, as its page is opened and its fields are set.
class Case {
  constructor(browser, text) {
    const [name, ...options] = text.split(' ');
    const fileOf = (its) => (its in MADE
      ? scratch(browser.folder, `${its}.data`, MADE[its]())
      : `${GOLDEN}/${its}.data`);
    this.text = text;
    this.data = fileOf(name);
    const base = options.find((option) => option.startsWith('--base='));
    this.files = [...base ? [fileOf(base.slice(7))] : [], this.data];
    // names of the runtime are not on the page, nor functions of groups; a region
    // is chosen by its whole path
    const fields = options.some((option) => /^--by=/.test(option)) ? []
      : options.filter((option) => /^--(focus|ignore|hide|system=hide|phase|type|thread|category|region|from|to|at)\b(?!-)/
        .test(option) && !/=cl_list|=apply|--region=[^^]/.test(option));
    this.fields = fields.map((option) => /^--(\w+)=(.*)/.exec(option).slice(1));
    this.exportOnly = options.filter((option) => option !== base &&
      !fields.includes(option));
    this.options = options.filter((option) => option !== base);
    this.pageOptions = [...this.exportOnly, ...base
      ? [`--base=${this.files[0]}`] : []];
    this.page = [this.data, ...this.pageOptions].join(' ');
    this.sides = this.files.map((file) => exported(file, this.options));
    this.findRegions();
    this.compared = this.files.length > 1;
    this.grouped = this.text.includes('--by=');
    this.held = options.includes('--value=held');
    this.lisp = this.sides[0].language === 'lisp';
  }

  // All regions are on the page, whatever is selected.
  findRegions() {
    this.sides.forEach((side, i) => {
      side.regions = exported(this.files[i], this.exportOnly).regions.map(
        ({ path, entered }) => ({ ...side.regions.find((row) => row.path === path),
          path, entered }));
    });
  }

  has(...keys) {
    return this.fields.some(([key]) => keys.includes(key));
  }

  get callsKnown() {
    return !this.held && !this.has('region', 'from', 'to', 'at') &&
      (this.lisp || !this.has('thread')) &&
      !(this.text.startsWith('inlined') && this.has('focus', 'ignore'));
  }

  // The fields as in the address of PAGE.
  async address(page) {
    const chosen = {};
    for (const [key, text] of this.fields) {
      const label = text.replace(/^\^|\$$/g, '') + (key === 'phase' ? ' time' : '');
      if (key === 'system') chosen.program = 1;
      else if (key === 'category')
        chosen.without = this.sides[0].categories.map((name, i) =>
          (text.split(',').includes(name) ? '' : i)).join('');
      else if (['phase', 'thread', 'type', 'region'].includes(key))
        chosen[key] = await page.page.evaluate(([id, its]) =>
          [...document.getElementById(id).options].find((o) => o.text === its)
            .value, [key, label]);
      else chosen[key] = text;
    }
    return chosen;
  }

  // The label of a column of the measure KEY.
  label(key) {
    return this.held ? { bytes: 'bytes', allocations: 'objects' }[key]
      : key.replaceAll('_', ' ').replace('allocations', 'allocs');
  }

  // The tables, where KEY is measured: the rows of an export, the names of such
  // a row and of one of the page, and columns, as label and key.
  tables(key) {
    const { lisp, callsKnown } = this;
    const { compared } = this;
    const part = !['bytes', 'allocations'].includes(key);
    const keys = compared ? [key] : [...new Set(['bytes', 'allocations', key])];
    const columns = (words = '', prefix = '') => keys.map((its) =>
      [`${words} ${this.label(its)}`.trim(), prefix + its]);
    const byType = this.has('type', 'category');
    // Types do not change calls on the page.
    const calls = callsKnown && !byType ? [['calls', 'calls']] : [];
    const shows = (prefix = '') => (row) => part ? row[prefix + key] > 0
      : row[`${prefix}bytes`] > 0 || row[`${prefix}allocations`] > 0;
    const first = (row) => [Object.values(row)[0]];
    const arcs = { rows: ({ arcs: all }) => all, columns: [...columns(), ...calls] };
    return {
      functions: { shown: first, names: ({ name }) => [oneLine(name)],
        rows: ({ functions }) => functions, shows: (row) =>
        shows('inclusive_')(row) || (!part && !byType && row.activations > 0),
        columns: [...columns('self', 'self_'),
          ...columns(this.held ? 'retained' : 'inclusive', 'inclusive_'),
          ...calls.map(([label]) => [label, 'activations'])] },
      callers: { ...arcs, names: ({ from, to }) => [to, from] },
      callees: { ...arcs, names: ({ from, to }) => [from, to] },
      types: { rows: ({ types }) => types, shows: shows(), columns: columns(),
        shown: (row) => [...first(row), row.category ?? '', row.type ?? ''],
        names: (row) => lisp ? [row.class ?? row.type ?? '[unknown type]',
          row.category, row.type ?? '']
          : [row.type ?? row.category, '', ''] },
      contexts: { rows: ({ contexts }) => contexts, shows: shows(),
        columns: [...columns(), ...calls], names: ({ chain }) => [chain.join(' › ')],
        shown: (row) => [Object.values(row).at(-1)] },
      sizes: { rows: ({ bins }) => bins, shows: shows(),
        columns: columns(), names: (row) => [sizeOf(row)],
        shown: ({ size }) => [String(size).replaceAll(',', '')] },
      threads: { rows: ({ threads }) => threads, shows: shows(),
        columns: columns(), names: ({ name }) => [oneLine(name)], shown: first },
      regions: { rows: ({ regions }) => regions, columns: [...columns(),
        ...compared ? [] : [['entered', 'entered']]], names: ({ path }) => [path],
      shown: first },
    };
  }

  // The figures of the exports for a table.
  wanted({ rows, names, columns, shows = () => true }) {
    const found = new Map();
    this.sides.forEach((side, i) => {
      for (const row of rows(side)) {
        const at = JSON.stringify(names(row));
        if (!found.has(at)) found.set(at, this.sides.map(() => ({})));
        found.get(at)[i] = row;
      }
    });
    const shown = [...found].filter(([, its]) => its.some(shows));
    return sorted(shown.map(([name, its]) => [...JSON.parse(name),
      ...columns.flatMap(([, key]) => {
        const [old, now] = its.map((row) =>
          (row[key] === undefined ? 0 : row[key] ?? ''));
        return now === undefined ? [old] : [old, now, now - old];
      })]));
  }

  // The figures of ROWS of the page.
  found({ columns }, rows, names) {
    const labels = columns.flatMap(([label]) => (this.compared
      ? ['before', 'after', 'change'].map((when) => `${label} ${when}`) : [label]));
    return rows.map((row) => [...names(row), ...labels.map((label) =>
      typeof row[label] !== 'string' || row[label] === '' ? row[label]
        : Number(row[label].replaceAll(',', '')))]);
  }

  // The figures of lines, which the page has of one profile.
  lines(key) {
    if (this.compared || this.grouped || this.held) return [];
    const { columns } = this.tables(key).functions;
    const lines = exported(this.data, ['--by=line', ...this.options]);
    return sorted(lines.functions.filter(({ line, inclusive_allocations: count }) =>
      line !== null && count > 0).map((row) => [oneLine(row.name), ...columns
      .filter(([, its]) => /_/.test(its)).map(([, its]) => row[its])]));
  }

  // Tests that SHOWN, what the page shows of KEY, the measure WORD, is as is
  // exported.
  compare(tests, shown, word, key) {
    const tables = this.tables(key);
    const wanted = { whole: this.sides.map(({ totals }) => totals[key]) };
    const found = { whole: shown.all.match(/\d[\d,]*/g)
      .slice(0, this.sides.length).map((text) => Number(text.replaceAll(',', ''))) };
    for (const name of ['functions', 'types', 'sizes', 'contexts', 'threads',
      'regions']) {
      wanted[name] = this.wanted(tables[name]);
      found[name] = sorted(this.found(tables[name], shown[name] ?? [],
        tables[name].shown));
    }
    this.compareFunctions(shown.pages, key, found, wanted);
    tests.equal(found, wanted, `same: ${this.text}, ${word}`);
  }

  // The PAGES of the functions that the table of functions has.
  compareFunctions(pages, key, found, wanted) {
    const tables = this.tables(key);
    const rows = { callers: [], callees: [], lines: [], graph: [] };
    const graphs = [];
    const inLines = { columns: tables.functions.columns.filter(([, its]) =>
      /_/.test(its)) };
    const allocating = (row) => !this.has('type', 'category') || row.allocs !== 0;
    for (const [name, page] of pages) {
      for (const side of ['callers', 'callees'])
        rows[side].push(...this.found(tables[side], page[side].filter((row) =>
          Object.values(row)[0] !== '<root>' && allocating(row)),
        (row) => [name, Object.values(row)[0]]));
      if (!this.compared) rows.lines.push(...this.found(inLines,
        page.lines, ({ file, line }) => [`${name} ${file}:${line}`]));
      if (key !== 'bytes' || this.compared) continue;
      rows.graph.push(...page.graph.filter(([row]) =>
        Math.abs(row) <= 1).map((its) => [name, ...its]));
      graphs.push(...neighbours(this.sides[0].contexts, name));
    }
    for (const side of ['callers', 'callees'])
      wanted[side] = this.wanted({ ...tables[side], rows: (exported) =>
        tables[side].rows(exported).filter((arc) => pages.some(([name]) =>
          name === tables[side].names(arc)[0])) });
    wanted.lines = this.lines(key);
    wanted.graph = sorted(graphs);
    for (const name of Object.keys(rows)) found[name] = sorted(rows[name]);
  }
}

export async function testSame(tests, browser) {
  const left = readFileSync(`${GOLDEN}/left.txt`, 'utf8').match(
    /^[a-z].*(?=\n {2})/gm);
  const page = await browser.open('same', `${GOLDEN}/lines.data`);
  const cases = [...CASES, ...left].map((text) => new Case(browser, text))
    .sort((a, b) => a.page < b.page ? -1 : Number(a.page > b.page));
  let opened = '';
  for (const its of cases) {
    const { text } = its;
    if (its.page !== opened)
      await browser.openIn(page, its.data, its.pageOptions);
    opened = its.page;
    const choices = await its.address(page);
    await page.open(`#/?${new URLSearchParams(choices)}`);
    const words = await page.page.evaluate(() => [...document
      .querySelectorAll('#measures input:enabled')].map(({ value, parentNode }) =>
      [value, parentNode.textContent]));
    const keyOf = (label) => label.replaceAll(' ', '_')
      .replace(/allocs|objects/, 'allocations');
    tests.equal(words.map(([, label]) => keyOf(label)).sort(), Object.keys(
      its.sides.at(-1).totals).filter((key) => key in its.sides[0].totals).sort(),
    `same: ${text}: measures`);
    // Tables have allocations beside bytes.
    const compared = words.filter(([word]) => word !== 'allocs' || its.compared);
    const shown = await page.read('everything', compared.map(([word]) => word),
      choices, !its.compared);
    compared.forEach(([word, label], i) =>
      its.compare(tests, shown[i], word, keyOf(label)));
    tests.equal(page.faults, [], `same: ${text}: no request, nothing said`);
  }
  await page.close();
}
