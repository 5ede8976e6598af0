// SPDX-License-Identifier: LGPL-2.1-or-later

// A table that sorts by a click on a heading, shows the first rows and more
// on demand, and explains its columns below.
//
// A column is
//   {key, label, help, value(row), text(row)?, cell(row)?, left?}
// VALUE sorts.  The cell shows the element of CELL, or TEXT, or else the value.
// NaN stands for an unknown number: it is blank, and comes last in either order.

const FIRST_ROWS = 100;

function compare(a, b) {
  if (typeof a === 'string') return a < b ? -1 : a > b ? 1 : 0;
  return a - b;
}

function cellOf(column, row) {
  const content = (column.cell ?? column.text ?? column.value)(row);
  return element('td', { class: column.left ? 'left' : '' },
    typeof content === 'number' ? number(content) : content);
}

// Sorts ROWS by COLUMN, then by TIE(row).
function inOrder(rows, column, up, tie) {
  const sign = up ? 1 : -1;
  return rows.map((row) => ({ row, key: column.value(row) }))
    .sort((a, b) => Number.isNaN(a.key) - Number.isNaN(b.key) ||
      sign * compare(a.key, b.key) || compare(tie(a.row), tie(b.row)))
    .map(({ row }) => row);
}

// Returns the table NAME.  SETTINGS: rows; caption; columns; nouns, such as
// ['function', 'functions']; tie(row), which orders equal rows; first, how many
// rows to show.
function table(shell, name, settings) {
  const { caption, columns, rows, nouns, first = FIRST_ROWS } = settings;
  const tie = settings.tie ?? columns.find((c) => c.left)?.value;
  const head = element('tr');
  const body = element('tbody');
  const more = element('div', { class: 'more' });
  let shown = first;
  const heading = (column, sort) => {
    const sorts = column.key === sort.key;
    const turn = () => {
      shell.setSort(name, column.key, sorts ? !sort.up : Boolean(column.left));
      show();
      head.querySelector('th:not([aria-sort=none]) button').focus();
    };
    return element('th', { scope: 'col', class: column.left ? 'left' : '',
      'aria-sort': sorts ? sort.up ? 'ascending' : 'descending' : 'none' },
    button(column.label, turn, { title: column.help }));
  };
  const show = () => {
    const sort = shell.sortOf(name);
    const find = (key) => columns.find((c) => c.key === key);
    const column = find(sort.key) ?? find(sort.usual) ?? columns[0];
    const rest = rows.length - shown;
    replaceChildren(head, columns.map((c) => heading(c, sort)));
    replaceChildren(body, inOrder(rows, column, sort.up, tie).slice(0, shown)
      .map((row) => element('tr', {}, columns.map((c) => cellOf(c, row)))));
    replaceChildren(more,
      rows.length === 0 && element('p', { class: 'quiet' }, 'None.'),
      rest > 0 && button(`Show more (${plural(rest, ...nouns)} left)`, () => {
        shown += Math.max(first, FIRST_ROWS);
        show();
      }));
  };
  show();
  return element('section', { class: `table ${name}` },
    element('h2', {}, caption),
    element('div', { class: 'scroll' },
      element('table', {}, element('thead', {}, head), body)),
    more, legend(columns));
}

// Explains COLUMNS.
function legend(columns) {
  return element('details', { class: 'legend' },
    element('summary', {}, 'What the columns mean'),
    element('dl', {}, columns.map((column) => [
      element('dt', {}, column.label), element('dd', {}, column.help)])));
}
