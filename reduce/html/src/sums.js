// SPDX-License-Identifier: LGPL-2.1-or-later

// Sums over a tree of chains: see chains.js.

const CATEGORIES = [0, 1, 2, 3];

// COLUMN added up at PLACES, of which there are COUNT; -1 is none.
function addUp(column, places, count) {
  const sums = new Float64Array(count);
  for (let i = 0; i < places.length; i++)
    if (places[i] >= 0) sums[places[i]] += column[i];
  return sums;
}

// The same for all columns of SUMS: by word of a measure, or by category.
function addUpAll(sums, places, count) {
  return Object.fromEntries(Object.entries(sums).map(([key, column]) =>
    [key, addUp(column, places, count)]));
}

function categoriesAt(sums, place) {
  return CATEGORIES.map((category) => sums[category][place]);
}

// COLUMNS as objects with figures, one for each place.
function figuresOf(columns, words, count) {
  return Array.from({ length: count }, (_, place) => {
    const figures = { categories: categoriesAt(columns, place) };
    for (const word of words) figures[word] = columns[word][place];
    return figures;
  });
}

function addFigures(items, words) {
  const sum = emptyFigures(words);
  for (const item of items) {
    for (const word of words) sum[word] += item[word];
    for (const i of CATEGORIES) sum.categories[i] += item.categories[i];
  }
  return sum;
}

// What FILTER lets through of the rows: FILTER.type(type) and
// FILTER.group(group) say which.
function sumRows(profile, tree, filter) {
  const { rows, words, types, groups } = profile;
  const typeKept = types.map(filter.type);
  const groupKept = groups.map(filter.group);
  const kept = (column) => column.map((place, row) =>
    typeKept[rows.type[row]] && groupKept[rows.group[row]] ? place : -1);
  const columns = Object.fromEntries([
    ...words.map((word) => [word, rows[word]]),
    ...CATEGORIES.map((category) => [category, rows.bytes.map((bytes, row) =>
      types[rows.type[row]].category === category ? bytes : 0)])]);
  const figures = (column, count) =>
    figuresOf(addUpAll(columns, kept(column), count), words, count);
  const byGroup = figures(rows.group, groups.length);
  const sumOf = (includes) =>
    addFigures(byGroup.filter((_, i) => includes(groups[i])), words);
  return {
    self: addUpAll(columns, kept(rows.node.map((node) => tree.placeOf[node])),
      tree.count),
    types: figures(rows.type, types.length),
    total: sumOf(() => true),
    phases: profile.phases.map((_, i) => sumOf(({ phase }) => phase === i)),
    threads: profile.threads.map((_, i) => sumOf(({ thread }) => thread === i)),
    regions: profile.regions.map((around) => sumOf(({ region }) =>
      isWithin(profile.regions[region], around))),
  };
}

// Calls have no type: they obey the groups alone, and are none where
// FILTER.callsKnown is false, since the monitor counts them for all groups.
function sumCalls({ calls, groups }, tree, filter) {
  const sums = new Float64Array(tree.count);
  const groupKept = groups.map(filter.group);
  for (let i = 0; filter.callsKnown && i < calls.count; i++) {
    const node = tree.callsAt[calls.node[i]];
    if (node >= 0 && groupKept[calls.group[i]]) sums[node] += calls.calls[i];
  }
  return sums;
}

function sumBelow(self, { parent }) {
  const sums = {};
  for (const [key, column] of Object.entries(self)) {
    const sum = column.slice();
    for (let node = sum.length - 1; node >= 0; node--)
      if (parent[node] >= 0) sum[parent[node]] += sum[node];
    sums[key] = sum;
  }
  return sums;
}

function sumFunctions(tree, words, { self, inclusive }) {
  const { functionOf, arcOf } = tree;
  const figures = (sums, places, { length }) =>
    figuresOf(addUpAll(sums, places, length), words, length);
  const where = (column, test) => column.map((place, node) =>
    test(node) ? place : -1);
  const selves = figures(self, functionOf, tree.functions);
  const inclusives = figures(inclusive,
    where(functionOf, (node) => tree.outermost[node]), tree.functions);
  const roots = figures(inclusive,
    where(functionOf, (node) => arcOf[node] < 0), tree.functions);
  const arcs = figures(inclusive,
    where(arcOf, (node) => tree.outermostArc[node]), tree.arcs);
  const functions = tree.functions.map((fn, i) => ({ self: selves[i],
    inclusive: inclusives[i], root: roots[i],
    calls: Number.isNaN(fn.calls) ? NaN : 0, rootCalls: 0 }));
  return { functions, arcs: tree.arcs.map(({ caller, callee }, i) => ({ caller,
    callee, calls: functions[callee].calls, inclusive: arcs[i] })) };
}

