// SPDX-License-Identifier: LGPL-2.1-or-later

// What can be counted, in the words of mprof's option --value.  A profile
// knows some of them, bytes and allocs always; figures are objects with a
// number for each that it knows, and with categories, which are of bytes.

export const MEASURES = {
  bytes: { label: 'bytes', noun: 'bytes', bytes: true,
    help: 'all that was allocated' },
  allocs: { label: 'allocs', noun: 'allocations', bytes: false,
    help: 'all that was allocated' },
  kept: { label: 'kept bytes', noun: 'bytes kept', bytes: true,
    help: 'what was never freed' },
  'kept-allocs': { label: 'kept objects', noun: 'objects kept', bytes: false,
    help: 'what was never freed' },
  peak: { label: 'peak bytes', noun: 'bytes at the peak', bytes: true,
    help: 'what was live when most bytes were' },
  'peak-allocs': { label: 'peak objects', noun: 'objects at the peak',
    bytes: false, help: 'what was live when most bytes were' },
  temporary: { label: 'temporary', noun: 'temporary objects', bytes: false,
    help: 'objects freed before the next allocations' },
};

export function emptyFigures(measures) {
  const figures = { categories: [0, 0, 0, 0] };
  for (const measure of measures) figures[measure] = 0;
  return figures;
}

// The measures of which tables have columns beside bytes and allocs: CHOSEN
// first, when it is one of them; objects only when they are chosen.
export function moreMeasures(measures, chosen) {
  const more = measures.filter((m) => m !== 'bytes' && m !== 'allocs' &&
    (MEASURES[m].bytes || m === 'temporary' || m === chosen));
  return more.sort((a, b) => (b === chosen) - (a === chosen));
}
