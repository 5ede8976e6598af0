// SPDX-License-Identifier: LGPL-2.1-or-later

// The page: it reads the data, then shows the view in its address.

function showOverview(shell) {
  shell.graph = shell.overview;
  return shell.overview.show();
}

// For the first word of an address the link of the navigation that is current,
// and a function of the shell and the number in the address that makes the
// view.
const VIEWS = {
  overview: ['overview', showOverview],
  zoom: ['overview', showOverview],
  functions: ['functions', functionsView],
  function: ['functions', functionPage],
  types: ['types', typesView],
  type: ['types', typeView],
  contexts: ['contexts', contextsView],
  threads: ['threads', (shell) => labelsTable(shell, 'thread', 'Threads',
    'Allocated by the threads of that name')],
  regions: ['regions', regionsView],
  leaks: ['leaks', leaksView],
  about: ['about', aboutView],
};

class Shell {
  constructor(profile) {
    this.model = new Model(profile);
    this.overview = new Overview(this);
  }

  // Shows what the address says.
  open() {
    const { route, choices } = readAddress(location.hash);
    this.route = Object.hasOwn(VIEWS, route[0]) ? route : ['overview'];
    this.choices = choices;
    this.model.choose(choices);
    const [word, number] = this.route;
    const [current, view] = VIEWS[word];
    for (const link of document.querySelectorAll('nav a'))
      link.ariaCurrent = link.dataset.view === current ? 'page' : null;
    this.graph = null;
    const elements = flat([view(this, Number(number))]);
    if (elements[0] !== get('view').firstChild)
      get('view').replaceChildren(...elements);
    this.graph?.redraw();
    showSelection(this.model);
    showChoices(this);
  }

  // Goes to PATH, with CHANGES of the choices.
  go(path, changes = {}, replace = false) {
    const hash = writeAddress(path, { ...this.choices, ...changes });
    if (hash !== (location.hash || '#/'))
      history[replace ? 'replaceState' : 'pushState'](null, '', hash);
    this.open();
  }

  // Stays in the view, with CHANGES of the choices.  The zoom ends if the
  // numbers of frames change.
  choose(changes, replace = false) {
    const moves = ['hide', 'program', 'inverted'].some((key) => key in changes);
    this.go(this.route[0] === 'zoom' && moves ? '' : pathOfRoute(this.route),
      changes, replace);
  }

  // Shows the flame graph with CHANGES while they are still being made.
  preview(changes) {
    this.choices = { ...this.choices, ...changes };
    this.model.choose(this.choices);
    this.overview.show(true);
    this.overview.redraw();
    showSelection(this.model);
  }

  // Goes to a frame of the overview that matches the search, STEP further on.
  goToMatch(step) {
    if (this.model.found === null) return;
    if (this.graph !== this.overview) this.go('');
    this.overview.goToMatch(step);
  }

  // Returns the order of the table NAME: by the measure, or its change, until a
  // heading is pressed.
  sortOf(name) {
    const { measure, profile } = this.model;
    const given = this.valueOf('sort', name);
    const usual = name === 'regions' ? 'name'
      : (name === 'functions' ? 'self-' : '') + measure.key +
        (profile.compared ? '-change' : '');
    return { key: given?.replace(/-$/, '') ?? usual, usual,
      up: given?.endsWith('-') ?? name === 'regions' };
  }

  // Returns what CHOICE says of the table NAME, or null.
  valueOf(choice, name) {
    return new URLSearchParams(this.choices[choice]).get(name);
  }

  // Notes in the address that CHOICE is VALUE for the table NAME.
  setOf(choice, name, value) {
    const values = new URLSearchParams(this.choices[choice]);
    values.set(name, value);
    this.choices[choice] = String(values);
    history.pushState(null, '',
      writeAddress(pathOfRoute(this.route), this.choices));
  }
}

async function begin() {
  if (!CSS.supports('color', 'light-dark(#000, #fff)')) {
    get('waiting').textContent =
      'This page needs Chrome 123, Firefox 120, Safari 17.5 or later.';
    return;
  }
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
    document.documentElement.dataset.ready = 'yes';
  } catch (error) {
    get('waiting').textContent =
      `The page cannot read its data: ${error.message}`;
    throw error;
  }
}

addEventListener('DOMContentLoaded', begin);

// The address of the page contains all choices, so that a copied link shows the
// same, and the browser can go back:
//
//   #/                  overview            #/function/12   one function
//   #/zoom/F.G.H        zoomed              #/types  #/type/3
//   #/leaks             of C programs       #/contexts  #/threads
//   #/about                                 #/regions
//
// and after a question mark the choices that differ from the default.

// Each choice is a string; '' is the default.
const CHOICES = {
  value: '', // the word of a measure
  focus: '', ignore: '', hide: '', // expressions, as the command's options
  program: '', // '1': without ECL's own functions
  without: '', // categories that are left out, as digits
  type: '', phase: '', thread: '', region: '', // ids
  from: '', to: '', at: '', // times in seconds, as the command's options
  search: '', // a regular expression
  inverted: '', // '1': callers of what allocates
  colours: '', // 'category'
  sort: '', // TABLE=COLUMN for each table, with a - where it ascends
  columns: '', // TABLE=COLUMNS that show, for each table, with blanks between
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
