// SPDX-License-Identifier: LGPL-2.1-or-later

// Two profiles as one, to be compared: functions are the same when their names
// are, and chains when all names on them are, as for mprof diff.  Each measure
// is there twice, that of the old profile under another word; what only one
// of them has is nothing in the other.  So all sums are made for both, under
// every choice, and differences add up.

const beforeOf = (word) => `${word}-before`;

// OURS and then those of THEIRS that are not among them, by KEYOF(row); AT
// says where each of theirs is now.  Figures of WORDS are of both.
function uniteRows(ours, theirs, words, keyOf, missing = () => ({})) {
  const none = Object.fromEntries(words.map((word) => [beforeOf(word), 0]));
  const rows = ours.map((row) => ({ ...row, ...none }));
  const places = new Map(rows.map((row, i) => [keyOf(row), i]));
  const at = theirs.map((row) => {
    const key = keyOf(row);
    if (!places.has(key)) {
      places.set(key, rows.length);
      rows.push({ ...row, ...missing(row), id: rows.length,
        ...Object.fromEntries(words.map((word) => [word, 0])) });
    }
    const united = rows[places.get(key)];
    for (const word of words) united[beforeOf(word)] = row[word];
    return places.get(key);
  });
  return { rows, at };
}

// The chains of both; AT says where each of the base's nodes is now.
function uniteNodes({ nodes }, base, functionAt, functionCount) {
  const parent = [...nodes.parent];
  const functionOf = [...nodes.functionOf];
  const places = new Map();
  const key = (above, fn) => (above + 1) * functionCount + fn;
  for (let node = 0; node < nodes.count; node++)
    places.set(key(parent[node], functionOf[node]), node);
  const at = new Int32Array(base.nodes.count);
  for (let node = 0; node < at.length; node++) {
    const above = base.nodes.parent[node];
    const fn = functionAt[base.nodes.functionOf[node]];
    const place = key(above < 0 ? -1 : at[above], fn);
    if (!places.has(place)) {
      places.set(place, parent.length);
      parent.push(above < 0 ? -1 : at[above]);
      functionOf.push(fn);
    }
    at[node] = places.get(place);
  }
  return { at, nodes: { count: parent.length, parent: Int32Array.from(parent),
    functionOf: Int32Array.from(functionOf) } };
}

function joined(ours, theirs) {
  const both = new ours.constructor(ours.length + theirs.length);
  both.set(ours);
  both.set(theirs, ours.length);
  return both;
}

function uniteAllocations(ours, theirs, words) {
  const rows = { count: ours.count + theirs.count };
  for (const key of ['node', 'type', 'group'])
    rows[key] = joined(ours[key], theirs[key]);
  const nothing = (column) => new Float64Array(column.length);
  for (const word of words) {
    rows[word] = joined(ours[word], nothing(theirs[word]));
    rows[beforeOf(word)] = joined(nothing(ours[word]), theirs[word]);
  }
  return rows;
}

function uniteFunctions(profile, base) {
  const united = uniteRows(profile.functions, base.functions, [],
    (fn) => fn.raw, () => ({ cycle: 0 }));
  const packages = uniteRows(profile.packages, base.packages, [],
    ({ name }) => name);
  profile.packages = packages.rows;
  united.rows.forEach((fn, i) => {
    if (fn.package !== null)
      fn.package = packages.rows.find(({ name }) => name === fn.package.name);
    fn.callsBefore = 0;
    if (i >= profile.functions.length) fn.calls = 0;
  });
  base.functions.forEach((fn, i) => {
    united.rows[united.at[i]].callsBefore = fn.calls;
  });
  return united;
}

// PROFILE with the figures of BASE.
function unite(profile, base) {
  const both = { ...profile, compared: true };
  both.measures = profile.measures.filter(({ word }) =>
    base.words.includes(word));
  const words = both.measures.map(({ word }) => word);
  both.words = [...words, ...words.map(beforeOf)];
  const at = { nodes: null };
  const tables = { bins: ({ kind, size }) => `${kind} ${size}`,
    types: (type) => JSON.stringify([type.type, type.class, type.category]),
    phases: ({ phase }) => phase, threads: ({ name }) => name,
    regions: ({ path }) => path };
  for (const [key, keyOf] of Object.entries(tables)) {
    const united = uniteRows(profile[key], base[key], words, keyOf, () =>
      key === 'regions' ? { entered: 0, nanoseconds: 0, held_bytes: null,
        first_entered: null, last_left: null } : {});
    both[key] = united.rows;
    at[key] = united.at;
  }
  const functions = uniteFunctions(both, base);
  both.functions = functions.rows;
  at.functions = functions.at;
  const chains = uniteNodes(profile, base, at.functions,
    both.functions.length);
  both.nodes = chains.nodes;
  at.nodes = chains.at;
  both.unseen = [...profile.unseen, ...base.unseen.map((set) => ({ ...set,
    set: set.set === 0 ? 0 : set.set + profile.unseen.length }))];
  both.groups = [...profile.groups, ...base.groups.map((group) => ({
    phase: at.phases[group.phase], thread: at.threads[group.thread],
    region: at.regions[group.region],
    unseen: group.unseen === 0 ? 0 : group.unseen + profile.unseen.length }))];
  const moved = (rows) => ({ ...rows, node: rows.node.map((n) => at.nodes[n]),
    group: rows.group.map((group) => group + profile.groups.length) });
  const allocations = moved(base.rows);
  allocations.type = allocations.type.map((type) => at.types[type]);
  both.rows = uniteAllocations(profile.rows, allocations, words);
  both.callsBefore = moved(base.calls);
  for (const key of ['total', 'whole']) {
    both[key] = { ...profile[key] };
    for (const word of words) both[key][beforeOf(word)] = base[key][word];
  }
  both.value = words.includes(profile.value) ? profile.value : words[0];
  both.sides = [{ ...profile.sides[0], measures: both.measures },
    { tables: base, measures: both.measures, at, word: beforeOf,
      calls: 'callsBefore' }];
  return both;
}
