// SPDX-License-Identifier: LGPL-2.1-or-later

// Two profiles as one, to be compared: functions are the same when their names
// are, and chains when all names on them are, as for mprof diff.  Each figure
// is there twice, that of the old profile under another key; what only one of
// them has is nothing in the other.  So all sums are made for both, under every
// choice, and differences add up.

const beforeOf = (key) => `${key}-before`;

// OURS and then those of THEIRS that are not among them, by KEYOF(row), with
// MISSING; AT says where each of theirs is now.  Figures of KEYS are of both.
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

// The chains of both, whose functions are numbered as those of PROFILE, but for
// those of BASE, which are now at FUNCTIONAT; and where the nodes of each are.
function uniteNodes(profile, base, functionAt) {
  const builder = new TreeBuilder(profile.nodes.count + base.nodes.count);
  const add = ({ nodes: { count, parent, functionOf } }, functions) => {
    const at = new Int32Array(count);
    for (let node = 1; node < count; node++)
      at[node] = builder.child(at[parent[node]], functions[functionOf[node]]);
    return at;
  };
  const both = [add(profile, profile.functions.map((_, i) => i)),
    add(base, functionAt)];
  const { nodes, placeOf } = builder.finish();
  return { nodes, at: both.map((at) => at.map((node) => placeOf[node])) };
}

// Lets the rows of PROFILE refer to NODES, and those of BASE to what is AT
// other places now, with figures of KEYS under their other keys.
function uniteChains(profile, base, nodes, at, keys) {
  const rows = { ...base.rows };
  for (const key of ['type', 'phase', 'thread', 'region'])
    rows[key] = rows[key].map((i) => at[key][i] ?? -1);
  const moved = profile.unseen.length;
  rows.unseen = rows.unseen.map((set) => (set === 0 ? 0 : set + moved));
  for (const key of keys) {
    rows[beforeOf(key)] = rows[key];
    delete rows[key];
  }
  const moveTo = (its, i) => ({ ...its,
    node: its.node.map((node) => nodes[i][node]) });
  return joinRows(moveTo(profile.rows, 0), moveTo(rows, 1));
}

// PROFILE with the figures of BASE.
function unite(profile, base) {
  const measures = profile.measures.filter(({ key }) =>
    base.keys.includes(key));
  const keys = measures.map(({ key }) => key);
  const { word: value } = measures.find(({ word }) => word === profile.value) ??
    measures[0];
  const both = { ...profile, measures, keys, value, compared: true,
    callKeys: ['calls', 'calls-before'], sides: [profile, base] };
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
  add('packages', [], ({ name }) => name);
  add('functions', ['calls'], (fn) => fn.raw, { cycle: 0 });
  for (const fn of both.functions)
    if (fn.package !== null)
      fn.package = both.packages.find(({ name }) => name === fn.package.name);
  both.unseen = [...profile.unseen, ...base.unseen.map((set) => ({ ...set,
    set: set.set === 0 ? 0 : set.set + profile.unseen.length }))];
  const chains = uniteNodes(profile, base, at.function);
  both.nodes = chains.nodes;
  both.rows = uniteChains(profile, base, chains.at, at, [...keys, 'calls']);
  for (const key of ['totals', 'file_totals'])
    both[key] = Object.fromEntries(keys.flatMap((its) =>
      [[its, profile[key][its]], [beforeOf(its), base[key][its]]]));
  return both;
}
