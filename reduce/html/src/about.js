// SPDX-License-Identifier: LGPL-2.1-or-later

// How complete the figures are, and how to use the page.

// What the page gives away to whoever gets it.
function contents({ sides }) {
  const files = new Set(sides.flatMap(({ sources }) => sources)
    .filter(({ lines }) => lines.length > 0).map(({ file }) => file));
  return 'This page contains names of functions, paths of files and ' +
    `${files.size === 0 ? 'no lines of source files'
      : `lines of ${plural(files.size, 'source file', 'source files')}`}.`;
}

function aboutView({ model }) {
  const { profile, profile: { terms } } = model;
  const heading = (text) => element('h2', {}, text);
  return element('article', { class: 'about' },
    heading('Completeness'),
    element('pre', {}, profile.reconciliation.trim()),
    heading('How to read it'),
    terms.reading.map((text) => element('p', {}, text)),
    element('p', {}, 'The figures are those of mprof report. With a filter, ' +
      'they are sums over the remaining chains. Focus, ignore and hide mean ' +
      'what mprof-report(1) says of these options, but take regular ' +
      'expressions of JavaScript: \\d in place of [[:digit:]], \\b in place ' +
      'of \\< and \\>, {0,3} in place of {,3}. The address of the page ' +
      'contains all your choices.'),
    heading('Contents'), element('p', {}, contents(profile)),
    heading('Keys'), keysList(),
    element('p', { class: 'quiet' },
      `Written by ${profile.generator}, LGPL-2.1-or-later.`));
}

// The keys, and the list of them.

const KEYS = [
  ['/', 'search'],
  ['n, N', 'next, previous match; in the search: Enter, Shift-Enter'],
  ['?', 'show these keys; Escape closes them'],
  ['Tab', 'go to the next control; Enter presses it'],
  ['arrows', 'flame graph: move between frames'],
  ['Home', 'flame graph: return to the zoomed frame'],
  ['Enter', 'flame graph: zoom in on the frame'],
  ['Escape', 'flame graph: zoom out by one frame'],
  ['f', 'flame graph: open the page of the frame'],
  ['← →', 'charts over time: move the selected part, with Shift its end; ' +
    'Enter: what was in use then'],
];

function keysList() {
  return element('dl', { class: 'keys' }, KEYS.map(([key, what]) =>
    [element('dt', {}, key), element('dd', {}, what)]));
}

function connectKeys(shell) {
  const dialog = get('keys');
  const showKeys = () => dialog.showModal();
  const acts = {
    '/': () => {
      get('search').focus();
      get('search').select();
    },
    '?': showKeys,
    n: () => shell.goToMatch(1),
    N: () => shell.goToMatch(-1),
  };
  dialog.append(element('h2', {}, 'Keys'), keysList(),
    button('Close', () => dialog.close()));
  get('help').addEventListener('click', showKeys);
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey ||
        event.metaKey || dialog.open ||
        /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (Object.hasOwn(acts, event.key)) {
      event.preventDefault();
      acts[event.key]();
    } else if (event.target === document.body &&
        shell.graph === shell.overview) {
      shell.overview.press(event);
    }
  });
}
