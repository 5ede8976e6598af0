// SPDX-License-Identifier: LGPL-2.1-or-later

// What stands above the views: the head, which does not change, and the
// switches, with the keys that press them.

// Fills the select KEY, whose first choice is LABEL, with ITEMS.  One that
// leaves no choice does not show.
function fillSelect(shell, key, label, items, least = 2) {
  const select = get(key);
  select.closest('label').hidden = items.length < least;
  replaceChildren(select, element('option', { value: '' }, label),
    items.map(({ id, name }) => element('option', { value: id }, name)));
  select.addEventListener('change', () => shell.filter(key,
    select.value === '' ? null : Number(select.value)));
}

function fillSelects(shell) {
  const { profile } = shell.model;
  const heaviestFirst = (items) =>
    items.filter(allocates).sort((a, b) => b.bytes - a.bytes);
  // the types of C programs are the categories
  fillSelect(shell, 'type', 'all types', heaviestFirst(profile.types),
    profile.lisp ? 2 : Infinity);
  fillSelect(shell, 'phase', 'all phases', heaviestFirst(profile.phases));
  fillSelect(shell, 'thread', 'all threads', heaviestFirst(profile.threads));
  fillSelect(shell, 'region', 'all regions',
    profile.regions.filter(allocates), 1);
}

function fillChoices(shell) {
  const { model } = shell;
  const { profile } = model;
  replaceChildren(get('measures'), profile.measures.map((measure) =>
    element('label', { title: measure.what },
      element('input', { type: 'radio', name: 'measure',
        id: `measure-${measure.word}`, checked: measure === model.measure,
        onchange: () => shell.setMeasure(measure.word) }),
      element('span', {}, measure.label))));
  replaceChildren(get('categories'), profile.categories.map((name, i) =>
    element('label', { title: profile.categoriesHelp },
      element('input', { type: 'checkbox', checked: true,
        id: `category-${i}`, onchange(event) {
          model.categories[i] = event.target.checked;
          shell.update();
        } }),
      element('span', { class: `chip category category-${i}` }), name)));
}

// Light or dark: the system's choice, until the switch says otherwise.
function connectScheme() {
  const { dataset } = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => { dataset.scheme = system.matches ? 'dark' : 'light'; };
  follow();
  system.addEventListener('change', follow);
  get('scheme').addEventListener('click', () => {
    system.removeEventListener('change', follow);
    dataset.scheme = dataset.scheme === 'dark' ? 'light' : 'dark';
  });
}

function connectKeys(shell) {
  const views = [...document.querySelectorAll('nav a')]
    .filter((link) => !link.hidden).map((link) => link.getAttribute('href'));
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey ||
        /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === '/') {
      event.preventDefault();
      get('search').focus();
      get('search').select();
    } else if (event.key === 'b') {
      shell.nextMeasure();
    } else if (/^[1-9]$/.test(event.key) && event.key <= views.length) {
      shell.go(views[event.key - 1]);
    }
  });
}

function connectSwitches(shell) {
  const { model } = shell;
  const { profile } = model;
  fillSelects(shell);
  fillChoices(shell);
  document.querySelector('nav a[data-view=regions]').hidden =
    profile.regions.length === 0;
  if (!profile.lisp)
    document.querySelector('nav a[data-view=types]').textContent = 'Sizes';
  get('program-only').closest('label').hidden = !profile.lisp;
  get('program-only').addEventListener('change', (event) => {
    model.programOnly = event.target.checked;
    if (['zoom', 'callers'].includes(shell.route[0]))
      history.replaceState(null, '', '#/');
    shell.update();
  });
  let waiting = 0;
  get('search').addEventListener('input', (event) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => shell.search(event.target.value), 150);
  });
  get('reset').addEventListener('click', () => shell.reset());
  addEventListener('hashchange', () => {
    shell.show();
    if (!['zoom', 'callers'].includes(shell.route[0])) scrollTo(0, 0);
  });
  let width = innerWidth;
  addEventListener('resize', () => {
    if (innerWidth !== width) shell.overview.redraw();
    width = innerWidth;
  });
  connectScheme();
  connectKeys(shell);
}

function showHead(profile, check) {
  const { whole, total } = profile;
  document.title =
    `Allocation profile of ${oneLine(profile.program) || 'a program'}`;
  get('title').textContent = document.title;
  const parts = profile.measures
    .filter((m) => m.bytes && m.word !== 'bytes' && m.word !== 'live')
    .map((m) => `${number(whole[m.word])} ${m.noun}`);
  const some = (count, ...nouns) => count > 0 && plural(count, ...nouns);
  const facts = [plural(whole.bytes, 'byte', 'bytes'),
    plural(whole.allocs, 'allocation', 'allocations'), ...parts,
    profile.live.trim(),
    plural(profile.functions.length, 'function', 'functions'),
    some(profile.cycles.length, 'cycle', 'cycles'),
    plural(profile.contexts, 'context', 'contexts'),
    some(profile.regions.length, 'region', 'regions'),
    some(profile.threadsCounted, 'thread', 'threads')];
  // What is in memory at the REPL has no file.
  const files = profile.files.filter(Boolean).map(oneLine);
  replaceChildren(get('facts'), facts.filter(Boolean).map((fact) =>
    element('span', {}, fact)),
  files.map((file) => element('span', { class: 'quiet' }, file)));
  const warnings = [profile.warnings.trim(),
    profile.narrowed ? 'The options of mprof export selected ' +
      `${plural(total.bytes, 'byte', 'bytes')} in ${
        plural(total.allocs, 'allocation', 'allocations')}; ` +
      'shares are shares of these.' : '',
    check.different > 0 ? `${number(check.different)} of ${
      number(check.compared)} figures differ from sums over the contexts. ` +
      'That is a bug of mprof.' : '',
    whole.bytes > Number.MAX_SAFE_INTEGER
      ? 'Figures above 9,007,199,254,740,991 are rounded here.' : '',
  ].filter(Boolean);
  get('warnings').hidden = warnings.length === 0;
  replaceChildren(get('warnings'), warnings.map((warning) =>
    element('p', {}, warning)));
}
