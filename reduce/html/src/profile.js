// SPDX-License-Identifier: LGPL-2.1-or-later

// Reads the data in the page, which export_html.c describes.  Nothing changes a
// profile afterwards.
//
//   nodes  the chains as a tree in the order of a walk; 0 is the root, which
//          is no function
//   rows   what was allocated at the end of a chain, in columns: by type, bin
//          (size), phase, thread, region, and the set of functions that do not show;
//          then calls of the last function, whose type is -1
//   lines  the chains by line: nodes, whose callers stand before them; at,
//          the node of each row of what was allocated; places, what the nodes
//          are: functions at a line, 0 if it is not known
//
// Figures are functions of a key: that of a measure in the format json, `calls',
// or a category's number for bytes.  unite() makes one profile of two.  Then a
// figure has two keys, which the functions NAMES make of one.  Unknown calls are
// NaN, and so is every sum with them.

async function unpack(base64) {
  const text = atob(base64);
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream()
    .pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The key of what allocations less frees are, in the place of KEY.
const inUseOf = (key) => `${key}-in-use`;

// Returns the nodes, rows and lines in BYTES, whose measures are KEYS, and which
// have slices of time if TIMED, and what was freed in each if it FREES.
function readChains(bytes, keys, timed, frees) {
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
  const readRows = (labels, figures) => {
    const rows = { count: next() };
    rows.node = column(rows.count);
    for (let i = 1; i < rows.count; i++) rows.node[i] += rows.node[i - 1];
    for (const key of labels) rows[key] = column(rows.count);
    for (const key of figures) rows[key] = column(rows.count, Float64Array);
    return rows;
  };
  const nodes = { count: next() };
  nodes.parent = column(nodes.count);
  nodes.functionOf = column(nodes.count);
  nodes.functionOf[0] = -1;
  const path = [0];
  for (let node = 1, depth = 0; node < nodes.count; node++) {
    depth += 1 - nodes.parent[node];
    nodes.parent[node] = path[depth - 1];
    path[depth] = node;
  }
  const freed = frees ? ['allocations', 'bytes'] : [];
  const allocations = readRows(
    ['type', 'bin', ...LABELS, ...timed ? ['slice'] : []],
    [...keys, ...freed.map(inUseOf)]);
  for (const key of freed)
    allocations[inUseOf(key)] = allocations[key].map((value, row) =>
      value - allocations[inUseOf(key)][row]);
  const calls = readRows(LABELS, ['calls']);
  calls.type = new Int32Array(calls.count).fill(-1);
  const count = next();
  const byLine = { count, parent: new Int32Array(count),
    functionOf: new Int32Array(count).fill(-1) };
  for (let i = 1; i < count; i++) byLine.parent[i] = i - next();
  for (let i = 1; i < count; i++) byLine.functionOf[i] = next();
  return { nodes, rows: joinColumns(allocations, calls),
    byLine: { nodes: byLine, at: column(count && allocations.count) } };
}

// Returns NAME on one line, as the report has it.
function oneLine(name) {
  const letters = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };
  const code = (c, width) => c.charCodeAt(0).toString(16).padStart(width, '0');
  return name.replace(/[\0-\x1f\x7f-\x9f\u2028\u2029]/g, (c) => letters[c] ??
    (c < '\x80' ? `\\x${code(c, 2)}` : `\\u${code(c, 4)}`));
}

// Adds what the page needs to the rows of the tables, which are those of the
// format json.  Lets labels refer to them.
function readTables(profile) {
  const { categories, functions, lisp, rows } = profile;
  const read = (key, more) => profile[key].forEach((row, id) =>
    Object.assign(row, { id, ...more(row) }));
  const typeName = (type) => oneLine(type.class ?? type.type ?? '');
  read('bins', ({ kind, names }) => ({ names: oneLine(names ?? ''),
    kind: kind === 'large' ? '> 1024' : kind }));
  read('functions', (fn) => ({ raw: fn.name, rawFile: fn.file ?? '',
    name: oneLine(fn.name), line: fn.line ?? 0,
    file: oneLine(fn.file ?? ''), calls: fn.activations ?? NaN,
    cycle: fn.cycle === null ? 0 : fn.cycle + 1, system: 0 }));
  read('types', (type) => ({ type: oneLine(type.type ?? ''),
    name: typeName(type) || (lisp ? '[unknown type]' : type.category),
    category: categories.indexOf(type.category) }));
  for (const key of ['leaks', 'lineLeaks'])
    read(key, ({ path }) => ({ path: oneLine(path) }));
  for (const id of profile.system) functions[id].system = 1;
  findPackages(profile);
  const byName = new Map(functions.map((fn) => [fn.raw, fn]));
  for (const advice of profile.advice) {
    advice.fn = byName.get(advice.function);
    advice.by = byName.get(advice.caller);
  }
  const places = profile.lines.map(({ function: id, ...place }) =>
    ({ ...functions[id], ...place }));
  profile.lines = { ...profile.byLine, places };
  const titleOf = (phase) => phase === 'eval' ? 'evaluation' : `${phase} time`;
  for (const [label, field, shown] of [['phase', 'phase', titleOf],
    ['thread', 'name', oneLine], ['region', 'path', oneLine]]) {
    const table = profile[`${label}s`];
    const places = new Map(table.map((row, id) => [row[field], id]));
    const at = profile.labels[label].map((name) => places.get(name) ?? -1);
    rows[label] = rows[label].map((number) => at[number]);
    read(`${label}s`, (row) => ({ name: shown(row[field]) }));
  }
}

