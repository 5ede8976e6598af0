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

// Which rows of what was allocated FILTER lets through: FILTER.type(type) and
// FILTER.group(group) say it, and FILTER.chains, if there is a choice among
// chains (selection.js).
function keptRows({ rows, types, groups }, filter) {
  const typeKept = types.map(filter.type);
  const groupKept = groups.map(filter.group);
  const kept = new Uint8Array(rows.count);
  for (let row = 0; row < rows.count; row++) {
    const group = rows.group[row];
    kept[row] = typeKept[rows.type[row]] && groupKept[group] &&
      (filter.chains?.allocates(rows.node[row], groups[group]) ?? true) ? 1 : 0;
  }
  return kept;
}

function sumRows(profile, tree, kept) {
  const { rows, words, types, groups } = profile;
  const places = (column, placeOf) => {
    const found = new Int32Array(rows.count);
    for (let row = 0; row < rows.count; row++)
      found[row] = kept[row] === 0 ? -1
        : placeOf === undefined ? column[row] : placeOf[column[row]];
    return found;
  };
  const columns = Object.fromEntries([
    ...words.map((word) => [word, rows[word]]),
    ...CATEGORIES.map((category) => [category, rows.bytes.map((bytes, row) =>
      types[rows.type[row]].category === category ? bytes : 0)])]);
  const figures = (column, count) =>
    figuresOf(addUpAll(columns, places(column), count), words, count);
  const byGroup = figures(rows.group, groups.length);
  const sumOf = (includes) =>
    addFigures(byGroup.filter((_, i) => includes(groups[i])), words);
  return {
    kept,
    self: addUpAll(columns, places(rows.node, tree.placeOf), tree.count),
    types: figures(rows.type, types.length),
    total: sumOf(() => true),
    phases: profile.phases.map((_, i) => sumOf(({ phase }) => phase === i)),
    threads: profile.threads.map((_, i) => sumOf(({ thread }) => thread === i)),
    regions: profile.regions.map((around) => sumOf(({ region }) =>
      isWithin(profile.regions[region], around))),
  };
}

// CALLS have no type: they obey groups and FILTER.chains alone, and are none
// where FILTER.callsKnown is false, since the monitor counts them for all
// groups.
function sumCalls(calls, { groups }, tree, filter) {
  const sums = new Float64Array(tree.count);
  const groupKept = groups.map(filter.group);
  for (let i = 0; filter.callsKnown && i < calls.count; i++) {
    const node = tree.callsAt[calls.node[i]];
    const group = calls.group[i];
    if (node >= 0 && groupKept[group] &&
        (filter.chains?.calls(calls.node[i], groups[group]) ?? true))
      sums[node] += calls.calls[i];
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
  const functions = tree.functions.map((_, i) => ({ self: selves[i],
    inclusive: inclusives[i], root: roots[i] }));
  return { functions, arcs: tree.arcs.map(({ caller, callee }, i) => ({ caller,
    callee, inclusive: arcs[i] })) };
}

// Whether FIGURES are of anything that was allocated, on one of two sides.
function allocatesOn({ word }, figures) {
  return figures[word('allocs')] > 0 || figures[word('bytes')] > 0;
}

function allocates(figures) {
  return figures.allocs > 0 || figures.bytes > 0 ||
    figures['allocs-before'] > 0 || figures['bytes-before'] > 0;
}

// Adds the calls of one side to FUNCTIONS and ARCS, by their key.  With
// BYALLOCATIONS, as under --phase and --focus, they count only where
// allocations left an arc, or for roots a function.  Of a function whose calls
// are not known they stay so.
function addCalls(tree, calls, functions, arcs, side, byAllocations) {
  const { calls: key } = side;
  const root = `${key}-root`;
  functions.forEach((figures, i) => {
    figures[key] = Number.isNaN(tree.functions[i][key]) ? NaN : 0;
    figures[root] = 0;
  });
  for (const arc of arcs) arc[key] = functions[arc.callee][key];
  for (let node = 0; node < tree.count; node++) {
    const figures = functions[tree.functionOf[node]];
    const arc = arcs[tree.arcOf[node]] ?? null;
    if (Number.isNaN(figures[key])) calls[node] = NaN;
    if (byAllocations && !allocatesOn(side, (arc ?? figures).inclusive)) {
      calls[node] = 0;
      continue;
    }
    figures[key] += calls[node];
    if (arc === null) figures[root] += calls[node];
    else arc[key] += calls[node];
  }
  for (const figures of functions)
    if (Number.isNaN(figures[key]))
      figures[root] = allocatesOn(side, figures.root) ? NaN : 0;
}

// All sums over TREE of what FILTER lets through.
function sumTree(profile, tree, filter) {
  const { words } = profile;
  const sums = sumRows(profile, tree, keptRows(profile, filter));
  sums.inclusive = sumBelow(sums.self, tree);
  const { functions, arcs } = sumFunctions(tree, words, sums);
  for (const side of profile.sides) {
    const calls = sumCalls(profile[side.calls], profile, tree, filter);
    addCalls(tree, calls, functions, arcs, side, filter.byAllocations);
    sums.self[side.calls] = calls;
  }
  return { ...sums, tree, functions, arcs };
}

// Whether anything is counted for ARC.
function isUsed(arc) {
  return arc.calls > 0 || arc.callsBefore > 0 || allocates(arc.inclusive);
}

// What FILTER leaves of the rows, by what KEYOF(function, type) says: a map to
// figures; rows for which it is undefined are left out.
function sumBy(profile, { tree, kept }, keyOf) {
  const found = new Map();
  const { rows, words } = profile;
  for (let row = 0; row < rows.count; row++) {
    if (kept[row] === 0) continue;
    const key = keyOf(tree.functionOf[tree.placeOf[rows.node[row]]],
      rows.type[row]);
    if (key === undefined) continue;
    if (!found.has(key)) found.set(key, emptyFigures(words));
    for (const word of words) found.get(key)[word] += rows[word][row];
  }
  return found;
}
