// SPDX-License-Identifier: LGPL-2.1-or-later

// Sums of what is selected, over a tree of chains.
//
// They follow the rules of the reducer (reduce/analysis/call_graph.h): a
// function counts once on each chain, and so does a pair of caller and callee,
// even if they recur.  So a node counts for its function if it is the outermost
// one of it on its chain; likewise for pairs.  Calls count for the function that
// is called, and for the pair.
//
// Each sum is a column, a function of a key (profile.js).  Its cells are made on
// demand.

const CATEGORIES = [0, 1, 2, 3];

// Adds up COLUMN by PLACES, numbers below COUNT, or -1 for none.
function addUp(column, places, count) {
  const sums = new Float64Array(count);
  for (let i = 0; i < places.length; i++)
    if (places[i] >= 0) sums[places[i]] += column[i];
  return sums;
}

// Returns a function that calls MAKE(key) once for each key.
function columns(make) {
  const made = new Map();
  return (key) => {
    if (!made.has(key)) made.set(key, make(key));
    return made.get(key);
  };
}

const isCalls = (key) => key === 'calls' || key === beforeOf('calls');

// The figures at PLACE in COLUMN.
const figuresAt = (column, place) => (key) => column(key)[place];

// ITEMS with their figures in COLUMN: as {KEY, figures} each.
const withFigures = (key, items, column) => items.map((item, i) =>
  ({ [key]: item, figures: figuresAt(column, i) }));

// Returns a test for the chains that the expressions of a model select: (node,
// whether for calls).  Functions that are hidden on the page match, too.  Calls
// are those of the remaining functions, whatever was allocated below them.
function chainTest({ profile, tests: { focus, ignore } }) {
  const FOCUSED = 1;
  const IGNORED = 2;
  if (focus === null && ignore === null) return () => true;
  const bits = (fn) => (focus?.(fn) ? FOCUSED : 0) |
    (ignore?.(fn) ? IGNORED : 0);
  const none = focus === null ? FOCUSED : 0;
  const marks = markChains(profile.nodes, profile.functions.map(bits), none);
  return (node, isCall) =>
    isCall ? (marks[node] & IGNORED) === 0 : marks[node] === FOCUSED;
}

// Returns the node of each row that counts, whenever; -1 for others.  Calls have
// no type, and do not count if their function is hidden.
function placeRows(model) {
  const { tree, profile, profile: { rows, nodes } } = model;
  const kept = profile.types.map((type) => model.categories[type.category] &&
    (model.type === null || model.type === type));
  const labels = LABELS.filter((key) => model[key] !== null).map((key) =>
    [rows[key], profile[`${key}s`].map((its) => isWithin(its, model[key]))]);
  const chainCounts = chainTest(model);
  return rows.node.map((node, row) => {
    const isCall = rows.type[row] < 0;
    return (isCall ? model.callsKnown && !tree.hidden[nodes.functionOf[node]]
      : kept[rows.type[row]]) &&
      labels.every(([column, counts]) => counts[column[row]]) &&
      chainCounts(node, isCall) ? tree.shownAt[node] : -1;
  });
}

// Returns the same for the rows in the chosen part of time, where calls are not
// known.
function inWindow({ window, places, profile: { rows } }) {
  if (window === null) return places;
  const [first, end] = window;
  return places.map((place, row) =>
    (rows.slice[row] > first && rows.slice[row] <= end ? place : -1));
}

class Sums {
  constructor(model) {
    const { profile, tree } = model;
    const { functionOf, functions, firstOf } = tree;
    this.profile = profile;
    this.tree = tree;
    this.byAllocations = model.byAllocations;
    this.isInUse = model.at >= 0;
    this.placeOf = inWindow(model);
    this.self = columns((key) => this.selfOf(key));
    this.inclusive = columns((key) => this.sumBelow(this.self(key)));
    this.functions = {
      self: columns((key) =>
        addUp(this.self(key), functionOf, functions.length)),
      inclusive: columns((key) =>
        addUp(this.inclusive(key), firstOf, functions.length)),
    };
    this.arcs = columns((key) => (isCalls(key)
      ? addUp(this.self(key), tree.arcs.of, tree.arcs.pairs.length)
      : addUp(this.inclusive(key), tree.arcs.firstOf, tree.arcs.pairs.length)));
    const { rows } = profile;
    [this.types, this.bins, this.threads] = ['type', 'bin', 'thread'].map((key) =>
      this.by((row) => rows[key][row], profile[`${key}s`].length));
    this.total = (key) => this.inclusive(key)[0];
  }

  // Returns the figure KEY of each row: where a time is chosen, of what was
  // allocated, less what was freed.
  ofRows(key) {
    const { rows, types } = this.profile;
    if (typeof key === 'string')
      return (this.isInUse && rows[inUseOf(key)]) || rows[key];
    return this.ofRows('bytes').map((bytes, row) =>
      types[rows.type[row]]?.category === key ? bytes : 0);
  }

  selfOf(key) {
    const self = addUp(this.ofRows(key), this.placeOf, this.tree.count);
    if (isCalls(key)) this.limitCalls(key, self);
    return self;
  }

  // Makes calls NaN if those of the function are not known.  If functions show
  // because they allocate, calls of a pair without allocations are 0; of a
  // function without a caller, the function counts.
  limitCalls(key, calls) {
    const { functions, functionOf } = this.tree;
    const side = { names: this.profile.names.filter((name) =>
      name('calls') === key) };
    const allocating = this.byAllocations && this.tree.arcs.pairs.map(
      ({ caller, callee }, i) => allocates(caller < 0
        ? figuresAt(this.functions.inclusive, callee)
        : figuresAt(this.arcs, i), side));
    for (let node = 1; node < calls.length; node++)
      if (allocating && !allocating[this.tree.arcs.of[node]]) calls[node] = 0;
      else if (Number.isNaN(functions[functionOf[node]][key])) calls[node] = NaN;
  }

  sumBelow(self) {
    const { parent } = this.tree;
    const sums = self.slice();
    for (let node = sums.length - 1; node > 0; node--)
      sums[parent[node]] += sums[node];
    return sums;
  }

  // Sums the rows by PLACE(row, node), numbers below COUNT.
  by(place, count) {
    const places = this.placeOf.map((node, row) =>
      (node < 0 ? -1 : place(row, node)));
    return columns((key) => addUp(this.ofRows(key), places, count));
  }

  // What was allocated in each region and those inside it.
  get regions() {
    const { rows, regions } = this.profile;
    const own = this.by((row) => rows.region[row], regions.length);
    return columns((key) => regions.map((around) => own(key).reduce((sum, value,
      i) => sum + (isWithin(regions[i], around) ? value : 0), 0)));
  }

  // What each function itself allocated of the type ID; what the function ID
  // itself allocated of each type, and what it and all below it of each size.
  functionsOf(id) {
    const { type } = this.profile.rows;
    return this.by((row, node) => (type[row] === id
      ? this.tree.functionOf[node] : -1), this.tree.functions.length);
  }

  typesOf(id) {
    return this.by((row, node) => (this.tree.functionOf[node] === id
      ? this.profile.rows.type[row] : -1), this.profile.types.length);
  }

  binsOf(id) {
    const { tree, profile: { rows, bins } } = this;
    const marks = markChains(tree, tree.functions.map((_, fn) => fn === id));
    return this.by((row, node) => (marks[node] ? rows.bin[row] : -1), bins.length);
  }
}