async function readParts(parts) {
  const [tables, chains, page] = await Promise.all(parts.map(unpack));
  const textOf = (part) => new TextDecoder().decode(part);
  const profile = { ...JSON.parse(textOf(tables)), ...JSON.parse(textOf(page)) };
  profile.lisp = profile.language === 'lisp';
  profile.terms = TERMS[profile.holders ? 'holders' : 'calls'];
  profile.leaks ??= [];
  profile.lineLeaks ??= [];
  profile.keys = profile.measures.map(({ key }) => key);
  profile.names = [(key) => key];
  for (const measure of profile.measures) {
    measure.part = measure.what !== profile.measures[0].what;
    measure.label = profile.holders ? measure.noun.replace(' held', '')
      : measure.key.replaceAll('_', ' ').replace('allocations', 'allocs');
  }
  Object.assign(profile, readChains(chains, profile.keys,
    profile.slices.length > 0, profile.frees > 0));
  readTables(profile);
  profile.sides = [profile];
  return profile;
}

async function readProfile(text) {
  const lines = text.trim().split('\n');
  const profile = await readParts(lines.slice(0, 3));
  return lines.length === 3 ? profile
    : unite(profile, await readParts(lines.slice(3)));
}

// Whether ROW, of a table, is AROUND or a region inside it.
function isWithin(row, around) {
  return row === around || (row.path?.startsWith(`${around.path};`) ?? false);
}

// Whether FIGURES have anything allocated, or any calls.
const allocates = (figures, { names }) => names.some((name) =>
  figures(name('bytes')) > 0 || figures(name('allocations')) > 0);
const isCalled = (figures, { names }) =>
  names.some((name) => figures(name('calls')) > 0);

// The figures of ROW, a row of a table of the format json.
const figuresOf = (row) => (key) => row[key];

// The packages of functions, from which these have their colours, so that the
// program's own code stands out from what ECL brings, which is grey.

const HUES = [205, 150, 42, 262, 18, 95, 178, 232, 66, 345]; // degrees

// What stands for chains of which no function shows.
const NAMELESS = ['[hidden]', '[runtime]', '[session]', '[unknown]'];
const RUNTIME = '[runtime]'; // the file of functions of the runtime

function hash(text) {
  let value = 2166136261;
  for (const letter of text)
    value = Math.imul(value ^ letter.codePointAt(0), 16777619);
  return value >>> 0;
}

