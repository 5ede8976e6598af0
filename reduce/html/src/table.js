// SPDX-License-Identifier: LGPL-2.1-or-later

// A table that sorts by a click on a heading, shows the first rows and more
// on demand, and explains its columns below.
//
// A column is
//   {key, label, help, value(row), text(row)?, cell(row)?, left?}
// VALUE sorts; what shows is the element that CELL makes, else TEXT, else
// the value itself, with separators when it is a number.  NaN is a number
// that is not known: it is blank, and comes last in either direction.

import { element, number, plural, replaceChildren } from './dom.js';

const FIRST_ROWS = 100;

function compare(a, b) {
  if (typeof a === 'string') return a < b ? -1 : a > b ? 1 : 0;
  return a - b;
}

function cellOf(column, row) {
  let content;
  if (column.cell !== undefined) content = column.cell(row);
  else if (column.text !== undefined) content = column.text(row);
  else {
    const value = column.value(row);
    content = typeof value === 'number' ? number(value) : value;
  }
  const classes = column.left ? 'left' : 'right';
  return element('td', { class: `${classes} ${column.key}` }, content);
}

// A table of ROWS.  SETTINGS: caption; columns; rows; sort, the key of the
// column to begin with, largest first (a {key, up} object is kept there as
// the user changes it); nouns, such as ['function', 'functions']; total, a
// row that stands first whatever the order; first, how many rows to show.
export function table(settings) {
  const { columns, rows, nouns, sort } = settings;
  const first = settings.first ?? FIRST_ROWS;
  let shown = first;
  const head = element('tr');
  const body = element('tbody');
  const more = element('div', { class: 'more' });

  const heading = (column) => {
    const active = column.key === sort.key;
    const direction = sort.up ? 'ascending' : 'descending';
    return element(
      'th',
      {
        scope: 'col',
        class: column.left ? 'left' : 'right',
        'aria-sort': active ? direction : 'none',
      },
      element(
        'button',
        {
          type: 'button',
          title: column.help,
          onclick() {
            sort.up = active ? !sort.up : Boolean(column.left);
            sort.key = column.key;
            show();
            head.querySelector(`[aria-sort="${sort.up ? 'a' : 'de'}scending"]
              button`)?.focus();
          },
        },
        column.label
      )
    );
  };

  const show = () => {
    const column = columns.find((c) => c.key === sort.key) ?? columns[0];
    const tie = settings.tie ?? columns.find((c) => c.left)?.value;
    const ordered = rows
      .map((row) => ({ row, key: column.value(row) }))
      .sort(
        (a, b) =>
          Number.isNaN(a.key) - Number.isNaN(b.key) ||
          (sort.up ? 1 : -1) * compare(a.key, b.key) ||
          (tie === undefined ? 0 : compare(tie(a.row), tie(b.row)))
      );
    replaceChildren(head, columns.map(heading));
    const lines = ordered
      .slice(0, shown)
      .map(({ row }) => element('tr', {}, columns.map((c) => cellOf(c, row))));
    if (settings.total !== undefined)
      lines.unshift(
        element(
          'tr',
          { class: 'total' },
          columns.map((c) => cellOf(c, settings.total))
        )
      );
    replaceChildren(body, lines);
    const rest = rows.length - shown;
    replaceChildren(
      more,
      rows.length === 0 ? element('p', { class: 'quiet' }, 'None.') : null,
      rest > 0
        ? element(
            'button',
            {
              type: 'button',
              onclick() {
                shown += Math.max(first, FIRST_ROWS);
                show();
              },
            },
            `Show more (${plural(rest, ...nouns)} left)`
          )
        : null
    );
  };

  show();
  return element(
    'section',
    { class: `table ${settings.class ?? ''}` },
    settings.caption === undefined
      ? null
      : element('h2', {}, settings.caption),
    element(
      'div',
      { class: 'scroll' },
      element('table', {}, element('thead', {}, head), body)
    ),
    more,
    legend(columns)
  );
}

// What the columns mean.
export function legend(columns) {
  return element(
    'details',
    { class: 'legend' },
    element('summary', {}, 'What the columns mean'),
    element(
      'dl',
      {},
      columns.map((column) => [
        element('dt', {}, column.label || 'c f s o'),
        element('dd', {}, column.help),
      ])
    )
  );
}
