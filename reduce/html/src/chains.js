// SPDX-License-Identifier: LGPL-2.1-or-later

// Trees of chains, and sums over them.
//
// Sums follow the rules of the reducer (reduce/graph/call_graph.h): on each
// chain a function counts once and a pair of caller and callee counts once,
// however often recursion passes them.  A node counts for its function when
// it is the outermost one of that function on its chain; likewise for pairs.
// With nothing filtered the sums are the reducer's own figures, to the byte:
// see differences.  Everything is linear in the nodes and rows, and nothing
// recurses, since chains may be as deep as they like.

import { emptyFigures } from './measures.js';

// What is known of a tree beside its nodes, once for all sums.
function describe(tree, functionCount) {
  const { count, parent, functionOf } = tree;
  const firstChild = new Int32Array(count).fill(-1);
  const nextSibling = new Int32Array(count).fill(-1);
  const roots = [];
  for (let node = count - 1; node >= 0; node--) {
    if (parent[node] < 0) {
      roots.unshift(node);
    } else {
      nextSibling[node] = firstChild[parent[node]];
      firstChild[parent[node]] = node;
    }
  }
  const arcOf = new Int32Array(count).fill(-1);
  const arcs = [];
  const arcIds = new Map();
  for (let node = 0; node < count; node++) {
    if (parent[node] < 0) continue;
    const caller = functionOf[parent[node]];
    const key = caller * functionCount + functionOf[node];
    let arc = arcIds.get(key);
    if (arc === undefined) {
      arc = arcs.length;
      arcIds.set(key, arc);
      arcs.push({ caller, callee: functionOf[node] });
    }
    arcOf[node] = arc;
  }
  const outermost = new Uint8Array(count);
  const outermostArc = new Uint8Array(count);
  const onPath = new Int32Array(functionCount);
  const arcOnPath = new Int32Array(arcs.length);
  const enter = (node) => {
    outermost[node] = onPath[functionOf[node]]++ === 0 ? 1 : 0;
    if (arcOf[node] >= 0)
      outermostArc[node] = arcOnPath[arcOf[node]]++ === 0 ? 1 : 0;
  };
  const leave = (node) => {
    onPath[functionOf[node]]--;
    if (arcOf[node] >= 0) arcOnPath[arcOf[node]]--;
  };
  for (const root of roots) {
    let node = root;
    enter(node);
    while (node >= 0) {
      if (firstChild[node] >= 0) {
        node = firstChild[node];
        enter(node);
        continue;
      }
      leave(node);
      while (node !== root && nextSibling[node] < 0) {
        node = parent[node];
        leave(node);
      }
      node = node === root ? -1 : nextSibling[node];
      if (node >= 0) enter(node);
    }
  }
  return Object.assign(tree, {
    firstChild,
    nextSibling,
    roots,
    arcOf,
    arcs,
    outermost,
    outermostArc,
  });
}

// The tree of all chains.  Its place of each node of the profile is itself.
export function wholeTree(profile) {
  const { count, parent, functionOf } = profile.nodes;
  return describe(
    {
      count,
      parent,
      functionOf,
      functions: profile.functions,
      placeOf: Int32Array.from(parent.keys()),
      callsAt: null,
    },
    profile.functions.length
  );
}

// The tree in which the functions that HIDDEN(function) is true of do not
// show: what they allocate is charged to the nearest caller that shows, and
// their own calls count for nothing.
export function treeWithout(profile, hidden) {
  const { count, parent, functionOf } = profile.nodes;
  const functions = profile.functions.slice();
  const isHidden = functions.map(hidden);
  let nobody = functions.findIndex((f) => f.name === '[hidden]');
  if (nobody < 0) {
    nobody = functions.length;
    const none = emptyFigures(profile.measures);
    functions.push({
      id: nobody,
      name: '[hidden]',
      package: '',
      file: '',
      line: 0,
      system: false,
      cycle: 0,
      calls: 0,
      rootCalls: 0,
      self: none,
      inclusive: none,
      root: none,
    });
    isHidden.push(false);
  }
  const parents = [];
  const functionsOf = [];
  const ids = new Map();
  const child = (above, fn) => {
    const key = (above + 1) * functions.length + fn;
    let node = ids.get(key);
    if (node === undefined) {
      node = parents.length;
      ids.set(key, node);
      parents.push(above);
      functionsOf.push(fn);
    }
    return node;
  };
  const shown = new Int32Array(count); // nearest that shows; -1: none
  const callsAt = new Int32Array(count);
  for (let node = 0; node < count; node++) {
    const above = parent[node] < 0 ? -1 : shown[parent[node]];
    shown[node] = isHidden[functionOf[node]]
      ? above
      : child(above, functionOf[node]);
    callsAt[node] = isHidden[functionOf[node]] ? -1 : shown[node];
  }
  const placeOf = shown.slice();
  for (let row = 0; row < profile.rows.count; row++) {
    const node = profile.rows.node[row];
    if (placeOf[node] < 0) placeOf[node] = child(-1, nobody);
  }
  return describe(
    {
      count: parents.length,
      parent: Int32Array.from(parents),
      functionOf: Int32Array.from(functionsOf),
      functions,
      placeOf,
      callsAt,
    },
    functions.length
  );
}

