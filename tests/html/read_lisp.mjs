// SPDX-License-Identifier: LGPL-2.1-or-later

// Reads what mprof export --format=lisp writes: lists become arrays, strings
// strings, integers numbers, nil null; a list that begins with a keyword at
// an even place throughout becomes an object.

export function readLisp(text) {
  let at = 0;
  const blanks = () => {
    while (/\s/.test(text[at])) at++;
  };
  const read = () => {
    blanks();
    if (text[at] === '(') {
      at++;
      const items = [];
      for (blanks(); text[at] !== ')'; blanks()) items.push(read());
      at++;
      return items;
    }
    if (text[at] === '"') {
      let string = '';
      for (at++; text[at] !== '"'; at++) {
        if (text[at] === '\\') at++;
        string += text[at];
      }
      at++;
      return string;
    }
    const end = /[\s()]/g;
    end.lastIndex = at;
    const stop = end.exec(text)?.index ?? text.length;
    const word = text.slice(at, stop);
    at = stop;
    if (word === 'nil') return null;
    return /^-?\d+$/.test(word) ? Number(word) : Symbol.for(word);
  };
  return read();
}

const isKeyword = (item) => typeof item === 'symbol';

// (:name "F" :calls 1 ...) as {name: "F", calls: 1, ...}
export function plist(list) {
  const made = {};
  for (let i = 0; i < list.length; i += 2) {
    if (!isKeyword(list[i])) throw new Error('no property list');
    made[Symbol.keyFor(list[i]).slice(1)] = list[i + 1];
  }
  return made;
}

// The whole export, with its tables as arrays of objects.
export function readExport(text) {
  const [, ...rest] = readLisp(text);
  const profile = plist(rest);
  const table = (key) => (profile[key] ?? []).map(plist);
  return {
    ...profile,
    allocs: profile.allocations,
    regions: table('regions'),
    bins: table('bins'),
    functions: table('functions').map((f) => ({
      ...f,
      types: (f.types ?? []).map(plist),
    })),
    arcs: table('arcs'),
    types: table('types'),
  };
}
