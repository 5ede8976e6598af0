// SPDX-License-Identifier: LGPL-2.1-or-later

// The first view: the flame graph, a sentence above it, and cards below it.

const HEAD_ROWS = 8;
const PATH_ROWS = 14;
const MOST_MATCHES = 10000;

// A sentence: the deepest function with half of everything in or below it, its
// calls, and the nearest caller of another package.  The figures are those of
// the function's page.  In a comparison it is the change of everything.
function hint(model) {
  const { measure, measure: { key, noun } } = model;
  if (model.profile.compared)
    return element('p', { class: 'hint' }, 'All: ',
      amount(model, measure, model.total));
  const total = model.total(key);
  const steps = model.hottestPath();
  const at = steps.findLastIndex((step) => 2 * step.value >= total);
  if (at < (model.profile.lisp ? 0 : 1)) return null;
  const { fn } = steps[at];
  const caller = steps.slice(0, at).findLast((step) =>
    step.fn.package !== null && step.fn.package !== fn.package)?.fn;
  const inclusive = (f) => model.functions[f.id].inclusive(key);
  const average = (f) => averageText(model, model.functions[f.id].inclusive,
    model.functions[f.id].self('calls'));
  return element('p', { class: 'hint' },
    element('strong', {}, percent(inclusive(fn), total)),
    ` of the ${noun} ${model.profile.terms.through} `, functionLink(fn),
    average(fn) && `: ${average(fn)}`,
    caller !== undefined && [', for ', functionLink(caller),
      average(caller) && ` (${average(caller)})`], '.');
}

// A card with a bar for each of ROWS, which are {label, value, note}, or
// {label, value, by} for changes.  VALUE is a part of WHOLE.  MORE is below
// them.
function bars(caption, help, rows, whole, more) {
  const sides = (by) => (by === undefined ? '' : by > 0 ? 'grew' : 'shrank');
  return element('section', { class: 'card' },
    element('h2', { title: help }, caption),
    rows.length === 0 && element('p', { class: 'quiet' }, 'None.'),
    element('ol', { class: 'bars' }, rows.map(({ label, value, note, by }) =>
      element('li', { class: sides(by) }, bar(value, whole),
        element('span', { class: 'who' }, label),
        element('span', { class: 'note' }, note ?? ''),
        element('span', { class: 'value' },
          by === undefined ? percent(value, whole) : signed(by))))), more);
}

// The steps of the heaviest path.  It leaves out a step that passes nearly
// everything on, unless it is the program's own, with less than its caller, or
// the last.
function pathCard(model) {
  const { profile, sums } = model;
  if (profile.compared) return null;
  const steps = model.hottestPath();
  const telling = steps.filter((step, i) => {
    const next = steps[i + 1];
    return i === 0 || next === undefined || next.value < 0.97 * step.value ||
      (!step.fn.system && steps[i - 1].value > step.value);
  });
  const rows = telling.slice(0, PATH_ROWS).map(({ node, fn, value }) => ({
    label: functionLink(fn), value,
    note: averageText(model, figuresAt(sums.inclusive, node),
      sums.self('calls')[node]) }));
  const left = steps.length - rows.length;
  return bars('Heaviest path', 'From the root, each step leads to the ' +
    'heaviest frame below, down to 10 % of the total', rows,
  model.total(model.measure.key), left > 0 && element('p',
    { class: 'quiet' }, `${plural(left, 'step', 'steps')} not shown`));
}

// The cards of the functions and types with most of the measure.
function headCards(model) {
  const { measure, measure: { key, noun }, total } = model;
  const { profile: { compared, lisp, terms: { frames, self } } } = model;
  const functions = model.functions.map((row) =>
    ({ label: functionLink(row.fn), figures: row.self }));
  const types = model.types.map(({ type, figures }) =>
    ({ label: typeLink(type), figures }));
  const things = lisp ? 'Types' : 'Sizes';
  const card = (caption, help, rows, rank, view, name) => {
    const found = rows.map(({ label, figures }) => {
      const by = compared ? figures(key) - figures(beforeOf(key)) : undefined;
      const value = rank(by ?? figures(key));
      return { label, by, value, note: compared ? '' : brief(value, measure) };
    }).filter(({ value }) => value > 0).sort((a, b) => b.value - a.value)
      .slice(0, HEAD_ROWS);
    return bars(caption, help, found, compared ? found[0]?.value : total(key),
      element('a', { class: 'all', href: `#/${view}` },
        `All ${name.toLowerCase()}`));
  };
  const ofFunctions = (which, rank = (by) => by) => card(`${frames} with ${
    which} ${noun}`, self, functions, rank, 'functions', frames);
  return compared ? [ofFunctions('more'), ofFunctions('fewer', (by) => -by),
    card(`${things} that changed most`, '', types, Math.abs, 'types', things)]
    : [ofFunctions('the most'), card(`${things} with the most ${noun}`, '',
      types, (by) => by, 'types', things)];
}

// A checkbox for a choice (main.js).
const toggle = (id, label, title, choice, value) =>
  element('label', { title }, element('input', { type: 'checkbox', id,
    'data-choice': choice, value }), label);

