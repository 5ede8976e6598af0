// SPDX-License-Identifier: LGPL-2.1-or-later

// The tree of the chains that show.  A node is one frame; node 0 is the root.
// Nodes are in the order of a walk: the nodes below a node follow it up to its
// END.  So its first child is the next node, and each further child begins at
// the end of the one before.  Chains may be very deep, so nothing recurses.
// Everything is linear in the nodes.
//
//   count, parent, functionOf   the function of the root is -1
//   end                         the node after everything below a node
//   firstOf                     the function of a node that is the outermost of
//                               it on its chain; -1 for others
//   functions                   those of the profile, and perhaps [hidden]
//   hidden                      whether each of them is hidden
//   shownAt                     the node here of each node of the profile
//   arcs {pairs, of, firstOf}   the pairs {caller, callee}, the pair of each
//                               node, and as above; -1 stands for no caller

// Builds a tree of at most SIZE nodes, from the root outwards.
class TreeBuilder {
  constructor(size) {
    this.count = 1;
    this.parent = new Int32Array(size);
    this.functionOf = new Int32Array(size).fill(-1);
    this.mask = 2 ** Math.ceil(Math.log2(2 * size)) - 1;
    this.slots = new Int32Array(this.mask + 1); // nodes, by what they are
  }

  // Returns the child of the node ABOVE for the function FN, and makes it if
  // it is new.
  child(above, fn) {
    const { parent, functionOf, slots, mask } = this;
    let slot = Math.imul(Math.imul(above, 0x9e3779b1) + fn, 0x85ebca6b);
    for (slot = (slot ^ (slot >>> 15)) & mask; slots[slot] !== 0;
      slot = (slot + 1) & mask) {
      const node = slots[slot];
      if (parent[node] === above && functionOf[node] === fn) return node;
    }
    const node = this.count++;
    slots[slot] = node;
    parent[node] = above;
    functionOf[node] = fn;
    return node;
  }

  // Returns the nodes in the order of a walk, and PLACEOF, the new number of
  // each.
  finish() {
    const { count } = this;
    const size = new Int32Array(count).fill(1);
    for (let node = count - 1; node > 0; node--)
      size[this.parent[node]] += size[node];
    const placeOf = new Int32Array(count);
    const next = new Int32Array(count).fill(1); // place of the next child
    const parent = new Int32Array(count);
    const functionOf = new Int32Array(count).fill(-1);
    const end = new Int32Array(count).fill(count);
    for (let node = 1; node < count; node++) {
      const above = this.parent[node];
      const place = next[above];
      placeOf[node] = place;
      next[above] += size[node];
      next[node] = place + 1;
      parent[place] = placeOf[above];
      functionOf[place] = this.functionOf[node];
      end[place] = next[above];
    }
    return { count, parent, functionOf, end, placeOf };
  }
}

// Returns OF, numbers below COUNT, with -1 at each node that has one of the
// same number above it.  Such a node lies before the end of that one.
function outermost({ end }, of, count) {
  const first = new Int32Array(of.length).fill(-1);
  const ends = new Int32Array(count);
  for (let node = 1; node < of.length; node++) {
    if (node < ends[of[node]]) continue;
    first[node] = of[node];
    ends[of[node]] = end[node];
  }
  return first;
}

function findArcs(tree) {
  const { count, parent, functionOf, functions } = tree;
  const ids = new Map();
  const pairs = [];
  const of = new Int32Array(count).fill(-1);
  for (let node = 1; node < count; node++) {
    const caller = functionOf[parent[node]];
    const callee = functionOf[node];
    const key = (caller + 1) * functions.length + callee;
    if (!ids.has(key)) ids.set(key, pairs.push({ caller, callee }) - 1);
    of[node] = ids.get(key);
  }
  return { pairs, of, firstOf: outermost(tree, of, pairs.length) };
}

// Returns the tree without the functions for which ISHIDDEN is true.  What
// these allocate is charged to the nearest caller that shows.  Equal chains
// become one.
function viewTree({ nodes, functions, rows }, isHidden) {
  const hidden = functions.map(isHidden);
  let nobody = functions.findIndex((fn) => fn.name === '[hidden]');
  if (nobody < 0 && hidden.includes(true)) {
    nobody = functions.length;
    functions = [...functions, { id: nobody, name: '[hidden]', package: null,
      file: '', line: 0, shade: 0, cycle: 0 }];
  }
  const builder = new TreeBuilder(nodes.count + 1); // and [hidden]
  const at = new Int32Array(nodes.count);
  for (let node = 1; node < nodes.count; node++) {
    const above = at[nodes.parent[node]];
    const fn = nodes.functionOf[node];
    at[node] = fn < 0 || hidden[fn] ? above : builder.child(above, fn);
  }
  for (let row = 0; row < rows.count; row++)
    if (rows.type[row] >= 0 && at[rows.node[row]] === 0)
      at[rows.node[row]] = builder.child(0, nobody);
  const { placeOf, ...tree } = builder.finish();
  Object.assign(tree, { functions, hidden,
    shownAt: at.map((node) => placeOf[node]) });
  return Object.assign(tree, { arcs: findArcs(tree),
    firstOf: outermost(tree, tree.functionOf, functions.length) });
}

function childrenOf({ end }, node) {
  const children = [];
  for (let child = node + 1; child < end[node]; child = end[child])
    children.push(child);
  return children;
}

// Returns for each node the union of BITS[function] over its chain; the root
// has NONE.
function markChains({ count, parent, functionOf }, bits, none = 0) {
  const marks = new Uint8Array(count);
  marks[0] = none;
  for (let node = 1; node < count; node++)
    marks[node] = marks[parent[node]] | bits[functionOf[node]];
  return marks;
}

// Returns the functions on the chain of NODE, the root first.
function chainOf(tree, node) {
  const chain = [];
  for (; node > 0; node = tree.parent[node])
    chain.push(tree.functionOf[node]);
  return chain.reverse();
}
