// SPDX-License-Identifier: LGPL-2.1-or-later

// The frames of a flame graph.  Two ways to stack them: chains from the root,
// or (callers) from the function that allocates outwards to its callers.  A
// frame is
//
//   {fn, value, self, calls, categories, parent, children()}
//
// FN is -1 for the whole.  Children are made when somebody looks at them, the
// heaviest first.

function makeFrame(fields, makeChildren) {
  let made = null;
  return { ...fields, children() {
    made ??= makeChildren(this)
      .sort((a, b) => b.value - a.value || a.fn - b.fn);
    return made;
  } };
}

// Chains from the root, in SUMS, by the measure WORD.
function chainFrames(sums, word) {
  const { tree, self, inclusive } = sums;
  const values = inclusive[word];
  const below = (node) => (frame) => childrenOf(tree, node)
    .filter((child) => values[child] > 0)
    .map((child) => frameOf(child, frame));
  const frameOf = (node, parent) => makeFrame({
    fn: tree.functionOf[node], node, parent, value: values[node],
    self: self[word][node], calls: self.calls[node],
    categories: categoriesAt(inclusive, node),
  }, below(node));
  return makeFrame({ fn: -1, parent: null, value: sums.total[word], self: 0,
    calls: 0, categories: sums.total.categories }, below(-1));
}

// From the functions that allocate outwards.  A frame stands for the nodes
// STARTS, which allocate, and for PLACES, where their chains have come to.
function callerFrames(sums, word) {
  const { tree, self } = sums;
  const values = self[word];
  const frameOf = (fn, parent) => makeFrame({ fn, parent, value: 0,
    self: 0, // of chains that begin here
    calls: 0, categories: [0, 0, 0, 0], starts: [], places: [] }, callers);
  const callers = (above) => group(above,
    above.places.map((place) => tree.parent[place]));
  const group = (above, places) => {
    const frames = new Map();
    places.forEach((place, i) => {
      const start = above.starts[i];
      if (place < 0) {
        above.self += values[start];
        return;
      }
      const fn = tree.functionOf[place];
      if (!frames.has(fn)) frames.set(fn, frameOf(fn, above));
      const frame = frames.get(fn);
      frame.starts.push(start);
      frame.places.push(place);
      frame.value += values[start];
      for (const c of CATEGORIES) frame.categories[c] += self[c][start];
    });
    return [...frames.values()];
  };
  const starts = [];
  for (let node = 0; node < tree.count; node++)
    if (values[node] > 0) starts.push(node);
  return makeFrame({ fn: -1, parent: null, value: sums.total[word], self: 0,
    calls: 0, categories: sums.total.categories, starts },
  (whole) => group(whole, starts));
}

// The frame that PATH, functions from the outermost row on, leads to; or the
// last that is still there.
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
