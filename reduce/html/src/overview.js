// SPDX-License-Identifier: LGPL-2.1-or-later

// The first view: the flame graph, the heaviest path through the program, and
// the heads of the tables.

const HEAD_ROWS = 8;
const PATH_ROWS = 14;
const MOST_CHIPS = 12;
const ADVICE_ROWS = 5;

// "7 calls × 143 B": CALLS that share VALUE; '' where these are not known.
function callsText(model, calls, value) {
  return calls > 0 ? `${plural(calls, ...callNouns(model))} × ${
    brief(value / calls, model.measure)}` : '';
}

// One sentence: the deepest function with half of everything in or below it,
// its calls, and the nearest caller of another package.  The figures are those
// of the function's own page.
function hint(model, steps) {
  const { word, noun } = model.measure;
  const total = model.total[word];
  const at = steps.findLastIndex((step) => 2 * step.value >= total);
  if (at < 1) return null;
  const { fn } = steps[at];
  const caller = steps.slice(0, at).findLast((step) =>
    step.fn.package !== null && step.fn.package !== fn.package)?.fn;
  const inclusive = (f) => model.functions[f.id].inclusive[word];
  const calls = (f) =>
    callsText(model, model.functions[f.id].calls, inclusive(f));
  return element('p', { class: 'hint' },
    element('strong', {}, percent(inclusive(fn), total)),
    ` of the ${noun} ${model.profile.terms.through} `, functionLink(fn),
    calls(fn) && `: ${calls(fn)}`,
    caller !== undefined && [', for ', functionLink(caller),
      calls(caller) && ` (${calls(caller)})`], '.');
}

// A list with bars, VALUE of WHOLE each, and MORE below: ROWS of {label, value,
// note}, or of changes {label, value, by}.
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

// Steps of the heaviest path; one that hands nearly everything on, and is
// neither the program's nor the last, is left out.
function pathCard(model, steps) {
  const telling = steps.filter((step, i) => {
    const next = steps[i + 1];
    return i === 0 || next === undefined || next.value < 0.97 * step.value ||
      (!step.fn.system && steps[i - 1].value > step.value);
  });
  const rows = telling.slice(0, PATH_ROWS).map(({ fn, value, calls }) => ({
    label: functionLink(fn), value, note: callsText(model, calls, value) }));
  const left = steps.length - rows.length;
  return bars('Heaviest path', 'From the root, each step leads to the ' +
    'heaviest frame below, down to 10 % of the total', rows,
  model.total[model.measure.word], left > 0 && element('p',
    { class: 'quiet' }, `${plural(left, 'step', 'steps')} not shown`));
}

const allLink = (href, things) =>
  element('a', { class: 'all', href }, `All ${things.toLowerCase()}`);

function headCards(model, steps) {
  const { measure, total, profile } = model;
  const { word, noun } = measure;
  const { frames, self } = profile.terms;
  const things = profile.lisp ? 'Types' : 'Sizes';
  const top = (rows, value, link) => rows.filter((row) => value(row) > 0)
    .sort((a, b) => value(b) - value(a)).slice(0, HEAD_ROWS)
    .map((row) => ({ label: link(row), value: value(row),
      note: brief(value(row), measure) }));
  return element('div', { class: 'cards' }, pathCard(model, steps),
    bars(`${frames} with the most ${noun}`, self,
      top(model.shownFunctions, (row) => row.self[word],
        (row) => functionLink(row.fn)),
      total[word], allLink('#/functions', frames)),
    bars(`${things} with the most ${noun}`, '',
      top(model.shownTypes, (row) => row[word], (row) => typeLink(row.type)),
      total[word], allLink('#/types', things)));
}

// Advice for the whole profile, as mprof advise gives it.
function adviceCard({ profile }) {
  const rows = profile.advice.filter(({ fn }) => fn !== undefined);
  return rows.length > 0 && element('section', { class: 'card advice' },
    element('h2', { title: 'For the whole file. mprof advise explains it' },
      'What to change'),
    element('ul', {}, rows.slice(0, ADVICE_ROWS).map((row) =>
      element('li', { title: `${row.remedy}\n${row.example ?? ''}` },
        'Saves ', element('strong', {},
          `${row.grade === 'certain' ? '' : 'up to '}${
            percent(row.saved_bytes, profile.whole.bytes)}`),
        `, ${number(row.saved_bytes)} bytes: `, functionLink(row.fn),
        ` ${row.fault}`))));
}

