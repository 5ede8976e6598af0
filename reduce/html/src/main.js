// SPDX-License-Identifier: LGPL-2.1-or-later

// The page: reads the data, then shows the view that the address names.
//
//   #/                   overview            #/function/12   one function
//   #/zoom/NODE          zoomed              #/types  #/type/3
//   #/callers/F.G.H      the same, inverted  #/contexts  #/regions  #/about
//
// So going back is the browser's.  What is selected (measure, filters,
// search) is no part of the address: it stays while one walks around.

import { differences } from './chains.js';
import { element, number, plural, replaceChildren } from './dom.js';
import { aboutView } from './about.js';
import { contextsView, functionsView, regionsView, typesView, typeView }
  from './lists.js';
import { MEASURES } from './measures.js';
import { functionPage } from './function_page.js';
import { Model } from './model.js';
import { Overview } from './overview.js';
import { readProfile, SIZES_IN_C } from './profile.js';

const VIEWS = ['overview', 'functions', 'types', 'contexts', 'regions',
  'about'];
const VIEW_OF = { zoom: 'overview', callers: 'overview',
  function: 'functions', type: 'types' };

const get = (id) => document.getElementById(id);

class Shell {
  constructor(profile) {
    this.model = new Model(profile);
    this.check = differences(profile, this.model.sums);
    this.text = ''; // of the search
    this.found = null;
    this.sorts = {
      regions: { key: 'name', up: true },
      page: {},
    };
    this.sortBy(this.model.measure);
    this.overview = new Overview(this);
    this.darkByDefault = matchMedia('(prefers-color-scheme: dark)');
    this.scheme = null; // of the switch: null, 'light' or 'dark'
  }

  get dark() {
    return this.scheme === null ? this.darkByDefault.matches
      : this.scheme === 'dark';
  }