// It is made once, and drawn again after each change.
class Overview extends FlameGraph {
  constructor(shell) {
    super(shell, 'arrow keys move, Enter zooms in, Escape zooms out, f opens ' +
      'the page of a frame', 'zoom in');
    const { compared, terms } = shell.model.profile;
    this.made = []; // what WHOLE, the frames, and the cards were made from
    this.hint = element('div');
    this.timeline = shell.model.profile.slices.length > 1
      ? new Timeline(shell) : null;
    this.cards = element('div');
    this.out = button('Zoom out', () => shell.go(''), { id: 'zoom-out' });
    this.element = element('div', { class: 'overview' },
      this.timeline?.element ?? null,
      element('section', { class: 'graph' },
        element('div', { class: 'graph-bar' },
          element('h2', {}, 'Flame graph'),
          toggle('invert', 'inverted', terms.inverted, 'inverted', '1'),
          !compared && toggle('by-category', 'colour by category', 'Colour ' +
            'frames by the category with most bytes, not by package', 'colours',
          'category'), this.out),
        this.hint, this.place, this.state, this.colours, this.details),
      this.cards);
  }

  get inverted() {
    return this.shell.choices.inverted !== '';
  }

  // Makes the frames and the cards again if the figures have changed; if they
  // are about to change again, BRIEFLY, the cards wait.
  update(briefly) {
    const { model, inverted } = this;
    const from = [model.sums, model.measure, model.widths, model.found,
      inverted];
    if (from.every((part, i) => part === this.made[i])) return;
    this.made = briefly ? [] : from;
    this.whole = (inverted ? callerFrames : chainFrames)(model);
    this.matches = null;
    if (briefly) return;
    replaceChildren(this.hint, hint(model));
    replaceChildren(this.cards, adviceCard(model),
      element('div', { class: 'cards' }, pathCard(model), headCards(model)));
  }

  // The address of a frame is of the functions on the way to it.
  zoom(frame) {
    this.shell.go(frame.fn < 0 ? '' : `zoom/${pathOf(frame).join('.')}`);
  }

  // Returns the graph, zoomed as the address says.
  show(briefly = false) {
    const [, path] = this.shell.route;
    this.update(briefly);
    this.timeline?.update();
    this.zoomed = frameAt(this.whole, path?.split('.').map(Number) ?? []);
    this.out.disabled = this.zoomed.parent === null;
    this.describe(this.zoomed);
    this.showColours();
    return this.element;
  }

  showState(narrower) {
    const { found, measure: { key, noun }, total } = this.model;
    super.showState(narrower, found !== null && element('strong',
      { id: 'found' }, found.count === 0 ? 'No match'
        : `${plural(found.count, 'match', 'matches')}, with everything below: ${
          number(found.value)} ${noun}, ${percent(found.value, total(key))}`));
  }

  // Finds the frames that match the search, callers first, the widest first.
  findMatches() {
    const { model: { found }, inverted } = this;
    const marks = inverted ? found.above : found.below;
    const left = [this.whole];
    this.matches = [];
    this.match = -1;
    while (left.length > 0 && this.matches.length < MOST_MATCHES) {
      const frame = left.pop();
      if (found.matching[frame.fn]) this.matches.push(frame);
      left.push(...frame.children().filter((child) =>
        child.nodes().some((node) => marks[node] > 0)).reverse());
    }
  }

  // Goes to the next frame that matches the search, or with a STEP of -1 to the
  // one before.
  goToMatch(step) {
    if (this.matches === null) this.findMatches();
    const { matches, matches: { length } } = this;
    if (length === 0) return;
    this.match = this.match < 0 && step < 0 ? length - 1
      : (this.match + step + length) % length;
    const frame = matches[this.match];
    if (!this.frames.has(frame.made)) this.zoom(frame);
    this.choose(frame);
    get('match').textContent = `${number(this.match + 1)} of ${number(length)}${
      length < MOST_MATCHES ? '' : ' or more'}`;
  }
}

// What to change, for the whole file, as mprof advise says.

const ADVICE_ROWS = 5;

// A card with ROWS of advice, each with WHOM and MORE(row).
function adviceSection({ profile }, rows, whom, more) {
  if (profile.compared || rows.length === 0) return null;
  return element('section', { class: 'card advice' },
    element('h2', { title: 'For the whole file, as mprof advise says' },
      'What to change'),
    element('ul', {}, rows.map((row) => element('li', {},
      'Saves ', element('strong', {},
        `${row.grade === 'certain' ? '' : 'up to '}${
          percent(row.saved_bytes, profile.file_totals.bytes)}`),
      `, ${number(row.saved_bytes)} bytes: `, whom(row), row.fault,
      more(row)))));
}

function adviceCard(model) {
  const rows = model.profile.advice.filter(({ fn }) => fn !== undefined);
  return adviceSection(model, rows.slice(0, ADVICE_ROWS),
    ({ fn }) => [functionLink(fn), ' '], () => null);
}

// All that is said of FN.
function adviceOn(model, fn) {
  const rows = model.profile.advice.filter((row) => row.fn === fn);
  return adviceSection(model, rows, () => null, (row) => [
    element('p', { class: 'quiet' },
      row.file === null ? '' : `${oneLine(placeOf(row))}: `,
      plural(row.objects, 'object', 'objects'),
      row.objects !== row.allocations &&
        ` in ${plural(row.allocations, 'allocation', 'allocations')}`,
      `, ${number(row.bytes)} bytes`,
      row.calls > 0 && `, in ${plural(row.calls, 'call', 'calls')}`,
      row.by !== undefined && [', mostly for ', functionLink(row.by)]),
    element('p', {}, row.remedy),
    row.example !== null && element('p', { class: 'name' }, row.example),
    row.unknown !== null && element('p', {}, `Not known: ${row.unknown}.`)]);
}
