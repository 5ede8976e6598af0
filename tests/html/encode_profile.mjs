// SPDX-License-Identifier: LGPL-2.1-or-later

// Profiles for the tests: pprof, written by hand, not compressed.

import { writeFileSync } from 'node:fs';

function varint(value) {
  if (value < 128) return Buffer.of(Number(value));
  const bytes = [];
  let rest = BigInt(value);
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest > 0n ? low | 0x80 : low);
  } while (rest > 0n);
  return Buffer.from(bytes);
}

const numberField = (field, value) =>
  Buffer.concat([varint(field * 8), varint(value)]);
const bytesField = (field, bytes) =>
  Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
const message = (field, ...parts) => bytesField(field, Buffer.concat(parts));
const packed = (field, values) => message(field, ...values.map(varint));

// Collects samples.  A chain is an array of names, the root first, or of what
// `location' takes.
export class ProfileEncoder {
  // By mprof, unless there are other COMMENTS; with MORE columns: [name, unit].
  constructor(comments = ['mprof.version=1', 'mprof.language=lisp'],
    more = []) {
    this.more = more.map(() => 0);
    this.strings = new Map([['', 0]]);
    this.functions = new Map();
    this.locations = new Map();
    this.parts = [];
    for (const [type, unit] of [['alloc_objects', 'count'],
      ['alloc_space', 'bytes'], ['activations', 'count'], ...more])
      this.parts.push(message(1, numberField(1, this.string(type)),
        numberField(2, this.string(unit))));
    for (const comment of comments) this.comment(comment);
  }

  string(text) {
    if (!this.strings.has(text)) this.strings.set(text, this.strings.size);
    return this.strings.get(text);
  }

  // When it was made, in nanoseconds of the epoch.
  time(nanoseconds) {
    this.parts.push(numberField(9, nanoseconds));
  }

  comment(text) {
    this.parts.push(numberField(13, this.string(text)));
  }

  // The function with that name, file and first line.
  function({ name, file = '', start = 0 }) {
    const key = JSON.stringify([name, file, start]);
    if (this.functions.has(key)) return this.functions.get(key);
    const id = this.functions.size + 1;
    this.functions.set(key, id);
    this.parts.push(message(5, numberField(1, id),
      numberField(2, this.string(name)), numberField(4, this.string(file)),
      numberField(5, start)));
    return id;
  }

  // The one location of FRAME: the name of a function, or {name, file, line,
  // start}, where it called and where it begins, or a list of these, the last
  // of which the others are inlined into.
  location(frame) {
    if (this.locations.has(frame)) return this.locations.get(frame);
    const frames = [frame].flat().map((part) =>
      (typeof part === 'string' ? { name: part } : part));
    const key = JSON.stringify(frames);
    if (this.locations.has(key)) return this.locations.get(key);
    const id = this.locations.size + 1;
    this.locations.set(key, id).set(frame, id);
    this.parts.push(message(4, numberField(1, id), ...frames.map((part) =>
      message(4, numberField(1, this.function(part)),
        numberField(2, part.line ?? 0)))));
    return id;
  }

  sample(chain, values, labels) {
    const locations = chain.map((name) => this.location(name)).reverse();
    this.parts.push(message(2, packed(1, locations), packed(2, values),
      ...Object.entries(labels).map(([key, text]) => message(3,
        numberField(1, this.string(key)), typeof text === 'number'
          ? numberField(3, text) : numberField(2, this.string(text))))));
  }

  // LABELS: category, type, class, thread; MORE: values of those columns.
  allocate(chain, allocs, bytes, labels, more = this.more) {
    this.sample(chain, [allocs, bytes, 0, ...more], labels);
  }

  activate(chain, calls, labels = {}) {
    this.sample(chain, [0, 0, calls, ...this.more], labels);
  }

  write(path) {
    const strings = [...this.strings.keys()].map((text) =>
      bytesField(6, Buffer.from(text, 'utf8')));
    writeFileSync(path, Buffer.concat([...this.parts, ...strings]));
  }
}

// Numbers that look random and are the same each time.
export function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

const kinds = [
  { category: 'cons', type: 'CONS' },
  { category: 'float', type: 'DOUBLE-FLOAT' },
  { category: 'struct', type: 'INSTANCE', class: 'APP::WIDGET' },
  { category: 'struct', type: 'STRING' },
  { category: 'other', type: 'BIGNUM' },
];

// A program of FUNCTIONS functions in five packages that makes CONTEXTS
// different chains, up to DEEPEST calls deep.  A function calls up to six
// others, some more than the rest.  One in five functions is ECL's own; with
// threads and phases, and recursion as it comes.
export function program(functions, contexts, deepest, seed) {
  const profile = new ProfileEncoder();
  const next = numbers(seed);
  const names = [];
  for (let i = 0; i < functions; i++)
    names.push(
      ['APP::F', 'APP.PARSER::F', 'LIB:F', 'SI::F', 'NET::F'][i % 5] + i
    );
  const numberOf = new Map(names.map((name, i) => [name, i]));
  const callee = (name) => {
    const caller = numberOf.get(name) ?? 0;
    return names[(7 * caller + 1 + next(1 + next(6))) % functions];
  };
  const seen = new Set();
  let chain = ['APP::MAIN'];
  for (let made = 0; made < contexts; ) {
    const keep = next(chain.length);
    chain = chain.slice(0, keep + 1);
    // Some of it is evaluated, compiled or loaded: other phases.
    if (keep === 0 && next(4) === 0)
      chain.push(['EVAL', 'COMPILE-FILE', 'LOAD'][next(3)]);
    const depth = keep + 2 + next(deepest - keep);
    while (chain.length < depth && chain.length < deepest)
      chain.push(callee(chain[chain.length - 1]));
    const key = chain.join();
    if (seen.has(key)) continue;
    seen.add(key);
    made++;
    const kind = kinds[next(kinds.length)];
    const thread = ['main', 'worker', 'writer'][next(3)];
    const allocs = 1 + next(1000);
    profile.allocate(chain, allocs, allocs * (8 + 8 * next(12)),
      { ...kind, thread });
    profile.activate(chain, 1 + next(50), { thread });
  }
  return profile;
}
