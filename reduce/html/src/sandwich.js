// SPDX-License-Identifier: LGPL-2.1-or-later

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
