// SPDX-License-Identifier: LGPL-2.1-or-later

// The lines of a function with their figures, which are those of --by=line,
// with or without --system=hide, and the text that was in the file when the
// page was written.  Chains have no lines, so there are none if other functions
// are hidden or only a part is selected.

const LINES_AROUND = 4;

// A table of PLACES, lines of FILE with figures, and of the lines near them.
function sourceTable(model, file, places) {
  const { profile, measure, total } = model;
  const source = profile.sources.find((its) => its.file === file);
  const measures = profile.measures.filter((m) => m === measure || isWhole(m));
  const columns = ['self', 'inclusive'].flatMap((prefix) =>
    measures.map(({ label, key }) => ({ label: `${prefix} ${label}`, key,
      value: (place) => place?.[`${prefix}_${key}`] ?? 0 })));
  const lines = new Map((source?.lines ?? []).filter(({ line }) =>
    places.some((place) => Math.abs(place.line - line) <= LINES_AROUND))
    .map((row) => [row.line, row]));
  for (const place of places)
    lines.set(place.line, { line: place.line, place,
      text: lines.get(place.line)?.text ?? '' });
  const rows = [...lines.values()].sort((a, b) => a.line - b.line);
  const gap = element('tr', { class: 'gap' }, element('td',
    { colspan: columns.length + 2 }, '⋮'));
  const figureCell = (place, { value, key }) => element('td', {},
    value(place) === 0 ? '' : [key === 'bytes' && bar(value(place), total(key)),
      element('span', {}, number(value(place)))]);
  return [
    element('p', { class: 'quiet' }, oneLine(file),
      source === undefined && '; its text is not in this page',
      source?.changed > 0 && '; it has changed since the profile was made, ' +
        'and its lines may have moved'),
    element('div', { class: 'scroll' }, element('table', {},
      element('thead', {}, element('tr', {},
        [...columns.map(({ label }) => label), 'line', 'source'].map((label) =>
          element('th', { scope: 'col' }, label)))),
      element('tbody', {}, rows.map(({ line, text, place }, i) => [
        i > 0 && rows[i - 1].line !== line - 1 && gap.cloneNode(true),
        element('tr', { class: place === undefined ? '' : 'counted' },
          columns.map((column) => figureCell(place, column)),
          element('td', { class: 'quiet' }, String(line)),
          element('td', { class: 'code' }, text))]))))];
}

// The section for FN, or null if no line of it is known.
function sourceLines(model, fn) {
  const { profile } = model;
  const lines = model.programOnly && profile.program_lines || profile.lines;
  const places = lines.filter((line) => line.function === fn.id)
    .sort((a, b) => a.line - b.line);
  if (places.length === 0) return null;
  const files = [...new Set(places.map(({ file }) => file))].sort();
  const whole = !model.narrowed && model.tests.hide === null;
  return element('section', { class: 'table source' },
    element('h2', {}, profile.compared ? 'Lines, after' : 'Lines'),
    whole ? files.map((file) => sourceTable(model, file,
      places.filter((place) => place.file === file)))
      : element('p', { class: 'quiet' }, 'Figures of lines are known only ' +
        'without filters. Choose "Show all" to see them.'));
}
