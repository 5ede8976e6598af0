// SPDX-License-Identifier: LGPL-2.1-or-later

// The data in the page, as mprof wrote them (reduce/export/export_html.c),
// turned into objects.  A profile is only read after this.
//
//   functions   what the call graph knows of each, all figures exact
//   arcs        pairs of caller and callee
//   types       Lisp types and classes
//   nodes       chains, as a tree: parents precede children
//   rows        what was allocated at the end of a chain, by type and group
//   calls       calls of the last function of a chain, by group
//   groups      a thread in a phase and a region
//   regions     named parts of the program, each with those in it
//
// Calls that are not known are NaN, and so is every sum with them.

// What the categories of C programs are.
export const SIZES_IN_C = ['small: up to 32 bytes', 'medium: up to 256',
  'large: up to 2,048', 'extra large'];

function orUnknown(calls) {
  return calls < 0 ? NaN : calls;
}

async function unpack(text) {
  const packed = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed])
    .stream()
    .pipeThrough(new DecompressionStream('deflate'));
  return JSON.parse(await new Response(stream).text());
}

// Calls EACH with a function that gives the next cell, once a row.
function readTable(cells, each) {
  const rows = [];
  let at = 0;
  const next = () => cells[at++];
  while (at < cells.length) rows.push(each(next, rows.length));
  return rows;
}

function readCounts(next, measures) {
  return Object.fromEntries(measures.map((measure) => [measure, next()]));
}

function readFigures(next, measures) {
  return {
    ...readCounts(next, measures),
    categories: [next(), next(), next(), next()],
  };
}

// COUNT columns of a table of integers, each an array of its own.
function readColumns(cells, count, kinds) {
  const length = cells.length / count;
  const columns = kinds.map((Kind) => new Kind(length));
  for (let row = 0, at = 0; row < length; row++)
    for (let i = 0; i < count; i++) columns[i][row] = cells[at++];
  return columns;
}

export async function readProfile(text) {
  const raw = await unpack(text);
  const name = (index) => raw.names[index];
  const [parent, functionOf] = readColumns(raw.nodes, 2, [
    Int32Array,
    Int32Array,
  ]);
  const measures = raw.measures.map(name);
  const [rowNode, rowType, rowGroup, ...rowCounts] = readColumns(
    raw.rows,
    3 + measures.length,
    [Int32Array, Int32Array, Int32Array, ...measures.map(() => Float64Array)]
  );
  const counts = (next) => readCounts(next, measures);
  const figures = (next) => readFigures(next, measures);
  const total = (cells) => readCounts((() => {
    let at = 0;
    return () => cells[at++];
  })(), measures);
  const [callNode, callGroup, callCount] = readColumns(raw.calls, 3, [
    Int32Array,
    Int32Array,
    Float64Array,
  ]);
  const categories = readTable(raw.categories, (next) => ({
    letter: name(next()),
    name: name(next()),
  }));
  const named = (next, id) => ({
    id,
    name: name(next()),
    ...counts(next),
  });
  return {
    measures,
    value: measures[raw.value],
    version: raw.mprof,
    lisp: raw.lisp === 1,
    program: name(raw.program),
    files: raw.files.map(name),
    total: total(raw.total),
    whole: total(raw.whole),
    narrowed: raw.narrowed === 1,
    cycles: raw.cycles,
    threadsCounted: raw.threads_counted,
    warnings: raw.warnings,
    reconciliation: raw.reconciliation,
    categories,
    phases: readTable(raw.phases, named),
    threads: readTable(raw.threads, named),
    groups: readTable(raw.groups, (next) => ({
      phase: next(),
      thread: next(),
      region: next(),
    })),
    regions: readTable(raw.regions, (next, id) => ({
      id,
      name: name(next()),
      entered: next(),
      nanoseconds: next(),
      first: next(), // milliseconds since 1970; -1: not known, as the others
      last: next(),
      held: next(),
      ...counts(next),
    })),
    functions: readTable(raw.functions, (next, id) => ({
      id,
      name: name(next()),
      package: name(next()),
      file: name(next()),
      line: next(),
      system: next() === 1,
      cycle: next(),
      calls: orUnknown(next()),
      rootCalls: orUnknown(next()),
      self: figures(next),
      inclusive: figures(next),
      root: figures(next),
    })),
    arcs: readTable(raw.arcs, (next) => ({
      caller: next(),
      callee: next(),
      calls: orUnknown(next()),
      inclusive: figures(next),
    })),
    types: readTable(raw.types, (next, id) => {
      const category = next();
      const type = name(next());
      const className = name(next());
      return {
        id,
        category,
        type,
        className,
        name: className || type || (raw.lisp === 1 ? '[unknown type]'
          : SIZES_IN_C[category]),
        ...counts(next),
      };
    }),
    bins: readTable(raw.bins, (next) => ({
      kind: ['size', 'large', 'growth'][next()],
      size: next(),
      ...counts(next),
      largest: name(next()),
      parts: next(),
    })),
    nodes: { count: parent.length, parent, functionOf },
    rows: {
      count: rowNode.length,
      node: rowNode,
      type: rowType,
      group: rowGroup,
      ...Object.fromEntries(measures.map((m, i) => [m, rowCounts[i]])),
    },
    calls: {
      count: callNode.length,
      node: callNode,
      group: callGroup,
      calls: callCount,
    },
  };
}
