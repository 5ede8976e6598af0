// SPDX-License-Identifier: LGPL-2.1-or-later

// The page: reads the data, then shows the view that the address names, with
// what it says is chosen.

// The view, as the navigation has it, that an address begins with.
const VIEW_OF = { overview: 'overview', zoom: 'overview', callers: 'overview',
  functions: 'functions', function: 'functions', types: 'types', type: 'types',
  contexts: 'contexts', regions: 'regions', about: 'about' };

class Shell {
  constructor(profile) {
    this.model = new Model(profile);
    this.choices = { ...CHOICES };
    this.route = ['overview'];
    this.matches = null;
    this.found = null;
    this.overview = new Overview(this);
  }

  // Shows what the address says.
  open() {
    const { route, choices } = readAddress(location.hash);
    this.route = Object.hasOwn(VIEW_OF, route[0]) ? route : ['overview'];
    this.choices = choices;
    this.model.choose(choices);
    this.search();
    this.show();
    showChoices(this);
  }

  // Goes to PATH with CHANGES of what is chosen.
  go(path, changes = {}, replace = false) {
    const hash = writeAddress(path, { ...this.choices, ...changes });
    if (hash !== (location.hash || '#/'))
      history[replace ? 'replaceState' : 'pushState'](null, '', hash);
    this.open();
  }

  // Stays in the view.  The zoom ends where the numbers of frames change.
  choose(changes, replace = false) {
    const zoomed = ['zoom', 'callers'].includes(this.route[0]);
    const moves = ['hide', 'program', 'inverted'].some((key) => key in changes);
    this.go(zoomed && moves ? '' : pathOfRoute(this.route), changes, replace);
  }

  // What the view that is called NAME consists of, null for the overview.
  elementsOf([name, id]) {
    const { model, matches } = this;
    const views = {
      functions: () => functionsView(model, matches, this.sort('functions')),
      function: () => functionPage(model, Number(id), (key) => this.sort(key),
        (fn) => this.findFunction(fn)),
      types: () => typesView(model, matches, this.sort('types'),
        this.sort('sizes')),
      type: () => typeView(model, Number(id), this.sort('type'),
        (type) => this.go('', { type: String(type) })),
      contexts: () => contextsView(model, matches, this.sort('contexts')),
      regions: () => regionsView(model, matches, this.sort('regions'),
        (region) => this.choose({ region: String(region) })),
      about: () => aboutView(model),
    };
    return Object.hasOwn(views, name) ? [views[name]()] : null;
  }

  show() {
    const { route } = this;
    const view = VIEW_OF[route[0]];
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
    showSelection(this);
  }

  // Finds what the search is for; an invalid expression finds nothing.
  search() {
    const { search } = this.choices;
    this.matches = null;
    let wrong = '';
    try {
      const pattern = new RegExp(search, 'i');
      if (search !== '') this.matches = (name) => pattern.test(name);
    } catch (error) {
      wrong = error.message;
    }
    get('search').setAttribute('aria-invalid', String(wrong !== ''));
    get('search').title = wrong;
    this.found = this.matches === null ? null : this.model.search(this.matches);
  }

  findFunction(fn) {
    this.go('', { search: `^${quoted(fn.name)}$` });
  }

  nextMeasure() {
    const words = this.model.profile.measures.map(({ word }) => word);
    const at = words.indexOf(this.model.measure.word);
    this.choose({ value: words[(at + 1) % words.length] });
  }

  // The order of the table NAME: by what is measured, or how much that
  // changed, until a heading is pressed.  What the table changes goes to the
  // address.
  sort(name) {
    const { model } = this;
    const { measure } = model;
    const key = name === 'regions' ? 'name'
      : (name === 'functions' ? `self-${measure.key}` : measure.key) +
        (model.profile.compared ? '-change' : '');
    const sorts = new URLSearchParams(this.choices.sort);
    const given = sorts.get(name);
    return { key: given?.replace(/-$/, '') ?? key, usual: key,
      up: given?.endsWith('-') ?? name === 'regions',
      changed: (now) => {
        sorts.set(name, now.key + (now.up ? '-' : ''));
        this.choices.sort = String(sorts);
        history.pushState(null, '',
          writeAddress(pathOfRoute(this.route), this.choices));
      } };
  }

  reset() {
    const kept = ['value', 'search', 'inverted', 'colours', 'width', 'sort'];
    this.choose(Object.fromEntries(Object.keys(CHOICES)
      .filter((key) => !kept.includes(key)).map((key) => [key, ''])));
  }
}

async function begin() {
  try {
    const profile = await readProfile(get('profile').textContent);
    get('profile').remove();
    const shell = new Shell(profile);
    connectSwitches(shell);
    showHead(profile);
    showWarnings(profile);
    get('page').hidden = false;
    get('waiting').remove();
    shell.open();
    performance.mark('drawn');
    document.documentElement.dataset.ready = 'yes';
  } catch (error) {
    get('waiting').textContent =
      typeof DecompressionStream === 'undefined'
        ? 'This page needs Chrome 111, Firefox 113, Safari 16.4 or later.'
        : `The page cannot read its data: ${error.message}`;
    throw error;
  }
}

addEventListener('DOMContentLoaded', begin);
