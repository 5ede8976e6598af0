// SPDX-License-Identifier: LGPL-2.1-or-later

// The data in the page, as mprof wrote them (reduce/export/export_html.c says
// what they are).  A profile is only read after this.
//
// Figures are objects with a number for each measure that the profile knows,
// under its word (that of --value), and some with `categories', which are of
// bytes.  Calls that are not known are NaN, and so is every sum with them.

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

async function readProfile(text) {
  const [object, chains] =
    await Promise.all(text.trim().split('\n').map(unpack));
  const profile = JSON.parse(new TextDecoder().decode(object));
  for (const measure of profile.measures)
    measure.label = measure.key.replaceAll('_', ' ')
      .replace('allocations', 'allocs');
  profile.words = profile.measures.map((measure) => measure.word);
  for (const key of ['functions', 'types', 'phases', 'threads', 'regions'])
    profile[key].forEach((row, id) => { row.id = id; });
  profile.functions.forEach((fn, i) => {
    const { package: its, shade } = profile.colours[i];
    fn.package = profile.packages[its] ?? null; // null: nobody's
    fn.shade = shade;
    fn.cycle ??= 0;
    fn.line ??= 0;
    fn.calls ??= NaN;
    fn.rootCalls ??= NaN;
  });
  for (const arc of profile.arcs) arc.calls ??= NaN;
  return Object.assign(profile, readChains(chains, profile.words));
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
