// SPDX-License-Identifier: LGPL-2.1-or-later

// The views with tables of functions, types and sizes, and regions.

function functionColumns(model) {
  const { lisp, compared, terms } = model.profile;
  const [first, second] = measureGroups(model).map((measures) => [
    ...measureColumns(model, terms.self, (row) => row.self,
      { measures, prefix: 'self', categories: true }),
    ...measureColumns(model, terms.all, (row) => row.inclusive,
      { measures, prefix: 'inclusive', label: terms.inclusive })]);
  return [
    nameColumn(terms.frame[0], 'The name as in the report. Click to open it',
      (row) => row.fn, functionLink),
    ...first,
    ...callColumns(model, (row) => row.self,
      'Calls that led to an allocation in the function or below it. Calls ' +
        'have no type: filters by type and category do not change them',
      'Allocations with the function on their chain. Each counts as one call'),
    ...(model.callsKnown || !lisp) && !compared ? [{ key: 'per-call',
      label: lisp ? 'bytes / call' : 'bytes / alloc',
      help: `Inclusive bytes per ${callNouns(model)[0]}`,
      value: (row) => bytesEach(model, row)?.each ?? 0,
      text: (row) => number(Math.round(bytesEach(model, row)?.each)) }] : [],
    ...second,
  ];
}

function functionsView(shell) {
  const { model, model: { profile: { terms } } } = shell;
  return table(shell, 'functions', { caption: terms.frames,
    rows: model.shownFunctions.filter(({ fn }) => model.matches(fn.name)),
    columns: functionColumns(model), nouns: terms.frame });
}

function typeColumns(model) {
  const { lisp, categories, categoriesHelp, terms } = model.profile;
  return [
    nameColumn(lisp ? 'class' : 'size', `${lisp
      ? 'The class of instances and structures, or else the type'
      : `By ${categoriesHelp}`}. Click for: ${terms.users.toLowerCase()}`,
    (row) => row.type, typeLink),
    ...measureColumns(model, 'Objects of the type', (row) => row.figures,
      { shares: true }),
    ...lisp ? [{ key: 'category', label: 'category', left: true,
      help: 'The category of the type',
      value: ({ type }) => categories[type.category],
      cell: ({ type: { category: its } }) => element('span',
        { class: `category category-name category-${its}` }, categories[its]) },
    { key: 'type', label: 'type', left: true, help: 'The Lisp type',
      value: (row) => row.type.type }] : [],
  ];
}

function typesView(shell) {
  const { model } = shell;
  return [
    table(shell, 'types', { nouns: ['type', 'types'],
      caption: model.profile.lisp ? 'Types' : 'Sizes by category',
      rows: model.types.filter(({ type, figures }) =>
        model.shows(figures) && model.matches(type.name)),
      columns: typeColumns(model) }),
    ...model.narrowed || model.profile.holders ? []
      : [sizesChart(model), sizesTable(shell)],
  ];
}

// The table of sizes, which the reducer makes: rows do not have sizes, nor do
// holders.
function sizesTable(shell) {
  const { model, model: { profile: { bins, lisp } } } = shell;
  return table(shell, 'sizes', { caption: 'Sizes', nouns: ['size', 'sizes'],
    first: 20, rows: bins, tie: (bin) => bin.id,
    columns: [
      { key: 'size', label: 'size',
        help: 'Bytes of one object' + (lisp ? '. "grown": bodies of objects ' +
          'that grew later; "unknown": the objects were not counted' : ''),
        value: (bin) => bin.size ?? Infinity,
        text: (bin) => bin.size === null ? bin.kind : number(bin.size) },
      ...measureColumns(model, 'Objects of that size', figuresOf,
        { whole: figuresOf(model.profile.totals), shares: true }),
      { key: 'name', label: lisp ? 'mostly' : 'types', left: true,
        help: lisp
          ? 'The type with most of these bytes, and the number of others'
          : 'The types of that size, from debug information',
        value: (bin) => bin.largest,
        text: ({ largest, types }) => largest +
          (types.length > 1 ? ` and ${number(types.length - 1)} more` : '') },
    ] });
}

