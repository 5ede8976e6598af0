// SPDX-License-Identifier: LGPL-2.1-or-later

// What the user chose to see, and the figures for it.
//
// Figures of functions, arcs and types are sums over the chains: while nothing
// is left out, they are those that the reducer computed.

// The expressions that choose among functions, as the command's options.
const EXPRESSIONS = ['focus', 'ignore', 'hide'];

// An expression of JavaScript that matches TEXT alone.
const quoted = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

class Model {
  constructor(profile) {
    this.profile = profile;
    this.tree = wholeTree(profile);
    this.trees = new Map([['', this.tree]]); // by what is hidden
    this.choices = null;
  }

  // Takes CHOICES (address.js) without those that make no sense: an invalid
  // expression, an unknown id.
  choose(choices) {
    const { profile } = this;
    const old = this.choices;
    const id = (key) => {
      const chosen = choices[key] === '' ? NaN : Number(choices[key]);
      return profile[`${key}s`][chosen] === undefined ? null : chosen;
    };
    this.choices = choices;
    this.measure = profile.measures.find((m) => m.word === choices.value) ??
      profile.measures.find((m) => m.word === profile.value);
    this.programOnly = choices.program !== '';
    this.categories = profile.categories.map((_, i) =>
      !choices.without.includes(i));
    for (const key of ['type', 'phase', 'thread', 'region'])
      this[key] = id(key);
    this.tests = Object.fromEntries(EXPRESSIONS.map((key) =>
      [key, choices[key] === '' || profile.grouped ? null
        : functionTest(expressionTest(choices[key]))]));
    if (old === null || SUMMED.some((key) => old[key] !== choices[key]))
      this.update();
    this.measureWidths();
  }

  get narrowed() {
    return this.categories.includes(false) || this.type !== null ||
      this.phase !== null || this.thread !== null || this.region !== null ||
      this.tests.focus !== null || this.tests.ignore !== null;
  }

  // Whether functions show for what they allocate, and not for calls.
  get byAllocations() {
    return this.categories.includes(false) || this.type !== null ||
      this.phase !== null || this.tests.focus !== null;
  }

  // The monitors do not count calls by region, nor that of C by thread; holders
  // have none.
  get callsKnown() {
    const { lisp, holders } = this.profile;
    return !holders && this.region === null && (lisp || this.thread === null);
  }

  get filter() {
    const { profile, tests } = this;
    const { regions } = profile;
    return {
      type: (type) => this.categories[type.category] &&
        (this.type === null || this.type === type.id),
      group: (group) =>
        (this.phase === null || this.phase === group.phase) &&
        (this.thread === null || this.thread === group.thread) &&
        (this.region === null ||
          isWithin(regions[group.region], regions[this.region])),
      chains: tests.focus === null && tests.ignore === null ? null
        : new ChainSelection(profile, tests.focus, tests.ignore),
      callsKnown: this.callsKnown,
      byAllocations: this.phase !== null || tests.focus !== null,
    };
  }

  // The tree of what is not hidden; the last ones are kept.
  treeOf() {
    const { profile, trees, programOnly, choices } = this;
    const { hide } = this.tests;
    const key = (programOnly ? 'p' : '') +
      (hide === null ? '' : `h${choices.hide}`);
    if (!trees.has(key)) {
      if (trees.size > 4) trees.delete([...trees.keys()][1]);
      trees.set(key, hidingTree(profile, (fn) =>
        (programOnly && fn.system) || (hide?.(fn) ?? false)));
    }
    return trees.get(key);
  }

  update() {
    const { profile } = this;
    this.tree = this.treeOf();
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

  // Whether the page's own sums are the reducer's; found out once.
  get check() {
    const { profile } = this;
    const whole = !this.narrowed && this.tree === this.trees.get('');
    this.checked ??= differences(profile, whole ? this.sums
      : sumTree(profile, this.trees.get(''), { type: () => true,
        group: () => true, callsKnown: true, byAllocations: false }));
    return this.checked;
  }

  // How wide the frames of each node's own are, and of all in and below it:
  // what is measured; where two profiles are compared, what was more, before
  // or after, unless one of them is chosen.
  measureWidths() {
    const { sums, measure, profile, tree, choices } = this;
    const { word } = measure;
    const before = beforeOf(word);
    const chosen = choices.width === 'before' ? before : word;
    this.widths = { own: sums.self[chosen], all: sums.inclusive[chosen],
      total: sums.total[chosen] };
    if (!profile.compared || choices.width !== '') return;
    const own = sums.self[word].map((value, node) =>
      Math.max(value, sums.self[before][node]));
    this.widths = { own, all: sumBelow({ own }, tree).own,
      total: own.reduce((sum, value) => sum + value, 0) };
  }

  // Functions that are left with anything.
  get shownFunctions() {
    if (this.special)
      return this.functions.filter((f) => this.hasMeasure(f.inclusive));
    return this.functions.filter((f) => allocates(f.inclusive) ||
      ((f.calls > 0 || f.callsBefore > 0) && !this.byAllocations));
  }

  get shownTypes() {
    return this.types.filter((t) =>
      this.special ? this.hasMeasure(t) : allocates(t));
  }

  // Whether FIGURES are of any of what is measured.
  hasMeasure(figures) {
    const { word } = this.measure;
    return figures[word] > 0 || figures[beforeOf(word)] > 0;
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
  // when it is not a regular expression.
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
