// SPDX-License-Identifier: LGPL-2.1-or-later

// One function: its figures, who calls it, what it calls, what it makes.  A
// click on a caller or callee goes on to that one.

import { amount, callColumns, categoryColumn, functionLink, inOrder,
  moreColumns, typeLink, unknownHelp } from './columns.js';
import { MEASURES, moreMeasures } from './measures.js';
import { typesOfFunction } from './chains.js';
import { categoryStrip, element, number, percent, plural } from './dom.js';
import { table } from './table.js';

function figure(label, value, more) {
  return element('div', { class: 'figure' },
    element('span', { class: 'label' }, label),
    element('strong', {}, Number.isNaN(value) ? 'unknown' : number(value)),
    element('span', { class: 'quiet' }, more));
}

function arcsTable(model, row, arcs, settings) {
  const { other, verb, caption, none } = settings;
  const whole = row.inclusive.bytes;
  return table({
    class: settings.class, caption, rows: arcs, sort: settings.sort,
    nouns: settings.nouns,
    columns: inOrder(model, [
      { key: 'name', label: settings.nouns[0], left: true, help: none,
        value: (arc) => other(arc)?.name ?? '<root>',
        cell: (arc) => other(arc) === null
          ? element('span', { class: 'quiet' }, '<root>')
          : functionLink(other(arc)) },
    ], [
      ...amount('bytes', 'bytes',
        `Bytes allocated below this call, once a chain; ${verb}`,
        (arc) => arc.inclusive.bytes, whole),
      categoryColumn(model, (arc) => arc.inclusive),
      { key: 'allocs', label: 'allocs',
        help: 'Objects allocated below this call',
        value: (arc) => arc.inclusive.allocs },
      ...callColumns(model, [{ key: 'calls', label: 'calls',
        help: (model.profile.lisp
          ? 'Calls from the one to the other that led to an allocation'
          : 'Allocations with the one calling the other on their chain') +
          unknownHelp(model),
        value: (arc) => arc.calls }]),
    ], moreMeasures(model.profile.measures, model.measure).flatMap((m) =>
      amount(m, MEASURES[m].label, `Of what was allocated below this call: ${
        MEASURES[m].noun}, ${MEASURES[m].help}`,
        (arc) => arc.inclusive[m], row.inclusive[m]))),
  });
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

export function functionPage(model, id, sorts, onSearch) {
  const row = model.functions[id];
  if (row === undefined)
    return element('p', {}, 'There is no such function.');
  const { fn, self, inclusive, calls } = row;
  const { total, tree, profile } = model;
  const name = (other) => tree.functions[other];
  const callers = (model.callers.get(id) ?? []).map((arc) => ({ ...arc }));
  if (row.root.bytes > 0 || row.root.allocs > 0 || row.rootCalls > 0)
    callers.push({ caller: -1, callee: id, calls: row.rootCalls,
      inclusive: row.root });
  const types = typesOfFunction(profile, tree, model.filter, id);
  return element('article', { class: 'function-page' },
    element('h1', { class: 'name' }, fn.name),
    element('p', { class: 'facts' },
      [fn.file + (fn.file !== '' && fn.line > 0 ? `, line ${fn.line}` : ''),
        fn.system ? "one of ECL's own" : ''].filter((t) => t !== '')
        .join('; ')),
    element('div', { class: 'figures' },
      figure('self bytes', self.bytes, percent(self.bytes, total.bytes)),
      figure('self allocs', self.allocs, percent(self.allocs, total.allocs)),
      figure('inclusive bytes', inclusive.bytes,
        percent(inclusive.bytes, total.bytes)),
      figure('inclusive allocs', inclusive.allocs,
        percent(inclusive.allocs, total.allocs)),
      model.callsKnown ? figure('calls', calls, calls > 0
        ? `${number(Math.round(inclusive.bytes / calls))} bytes each` : '')
        : null,
      moreMeasures(profile.measures, model.measure).map((m) =>
        figure(`inclusive ${MEASURES[m].label}`, inclusive[m],
          `${number(self[m])} itself`))),
    element('p', {}, categoryStrip(inclusive.categories, inclusive.bytes || 1,
      profile.categories)),
    element('p', {}, element('button', { type: 'button',
      onclick: () => onSearch(fn) }, 'Find it in the flame graph')),
    cycleOf(model, fn),
    element('div', { class: 'columns' },
      arcsTable(model, row, callers, {
        class: 'callers', caption: 'Callers', sort: sorts.callers,
        nouns: ['caller', 'callers'],
        other: (arc) => (arc.caller < 0 ? null : name(arc.caller)),
        verb: 'what this caller is responsible for here',
        none: 'Who calls it; <root>: no caller shows. A click goes there' }),
      arcsTable(model, row, model.callees.get(id) ?? [], {
        class: 'callees', caption: 'Callees', sort: sorts.callees,
        nouns: ['callee', 'callees'],
        other: (arc) => name(arc.callee),
        verb: 'what the callee did for this function',
        none: 'What it calls. A click goes there' })),
    table({ class: 'function-types', caption: profile.lisp
      ? 'Types that it itself allocates' : 'Sizes that it itself allocates',
      rows: types, sort: sorts.types, nouns: ['type', 'types'],
      columns: inOrder(model, [
        { key: 'name', label: profile.lisp ? 'type or class' : 'size',
          left: true,
          help: 'The class, or the type of what has none; a click shows all ' +
            'functions that allocate it',
          value: (t) => t.type.name, cell: (t) => typeLink(t.type) },
      ], [
        ...amount('bytes', 'bytes',
          'Bytes of this type that the function itself allocated',
          (t) => t.bytes, self.bytes),
        ...amount('allocs', 'allocs',
          'Objects of this type that the function itself allocated',
          (t) => t.allocs, self.allocs),
      ], moreColumns(model, '', '', 'Of these objects', (t) => t)) }));
}
