// SPDX-License-Identifier: LGPL-2.1-or-later

// The tables of everything: functions, types, contexts.

import { amount, callsHelp, categoryColumn, functionLink, typeLink }
  from './columns.js';
import { chainOf, functionsOfType } from './chains.js';
import { element, number, plural } from './dom.js';
import { table } from './table.js';

export function functionColumns(model) {
  const { total } = model;
  return [
    { key: 'name', label: 'function', left: true,
      help: 'As in the report; a click shows its callers and callees',
      value: (row) => row.fn.name, cell: (row) => functionLink(row.fn) },
    ...amount('self-bytes', 'self bytes',
      'Bytes that the function itself allocated',
      (row) => row.self.bytes, total.bytes),
    categoryColumn(model, (row) => row.self),
    { key: 'self-allocs', label: 'self allocs',
      help: 'Objects that the function itself allocated',
      value: (row) => row.self.allocs },
    ...amount('inclusive-bytes', 'inclusive bytes',
      'Bytes that the function and all below it allocated; once a chain, ' +
      'so that recursion does not count twice',
      (row) => row.inclusive.bytes, total.bytes),
    { key: 'inclusive-allocs', label: 'inclusive allocs',
      help: 'Objects that the function and all below it allocated',
      value: (row) => row.inclusive.allocs },
    { key: 'calls', label: 'calls', help: callsHelp,
      value: (row) => row.calls },
    { key: 'per-call', label: 'bytes / call',
      help: 'Inclusive bytes for each of these calls',
      value: (row) => (row.calls === 0 ? 0 : row.inclusive.bytes / row.calls),
      text: (row) => row.calls === 0
        ? '' : number(Math.round(row.inclusive.bytes / row.calls)) },
  ];
}

export function functionsView(model, matches, sort) {
  const rows = model.shownFunctions
    .filter((row) => matches === null || matches(row.fn.name));
  return table({
    class: 'functions', caption: 'Functions', rows,
    columns: functionColumns(model), sort,
    nouns: ['function', 'functions'],
  });
}

export function typeColumns(model) {
  return [
    { key: 'name', label: 'class', left: true,
      help: 'The class of instances and structures, else the type; a click ' +
        'shows the functions that allocate it',
      value: (row) => row.type.name, cell: (row) => typeLink(row.type) },
    ...amount('bytes', 'bytes', 'Bytes of all objects of the type',
      (row) => row.bytes, model.total.bytes),
    ...amount('allocs', 'allocs', 'Objects of the type',
      (row) => row.allocs, model.total.allocs),
    { key: 'category', label: 'category', left: true,
      help: 'The category that the type counts in',
      value: (row) => model.profile.categories[row.type.category].name,
      cell: (row) => element('span', {
        class: `category-name category-${row.type.category}` },
        model.profile.categories[row.type.category].name) },
    { key: 'type', label: 'type', left: true, help: 'The Lisp type',
      value: (row) => row.type.type },
  ];
}

export function typesView(model, matches, sort, sortSizes) {
  const rows = model.shownTypes
    .filter((row) => matches === null || matches(row.type.name));
  return [
    table({ class: 'types', caption: 'Types', rows,
      columns: typeColumns(model), sort, nouns: ['type', 'types'] }),
    model.narrowed ? null : sizesTable(model, sortSizes),
  ];
}

// Sizes are the reducer's alone: chains do not know them.
function sizesTable(model, sort) {
  const { bins, total } = model.profile;
  const words = { large: '> 1024', growth: 'grown' };
  return table({
    class: 'sizes', caption: 'Sizes', sort, nouns: ['size', 'sizes'],
    first: 20, rows: bins, tie: (bin) => bin.size,
    columns: [
      { key: 'size', label: 'size',
        help: 'Bytes of one object; "grown" are bodies of objects that grew',
        value: (bin) => (bin.kind === 'size' ? bin.size : Infinity),
        text: (bin) => words[bin.kind] ?? number(bin.size) },
      ...amount('bytes', 'bytes', 'Bytes of all objects of that size',
        (bin) => bin.bytes, total.bytes),
      ...amount('allocs', 'allocs', 'Objects of that size',
        (bin) => bin.allocs, total.allocs),
      { key: 'name', label: 'mostly', left: true,
        help: 'The type that has most of these bytes, and how many others',
        value: (bin) => bin.largest,
        text: (bin) => bin.largest +
          (bin.parts > 1 ? ` and ${number(bin.parts - 1)} more` : '') },
    ],
  });
}

