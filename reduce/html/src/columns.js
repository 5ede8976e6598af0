// SPDX-License-Identifier: LGPL-2.1-or-later

// Columns that several tables have, each with its explanation.

import { categoryStrip, element, number, percent } from './dom.js';
import { MEASURES, moreMeasures } from './measures.js';

export const routeTo = {
  function: (id) => `#/function/${id}`,
  type: (id) => `#/type/${id}`,
};

export function functionLink(fn) {
  return element('a', { href: routeTo.function(fn.id), class: 'name' },
    fn.name);
}

export function typeLink(type) {
  return element('a', { href: routeTo.type(type.id), class: 'name' },
    type.name);
}

// Two columns: VALUE(row), and its share of WHOLE with a bar.
export function amount(key, label, help, value, whole) {
  return [
    {
      key,
      label,
      help,
      value,
    },
    {
      key: `${key}-share`,
      label: '%',
      help: `${label} as a share of ${number(whole)}, all that is selected`,
      value,
      cell(row) {
        const bar = element('span', { class: 'bar' });
        const share = whole === 0 ? 0 : (100 * value(row)) / whole;
        bar.style.width = `${share}%`;
        return element('span', { class: 'share' }, bar,
          element('span', {}, percent(value(row), whole)));
      },
    },
  ];
}

export function categoryColumn(model, figures) {
  const { categories, lisp } = model.profile;
  return {
    key: 'categories',
    label: categories.map((c) => c.letter).join(' '),
    help: `Those bytes by category: ${
      lisp
        ? 'c cons cells; f floats; s structures, instances, arrays and ' +
          'strings; o all else'
        : categories.map((c) => `${c.letter} ${c.name} bytes`).join('; ')
    }`,
    value: (row) => figures(row).bytes,
    cell: (row) =>
      categoryStrip(figures(row).categories, figures(row).bytes || 1,
        categories),
  };
}

// The columns of MODEL for measures beside bytes and allocs, each with its
// share: WHAT is said of them, FIGURES(row) has them, KEY begins the keys.
export function moreColumns(model, key, label, what, figures) {
  return moreMeasures(model.profile.measures, model.measure).flatMap((m) =>
    amount(`${key}${m}`, `${label}${MEASURES[m].label}`,
      `${what}: ${MEASURES[m].noun}, ${MEASURES[m].help}`,
      (row) => figures(row)[m], model.total[m]));
}

// Columns in the order that fits what is measured: MORE comes first when the
// measure is one of these.
export function inOrder(model, head, usual, more) {
  return model.measure === 'bytes' || model.measure === 'allocs'
    ? [...head, ...usual, ...more] : [...head, ...more, ...usual];
}

// What a call is called: the monitor of C takes each allocation for one of
// every function on its chain.
export function callNouns(model) {
  return model.profile.lisp ? ['call', 'calls'] : ['allocation', 'allocations'];
}

export function callsHelp(model) {
  return (model.profile.lisp
    ? 'Calls that led to an allocation, in the function or below it. '
    : 'Allocations with the function on their chain: each counts as one ' +
      'call of it. ') +
    'A call has no type: filters by type and category leave it as it is' +
    unknownHelp(model);
}

// What follows the explanation of calls when some of them are not known.
export function unknownHelp(model) {
  return model.functions.some((row) => Number.isNaN(row.calls))
    ? '. Blank: unknown, the calls of this function are not counted' : '';
}

// COLUMNS that say something of calls, unless these are not known.
export function callColumns(model, columns) {
  return model.callsKnown ? columns : [];
}
