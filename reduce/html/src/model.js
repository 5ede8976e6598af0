// SPDX-License-Identifier: LGPL-2.1-or-later

// What the user chose to see, and the figures for it.
//
// Figures of functions, arcs and types are sums over the chains: while nothing
// is left out, they are those that the reducer computed.

class Model {
  constructor(profile) {
    this.profile = profile;
    this.trees = { whole: wholeTree(profile), program: null };
    this.choose(profile.value);
    this.reset();
  }

  // Lets the measure with the word WORD count.
  choose(word) {
    this.measure = this.profile.measures.find((m) => m.word === word);
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
    return this.categories.includes(false) || this.type !== null ||
      this.phase !== null || this.thread !== null || this.region !== null;
  }

  // The monitors do not count calls by region, nor that of C by thread.
  get callsKnown() {
    return this.region === null &&
      (Boolean(this.profile.lisp) || this.thread === null);
  }

  get filter() {
    const { regions } = this.profile;
    return {
      type: (type) => this.categories[type.category] &&
        (this.type === null || this.type === type.id),
      group: (group) =>
        (this.phase === null || this.phase === group.phase) &&
        (this.thread === null || this.thread === group.thread) &&
        (this.region === null ||
          isWithin(regions[group.region], regions[this.region])),
      callsKnown: this.callsKnown,
      byAllocations: this.phase !== null,
    };
  }

  update() {
    const { profile, trees } = this;
    if (this.programOnly) trees.program ??= programTree(profile);
    this.tree = this.programOnly ? trees.program : trees.whole;
    this.sums = sumTree(profile, this.tree, this.filter);
    this.total = this.sums.total;
    const rows = (key, items, sums) =>
      items.map((item, i) => ({ ...sums[i], [key]: item }));
    this.functions = rows('fn', this.tree.functions, this.sums.functions);
    this.types = rows('type', profile.types, this.sums.types);
    this.regions = rows('region', profile.regions, this.sums.regions);
    const used = this.sums.arcs.filter(isUsed);
    const by = (key) => {
      const arcs = new Map();
      for (const arc of used)
        if (arcs.has(arc[key])) arcs.get(arc[key]).push(arc);
        else arcs.set(arc[key], [arc]);
      return arcs;
    };
    this.callers = by('callee');
    this.callees = by('caller');
  }

  // Functions that are left with anything.
  get shownFunctions() {
    if (this.special)
      return this.functions.filter((f) => f.inclusive[this.measure.word] > 0);
    return this.functions.filter((f) => allocates(f.inclusive) ||
      (f.calls > 0 && !this.narrowed));
  }

  get shownTypes() {
    return this.types.filter((t) =>
      this.special ? t[this.measure.word] > 0 : allocates(t));
  }

  // Whether what is measured is a part of what was allocated: then only what
  // has some of it shows.
  get special() {
    return this.measure.what !== this.profile.measures[0].what;
  }

  // The heaviest way from the root: at each step the callee with most, as
  // long as it has a tenth of the whole.  Calls of a step are those of its
  // function on all chains that go this way, recursion among them.
  hottestPath() {
    const { tree, sums } = this;
    const values = sums.inclusive[this.measure.word];
    const whole = sums.total[this.measure.word];
    const steps = [];
    const next = (node) => childrenOf(tree, node).reduce((best, child) =>
      best < 0 || values[child] > values[best] ? child : best, -1);
    for (let node = next(-1); node >= 0 && values[node] > 0 &&
      values[node] * 10 >= whole; node = next(node))
      steps.push({ node, fn: tree.functions[tree.functionOf[node]],
        value: values[node], calls: 0 });
    const stepsOf = new Map(steps.map(({ fn }) => [fn.id, []]));
    const reached = new Int32Array(tree.count).fill(-1); // last step on a chain
    steps.forEach(({ node, fn }, i) => {
      reached[node] = i;
      stepsOf.get(fn.id).push(i);
    });
    for (let node = 0; node < tree.count; node++) {
      if (reached[node] < 0 && tree.parent[node] >= 0)
        reached[node] = reached[tree.parent[node]];
      for (const i of stepsOf.get(tree.functionOf[node]) ?? [])
        if (i <= reached[node]) steps[i].calls += sums.self.calls[node];
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
    const { tree } = this;
    const values = this.sums.inclusive[this.measure.word];
    const matching = tree.functions.map((f) => matches(f.name));
    const below = new Uint8Array(tree.count);
    const present = new Set();
    let value = 0;
    for (let node = 0; node < tree.count; node++) {
      const above = tree.parent[node];
      const here = matching[tree.functionOf[node]];
      const already = above >= 0 && below[above] === 1;
      if (here && values[node] > 0) {
        present.add(tree.functionOf[node]);
        if (!already) value += values[node];
      }
      if (here || already) below[node] = 1;
    }
    return { matching, value, count: present.size };
  }
}
