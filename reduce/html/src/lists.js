// SPDX-License-Identifier: LGPL-2.1-or-later

// The tables of everything: functions, types, contexts.

import { amount, callColumns, callsHelp, categoryColumn, functionLink, inOrder,
  moreColumns, typeLink, unknownHelp } from './columns.js';
import { chainOf, functionsOfType } from './chains.js';
import { element, number, plural } from './dom.js';
import { MEASURES, moreMeasures } from './measures.js';
import { table } from './table.js';

export function functionColumns(model) {
  const { total } = model;
  const { lisp } = model.profile;
  return inOrder(model, [
    { key: 'name', label: 'function', left: true,
      help: 'As in the report; a click shows its callers and callees',
      value: (row) => row.fn.name, cell: (row) => functionLink(row.fn) },
  ], [
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
    ...callColumns(model, [
      { key: 'calls', label: 'calls', help: callsHelp(model),
        value: (row) => row.calls },
      { key: 'per-call', label: lisp ? 'bytes / call' : 'bytes / alloc',
        help: `Inclusive bytes for each of these ${
          lisp ? 'calls' : 'allocations'}`,
        value: (row) => (row.calls === 0 ? 0
          : row.inclusive.bytes / row.calls),
        text: (row) => row.calls > 0
          ? number(Math.round(row.inclusive.bytes / row.calls)) : '' },
    ]),
  ], [
    ...moreColumns(model, 'self-', 'self ',
      'Of what the function itself allocated', (row) => row.self),
    ...moreColumns(model, 'inclusive-', 'inclusive ',
      'Of what the function and all below it allocated',
      (row) => row.inclusive),
  ]);
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
  const { lisp } = model.profile;
  return inOrder(model, [
    { key: 'name', label: lisp ? 'class' : 'size', left: true,
      help: lisp
        ? 'The class of instances and structures, else the type; a click ' +
          'shows the functions that allocate it'
        : 'How large the objects are; a click shows the functions that ' +
          'allocate such',
      value: (row) => row.type.name, cell: (row) => typeLink(row.type) },
  ], [
    ...amount('bytes', 'bytes', 'Bytes of all objects of the type',
      (row) => row.bytes, model.total.bytes),
    ...amount('allocs', 'allocs', 'Objects of the type',
      (row) => row.allocs, model.total.allocs),
    ...(lisp ? [{ key: 'category', label: 'category', left: true,
      help: 'The category that the type counts in',
      value: (row) => model.profile.categories[row.type.category].name,
      cell: (row) => element('span', {
        class: `category-name category-${row.type.category}` },
        model.profile.categories[row.type.category].name) },
    { key: 'type', label: 'type', left: true, help: 'The Lisp type',
      value: (row) => row.type.type }] : []),
  ], moreColumns(model, '', '', 'Of the objects of the type', (row) => row));
}

export function typesView(model, matches, sort, sortSizes) {
  const rows = model.shownTypes
    .filter((row) => matches === null || matches(row.type.name));
  return [
    table({ class: 'types', rows,
      caption: model.profile.lisp ? 'Types' : 'Small, medium, large, extra',
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
    columns: inOrder(model, [
      { key: 'size', label: 'size',
        help: 'Bytes of one object' + (model.profile.lisp
          ? '; "grown" are bodies of objects that grew' : ''),
        value: (bin) => (bin.kind === 'size' ? bin.size : Infinity),
        text: (bin) => words[bin.kind] ?? number(bin.size) },
    ], [
      ...amount('bytes', 'bytes', 'Bytes of all objects of that size',
        (bin) => bin.bytes, total.bytes),
      ...amount('allocs', 'allocs', 'Objects of that size',
        (bin) => bin.allocs, total.allocs),
      { key: 'name', label: model.profile.lisp ? 'mostly' : 'types', left: true,
        help: model.profile.lisp
          ? 'The type that has most of these bytes, and how many others'
          : "The program's types of that size, from its debug information",
        value: (bin) => bin.largest,
        text: (bin) => bin.largest +
          (bin.parts > 1 ? ` and ${number(bin.parts - 1)} more` : '') },
    ], moreColumns(model, '', '', 'Of the objects of that size',
      (bin) => bin)),
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
      columns: inOrder(model, [
        { key: 'name', label: 'function', left: true,
          help: 'The function; a click shows its callers and callees',
          value: (row) => row.fn.name, cell: (row) => functionLink(row.fn) },
      ], [
        ...amount('bytes', 'bytes',
          'Bytes of this type that the function itself allocated',
          (row) => row.bytes, bytes),
        ...amount('allocs', 'allocs',
          'Objects of this type that the function itself allocated',
          (row) => row.allocs, allocs),
      ], moreColumns(model, '', '', 'Of these objects', (row) => row)) }));
}