// The page of a type: the functions that allocate it.
function typeView(shell, id) {
  const { model, model: { profile, tree } } = shell;
  if (profile.types[id] === undefined)
    return element('p', {}, 'There is no such type.');
  const { type, figures: whole } = model.types[id];
  const rows = withFigures('fn', tree.functions, model.sums.functionsOf(id))
    .filter(({ figures }) => allocates(figures, profile));
  const { terms } = profile;
  const amounts = profile.measures.filter(isWhole).map(({ key, noun }) =>
    `${number(whole(key))} ${noun}`);
  return element('article', { class: 'type-page' },
    element('h1', { class: 'name' }, type.name),
    element('p', { class: 'facts' }, profile.categories[type.category] +
      (type.name === type.type || type.type === '' ? '' : `, a ${type.type}`) +
      `: ${amounts.join(', ')}`),
    element('p', {}, button('Show only this type everywhere',
      () => shell.go('', { type: String(id) }))),
    table(shell, 'type', { caption: terms.users, rows, nouns: terms.frame,
      columns: [
        nameColumn(terms.frame[0], 'Click to open it', (row) => row.fn,
          functionLink),
        ...measureColumns(model, terms.self, (row) => row.figures,
          { whole, shares: true }),
      ] }));
}

// The view of named regions.  The figures of a region include those inside it.
function regionsView(shell) {
  const { model } = shell;
  const time = (key, label, help) => ({ key, label: `${label} (UTC)`, help,
    value: ({ region }) => region[key] ?? NaN,
    text: ({ region: { [key]: at } }) => (at === null ? ''
      : new Date(at).toISOString().replace('T', ' ').replace('Z', '')) });
  return [
    model.narrowed && element('p', { class: 'quiet' }, 'Bytes and ' +
      'allocations are those selected. Entries, seconds and times are of the ' +
      'whole run.'),
    table(shell, 'regions', { caption: 'Regions',
      nouns: ['region', 'regions'], tie: (row) => row.region.id,
      rows: withFigures('region', model.profile.regions, model.sums.regions)
        .filter(({ region }) => model.matches(region.name)),
      columns: [
        nameColumn('region', 'The name, after those of the enclosing ' +
          'regions. Click to show only this region', (row) => row.region,
        ({ id, name }) => button(name,
          () => shell.choose({ region: String(id) }), { class: 'name' })),
        ...measureColumns(model, 'Allocated in the region and those inside it',
          (row) => row.figures, { shares: true }),
        { key: 'entered', label: 'entered', help: 'Entries by all threads',
          value: ({ region }) => region.entered },
        { key: 'seconds', label: 'seconds',
          help: 'Time in the region, summed over threads',
          value: ({ region }) => region.nanoseconds,
          text: ({ region }) => (region.nanoseconds / 1e9).toFixed(6) },
        ...model.profile.lisp ? [] : [{ key: 'held', label: 'held',
          help: 'Bytes of these that were live when it was last left',
          value: ({ region }) => region.held_bytes ?? NaN }],
        time('first_entered', 'first entered', 'Time of the first entry'),
        time('last_left', 'last left', 'Time when it was last left'),
      ] })];
}

// The view of leaks, which the reducer makes: chains do not have what is lost
// by way of other objects.
function leaksView(shell) {
  const { model, model: { profile, profile: { leaks, keys } } } = shell;
  if (model.narrowed || model.tests.hide !== null)
    return element('p', { class: 'quiet' }, 'Leaks are known only without ' +
      'filters. Choose "Show all" to see them.');
  const what = keys.includes('lost_bytes') ? 'lost, directly or indirectly'
    : 'never freed';
  const column = (key, help) => ({ key, label: key, help,
    value: (row) => row[key] });
  return table(shell, 'leaks', { caption: `Leaks: what was ${what}`,
    nouns: ['path', 'paths'],
    rows: leaks.filter(({ bytes, objects, path }) =>
      (bytes > 0 || objects > 0) && model.matches(path)),
    columns: [
      column('bytes', `Bytes that were ${what}`),
      shareColumn('bytes', 'Bytes', (row) => row.bytes,
        leaks.reduce((sum, { bytes }) => sum + bytes, 0)),
      column('objects', 'Number of these objects'),
      column('allocations', 'Allocations along this path'),
      { ...column('path', 'The last five callers, outermost first'), left: true },
    ] });
}

