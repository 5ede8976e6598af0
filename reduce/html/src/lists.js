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
      'Allocations with the function on their chain, once for each caller there'),
    ...(model.callsKnown || !lisp) && !compared ? [{ key: 'each',
      label: `bytes / ${callNouns(model)[0].replace('ation', '')}`,
      help: `Self bytes per ${callNouns(model)[0]}`,
      value: ({ self }) => average(self('bytes'),
        self(lisp ? 'calls' : 'allocations')) }] : [],
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
    sizes(shell, model.sums.bins, model.total, ''),
  ];
}

// A chart and a table of the sizes of objects, with the figures of COLUMN, parts
// of WHOLE.
function sizes(shell, column, whole, where) {
  const { model, model: { profile } } = shell;
  const rows = withFigures('bin', profile.bins, column)
    .filter(({ figures }) => model.shows(figures))
    .sort((a, b) => (a.bin.size ?? Infinity) - (b.bin.size ?? Infinity) || 0);
  return [sizesChart(model, rows, whole, where), table(shell, 'sizes', {
    caption: `Sizes${where}`, nouns: ['size', 'sizes'], first: 20, rows,
    tie: ({ bin }) => bin.id,
    columns: [
      { key: 'size', label: 'size', help: 'Bytes of one object' +
        (profile.lisp ? '. "grown": bodies of objects that grew later; ' +
          '"unknown": the objects were not counted' : ''),
      value: ({ bin }) => bin.size ?? Infinity,
      cell: ({ bin: { size, kind } }) => size ?? kind },
      ...measureColumns(model, 'Objects of that size', (row) => row.figures,
        { whole, shares: true }),
      { key: 'name', label: 'types', left: true,
        help: 'Types of that size in the whole profile, most bytes first',
        value: ({ bin }) => bin.names },
    ] })];
}

// The page of a type: the functions that allocate it.
function typeView(shell, id) {
  const { model, model: { profile, profile: { terms }, tree } } = shell;
  if (profile.types[id] === undefined)
    return element('p', {}, 'There is no such type.');
  const { type, figures: whole } = model.types[id];
  const rows = withFigures('fn', tree.functions, model.sums.functionsOf(id))
    .filter(({ figures }) => allocates(figures, profile));
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

// A table of the threads or regions, with MORE columns.  A click shows only one.
function labelsTable(shell, label, caption, what, more = []) {
  const { model } = shell;
  const key = `${label}s`;
  return table(shell, key, { caption, nouns: [label, key],
    tie: (row) => row[label].id,
    rows: withFigures(label, model.profile[key], model.sums[key]).filter((row) =>
      (label === 'region' || model.shows(row.figures)) &&
      model.matches(row[label].name)),
    columns: [
      nameColumn(label, `The name. Click to show only this ${label}`,
        (row) => row[label], ({ id, name }) => button(name,
          () => shell.choose({ [label]: String(id) }), { class: 'name' })),
      ...measureColumns(model, what, (row) => row.figures,
        { shares: true, categories: true }),
      ...more,
    ] });
}

// The figures of a region include those inside it.
function regionsView(shell) {
  const { model } = shell;
  return [
    model.narrowed && element('p', { class: 'quiet' }, 'Bytes and ' +
      'allocations are those selected. Entries and seconds are of the whole run.'),
    labelsTable(shell, 'region', 'Regions', 'Allocated in the region and ' +
      'those inside it, whose names begin with its name', [
        { key: 'entered', label: 'entered', help: 'Entries by all threads',
          value: ({ region }) => region.entered },
        { key: 'seconds', label: 'seconds',
          help: 'Time in the region, summed over threads',
          value: ({ region }) => region.nanoseconds,
          cell: ({ region }) => (region.nanoseconds / 1e9).toFixed(6) },
        ...model.profile.lisp ? [] : [{ key: 'held', label: 'held',
          help: 'Bytes of these that were live when it was last left',
          value: ({ region }) => region.held_bytes ?? NaN }],
      ])];
}

// The view of leaks, which the reducer makes: chains do not have what is lost
// by way of other objects.
function leaksView(shell) {
  const { model, model: { profile: { leaks, lineLeaks, keys } } } = shell;
  if (model.narrowed || model.tests.hide !== null)
    return element('p', { class: 'quiet' }, 'Leaks are known only without ' +
      'filters. Choose "Show all" to see them.');
  const what = keys.includes('lost_bytes') ? 'lost, directly or indirectly'
    : 'never freed';
  const column = (key, help) => ({ key, label: key, help,
    value: (row) => row[key] });
  const leaksTable = (name, of, all) => table(shell, name, {
    caption: `Leaks: what was ${what}${of}`, nouns: ['path', 'paths'],
    rows: all.filter(({ bytes, objects, path }) =>
      (bytes > 0 || objects > 0) && model.matches(path)),
    columns: [
      column('bytes', `Bytes that were ${what}`),
      shareColumn('bytes', 'Bytes', (row) => row.bytes,
        all.reduce((sum, { bytes }) => sum + bytes, 0)),
      column('objects', 'Number of these objects'),
      column('allocations', 'Allocations along this path'),
      { ...column('path', 'The last five callers, outermost first'), left: true },
    ] });
  return [leaksTable('leaks', '', leaks), lineLeaks.length > 0 &&
    leaksTable('line-leaks', ', by line', lineLeaks)];
}

// Returns the sizes that a bin shares with others up to a power of two.
function sizesAround({ size, kind }) {
  const most = 2 ** Math.ceil(Math.log2(Math.max(size, 1)));
  return size === null ? kind
    : most <= 2 ? String(most) : `${number(most / 2 + 1)} to ${number(most)}`;
}

// A bar for each power of two; ROWS are in the order of their sizes.
function sizesChart(model, rows, whole, where) {
  const { profile: { compared }, measure, measure: { key, noun } } = model;
  const classes = [...Map.groupBy(rows, ({ bin }) => sizesAround(bin))].map(
    ([label, its]) => {
      const sum = (of) => its.reduce((all, { figures }) => all + figures(of), 0);
      const by = compared ? sum(key) - sum(beforeOf(key)) : undefined;
      return { label, by, value: Math.abs(by ?? sum(key)),
        note: compared ? '' : brief(sum(key), measure) };
    }).filter(({ value }) => value > 0);
  return bars(`Size in bytes of one object: ${noun}${where}`, '', classes,
    compared ? Math.max(...classes.map(({ value }) => value)) : whole(key));
}

// The table of contexts: distinct chains of visible functions with something
// allocated at their end.

const CHAIN_ENDS = 4;

// The functions on the chain of NODE.  A button stands for the middle of a long
// chain.
function chainCell(tree, node) {
  const chain = chainOf(tree, node).map((id) => tree.functions[id]);
  const links = (part) => functionLinks(part, ' › ');
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
