// SPDX-License-Identifier: LGPL-2.1-or-later

// What the user chose to see, and the figures for it: the tree that is left
// when functions are hidden (chains.js), and the sums over it (sums.js).

// The expressions that choose among functions, as the command's options.
const EXPRESSIONS = ['focus', 'ignore', 'hide'];

// What each row says beside its chain and its type.
const LABELS = ['phase', 'thread', 'region'];

// An expression of JavaScript that matches TEXT alone.
const quoted = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

// What JavaScript reads otherwise than the command, which has POSIX extended
// regular expressions, without an error.
const OF_THE_COMMAND = /\[[:.=]|\\[<>`']|\{,/;

// A test of functions for TEXT, an expression, as the command makes it: by name
// or file.  What stands for hidden chains does not count as a function.
function functionTest(text, { grouped }) {
  if (grouped) throw new Error('this page shows groups, not functions');
  if (OF_THE_COMMAND.test(text))
    throw new Error("this is POSIX; in JavaScript, [[:digit:]] is \\d, \\< " +
      'is \\b, and {,3} is {0,3}');
  const pattern = new RegExp(text);
  return ({ raw, rawFile, matched }) => matched > 0 && (pattern.test(raw) ||
    (matched > 1 && rawFile !== '' && pattern.test(rawFile)));
}

// A test of names for TEXT, a search.
function nameTest(text) {
  const pattern = new RegExp(text, 'i');
  return (name) => pattern.test(name);
}

class Model {
  constructor(profile) {
    this.profile = profile;
    this.choices = {};
  }

  // Takes CHOICES (address.js), but for those that make no sense.
  choose(choices) {
    const { profile } = this;
    const changed = (...keys) =>
      keys.some((key) => this.choices[key] !== choices[key]);
    const hides = changed('hide', 'program');
    const summed = hides || changed('focus', 'ignore', 'without', 'type',
      ...LABELS);
    const measureOf = (word) => profile.measures.find((m) => m.word === word);
    this.choices = choices;
    this.measure = measureOf(choices.value) ?? measureOf(profile.value);
    this.programOnly = choices.program !== '';
    this.categories = profile.categories.map((_, i) =>
      !choices.without.includes(i));
    for (const key of ['type', ...LABELS])
      this[key] = profile[`${key}s`].find(({ id }) =>
        String(id) === choices[key]) ?? null;
    this.tests = {};
    this.faults = {};
    for (const key of EXPRESSIONS) this.readExpression(key, functionTest);
    this.readExpression('search', nameTest);
    if (hides)
      this.tree = viewTree(profile, (fn) => (this.programOnly &&
        fn.system > 0) || (this.tests.hide?.(fn) ?? false));
    if (summed) this.sum();
    this.measureWidths();
    this.found = this.tests.search && this.search();
  }

  // Makes the test KEY of the expression that is chosen; null for none, or for
  // what is none, of which FAULTS says what is wrong.
  readExpression(key, testOf) {
    const text = this.choices[key];
    this.tests[key] = null;
    try {
      if (text !== '') this.tests[key] = testOf(text, this.profile);
    } catch (error) {
      this.faults[key] = error.message;
    }
  }

  // Whether the search, if there is one, is for NAME.
  matches(name) {
    return this.tests.search?.(name) ?? true;
  }

  get narrowed() {
    return this.categories.includes(false) ||
      ['type', ...LABELS].some((key) => this[key] !== null) ||
      this.tests.focus !== null || this.tests.ignore !== null;
  }

  // The monitors do not count calls by region, nor that of C by thread; holders
  // have none.
  get callsKnown() {
    const { lisp, holders } = this.profile;
    return !holders && this.region === null && (lisp || this.thread === null);
  }

  // Whether functions show for what they allocate, and not for calls.
  get byAllocations() {
    return this.phase !== null || this.tests.focus !== null;
  }

  sum() {
    const { profile, tree } = this;
    this.sums = new Sums(this);
    const { total, functions, types } = this.sums;
    this.total = total;
    this.functions = tree.functions.map((fn, i) => ({ fn,
      self: figuresAt(functions.self, i),
      inclusive: figuresAt(functions.inclusive, i) }));
    this.types = withFigures('type', profile.types, types);
  }

  // The pairs of caller and callee with anything whose KEY, one of these, is
  // the function ID.
  arcsOf(key, id) {
    const { profile, tree: { arcs: { pairs } }, sums: { arcs } } = this;
    return withFigures('pair', pairs, arcs).filter(({ pair, figures }) =>
      pair[key] === id && (allocates(figures, profile) ||
        profile.callKeys.some((calls) => figures(calls) > 0)));
  }

  // How wide the frames of each node's own are, and of all in and below it:
  // what is measured; where two profiles are compared, what was more, before
  // or after, unless one of them is chosen.
  measureWidths() {
    const { sums, measure: { key }, profile, choices } = this;
    const now = sums.self(key);
    let own = now;
    if (profile.compared) {
      const old = sums.self(beforeOf(key));
      own = choices.width === 'after' ? now : choices.width === 'before' ? old
        : now.map((value, node) => Math.max(value, old[node]));
    }
    const all = own === now ? sums.inclusive(key) : sums.sumBelow(own);
    this.widths = { own, all, total: all[0] };
  }

  // Functions that are left with anything; where they show for what they
  // allocate, not those that were only called.
  get shownFunctions() {
    const callsCount = !this.measure.part && !this.byAllocations &&
      this.type === null && !this.categories.includes(false);
    return this.functions.filter(({ self, inclusive }) =>
      this.shows(inclusive) || (callsCount &&
        this.profile.callKeys.some((key) => self(key) > 0)));
  }

  // Whether FIGURES are of any of what is measured, if that is a part of what
  // was allocated; else of anything allocated.
  shows(figures) {
    const { key, part } = this.measure;
    return !part ? allocates(figures, this.profile)
      : figures(key) > 0 || (this.profile.compared && figures(beforeOf(key)) > 0);
  }

  // The heaviest way from the root: at each step the callee with most, as
  // long as it has a tenth of the whole.
  hottestPath() {
    const { tree } = this;
    const values = this.sums.inclusive(this.measure.key);
    const steps = [];
    const next = (node) => childrenOf(tree, node).reduce((best, child) =>
      best < 0 || values[child] > values[best] ? child : best, -1);
    for (let node = next(0); node > 0 && values[node] > 0 &&
      values[node] * 10 >= values[0]; node = next(node))
      steps.push({ node, fn: tree.functions[tree.functionOf[node]],
        value: values[node] });
    return steps;
  }

  // The calls of the function of NODE in and below it: on all chains that go
  // this way, recursion among them.
  callsBelow(node) {
    const { functionOf, end } = this.tree;
    const calls = this.sums.self('calls');
    let sum = 0;
    for (let at = node; at < end[node]; at++)
      if (functionOf[at] === functionOf[node]) sum += calls[at];
    return sum;
  }

  // How much was allocated with a function on the chain that the search is
  // for, and how many of these there are.
  search() {
    const { tree, sums, measure: { key } } = this;
    const values = sums.inclusive(key);
    const matching = tree.functions.map((fn) => this.matches(fn.name));
    const marks = markChains(tree, matching);
    let value = 0;
    for (let node = 1; node < tree.count; node++)
      if (marks[node] && !marks[tree.parent[node]]) value += values[node];
    return { matching, value, count: matching.filter((its, fn) =>
      its && sums.functions.inclusive(key)[fn] > 0).length };
  }
}
