// SPDX-License-Identifier: LGPL-2.1-or-later

// Charts over time, above the flame graph: memory in use, and below it, with
// the same times, what the functions with most of the measure allocated a
// second.  Of kept bytes, and where a time is chosen, it is what of them was in
// use.  The second chart follows all choices but those of time.  These are made
// in either: a part by dragging, a time (of C programs) by a click.
//
// A slice of time is as wide as it is long.  The last one, whose end is
// unknown, is as long as the one before.  Memory is that at the end of a slice.

const CHART_WIDTH = 1000; // units of the drawing, which is stretched
const CHART_HEIGHT = 100;
const CHART_GAP = 20; // between the two
const MOST_PARTS = 5; // functions that show
const PART_HUES = [205, 32, 150, 288, 95];

// What memory is known at the end of a slice: the label and the key.
const MEMORY = [['in use', 'in_use'], ['resident', 'resident']];
const BYTES = { bytes: true };

// Formats NANOSECONDS: 12.5 s.
const seconds = (nanoseconds) => `${number(nanoseconds / 1e9)} s`;

// Returns the slice that has the time AT, in seconds, if it is given and the
// profile says when objects were freed; else -1.
const sliceAt = ({ slices, frees }, { at }) => (at === '' || !frees ? -1
  : slices.findLastIndex(({ start }) => start <= Math.round(Number(at) * 1e9)));

// Returns the slices [first, end) that the choices of time, in seconds, select;
// null: all.  1.07 times 1e9 is not a whole number.
function windowOf(profile, choices) {
  const { slices } = profile;
  const { from, to } = choices;
  const at = sliceAt(profile, choices);
  if (at >= 0) return [0, at + 1];
  if (slices.length === 0 || (from === '' && to === '')) return null;
  const place = (text, otherwise) => {
    const time = Math.round(Number(text) * 1e9);
    const after = slices.findIndex(({ start }) => start >= time);
    return text === '' ? otherwise : after < 0 ? slices.length : after;
  };
  return [place(from, 0), place(to, slices.length)];
}

class Timeline {
  constructor(shell) {
    const { slices } = shell.model.profile;
    const last = slices.at(-1).start;
    this.shell = shell;
    this.slices = slices;
    this.whole = last + (last - (slices.at(-2)?.start ?? 0) || 1);
    this.times = [...slices.map(({ start }) => start), this.whole];
    this.collected = slices.map(({ collections }, i) =>
      collections - slices[Math.max(i - 1, 0)].collections);
    this.made = [];
    const inUse = this.highest('in_use') > 0;
    const resident = this.highest('resident') > 0;
    this.base = CHART_HEIGHT + (inUse || resident ? CHART_HEIGHT + CHART_GAP : 0);
    this.resident = element('input', { type: 'checkbox', id: 'resident',
      checked: !inUse, onchange: () => this.draw() });
    this.drawn = svg('g');
    this.mark = svg('rect', { class: 'window', height: this.base });
    this.chart = svg('svg', { viewBox: `0 0 ${CHART_WIDTH} ${this.base}`,
      preserveAspectRatio: 'none', tabindex: 0, role: 'img', class: 'timeline',
      onkeydown: (event) => this.press(event), ...this.pointing() },
    this.drawn, this.mark);
    this.chart.style.height = `${this.base / 18}rem`;
    this.scale = element('p', { class: 'details-of-time', 'aria-live': 'polite' });
    this.axes = element('div', { class: 'axes-of-time' });
    this.legend = element('p', { class: 'legend-of-time' });
    this.element = element('section', { class: 'graph over-time' },
      element('div', { class: 'graph-bar' }, element('h2', {}, 'Over time'),
        resident && element('label', {}, this.resident, 'resident memory'),
        button('CSV', () => element('a', { download: 'over-time.csv',
          href: `data:text/csv,${encodeURIComponent(this.csv())}` }).click(),
        { id: 'csv', title: 'Save the numbers of the charts' }), this.scale),
      element('div', { class: 'chart-of-time' }, this.chart, this.axes),
      element('p', { class: 'axis' }, element('span', {}, '0 s'),
        element('span', {}, seconds(this.whole))), this.legend);
  }

  // Returns the most of KEY, memory at the end of a slice.
  highest(key) {
    return Math.max(...this.slices.map((slice) => slice[key]));
  }

  x(slice) {
    return (CHART_WIDTH * this.times[slice] / this.whole).toFixed(2);
  }

  // Calls TAKE(row, slice, value) for each row that counts, whenever.
  eachRow(take) {
    const { places, measure: { bytes, key }, profile: { rows } } = this.shell.model;
    const values = rows[this.isInUse ? inUseOf(bytes ? 'bytes' : 'allocations')
      : key];
    places.forEach((place, row) => place >= 0 && rows.slice[row] > 0 &&
      take(row, rows.slice[row] - 1, values[row]));
  }