  get route() {
    const parts = location.hash.replace(/^#\/?/, '').split('/');
    return parts[0] === '' ? ['overview'] : parts;
  }

  go(hash) {
    if (location.hash === hash || (hash === '#/' && location.hash === ''))
      this.show();
    else location.hash = hash;
  }

  show() {
    const route = this.route;
    const view = VIEW_OF[route[0]] ?? route[0];
    for (const link of document.querySelectorAll('nav a')) {
      if (link.dataset.view === view)
        link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    const { model, sorts } = this;
    const matches = this.found === null ? null : this.matches;
    const place = get('view');
    const views = {
      functions: () => functionsView(model, matches, sorts.functions),
      function: () => functionPage(model, Number(route[1]), sorts.page,
        (fn) => this.findFunction(fn)),
      types: () => typesView(model, matches, sorts.types, sorts.sizes),
      type: () => typeView(model, Number(route[1]), sorts.type,
        (id) => this.filterType(id)),
      contexts: () => contextsView(model, matches, sorts.contexts),
      regions: () => regionsView(model, matches, sorts.regions,
        (id) => this.filterRegion(id)),
      about: () => aboutView(model, this.check, get('licences').textContent),
    };
    if (views[route[0]] === undefined) {
      if (this.overview.element.parentNode !== place)
        replaceChildren(place, this.overview.element);
      this.overview.show(route);
    } else {
      replaceChildren(place, [views[route[0]]()].flat());
    }
    this.showSelection();
  }

  // The line below the switches: what is selected, and how much that is.
  showSelection() {
    const { model } = this;
    const { profile, total } = model;
    const on = model.narrowed || model.programOnly;
    get('selection').hidden = !on;
    replaceChildren(get('selection-text'),
      (model.narrowed ? 'Selected: ' : 'All: ') +
        `${plural(total.bytes, 'byte', 'bytes')} in ` +
        `${plural(total.allocs, 'allocation', 'allocations')}` +
        (model.narrowed ? ` of ${number(profile.total.bytes)} and ${
          number(profile.total.allocs)}` : '') +
        (model.programOnly ? "; ECL's own functions are left out, what they " +
          'allocate is charged to their callers' : ''));
  }

  // After any change of what is selected.
  update() {
    this.model.update();
    this.search(this.text);
  }

  search(text) {
    this.text = text;
    const matches = Model.matcher(text);
    const wrong = matches instanceof Error;
    get('search').setAttribute('aria-invalid', String(wrong));
    get('search').title = wrong ? matches.message : '';
    this.matches = matches;
    this.found = wrong || matches === null ? null
      : this.model.search(matches);
    this.show();
  }

  findFunction(fn) {
    const quoted = fn.name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    get('search').value = `^${quoted}$`;
    this.search(get('search').value);
    this.go('#/');
  }

  filterType(id) {
    get('type').value = String(id);
    this.model.type = id;
    this.update();
  }

  filterRegion(id) {
    get('region').value = String(id);
    this.model.region = id;
    this.update();
  }

  setMeasure(measure) {
    this.model.measure = measure;
    get(`measure-${measure}`).checked = true;
    this.sortBy(measure);
    this.search(this.text);
  }

  // Puts tables in order of MEASURE.
  sortBy(measure) {
    const { sorts } = this;
    sorts.functions = { key: `self-${measure}`, up: false };
    for (const key of ['types', 'sizes', 'contexts', 'type'])
      sorts[key] = { key: measure, up: false };
    for (const key of ['callers', 'callees', 'types'])
      sorts.page[key] = { key: measure, up: false };
  }

  setScheme(scheme) {
    this.scheme = scheme;
    if (scheme === null) delete document.documentElement.dataset.scheme;
    else document.documentElement.dataset.scheme = scheme;
    this.show();
  }
}

// Fills the select ID with ITEMS of {id, name}; it calls ACT(id or null).
// One that leaves no choice does not show.
function fillSelect(id, label, items, act, least = 2) {
  const select = get(id);
  select.closest('label').hidden = items.length < least;
  replaceChildren(select, element('option', { value: '' }, label),
    items.map((item) =>
      element('option', { value: String(item.id) }, item.name)));
  select.addEventListener('change', () =>
    act(select.value === '' ? null : Number(select.value)));
}

function connectSwitches(shell) {
  const { model } = shell;
  const { profile } = model;
  const used = (item) => item.bytes > 0 || item.allocs > 0;
  get('categories').closest('fieldset').querySelector('legend').textContent =
    profile.lisp ? 'Categories' : 'Sizes';
  const select = (key, items, label) =>
    fillSelect(key, label, items.filter(used)
      .sort((a, b) => b.bytes - a.bytes), (id) => {
      model[key] = id;
      shell.update();
    });
  select('type', [...profile.types], 'all types');
  select('phase', [...profile.phases], 'all phases');
  select('thread', [...profile.threads], 'all threads');
  fillSelect('region', 'all regions', profile.regions.filter(used), (id) => {
    model.region = id;
    shell.update();
  }, 1);
  document.querySelector('nav a[data-view=regions]').hidden =
    profile.regions.length === 0;
  if (!profile.lisp) { // its types are the categories
    document.querySelector('nav a[data-view=types]').textContent = 'Sizes';
    get('type').closest('label').hidden = true;
  }
  replaceChildren(get('measures'), profile.measures.map((measure) =>
    element('label', { title: MEASURES[measure].help },
      element('input', { type: 'radio', name: 'measure',
        id: `measure-${measure}`, checked: measure === model.measure,
        onchange: () => shell.setMeasure(measure) }),
      element('span', {}, MEASURES[measure].label))));
  replaceChildren(get('categories'), profile.categories.map((c, i) =>
    element('label', { title: profile.lisp ? `Category: ${c.name}`
      : SIZES_IN_C[i] },
      element('input', { type: 'checkbox', checked: true,
        id: `category-${i}`, onchange(event) {
          model.categories[i] = event.target.checked;
          shell.update();
        } }),
      element('span', { class: `chip category-${i}` }), c.name)));
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
  get('reset').addEventListener('click', () => {
    for (const id of ['type', 'phase', 'thread', 'region']) get(id).value = '';
    for (const box of get('categories').querySelectorAll('input'))
      box.checked = true;
    get('program-only').checked = false;
    model.reset();
    shell.search(shell.text);
  });
  get('scheme').addEventListener('click', () =>
    shell.setScheme(shell.dark ? 'light' : 'dark'));
  shell.darkByDefault.addEventListener('change', () => shell.show());
  addEventListener('hashchange', () => {
    shell.show();
    if (shell.route[0] !== 'zoom' && shell.route[0] !== 'callers')
      scrollTo(0, 0);
  });
  let width = innerWidth;
  addEventListener('resize', () => {
    if (innerWidth === width) return;
    width = innerWidth;
    shell.overview.redraw();
  });
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey ||
        /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === '/') {
      event.preventDefault();
      get('search').focus();
      get('search').select();
    } else if (event.key === 'b') {
      const { measures } = profile;
      const at = measures.indexOf(model.measure);
      shell.setMeasure(measures[(at + 1) % measures.length]);
    } else if (/^[1-6]$/.test(event.key)) {
      const views = VIEWS.filter((view) =>
        view !== 'regions' || profile.regions.length > 0);
      if (event.key <= views.length)
        shell.go(event.key === '1' ? '#/' : `#/${views[event.key - 1]}`);
    }
  });
}

