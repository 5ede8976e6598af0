// SPDX-License-Identifier: LGPL-2.1-or-later

// The address of the page contains all choices, so that a copied link shows the
// same, and the browser can go back:
//
//   #/                  overview            #/function/12   one function
//   #/zoom/NODE         zoomed              #/types  #/type/3
//   #/callers/F.G.H     the same, inverted  #/contexts  #/regions
//   #/leaks             of C programs       #/about
//
// and after a question mark the choices that differ from the default.

// Each choice is a string; '' is the default.
const CHOICES = {
  value: '', // the word of a measure
  focus: '', ignore: '', hide: '', // expressions, as the command's options
  program: '', // '1': without ECL's own functions
  without: '', // categories that are left out, as digits
  type: '', phase: '', thread: '', region: '', // ids
  from: '', to: '', // times in seconds, as the command's options
  search: '', // a regular expression
  inverted: '', // '1': callers of what allocates
  colours: '', // 'category'
  width: '', // of frames where profiles are compared: 'after', 'before'
  sort: '', // TABLE=COLUMN for each table, with a - where it ascends
};

function readAddress(hash) {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const given = new URLSearchParams(query);
  const choices = Object.fromEntries(Object.keys(CHOICES).map((key) =>
    [key, given.get(key) ?? '']));
  const route = path.split('/');
  return { route: route[0] === '' ? ['overview'] : route, choices };
}

function writeAddress(path, choices) {
  const query = new URLSearchParams(Object.keys(CHOICES)
    .filter((key) => choices[key] !== '').map((key) => [key, choices[key]]));
  return `#/${path}${query.size > 0 ? `?${query}` : ''}`;
}

const pathOfRoute = (route) => route[0] === 'overview' ? '' : route.join('/');
