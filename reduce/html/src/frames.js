// SPDX-License-Identifier: LGPL-2.1-or-later

// The frames of a flame graph, which are stacked in one of two ways: chains from
// the root, or callers from the function that allocates outwards.  A frame is
//
//   {fn, value, parent, inverted, children(), nodes(), all(key), own(key),
//    calls(key)}
//
// FN is -1 for the whole.  VALUE is the width (Model.widths).  ALL(key) is the
// figure of the frame and everything below it, OWN(key) of what ends there.
// Children are made on demand, the widest first.

const sumAt = (places, column) =>
  places.reduce((sum, place) => sum + column[place], 0);

// Stacks frames from that of FN on, which has ENTRIES.  NEXT(entry) are those in
// the next row, FNOF(entry) is the function, FIELDS(entries) the rest of a frame.
function stackFrames(fn, entries, steps, parent = null) {
  const { next, fnOf, fields } = steps;
  let made = null;
  return { fn, parent, ...fields(entries), children() {
    made ??= [...Map.groupBy(entries.flatMap(next), fnOf)]
      .map(([its, below]) => stackFrames(its, below, steps, this))
      .sort((a, b) => b.value - a.value || a.fn - b.fn);
    return made;
  } };
}

// The nodes with a width of which the function FN is the outermost on the chain.
function outermostOf({ tree: { firstOf }, widths: { all } }, fn) {
  const nodes = [];
  firstOf.forEach((first, node) => {
    if (first === fn && all[node] > 0) nodes.push(node);
  });
  return nodes;
}

// The frames of chains from the root, or of all chains from FN.
function chainFrames(model, fn = -1) {
  const { tree, sums, widths: { all } } = model;
  return stackFrames(fn, fn < 0 ? [0] : outermostOf(model, fn), {
    next: (node) => childrenOf(tree, node).filter((child) => all[child] > 0),
    fnOf: (node) => tree.functionOf[node],
    fields: (nodes) => {
      const own = (key) => sumAt(nodes, sums.self(key));
      return { inverted: false, nodes: () => nodes, own, calls: own,
        value: sumAt(nodes, all),
        all: (key) => sumAt(nodes, sums.inclusive(key)) };
    },
  });
}

// The frames from functions that allocate outwards to their callers, or from FN.
// An entry is a node whose figures the frame has, and the node of the frame.
function callerFrames(model, fn = -1) {
  const { tree: { functionOf, parent }, sums, widths } = model;
  const [column, width] = fn < 0 ? [sums.self, widths.own]
    : [sums.inclusive, widths.all];
  const starts = fn < 0 ? [...width.keys()].filter((node) =>
    node > 0 && width[node] > 0) : outermostOf(model, fn);
  const sumOf = (entries, of) => sumAt(entries.map(([start]) => start), of);
  const whole = stackFrames(fn, starts.map((start) =>
    [start, fn < 0 ? null : start]), {
    next: ([start, node]) => {
      const above = node === null ? start : parent[node];
      return above === 0 ? [] : [[start, above]];
    },
    fnOf: ([, node]) => functionOf[node],
    fields: (entries) => ({ inverted: true, calls: () => 0,
      nodes: () => entries.map(([, node]) => node),
      value: sumOf(entries, width),
      all: (key) => sumOf(entries, column(key)),
      own: (key) => sumOf(entries.filter(([, node]) => // that begin here
        parent[node] === 0), column(key)) }),
  });
  return fn < 0 ? Object.assign(whole, { all: sums.total }) : whole;
}

// Returns the frame at the end of PATH, functions from the outermost row on.
// It skips a function without a frame.
const frameAt = (whole, path) => path.reduce((frame, fn) =>
  frame.children().find((child) => child.fn === fn) ?? frame, whole);

function pathOf(frame) {
  const path = [];
  for (; frame.parent !== null; frame = frame.parent) path.push(frame.fn);
  return path.reverse();
}