// What stands at the top, and does not change.
function showHead(profile, check) {
  document.title = `Allocation profile of ${profile.program || 'a program'}`;
  replaceChildren(get('title'), document.title);
  const facts = [
    plural(profile.whole.bytes, 'byte', 'bytes'),
    plural(profile.whole.allocs, 'allocation', 'allocations'),
    ...['kept', 'peak'].filter((m) => profile.measures.includes(m))
      .map((m) => `${number(profile.whole[m])} ${MEASURES[m].noun}`),
    plural(profile.functions.length, 'function', 'functions'),
    plural(profile.nodes.count, 'chain', 'chains'),
  ];
  if (profile.cycles > 0) facts.push(plural(profile.cycles, 'cycle', 'cycles'));
  if (profile.regions.length > 0)
    facts.push(plural(profile.regions.length, 'region', 'regions'));
  if (profile.threadsCounted > 0)
    facts.push(plural(profile.threadsCounted, 'thread', 'threads'));
  replaceChildren(get('facts'), facts.map((fact) =>
    element('span', {}, fact)),
    profile.files.length > 0
      ? element('span', { class: 'quiet' }, profile.files.join(', ')) : null);
  const warnings = [];
  if (profile.warnings !== '') warnings.push(profile.warnings.trim());
  if (profile.narrowed)
    warnings.push('The options of mprof export selected ' +
      `${plural(profile.total.bytes, 'byte', 'bytes')} in ${
        plural(profile.total.allocs, 'allocation', 'allocations')}; ` +
      'shares are shares of these.');
  if (check.different > 0)
    warnings.push(`${number(check.different)} of ${number(check.compared)} ` +
      'figures differ from sums over the chains. That is a bug of mprof.');
  if (profile.whole.bytes > Number.MAX_SAFE_INTEGER)
    warnings.push('Figures above 9,007,199,254,740,991 are rounded here.');
  get('warnings').hidden = warnings.length === 0;
  replaceChildren(get('warnings'), warnings.map((warning) =>
    element('p', {}, warning)));
}

async function begin() {
  try {
    const profile = await readProfile(get('profile').textContent);
    get('profile').remove();
    const shell = new Shell(profile);
    showHead(profile, shell.check);
    connectSwitches(shell);
    get('page').hidden = false;
    get('waiting').remove();
    shell.show();
    document.documentElement.dataset.ready = 'yes';
  } catch (error) {
    get('waiting').textContent =
      typeof DecompressionStream === 'undefined'
        ? 'This page needs a newer browser: Chrome 97, Firefox 113, ' +
          'Safari 16.4 or later.'
        : `The page cannot show its data: ${error.message}`;
    throw error;
  }
}

begin();
