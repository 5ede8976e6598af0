// SPDX-License-Identifier: LGPL-2.1-or-later

// Makes one profile of two that are compared.  As for mprof diff, functions are
// the same if their names are, and chains if all names on them are.  Each
// figure is there twice, that of the old profile under another key.  It is 0 in
// the profile that lacks it.  So all sums are made for both.

const beforeOf = (key) => `${key}-before`;

// Joins the columns of A and B, which have a COUNT.  A column that one of them
// lacks is 0 there.
function joinColumns(a, b) {
  const { count, ...columns } = { ...b, ...a };
  const joined = { count: a.count + b.count };
  for (const [key, column] of Object.entries(columns)) {
    joined[key] = new column.constructor(joined.count);
    joined[key].set(a[key] ?? []);
    joined[key].set(b[key] ?? [], a.count);
  }
  return joined;
}

// Returns OURS, followed by those of THEIRS that are not among them by
// KEYOF(row), with MISSING; and AT, the place of each of THEIRS.  Figures of
// KEYS are there for both.
function uniteRows(ours, theirs, keys, keyOf, missing = {}) {
  const nothing = (name) => Object.fromEntries(keys.map((key) =>
    [name(key), 0]));
  const rows = ours.map((row) => ({ ...row, ...nothing(beforeOf) }));
  const places = new Map(rows.map((row, i) => [keyOf(row), i]));
  const at = theirs.map((row) => {
    const key = keyOf(row);
    if (!places.has(key)) {
      places.set(key, rows.length);
      rows.push({ ...row, ...missing, ...nothing((its) => its),
        id: rows.length });
    }
    for (const its of keys) rows[places.get(key)][beforeOf(its)] = row[its];
    return places.get(key);
  });
  return { rows, at };
}

// Returns the chains of PROFILE, followed by those of BASE.  The latter refer
// to places AT, and have the figures of KEYS under their other keys.
function uniteChains(profile, base, at, keys) {
  const { nodes } = profile;
  const { parent, functionOf } = base.nodes;
  const rows = { ...base.rows, node: base.rows.node.map((node) =>
    node + nodes.count) };
  for (const key of ['type', ...LABELS])
    rows[key] = rows[key].map((i) => at[key][i] ?? -1);
  for (const key of keys) {
    rows[beforeOf(key)] = rows[key];
    delete rows[key];
  }
  return {
    nodes: joinColumns(nodes, { ...base.nodes,
      parent: parent.map((above, node) => node && above + nodes.count),
      functionOf: functionOf.map((fn) => at.function[fn] ?? -1) }),
    rows: joinColumns(profile.rows, rows),
  };
}

// Returns PROFILE with the figures of BASE.
function unite(profile, base) {
  const measures = profile.measures.filter(({ key }) =>
    base.keys.includes(key));
  const keys = measures.map(({ key }) => key);
  const { word: value } = measures.find(({ word }) => word === profile.value) ??
    measures[0];
  const both = { ...profile, measures, keys, value, compared: true,
    slices: [], names: [...profile.names, beforeOf], sides: [profile, base] };
  const at = {};
  const add = (name, of, keyOf, missing) => {
    const united = uniteRows(profile[name], base[name], of, keyOf, missing);
    both[name] = united.rows;
    at[name.slice(0, -1)] = united.at;
  };
  add('bins', keys, ({ kind, size }) => `${kind} ${size}`);
  add('types', keys, (type) =>
    JSON.stringify([type.type, type.class, type.category]));
  add('phases', keys, ({ phase }) => phase);
  add('threads', keys, ({ name }) => name);
  add('regions', keys, ({ path }) => path, { entered: 0, nanoseconds: 0,
    held_bytes: null, first_entered: null, last_left: null });
  add('functions', ['calls'], (fn) => fn.raw, { cycle: 0 });
  findPackages(both);
  for (const key of ['totals', 'file_totals'])
    both[key] = Object.fromEntries(keys.flatMap((its) =>
      [[its, profile[key][its]], [beforeOf(its), base[key][its]]]));
  return Object.assign(both, uniteChains(profile, base, at,
    [...keys, 'calls']));
}