// Sums BINS by powers of two.  The size of a class is the largest in it; bins
// without a size have classes of their own.
function sizeClasses(bins, keys) {
  const classes = new Map();
  const classOf = ({ size, kind }) =>
    size === null ? kind : String(2 ** Math.ceil(Math.log2(Math.max(size, 1))));
  for (const bin of bins) {
    const key = classOf(bin);
    if (!classes.has(key)) classes.set(key, { key,
      size: bin.size === null ? Infinity : Number(key) });
    const sum = classes.get(key);
    for (const its of keys) sum[its] = (sum[its] ?? 0) + bin[its];
  }
  return [...classes.values()].sort((a, b) => a.size - b.size);
}

function sizesChart(model) {
  const { profile, measure } = model;
  const { key: now, noun } = measure;
  const old = beforeOf(now);
  const rows = sizeClasses(profile.bins, profile.compared ? [now, old] : [now])
    .filter((row) => row[now] > 0 || row[old] > 0);
  const most = Math.max(...rows.map((row) => Math.max(row[now],
    row[old] ?? 0)));
  const labelOf = ({ key, size }) => size === Infinity ? key
    : size <= 2 ? String(size) : `${number(size / 2 + 1)} to ${number(size)}`;
  const column = (name, value) => {
    const made = element('span', { class: name });
    made.style.height = `${(100 * value) / most}%`;
    return made;
  };
  return element('section', { class: 'card chart' },
    element('h2', {}, `Size in bytes of one object: ${noun}`),
    element('ol', { class: 'histogram' }, rows.map((row) => {
      const title = `${labelOf(row)}: ${
        amount(model, measure, figuresOf(row))}`;
      return element('li', { title },
        element('span', { class: 'note' }, profile.compared
          ? signed(row[now] - row[old]) : percent(row[now],
            profile.totals[now])),
        element('span', { class: 'room', role: 'img', 'aria-label': title },
          profile.compared && column('old', row[old]),
          column('now', row[now])),
        element('span', { class: 'size' }, labelOf(row)));
    })));
}

// The table of contexts: distinct chains of visible functions with something
// allocated at their end.

const CHAIN_ENDS = 4;

// The functions on the chain of NODE.  A button stands for the middle of a long
// chain.
function chainCell(tree, node) {
  const chain = chainOf(tree, node).map((id) => tree.functions[id]);
  const links = (part) => part.flatMap((fn, i) =>
    i === 0 ? [functionLink(fn)] : [' › ', functionLink(fn)]);
  const cell = element('span');
  const middle = chain.length - CHAIN_ENDS - 1;
  if (middle < CHAIN_ENDS) cell.append(...links(chain));
  else cell.append(...links(chain.slice(0, 1)), ' › ',
    button(`${number(middle)} more`,
      () => cell.replaceChildren(...links(chain)), { class: 'middle' }),
    ' › ', ...links(chain.slice(-CHAIN_ENDS)));
  return cell;
}

function contextsView(shell) {
  const { model, model: { tree, sums: { self }, profile: { terms } } } = shell;
  const marks = markChains(tree, tree.functions.map((fn) =>
    model.matches(fn.name)));
  const rows = [];
  for (let node = 1; node < tree.count; node++)
    if (marks[node] && model.shows(figuresAt(self, node))) rows.push(node);
  const figures = (node) => figuresAt(self, node);
  return table(shell, 'contexts', { caption: terms.chains, rows,
    nouns: terms.chain, tie: (node) => node,
    columns: [
      ...measureColumns(model, terms.end, figures, { categories: true }),
      ...callColumns(model, figures,
        'Calls of the last function along this chain',
        'Allocations whose chain is this one or begins with it'),
      { key: 'chain', label: terms.path, left: true,
        help: 'From the root to the end',
        value: (node) => tree.functions[tree.functionOf[node]].name,
        cell: (node) => chainCell(tree, node) },
    ] });
}
