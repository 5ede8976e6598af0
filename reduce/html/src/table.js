// SPDX-License-Identifier: LGPL-2.1-or-later

// A table that sorts by a click on a heading, shows the first rows and more
// on demand, and lists its columns: what each means, and whether it shows.
//
// A column is
//   {key, label, help, value(row), head()?, cell(row)?, left?}
// VALUE sorts.  The heading shows the elements of HEAD, or else the label; the
// cell what CELL returns, or else the value.  NaN stands for an unknown number:
// it is blank, and comes last in either order.

const FIRST_ROWS = 100;

function compare(a, b) {
  if (typeof a === 'string') return a < b ? -1 : a > b ? 1 : 0;
  return a - b;
}

function cellOf(column, row) {
  const content = (column.cell ?? column.value)(row);
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
  const tie = settings.tie ?? columns.find((c) => c.left).value;
  const head = element('tr');
  const body = element('tbody');
  const more = element('div', { class: 'more' });
  const list = columnList(columns, () => {
    shell.setOf('columns', name, list.chosen());
    show();
  });
  let shown = first;
  const heading = (column, sort) => {
    const sorts = column.key === sort.key;
    const turn = () => {
      const up = sorts ? !sort.up : column.left;
      shell.setOf('sort', name, column.key + (up ? '-' : ''));
      show();
      head.querySelector('th:not([aria-sort=none]) button').focus();
    };
    return element('th', { scope: 'col', class: column.left ? 'left' : '',
      'aria-sort': sorts ? sort.up ? 'ascending' : 'descending' : 'none' },
    button(column.head?.() ?? column.label, turn, { title: column.help }));
  };
  const show = () => {
    const sort = shell.sortOf(name);
    const find = (key) => columns.find((c) => c.key === key);
    const column = find(sort.key) ?? find(sort.usual) ?? columns[0];
    const rest = rows.length - shown;
    const few = [columns[0].key, columns.find((c) => c.left).key, sort.key,
      sort.usual, `${sort.usual}-share`];
    const chosen = shell.valueOf('columns', name)?.split(' ') ??
      (SMALL.matches ? few : columns.map(({ key }) => key));
    const seen = columns.filter(({ key }) => chosen.includes(key));
    list.show(seen);
    replaceChildren(head, seen.map((c) => heading(c, sort)));
    replaceChildren(body, inOrder(rows, column, sort.up, tie).slice(0, shown)
      .map((row) => element('tr', {}, seen.map((c) => cellOf(c, row)))));
    replaceChildren(more,
      rows.length === 0 && element('p', { class: 'quiet' }, 'None.'),
      rest > 0 && button(`Show more (${plural(rest, ...nouns)} left)`, () => {
        shown += Math.max(first, FIRST_ROWS);
        show();
      }));
  };
  show();
  return element('section', { class: `table ${name}` },
    element('h2', {}, caption), list.element,
    element('div', { class: 'scroll' },
      element('table', {}, element('thead', {}, head), body)), more);
}

// Returns the list of COLUMNS: its element; show(seen), which ticks those that
// show; chosen(), the keys of those with a tick.  CHANGE() is called for a tick.
function columnList(columns, change) {
  const summary = element('summary');
  const boxes = columns.map(({ key }) => element('input',
    { type: 'checkbox', value: key, onchange: change }));
  return {
    element: element('details', { class: 'legend' }, summary,
      element('dl', {}, columns.map(({ label, help }, i) => [
        element('dt', {}, element('label', {}, boxes[i], label)),
        element('dd', {}, help)]))),
    show: (seen) => {
      summary.textContent = `Columns (${seen.length} of ${
        columns.length}) and their meaning`;
      boxes.forEach((box, i) => { box.checked = seen.includes(columns[i]); });
    },
    chosen: () => boxes.filter((box) => box.checked).map(({ value }) => value)
      .join(' '),
  };
}

// Columns that several tables have, with their explanations.

const linkTo = (view) => ({ id, name }) =>
  element('a', { href: `#/${view}/${id}`, class: 'name' }, name);
const functionLink = linkTo('function');
const typeLink = linkTo('type');
const functionLinks = (all, between) => all.flatMap((fn, i) =>
  i === 0 ? [functionLink(fn)] : [between, functionLink(fn)]);

// A column of names, where WHO(row) is a function or a type.
function nameColumn(label, help, who, link) {
  return { key: 'name', label, help, left: true,
    value: (row) => who(row).name, cell: (row) => link(who(row)) };
}

// A column with the share of VALUE(row) in WHOLE, and a bar.
function shareColumn(key, label, value, whole) {
  return { key: `${key}-share`, label: '%', value,
    help: `${label} as a percentage of ${number(whole)}`,
    cell: (row) => element('span', { class: 'share' }, bar(value(row), whole),
      element('span', {}, percent(value(row), whole))) };
}

function categoryColumn(profile, figures) {
  return { key: 'categories', label: profile.categories.join(' '),
    head: () => profile.categories.map((name, i) =>
      [' ', chip(`category category-${i}`, name)]),
    help: `These bytes by ${profile.categoriesHelp}`,
    value: (row) => figures(row)('bytes'),
    cell: (row) => categoryStrip(figures(row), profile.categories) };
}