// The same where two profiles are compared: what grew and what shrank most.
function changeCards(model) {
  const { measure: { word, noun }, profile } = model;
  const { frames, self } = profile.terms;
  const card = (caption, help, rows, rank, more) => {
    const found = rows.map(({ label, figures }) => {
      const by = figures[word] - figures[beforeOf(word)];
      return { label, by, value: rank(by) };
    }).filter(({ value }) => value > 0).sort((a, b) => b.value - a.value)
      .slice(0, HEAD_ROWS);
    return bars(caption, help, found, found[0]?.value, more);
  };
  const functions = model.shownFunctions.map((row) =>
    ({ label: functionLink(row.fn), figures: row.self }));
  const types = model.shownTypes.map((row) =>
    ({ label: typeLink(row.type), figures: row }));
  const things = profile.lisp ? 'Types' : 'Sizes';
  const all = () => allLink('#/functions', frames);
  return element('div', { class: 'cards' },
    card(`${frames} with more ${noun}`, self, functions, (by) => by, all()),
    card(`${frames} with fewer ${noun}`, self, functions, (by) => -by, all()),
    card(`${things} that changed most`, '', types, Math.abs,
      allLink('#/types', things)));
}

function heaviest(categories) {
  return categories.indexOf(Math.max(...categories));
}

// What to choose the width of frames from, where two profiles are compared.
const WIDTHS = { '': 'the larger one', after: 'after', before: 'before' };

// The view: made once, then shown again for each change.
class Overview {
  constructor(shell) {
    this.shell = shell;
    this.whole = null;
    this.key = [];
    this.place = element('div', { class: 'flame', tabindex: '0',
      'aria-label': 'Flame graph: arrow keys move, Enter zooms in, Escape ' +
        'zooms out, f opens the page of a frame' });
    this.details = element('p', { class: 'details', 'aria-live': 'polite' });
    this.state = element('p', { class: 'state' });
    this.colours = element('p', { class: 'colours' });
    this.head = element('div');
    this.hint = element('div');
    const toggle = (id, label, title, key, on) => element('label', { title },
      element('input', { type: 'checkbox', id, onchange: (event) =>
        shell.choose({ [key]: event.target.checked ? on : '' }) }), label);
    const { compared, terms } = this.model.profile;
    this.inverted = toggle('invert', 'inverted', terms.inverted, 'inverted',
      '1');
    this.byCategory = toggle('by-category', 'colour by category',
      'Colour frames by the category with most bytes, not by package',
      'colours', 'category');
    this.width = element('select', { id: 'width', 'aria-label': 'Width',
      onchange: (event) => shell.choose({ width: event.target.value }) },
    Object.entries(WIDTHS).map(([value, text]) =>
      element('option', { value }, text)));
    this.element = element('div', { class: 'overview' },
      element('section', { class: 'graph' },
        element('div', { class: 'graph-bar' },
          element('h2', {}, 'Flame graph'), this.inverted,
          compared ? element('label', {}, 'width: ', this.width)
            : this.byCategory,
          button('Zoom out', () => shell.go(''), { id: 'zoom-out' })),
        this.hint, this.place, this.state, this.colours, this.details),
      this.head);
    this.graph = new FlameGraph(this.place, {
      name: (frame) => this.labelOf(frame),
      title: (frame) => this.titleOf(frame),
      paint: (frame, made) => this.paint(frame, made),
      onZoom: (frame) => this.shell.go(this.pathOf(frame)),
      onLook: (frame) => this.describe(frame ?? this.zoomed),
      onOpen: (frame) => frame.fn >= 0 &&
        this.shell.go(`function/${frame.fn}`),
    });
  }

  get model() {
    return this.shell.model;
  }

  get callers() {
    return this.shell.choices.inverted !== '';
  }

  // A key that was pressed nowhere in particular.
  press(event) {
    if (this.element.isConnected) this.graph.press(event);
  }

  nameOf(frame) {
    return frame.fn < 0 ? 'all' : this.model.tree.functions[frame.fn].name;
  }

  // What stands on a frame: its name without the package, where the colour
  // says that, and of a method without the word; a string of C++ is short.
  labelOf(frame) {
    const { found, choices: { colours } } = this.shell;
    const { profile, tree } = this.model;
    const name = this.nameOf(frame).replace(/^\(METHOD (.*)\)$/, '$1')
      .replaceAll(/std::__cxx11::basic_string<char, [^<]*<char>, [^<]*<char> >/g,
        'std::string');
    const its = tree.functions[frame.fn]?.package ?? null;
    return its === null || found !== null || colours !== '' || profile.compared
      ? name
      : name.replace(new RegExp(`(^|[ (])${quoted(its.name)}::?`, 'g'), '$1');
  }

  titleOf(frame) {
    const [first, ...facts] = factsOf(this.model, frame, this.callers);
    const { compared } = this.model.profile;
    return [`${this.nameOf(frame)}: ${first}${
      compared || facts.length === 0 ? '' : `, ${facts.shift()}`}`, ...facts]
      .join('\n');
  }

