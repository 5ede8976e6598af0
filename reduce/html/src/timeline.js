// SPDX-License-Identifier: LGPL-2.1-or-later

// The chart of what was allocated over time, above the flame graph.  It follows
// all choices but that of a part of time, which is made in it: with the mouse,
// or by keys.
//
// The areas have the axis at the left.  The lines are of memory in use and of
// memory that is resident, which may be a hundred times as much: each has a
// scale of its own, whose top the legend says.
//
// A slice of time is as wide as it is long.  The last one, whose end is
// unknown, is as long as the one before.  If a program has several phases, the
// one that allocates most is named below the slices.

const CHART_WIDTH = 1000; // units of the drawing, which is stretched
const CHART_HEIGHT = 100;
const LINE_HEIGHT = 0.96; // of the highest point of a line, as a part of that

// The lines: what each is called, and its key.
const MEMORY = [['in use', 'in_use'], ['resident', 'resident']];

const svg = (tag, attributes = {}, ...children) => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes))
    made.setAttribute(key, value);
  made.append(...children);
  return made;
};

// Formats NANOSECONDS: 12.5 s.
const seconds = (nanoseconds) => `${number(nanoseconds / 1e9)} s`;

// Returns the slices [first, end) that the choices FROM and TO, in seconds,
// select; null: all.  1.07 times 1e9 is not a whole number.
function windowOf({ slices }, { from, to }) {
  if (slices.length === 0 || (from === '' && to === '')) return null;
  const place = (text, otherwise) => {
    const time = Math.round(Number(text) * 1e9);
    const at = slices.findIndex(({ start }) => start >= time);
    return text === '' ? otherwise : at < 0 ? slices.length : at;
  };
  return [place(from, 0), place(to, slices.length)];
}

class Timeline {
  constructor(shell) {
    const { slices } = shell.model.profile;
    this.shell = shell;
    this.slices = slices;
    const last = slices.at(-1);
    this.whole = last.start + (last.start - (slices.at(-2)?.start ?? 0) || 1);
    this.made = [];
    this.areas = svg('g');
    this.mark = svg('rect', { class: 'window', y: 0, height: CHART_HEIGHT });
    this.chart = svg('svg', { viewBox: `0 0 ${CHART_WIDTH} ${CHART_HEIGHT}`,
      preserveAspectRatio: 'none', tabindex: 0, role: 'img', class: 'timeline' },
    this.areas, this.mark);
    this.scale = element('p', { class: 'details-of-time', 'aria-live': 'polite' });
    this.phases = element('p', { class: 'phases-of-time' });
    this.top = element('span', { class: 'top' });
    this.legend = element('p', { class: 'legend-of-time' });
    this.element = element('section', { class: 'graph over-time' },
      element('div', { class: 'graph-bar' }, element('h2', {}, 'Over time'),
        this.scale),
      element('div', { class: 'chart-of-time' }, this.chart, this.top,
        element('span', { class: 'bottom' }, '0')), this.phases,
      element('p', { class: 'axis' }, element('span', {}, '0 s'),
        element('span', {}, seconds(this.whole))), this.legend);
    this.connect();
  }

  end(slice) {
    return this.slices[slice + 1]?.start ?? this.whole;
  }

  x(slice) {
    return CHART_WIDTH * (slice < this.slices.length
      ? this.slices[slice].start : this.whole) / this.whole;
  }

  // Returns what was allocated in each slice, by the numbers below COUNT that OF
  // gives to rows.
  sums(count, of) {
    const { model, model: { measure: { key }, profile: { rows } } } = this.shell;
    const sums = Array.from({ length: count },
      () => new Float64Array(this.slices.length));
    const values = rows[key];
    model.places.forEach((place, row) => {
      if (place >= 0 && rows.slice[row] > 0)
        sums[of(row)][rows.slice[row] - 1] += values[row];
    });
    return sums;
  }

