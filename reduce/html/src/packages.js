// SPDX-License-Identifier: LGPL-2.1-or-later

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
