// SPDX-License-Identifier: LGPL-2.1-or-later

// Sums over a tree of chains: see chains.js.

// A column for each measure of COUNT nodes, and four for categories.
function nodeFigures(words, count) {
  const figures = { categories: new Float64Array(4 * count) };
  for (const word of words) figures[word] = new Float64Array(count);
  return figures;
}

// For each group what its rows add to: its phase, its thread, and its region
// with those around it.
function sumsOfGroups(profile, phases, threads, regions) {
  return profile.groups.map(({ phase, thread, region }) => {
    const own = profile.regions[region]?.name;
    return [phases[phase], threads[thread], ...own === undefined ? []
      : regions.filter((_, i) => own === profile.regions[i].name ||
        own.startsWith(`${profile.regions[i].name};`))];
  });
}

// What FILTER lets through of the rows: FILTER.type(type) and
// FILTER.group(group) say which.
function sumRows(profile, tree, filter) {
  const { rows, words } = profile;
  const empty = () => emptyFigures(words);
  const typeKept = profile.types.map(filter.type);
  const groupKept = profile.groups.map(filter.group);
  const total = empty();
  const types = profile.types.map(empty);
  const phases = profile.phases.map(empty);
  const threads = profile.threads.map(empty);
  const regions = profile.regions.map(empty);
  const groups = sumsOfGroups(profile, phases, threads, regions);
  const self = nodeFigures(words, tree.count);
  for (let row = 0; row < rows.count; row++) {
    const type = rows.type[row];
    const group = rows.group[row];
    if (!typeKept[type] || !groupKept[group]) continue;
    const node = tree.placeOf[rows.node[row]];
    for (const word of words) {
      const value = rows[word][row];
      self[word][node] += value;
      types[type][word] += value;
      total[word] += value;
      for (const figures of groups[group]) figures[word] += value;
    }
    const { category } = profile.types[type];
    self.categories[4 * node + category] += rows.bytes[row];
    total.categories[category] += rows.bytes[row];
  }
  return { total, types, phases, threads, regions, self };
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

function sumBelow(self, tree, words) {
  const sums = { categories: self.categories.slice() };
  for (const word of words) sums[word] = self[word].slice();
  for (let node = tree.count - 1; node >= 0; node--) {
    const above = tree.parent[node];
    if (above < 0) continue;
    for (const word of words) sums[word][above] += sums[word][node];
    for (let i = 0; i < 4; i++)
      sums.categories[4 * above + i] += sums.categories[4 * node + i];
  }
  return sums;
}

function sumFunctions(tree, words, self, inclusive) {
  const functions = tree.functions.map((fn) => ({
    self: emptyFigures(words), inclusive: emptyFigures(words),
    root: emptyFigures(words), calls: Number.isNaN(fn.calls) ? NaN : 0,
    rootCalls: 0 }));
  const arcs = tree.arcs.map(({ caller, callee }) => ({ caller, callee,
    calls: functions[callee].calls, inclusive: emptyFigures(words) }));
  const add = (figures, node, sums) => {
    for (const word of words) figures[word] += sums[word][node];
    for (let i = 0; i < 4; i++)
      figures.categories[i] += sums.categories[4 * node + i];
  };
  for (let node = 0; node < tree.count; node++) {
    const figures = functions[tree.functionOf[node]];
    const arc = tree.arcOf[node];
    add(figures.self, node, self);
    if (tree.outermost[node]) add(figures.inclusive, node, inclusive);
    if (arc < 0) add(figures.root, node, inclusive);
    else if (tree.outermostArc[node]) add(arcs[arc].inclusive, node, inclusive);
  }
  return { functions, arcs };
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
  sums.inclusive = sumBelow(sums.self, tree, words);
  const { functions, arcs } =
    sumFunctions(tree, words, sums.self, sums.inclusive);
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
  let compared = 0;
  let different = 0;
  const check = (good) => {
    compared++;
    if (!good) different++;
  };
  const same = (a, b) => profile.words.every((word) => a[word] === b[word]) &&
    (a.categories ?? []).every((n, i) => n === b.categories[i]);
  check(same(profile.total, sums.total));
  profile.functions.forEach((f, i) => {
    const g = sums.functions[i];
    check(['self', 'inclusive', 'root'].every((key) => same(f[key], g[key])) &&
      Object.is(f.calls, g.calls) && Object.is(f.rootCalls, g.rootCalls));
  });
  const width = profile.functions.length;
  const known = new Map(
    sums.arcs.map((arc) => [arc.caller * width + arc.callee, arc]));
  for (const arc of profile.arcs) {
    const other = known.get(arc.caller * width + arc.callee);
    check(other !== undefined && Object.is(other.calls, arc.calls) &&
      same(arc.inclusive, other.inclusive));
  }
  // A chain can be known for a call at its end alone: then nothing is counted
  // for the pairs on the way.
  check(sums.arcs.filter(isUsed).length === profile.arcs.filter(isUsed).length);
  for (const key of ['types', 'phases', 'threads', 'regions'])
    profile[key].forEach((item, i) => check(same(item, sums[key][i])));
  let contexts = 0;
  for (let node = 0; node < sums.tree.count; node++)
    if (sums.self.bytes[node] > 0 || sums.self.allocs[node] > 0) contexts++;
  check(contexts === profile.contexts);
  return { compared, different };
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
