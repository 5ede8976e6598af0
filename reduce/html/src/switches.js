// SPDX-License-Identifier: LGPL-2.1-or-later

// Everything above the views: the head, which does not change, and the fields
// of the choices.  data-choice of a field names its choice (main.js), and
// its value is that of the choice.  A box without a tick is the default.

// Fills the select KEY with ITEMS, after LABEL, which stands for all.  Hides it
// if there are fewer than LEAST.
function fillSelect(key, label, items, least = 2) {
  const select = get(key);
  select.closest('label').hidden = items.length < least;
  replaceChildren(select, element('option', { value: '' }, label),
    items.map(({ id, name }) => element('option', { value: id }, name)));
}

function fillFields(profile) {
  const used = (items) =>
    items.filter((row) => allocates(figuresOf(row), profile));
  const heaviestFirst = (items) => used(items).sort((a, b) => b.bytes - a.bytes);
  // the types of C programs are the categories
  fillSelect('type', 'all types', heaviestFirst(profile.types),
    profile.lisp ? 2 : Infinity);
  fillSelect('phase', 'all phases', heaviestFirst(profile.phases));
  fillSelect('thread', 'all threads', heaviestFirst(profile.threads));
  fillSelect('region', 'all regions', used(profile.regions), 1);
  replaceChildren(get('measures'), profile.measures.map(({ word, what, label }) =>
    element('label', { title: what },
      element('input', { type: 'radio', name: 'measure', value: word,
        id: `measure-${word}`, 'data-choice': 'value' }),
      element('span', {}, label))));
  replaceChildren(get('categories'), profile.categories.map((name, i) =>
    element('label', { title: profile.categoriesHelp },
      element('input', { type: 'checkbox', id: `category-${i}`, value: i,
        'data-choice': 'without' }), chip(`category category-${i}`, name))));
  get('program-only').closest('label').hidden =
    !profile.lisp || profile.holders;
  for (const key of EXPRESSIONS) get(key).hidden = Boolean(profile.grouped);
}

// Returns the choice in FIELD.  The categories are one choice.
function choiceOf({ type, checked, value, dataset: { choice } }) {
  if (choice === 'without')
    return [...get('categories').querySelectorAll('input')]
      .map((box) => (box.checked ? '' : box.value)).join('');
  return type === 'checkbox' && !checked ? '' : value;
}

// Sets the fields to the choices.
function showChoices({ model, choices }) {
  const chosen = { ...choices, value: model.measure.word };
  for (const key of ['type', ...LABELS]) chosen[key] = model[key]?.id ?? '';
  for (const field of document.querySelectorAll('[data-choice]')) {
    const { choice } = field.dataset;
    if (choice === 'without')
      field.checked = !choices.without.includes(field.value);
    else if (field.type === 'checkbox' || field.type === 'radio')
      field.checked = field.value === chosen[choice];
    else if (choice !== 'search' || field !== document.activeElement)
      field.value = chosen[choice];
    if (choice === 'value')
      field.disabled = !model.measures.some(({ word }) => word === field.value);
    if (choice in model.tests)
      field.ariaInvalid = String(choice in model.faults);
  }
  get('match').textContent = '';
  get('fault').textContent = Object.entries(model.faults).map(([key, fault]) =>
    `${key}: '${oneLine(choices[key])}': ${fault}`).join('; ');
  get('fault').hidden = get('fault').textContent === '';
}

// A field takes effect when it is changed, the search shortly after each
// letter.
function connectFields(shell) {
  let waiting = 0;
  addEventListener('change', ({ target: field }) => {
    const { choice } = field.dataset;
    if (choice !== undefined && choice !== 'search')
      shell.choose({ [choice]: choiceOf(field) });
  });
  const search = get('search');
  const take = () => search.value !== shell.choices.search &&
    shell.choose({ search: search.value }, shell.choices.search !== '');
  search.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(take, 150);
  });
  search.addEventListener('keydown', ({ key, shiftKey, isComposing }) => {
    if (key !== 'Enter' || isComposing) return;
    take();
    shell.goToMatch(shiftKey ? -1 : 1);
  });
}

// Follows the system's scheme until the switch is pressed.
function connectScheme() {
  const { style } = document.documentElement;
  get('scheme').addEventListener('click', () => {
    const dark = style.colorScheme === ''
      ? matchMedia('(prefers-color-scheme: dark)').matches
      : style.colorScheme === 'dark';
    style.colorScheme = dark ? 'light' : 'dark';
  });
}

const SMALL = matchMedia('(max-width: 40rem)');

// Folds the filters in a small window, whose tables have few columns.
function foldFilters(shell) {
  get('filters').open = !SMALL.matches;
  SMALL.onchange = () => {
    get('filters').open = !SMALL.matches;
    shell.open();
  };
}

