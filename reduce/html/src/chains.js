// SPDX-License-Identifier: LGPL-2.1-or-later

// The tree of the chains that show.  A node is one frame; 0 is the root, the
// whole.  Nodes come in the order of a walk: what is in and below a node are
// those from it up to END of it, and its children are the next one and each
// that follows the end of the child before.  Nothing recurses, since chains may
// be as deep as they like, and everything is linear in the nodes.
//
//   count, parent, functionOf   -1 is the function of the root
//   end                         the node behind all that is below a node
//   firstOf                     the function of those nodes that are the outermost
//                               of it on their chain; -1 of others
//   functions                   those of the profile, and perhaps [hidden]
//   hidden                      which of them do not show
//   shownAt                     where each of the profile's nodes is
//   arcs {pairs, of, firstOf}   the pairs {caller, callee}, the one of each node,
//                               and as above; -1 calls what has no caller

// Makes a tree of at most so many nodes as SIZE from the root outwards.
class TreeBuilder {
  constructor(size) {
    this.count = 1;
    this.parent = new Int32Array(size);
    this.functionOf = new Int32Array(size).fill(-1);
    this.mask = 2 ** Math.ceil(Math.log2(2 * size)) - 1;
    this.slots = new Int32Array(this.mask + 1); // nodes, by what they are
  }

  // The child of the node ABOVE that is FN, made if it is not there.
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

  // The nodes in the order of a walk, and the place of each among them.
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

// OF, numbers below COUNT, but -1 at nodes that have one of the same number
// above them: those before the end of the last one.
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

// The tree in which the functions do not show that ISHIDDEN: what they allocate
// is charged to the nearest caller that shows.  Equal chains are one.
function viewTree({ nodes, functions, rows }, isHidden) {
  const hidden = functions.map(isHidden);
  let nobody = functions.findIndex((fn) => fn.name === '[hidden]');
  if (nobody < 0 && hidden.includes(true)) {
    nobody = functions.length;
    functions = [...functions, { id: nobody, name: '[hidden]', package: null,
      file: '', line: 0, shade: 0, system: 0, matched: 0, cycle: 0 }];
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

// For each node what BITS(function) are of the functions on its chain,
// together, and NONE of the root.
function markChains({ count, parent, functionOf }, bits, none = 0) {
  const marks = new Uint8Array(count);
  marks[0] = none;
  for (let node = 1; node < count; node++)
    marks[node] = marks[parent[node]] | bits[functionOf[node]];
  return marks;
}

// The functions on the chain of NODE, the root first.
function chainOf(tree, node) {
  const chain = [];
  for (; node > 0; node = tree.parent[node])
    chain.push(tree.functionOf[node]);
  return chain.reverse();
}
