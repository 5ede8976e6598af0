// SPDX-License-Identifier: LGPL-2.1-or-later

// Trees of chains, and sums over them.
//
// Sums follow the rules of the reducer (reduce/analysis/call_graph.h): on each
// chain a function counts once and a pair of caller and callee counts once,
// however often recursion passes them.  A node counts for its function when
// it is the outermost one of that function on its chain; likewise for pairs.
// With nothing filtered the sums are the reducer's own figures, to the byte:
// see differences.  Everything is linear in the nodes and rows, and nothing
// recurses, since chains may be as deep as they like.

// Adds to TREE its links downwards; -1 is none.
function linkTree(tree) {
  const { count, parent } = tree;
  tree.firstChild = new Int32Array(count).fill(-1);
  tree.nextSibling = new Int32Array(count).fill(-1);
  tree.firstRoot = -1;
  for (let node = count - 1; node >= 0; node--) {
    const above = parent[node];
    tree.nextSibling[node] = above < 0 ? tree.firstRoot
      : tree.firstChild[above];
    if (above < 0) tree.firstRoot = node;
    else tree.firstChild[above] = node;
  }
}

function childrenOf(tree, node) {
  const children = [];
  for (let child = node < 0 ? tree.firstRoot : tree.firstChild[node];
    child >= 0; child = tree.nextSibling[child]) children.push(child);
  return children;
}

// Adds the pairs of caller and callee, and those of each node; -1: none.
function findArcs(tree) {
  const { count, parent, functionOf } = tree;
  const ids = new Map();
  tree.arcOf = new Int32Array(count).fill(-1);
  tree.arcs = [];
  for (let node = 0; node < count; node++) {
    if (parent[node] < 0) continue;
    const caller = functionOf[parent[node]];
    const callee = functionOf[node];
    const key = caller * tree.functions.length + callee;
    let arc = ids.get(key);
    if (arc === undefined) {
      arc = tree.arcs.length;
      ids.set(key, arc);
      tree.arcs.push({ caller, callee });
    }
    tree.arcOf[node] = arc;
  }
}

// Adds which nodes are the outermost of their function, and of their arc.
function findOutermost(tree) {
  const { parent, functionOf, arcOf, firstChild, nextSibling } = tree;
  const onPath = new Int32Array(tree.functions.length);
  const arcOnPath = new Int32Array(tree.arcs.length);
  tree.outermost = new Uint8Array(tree.count);
  tree.outermostArc = new Uint8Array(tree.count);
  const enter = (node) => {
    tree.outermost[node] = onPath[functionOf[node]]++ === 0 ? 1 : 0;
    if (arcOf[node] >= 0)
      tree.outermostArc[node] = arcOnPath[arcOf[node]]++ === 0 ? 1 : 0;
  };
  const leave = (node) => {
    onPath[functionOf[node]]--;
    if (arcOf[node] >= 0) arcOnPath[arcOf[node]]--;
  };
  for (let node = tree.firstRoot; node >= 0;) {
    enter(node);
    if (firstChild[node] >= 0) {
      node = firstChild[node];
      continue;
    }
    leave(node);
    while (nextSibling[node] < 0 && parent[node] >= 0) {
      node = parent[node];
      leave(node);
    }
    node = nextSibling[node];
  }
}

function describe(tree) {
  linkTree(tree);
  findArcs(tree);
  findOutermost(tree);
  return tree;
}

// The tree of all chains.  Its place of each node of the profile is itself.
function wholeTree({ nodes, functions }) {
  const placeOf = nodes.parent.map((_, node) => node);
  return describe({ ...nodes, functions, placeOf, callsAt: placeOf });
}

// The tree in which functions do not show for which ISHIDDEN is true: what
// they allocate is charged to the nearest caller that shows, and their own
// calls count for nothing.
function hidingTree(profile, isHidden) {
  const { count, parent, functionOf } = profile.nodes;
  const functions = profile.functions.slice();
  const hidden = functions.map(isHidden);
  let nobody = functions.findIndex((fn) => fn.name === '[hidden]');
  if (nobody < 0) {
    nobody = functions.length;
    functions.push({ id: nobody, name: '[hidden]', package: null, file: '',
      line: 0, shade: 0, system: 0, matched: 0, cycle: 0, calls: 0,
      callsBefore: 0 });
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
  const placeOf = new Int32Array(count); // nearest that shows; -1: none
  const callsAt = new Int32Array(count);
  for (let node = 0; node < count; node++) {
    const above = parent[node] < 0 ? -1 : placeOf[parent[node]];
    const fn = functionOf[node];
    placeOf[node] = hidden[fn] ? above : child(above, fn);
    callsAt[node] = hidden[fn] ? -1 : placeOf[node];
  }
  for (const node of profile.rows.node)
    if (placeOf[node] < 0) placeOf[node] = child(-1, nobody);
  return describe({ count: parents.length, parent: Int32Array.from(parents),
    functionOf: Int32Array.from(functionsOf), functions, placeOf, callsAt });
}

// The functions on the chain of NODE, the root first.
function chainOf(tree, node) {
  const chain = [];
  for (; node >= 0; node = tree.parent[node])
    chain.push(tree.functionOf[node]);
  return chain.reverse();
}
