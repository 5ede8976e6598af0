// SPDX-License-Identifier: LGPL-2.1-or-later

// The frames of a flame graph.  Two ways to stack them: chains from the root,
// or (callers) from the function that allocates outwards to its callers.  A
// frame is
//
//   {fn, value, calls, callsBefore, categories, parent, children(),
//    all(word), own(word)}
//
// FN is -1 for the whole.  VALUE is its width (Model.widths), ALL(word) the
// figure of it and all below it, OWN(word) of what stops there.  Children are
// made when somebody looks at them, the widest first.

function makeFrame(fields, makeChildren) {
  let made = null;
  return { ...fields, children() {
    made ??= makeChildren(this)
      .sort((a, b) => b.value - a.value || a.fn - b.fn);
    return made;
  } };
}

// Chains from the root, in what MODEL shows.
function chainFrames({ sums, widths }) {
  const { tree, self, inclusive } = sums;
  const values = widths.all;
  const below = (node) => (frame) => childrenOf(tree, node)
    .filter((child) => values[child] > 0)
    .map((child) => frameOf(child, frame));
  const frameOf = (node, parent) => makeFrame({
    fn: tree.functionOf[node], node, parent, value: values[node],
    calls: self.calls[node], callsBefore: self.callsBefore?.[node],
    categories: categoriesAt(inclusive, node),
    all: (word) => inclusive[word][node], own: (word) => self[word][node],
  }, below(node));
  return makeFrame({ fn: -1, parent: null, value: widths.total, calls: 0,
    categories: sums.total.categories, all: (word) => sums.total[word],
    own: () => 0 }, below(-1));
}

// From the functions that allocate outwards.  A frame stands for the nodes
// STARTS, which allocate, and for PLACES, where their chains have come to.
function callerFrames({ sums, widths }) {
  const { tree, self } = sums;
  const values = widths.own;
  const sumOf = (starts, word) =>
    starts.reduce((sum, start) => sum + self[word][start], 0);
  const frameOf = (fn, parent) => makeFrame({ fn, parent, value: 0,
    calls: 0, categories: [0, 0, 0, 0], starts: [], places: [],
    all(word) {
      return sumOf(this.starts, word);
    },
    own(word) { // of chains that begin here
      return sumOf(this.starts.filter((_, i) =>
        tree.parent[this.places[i]] < 0), word);
    } }, callers);
  const callers = (above) => group(above,
    above.places.map((place) => tree.parent[place]));
  const group = (above, places) => {
    const frames = new Map();
    places.forEach((place, i) => {
      if (place < 0) return;
      const start = above.starts[i];
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
  return makeFrame({ fn: -1, parent: null, value: widths.total, calls: 0,
    categories: sums.total.categories, starts,
    all: (word) => sums.total[word], own: () => 0 },
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
