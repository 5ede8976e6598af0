// SPDX-License-Identifier: LGPL-2.1-or-later

// The flame graph.  d3-flame-graph draws; this says what.
//
// The library gets only what can be seen: the frames on the way to the one
// that is zoomed to, and those below it that are wide enough, so that a
// profile of any size is as quick as a small one.  Zooming is a new drawing
// of other frames; the library's own zoom and search, which know only the
// frames that are drawn, are not used.
//
// Two ways to stack: chains from the root, or (callers) from the function
// that allocates outwards to its callers.  A frame is
//
//   {fn, value, self, calls, parent, children()}     fn: -1 for the whole
//
// and children are made when somebody looks at them.

import flamegraph from 'd3-flame-graph';
import { select } from 'd3-selection';

const ROW_HEIGHT = 20;
const NARROWEST = 1; // pixels
const ALWAYS = 300; // frames right below the one that is zoomed to
const MOST_FRAMES = 4000;
const MOST_ROWS = 150; // below the frame that is zoomed to
const MOST_CALLERS = 12; // rows above it

function heavierFirst(a, b) {
  return b.value - a.value || a.fn - b.fn;
}

// Chains from the root, in SUMS, by MEASURE.
export function chainFrames(sums, measure) {
  const { tree } = sums;
  const values = sums.inclusive[measure];
  const frame = (node, parent) => ({
    fn: tree.functionOf[node],
    node,
    value: values[node],
    self: sums.self[measure][node],
    calls: sums.self.calls[node],
    categories: sums.inclusive.categories.subarray(4 * node, 4 * node + 4),
    parent,
    made: null,
    children() {
      if (this.made === null) {
        this.made = [];
        for (
          let child = tree.firstChild[node];
          child >= 0;
          child = tree.nextSibling[child]
        )
          if (values[child] > 0) this.made.push(frame(child, this));
        this.made.sort(heavierFirst);
      }
      return this.made;
    },
  });
  return {
    fn: -1,
    value: sums.total[measure],
    self: 0,
    calls: 0,
    categories: sums.total.categories,
    parent: null,
    made: null,
    children() {
      if (this.made === null)
        this.made = tree.roots
          .filter((node) => values[node] > 0)
          .map((node) => frame(node, this))
          .sort(heavierFirst);
      return this.made;
    },
  };
}

// From the functions that allocate outwards.  A frame stands for the nodes
// STARTS, which allocate, and for PLACES, where their chains have come to.
export function callerFrames(sums, measure) {
  const { tree } = sums;
  const values = sums.self[measure];
  const frame = (fn, parent) => ({
    fn,
    value: 0,
    self: 0, // of chains that begin here
    calls: null,
    categories: [0, 0, 0, 0],
    parent,
    starts: [],
    places: [],
    made: null,
    children() {
      if (this.made === null) this.made = group(this, outward(this));
      return this.made;
    },
  });
  const outward = (above) =>
    above.places.map((place) => (place < 0 ? -1 : tree.parent[place]));
  const group = (above, places) => {
    const frames = new Map();
    places.forEach((place, i) => {
      if (place < 0) {
        above.self += values[above.starts[i]];
        return;
      }
      const fn = tree.functionOf[place];
      let below = frames.get(fn);
      if (below === undefined) {
        below = frame(fn, above);
        frames.set(fn, below);
      }
      const start = above.starts[i];
      below.starts.push(start);
      below.places.push(place);
      below.value += values[start];
      for (let c = 0; c < 4; c++)
        below.categories[c] += sums.self.categories[4 * start + c];
    });
    return [...frames.values()].sort(heavierFirst);
  };
  const whole = frame(-1, null);
  whole.value = sums.total[measure];
  whole.categories = sums.total.categories;
  for (let node = 0; node < tree.count; node++)
    if (values[node] > 0) whole.starts.push(node);
  whole.made = group(whole, whole.starts);
  return whole;
}

// The frame that PATH, functions from the outermost row on, leads to; or the
// last that is still there.
export function frameAt(whole, path) {
  let frame = whole;
  for (const fn of path) {
    const next = frame.children().find((child) => child.fn === fn);
    if (next === undefined) break;
    frame = next;
  }
  return frame;
}

export function pathOf(frame) {
  const path = [];
  for (; frame.parent !== null; frame = frame.parent) path.push(frame.fn);
  return path.reverse();
}

