// SPDX-License-Identifier: LGPL-2.1-or-later

// Flame graphs.  There are elements only for the zoomed frame, its callers,
// and the frames below it that are wide enough to see.  So a large profile is
// as quick as a small one.

const ROW_HEIGHT = 20; // pixels
const NARROWEST = 1;
const LEAST_NAMED = 34;
const ALWAYS = 300; // frames right below the one that is zoomed to
const MOST_FRAMES = 4000;
const MOST_ROWS = 150; // below the frame that is zoomed to
const MOST_CALLERS = 12; // rows above it
const MOST_CHIPS = 12;

// Returns the boxes {frame, row, x, share} of a graph of WIDTH pixels that is
// zoomed to the frame ZOOMED.  X and SHARE are fractions of the width.
function layOut(zoomed, width) {
  const callers = [];
  for (let frame = zoomed.parent; frame !== null; frame = frame.parent)
    if (callers.length < MOST_CALLERS || frame.parent === null)
      callers.unshift(frame);
  const boxes = callers.map((frame, row) =>
    ({ frame, row, x: 0, share: 1, faded: true }));
  const bottom = boxes.length + MOST_ROWS;
  let narrower = 0;
  boxes.push({ frame: zoomed, row: boxes.length, x: 0, share: 1 });
  for (let i = callers.length; i < boxes.length; i++) {
    const { frame, row, x } = boxes[i];
    if (row >= bottom) continue;
    let next = x;
    frame.children().forEach((child, place) => {
      const share = child.value / zoomed.value;
      const seen = share * width >= NARROWEST ||
        (frame === zoomed && place < ALWAYS);
      if (seen && boxes.length - callers.length < MOST_FRAMES)
        boxes.push({ frame: child, row: row + 1, x: next, share });
      else narrower++;
      next += share;
    });
  }
  return { boxes, narrower };
}

// Returns the category with most bytes in and below FRAME.
function heaviest(frame) {
  const parts = CATEGORIES.map((category) => frame.all(category));
  return parts.indexOf(Math.max(...parts));
}

// A graph.  Its subclasses set ZOOMED and ELEMENT, and have a method ZOOM(frame)
// for clicks, which HELP and CLICK explain.
class FlameGraph {
  constructor(shell, help, click) {
    const at = (act) => (event) => {
      const frame = this.frames.get(event.target);
      if (frame !== undefined) act(frame);
    };
    this.shell = shell;
    this.click = click;
    this.frames = new Map(); // of elements
    this.place = element('div', { class: 'flame', tabindex: '0',
      'aria-label': `Flame graph: ${help}`,
      onclick: at((frame) => this.zoom(frame)),
      onpointerover: at((frame) => this.describe(frame)),
      onpointerleave: () => this.describe(this.zoomed),
      onkeydown: (event) => this.press(event) });
    this.details = element('p', { class: 'details', 'aria-live': 'polite' });
    this.state = element('p', { class: 'state' });
    this.colours = element('p', { class: 'colours' });
  }

  get model() {
    return this.shell.model;
  }

  functionOf(frame) {
    return this.model.tree.functions[frame.fn];
  }

  layOut(width) {
    return layOut(this.zoomed, width);
  }

  // Draws the frames.  The graph must be in the page, since it is as wide as its
  // place there.
  redraw() {
    const { place } = this;
    const width = Math.max(320, place.clientWidth);
    const { boxes, narrower } = this.layOut(width);
    this.chosen = null;
    this.frames.clear();
    for (const { frame, row, x, share, faded } of boxes) {
      const made = element('div', { title: this.titleOf(frame),
        class: faded ? 'frame faded' : 'frame' },
      share * width < LEAST_NAMED ? '' : this.labelOf(frame));
      made.style.left = `${100 * x}%`;
      made.style.width = `${100 * share}%`;
      made.style.top = `${ROW_HEIGHT * row}px`;
      this.paint(frame, made);
      frame.made = made;
      this.frames.set(made, frame);
    }
    place.style.height = `${ROW_HEIGHT * (boxes.at(-1).row + 1)}px`;
    place.replaceChildren(...this.frames.keys());
    this.showState(narrower);
  }

