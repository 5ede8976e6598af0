// SPDX-License-Identifier: LGPL-2.1-or-later

// What the user chose to see, and the figures for it: the tree that is left
// when functions are hidden (chains.js), and sums over it of what else was not
// left out (sums.js).

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
function functionTest(text) {
  if (OF_THE_COMMAND.test(text))
    throw new Error("this is POSIX; in JavaScript, [[:digit:]] is \\d, \\< " +
      'is \\b, and {,3} is {0,3}');
  const pattern = new RegExp(text);
  return ({ raw, rawFile, matched }) => matched > 0 && (pattern.test(raw) ||
    (matched > 1 && rawFile !== '' && pattern.test(rawFile)));
}

// Which chains count by FOCUS and IGNORE, tests of functions or null, as a test
// (node, set of functions that do not show, whether it is of calls).  They
// match hidden functions, too.  Calls are counted for the functions that are
// left, whatever was allocated below them.
function chainTest({ nodes, functions, unseen }, focus, ignore) {
  const FOCUSED = 1;
  const IGNORED = 2;
  if (focus === null && ignore === null) return () => true;
  const bits = (fn) => (focus?.(fn) ? FOCUSED : 0) |
    (ignore?.(fn) ? IGNORED : 0);
  const none = focus === null ? FOCUSED : 0;
  const marks = markChains(nodes, functions.map(bits), none);
  const sets = [none];
  for (const { set, name, file } of unseen)
    sets.push(sets[set] | bits({ raw: name, rawFile: file, matched: 2 }));
  return (node, set, isCall) => {
    const found = marks[node] | sets[set];
    return isCall ? (found & IGNORED) === 0 : found === FOCUSED;
  };
}

class Model {
  constructor(profile) {
    this.profile = profile;
    this.choices = null;
  }

  // Takes CHOICES (address.js) without those that make no sense.
  choose(choices) {
    const { profile } = this;
    const changed = (...keys) =>
      keys.some((key) => this.choices?.[key] !== choices[key]);
    const summed = changed('hide', 'program', 'focus', 'ignore', 'without',
      'type', ...LABELS);
    const hides = changed('hide', 'program');
    const id = (key) => {
      const chosen = choices[key] === '' ? NaN : Number(choices[key]);
      return profile[`${key}s`][chosen] === undefined ? null : chosen;
    };
    this.measure = profile.measures.find((m) => m.word === choices.value) ??
      profile.measures.find((m) => m.word === profile.value);
    this.programOnly = choices.program !== '';
    this.categories = profile.categories.map((_, i) =>
      !choices.without.includes(i));
    for (const key of ['type', ...LABELS]) this[key] = id(key);
    this.tests = {};
    this.faults = {};
    for (const key of EXPRESSIONS) this.readExpression(key, choices[key]);
    this.choices = choices;
    if (hides) this.hide();
    if (summed) this.update();
    this.measureWidths();
  }

  // Makes the test KEY of TEXT, an expression; null for none, or for what is
  // none, of which FAULTS says what is wrong.
  readExpression(key, text) {
    this.tests[key] = null;
    if (text !== '' && this.profile.grouped) {
      this.faults[key] = 'this page shows groups, not functions';
      return;
    }
    try {
      if (text !== '') this.tests[key] = functionTest(text);
    } catch (error) {
      this.faults[key] = `'${oneLine(text)}': ${error.message}`;
    }
  }

  get narrowed() {
    return this.categories.includes(false) || this.type !== null ||
      LABELS.some((key) => this[key] !== null) ||
      this.tests.focus !== null || this.tests.ignore !== null;
  }

  // The monitors do not count calls by region, nor that of C by thread; holders
  // have none.
  get callsKnown() {
    const { lisp, holders } = this.profile;
    return !holders && this.region === null && (lisp || this.thread === null);
  }

  get filter() {
    const { profile: { regions }, profile, tests } = this;
    const is = (key) => this[key] === null ? null : (i) => i === this[key];
    return {
      type: (type) => this.categories[type.category] &&
        (this.type === null || this.type === type.id),
      labels: { phase: is('phase'), thread: is('thread'),
        region: this.region === null ? null
          : (i) => isWithin(regions[i], regions[this.region]) },
      chains: chainTest(profile, tests.focus, tests.ignore),
      calls: this.callsKnown,
      byAllocations: this.phase !== null || tests.focus !== null,
    };
  }

  hide() {
    this.tree = viewTree(this.profile, (fn) =>
      (this.programOnly && fn.system > 0) || (this.tests.hide?.(fn) ?? false));
  }

  update() {
    const { profile, tree } = this;
    this.sums = new Sums(profile, tree, this.filter);
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
    return withFigures('pair', this.tree.arcs.pairs, this.sums.arcs)
      .filter(({ pair, figures }) => pair[key] === id && this.isUsed(figures));
  }

  // Whether FIGURES are of anything that was allocated, or of calls.
  isUsed(figures) {
    return allocates(figures, this.profile) ||
      this.profile.callKeys.some((key) => figures(key) > 0);
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
    const byAllocations = this.sums.byAllocations || this.type !== null ||
      this.categories.includes(false);
    return this.functions.filter(({ self, inclusive }) =>
      this.shows(inclusive) || (!this.special && !byAllocations &&
        this.profile.callKeys.some((key) => self(key) > 0)));
  }

  // Whether FIGURES are of any of what is measured, if that is a part of what
  // was allocated; else of anything allocated.
  shows(figures) {
    const { key } = this.measure;
    return !this.special ? allocates(figures, this.profile)
      : figures(key) > 0 || (this.profile.compared && figures(beforeOf(key)) > 0);
  }

  // Whether what is measured is a part of what was allocated: then only what
  // has some of it shows.
  get special() {
    return this.measure.what !== this.profile.measures[0].what;
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

  // How much was allocated with a function that MATCHES on the chain, and
  // how many functions match.
  search(matches) {
    const { tree, sums, measure: { key } } = this;
    const values = sums.inclusive(key);
    const matching = tree.functions.map((f) => matches(f.name));
    const marks = markChains(tree, matching);
    let value = 0;
    for (let node = 1; node < tree.count; node++)
      if (marks[node] && !marks[tree.parent[node]]) value += values[node];
    return { matching, value, count: matching.filter((its, fn) =>
      its && sums.functions.inclusive(key)[fn] > 0).length };
  }
}
