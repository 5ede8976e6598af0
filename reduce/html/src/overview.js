// SPDX-License-Identifier: LGPL-2.1-or-later

// What to look at first: the flame graph, the heaviest way through the
// program, and the heads of the tables.

import { callNouns, functionLink, typeLink } from './columns.js';
import { MEASURES } from './measures.js';
import { chainFrames, callerFrames, flameGraph, frameAt, pathOf }
  from './flame.js';
import { categoryColour, hueOfPackages, isForeign, matchColour, packageColour,
  wholeColour } from './colours.js';
import { brief, element, number, percent, plural, replaceChildren }
  from './dom.js';
import { chainOf } from './chains.js';

const HEAD_ROWS = 8;
const PATH_ROWS = 14;
const MOST_CHIPS = 12;

// A list with bars: ROWS of {label, value, note}.
function bars(caption, rows, whole, link, help) {
  return element('section', { class: 'card' },
    element('h2', { title: help }, caption),
    element('ol', { class: 'bars' }, rows.map((row) => {
      const bar = element('span', { class: 'bar' });
      bar.style.width = `${(100 * row.value) / (whole || 1)}%`;
      return element('li', {}, bar, element('span', { class: 'who' },
        row.label), element('span', { class: 'note' }, row.note ?? ''),
        element('span', { class: 'value' }, percent(row.value, whole)));
    })),
    link);
}

const all = (href, text) => element('a', { class: 'all', href }, text);

// One sentence: the deepest function that half of everything goes through,
// how often it is called, and for whose sake.
function hint(model) {
  const { total, measure } = model;
  const steps = model.hottestPath();
  const at = steps.findLastIndex((s) => 2 * s.value >= total[measure]);
  if (at < 1) return null;
  const step = steps[at];
  const caller = steps.slice(0, at).findLast((s) =>
    !s.fn.system && s.fn.package !== step.fn.package);
  const calls = (s) => `${plural(s.calls, ...callNouns(model))} × ${
    brief(s.value / s.calls, measure)}`;
  return element('p', { class: 'hint' },
    element('strong', {}, percent(step.value, total[measure])),
    ' goes through ', functionLink(step.fn),
    step.calls > 0 ? `: ${calls(step)}` : '',
    caller === undefined ? null : [', for ', functionLink(caller.fn),
      caller.calls > 0 ? ` (${calls(caller)})` : ''], '.');
}

// Steps of the heaviest path; one that hands nearly everything on, and is
// neither the program's nor the last, is left out.
function pathCard(model) {
  const { total, measure } = model;
  const steps = model.hottestPath();
  const telling = steps.filter((step, i) => {
    const next = steps[i + 1];
    return next === undefined || next.value < 0.97 * step.value ||
      (!step.fn.system && i > 0 && steps[i - 1].value > step.value) ||
      i === 0;
  });
  const rows = telling.slice(0, PATH_ROWS).map((step) => ({
    label: functionLink(step.fn),
    value: step.value,
    note: step.calls > 0
      ? `${plural(step.calls, ...callNouns(model))} × ${
        brief(step.value / step.calls, measure)}` : '',
  }));
  const left = steps.length - rows.length;
  return bars('Heaviest path', rows, total[measure],
    element('p', { class: 'quiet' }, left === 0 ? ''
      : `${plural(left, 'step', 'steps')} in between left out`),
    'From the root, always on to the callee with most, while it has a tenth ' +
      'of all');
}

