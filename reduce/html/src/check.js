// SPDX-License-Identifier: LGPL-2.1-or-later

// Are the sums that the page makes those of the reducer?

// Compares SUMS with what the reducer computed for SIDE; what is not there on
// that side has to be nothing.
function compareSide(check, { tables, measures, at, word, calls }, sums,
  count) {
  const here = (key, i) => (at === null ? i : at[key][i]);
  const same = (row, sum, prefix = '') => measures.every((measure) =>
    row[prefix + measure.key] === sum[word(measure.word)]) &&
    (at !== null || (row[`${prefix}category_bytes`] ?? []).every((n, i) =>
      n === sum.categories[i]));
  check(same(tables.totals, sums.total));
  tables.functions.forEach((f, i) => {
    const g = sums.functions[here('functions', i)];
    check(same(f, g.self, 'self_') &&
      same(f, g.inclusive, 'inclusive_') && Object.is(f.calls, g[calls]));
  });
  const used = (arc) => arc[calls] > 0 ||
    allocatesOn({ word }, arc.inclusive);
  const place = (caller, callee) => caller * count + callee;
  const known = new Map(sums.arcs.map((arc) =>
    [place(arc.caller, arc.callee), arc]));
  const left = new Set(sums.arcs.filter(used));
  for (const arc of tables.arcs) {
    const other = known.get(place(here('functions', arc.caller),
      here('functions', arc.callee)));
    left.delete(other);
    check(other !== undefined &&
      Object.is(other[calls], arc.calls ?? NaN) && same(arc, other.inclusive));
  }
  // A chain can be known for a call at its end alone: then nothing is counted
  // for the pairs on the way.
  check(left.size === 0);
  for (const key of ['types', 'phases', 'threads', 'regions'])
    tables[key].forEach((row, i) =>
      check(same(row, sums[key][here(key, i)])));
  const [bytes, allocs] = ['bytes', 'allocs'].map((w) => sums.self[word(w)]);
  check(tables.contexts ===
    bytes.filter((own, node) => own > 0 || allocs[node] > 0).length);
}

// In how many figures SUMS, over all chains without a filter, differ from
// what the reducer computed, and of how many.
function differences(profile, sums) {
  const found = { compared: 0, different: 0 };
  const check = (good) => {
    found.compared++;
    if (!good) found.different++;
  };
  for (const side of profile.sides)
    compareSide(check, side, sums, profile.functions.length);
  return found;
}