// Completes links to views with the choices.
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
  const link = (view) => document.querySelector(`nav a[data-view=${view}]`);
  link('threads').hidden = profile.threads.length < 2;
  link('regions').hidden = profile.regions.length === 0;
  link('leaks').hidden = profile.leaks.length === 0 || profile.compared;
  link('functions').textContent = profile.terms.frames;
  link('types').textContent = profile.lisp ? 'Types' : 'Sizes';
  link('contexts').textContent = profile.terms.chains;
  fillFields(profile);
  connectFields(shell);
  const reset = Object.fromEntries(['program', 'without', 'type', 'from', 'to', 'at',
    ...EXPRESSIONS, ...LABELS].map((key) => [key, '']));
  get('reset').addEventListener('click', () => shell.choose(reset));
  addEventListener('hashchange', () => {
    shell.open();
    if (shell.route[0] !== 'zoom') scrollTo(0, 0);
  });
  addEventListener('resize', () => {
    shell.graph?.redraw();
  });
  connectLinks(shell);
  connectScheme();
  foldFilters(shell);
  connectKeys(shell);
}

// Shows how much is selected.
function showSelection(model) {
  const { profile, total, narrowed, programOnly, tests, window, at } = model;
  const unmatched = EXPRESSIONS.filter((key) => tests[key] !== null &&
    !profile.functions.some(tests[key]));
  get('selection').hidden = !narrowed && !programOnly && tests.hide === null;
  const time = (slice) => slice < profile.slices.length
    ? seconds(profile.slices[slice].start) : 'the end';
  const amounts = profile.measures.filter(isWhole).map(({ key, noun }) =>
    (narrowed ? `${number(total(key))} of ` : '') +
    `${number(profile.totals[key])} ${noun}`);
  get('selection-text').textContent =
    `${narrowed ? 'Selected' : 'All'}: ${amounts.join(', ')}` +
    (window === null ? '' : at < 0 ? `, from ${window.map(time).join(' to ')}`
      : `, in use at ${time(at + 1)}`) +
    (programOnly ? ". Allocations in ECL's own functions are charged to " +
      'their callers' : '') +
    unmatched.map((key) => `. No match for ${key}`).join('');
}

const filesOf = ({ files }) => files.filter(Boolean).map(oneLine).join(', ');

// The title: the program, or the two files that are compared.  A profile of the
// REPL has no file.
function titleOf(profile) {
  const { title, of } = profile.terms;
  const program = ({ program: name }) => oneLine(name) || 'a program';
  return profile.compared
    ? `${title}: ${profile.sides.map((side) =>
      filesOf(side) || program(side)).join(' compared with ')}`
    : `${title} ${of} ${program(profile)}`;
}

// Returns the bytes that are lost with what refers to them, where that is known:
// leaks have both (tables/leaks.c).
const lostIndirectly = ({ leaks, totals, keys }) =>
  keys.includes('lost_bytes') ? leaks.reduce((sum, { bytes }) =>
    sum + bytes, -totals.lost_bytes) : 0;

// Shows the facts of the profile, or those of the old one and the new one.
function showHead(profile) {
  document.title = titleOf(profile);
  get('title').textContent = document.title;
  const fact = (count, one, many = one) => {
    const counts = profile.sides.map(count).reverse();
    return counts.some((n) => n > 0) &&
      `${counts.map(number).join(' → ')} ${counts.at(-1) === 1 ? one : many}`;
  };
  const { measures, terms, compared, holders } = profile;
  const facts = [
    ...measures.filter((m) => isWhole(m) ||
      (m.bytes && (m.word !== 'live' || compared)))
      .map(({ key, noun }) => fact(({ totals }) => totals[key],
        noun.replace(/s$/, ''), noun)),
    fact(lostIndirectly, 'byte lost indirectly', 'bytes lost indirectly'),
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

// Shows warnings about the figures.
function showWarnings(profile) {
  const { totals, file_totals: whole } = profile;
  const warnings = [profile.warnings.trim(),
    profile.narrowed && !profile.holders ? 'The options of mprof selected ' +
      `${number(totals.bytes)} of ${number(whole.bytes)} bytes in ${
        number(totals.allocations)} of ${number(whole.allocations)} ` +
      'allocations. Percentages refer to the selection.' : '',
    whole.bytes > Number.MAX_SAFE_INTEGER
      ? 'Figures above 9,007,199,254,740,991 are rounded on this page.' : '',
  ].filter(Boolean);
  get('warnings').hidden = warnings.length === 0;
  replaceChildren(get('warnings'), warnings.map((warning) =>
    element('p', {}, warning)));
}