function headCards(model) {
  const { measure, total } = model;
  const top = (rows, value) => rows.filter((row) => value(row) > 0)
    .sort((a, b) => value(b) - value(a)).slice(0, HEAD_ROWS);
  const self = (row) => row.self[measure];
  const functions = top(model.shownFunctions, self).map((row) => ({
    label: functionLink(row.fn), value: self(row),
    note: brief(self(row), measure) }));
  const types = top(model.shownTypes, (row) => row[measure]).map((row) => ({
    label: typeLink(row.type), value: row[measure],
    note: brief(row[measure], measure) }));
  return element('div', { class: 'cards' },
    pathCard(model),
    bars(`Functions with most ${MEASURES[measure].noun}`, functions, total[measure],
      all('#/functions', 'All functions'),
      'What each function itself allocated'),
    bars(model.profile.lisp ? 'Types with most' : 'Sizes with most', types, total[measure],
      all('#/types', model.profile.lisp ? 'All types' : 'All sizes'),
      model.profile.lisp ? 'What the objects are'
        : 'How large the objects are'));
}

// The view: made once, then shown again for each change.
export class Overview {
  constructor(shell) {
    this.shell = shell;
    this.callers = false;
    this.byCategory = false;
    this.whole = null;
    this.hues = hueOfPackages(packagesOf(shell.model.profile));
    this.place = element('div', { class: 'flame', tabindex: '0',
      'aria-label': 'Flame graph: arrow keys move, Enter zooms, Escape ' +
        'zooms out, f opens the function' });
    this.details = element('p', { class: 'details', 'aria-live': 'polite' });
    this.state = element('p', { class: 'state' });
    this.colours = element('p', { class: 'colours' });
    this.head = element('div');
    this.hint = element('div');
    const toggle = (id, label, help, act) => element('label', { title: help },
      element('input', { type: 'checkbox', id, onchange: (event) =>
        act(event.target.checked) }), label);
    this.element = element('div', { class: 'overview' },
      element('section', { class: 'graph' },
        element('div', { class: 'graph-bar' },
          element('h2', {}, 'Flame graph'),
          toggle('invert', 'callers of what allocates',
            'Upside down: first what allocates, then its callers',
            (on) => {
              this.callers = on;
              this.whole = null;
              this.shell.go('#/');
              this.shell.show();
            }),
          toggle('by-category', 'colour by category',
            'The colour says what was allocated most, not the package',
            (on) => {
              this.byCategory = on;
              this.shell.show();
            }),
          element('button', { type: 'button', id: 'zoom-out',
            onclick: () => this.shell.go('#/') }, 'Zoom out')),
        this.hint, this.details, this.place, this.state, this.colours),
      this.head);
    this.graph = flameGraph(this.place, {
      name: (frame) => this.nameOf(frame),
      title: (frame) => this.titleOf(frame),
      colour: (frame) => this.colourOf(frame),
      onZoom: (frame) => this.shell.go(this.routeOf(frame)),
      onLook: (frame) => this.describe(frame),
      onOpen: (frame) => frame.fn >= 0 &&
        this.shell.go(`#/function/${frame.fn}`),
    });
  }

  get model() {
    return this.shell.model;
  }

  nameOf(frame) {
    return frame.fn < 0 ? 'all' : this.model.tree.functions[frame.fn].name;
  }

  titleOf(frame) {
    const { total, measure } = this.model;
    return `${this.nameOf(frame)}: ${number(frame.value)} ${
      measure === 'allocs' ? measure : MEASURES[measure].noun}, ${
      percent(frame.value, total[measure])}`;
  }

  colourOf(frame) {
    const dark = this.shell.dark;
    if (frame.fn < 0) return wholeColour(dark);
    if (this.shell.found !== null)
      return this.shell.found.matching[frame.fn] ? matchColour(dark)
        : wholeColour(dark);
    return this.byCategory ? categoryColour(frame.categories, dark)
      : packageColour(this.model.tree.functions[frame.fn], this.hues, dark);
  }

  // Chains are named by a node, callers by the functions on the way.
  routeOf(frame) {
    if (frame.fn < 0) return '#/';
    return this.callers ? `#/callers/${pathOf(frame).join('.')}`
      : `#/zoom/${frame.node}`;
  }

