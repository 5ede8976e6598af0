// SPDX-License-Identifier: LGPL-2.1-or-later

// The frames of a flame graph, which are stacked in one of two ways: chains from
// the root, or callers from the function that allocates outwards.  A frame is
//
//   {fn, value, parent, children(), all(key), own(key), calls(key)}
//
// FN is -1 for the whole.  VALUE is the width (Model.widths).  ALL(key) is the
// figure of the frame and everything below it, OWN(key) of what ends there.
// Children are made on demand, the widest first.

function makeFrame(fields, makeChildren) {
  let made = null;
  return { ...fields, children() {
    made ??= makeChildren(this)
      .sort((a, b) => b.value - a.value || a.fn - b.fn);
    return made;
  } };
}

// The frames of chains from the root.
function chainFrames({ tree, sums, widths: { all } }) {
  const frameOf = (node, parent) => makeFrame({ fn: tree.functionOf[node], node,
    parent, value: all[node], all: figuresAt(sums.inclusive, node),
    own: figuresAt(sums.self, node), calls: figuresAt(sums.self, node) },
  (frame) => childrenOf(tree, node).filter((child) => all[child] > 0)
    .map((child) => frameOf(child, frame)));
  return frameOf(0, null);
}

// The frames from functions that allocate outwards to their callers.  A frame
// has nodes that allocate, STARTS, and for each of them the node of the frame
// itself, PLACES.
function callerFrames({ tree, sums, widths: { own, total } }) {
  const sumOf = (starts, key) =>
    starts.reduce((sum, start) => sum + sums.self(key)[start], 0);
  const frameOf = (fn, parent) => makeFrame({ fn, parent, value: 0, starts: [],
    places: [], calls: () => 0,
    all(key) {
      return sumOf(this.starts, key);
    },
    own(key) { // of chains that begin here
      return sumOf(this.starts.filter((_, i) =>
        tree.parent[this.places[i]] === 0), key);
    } }, callers);
  const callers = (above) => {
    const frames = new Map();
    above.places.forEach((place, i) => {
      const next = above.fn < 0 ? place : tree.parent[place];
      if (next === 0) return;
      const fn = tree.functionOf[next];
      if (!frames.has(fn)) frames.set(fn, frameOf(fn, above));
      const frame = frames.get(fn);
      frame.starts.push(above.starts[i]);
      frame.places.push(next);
      frame.value += own[above.starts[i]];
    });
    return [...frames.values()];
  };
  const whole = frameOf(-1, null);
  for (let node = 1; node < tree.count; node++)
    if (own[node] > 0) whole.starts.push(node);
  return Object.assign(whole, { places: whole.starts, value: total,
    all: sums.total });
}

// Returns the frame at the end of PATH, functions from the outermost row on, or
// the last one on it that exists.
function frameAt(whole, path) {
  let frame = whole;
  for (const fn of path) {
    const next = frame.children().find((child) => child.fn === fn);
    if (next === undefined) break;
    frame = next;
  }
  return frame;
}

function pathOf(frame) {
  const path = [];
  for (; frame.parent !== null; frame = frame.parent) path.push(frame.fn);
  return path.reverse();
}