// Returns the packages of the symbols in NAME, of a Lisp function.
const packagesIn = (name) => [...name.matchAll(
  /(?<=^|[\s(])(\|[^|]*\||[^\s():"|]+)::?(?=[^\s:])/g)].map(([, its]) => its);

// Returns the package of a function: in Lisp the first that is named and not
// among ECL's OWN.  In other languages it is the first part of a qualified name;
// else the source file, the library, or what C programs begin the names of
// functions with that belong together: sqlite3, PyList.  '' stands for none.
function packageOf({ raw, rawFile, system }, { lisp, grouped }, own) {
  if (system > 0 || NAMELESS.includes(raw) || rawFile === RUNTIME) return '';
  const name = lisp ? packagesIn(raw).find((its) => !own.has(its))
    : /^(?:\S*\/)?[^\s/.(]+(?=\.\S)/.exec(rawFile.endsWith('.go') ? raw : '')?.[0] ??
      /([^\s:(<)*&]+)(?:<[^:]*>)?::/.exec(raw)?.[1];
  if (name !== undefined || lisp || grouped)
    return name ?? (grouped && raw[0] !== '[' ? raw : '');
  return rawFile !== '' ? rawFile.split('/').at(-1)
    : /^\[(.*)\+|^_*([^_[]{2,})_/.exec(raw)?.slice(1).find(Boolean) ?? '';
}

// Gives each function its package, null for none, and a shade by which
// neighbours differ.  Packages come by the most bytes that one of their
// functions has with all below it; in this order each takes the hue that its
// name leads to, or the next one that fewer have taken.
function findPackages(profile) {
  const { functions } = profile;
  const own = new Set(functions.filter(({ system }) => system > 0)
    .flatMap(({ raw }) => packagesIn(raw)));
  const known = new Map();
  for (const fn of functions) {
    const name = packageOf(fn, profile, own);
    if (name !== '' && !known.has(name))
      known.set(name, { name: oneLine(name), bytes: 0 });
    fn.package = known.get(name) ?? null;
    fn.shade = 2 * (hash(fn.raw) % 5) - 4;
    if (fn.package !== null)
      fn.package.bytes = Math.max(fn.package.bytes, fn.inclusive_bytes);
  }
  const taken = HUES.map(() => 0);
  profile.packages = [...known.values()].sort((a, b) =>
    b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
  profile.packages.forEach((its, i) => {
    let place = hash(its.name) % HUES.length;
    while (taken[place] > Math.floor(i / HUES.length))
      place = (place + 1) % HUES.length;
    taken[place]++;
    its.hue = HUES[place];
  });
}

// Makes one profile of two that are compared.  As for mprof diff, functions are
// the same if their names are, and chains if all names on them are.  Each
// figure is there twice, that of the old profile under another key.  It is 0 in
// the profile that lacks it.  So all sums are made for both.

const beforeOf = (key) => `${key}-before`;

// Joins the columns of A and B, which have a COUNT.  A column that one of them
// lacks is 0 there.
function joinColumns(a, b) {
  const { count, ...columns } = { ...b, ...a };
  const joined = { count: a.count + b.count };
  for (const [key, column] of Object.entries(columns)) {
    joined[key] = new column.constructor(joined.count);
    joined[key].set(a[key] ?? []);
    joined[key].set(b[key] ?? [], a.count);
  }
  return joined;
}

// Returns OURS, followed by those of THEIRS that are not among them by
// KEYOF(row), with MISSING; and AT, the place of each of THEIRS.  Figures of
// KEYS are there for both.
function uniteRows(ours, theirs, keys, keyOf, missing = {}) {
  const nothing = (name) => Object.fromEntries(keys.map((key) =>
    [name(key), 0]));
  const rows = ours.map((row) => ({ ...row, ...nothing(beforeOf) }));
  const places = new Map(rows.map((row, i) => [keyOf(row), i]));
  const at = theirs.map((row) => {
    const key = keyOf(row);
    if (!places.has(key)) {
      places.set(key, rows.length);
      rows.push({ ...row, ...missing, ...nothing((its) => its),
        id: rows.length });
    }
    for (const its of keys) rows[places.get(key)][beforeOf(its)] = row[its];
    return places.get(key);
  });
  return { rows, at };
}

// Returns the chains of PROFILE, followed by those of BASE.  The latter refer
// to places AT, and have the figures of KEYS under their other keys.
function uniteChains(profile, base, at, keys) {
  const { nodes } = profile;
  const { parent, functionOf } = base.nodes;
  const rows = { ...base.rows, node: base.rows.node.map((node) =>
    node + nodes.count) };
  for (const key of ['type', 'bin', ...LABELS])
    rows[key] = rows[key].map((i) => at[key][i] ?? -1);
  for (const key of keys) {
    rows[beforeOf(key)] = rows[key];
    delete rows[key];
  }
  return {
    nodes: joinColumns(nodes, { ...base.nodes,
      parent: parent.map((above, node) => node && above + nodes.count),
      functionOf: functionOf.map((fn) => at.function[fn] ?? -1) }),
    rows: joinColumns(profile.rows, rows),
  };
}

// Returns PROFILE with the figures of BASE.
function unite(profile, base) {
  const measures = profile.measures.filter(({ key }) =>
    base.keys.includes(key));
  const keys = measures.map(({ key }) => key);
  const { word: value } = measures.find(({ word }) => word === profile.value) ??
    measures[0];
  const both = { ...profile, measures, keys, value, compared: true,
    slices: [], names: [...profile.names, beforeOf], sides: [profile, base] };
  const at = {};
  const add = (name, of, keyOf, missing) => {
    const united = uniteRows(profile[name], base[name], of, keyOf, missing);
    both[name] = united.rows;
    at[name.slice(0, -1)] = united.at;
  };
  add('bins', keys, ({ kind, size }) => `${kind} ${size}`);
  add('types', keys, (type) =>
    JSON.stringify([type.type, type.class, type.category]));
  add('phases', keys, ({ phase }) => phase);
  add('threads', keys, ({ name }) => name);
  add('regions', keys, ({ path }) => path,
    { entered: 0, nanoseconds: 0, held_bytes: null });
  add('functions', ['calls'], (fn) => fn.raw, { cycle: 0 });
  findPackages(both);
  for (const key of ['totals', 'file_totals'])
    both[key] = Object.fromEntries(keys.flatMap((its) =>
      [[its, profile[key][its]], [beforeOf(its), base[key][its]]]));
  return Object.assign(both, uniteChains(profile, base, at,
    [...keys, 'calls']));
}