function allocates(figures) {
  return figures.allocs > 0 || figures.bytes > 0;
}

// Adds CALLS of nodes to FUNCTIONS and ARCS.  With BYALLOCATIONS, as under
// --phase, they count only where allocations left an arc, or for roots a
// function.  Of a function whose calls are not known they stay so.
function addCalls(tree, calls, functions, arcs, byAllocations) {
  for (let node = 0; node < tree.count; node++) {
    const figures = functions[tree.functionOf[node]];
    const arc = arcs[tree.arcOf[node]] ?? null;
    if (Number.isNaN(figures.calls)) calls[node] = NaN;
    if (byAllocations && !allocates((arc ?? figures).inclusive)) {
      calls[node] = 0;
      continue;
    }
    figures.calls += calls[node];
    if (arc === null) figures.rootCalls += calls[node];
    else arc.calls += calls[node];
  }
  for (const figures of functions)
    if (Number.isNaN(figures.calls))
      figures.rootCalls = allocates(figures.root) ? NaN : 0;
}

// All sums over TREE of what FILTER lets through.
function sumTree(profile, tree, filter) {
  const { words } = profile;
  const sums = sumRows(profile, tree, filter);
  sums.inclusive = sumBelow(sums.self, tree);
  const { functions, arcs } = sumFunctions(tree, words, sums);
  sums.self.calls = sumCalls(profile, tree, filter);
  addCalls(tree, sums.self.calls, functions, arcs, filter.byAllocations);
  return { ...sums, tree, functions, arcs };
}

// Whether anything is counted for ARC.
function isUsed(arc) {
  return arc.calls > 0 || allocates(arc.inclusive);
}

// In how many figures SUMS, over all chains without a filter, differ from
// what the reducer computed, and of how many.
function differences(profile, sums) {
  const checks = [];
  const check = (good) => checks.push(good);
  const same = (row, sum, prefix = '') => profile.measures.every(
    ({ word, key }) => row[prefix + key] === sum[word]) &&
    (row[`${prefix}category_bytes`] ?? []).every((n, i) =>
      n === sum.categories[i]);
  check(same(profile.totals, sums.total));
  profile.functions.forEach((f, i) => {
    const g = sums.functions[i];
    check(same(f, g.self, 'self_') && same(f, g.inclusive, 'inclusive_') &&
      Object.is(f.calls, g.calls));
  });
  const place = (arc) => arc.caller * profile.functions.length + arc.callee;
  const known = new Map(sums.arcs.map((arc) => [place(arc), arc]));
  const left = new Set(sums.arcs.filter(isUsed));
  for (const arc of profile.arcs) {
    const other = known.get(place(arc));
    left.delete(other);
    check(other !== undefined && Object.is(other.calls, arc.calls ?? NaN) &&
      same(arc, other.inclusive));
  }
  // A chain can be known for a call at its end alone: then nothing is counted
  // for the pairs on the way.
  check(left.size === 0);
  for (const key of ['types', 'phases', 'threads', 'regions'])
    profile[key].forEach((row, i) => check(same(row, sums[key][i])));
  const { bytes, allocs } = sums.self;
  check(profile.contexts ===
    bytes.filter((own, node) => own > 0 || allocs[node] > 0).length);
  return { compared: checks.length,
    different: checks.filter((good) => !good).length };
}

// What FILTER leaves of the rows, by what KEYOF(function, type) says: a map to
// figures; rows for which it is undefined are left out.
function sumBy(profile, tree, filter, keyOf) {
  const found = new Map();
  const { rows, types, groups, words } = profile;
  for (let row = 0; row < rows.count; row++) {
    const type = rows.type[row];
    const key = keyOf(tree.functionOf[tree.placeOf[rows.node[row]]], type);
    if (key === undefined || !filter.type(types[type]) ||
        !filter.group(groups[rows.group[row]])) continue;
    if (!found.has(key)) found.set(key, emptyFigures(words));
    for (const word of words) found.get(key)[word] += rows[word][row];
  }
  return found;
}
