// SPDX-License-Identifier: LGPL-2.1-or-later

// Columns that several tables have, each with its explanation.

function functionLink(fn) {
  return element('a', { href: `#/function/${fn.id}`, class: 'name' }, fn.name);
}

function typeLink(type) {
  return element('a', { href: `#/type/${type.id}`, class: 'name' }, type.name);
}

// The column of names: WHO(row) is a function or a type.
function nameColumn(label, help, who, link) {
  return { key: 'name', label, help, left: true,
    value: (row) => who(row).name, cell: (row) => link(who(row)) };
}

// The share of WHOLE that VALUE(row) is, with a bar.
function shareColumn(key, label, value, whole) {
  return { key: `${key}-share`, label: '%', value,
    help: `${label} as a percentage of ${number(whole)}`,
    cell: (row) => element('span', { class: 'share' }, bar(value(row), whole),
      element('span', {}, percent(value(row), whole))) };
}

function categoryColumn(profile, value, parts) {
  return { key: 'categories',
    label: profile.letters.join(' '),
    help: `These bytes by ${profile.categoriesHelp}`, value,
    cell: (row) => categoryStrip(parts(row), value(row), profile.categories) };
}

// The measures that tables have columns for, in two groups: of all that was
// allocated, and of parts of it, these first when one of them is chosen.
// Parts have their bytes, and their objects where these are chosen or nobody
// counts bytes.  If two profiles are compared, each measure has three
// columns, and tables have the chosen one alone.
function measureGroups({ profile, measure, special }) {
  if (profile.compared) return [[measure], []];
  const whole = ({ what }) => what === profile.measures[0].what;
  const usual = profile.measures.filter(whole);
  const parts = profile.measures.filter((m) => !whole(m) && (m.bytes ||
    m === measure ||
    !profile.measures.some((other) => other.bytes && other.what === m.what)));
  parts.sort((a, b) => (b === measure) - (a === measure));
  return special ? [parts, usual] : [usual, parts];
}

// Where two profiles are compared, three columns for one figure.
function changeColumns(key, label, help, now, old) {
  return [
    { key: beforeOf(key), label: `${label} before`, value: old,
      help: `${help}, in the old profile` },
    { key, label: `${label} after`, value: now,
      help: `${help}, in the new profile` },
    { key: `${key}-change`, label: `${label} change`,
      value: (row) => Math.abs(now(row) - old(row)),
      text: (row) => signed(now(row) - old(row)),
      help: 'After minus before. Sorted by its size, whatever its sign' },
  ];
}

// A column for each measure: what VALUE(row, word) gives, of WHAT.  SETTINGS:
// measures, if not all; prefix of keys, and label for it; whole, what shares
// are parts of; shares, whether all have them and not bytes alone;
// categories(row).
function measureColumns(model, what, value, settings = {}) {
  const { prefix = '', whole = model.total, shares, categories } = settings;
  const measures = settings.measures ?? measureGroups(model).flat();
  return measures.flatMap((measure) => {
    const { word } = measure;
    const key = prefix === '' ? word : `${prefix}-${word}`;
    const label = `${settings.label ?? prefix} ${measure.label}`.trim();
    const own = (row) => value(row, word);
    const part = measure.what === model.profile.measures[0].what ? ''
      : `, ${measure.what}`;
    const help = `${what} (${measure.noun}${part})`;
    if (model.profile.compared)
      return changeColumns(key, label, help, own,
        (row) => value(row, beforeOf(word)));
    const columns = [{ key, label, value: own,
      help }];
    if (shares || measure.bytes || measure === model.measure)
      columns.push(shareColumn(key, label, own, whole[word]));
    if (categories !== undefined && word === 'bytes')
      columns.push(categoryColumn(model.profile, own, categories));
    return columns;
  });
}

// The nouns for calls: in C each allocation counts as one of every function on
// its chain.
function callNouns({ profile }) {
  return profile.lisp ? ['call', 'calls'] : ['allocation', 'allocations'];
}

// The column of calls, VALUE(row, key), explained for either monitor; none
// where they are not counted.
function callColumns(model, value, inLisp, inC) {
  if (!model.callsKnown) return [];
  const unknown = model.functions.some((row) => Number.isNaN(row.calls) ||
    Number.isNaN(row.callsBefore));
  const help = (model.profile.lisp ? inLisp : inC) +
    (unknown ? '. Blank: calls of this function are not counted' : '');
  const own = (key) => (row) => value(row, key);
  return model.profile.compared
    ? changeColumns('calls', 'calls', help, own('calls'), own('callsBefore'))
    : [{ key: 'calls', label: 'calls', value: own('calls'), help }];
}