function addNode(figures, node, sums, measures) {
  for (const m of measures) figures[m] += sums[m][node];
  for (let i = 0; i < 4; i++)
    figures.categories[i] += sums.categories[4 * node + i];
}

// For each group the regions that it is in, its own one and those around it.
function regionsOfGroups(profile) {
  return profile.groups.map(({ region }) => {
    const own = profile.regions[region];
    return own === undefined ? [] : profile.regions.filter((r) =>
      r === own || own.name.startsWith(`${r.name};`));
  });
}

// Sums over the rows of TREE that FILTER lets through: FILTER.type(type) and
// FILTER.group(group) say which.  Calls have no type: they obey the groups
// alone, and are none where FILTER.callsKnown is false, since the monitor
// counts them for all groups; and with FILTER.byAllocations, as under --phase,
// they count only where allocations left an arc, or for roots a function.  Of
// a function whose calls are not known they stay so.
export function sumTree(profile, tree, filter) {
  const { count, parent, functionOf, placeOf, callsAt } = tree;
  const { rows, calls, measures } = profile;
  const counts = () => {
    const { categories, ...rest } = emptyFigures(measures);
    return rest;
  };
  const typeKept = profile.types.map((type) => filter.type(type));
  const groupKept = profile.groups.map((group) => filter.group(group));
  const total = emptyFigures(measures);
  const types = profile.types.map(counts);
  const phases = profile.phases.map(counts);
  const threads = profile.threads.map(counts);
  const regions = profile.regions.map(counts);
  const around = regionsOfGroups(profile);
  const sumsOf = profile.groups.map(({ phase, thread }, group) => [
    total, phases[phase], threads[thread],
    ...around[group].map((region) => regions[region.id]),
  ]);
  const self = {
    categories: new Float64Array(4 * count),
    calls: new Float64Array(count),
  };
  for (const m of measures) self[m] = new Float64Array(count);
  for (let row = 0; row < rows.count; row++) {
    const type = rows.type[row];
    const group = rows.group[row];
    if (!typeKept[type] || !groupKept[group]) continue;
    const node = placeOf[rows.node[row]];
    const bytes = rows.bytes[row];
    const category = profile.types[type].category;
    for (const m of measures) {
      const value = rows[m][row];
      self[m][node] += value;
      types[type][m] += value;
      for (const figures of sumsOf[group]) figures[m] += value;
    }
    self.categories[4 * node + category] += bytes;
    total.categories[category] += bytes;
  }
  for (let i = 0; i < calls.count; i++) {
    const node = callsAt === null ? calls.node[i] : callsAt[calls.node[i]];
    if (node >= 0 && filter.callsKnown && groupKept[calls.group[i]])
      self.calls[node] += calls.calls[i];
  }

  const inclusive = { categories: self.categories.slice() };
  for (const m of measures) inclusive[m] = self[m].slice();
  for (let node = count - 1; node >= 0; node--) {
    const above = parent[node];
    if (above < 0) continue;
    for (const m of measures) inclusive[m][above] += inclusive[m][node];
    for (let i = 0; i < 4; i++)
      inclusive.categories[4 * above + i] += inclusive.categories[4 * node + i];
  }

  const noCalls = tree.functions.map((fn) =>
    Number.isNaN(fn.calls) ? NaN : 0);
  const functions = tree.functions.map((fn, i) => ({
    self: emptyFigures(measures),
    inclusive: emptyFigures(measures),
    root: emptyFigures(measures),
    calls: noCalls[i],
    rootCalls: 0,
  }));
  const arcs = tree.arcs.map(({ caller, callee }) => ({
    caller,
    callee,
    calls: noCalls[callee],
    inclusive: emptyFigures(measures),
  }));
  for (let node = 0; node < count; node++) {
    const figures = functions[functionOf[node]];
    addNode(figures.self, node, self, measures);
    if (tree.outermost[node])
      addNode(figures.inclusive, node, inclusive, measures);
    const arc = tree.arcOf[node];
    if (arc < 0) addNode(figures.root, node, inclusive, measures);
    else if (tree.outermostArc[node])
      addNode(arcs[arc].inclusive, node, inclusive, measures);
  }
  for (let node = 0; node < count; node++) {
    const figures = functions[functionOf[node]];
    const arc = tree.arcOf[node] < 0 ? null : arcs[tree.arcOf[node]];
    const led = (arc ?? figures).inclusive;
    self.calls[node] += noCalls[functionOf[node]];
    if (filter.byAllocations && led.allocs === 0 && led.bytes === 0) {
      self.calls[node] = 0;
      continue;
    }
    figures.calls += self.calls[node];
    if (arc === null) figures.rootCalls += self.calls[node];
    else arc.calls += self.calls[node];
  }
  for (const figures of functions)
    if (Number.isNaN(figures.calls))
      figures.rootCalls =
        figures.root.allocs > 0 || figures.root.bytes > 0 ? NaN : 0;
  return { tree, total, types, phases, threads, regions, self, inclusive,
           functions, arcs };
}