// One type: who allocates it.
export function typeView(model, id, sort, onFilter) {
  const type = model.profile.types[id];
  if (type === undefined) return element('p', {}, 'There is no such type.');
  const rows = functionsOfType(model.profile, model.tree, model.filter, id);
  const { allocs, bytes } = model.types[id];
  return element('article', { class: 'type-page' },
    element('h1', { class: 'name' }, type.name),
    element('p', { class: 'facts' },
      `${model.profile.categories[type.category].name}` +
      (type.className === '' ? '' : `, a ${type.type}`) + ': ' +
      `${plural(bytes, 'byte', 'bytes')} in ` +
      plural(allocs, 'allocation', 'allocations')),
    element('p', {}, element('button', { type: 'button',
      onclick: () => onFilter(id) }, 'Show nothing but this type everywhere')),
    table({ class: 'type-functions', caption: 'Functions that allocate it',
      rows, sort, nouns: ['function', 'functions'],
      columns: [
        { key: 'name', label: 'function', left: true,
          help: 'The function; a click shows its callers and callees',
          value: (row) => row.fn.name, cell: (row) => functionLink(row.fn) },
        ...amount('bytes', 'bytes',
          'Bytes of this type that the function itself allocated',
          (row) => row.bytes, bytes),
        ...amount('allocs', 'allocs',
          'Objects of this type that the function itself allocated',
          (row) => row.allocs, allocs),
      ] }));
}

const CHAIN_ENDS = 4;

// The functions of CHAIN; the middle of a long one on demand.
function chainCell(tree, node) {
  const chain = chainOf(tree, node).map((id) => tree.functions[id]);
  const links = (part) => part.flatMap((fn, i) =>
    i === 0 ? [functionLink(fn)] : [' › ', functionLink(fn)]);
  if (chain.length <= 2 * CHAIN_ENDS) return element('span', {}, links(chain));
  const cell = element('span');
  const middle = chain.length - CHAIN_ENDS - 1;
  cell.append(
    ...links(chain.slice(0, 1)), ' › ',
    element('button', { type: 'button', class: 'middle',
      onclick: () => cell.replaceChildren(...links(chain)) },
      `${number(middle)} more`),
    ' › ', ...links(chain.slice(-CHAIN_ENDS)));
  return cell;
}

export function contextsView(model, matches, sort) {
  const { tree, sums, total } = model;
  const matching = matches === null
    ? null : tree.functions.map((f) => matches(f.name));
  const onChain = new Uint8Array(tree.count);
  const rows = [];
  for (let node = 0; node < tree.count; node++) {
    const above = tree.parent[node];
    onChain[node] = matching === null || matching[tree.functionOf[node]] ||
      (above >= 0 && onChain[above] === 1) ? 1 : 0;
    if (onChain[node] === 1 && (sums.self.bytes[node] > 0 ||
        sums.self.allocs[node] > 0)) rows.push(node);
  }
  return table({
    class: 'contexts', caption: 'Contexts', rows, sort,
    nouns: ['context', 'contexts'], tie: (node) => node,
    columns: [
      ...amount('bytes', 'bytes', 'Bytes allocated at the end of the chain',
        (node) => sums.self.bytes[node], total.bytes),
      { key: 'categories',
        label: model.profile.categories.map((c) => c.letter).join(' '),
        help: 'Those bytes by category',
        value: (node) => sums.self.bytes[node],
        cell: (node) => categoryColumn(model, () => ({
          bytes: sums.self.bytes[node],
          categories: sums.self.categories.slice(4 * node, 4 * node + 4),
        })).cell(node) },
      { key: 'allocs', label: 'allocs',
        help: 'Objects allocated at the end of the chain',
        value: (node) => sums.self.allocs[node] },
      { key: 'calls', label: 'calls',
        help: 'Calls of the last function by the chain before it',
        value: (node) => sums.self.calls[node] },
      { key: 'chain', label: 'chain of calls', left: true,
        help: 'From the first function to the one that allocated',
        value: (node) => tree.functions[tree.functionOf[node]].name,
        cell: (node) => chainCell(tree, node) },
    ],
  });
}