  nameOf(frame) {
    return this.functionOf(frame)?.name ?? 'all';
  }

  // Returns the label of FRAME, which is short: a package that the colour shows
  // is left out, and so is METHOD; a string of C++ is std::string.
  labelOf(frame) {
    const { model: { found, profile }, shell: { choices } } = this;
    const name = this.nameOf(frame).replace(/^\(METHOD (.*)\)$/, '$1')
      .replaceAll(/std::__cxx11::basic_string<char, [^<]*<char>, [^<]*<char> >/g,
        'std::string');
    const its = this.functionOf(frame)?.package ?? null;
    return its === null || found !== null || choices.colours !== '' ||
      profile.compared ? name
      : name.replace(new RegExp(`(^|[ (])${quoted(its.name)}::?`, 'g'), '$1');
  }

  titleOf(frame) {
    const [first, ...facts] = factsOf(this.model, frame);
    const { compared } = this.model.profile;
    return [`${this.nameOf(frame)}: ${first}${
      compared || facts.length === 0 ? '' : `, ${facts.shift()}`}`, ...facts]
      .join('\n');
  }

  // Sets the classes of a frame, or the hue of its package, for the style
  // sheet.  The colour is the stronger the larger the relative change.
  paint(frame, made) {
    const { model: { found, profile, measure: { key } }, shell: { choices } } = this;
    if (frame.fn < 0) made.classList.add('plain');
    else if (found !== null)
      made.classList.add(found.matching[frame.fn] ? 'match' : 'plain');
    else if (profile.compared) {
      const [old, now] = [frame.all(beforeOf(key)), frame.all(key)];
      paintChange(made, old, now, Math.abs(now - old) / Math.max(now, old, 1));
    } else if (choices.colours === 'category')
      made.classList.add(`category-${heaviest(frame)}`);
    else this.paintFunction(this.functionOf(frame), made);
  }

  paintFunction(fn, made) {
    if (fn.package === null) made.classList.add('foreign');
    else made.style.setProperty('--hue', fn.package.hue);
    made.style.setProperty('--shade', `${fn.shade}%`);
  }

  // Shows the facts about FRAME in the line of details.
  describe(frame) {
    const fn = this.functionOf(frame);
    replaceChildren(this.details,
      fn === undefined ? element('strong', {}, 'all') : functionLink(fn),
      factsOf(this.model, frame).map((text) =>
        element('span', {}, text)),
      (fn?.package ?? null) !== null &&
        element('span', { class: 'quiet' }, fn.package.name));
  }

  showState(narrower, ...more) {
    replaceChildren(this.state, more, narrower > 0 && element('span',
      { class: 'quiet' }, `${plural(narrower, 'frame is', 'frames are')
      } too narrow to draw. Click a frame to ${this.click}.`));
  }

  // Shows what the colours mean.
  showColours() {
    const { profile, shownFunctions } = this.model;
    replaceChildren(this.colours, profile.compared ? [
      chip('grew', 'more than before'), chip('shrank', 'less than before'),
      chip('same', 'unchanged; a stronger colour is a larger relative change')]
      : this.shell.choices.colours === 'category'
        ? profile.categories.map((name, i) => chip(`category-${i}`, name))
        : [...profile.packages.slice(0, MOST_CHIPS).map((part) => {
          const made = chip('', part.name);
          this.paintFunction({ package: part, shade: 0 }, made.firstChild);
          return made;
        }), shownFunctions.some(({ fn }) => fn.package === null) &&
          chip('foreign', profile.lisp && !profile.holders
            ? 'ECL and C functions' : 'other')]);
  }

