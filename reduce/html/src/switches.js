// SPDX-License-Identifier: LGPL-2.1-or-later

// Everything above the views: the head, which does not change, and the
// switches, with the keys that press them.

// Fills the select KEY, whose first choice is LABEL, with ITEMS.  One that
// leaves no choice does not show.
function fillSelect(shell, key, label, items, least = 2) {
  const select = get(key);
  select.closest('label').hidden = items.length < least;
  replaceChildren(select, element('option', { value: '' }, label),
    items.map(({ id, name }) => element('option', { value: id }, name)));
  select.addEventListener('change', () =>
    shell.choose({ [key]: select.value }));
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

// The categories that are not ticked, as digits.
function categoriesLeftOut() {
  return [...get('categories').querySelectorAll('input')]
    .map((box, i) => (box.checked ? '' : String(i))).join('');
}

function fillChoices(shell) {
  const { profile } = shell.model;
  replaceChildren(get('measures'), profile.measures.map((measure) =>
    element('label', { title: measure.what },
      element('input', { type: 'radio', name: 'measure',
        id: `measure-${measure.word}`,
        onchange: () => shell.choose({ value: measure.word }) }),
      element('span', {}, measure.label))));
  replaceChildren(get('categories'), profile.categories.map((name, i) =>
    element('label', { title: profile.categoriesHelp },
      element('input', { type: 'checkbox', id: `category-${i}`,
        onchange: () => shell.choose({ without: categoriesLeftOut() }) }),
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

// In a small window the filters are folded.
function foldFilters() {
  const small = matchMedia('(max-width: 40rem)');
  const fold = () => { get('filters').open = !small.matches; };
  fold();
  small.addEventListener('change', fold);
}

// The expressions take effect when they are complete: by Enter, or by leaving
// the field.
function connectExpressions(shell) {
  for (const key of EXPRESSIONS) {
    const field = get(key);
    field.hidden = Boolean(shell.model.profile.grouped);
    field.addEventListener('change', () => {
      const good = shell.express(key, field.value);
      field.setAttribute('aria-invalid', String(!good));
    });
  }
}

// Links in the page are of views; what is chosen goes with them.
function connectLinks(shell) {
  const complete = (event) => {
    const link = event.target.closest?.('a[href^="#/"]');
    if (link) link.setAttribute('href', writeAddress(
      link.getAttribute('href').slice(2).split('?')[0], shell.choices));
  };
  for (const type of ['pointerdown', 'focusin', 'click'])
    addEventListener(type, complete, true);
}

function connectSwitches(shell) {
  const { profile } = shell.model;
  fillSelects(shell);
  fillChoices(shell);
  document.querySelector('nav a[data-view=regions]').hidden =
    profile.regions.length === 0;
  if (!profile.lisp)
    document.querySelector('nav a[data-view=types]').textContent = 'Sizes';
  for (const [view, name] of [['functions', profile.terms.frames],
    ['contexts', profile.terms.chains]])
    document.querySelector(`nav a[data-view=${view}]`).textContent = name;
  get('program-only').closest('label').hidden =
    !profile.lisp || profile.holders;
  get('program-only').addEventListener('change', (event) =>
    shell.choose({ program: event.target.checked ? '1' : '' }));
  let waiting = 0;
  get('search').addEventListener('input', (event) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => shell.choose({ search: event.target.value },
      shell.choices.search !== ''), 150);
  });
  get('help').addEventListener('click', showKeys);
  get('reset').addEventListener('click', () => shell.reset());
  addEventListener('hashchange', () => {
    shell.open();
    if (!['zoom', 'callers'].includes(shell.route[0])) scrollTo(0, 0);
  });
  let width = innerWidth;
  addEventListener('resize', () => {
    if (innerWidth !== width) shell.overview.redraw();
    width = innerWidth;
  });
  connectExpressions(shell);
  connectLinks(shell);
  connectScheme();
  foldFilters();
  connectKeys(shell);
}

// Sets the switches to what is chosen.
function showChoices({ model, choices }) {
  get(`measure-${model.measure.word}`).checked = true;
  [...get('categories').querySelectorAll('input')].forEach((box, i) => {
    box.checked = model.categories[i];
  });
  for (const key of ['type', 'phase', 'thread', 'region'])
    get(key).value = model[key] ?? '';
  get('program-only').checked = model.programOnly;
  for (const key of EXPRESSIONS) {
    get(key).value = choices[key];
    get(key).removeAttribute('aria-invalid');
  }
  if (document.activeElement !== get('search'))
    get('search').value = choices.search;
}

// The line below the switches: how much is selected.
function showSelection({ model }) {
  const { profile, total, narrowed, programOnly, tests } = model;
  const unmatched = EXPRESSIONS.filter((key) => tests[key] !== null &&
    !profile.functions.some(tests[key]) && !profile.unseen.some((fn) =>
    tests[key]({ raw: fn.name, rawFile: fn.file, matched: 2 })));
  get('selection').hidden = !narrowed && !programOnly && tests.hide === null;
  const amounts = profile.measures.filter(isWhole).map(({ word, noun }) =>
    (narrowed ? `${number(total[word])} of ` : '') +
    `${number(profile.total[word])} ${noun}`);
  get('selection-text').textContent =
    `${narrowed ? 'Selected' : 'All'}: ${amounts.join(', ')}` +
    (programOnly ? ". Allocations in ECL's own functions are charged to " +
      'their callers' : '') +
    unmatched.map((key) => `. No match for ${key}`).join('');
}

// The title: the program, or the files of two profiles that are compared; at
// the REPL there may be no file.
function titleOf(profile) {
  const { title, of } = profile.terms;
  const program = ({ program: name }) => oneLine(name) || 'a program';
  return profile.compared
    ? `${title}: ${profile.sides.map(({ tables }) =>
      filesOf(tables) || program(tables)).join(' compared with ')}`
    : `${title} ${of} ${program(profile)}`;
}

const filesOf = ({ files }) => files.filter(Boolean).map(oneLine).join(', ');

// The facts of the profile, or of the old one and the new one.
function showHead(profile) {
  document.title = titleOf(profile);
  get('title').textContent = document.title;
  const tables = profile.sides.map((side) => side.tables).reverse();
  const fact = (count, one, many = one) => {
    const counts = tables.map(count);
    return counts.some((n) => n > 0) &&
      `${counts.map(number).join(' → ')} ${counts.at(-1) === 1 ? one : many}`;
  };
  const { measures, terms, compared, holders } = profile;
  const facts = [
    ...measures.filter((m) => isWhole(m) ||
      (m.bytes && (m.word !== 'live' || compared)))
      .map(({ word, noun }) => fact(({ total }) => total[word],
        noun.replace(/s$/, ''), noun)),
    fact((its) => its.suppressed, 'byte suppressed', 'bytes suppressed'),
    !compared && !holders && profile.live.trim(),
    fact((its) => its.functions.length, ...terms.frame),
    fact((its) => its.cycles.length, 'cycle', 'cycles'),
    fact((its) => its.contexts, ...terms.chain),
    fact((its) => its.regions.length, 'region', 'regions'),
    fact((its) => its.threadsCounted, 'thread', 'threads')];
  replaceChildren(get('facts'), facts.filter(Boolean).map((text) =>
    element('span', {}, text)),
  !compared && filesOf(profile) !== '' &&
    element('span', { class: 'quiet' }, filesOf(profile)));
}

// What puts the figures in doubt; CHECK is that of the page's own sums.
function showWarnings(profile, check) {
  const { total, whole } = profile;
  const warnings = [profile.warnings.trim(),
    profile.narrowed && !profile.holders ? 'The options of mprof selected ' +
      `${number(total.bytes)} of ${number(whole.bytes)} bytes in ${
        number(total.allocs)} of ${number(whole.allocs)} allocations. ` +
      'Percentages refer to the selection.' : '',
    check.different > 0 ? `${number(check.different)} of ${
      number(check.compared)} figures differ from sums over the contexts. ` +
      'This is a bug in mprof.' : '',
    whole.bytes > Number.MAX_SAFE_INTEGER
      ? 'Figures above 9,007,199,254,740,991 are rounded on this page.' : '',
  ].filter(Boolean);
  get('warnings').hidden = warnings.length === 0;
  replaceChildren(get('warnings'), warnings.map((warning) =>
    element('p', {}, warning)));
}