// The measures that tables have columns for, in two groups: of everything
// allocated, and of parts of it.  The group of the chosen measure comes first.
// A part has a column of bytes.  It has one of objects, too, if that is chosen
// or bytes are unknown.  In a comparison only the chosen measure has columns,
// since it takes three.
function measureGroups({ profile, measures, measure }) {
  if (profile.compared) return [[measure], []];
  const usual = measures.filter(({ part }) => !part);
  const parts = measures.filter((m) => m.part && (m.bytes || m === measure ||
    !measures.some((other) => other.bytes && other.what === m.what)));
  parts.sort((a, b) => (b === measure) - (a === measure));
  return measure.part ? [parts, usual] : [usual, parts];
}

// The three columns that a figure has in a comparison.  A change as large as the
// WHOLE of either profile has the strongest colour.
function changeColumns(key, label, help, now, old, whole) {
  const most = Math.max(...whole) || Infinity;
  return [
    { key: beforeOf(key), label: `${label} before`, value: old,
      help: `${help}, in the old profile` },
    { key, label: `${label} after`, value: now,
      help: `${help}, in the new profile` },
    { key: `${key}-change`, label: `${label} change`,
      value: (row) => Math.abs(now(row) - old(row)),
      cell: (row) => paintChange(element('span', { class: 'change' },
        signed(now(row) - old(row))), old(row), now(row),
      Math.abs(now(row) - old(row)) / most),
      help: 'After minus before. Sorted by its size, whatever its sign. Red ' +
        'is more, blue is less; a strong colour is a large share of the whole' },
  ];
}

// A column for each measure of FIGURES(row); WHAT explains them.  SETTINGS:
// measures, in place of all; prefix, of keys; label, in place of prefix; whole,
// which shares are parts of; shares, whether all measures have them, not bytes
// alone; categories, whether there is a column of them.
function measureColumns(model, what, figures, settings = {}) {
  const { prefix = '', whole = model.total, shares, categories } = settings;
  const measures = settings.measures ?? measureGroups(model).flat();
  return measures.flatMap((measure) => {
    const key = prefix === '' ? measure.key : `${prefix}-${measure.key}`;
    const label = `${settings.label ?? prefix} ${measure.label}`.trim();
    const own = (row) => figures(row)(measure.key);
    const help = `${what} (${measure.noun}${
      measure.part ? `, ${measure.what}` : ''})`;
    if (model.profile.compared)
      return changeColumns(key, label, help, own,
        (row) => figures(row)(beforeOf(measure.key)),
        model.profile.names.map((name) => whole(name(measure.key))));
    return [{ key, label, value: own, help },
      ...shares || measure.bytes || measure === model.measure
        ? [shareColumn(key, label, own, whole(measure.key))] : [],
      ...categories && measure.key === 'bytes'
        ? [categoryColumn(model.profile, figures)] : []];
  });
}

// The nouns for calls.  In C each allocation counts as a call of each function
// on its chain; of a chosen time there are only the objects in use.
function callNouns({ profile, at }) {
  return profile.lisp ? ['call', 'calls']
    : at < 0 ? ['allocation', 'allocations'] : ['object', 'objects'];
}

// Returns the mean of BYTES in COUNT, rounded; NaN if COUNT is 0 or unknown.
const average = (bytes, count) => count > 0 ? Math.round(bytes / count) : NaN;

// Returns "7 calls × 143 B", the average of the measure for a row, or '' if the
// divisor is unknown.  ALL(key) are the figures of the row with everything
// below it, CALLS its calls.  There is one rule for the whole page: what was
// allocated is divided by the calls of the same row, in C by the allocations; a
// part of it, such as what was kept, by the objects of that part, and so is what
// is held.
function averageText(model, all, calls) {
  const { measure, measures, profile: { lisp, holders } } = model;
  const objects = measures.find(({ bytes, what }) =>
    !bytes && what === measure.what);
  const byCalls = lisp && !holders && !measure.part;
  const count = !byCalls ? all(objects?.key) : model.callsKnown ? calls : NaN;
  if (!(count > 0) || (!byCalls && measure === objects)) return '';
  const nouns = measure.part || holders ? ['object', 'objects'] : callNouns(model);
  return `${plural(count, ...nouns)} × ${brief(all(measure.key) / count, measure)}`;
}

// The column of calls, of FIGURES(row), with an explanation for either
// monitor.  There is none if calls are not known.
function callColumns(model, figures, inLisp, inC) {
  if (!model.callsKnown) return [];
  const unknown = model.functions.some(({ self }) =>
    model.profile.names.some((name) => Number.isNaN(self(name('calls')))));
  const help = (model.profile.lisp ? inLisp : inC) +
    (unknown ? '. Blank: calls of this function are not counted' : '');
  const own = (key) => (row) => figures(row)(key);
  return model.profile.compared
    ? changeColumns('calls', 'calls', help, own('calls'), own('calls-before'),
      model.profile.names.map((name) => model.total(name('calls'))))
    : [{ key: 'calls', label: 'calls', value: own('calls'), help }];
}
