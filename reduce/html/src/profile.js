// SPDX-License-Identifier: LGPL-2.1-or-later

// The data in the page, as mprof wrote them (reduce/export/export_html.c says
// what they are).  A profile is only read after this.
//
// Figures are objects with a number for each measure that the profile knows,
// under its word (that of --value), and some with `categories', which are of
// bytes.  united.js makes one profile of two that are compared.
// Calls that are not known are NaN, and so is every sum with them.

async function unpack(base64) {
  const text = atob(base64);
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream()
    .pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The columns of the chains, out of BYTES:
//
//   nodes    chains, as a tree: parents precede children
//   rows     what was allocated at the end of a chain, by type and group
//   calls    calls of the last function of a chain, by group
function readChains(bytes, words) {
  let at = 0;
  const next = () => {
    let byte = bytes[at++];
    let value = byte & 127;
    for (let unit = 128; byte > 127; unit *= 128) {
      byte = bytes[at++];
      value += (byte & 127) * unit;
    }
    return value;
  };
  const column = (count, Kind = Int32Array) => {
    const cells = new Kind(count);
    for (let i = 0; i < count; i++) cells[i] = next();
    return cells;
  };
  const places = (count) => {
    const cells = column(count);
    for (let i = 1; i < count; i++) cells[i] += cells[i - 1];
    return cells;
  };
  const nodes = { count: next() };
  nodes.parent = column(nodes.count);
  nodes.functionOf = column(nodes.count);
  const path = [-1];
  for (let node = 0, depth = 0; node < nodes.count; node++) {
    depth += 1 - nodes.parent[node];
    nodes.parent[node] = path[depth - 1];
    path[depth] = node;
  }
  const rows = { count: next() };
  rows.node = places(rows.count);
  rows.type = column(rows.count);
  rows.group = column(rows.count);
  for (const word of words) rows[word] = column(rows.count, Float64Array);
  const calls = { count: next() };
  calls.node = places(calls.count);
  calls.group = column(calls.count);
  calls.calls = column(calls.count, Float64Array);
  return { nodes, rows, calls };
}

// NAME as the report has it: on one line.
function oneLine(name) {
  const letters = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };
  const code = (c, width) => c.charCodeAt(0).toString(16).padStart(width, '0');
  return name.replace(/[\0-\x1f\x7f-\x9f\u2028\u2029]/g, (c) => letters[c] ??
    (c < '\x80' ? `\\x${code(c, 2)}` : `\\u${code(c, 4)}`));
}

// The names of a C program's types of SIZE, from its debug information:
// comments with a size and a name; "..." stands for more.
function typesOfSize({ comments }, { size }) {
  const names = new Set(comments.filter(({ key, value }) =>
    key === 'mprof.type' && value.startsWith(`${size} `))
    .map(({ value }) => oneLine(value.slice(value.indexOf(' ') + 1))));
  const most = 4;
  const more = names.delete('...') ? ['...'] : [];
  if (names.size > most) more.push(`and ${names.size - most} more`);
  return [...[...names].sort().slice(0, most), ...more].join(', ');
}

// Adds to the rows of PROFILE, as the format json has them, what the page has
// in other words: figures by the words of measures, and names on one line.
function readTables(profile) {
  const { measures, categories, groups, moments, lisp } = profile;
  const figures = (row) => Object.fromEntries(
    measures.map(({ word, key }) => [word, row[key]]));
  const read = (key, more) => profile[key].forEach((row, id) =>
    Object.assign(row, { id, ...more(row) }));
  const typeName = (type) => oneLine(type.class ?? type.type ?? '');
  profile.total = figures(profile.totals);
  profile.whole = figures(profile.file_totals);
  read('bins', (bin) => ({ ...figures(bin),
    kind: bin.kind === 'large' ? '> 1024' : bin.kind,
    largest: typeName(profile.types[bin.types[0]?.type] ?? {}) ||
      typesOfSize(profile, bin) }));
  read('functions', (fn) => ({ raw: fn.name, rawFile: fn.file ?? '',
    name: oneLine(fn.name), line: fn.line ?? 0,
    file: oneLine(fn.file ?? ''), calls: fn.activations ?? NaN,
    cycle: fn.cycle === null ? 0 : fn.cycle + 1 }));
  read('types', (type) => ({ ...figures(type), type: oneLine(type.type ?? ''),
    name: typeName(type) || (lisp ? '[unknown type]' : type.category),
    category: categories.indexOf(type.category) }));
  const byName = new Map(profile.functions.map((fn) => [fn.raw, fn]));
  for (const advice of profile.advice) advice.fn = byName.get(advice.function);
  const titleOf = (phase) => phase === 'eval' ? 'evaluation' : `${phase} time`;
  for (const [key, name, shown] of [['phase', 'phase', titleOf],
    ['thread', 'name', oneLine], ['region', 'path', oneLine]]) {
    const rows = profile[`${key}s`];
    const places = new Map(rows.map((row, id) => [row[name], id]));
    for (const group of groups) group[key] = places.get(group[key]);
    read(`${key}s`, (row) => ({ ...figures(row), name: shown(row[name]) }));
  }
  profile.regions.forEach((row, id) => Object.assign(row, moments[id]));
}

async function readParts(parts) {
  const [tables, chains, page] = await Promise.all(parts.map(unpack));
  const parse = (part) => JSON.parse(new TextDecoder().decode(part));
  const profile = { ...parse(tables), ...parse(page) };
  profile.lisp = profile.language === 'lisp';
  profile.terms = TERMS[profile.holders ? 'holders' : 'calls'];
  profile.lines ??= [];
  profile.sources ??= [];
  for (const measure of profile.measures)
    measure.label = profile.holders ? measure.noun.replace(' held', '')
      : measure.key.replaceAll('_', ' ').replace('allocations', 'allocs');
  profile.words = profile.measures.map((measure) => measure.word);
  readTables(profile);
  for (const its of profile.packages) its.name = oneLine(its.name);
  for (const { function: id, package: its, ...more } of profile.colours)
    Object.assign(profile.functions[id], { ...more,
      package: profile.packages[its] ?? null }); // null: of none
  Object.assign(profile, readChains(chains, profile.words));
  profile.sides = [{ tables: profile, measures: profile.measures, at: null,
    word: (word) => word, calls: 'calls' }];
  return profile;
}

async function readProfile(text) {
  const lines = text.trim().split('\n');
  const profile = await readParts(lines.slice(0, 3));
  return lines.length === 3 ? profile
    : unite(profile, await readParts(lines.slice(3)));
}

// Whether REGION, undefined for none, is AROUND or in it.
function isWithin(region, around) {
  return region !== undefined && (region === around ||
    region.name.startsWith(`${around.name};`));
}

function emptyFigures(words) {
  const figures = { categories: [0, 0, 0, 0] };
  for (const word of words) figures[word] = 0;
  return figures;
}
