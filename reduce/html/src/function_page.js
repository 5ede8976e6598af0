// SPDX-License-Identifier: LGPL-2.1-or-later

// One function: its figures, who calls it, what it calls, what it makes.  A
// click on a caller or callee goes on to that one.

const ROOT = { name: '<root>' };

function figure(label, value, more) {
  return element('div', { class: 'figure' },
    element('span', { class: 'label' }, label),
    element('strong', {}, Number.isNaN(value) ? 'unknown' : number(value)),
    element('span', { class: 'quiet' }, more));
}

// The callers or callees of ROW: ARCS, of which OTHER(arc) is the other end.
function arcsTable(model, row, arcs, { side, other, what, help, sort }) {
  const end = (arc) => model.tree.functions[other(arc)] ?? ROOT;
  const link = (fn) => fn === ROOT
    ? element('span', { class: 'quiet' }, fn.name) : functionLink(fn);
  return table({ class: `${side}s`, rows: arcs, sort,
    caption: side === 'caller' ? 'Callers' : 'Callees',
    nouns: [side, `${side}s`],
    columns: [
      nameColumn(side, help, end, link),
      ...measureColumns(model, `Allocated below this call, once a chain; ${
        what}`, (arc, word) => arc.inclusive[word],
      { whole: row.inclusive, categories: (arc) => arc.inclusive.categories }),
      ...callColumns(model, (arc, key) => arc[key],
        'Calls from the one to the other that led to an allocation',
        'Allocations with the one calling the other on their chain'),
    ] });
}

function cycleOf(model, fn) {
  if (fn.cycle === 0) return null;
  const members = model.tree.functions.filter((f) => f.cycle === fn.cycle);
  return element('details', { class: 'cycle' },
    element('summary', {},
      `Member of cycle ${fn.cycle}: ${plural(members.length, 'function',
        'functions')} that call each other in a circle`),
    element('p', {}, members.flatMap((f, i) =>
      i === 0 ? [functionLink(f)] : [', ', functionLink(f)])));
}

function figureCards(model, row) {
  const { self, inclusive, calls } = row;
  const { compared } = model.profile;
  const card = (label, figures, word, more) => figure(label, figures[word],
    compared ? comparison((w) => figures[w], word) : more);
  const share = (figures, word) => percent(figures[word], model.total[word]);
  return element('div', { class: 'figures' },
    ['bytes', 'allocs'].map((word) =>
      card(`self ${word}`, self, word, share(self, word))),
    ['bytes', 'allocs'].map((word) =>
      card(`inclusive ${word}`, inclusive, word, share(inclusive, word))),
    model.callsKnown && figure('calls', calls, compared
      ? `${number(row.callsBefore)} before` : calls > 0
        ? `${number(Math.round(inclusive.bytes / calls))} bytes each` : ''),
    measureGroups(model).flat()
      .filter(({ word }) => word !== 'bytes' && word !== 'allocs')
      .map(({ word, label }) => card(`inclusive ${label}`, inclusive, word,
        `${number(self[word])} itself`)));
}

function typesTable(model, row, sort) {
  const { profile } = model;
  const types = [...sumBy(profile, model.sums, (fn, type) =>
    fn === row.fn.id ? type : undefined)].map(([type, figures]) =>
    ({ type: profile.types[type], ...figures }));
  const things = profile.lisp ? 'Types' : 'Sizes';
  return table({ class: 'function-types', rows: types, sort,
    caption: `${things} that it itself allocates`, nouns: ['type', 'types'],
    columns: [
      nameColumn(profile.lisp ? 'type or class' : 'size', 'The class, or the ' +
        'type of what has none; a click shows all functions that allocate it',
      (t) => t.type, typeLink),
      ...measureColumns(model, 'What the function itself allocated of it',
        (t, word) => t[word], { whole: row.self, shares: true }),
    ] });
}

function functionPage(model, id, sortOf, onSearch) {
  const row = model.functions[id];
  if (row === undefined)
    return element('p', {}, 'There is no such function.');
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
      [place, fn.system ? "one of ECL's own" : ''].filter(Boolean).join('; ')),
    figureCards(model, row),
    element('p', {}, categoryStrip(inclusive.categories, inclusive.bytes,
      model.profile.categories)),
    element('p', {}, button('Find it in the flame graph', () => onSearch(fn))),
    cycleOf(model, fn),
    element('div', { class: 'columns' },
      arcsTable(model, row, callers, { side: 'caller', sort: sortOf('callers'),
        other: (arc) => arc.caller,
        what: 'what this caller is responsible for here',
        help: 'Who calls it; <root>: no caller shows. A click goes there' }),
      arcsTable(model, row, model.callees.get(id) ?? [], { side: 'callee',
        sort: sortOf('callees'), other: (arc) => arc.callee,
        what: 'what the callee did for this function',
        help: 'What it calls. A click goes there' })),
    typesTable(model, row, sortOf('own-types')),
    sourceLines(model, fn));
}
