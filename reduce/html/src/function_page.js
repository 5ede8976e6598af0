// SPDX-License-Identifier: LGPL-2.1-or-later

// One function: its figures, its callers, its callees, the types of what it
// allocates.  A click on a caller or callee goes on to that one.

const ROOT = { name: '<root>' };

function figure(label, value, more) {
  return element('div', { class: 'figure' },
    element('span', { class: 'label' }, label),
    element('strong', {}, Number.isNaN(value) ? 'unknown' : number(value)),
    element('span', { class: 'quiet' }, more));
}

// The callers (SIDE is 'above') or callees ('below') of ROW: ARCS, of which
// OTHER(arc) is the other end.
function arcsTable(model, row, arcs, { side, other, sort }) {
  const { label, caption, nouns, who, what } = model.profile.terms[side];
  const end = (arc) => model.tree.functions[other(arc)] ?? ROOT;
  const link = (fn) => fn === ROOT
    ? element('span', { class: 'quiet' }, fn.name) : functionLink(fn);
  return table({ class: side === 'above' ? 'callers' : 'callees', rows: arcs,
    sort, caption, nouns, columns: [
      nameColumn(label, who, end, link),
      ...measureColumns(model, what, (arc, word) => arc.inclusive[word],
        { whole: row.inclusive,
          categories: (arc) => arc.inclusive.categories }),
      ...callColumns(model, (arc, key) => arc[key],
        'Calls from the caller to the callee that led to an allocation',
        'Allocations with this pair of caller and callee on their chain'),
    ] });
}

function cycleOf(model, fn) {
  if (fn.cycle === 0) return null;
  const members = model.tree.functions.filter((f) => f.cycle === fn.cycle);
  return element('details', { class: 'cycle' },
    element('summary', {},
      `Member of cycle ${fn.cycle}: ${plural(members.length,
        ...model.profile.terms.frame)}, each reachable from all others`),
    element('p', {}, members.flatMap((f, i) =>
      i === 0 ? [functionLink(f)] : [', ', functionLink(f)])));
}

const isWhole = ({ word }) => word === 'bytes' || word === 'allocs';

function figureCards(model, row) {
  const { self, inclusive, calls } = row;
  const { compared, terms } = model.profile;
  const card = (label, figures, word, more) => figure(label, figures[word],
    compared ? comparison((w) => figures[w], word) : more);
  const share = (figures, word) => percent(figures[word], model.total[word]);
  return element('div', { class: 'figures' },
    [['self', self], [terms.inclusive, inclusive]].flatMap(([which, figures]) =>
      model.profile.measures.filter(isWhole).map(({ word, label }) =>
        card(`${which} ${label}`, figures, word, share(figures, word)))),
    model.callsKnown && figure('calls', calls, compared
      ? `${number(row.callsBefore)} before` : calls > 0 &&
        `${number(Math.round(inclusive.bytes / calls))} bytes per ${
          callNouns(model)[0]}`),
    measureGroups(model).flat().filter((measure) => !isWhole(measure))
      .map(({ word, label }) => card(`${terms.inclusive} ${label}`, inclusive,
        word, `self ${number(self[word])}`)));
}

function typesTable(model, row, sort) {
  const { profile } = model;
  const types = [...sumBy(profile, model.sums, (fn, type) =>
    fn === row.fn.id ? type : undefined)].map(([type, figures]) =>
    ({ type: profile.types[type], ...figures }));
  const things = profile.lisp ? 'Types' : 'Sizes';
  return table({ class: 'function-types', rows: types, sort,
    caption: `${things} ${profile.terms.types}`, nouns: ['type', 'types'],
    columns: [
      nameColumn(profile.lisp ? 'type or class' : 'size', profile.lisp
        ? 'The class, or else the type' : 'The category of the size',
      (t) => t.type, typeLink),
      ...measureColumns(model, profile.terms.self, (t, word) => t[word],
        { whole: row.self, shares: true }),
    ] });
}

function functionPage(model, id, sortOf, onSearch) {
  const row = model.functions[id];
  if (row === undefined)
    return element('p', {}, 'There is no such page.');
  const { fn, inclusive, root } = row;
  const callers = [...model.callers.get(id) ?? []];
  const outermost = { caller: -1, calls: row['calls-root'],
    callsBefore: row['callsBefore-root'], inclusive: root };
  if (isUsed(outermost)) callers.push(outermost);
  const place = fn.file + (fn.file !== '' && fn.line > 0
    ? `, line ${fn.line}` : '');
  return element('article', { class: 'function-page' },
    element('h1', { class: 'name' }, fn.name),
    element('p', { class: 'facts' },
      [place, fn.system ? 'part of ECL' : ''].filter(Boolean).join('; ')),
    figureCards(model, row),
    element('p', {}, categoryStrip(inclusive.categories, inclusive.bytes,
      model.profile.categories)),
    element('p', {}, button('Find in the flame graph', () => onSearch(fn))),
    cycleOf(model, fn),
    arcsTable(model, row, callers, { side: 'above', sort: sortOf('callers'),
      other: (arc) => arc.caller }),
    arcsTable(model, row, model.callees.get(id) ?? [], { side: 'below',
      sort: sortOf('callees'), other: (arc) => arc.callee }),
    typesTable(model, row, sortOf('own-types')),
    sourceLines(model, fn));
}
