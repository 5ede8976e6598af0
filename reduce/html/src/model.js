// SPDX-License-Identifier: LGPL-2.1-or-later

// What the user chose to see, and the figures for it.
//
// While nothing is left out, figures of functions, arcs and types are those
// that the reducer computed; else they are sums over the chains (chains.js).

import { isUsed, sumTree, treeWithout, wholeTree } from './chains.js';

function pick(object, keys) {
  return Object.fromEntries(keys.map((key) => [key, object[key]]));
}

export class Model {
  constructor(profile) {
    this.profile = profile;
    this.measure = profile.value;
    this.trees = { whole: wholeTree(profile), program: null };
    this.reset();
  }

  // Lets everything be seen again.
  reset() {
    this.categories = [true, true, true, true];
    this.type = null; // ids; null: all
    this.phase = null;
    this.thread = null;
    this.region = null;
    this.programOnly = false; // without ECL's own functions
    this.update();
  }

  get narrowed() {
    return (
      this.categories.includes(false) ||
      this.type !== null ||
      this.phase !== null ||
      this.thread !== null ||
      this.region !== null
    );
  }

  // The monitors do not count calls by region, nor that of C by thread.
  get callsKnown() {
    return this.region === null &&
      (this.profile.lisp || this.thread === null);
  }

  // Whether the region with the number ID is the one that is chosen, or is
  // in that.
  inRegion(id) {
    if (this.region === null) return true;
    const { regions } = this.profile;
    const chosen = regions[this.region].name;
    const name = regions[id]?.name ?? '';
    return name === chosen || name.startsWith(`${chosen};`);
  }

  get filter() {
    return {
      type: (type) =>
        this.categories[type.category] &&
        (this.type === null || this.type === type.id),
      group: (group) =>
        (this.phase === null || this.phase === group.phase) &&
        (this.thread === null || this.thread === group.thread) &&
        this.inRegion(group.region),
      callsKnown: this.callsKnown,
      byAllocations: this.phase !== null,
    };
  }

  update() {
    const { profile, trees } = this;
    if (this.programOnly && trees.program === null)
      trees.program = treeWithout(profile, (f) => f.system);
    this.tree = this.programOnly ? trees.program : trees.whole;
    this.sums = sumTree(profile, this.tree, this.filter);
    const exact = !this.narrowed && !this.programOnly;
    this.total = this.sums.total;
    this.functions = this.tree.functions
      .map((fn, i) => {
        const { self, inclusive, root, calls, rootCalls } = exact
          ? profile.functions[i]
          : this.sums.functions[i];
        return { fn, self, inclusive, root, calls, rootCalls };
      });
    this.arcs = exact ? profile.arcs : this.sums.arcs;
    this.callers = new Map();
    this.callees = new Map();
    for (const arc of this.arcs) {
      if (!isUsed(arc)) continue;
      for (const [map, key] of [
        [this.callers, arc.callee],
        [this.callees, arc.caller],
      ]) {
        if (map.has(key)) map.get(key).push(arc);
        else map.set(key, [arc]);
      }
    }
    this.types = profile.types.map((type, i) => {
      const figures = exact ? type : this.sums.types[i];
      return { type, ...pick(figures, profile.measures) };
    });
    this.regions = profile.regions.map((region, i) => ({
      region,
      ...pick(exact ? region : this.sums.regions[i], profile.measures),
    }));
  }

  // Functions that are left with anything.
  get shownFunctions() {
    if (this.special)
      return this.functions.filter((f) => f.inclusive[this.measure] > 0);
    return this.functions.filter(
      (f) => f.inclusive.bytes > 0 || f.inclusive.allocs > 0 ||
        (f.calls > 0 && !this.narrowed)
    );
  }

  get shownTypes() {
    return this.types.filter((t) => (this.special ? t[this.measure] > 0
      : t.bytes > 0 || t.allocs > 0));
  }

  // Whether what is measured is a part of what was allocated: then only what
  // has some of it shows.
  get special() {
    return this.measure !== 'bytes' && this.measure !== 'allocs';
  }

  // The heaviest way from the root: at each step the callee with most, as
  // long as it has a tenth of the whole.
  hottestPath() {
    const { tree, sums, measure } = this;
    const values = sums.inclusive[measure];
    const whole = sums.total[measure];
    const steps = [];
    const heaviest = (nodes) =>
      nodes.reduce(
        (best, node) =>
          best < 0 || values[node] > values[best] ? node : best,
        -1
      );
    const childrenOf = (node) => {
      const nodes = [];
      for (let c = tree.firstChild[node]; c >= 0; c = tree.nextSibling[c])
        nodes.push(c);
      return nodes;
    };
    let node = heaviest(tree.roots);
    while (node >= 0 && values[node] * 10 >= whole && values[node] > 0) {
      steps.push({
        node,
        fn: tree.functions[tree.functionOf[node]],
        value: values[node],
        self: sums.self[measure][node],
        calls: sums.self.calls[node],
      });
      node = heaviest(childrenOf(node));
    }
    return steps;
  }

  // Compiles TEXT to a test of names; null when it is empty, and an Error
  // when it is no regular expression.
  static matcher(text) {
    if (text === '') return null;
    try {
      const pattern = new RegExp(text, 'i');
      return (name) => pattern.test(name);
    } catch (error) {
      return error;
    }
  }

  // How much was allocated with a function that MATCHES on the chain, and
  // how many functions match.
  search(matches) {
    const { tree, sums, measure } = this;
    const matching = tree.functions.map((f) => matches(f.name));
    const below = new Uint8Array(tree.count);
    const present = new Set();
    let value = 0;
    for (let node = 0; node < tree.count; node++) {
      const above = tree.parent[node];
      const here = matching[tree.functionOf[node]];
      const already = above >= 0 && below[above] === 1;
      if (sums.inclusive[measure][node] > 0) {
        if (here) present.add(tree.functionOf[node]);
        if (here && !already) value += sums.inclusive[measure][node];
      }
      if (here || already) below[node] = 1;
    }
    return { matching, value, count: present.size };
  }
}