  // Colours are the style sheet's business; a package has a hue.
  paint(frame, made) {
    const { found, choices } = this.shell;
    const { profile } = this.model;
    if (frame.fn < 0) made.classList.add('plain');
    else if (found !== null)
      made.classList.add(found.matching[frame.fn] ? 'match' : 'plain');
    else if (profile.compared) this.paintChange(frame, made);
    else if (choices.colours === 'category')
      made.classList.add(`category-${heaviest(frame.categories)}`);
    else this.paintFunction(this.model.tree.functions[frame.fn], made);
  }

  // Red for more and blue for less, the stronger the larger the part of it.
  paintChange(frame, made) {
    const { word } = this.model.measure;
    const [old, now] = [frame.all(beforeOf(word)), frame.all(word)];
    made.classList.add(now > old ? 'grew' : now < old ? 'shrank' : 'same');
    const part = Math.abs(now - old) / Math.max(now, old, 1);
    made.style.setProperty('--part', `${20 + 80 * part}%`);
  }

  paintFunction(fn, made) {
    if (fn.package === null) made.classList.add('foreign');
    else made.style.setProperty('--hue', fn.package.hue);
    made.style.setProperty('--shade', `${fn.shade}%`);
  }

  // Chains are named by a node, callers by the functions on the way.
  pathOf(frame) {
    if (frame.fn < 0) return '';
    return this.callers ? `callers/${pathOf(frame).join('.')}`
      : `zoom/${frame.node}`;
  }

  describe(frame) {
    const { model } = this;
    const fn = model.tree.functions[frame.fn];
    replaceChildren(this.details,
      fn === undefined ? element('strong', {}, 'all') : functionLink(fn),
      factsOf(model, frame, this.callers).map((text) =>
        element('span', {}, text)),
      (fn?.package ?? null) !== null &&
        element('span', { class: 'quiet' }, fn.package.name));
  }

  // Makes what the figures that the model has now need.
  update() {
    const { model } = this;
    const key = [model.sums, model.measure, model.widths.own, this.callers];
    if (key.every((part, i) => part === this.key[i])) return;
    this.key = key;
    this.whole = (this.callers ? callerFrames : chainFrames)(model);
    const { compared } = model.profile;
    const steps = compared ? [] : model.hottestPath();
    replaceChildren(this.head,
      compared ? changeCards(model)
        : [adviceCard(model), headCards(model, steps)]);
    replaceChildren(this.hint, compared
      ? element('p', { class: 'hint' }, 'All: ', amount(model, model.measure,
        (word) => model.total[word])) : hint(model, steps));
  }

  // Zoomed as ROUTE says.
  show(route) {
    const { model, shell } = this;
    this.update();
    this.inverted.firstChild.checked = this.callers;
    this.byCategory.firstChild.checked = shell.choices.colours === 'category';
    this.width.value = shell.choices.width;
    let path = [];
    if (route[0] === 'callers' && this.callers)
      path = route[1].split('.').map(Number);
    else if (route[0] === 'zoom' && !this.callers &&
        Number(route[1]) < model.tree.count)
      path = chainOf(model.tree, Number(route[1]));
    this.zoomed = frameAt(this.whole, path);
    this.showState(this.graph.draw(this.zoomed));
    this.describe(this.zoomed);
    this.showColours();
    get('zoom-out').disabled = this.zoomed.parent === null;
  }

  redraw() {
    if (this.whole !== null) this.showState(this.graph.draw(this.zoomed));
  }

  showState(narrower) {
    const { model, shell: { found } } = this;
    replaceChildren(this.state,
      found !== null && element('strong', { id: 'found' },
        found.count === 0 ? 'No match'
          : `${plural(found.count, 'match', 'matches')}, with everything ` +
            `below: ${number(found.value)} ${model.measure.noun}, ${
              percent(found.value, model.total[model.measure.word])}`),
      narrower > 0 && element('span', { class: 'quiet' },
        `${plural(narrower, 'frame is', 'frames are')} too narrow to draw. ` +
        'Click a frame to zoom in.'));
  }

  showColours() {
    const { model } = this;
    const chip = (label, paint) => {
      const square = element('span', { class: 'chip' });
      paint(square);
      return element('span', {}, square, label);
    };
    const classes = (names) => names.map(([name, label]) =>
      chip(label, (square) => square.classList.add(name)));
    const foreign = model.shownFunctions.some((row) => row.fn.package === null);
    const byPackage = () => [
      ...model.profile.packages.slice(0, MOST_CHIPS).map((part) =>
        chip(part.name, (square) =>
          this.paintFunction({ package: part, shade: 0 }, square))),
      ...classes(!foreign ? [] : [['foreign', model.profile.lisp &&
        !model.profile.holders ? 'ECL and C functions' : 'other']])];
    replaceChildren(this.colours, model.profile.compared
      ? classes([['grew', 'more than before'], ['shrank', 'less than before'],
        ['same', 'unchanged; a stronger colour is a larger relative change']])
      : this.shell.choices.colours === 'category'
        ? classes(model.profile.categories.map((category, i) =>
          [`category-${i}`, category])) : byPackage());
  }
}