  // Names the phase that allocates most, below each run of slices.
  drawPhases() {
    const { phases, rows } = this.shell.model.profile;
    const sums = this.sums(phases.length, (row) => rows.phase[row]);
    const runs = [];
    this.slices.forEach((_, i) => {
      const most = Math.max(...sums.map((values) => values[i]));
      const phase = sums.findIndex((values) => values[i] === most);
      if (most > 0 && runs.at(-1)?.phase !== phase)
        runs.push({ phase, x: this.x(i) });
    });
    this.phases.replaceChildren(...runs.map(({ phase, x }, i) => {
      const { name } = phases[phase];
      const span = element('span', { title: name }, name);
      const percent = (width) => `${100 * width / CHART_WIDTH}%`;
      span.style.left = percent(x);
      span.style.width = percent((runs[i + 1]?.x ?? CHART_WIDTH) - x);
      return span;
    }));
    this.phases.hidden = runs.length < 2;
  }

  // Draws the areas again if the figures of all times have changed, and marks
  // the part that is chosen.
  update() {
    const { model } = this.shell;
    const from = [model.places, model.measure];
    if (from.some((part, i) => part !== this.made[i])) this.draw();
    this.made = from;
    const [first, end] = model.window ?? [0, this.slices.length];
    this.mark.setAttribute('x', this.x(first));
    this.mark.setAttribute('width', Math.max(this.x(end) - this.x(first), 0));
    this.mark.style.display = model.window === null ? 'none' : '';
    this.describe(null);
  }

  draw() {
    const { slices } = this;
    const { rows, types } = this.shell.model.profile;
    const sums = this.sums(CATEGORIES.length,
      (row) => types[rows.type[row]].category);
    const lengths = slices.map((slice, i) => this.end(i) - slice.start);
    const all = slices.map((_, i) => sums.reduce((sum, of) => sum + of[i], 0));
    const most = Math.max(...all.map((value, i) => value / lengths[i]), 1e-30);
    const base = new Float64Array(slices.length);
    const areas = sums.map((values, category) => {
      const up = [];
      const down = [];
      for (let i = 0; i < slices.length; i++) {
        const y = (value) => (CHART_HEIGHT * (1 - value / lengths[i] / most))
          .toFixed(2);
        const [a, b] = [this.x(i), this.x(i + 1)].map((x) => x.toFixed(2));
        down.unshift(`L${b} ${y(base[i])}L${a} ${y(base[i])}`);
        base[i] += values[i];
        up.push(`L${a} ${y(base[i])}L${b} ${y(base[i])}`);
      }
      return svg('path', { class: `category-${category}`,
        d: `M${up.join('').slice(1)}${down.join('')}Z` });
    });
    const lines = MEMORY.map(([, key]) => this.line(key));
    const marks = svg('path', { class: 'collection', d: slices.map((_, i) =>
      (this.collections(i) > 0 ? `M${this.x(i + 1).toFixed(2)} 0v7` : ''))
      .join('') });
    this.drawPhases();
    this.areas.replaceChildren(...areas, ...lines.filter(Boolean), marks);
    this.all = all;
    this.most = most * 1e9;
    this.explain();
  }

  // Labels the axis, and explains the colours, lines and marks.
  explain() {
    const { model: { measure, profile: { categories } } } = this.shell;
    const sign = (name, ...texts) => element('span', {},
      element('span', { class: `sign ${name}` }), ...texts);
    this.top.textContent = `${brief(this.most, measure)}/s`;
    replaceChildren(this.legend, `${measure.noun} per second: `,
      categories.map((category, i) => sign(`category category-${i}`, category)),
      MEMORY.filter(([, key]) => this.highest(key) > 0).map(([label, key]) =>
        sign(`line ${key}`, `memory ${label}, up to ${
          brief(this.highest(key), { bytes: true })} on its own scale`)),
      this.slices.some((_, i) => this.collections(i) > 0) &&
        sign('collection', 'garbage was collected'));
  }

