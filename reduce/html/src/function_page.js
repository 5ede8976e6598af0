// SPDX-License-Identifier: LGPL-2.1-or-later

// The page of a function: its figures, advice, its callers and callees, the types
// that it allocates, its lines.

const ROOT = { name: '<root>' };

function figure(label, value, more) {
  return element('div', { class: 'figure' },
    element('span', { class: 'label' }, label),
    element('strong', {}, Number.isNaN(value) ? 'unknown' : number(value)),
    element('span', { class: 'quiet' }, more));
}

// The callers (SIDE is 'above') or callees ('below') of ROW.
function arcsTable(shell, row, side) {
  const { model } = shell;
  const [own, other] = side === 'above' ? ['callee', 'caller']
    : ['caller', 'callee'];
  const { label, caption, nouns, who, what } = model.profile.terms[side];
  const end = ({ pair }) => model.tree.functions[pair[other]] ?? ROOT;
  const link = (fn) => fn === ROOT
    ? element('span', { class: 'quiet' }, fn.name) : functionLink(fn);
  return table(shell, `${other}s`, { caption, nouns,
    rows: model.arcsOf(own, row.fn.id), columns: [
      nameColumn(label, who, end, link),
      ...measureColumns(model, what, (arc) => arc.figures,
        { whole: row.inclusive, categories: true }),
      ...callColumns(model, (arc) => arc.figures,
        'Calls from the caller to the callee that led to an allocation',
        'Allocations with this pair of caller and callee on their chain'),
    ] });
}

function cycleOf(model, fn) {
  if (fn.cycle === 0) return null;
  const members = model.tree.functions.filter((f) => f.cycle === fn.cycle);
  return element('details', { class: 'cycle' },
    element('summary', {},
      `Member of cycle ${fn.cycle}: ${plural(members.length,
        ...model.profile.terms.frame)}, each reachable from all others`),
    element('p', {}, functionLinks(members, ', ')));
}

const isWhole = ({ key }) => key === 'bytes' || key === 'allocations';

function figureCards(model, row) {
  const { self, inclusive } = row;
  const { compared, terms } = model.profile;
  const calls = self('calls');
  const card = (label, figures, key, more) => figure(label, figures(key),
    compared ? comparison(figures, key) : more);
  const share = (figures, key) => percent(figures(key), model.total(key));
  return element('div', { class: 'figures' },
    [['self', self], [terms.inclusive, inclusive]].flatMap(([which, figures]) =>
      model.profile.measures.filter(isWhole).map(({ key, label }) =>
        card(`${which} ${label}`, figures, key, share(figures, key)))),
    model.callsKnown && figure('calls', calls, compared
      ? `${number(self('calls-before'))} before` : calls > 0 && `${number(
        average(inclusive('bytes'), calls))} inclusive bytes per ${
        callNouns(model)[0]}`),
    measureGroups(model).flat().filter((measure) => !isWhole(measure))
      .map(({ key, label }) => card(`${terms.inclusive} ${label}`, inclusive,
        key, `self ${number(self(key))}`)));
}

function typesTable(shell, row) {
  const { model, model: { profile } } = shell;
  const types = withFigures('type', profile.types,
    model.sums.typesOf(row.fn.id))
    .filter(({ figures }) => allocates(figures, profile));
  const things = profile.lisp ? 'Types' : 'Sizes';
  return table(shell, 'own-types', { rows: types, nouns: ['type', 'types'],
    caption: `${things} ${profile.terms.types}`, columns: [
      nameColumn(profile.lisp ? 'type or class' : 'size', profile.lisp
        ? 'The class, or else the type' : 'The category of the size',
      (t) => t.type, typeLink),
      ...measureColumns(model, profile.terms.self, (t) => t.figures,
        { whole: row.self, shares: true }),
    ] });
}

function functionPage(shell, id) {
  const { model } = shell;
  const row = model.functions[id];
  if (row === undefined)
    return element('p', {}, 'There is no such page.');
  const { fn, inclusive } = row;
  return element('article', { class: 'function-page' },
    element('h1', { class: 'name' }, fn.name),
    element('p', { class: 'facts' },
      [placeOf(fn), fn.system && 'part of ECL'].filter(Boolean).join('; ')),
    figureCards(model, row),
    element('p', {}, categoryStrip(inclusive, model.profile.categories)),
    element('p', {}, button('Find in the flame graph',
      () => shell.go('', { search: `^${quoted(fn.name)}$` }))),
    adviceOn(model, fn), cycleOf(model, fn), sandwich(shell, row),
    arcsTable(shell, row, 'above'), arcsTable(shell, row, 'below'),
    typesTable(shell, row),
    sizes(shell, model.sums.binsOf(id), inclusive,
      `, ${model.profile.terms.inclusive}`),
    sourceLines(model, fn));
}

// All chains through a function, on its page: its callers above it, what it calls
// below.  If it recurs, the outermost one on a chain counts, so that the
// figures are the inclusive ones.

class Sandwich extends FlameGraph {
  constructor(shell, fn) {
    super(shell, 'arrow keys move, Enter opens the page of a frame',
      'open its page');
    const { model, model: { profile: { terms: { above, below } } } } = shell;
    const { self } = model.functions[fn];
    this.callers = callerFrames(model, fn);
    this.zoomed = Object.assign(chainFrames(model, fn),
      { own: self, calls: self });
    this.element = element('section', { class: 'graph sandwich' },
      element('h2', {}, `${above.caption} (above), ${
        below.caption.toLowerCase()} (below)`),
      this.place, this.state, this.colours, this.details);
    this.describe(this.zoomed);
    this.showColours();
  }

  layOut(width) {
    const [above, below] = [this.callers, this.zoomed].map((frame) =>
      layOut(frame, width));
    const middle = above.boxes.at(-1).row;
    return { narrower: above.narrower + below.narrower, boxes: [
      ...above.boxes.slice(1).map((box) => ({ ...box, row: middle - box.row })),
      ...below.boxes.map((box) => ({ ...box, row: middle + box.row }))] };
  }

  redraw() {
    super.redraw();
    const { place, zoomed, zoomed: { made } } = this;
    this.chosen = zoomed;
    made.classList.add('chosen');
    place.scrollTop = made.offsetTop - (place.clientHeight - ROW_HEIGHT) / 2;
  }

  zoom(frame) {
    this.shell.go(`function/${frame.fn}`);
  }

  nextRow(frame, step) {
    if (frame === this.zoomed && step < 0) return this.callers.children()[0];
    const next = super.nextRow(frame, frame.inverted ? -step : step);
    return next === this.callers ? this.zoomed : next;
  }
}

// The graph of ROW, which becomes that of the page, or null if it is empty.
function sandwich(shell, { fn }) {
  const graph = new Sandwich(shell, fn.id);
  if (graph.zoomed.value === 0) return null;
  shell.graph = graph;
  return graph.element;
}
