// SPDX-License-Identifier: LGPL-2.1-or-later

// The flame graph: an element for each frame that can be seen, which are
// those on the way to the one that is zoomed to, and those below it that are
// wide enough.  So a profile of any size is as quick as a small one.

const ROW_HEIGHT = 20; // pixels
const NARROWEST = 1;
const LEAST_NAMED = 34;
const ALWAYS = 300; // frames right below the one that is zoomed to
const MOST_FRAMES = 4000;
const MOST_ROWS = 150; // below the frame that is zoomed to
const MOST_CALLERS = 12; // rows above it

// The boxes {frame, row, x, share} of a picture of WIDTH pixels that is zoomed
// to the frame ZOOMED: X and SHARE are parts of the width.
function layOut(zoomed, width) {
  const callers = [];
  for (let frame = zoomed.parent; frame !== null; frame = frame.parent)
    if (callers.length < MOST_CALLERS || frame.parent === null)
      callers.unshift(frame);
  const boxes = callers.map((frame, row) => ({ frame, row, x: 0, share: 1 }));
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
  return { boxes, callers: callers.length, narrower };
}

// A flame graph in the element PLACE.  LOOK says how it shows:
//   name(frame), title(frame), paint(frame, element)
// and what happens: onZoom(frame); onLook(frame), with null when the pointer
// leaves; onOpen(frame).
class FlameGraph {
  constructor(place, look) {
    this.place = place;
    this.look = look;
    this.zoomed = null;
    this.chosen = null; // by the keyboard
    this.elements = new Map(); // of frames
    this.frames = new Map(); // of elements
    place.addEventListener('click', (event) => {
      const frame = this.frames.get(event.target);
      if (frame !== undefined) look.onZoom(frame);
    });
    place.addEventListener('pointerover', (event) => {
      const frame = this.frames.get(event.target);
      if (frame !== undefined) look.onLook(frame);
    });
    place.addEventListener('pointerleave', () => look.onLook(null));
    place.addEventListener('keydown', (event) => this.press(event));
  }

  // Zooms to FRAME; gives back how many frames are too narrow to show.
  draw(frame) {
    const { place, look } = this;
    const width = Math.max(320, place.clientWidth);
    const { boxes, callers, narrower } = layOut(frame, width);
    this.zoomed = frame;
    this.chosen = null;
    this.elements.clear();
    this.frames.clear();
    for (const [i, box] of boxes.entries()) {
      const made = element('div', { title: look.title(box.frame),
        class: i < callers ? 'frame faded' : 'frame' },
      box.share * width < LEAST_NAMED ? '' : look.name(box.frame));
      made.style.left = `${100 * box.x}%`;
      made.style.width = `${100 * box.share}%`;
      made.style.top = `${ROW_HEIGHT * box.row}px`;
      look.paint(box.frame, made);
      this.elements.set(box.frame, made);
      this.frames.set(made, box.frame);
    }
    const rows = boxes[boxes.length - 1].row + 1;
    place.style.height = `${ROW_HEIGHT * rows}px`;
    place.replaceChildren(...this.frames.keys());
    return narrower;
  }

  choose(frame) {
    if (frame === null || frame === undefined) return;
    this.elements.get(this.chosen)?.classList.remove('chosen');
    this.chosen = frame;
    const made = this.elements.get(frame);
    made?.classList.add('chosen');
    made?.scrollIntoView({ block: 'nearest' });
    this.look.onLook(frame);
  }

  sibling(step) {
    if (this.chosen === null || this.chosen.parent === null) return null;
    const row = this.chosen.parent.children();
    return row[row.indexOf(this.chosen) + step];
  }

  press(event) {
    const { chosen, zoomed, look } = this;
    const acts = {
      ArrowDown: () => this.choose(chosen === null ? zoomed
        : chosen.children()[0]),
      ArrowUp: () => this.choose(chosen === null ? zoomed : chosen.parent),
      ArrowLeft: () => this.choose(this.sibling(-1)),
      ArrowRight: () => this.choose(this.sibling(1)),
      Home: () => this.choose(zoomed),
      Enter: () => chosen !== null && look.onZoom(chosen),
      Escape: () => zoomed.parent !== null && look.onZoom(zoomed.parent),
      f: () => chosen !== null && look.onOpen(chosen),
    };
    if (event.defaultPrevented || event.ctrlKey || event.altKey ||
        event.metaKey || !Object.hasOwn(acts, event.key)) return;
    event.preventDefault();
    acts[event.key]();
  }
}
