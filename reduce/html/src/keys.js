// SPDX-License-Identifier: LGPL-2.1-or-later

// The keys, and what says them.

const KEYS = [
  ['/', 'search'],
  ['?', 'these keys; Escape closes them'],
  ['b', 'the next measure: bytes, allocations, ...'],
  ['1 to 6', 'overview, functions, types, contexts, regions if there are ' +
    'some, about'],
  ['Tab', 'on to the next; Enter presses it'],
  ['in the flame graph: arrows', 'move among frames'],
  ['Home', 'back to the frame that is zoomed to'],
  ['Enter', 'zoom to the frame'],
  ['Escape', 'zoom out by one caller'],
  ['f', 'open the function'],
];

function keysList() {
  return element('dl', { class: 'keys' }, KEYS.map(([key, what]) =>
    [element('dt', {}, key), element('dd', {}, what)]));
}

function showKeys() {
  const dialog = get('keys');
  if (dialog.open) return;
  replaceChildren(dialog, element('h2', {}, 'Keys'), keysList(),
    button('Close', () => dialog.close()));
  dialog.showModal();
}

function connectKeys(shell) {
  const views = [...document.querySelectorAll('nav a')]
    .filter((link) => !link.hidden).map(({ dataset }) =>
      (dataset.view === 'overview' ? '' : dataset.view));
  const acts = {
    '/': () => {
      get('search').focus();
      get('search').select();
    },
    '?': showKeys,
    b: () => shell.nextMeasure(),
  };
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey ||
        event.metaKey || get('keys').open ||
        /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (Object.hasOwn(acts, event.key)) {
      event.preventDefault();
      acts[event.key]();
    } else if (/^[1-9]$/.test(event.key) && event.key <= views.length) {
      shell.go(views[event.key - 1]);
    } else if (event.target === document.body) {
      shell.overview.press(event);
    }
  });
}