  choose(frame) {
    if (!frame) return;
    this.chosen?.made?.classList.remove('chosen');
    this.chosen = frame;
    frame.made?.classList.add('chosen');
    frame.made?.scrollIntoView({ block: 'nearest' });
    this.describe(frame);
  }

  // The frame STEP rows below FRAME.
  nextRow(frame, step) {
    return step > 0 ? frame.children()[0] : frame.parent;
  }

  sibling(step) {
    const row = this.chosen?.parent?.children() ?? [];
    return row[row.indexOf(this.chosen) + step];
  }

  press(event) {
    const { chosen, zoomed } = this;
    const move = (step) =>
      this.choose(chosen === null ? zoomed : this.nextRow(chosen, step));
    const acts = {
      ArrowDown: () => move(1),
      ArrowUp: () => move(-1),
      ArrowLeft: () => this.choose(this.sibling(-1)),
      ArrowRight: () => this.choose(this.sibling(1)),
      Home: () => this.choose(zoomed),
      Enter: () => chosen !== null && this.zoom(chosen),
      Escape: () => zoomed.parent !== null && this.zoom(zoomed.parent),
      f: () => chosen !== null && chosen.fn >= 0 &&
        this.shell.go(`function/${chosen.fn}`),
    };
    if (event.defaultPrevented || event.ctrlKey || event.altKey ||
        event.metaKey || !Object.hasOwn(acts, event.key)) return;
    event.preventDefault();
    acts[event.key]();
  }
}

// The text about a frame, in its tooltip and in the line of details.

// VALUE with its sign.
function signed(value) {
  return value > 0 ? `+${number(value)}` : number(value);
}

// "1,000 before, 800 after, -200 (-20.0 %)": the figures KEY.
function comparison(figures, key) {
  const [old, now] = [figures(beforeOf(key)), figures(key)];
  const change = now - old;
  const share = old === 0 || change === 0 ? ''
    : ` (${change < 0 ? '-' : '+'}${percent(Math.abs(change), old)})`
      .replace(/[-+]</, '<');
  return `${number(old)} before, ${number(now)} after, ${signed(change)}${
    share}`;
}

// "8,000 bytes": a measure, in a comparison of both profiles.
function amount({ profile }, { key, noun }, figures) {
  return profile.compared ? `${noun} ${comparison(figures, key)}`
    : `${number(figures(key))} ${noun}`;
}

// "app.c:12": the place of FN.
function placeOf({ file, line }) {
  return file === '' ? '' : `${file}${line > 0 ? `:${line}` : ''}`;
}

function callsHere(model, { calls }) {
  const { names, compared } = model.profile;
  if (model.window !== null || model.profile.holders) return '';
  const nouns = callNouns(model);
  const all = names.reduce((sum, name) => sum + calls(name('calls')), 0);
  if (Number.isNaN(all)) return 'calls unknown';
  if (all === 0) return '';
  return compared ? `${nouns[1]} here ${comparison(calls, 'calls')}`
    : `${plural(all, ...nouns)} here`;
}

// The facts about FRAME, but for its name: the figure of it and everything
// below it, the share, its own figure, both in bytes, its calls, its place.  If
// it is inverted, its own figure is of chains that begin there.
function factsOf(model, frame) {
  const { measure, profile } = model;
  const bytes = model.measures.find(({ key }) => key === 'bytes');
  const fn = model.tree.functions[frame.fn];
  const own = (m) => `${frame.inverted ? profile.terms.root : 'self'} ${
    amount(model, m, (key) => frame.own(key))}`;
  const all = (m) => amount(model, m, (key) => frame.all(key));
  return [
    all(measure),
    !profile.compared && percent(frame.value, model.widths.total),
    fn !== undefined && own(measure),
    measure !== bytes && all(bytes),
    measure !== bytes && fn !== undefined && own(bytes),
    callsHere(model, frame), fn !== undefined && placeOf(fn)]
    .filter(Boolean);
}
