// SPDX-License-Identifier: LGPL-2.1-or-later

// What to change, for the whole file, as mprof advise says.

const ADVICE_ROWS = 5;

// A card with ROWS of advice, each with WHOM and MORE(row).
function adviceSection({ profile }, rows, whom, more) {
  if (profile.compared || rows.length === 0) return null;
  return element('section', { class: 'card advice' },
    element('h2', { title: 'For the whole file, as mprof advise says' },
      'What to change'),
    element('ul', {}, rows.map((row) => element('li', {},
      'Saves ', element('strong', {},
        `${row.grade === 'certain' ? '' : 'up to '}${
          percent(row.saved_bytes, profile.file_totals.bytes)}`),
      `, ${number(row.saved_bytes)} bytes: `, whom(row), row.fault,
      more(row)))));
}

function adviceCard(model) {
  const rows = model.profile.advice.filter(({ fn }) => fn !== undefined);
  return adviceSection(model, rows.slice(0, ADVICE_ROWS),
    ({ fn }) => [functionLink(fn), ' '], () => null);
}

// All that is said of FN.
function adviceOn(model, fn) {
  const rows = model.profile.advice.filter((row) => row.fn === fn);
  return adviceSection(model, rows, () => null, (row) => [
    element('p', { class: 'quiet' },
      row.file === null ? '' : `${oneLine(placeOf(row))}: `,
      plural(row.objects, 'object', 'objects'),
      row.objects !== row.allocations &&
        ` in ${plural(row.allocations, 'allocation', 'allocations')}`,
      `, ${number(row.bytes)} bytes`,
      row.calls > 0 && `, in ${plural(row.calls, 'call', 'calls')}`,
      row.by !== undefined && [', mostly for ', functionLink(row.by)]),
    element('p', {}, row.remedy),
    row.example !== null && element('p', { class: 'name' }, row.example),
    row.unknown !== null && element('p', {}, `Not known: ${row.unknown}.`)]);
}
