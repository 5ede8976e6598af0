// SPDX-License-Identifier: LGPL-2.1-or-later

// The page: reads the data, then shows the view that the address names.
//
//   #/                   overview            #/function/12   one function
//   #/zoom/NODE          zoomed              #/types  #/type/3
//   #/callers/F.G.H      the same, inverted  #/contexts  #/regions  #/about
//
// So going back is the browser's.  What is selected (measure, filters,
// search) is no part of the address: it stays while one walks around.

const VIEW_OF = { zoom: 'overview', callers: 'overview',
  function: 'functions', type: 'types' };

class Shell {
  constructor(profile) {
    this.model = new Model(profile);
    this.check = differences(profile, this.model.sums);
    this.text = ''; // of the search
    this.matches = null;
    this.found = null;
    this.sorts = { regions: { key: 'name', up: true }, page: {} };
    this.sortBy(this.model.measure.word);
    this.overview = new Overview(this);
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

  // What the view that is called NAME consists of, null for the overview.
  elementsOf([name, id]) {
    const { model, sorts, matches } = this;
    const views = {
      functions: () => functionsView(model, matches, sorts.functions),
      function: () => functionPage(model, Number(id), sorts.page,
        (fn) => this.findFunction(fn)),
      types: () => typesView(model, matches, sorts.types, sorts.sizes),
      type: () => typeView(model, Number(id), sorts.type,
        (type) => this.filter('type', type)),
      contexts: () => contextsView(model, matches, sorts.contexts),
      regions: () => regionsView(model, matches, sorts.regions,
        (region) => this.filter('region', region)),
      about: () => aboutView(model, this.check),
    };
    return Object.hasOwn(views, name) ? [views[name]()] : null;
  }

  show() {
    const { route } = this;
    const view = VIEW_OF[route[0]] ?? route[0];
    for (const link of document.querySelectorAll('nav a'))
      if (link.dataset.view === view) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    const elements = this.elementsOf(route);
    if (elements !== null) {
      replaceChildren(get('view'), elements);
    } else {
      if (this.overview.element.parentNode !== get('view'))
        replaceChildren(get('view'), this.overview.element);
      this.overview.show(route);
    }
    this.showSelection();
  }

  // The line below the switches: what is selected, and how much that is.
  showSelection() {
    const { profile, total, narrowed, programOnly } = this.model;
    get('selection').hidden = !narrowed && !programOnly;
    get('selection-text').textContent = (narrowed ? 'Selected: ' : 'All: ') +
      `${plural(total.bytes, 'byte', 'bytes')} in ` +
      plural(total.allocs, 'allocation', 'allocations') +
      (narrowed ? ` of ${number(profile.total.bytes)} and ${
        number(profile.total.allocs)}` : '') +
      (programOnly ? "; ECL's own functions are left out, what they " +
        'allocate is charged to their callers' : '');
  }

  // After any change of what is selected.
  update() {
    this.model.update();
    this.search(this.text);
  }

  search(text) {
    const matches = Model.matcher(text);
    const wrong = matches instanceof Error;
    get('search').setAttribute('aria-invalid', String(wrong));
    get('search').title = wrong ? matches.message : '';
    this.text = text;
    this.matches = wrong ? null : matches;
    this.found = this.matches === null ? null : this.model.search(matches);
    this.show();
  }

  findFunction(fn) {
    const quoted = fn.name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    get('search').value = `^${quoted}$`;
    this.search(get('search').value);
    this.go('#/');
  }

  // Shows nothing but the type, phase, thread or region ID; null: all.
  filter(key, id) {
    get(key).value = id === null ? '' : String(id);
    this.model[key] = id;
    this.update();
  }

  setMeasure(word) {
    this.model.choose(word);
    get(`measure-${word}`).checked = true;
    this.sortBy(word);
    this.search(this.text);
  }

  nextMeasure() {
    const { words } = this.model.profile;
    const at = words.indexOf(this.model.measure.word);
    this.setMeasure(words[(at + 1) % words.length]);
  }

  // Puts tables in order of the measure WORD.
  sortBy(word) {
    const { sorts } = this;
    sorts.functions = { key: `self-${word}`, up: false };
    for (const key of ['types', 'sizes', 'contexts', 'type'])
      sorts[key] = { key: word, up: false };
    for (const key of ['callers', 'callees', 'types'])
      sorts.page[key] = { key: word, up: false };
  }

  reset() {
    for (const id of ['type', 'phase', 'thread', 'region']) get(id).value = '';
    for (const box of get('categories').querySelectorAll('input'))
      box.checked = true;
    get('program-only').checked = false;
    this.model.reset();
    this.search(this.text);
  }
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

addEventListener('DOMContentLoaded', begin);
