// SPDX-License-Identifier: LGPL-2.1-or-later

// The lines of a function with their figures, which are those of --by=line, and
// the text that was in the file when the page was written.

const LINES_AROUND = 4;

// Returns the lines that MODEL selects with their figures: as {place, self,
// inclusive} each.
function sumLines(model) {
  const { nodes, at, places } = model.profile.lines;
  const profile = { ...model.profile, nodes, functions: places,
    rows: { ...model.profile.rows, count: at.length, node: at } };
  const tree = viewTree(profile, (place) => model.isHidden(place));
  const byLine = { ...model, profile, tree };
  byLine.places = placeRows(byLine);
  const { functions } = new Sums(byLine);
  return places.map((place, i) => ({ place,
    self: figuresAt(functions.self, i),
    inclusive: figuresAt(functions.inclusive, i) }));
}

// A table of ROWS, lines of FILE with figures, and of the lines near them.
function sourceTable(model, file, counted) {
  const { profile, measure, total } = model;
  const source = profile.sources.find((its) => its.file === file);
  const measures = profile.measures.filter((m) => m === measure || isWhole(m));
  const columns = ['self', 'inclusive'].flatMap((which) =>
    measures.map(({ label, key }) => ({ label: `${which} ${label}`, key,
      value: (row) => row?.[which](key) ?? 0 })));
  const lines = new Map((source?.lines ?? []).filter(({ line }) =>
    counted.some(({ place }) => Math.abs(place.line - line) <= LINES_AROUND))
    .map((row) => [row.line, row]));
  for (const row of counted) {
    const { line } = row.place;
    lines.set(line, { line, row, text: lines.get(line)?.text ?? '' });
  }
  const rows = [...lines.values()].sort((a, b) => a.line - b.line);
  const gap = element('tr', { class: 'gap' }, element('td',
    { colspan: columns.length + 2 }, '⋮'));
  const figureCell = (row, { value, key }) => element('td', {},
    value(row) === 0 ? '' : [key === 'bytes' && bar(value(row), total(key)),
      element('span', {}, number(value(row)))]);
  return [
    element('p', { class: 'quiet' }, oneLine(file),
      source === undefined && '; its text is not in this page',
      source?.changed > 0 && '; it has changed since the profile was made, ' +
        'and its lines may have moved'),
    element('div', { class: 'scroll' }, element('table', {},
      element('thead', {}, element('tr', {},
        [...columns.map(({ label }) => label), 'line', 'source'].map((label) =>
          element('th', { scope: 'col' }, label)))),
      element('tbody', {}, rows.map(({ line, text, row }, i) => [
        i > 0 && rows[i - 1].line !== line - 1 && gap.cloneNode(true),
        element('tr', { class: row === undefined ? '' : 'counted' },
          columns.map((column) => figureCell(row, column)),
          element('td', { class: 'quiet' }, String(line)),
          element('td', { class: 'code' }, text))]))))];
}

// The section for FN, or null if nothing is known of its lines.
function sourceLines(model, fn) {
  const { profile } = model;
  const rows = model.lines.filter(({ place, inclusive }) =>
    place.id === fn.id && place.line > 0 && allocates(inclusive, profile));
  if (rows.length === 0) return null;
  const files = Map.groupBy(rows, ({ place }) => place.file);
  return element('section', { class: 'table source' },
    element('h2', {}, profile.compared ? 'Lines, after' : 'Lines'),
    [...files.keys()].sort().map((file) =>
      sourceTable(model, file, files.get(file))));
}