  // Returns the functions with most as {name, fn, values}, then all others, if
  // any: what each slice has, or what was in use at its end.
  parts() {
    const { isInUse, slices: { length } } = this;
    const { places, tree: { functionOf, functions } } = this.shell.model;
    const weights = new Float64Array(functions.length);
    this.eachRow((row, slice, value) => {
      weights[functionOf[places[row]]] += value * (isInUse ? length - slice : 1);
    });
    const parts = [...weights.keys()].filter((fn) => weights[fn] > 0)
      .sort((a, b) => weights[b] - weights[a] || a - b).slice(0, MOST_PARTS)
      .map((at) => ({ at, fn: functions[at], name: functions[at].name }));
    parts.push({ name: 'other functions' });
    for (const part of parts) part.values = new Float64Array(length);
    this.eachRow((row, slice, value) => {
      const { values } = parts.find(({ at }) => at === functionOf[places[row]]) ??
        parts.at(-1);
      values[slice] += value;
    });
    if (isInUse) for (const { values } of parts)
      for (let i = 1; i < length; i++) values[i] += values[i - 1];
    return parts.filter(({ fn, values }) => fn || values.some((n) => n > 0));
  }

  // Draws the charts again if the figures of all times have changed, and marks
  // the part or the time that is chosen.
  update() {
    const { model, model: { at } } = this.shell;
    const from = [model.places, model.measure];
    if (from.some((part, i) => part !== this.made[i])) this.draw();
    this.made = from;
    const [first, end] = at >= 0 ? [at, at + 1]
      : model.window ?? [0, this.slices.length];
    this.mark.setAttribute('x', this.x(first));
    this.mark.setAttribute('width', Math.max(this.x(end) - this.x(first), 0));
    this.mark.style.display = model.window === null ? 'none' : '';
    this.describe(null);
  }

  draw() {
    const { at, measure, profile: { frees } } = this.shell.model;
    this.isInUse = at >= 0 || (frees > 0 && measure.what === 'never freed');
    this.noun = !this.isInUse ? measure.noun
      : measure.bytes ? 'bytes in use' : 'objects in use';
    this.axes.replaceChildren();
    this.legend.replaceChildren();
    this.drawn.replaceChildren(...this.base > CHART_HEIGHT ? this.drawMemory() : [],
      ...this.drawParts(measure));
  }

  // Adds to the legend the sign of a class NAME, with TEXT.
  explain(name, text, hue) {
    const made = element('span', {}, name === '' ? null
      : element('span', { class: `sign ${name}` }), text);
    made.style.setProperty('--hue', hue);
    this.legend.append(made);
  }

  // Returns the lines of an axis from 0, at BASE, to MOST or more, which it
  // labels; and a function that places values.
  axis(base, most, measure, per = '') {
    const unit = 10 ** Math.floor(Math.log10(most || 1));
    const top = unit *
      ([1, 1.5, 2, 3, 4, 5, 6, 8].find((n) => n * unit >= most) ?? 10);
    const y = (value) => (base - CHART_HEIGHT * value / top).toFixed(2);
    const grid = [top, top / 2, 0].map((value) => {
      const label = element('span', {},
        value === 0 ? '0' : brief(value, measure) + per);
      label.style.top = `${100 * y(value) / this.base}%`;
      this.axes.append(label);
      return `M0 ${y(value)}h${CHART_WIDTH}`;
    });
    return { y, grid: svg('path', { class: 'grid', d: grid.join('') }) };
  }

  // Returns the lines of memory, with marks where most was in use, and where
  // garbage was collected.
  drawMemory() {
    const { slices } = this;
    const shown = MEMORY.filter(([, key]) => this.highest(key) > 0 &&
      (key !== 'resident' || this.resident.checked));
    const { y, grid } = this.axis(CHART_HEIGHT,
      Math.max(0, ...shown.map(([, key]) => this.highest(key))), BYTES);
    const lines = shown.map(([label, key]) => {
      this.explain(`line ${key}`, `memory ${label}`);
      return svg('polyline', { class: key, points: slices.map((slice, i) =>
        `${this.x(i + 1)} ${y(slice[key])}`).join(',') });
    });
    const mark = (name, text, to, marks) => {
      const marked = [...slices.keys()].filter(marks);
      if (marked.length === 0) return;
      this.explain(name, text + seconds(this.times[marked[0] + 1]));
      lines.push(svg('path', { class: name,
        d: marked.map((i) => `M${this.x(i + 1)} ${to}`).join('') }));
    };
    const most = this.highest('in_use');
    mark('peak', `most in use: ${brief(most, BYTES)} at `,
      `${y(most)}V${CHART_HEIGHT}`, (i) => most > 0 && slices[i].in_use === most);
    mark('collection', 'garbage was collected, first at ', '0v7',
      (i) => this.collected[i] > 0);
    return [grid, ...lines];
  }