// Named regions: each with those in it, which stand below it.
export function regionsView(model, matches, sort, onFilter) {
  const rows = model.regions
    .filter((row) => matches === null || matches(row.region.name));
  const moment = (at) => (at < 0 ? ''
    : new Date(at).toISOString().replace('T', ' ').replace('Z', ''));
  const time = (key, label, help, of) => ({ key, label, help,
    value: (row) => of(row.region), text: (row) => moment(of(row.region)) });
  return [
    model.callsKnown && model.region === null ? null
      : element('p', { class: 'quiet' }, 'Only what is selected; entered, ' +
        'seconds and times are of the whole run.'),
    table({ class: 'regions', caption: 'Regions', rows, sort,
      nouns: ['region', 'regions'], tie: (row) => row.region.id,
      columns: inOrder(model, [
        { key: 'name', label: 'region', left: true,
          help: 'Its name, behind those of the regions around it; a click ' +
            'shows nothing but what was allocated in it',
          value: (row) => row.region.name,
          cell: (row) => element('button', { type: 'button', class: 'name',
            onclick: () => onFilter(row.region.id) }, row.region.name) },
      ], [
        ...amount('bytes', 'bytes', 'Bytes allocated in it and in the ' +
          'regions in it', (row) => row.bytes, model.total.bytes),
        ...amount('allocs', 'allocs', 'Objects allocated in it and in the ' +
          'regions in it', (row) => row.allocs, model.total.allocs),
        { key: 'entered', label: 'entered', help: 'How often, by all threads',
          value: (row) => row.region.entered },
        { key: 'seconds', label: 'seconds',
          help: 'Spent in it, threads added up',
          value: (row) => row.region.nanoseconds,
          text: (row) => (row.region.nanoseconds / 1e9).toFixed(6) },
        ...(model.profile.lisp ? [] : [{ key: 'held', label: 'held',
          help: 'Bytes of these that were live when it was left last',
          value: (row) => row.region.held,
          text: (row) => (row.region.held < 0 ? ''
            : number(row.region.held)) }]),
      ], moreColumns(model, '', '', 'Of these objects', (row) => row)).concat([
        time('first', 'first entered (UTC)', 'When it was entered first',
          (region) => region.first),
        time('last', 'last left (UTC)', 'When it was left last',
          (region) => region.last),
      ]) }),
  ];
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
    const counted = model.special ? sums.self[model.measure][node] > 0
      : sums.self.bytes[node] > 0 || sums.self.allocs[node] > 0;
    if (onChain[node] === 1 && counted) rows.push(node);
  }
  return table({
    class: 'contexts', caption: 'Contexts', rows, sort,
    nouns: ['context', 'contexts'], tie: (node) => node,
    columns: inOrder(model, [], [
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
      ...callColumns(model, [{ key: 'calls', label: 'calls',
        help: (model.profile.lisp
          ? 'Calls of the last function by the chain before it'
          : 'Allocations with this chain, or with it at the beginning of ' +
            'theirs') + unknownHelp(model),
        value: (node) => sums.self.calls[node] }]),
    ], moreMeasures(model.profile.measures, model.measure).flatMap((m) =>
      amount(m, MEASURES[m].label, `Of what was allocated at the end of the ` +
        `chain: ${MEASURES[m].noun}, ${MEASURES[m].help}`,
        (node) => sums.self[m][node], total[m]))).concat([
      { key: 'chain', label: 'chain of calls', left: true,
        help: 'From the first function to the one that allocated',
        value: (node) => tree.functions[tree.functionOf[node]].name,
        cell: (node) => chainCell(tree, node) },
    ]),
  });
}
