// SPDX-License-Identifier: LGPL-2.1-or-later

// The lines of a function, with what was allocated at each: the figures of
// --by=line, with or without --hide-system, and what stood in the file when the
// page was written.  The chains do not know lines, so lines are left out if
// only a part of the allocations is selected, or other functions are hidden.

const LINES_AROUND = 4;

// The lines of FILE near PLACES, lines with figures in ascending order: of each
// its number, its text, and the place if it is one; null stands for a gap.
function linesNear(file, places, texts) {
  const placeOf = new Map(places.map((place) => [place.line, place]));
  const wanted = new Set(placeOf.keys());
  for (const { line } of places)
    for (let near = line - LINES_AROUND; near <= line + LINES_AROUND; near++)
      if (texts.has(near)) wanted.add(near);
  const rows = [];
  for (const line of [...wanted].sort((a, b) => a - b)) {
    if (rows.length > 0 && rows[rows.length - 1].line !== line - 1)
      rows.push(null);
    rows.push({ line, text: texts.get(line) ?? '', place: placeOf.get(line) });
  }
  return rows;
}

function sourceTable(model, file, places) {
  const { profile, measure, total } = model;
  const source = profile.sources.find((its) => its.file === file);
  const texts = new Map((source?.lines ?? []).map(({ line, text }) =>
    [line, text]));
  const measures = profile.measures.filter((m) => m === measure || isWhole(m));
  const columns = ['self', 'inclusive'].flatMap((prefix) =>
    measures.map(({ label, key }) => ({ label: `${prefix} ${label}`, key,
      value: (place) => place[`${prefix}_${key}`] })));
  const figureCell = (place, { value, key }) => element('td', {},
    place === undefined || value(place) === 0 ? '' : [
      key === 'bytes' && bar(value(place), total(key)),
      element('span', {}, number(value(place)))]);
  const row = (line) => line === null
    ? element('tr', { class: 'gap' }, element('td',
      { colspan: columns.length + 2 }, '⋮'))
    : element('tr', { class: line.place === undefined ? '' : 'counted' },
      columns.map((column) => figureCell(line.place, column)),
      element('td', { class: 'quiet' }, String(line.line)),
      element('td', { class: 'code' }, line.text));
  return [
    element('p', { class: 'quiet' }, oneLine(file),
      source === undefined && '; its text is not in this page',
      source?.changed > 0 && '; it has changed since the profile was made, ' +
        'and its lines may have moved'),
    element('div', { class: 'scroll' }, element('table', {},
      element('thead', {}, element('tr', {},
        [...columns.map(({ label }) => label), 'line', 'source'].map((label) =>
          element('th', { scope: 'col' }, label)))),
      element('tbody', {}, linesNear(file, places, texts).map(row))))];
}

// The section of FN; null when no line of it is known.
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