  // Returns the areas of functions, each from 0 and in front of the ones whose
  // sums are larger.
  drawParts(measure) {
    const { times, isInUse } = this;
    this.shown = this.parts();
    this.all = new Float64Array(this.slices.length);
    const rate = (sum, i) =>
      (isInUse ? sum : sum * 1e9 / (times[i + 1] - times[i]));
    const sums = this.shown.map(({ values }) => {
      this.all = this.all.map((sum, i) => sum + values[i]);
      return this.all.map(rate);
    });
    const { y, grid } = this.axis(this.base, Math.max(...sums.at(-1) ?? [0]),
      measure, isInUse ? '' : '/s');
    this.explain('', `${this.noun}${isInUse ? '' : ' per second'}:`);
    return [...sums.map((tops, part) => {
      const { fn, name } = this.shown[part];
      const kind = fn ? 'part' : 'other';
      this.explain(kind, fn ? functionLink(fn) : name, PART_HUES[part]);
      const area = svg('path', { class: kind, d: `M0 ${this.base}${[...tops].map(
        (top, i) => `V${y(top)}H${this.x(i + 1)}`).join('')}V${this.base}Z` });
      area.style.setProperty('--hue', PART_HUES[part]);
      return area;
    }).reverse(), grid];
  }

  // Returns the numbers of the charts: a line for each slice.
  csv() {
    const quote = (text) => `"${text.replaceAll('"', '""')}"`;
    const head = ['from', 'to', 'bytes in use', 'bytes resident', 'collections',
      ...this.shown.map(({ name }) => `${this.noun}: ${name}`)].map(quote);
    return [head, ...this.slices.map((slice, i) => [slice.start / 1e9,
      this.times[i + 1] / 1e9, slice.in_use, slice.resident, slice.collections,
      ...this.shown.map(({ values }) => values[i])])]
      .map((line) => `${line.join(',')}\r\n`).join('');
  }

  // Says what is in the slice AT, or else what the mouse does.
  describe(at) {
    const { [at]: slice } = this.slices;
    const memory = MEMORY.filter(([, key]) => slice?.[key] > 0).map(
      ([label, key]) => `, memory ${label} ${brief(slice[key], BYTES)}`).join('');
    this.scale.textContent = slice === undefined
      ? `drag to select a part${this.shell.model.profile.frees > 0
        ? ', click to see what was in use' : ''}`
      : `${this.times.slice(at, at + 2).map(seconds).join(' to ')}: ${
        number(this.all[at])} ${this.noun}${memory}${
        this.collected[at] > 0 ? `, ${plural(this.collected[at],
          'collection', 'collections')} of garbage` : ''}`;
    this.chart.setAttribute('aria-label', `${this.scale.textContent}. Arrow ` +
      'keys move the selected part, with Shift its end; Enter shows what was ' +
      'in use at its end; Escape selects all');
  }

  // The choices for the slices [first, end).
  choices(first, end) {
    const { slices } = this;
    const time = (slice, all) => (slice === all ? ''
      : String(slices[slice].start / 1e9));
    return { from: time(first, 0), to: time(end, slices.length), at: '' };
  }

  select(first, end) {
    this.shell.choose(this.choices(first, end), true);
  }

  // Chooses what was in use at the end of SLICE, or all if it is chosen.
  selectTime(slice) {
    const { model: { at, profile } } = this.shell;
    if (at === slice || !profile.frees) this.select(0, this.slices.length);
    else this.shell.choose({ from: '', to: '',
      at: String(this.slices[slice].start / 1e9) }, true);
  }

  // Returns the listeners to the mouse.
  pointing() {
    const at = ({ clientX }) => {
      const { left, width } = this.chart.getBoundingClientRect();
      const time = this.whole * (clientX - left) / width;
      return Math.max(this.slices.findLastIndex(({ start }) => start <= time), 0);
    };
    const part = (slice) =>
      [Math.min(begun, slice), Math.max(begun, slice) + 1];
    let begun = null;
    let waiting = 0;
    return {
      onpointerdown: (event) => {
        begun = at(event);
        this.chart.setPointerCapture(event.pointerId);
      },
      onpointermove: (event) => {
        const slice = at(event);
        this.describe(slice);
        if (begun === null || slice === begun) return;
        cancelAnimationFrame(waiting);
        waiting = requestAnimationFrame(() => begun !== null &&
          this.shell.preview(this.choices(...part(slice))));
      },
      onpointerup: (event) => {
        const slice = at(event);
        cancelAnimationFrame(waiting);
        if (begun !== null && slice !== begun) this.select(...part(slice));
        else this.selectTime(slice);
        begun = null;
      },
      onpointerleave: () => this.describe(null),
    };
  }

  press(event) {
    const count = this.slices.length;
    const { at, window } = this.shell.model;
    const [first, end] = at >= 0 ? [at, at + 1] : window ?? [0, 1];
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === 'Escape') this.select(0, count);
    else if (event.key === 'Enter' && window !== null) this.selectTime(end - 1);
    else if (step === undefined || event.ctrlKey || event.altKey) return;
    else if (window === null) this.select(0, 1);
    else if (event.shiftKey)
      this.select(first, Math.min(Math.max(end + step, first + 1), count));
    else if (first + step >= 0 && end + step <= count)
      this.select(first + step, end + step);
    event.preventDefault();
    event.stopPropagation();
  }
}