  describe(frame) {
    const { total, measure, tree } = this.model;
    const shown = frame ?? this.zoomed;
    const fn = shown.fn < 0 ? null : tree.functions[shown.fn];
    const { noun } = MEASURES[measure];
    replaceChildren(this.details,
      fn === null ? element('strong', {}, 'all') : functionLink(fn),
      element('span', {}, `${number(shown.value)} ${noun}`),
      element('span', {}, percent(shown.value, total[measure])),
      shown.self > 0 && fn !== null ? element('span', {}, this.callers
        ? `${number(shown.self)} with no caller`
        : `${number(shown.self)} itself`) : null,
      shown.calls > 0 ? element('span', {},
        `${plural(shown.calls, ...callNouns(this.model))} here`) : null,
      Number.isNaN(shown.calls)
        ? element('span', {}, 'calls unknown') : null,
      fn !== null && fn.package !== ''
        ? element('span', { class: 'quiet' }, fn.package) : null);
  }

  // Shows the figures that the model has now, zoomed as ROUTE says.
  show(route) {
    const { model } = this;
    const { sums, measure, tree } = model;
    const key = [sums, measure, this.callers];
    if (this.whole === null || key.some((k, i) => k !== this.key[i])) {
      this.key = key;
      this.whole = this.callers ? callerFrames(sums, measure)
        : chainFrames(sums, measure);
      replaceChildren(this.head, headCards(model));
      replaceChildren(this.hint, hint(model));
    }
    let path = [];
    if (route[0] === 'callers' && this.callers)
      path = route[1].split('.').map(Number);
    else if (route[0] === 'zoom' && !this.callers &&
        Number(route[1]) < tree.count)
      path = chainOf(tree, Number(route[1]));
    this.zoomed = frameAt(this.whole, path);
    this.drawn = this.graph.draw(this.zoomed);
    this.describe(null);
    this.showState();
    this.showColours();
    document.getElementById('zoom-out').disabled =
      this.zoomed.parent === null;
  }

  redraw() {
    if (this.whole !== null) this.graph.redraw();
  }

  showState() {
    const { found } = this.shell;
    const { total, measure } = this.model;
    const { narrower } = this.drawn;
    const parts = [];
    if (found !== null)
      parts.push(element('strong', { id: 'found' },
        `${percent(found.value, total[measure]) || 'Nothing'} in ${
          plural(found.count, 'matching function', 'matching functions')} ` +
          `and below: ${number(found.value)} ${MEASURES[measure].noun}`));
    if (narrower > 0)
      parts.push(element('span', { class: 'quiet' },
        `${plural(narrower, 'frame is', 'frames are')} too narrow to show: ` +
        'zoom in by a click'));
    replaceChildren(this.state, parts);
  }

  showColours() {
    const { model } = this;
    const { dark } = this.shell;
    const chip = (label, colour) => {
      const square = element('span', { class: 'chip' });
      square.style.background = colour;
      return element('span', {}, square, label);
    };
    if (this.byCategory) {
      replaceChildren(this.colours, model.profile.categories.map((c, i) =>
        chip(c.name, categoryColour([0, 1, 2, 3].map((j) =>
          i === j ? 1 : 0), dark))));
      return;
    }
    const names = [...this.hues.keys()].slice(0, MOST_CHIPS);
    const chips = names.map((name) => chip(name,
      packageColour({ name: '', package: name }, this.hues, dark)));
    if (model.shownFunctions.some((row) => isForeign(row.fn)))
      chips.push(chip(model.profile.lisp ? "ECL's own, and C" : 'others',
        packageColour({ name: '', package: '' }, this.hues, dark)));
    replaceChildren(this.colours, chips);
  }
}

// The packages of PROFILE's program, those with most below them first.
function packagesOf(profile) {
  const bytes = new Map();
  for (const fn of profile.functions)
    if (!isForeign(fn))
      bytes.set(fn.package, Math.max(bytes.get(fn.package) ?? 0,
        fn.inclusive.bytes));
  return [...bytes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .map(([name]) => name);
}
