// SPDX-License-Identifier: LGPL-2.1-or-later

// Profiles that are made for same.mjs.

import { numbers, ProfileEncoder, program } from './encode_profile.mjs';

const cons = { category: 'cons', type: 'CONS' };
const string = { category: 'struct', type: 'STRING' };
const C = ['mprof.version=1', 'mprof.language=c'];

// Lines that call ECL's own functions, and such a function that has lines; one
// calls back; recursion through one line and through two.
function lispLines() {
  const p = new ProfileEncoder();
  const at = (name, line) => ({ name, file: '/src/app.lisp', line, start: 1 });
  const own = { name: 'SI::SORT', file: 'SRC:SEQ.LSP', line: 7, start: 5 };
  p.allocate([at('APP::MAIN', 3), at('APP::READ', 12)], 1, 16, cons);
  p.allocate([at('APP::MAIN', 3), at('APP::READ', 13), 'SI::MAKE-VECTOR'],
    2, 200, cons);
  p.allocate([at('APP::MAIN', 4), own, at('APP::KEY', 30)], 4, 64, cons);
  p.allocate([at('APP::MAIN', 4), own], 8, 128, cons);
  p.allocate([at('APP::MAIN', 3), at('APP::READ', 12), at('APP::READ', 12),
    own, at('APP::READ', 13)], 16, 512, string);
  return p;
}

// Sizes that nobody counted.
function unknownSizes() {
  const p = new ProfileEncoder([]);
  p.allocate(['main'], 0, 512, {});
  p.allocate(['main'], 2, 64, {});
  return p;
}

function lispRegions() {
  const p = new ProfileEncoder();
  p.allocate(['A::MAIN', 'A::PARSE'], 10, 160, { ...cons, region: 'parse' });
  p.allocate(['A::MAIN', 'A::PARSE', 'A::LEX'], 5, 80,
    { ...cons, region: 'parse;lex' });
  p.allocate(['A::MAIN'], 1, 16, cons);
  p.activate(['A::MAIN'], 1);
  p.comment('mprof.region=1 9 1795258066302999999 1795258066303000008 0 parse');
  return p;
}

// A call counts for what the functions are in that it was inlined into.
function inlined() {
  const p = new ProfileEncoder(C);
  for (const [chain, count] of [[['main', ['allocate', 'make', 'outer']], 7],
    [['main', ['format', 'outer']], 5], [['main', 'outer'], 3]]) {
    p.allocate(chain, count, 8 * count, {});
    p.activate(chain, count);
  }
  return p;
}

export const SLICES = 12;
export const LENGTH = 1.07e9; // 1.07 * 1e9 is more

// In slice I chains of some functions have allocated; nothing has in slice 5.
// Until slice 4 that was at load time.
function timeline() {
  const p = new ProfileEncoder(['mprof.version=1', 'mprof.language=lisp',
    ...Array.from({ length: SLICES }, (_, i) =>
      `mprof.slice=${i * LENGTH} ${i === 3 ? 0 : 1000 + i} ${5000 + i} ${
        i < 3 ? i : 7}`)],
  [['inuse_objects', 'count'], ['inuse_space', 'bytes']]);
  const random = numbers(7);
  for (let i = 0; i < SLICES; i++)
    for (let j = 0; j < 6 && i !== 5; j++) {
      const allocs = 1 + random(50);
      const chain = ['A::MAIN', 'A::PARSE', 'B::READ', 'CONS']
        .slice(0, 1 + random(4));
      p.allocate(chain, allocs, 16 * allocs, { time: i * LENGTH,
        phase: i < 4 ? 'load' : 'run', ...j % 2 === 0 ? cons
          : { category: 'struct', type: 'VECTOR' } }, [allocs, 16 * allocs]);
    }
  p.activate(['A::MAIN'], 5);
  return p;
}

// In slice I a C program's functions allocate objects of 20 bytes and more, and
// free some of them, at the end all but the last function's.
function inUse() {
  const functions = [0, 1, 2, 3, 4, 5, 6, 7];
  const live = functions.map(() => 0);
  const random = numbers(3);
  const samples = [];
  const slices = Array.from({ length: SLICES }, (_, i) => {
    for (const f of functions) {
      const last = i + 1 === SLICES;
      const allocs = last || random(3) === 0 ? 0 : 1 + random(50);
      const freed = last && f < 7 ? live[f] : random(live[f] + 1);
      live[f] += allocs - freed;
      const size = 20 * (f + 1);
      if (allocs + freed > 0)
        samples.push([['main', `f${f % 4}`, `f${f}`].slice(0, f < 4 ? 2 : 3),
          allocs, allocs * size, { bytes: size, time: i * LENGTH },
          [0, 0, freed, freed * size]]);
    }
    return `mprof.slice=${i * LENGTH} ${live.reduce((sum, count, f) =>
      sum + count * 20 * (f + 1), 0)} ${20000 + i} 0`;
  });
  const p = new ProfileEncoder([...C, ...slices], [['inuse_objects', 'count'],
    ['inuse_space', 'bytes'], ['freed_objects', 'count'],
    ['freed_space', 'bytes']]);
  for (const sample of samples) p.allocate(...sample);
  return p;
}

export const MADE = {
  'in-use': inUse,
  inlined,
  'lisp-lines': lispLines,
  'lisp-regions': lispRegions,
  other: () => program(14, 50, 8, 6),
  random: () => program(16, 60, 8, 5),
  timeline,
  'unknown-sizes': unknownSizes,
};