// What the library gets: frames to draw in a picture of WIDTH pixels that is
// zoomed to FRAME.
function framesToDraw(zoomed, width) {
  const drawn = (frame, fade) => ({
    frame,
    value: frame.value,
    fade,
    children: [],
  });
  const centre = drawn(zoomed, false);
  const least = (zoomed.value * NARROWEST) / width;
  const queue = [{ item: centre, depth: 0 }];
  let narrower = 0;
  for (let i = 0; i < queue.length; i++) {
    const { item, depth } = queue[i];
    if (depth >= MOST_ROWS) continue;
    for (const child of item.frame.children()) {
      const seen = child.value >= least ||
        (depth === 0 && item.children.length < ALWAYS);
      if (!seen || queue.length >= MOST_FRAMES) {
        narrower++;
        continue;
      }
      const below = drawn(child, false);
      item.children.push(below);
      queue.push({ item: below, depth: depth + 1 });
    }
  }
  let outermost = centre;
  let rows = 0;
  for (let frame = zoomed.parent; frame !== null; frame = frame.parent) {
    // the whole is always there
    if (rows++ >= MOST_CALLERS && frame.parent !== null) continue;
    const above = drawn(frame, true);
    above.children = [outermost];
    outermost = above;
  }
  return { data: outermost, count: queue.length, narrower };
}

// A flame graph in the element PLACE.  LOOK says how it shows:
//   name(frame), title(frame), colour(frame)
// and what happens: onZoom(frame); onLook(frame), with null when the pointer
// leaves; onOpen(frame).
export function flameGraph(place, look) {
  let zoomed = null;
  let chosen = null; // by the keyboard
  const chart = flamegraph()
    .cellHeight(ROW_HEIGHT)
    .inverted(true)
    .transitionDuration(0)
    .minFrameSize(0)
    .resetHeightOnZoom(true)
    .sort(false)
    .selfValue(false)
    .getName((d) => look.name(d.data.frame))
    .setLabelHandler((d) => look.title(d.data.frame))
    .setDetailsHandler(() => {})
    .onHover((d) => look.onLook(d.data.frame))
    .setColorMapper((d) => look.colour(d.data.frame));
  let begun = false;

  const dataOf = (node) => select(node).datum().data;
  const frameOf = (event) => {
    const group = event.target.closest('g.frame');
    return group === null ? null : dataOf(group).frame;
  };

  const mark = () => {
    let found = null;
    for (const group of place.querySelectorAll('g.frame')) {
      const here = chosen !== null && dataOf(group).frame === chosen;
      group.classList.toggle('chosen', here);
      if (here) found = group;
    }
    if (found === null) return;
    found.parentNode.append(found); // in front, so that its border shows
    found.scrollIntoView({ block: 'nearest' });
  };

  // The library lets frames grow and names appear little by little, and
  // leaves room for a title.
  const settle = () => {
    select(place).selectAll('rect, foreignObject > div').interrupt();
    for (const group of place.querySelectorAll('g.frame')) {
      const width = Number(group.getAttribute('width'));
      group.querySelector('rect').setAttribute('width', Math.max(width, 0.5));
      group.querySelector('foreignObject > div').textContent =
        width < 24 ? '' : group.getAttribute('name');
    }
    const svg = place.querySelector('svg');
    const height = Number(svg.getAttribute('height'));
    svg.setAttribute('height', height - 2 * ROW_HEIGHT);
  };

  const draw = (frame) => {
    zoomed = frame;
    const width = Math.max(320, place.clientWidth);
    const { data, count, narrower } = framesToDraw(frame, width);
    chart.width(width);
    if (begun) {
      // Frames are others each time, so nothing is taken over.
      place.querySelectorAll('g').forEach((group) => group.remove());
      chart.update(data);
    } else {
      begun = true;
      select(place).datum(data).call(chart);
    }
    settle();
    mark();
    return { count, narrower };
  };

  // The library zooms by itself on a click; that would show only what is
  // drawn already.
  place.addEventListener(
    'click',
    (event) => {
      const frame = frameOf(event);
      if (frame === null) return;
      event.stopPropagation();
      look.onZoom(frame);
    },
    true
  );
  place.addEventListener('pointerleave', () => look.onLook(null));

  const move = (frame) => {
    if (frame === null || frame === undefined) return;
    chosen = frame;
    mark();
    look.onLook(frame);
  };
  const sibling = (step) => {
    if (chosen === null || chosen.parent === null) return null;
    const row = chosen.parent.children();
    return row[row.indexOf(chosen) + step];
  };
  const keys = {
    ArrowDown: () => move(chosen === null ? zoomed : chosen.children()[0]),
    ArrowUp: () => move(chosen === null ? zoomed : chosen.parent),
    ArrowLeft: () => move(sibling(-1)),
    ArrowRight: () => move(sibling(1)),
    Home: () => move(zoomed),
    Enter: () => chosen !== null && look.onZoom(chosen),
    Escape: () => zoomed.parent !== null && look.onZoom(zoomed.parent),
    f: () => chosen !== null && look.onOpen(chosen),
  };
  place.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  });

  return {
    draw(frame) {
      chosen = null;
      return draw(frame);
    },
    redraw() {
      return zoomed === null ? null : draw(zoomed);
    },
  };
}
