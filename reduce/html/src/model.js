// SPDX-License-Identifier: LGPL-2.1-or-later

// What the user has chosen, and the figures for it: the tree without hidden
// functions (chains.js), and the sums over it (sums.js).

// The expressions that select functions, as the options of the command do.
const EXPRESSIONS = ['focus', 'ignore', 'hide'];

// The labels of a row.
const LABELS = ['phase', 'thread', 'region'];

// Returns a regular expression that matches TEXT alone.
const quoted = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

// Syntax of the command's POSIX regular expressions that means something else
// in JavaScript, without an error.
const OF_THE_COMMAND = /\[[:.=]|\\[<>`']|\{,/;

// Returns a test of functions by the regular expression TEXT.  Like the command
// it matches names and files, but not what stands for hidden chains.
function functionTest(text, { grouped }) {
  if (grouped) throw new Error('this page shows groups, not functions');
  if (OF_THE_COMMAND.test(text))
    throw new Error("this is POSIX; in JavaScript, [[:digit:]] is \\d, \\< " +
      'is \\b, and {,3} is {0,3}');
  const pattern = new RegExp(text);
  return ({ raw, rawFile }) => !NAMELESS.includes(raw) && (pattern.test(raw) ||
    (!['', RUNTIME].includes(rawFile) && pattern.test(rawFile)));
}

// Returns a test of names by the search TEXT.
function nameTest(text) {
  const pattern = new RegExp(text, 'i');
  return (name) => pattern.test(name);
}

class Model {
  constructor(profile) {
    this.profile = profile;
    this.choices = {};
  }

  // Takes CHOICES (main.js).  Invalid ones count as the default.
  choose(choices) {
    const { profile } = this;
    const changed = (...keys) =>
      keys.some((key) => this.choices[key] !== choices[key]);
    const hides = changed('hide', 'program');
    const placed = hides || changed('focus', 'ignore', 'without', 'type',
      ...LABELS);
    const summed = placed || changed('from', 'to', 'at');
    const widens = summed || changed('value');
    const finds = summed || changed('value', 'search');
    const measureOf = (word) => this.measures.find((m) => m.word === word);
    this.choices = choices;
    this.window = windowOf(profile, choices);
    this.at = sliceAt(profile, choices);
    this.measures = this.findMeasures();
    this.measure = measureOf(choices.value) ?? measureOf(profile.value) ??
      this.measures[0];
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
    if (hides) this.tree = viewTree(profile, (fn) => this.isHidden(fn));
    if (placed) this.places = placeRows(this);
    if (summed) this.sum();
    if (widens) this.measureWidths();
    if (finds) this.found = this.tests.search && this.search();
  }

  // Makes the test of the expression KEY: null if there is none or it is wrong;
  // then FAULTS has the reason.
  readExpression(key, testOf) {
    const text = this.choices[key];
    this.tests[key] = null;
    try {
      if (text !== '') this.tests[key] = testOf(text, this.profile);
    } catch (error) {
      this.faults[key] = error.message;
    }
  }

  isHidden(fn) {
    return (this.programOnly && fn.system > 0) ||
      (this.tests.hide?.(fn) ?? false);
  }

  // Whether NAME matches the search; always, without a search.
  matches(name) {
    return this.tests.search?.(name) ?? true;
  }

  // Returns the measures that are known of the chosen time.
  findMeasures() {
    const { measures } = this.profile;
    if (this.at < 0)
      return this.window === null ? measures : measures.filter(isWhole);
    return measures.filter(isWhole).map((measure) => ({ ...measure,
      noun: measure.bytes ? 'bytes in use' : 'objects in use' }));
  }

  get narrowed() {
    return this.window !== null || this.categories.includes(false) ||
      ['type', ...LABELS].some((key) => this[key] !== null) ||
      this.tests.focus !== null || this.tests.ignore !== null;
  }

  // The monitors do not count calls by region, and that of C not by thread.
  // Holders make no calls.  A call counts for what functions were inlined into,
  // too, on a chain that does not say what else was inlined.
  get callsKnown() {
    const { lisp, holders, inlined } = this.profile;
    const { focus, ignore } = this.tests;
    return !holders && this.region === null && this.window === null &&
      (lisp || this.thread === null) &&
      !(inlined && (focus !== null || ignore !== null));
  }

  // Whether functions show because they allocate, and not because they are
  // called.
  get byAllocations() {
    return this.window !== null || this.phase !== null ||
      this.tests.focus !== null;
  }

  sum() {
    const { profile, tree } = this;
    this.sums = new Sums(this);
    this.ofLines = null;
    const { total, functions, types } = this.sums;
    this.total = total;
    this.functions = tree.functions.map((fn, i) => ({ fn,
      self: figuresAt(functions.self, i),
      inclusive: figuresAt(functions.inclusive, i) }));
    this.types = withFigures('type', profile.types, types);
  }

  // The figures of lines, summed up when they are first asked for.
  get lines() {
    return this.ofLines ??= sumLines(this);
  }

  // Returns the pairs with any figures whose KEY, caller or callee, is the
  // function ID.
  arcsOf(key, id) {
    const { profile, tree: { arcs: { pairs } }, sums: { arcs } } = this;
    return withFigures('pair', pairs, arcs).filter(({ pair, figures }) =>
      pair[key] === id && (allocates(figures, profile) ||
        isCalled(figures, profile)));
  }

  // Finds the width of each node alone, and with everything below it: the
  // measure, in a comparison the larger one of both.
  measureWidths() {
    const { sums, measure: { key }, profile } = this;
    const [now, old] = profile.names.map((name) => sums.self(name(key)));
    const own = old === undefined ? now
      : now.map((value, node) => Math.max(value, old[node]));
    const all = own === now ? sums.inclusive(key) : sums.sumBelow(own);
    this.widths = { own, all, total: all[0] };
  }

  // The functions with any figures.
  get shownFunctions() {
    const callsCount = !this.measure.part && !this.byAllocations &&
      this.type === null && !this.categories.includes(false);
    return this.functions.filter(({ self, inclusive }) =>
      this.shows(inclusive) || (callsCount && isCalled(self, this.profile)));
  }

  // Whether FIGURES have anything of the measure if it is of a part of what was
  // allocated, or else anything allocated.
  shows(figures) {
    const { profile, measure: { key, part } } = this;
    return part ? profile.names.some((name) => figures(name(key)) > 0)
      : allocates(figures, profile);
  }

  // Returns the heaviest path from the root: the steps at functions of the
  // program, or else all.  Each step leads to the heaviest callee, down to a
  // tenth of the whole.
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
    const own = steps.filter(({ fn }) => !fn.system);
    return own.length > 0 ? own : steps;
  }

  // Returns how much was allocated by chains with a function that matches the
  // search, how many such functions there are, and of each node whether one is
  // on the chain (ABOVE), and at how many nodes in and below it (BELOW).
  search() {
    const { tree, sums, measure: { key } } = this;
    const values = sums.inclusive(key);
    const matching = tree.functions.map((fn) => this.matches(fn.name));
    const above = markChains(tree, matching);
    const below = sums.sumBelow(Float64Array.from(tree.functionOf, (fn) =>
      matching[fn] ? 1 : 0));
    let value = 0;
    for (let node = 1; node < tree.count; node++)
      if (above[node] && !above[tree.parent[node]]) value += values[node];
    return { matching, above, below, value, count: matching.filter((its, fn) =>
      its && sums.functions.inclusive(key)[fn] > 0).length };
  }
}