function sameFigures(a, b, measures) {
  return (
    measures.every((m) => a[m] === b[m]) &&
    (!a.categories || a.categories.every((n, i) => n === b.categories[i]))
  );
}

// Whether anything is counted for ARC.
export function isUsed(arc) {
  return arc.calls > 0 || arc.inclusive.allocs > 0 || arc.inclusive.bytes > 0;
}

// In how many figures SUMS, over all chains without a filter, differ from
// what the reducer computed, and of how many.
export function differences(profile, sums) {
  const { measures } = profile;
  const same = (a, b) => sameFigures(a, b, measures);
  let compared = 0;
  let different = 0;
  const check = (good) => {
    compared++;
    if (!good) different++;
  };
  check(same(profile.total, sums.total));
  profile.functions.forEach((f, i) => {
    const g = sums.functions[i];
    check(
      same(f.self, g.self) &&
        same(f.inclusive, g.inclusive) &&
        same(f.root, g.root) &&
        Object.is(f.calls, g.calls) &&
        Object.is(f.rootCalls, g.rootCalls)
    );
  });
  const width = profile.functions.length;
  const known = new Map(
    sums.arcs.map((arc) => [arc.caller * width + arc.callee, arc])
  );
  for (const arc of profile.arcs) {
    const other = known.get(arc.caller * width + arc.callee);
    check(
      other !== undefined &&
        Object.is(other.calls, arc.calls) &&
        same(arc.inclusive, other.inclusive)
    );
  }
  // A chain can be known for a call at its end alone: then nothing is counted
  // for the pairs on the way.
  check(sums.arcs.filter(isUsed).length === profile.arcs.filter(isUsed).length);
  for (const key of ['types', 'phases', 'threads', 'regions'])
    profile[key].forEach((item, i) => check(same(item, sums[key][i])));
  return { compared, different };
}

// What FUNCTION itself allocated, by type, under FILTER.
export function typesOfFunction(profile, tree, filter, fn) {
  const found = new Map();
  const { rows } = profile;
  for (let row = 0; row < rows.count; row++) {
    if (tree.functionOf[tree.placeOf[rows.node[row]]] !== fn) continue;
    const type = profile.types[rows.type[row]];
    if (!filter.type(type) || !filter.group(profile.groups[rows.group[row]]))
      continue;
    let figures = found.get(type.id);
    if (figures === undefined) {
      figures = { type, ...emptyFigures(profile.measures) };
      found.set(type.id, figures);
    }
    for (const m of profile.measures) figures[m] += rows[m][row];
  }
  return [...found.values()];
}

// Which functions allocated TYPE, under FILTER.
export function functionsOfType(profile, tree, filter, type) {
  const found = new Map();
  const { rows } = profile;
  for (let row = 0; row < rows.count; row++) {
    if (
      rows.type[row] !== type ||
      !filter.group(profile.groups[rows.group[row]])
    )
      continue;
    const fn = tree.functionOf[tree.placeOf[rows.node[row]]];
    let figures = found.get(fn);
    if (figures === undefined) {
      figures = { fn: tree.functions[fn],
        ...emptyFigures(profile.measures) };
      found.set(fn, figures);
    }
    for (const m of profile.measures) figures[m] += rows[m][row];
  }
  return [...found.values()];
}

// The functions on the chain of NODE, the root first.
export function chainOf(tree, node) {
  const chain = [];
  for (; node >= 0; node = tree.parent[node])
    chain.push(tree.functionOf[node]);
  return chain.reverse();
}