  // Returns the most of KEY, memory at the end of a slice.
  highest(key) {
    return Math.max(...this.slices.map((slice) => slice[key]));
  }

  // How often garbage was collected in SLICE; of the first that is not known.
  collections(slice) {
    return slice === 0 ? 0 : this.slices[slice].collections -
      this.slices[slice - 1].collections;
  }

  // The line of KEY, memory at the end of each slice, where it is known.
  line(key) {
    const values = this.slices.map((slice) => slice[key]);
    const most = this.highest(key);
    if (!(most > 0)) return null;
    const points = values.map((value, i) => `${this.x(i + 1).toFixed(2)} ${
      (CHART_HEIGHT * (1 - LINE_HEIGHT * value / most)).toFixed(2)}`);
    return svg('polyline', { class: key, points: points.join(',') });
  }

  // Says what is in the slice AT, or else how much the chart shows.
  describe(at) {
    const { measure } = this.shell.model;
    const slice = this.slices[at];
    const memory = (of) => MEMORY.map(([label, key]) => [label, of(key)])
      .filter(([, value]) => value > 0).map(([label, value]) =>
        `, ${label} ${brief(value, { bytes: true })}`).join('');
    this.scale.textContent = slice === undefined
      ? `at most ${brief(this.most, measure)} a second${
        memory((key) => this.highest(key))}; drag to select`
      : `${seconds(slice.start)} to ${seconds(this.end(at))}: ${
        number(this.all[at])} ${measure.noun}${memory((key) => slice[key])}${
        this.collections(at) > 0 ? `, ${plural(this.collections(at),
          'collection', 'collections')} of garbage` : ''}`;
    this.chart.setAttribute('aria-label', `${this.scale.textContent}. Arrow ` +
      'keys move the selected part, with Shift its end; Escape selects all');
  }

  // The choices for the slices [first, end).
  choices(first, end) {
    const { slices } = this;
    const time = (slice, all) => (slice === all ? ''
      : String(slices[slice].start / 1e9));
    return { from: time(first, 0), to: time(end, slices.length) };
  }

  select(first, end) {
    this.shell.choose(this.choices(first, end), true);
  }

  connect() {
    const { chart, slices } = this;
    const at = ({ clientX }) => {
      const { left, width } = chart.getBoundingClientRect();
      const time = this.whole * (clientX - left) / width;
      return Math.max(slices.findLastIndex(({ start }) => start <= time), 0);
    };
    let begun = null;
    let waiting = 0;
    chart.addEventListener('pointerdown', (event) => {
      begun = at(event);
      chart.setPointerCapture(event.pointerId);
    });
    chart.addEventListener('pointermove', (event) => {
      const slice = at(event);
      this.describe(slice);
      if (begun === null) return;
      cancelAnimationFrame(waiting);
      waiting = requestAnimationFrame(() => begun !== null &&
        this.shell.preview(this.choices(Math.min(begun, slice),
          Math.max(begun, slice) + 1)));
    });
    chart.addEventListener('pointerup', (event) => {
      const slice = at(event);
      cancelAnimationFrame(waiting);
      if (begun !== null && slice !== begun)
        this.select(Math.min(begun, slice), Math.max(begun, slice) + 1);
      else this.select(0, slices.length);
      begun = null;
    });
    chart.addEventListener('pointerleave', () => this.describe(null));
    chart.addEventListener('keydown', (event) => this.press(event));
  }

  press(event) {
    const count = this.slices.length;
    const [first, end] = this.shell.model.window ?? [0, 1];
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === 'Escape') this.select(0, count);
    else if (step === undefined || event.ctrlKey || event.altKey) return;
    else if (this.shell.model.window === null) this.select(0, 1);
    else if (event.shiftKey)
      this.select(first, Math.min(Math.max(end + step, first + 1), count));
    else if (first + step >= 0 && end + step <= count)
      this.select(first + step, end + step);
    event.preventDefault();
    event.stopPropagation();
  }
}
