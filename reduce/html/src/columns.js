// SPDX-License-Identifier: LGPL-2.1-or-later

// Columns that several tables have, each with its explanation.

import { categoryStrip, element, number, percent } from './dom.js';

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

export const callsHelp =
  'Calls that led to an allocation, in the function or below it. ' +
  'A call has no type: filters by type and category leave it as it is';
