// SPDX-License-Identifier: LGPL-2.1-or-later

// Focus, ignore and hide in the page are those of the command: the same
// figures, the same words for what is no expression.  And all that is chosen
// is in the address.

import { spawnSync } from 'node:child_process';
import { scratch } from './browser.mjs';
import { GOLDEN, arcsOfExport, arcsOfPage, contextsOfExport, contextsOfPage,
  exported, functionsOfExport, functionsOfPage, sizesOfExport, sizesOfPage,
  typesOfExport, typesOfPage } from './compare.mjs';
import { ProfileEncoder, program } from './encode_profile.mjs';

const address = (path, choices) =>
  `#/${path}?${new URLSearchParams(choices)}`;

const optionsOf = (choices) =>
  Object.entries(choices).map(([key, value]) => `--${key}=${value}`);

// What PAGE shows under CHOICES is what the command exports under them.
async function same(tests, page, data, choices, name) {
  const options = optionsOf(choices);
  const lisp = exported(data, ...options);
  await page.open(address('functions', choices));
  tests.equal(await functionsOfPage(page), functionsOfExport(lisp),
    `${name}: functions with ${options.join(' ')}`);
  if (lisp.language === 'c')
    tests.equal(await sizesOfPage(page), sizesOfExport(lisp),
      `${name}: and sizes`);
  else
    tests.equal(await typesOfPage(page), typesOfExport(lisp),
      `${name}: and types`);
  tests.equal(await arcsOfPage(page, 'callee'), arcsOfExport(lisp),
    `${name}: and arcs`);
  tests.equal(await contextsOfPage(page), contextsOfExport(data, ...options),
    `${name}: and contexts`);
}

// In some profiles runtime functions match that do not show.
async function expressions(tests, browser) {
  const random = scratch(browser.folder, 'choices.data',
    program(60, 400, 12, 5));
  for (const [name, data, sets] of [
    ['widgets', `${GOLDEN}/widgets.data`, [{ focus: 'RED' },
      { hide: 'RED|BLUE' }]],
    ['recursion', `${GOLDEN}/recursion.data`, [{ hide: 'WALK' }]],
    ['mixture', `${GOLDEN}/mixture.data`, [{ focus: '^[A-Z]*$' },
      { ignore: '\\(', hide: 'MAIN' }, { hide: '.' }]],
    ['unknown-calls', `${GOLDEN}/unknown-calls.data`, [{ focus: 'sort' },
      { ignore: 'visit' }, { hide: '^sort$' }]],
    ['lines', `${GOLDEN}/lines.data`, [{ focus: '\\.c$' },
      { ignore: 'lex\\.c' }, { hide: '\\.c$' }]],
    ['widgets-c', `${GOLDEN}/widgets-c.data`, [{ focus: 'red' },
      { ignore: 'red' }, { hide: 'make_widget' }]],
    ['random', random, [{ focus: 'PARSER::F1' }, { ignore: 'SI::F' },
      { hide: ':F[0-9]*[13579]$' },
      { focus: '^NET|^SI', ignore: 'F1[0-9]$', hide: '^APP::F' }]]]) {
    const page = await browser.open('choices', data);
    for (const choices of sets) await same(tests, page, data, choices, name);
    tests.equal(page.faults, [], `${name}: no request, nothing said`);
    await page.close();
  }
}

// A call counts for what the functions are in that it was inlined into, and
// what is ignored is ignored with all of it.
async function inlined(tests, browser) {
  const profile = new ProfileEncoder(['mprof.version=1', 'mprof.language=c']);
  for (const [chain, count] of [[['main', ['allocate', 'make', 'outer']], 7],
    [['main', ['format', 'outer']], 5], [['main', 'outer'], 3]]) {
    profile.allocate(chain, count, 8 * count, {});
    profile.activate(chain, count);
  }
  const data = scratch(browser.folder, 'inlined.data', profile);
  const page = await browser.open('inlined', data);
  for (const choices of [{}, { ignore: 'make' }, { ignore: 'allocate' },
    { ignore: 'format', hide: 'outer' }, { focus: 'format' }])
    await same(tests, page, data, choices, 'inlined');
  await page.close();
}

// Groups have no functions to choose among.
async function grouped(tests, browser) {
  const data = `${GOLDEN}/packages.data`;
  const page = await browser.open('grouped', data, ['--by=package']);
  await page.open(address('functions', { focus: 'A' }));
  tests.equal([await page.text('#fault'), await page.page.isVisible('#focus'),
    (await page.rows('.functions')).length],
  ['focus: this page shows groups, not functions', false,
    exported(data, '--by=package').functions.length],
  'a page of groups says that it has no functions');
  await page.close();
}

// What does not show on a chain is matched all the same.
async function hiddenFunctions(tests, browser) {
  const data = `${GOLDEN}/session.data`;
  const page = await browser.open('unseen', data, ['--hide=READ']);
  for (const key of ['focus', 'ignore']) {
    const lisp = exported(data, '--hide=READ', `--${key}=READ`);
    await page.open(address('functions', { [key]: 'READ' }));
    tests.equal(await functionsOfPage(page), functionsOfExport(lisp),
      `${key} matches functions that the page does not show`);
  }
  await page.close();
}

// Whether the names match, by the regular expressions of the C library.
const PATTERNS = ['', 'a', 'A|^$', 'a{,2}$', '[[:alpha:]]+', '[^]a]', '[]a]',
  '[\\w]', '\\w\\b', '\\<a', 'b\\>', 'a)', '()', 'a||b', '^.$', '^..$', '[a-]',
  '[[.a.]-b]', '[[=a=]]', '\\.', '\\(', 'a{2}', 'a**', '\\`a', "b\\'", '[é]$',
  '\\d', '/', '}', '(a|b)*c', '\\s', 'x{0}y'];
const WRONG = ['(', '[', '[a', '*', '^*', 'a|*b', 'a{', 'a{x}', 'a{2,1}',
  '[b-a]', '[[:foo:]]', '\\', 'a{99999}', '(*a)', '+', '{1}', '[a-c-e]'];
const SUBJECTS = ['a', 'aab', 'é', 'A::B', '(a)', 'a b', 'a.b', '[w]', 'c/d',
  'abc}', 'x1_y', 'B'];

// The page's own test, taken out of the page: what matches, or what is wrong.
async function syntax(tests, page, data) {
  for (const pattern of [...PATTERNS, ...WRONG]) {
    const run = spawnSync(process.env.MPROF, ['export', '--format=lisp',
      `--focus=${pattern}`, data], { encoding: 'utf8' });
    await page.open(address('functions', {}));
    await page.page.fill('#focus', pattern);
    await page.page.press('#focus', 'Enter');
    const said = await page.text('#fault');
    if (run.status !== 0) {
      tests.equal(said, /mprof: --(.*)/.exec(run.stderr)[1],
        `syntax: what is wrong with ${pattern}`);
      tests.equal((await page.rows('.functions')).length, SUBJECTS.length,
        'syntax: nothing else changes');
      continue;
    }
    tests.equal(said, '', `syntax: ${pattern}`);
    const wanted = pattern === '' ? SUBJECTS
      : exported(data, `--focus=${pattern}`).functions.map((f) => f.name);
    tests.equal((await page.rows('.functions')).map((r) => r.function).sort(),
      [...wanted].sort(), `syntax: ${pattern} matches the same`);
  }
}

async function state(page) {
  return page.page.evaluate(() => ({
    hash: location.hash,
    view: document.querySelector('nav a[aria-current]').dataset.view,
    details: document.querySelector('.details')?.textContent ?? null,
    measure: document.querySelector('#measures input:checked').id,
    fields: ['focus', 'ignore', 'hide', 'search', 'type', 'thread'].map((id) =>
      document.getElementById(id).value),
    boxes: [...document.querySelectorAll('input[type=checkbox]')]
      .map((box) => box.checked),
    selection: document.querySelector('#selection').hidden ? null
      : document.querySelector('#selection-text').textContent,
    sorted: document.querySelector('th[aria-sort=ascending], ' +
      'th[aria-sort=descending]')?.textContent ?? null,
    rows: [...document.querySelectorAll('main tbody tr')].slice(0, 5)
      .map((tr) => tr.textContent),
    frames: [...document.querySelectorAll('.frame')].map((f) => f.title),
  }));
}

// Each step is an entry to go back to; a copy of the link shows the same.
async function addresses(tests, browser) {
  const data = scratch(browser.folder, 'address.data',
    program(40, 200, 10, 9));
  const page = await browser.open('address', data);
  const press = async (id, text) => {
    await page.page.fill(`#${id}`, text);
    await page.page.press(`#${id}`, 'Enter');
  };
  const steps = [
    ['focus', () => press('focus', 'PARSER')],
    ['ignore', () => press('ignore', 'F3[0-9]')],
    ['hide', () => press('hide', '^SI')],
    ['value', () => page.page.click('label:has(#measure-allocs)')],
    ['zoom', async () => page.clickFrame((await page.frames())
      .filter((f) => f.row === 2)[0].name)],
    ['search', () => page.search('F1')],
    ['inverted', () => page.tick('invert', true)],
    ['inverted zoom', async () => page.clickFrame((await page.frames())
      .filter((f) => f.row === 1)[0].name)],
    ['colours', () => page.tick('by-category', true)],
    ['view', () => page.page.click('nav a[data-view=functions]')],
    ['sorting', () => page.page.click('th button:text-is("calls")')],
    ['sorting the other way', () =>
      page.page.click('th button:text-is("calls")')],
    ['a function', () => page.page.click('.functions tbody a')],
    ['sorting there', () =>
      page.page.click('.callees th button:text-is("callee")')],
    ['type', () => page.page.selectOption('#type', { index: 1 })],
    ['thread', () => page.page.selectOption('#thread', { index: 2 })],
    ['category', () => page.tick('category-1', false)],
    ["without ECL's own", () => page.tick('program-only', true)],
  ];
  const states = [await state(page)];
  for (const [name, act] of steps) {
    await act();
    await page.settle();
    states.push(await state(page));
    const { hash } = states[states.length - 1];
    tests.check(hash !== states[states.length - 2].hash,
      `address: ${name} is in it`, hash);
    const copy = await page.copy(browser, hash);
    tests.equal(await state(copy), states[states.length - 1],
      `address: a copied link shows ${name}`);
    await copy.close();
  }
  const walk = async (move, wanted, name) => {
    for (const expected of wanted) {
      await page.page[move]();
      await page.settle();
      tests.equal(await state(page), expected, `${name} ${expected.hash}`);
    }
  };
  await walk('goBack', states.slice(0, -1).reverse(), 'back to');
  await walk('goForward', states.slice(1), 'forward to');
  await page.page.click('#reset');
  tests.equal((await state(page)).selection, null, 'and all is shown again');
  await page.open('#/functions?focus=(&value=nothing&type=999&sort=x:y');
  tests.equal([await page.text('#fault'), (await state(page)).selection,
    (await page.rows('.functions')).length],
  ["focus: '(' is not a regular expression: Unmatched ( or \\(", null,
    exported(data).functions.length],
  'address: what makes no sense is said, and counts for nothing');
  tests.equal(page.faults, [], 'address: no request, nothing said');
  await page.close();
}

export async function testChoices(tests, browser) {
  await expressions(tests, browser);
  await inlined(tests, browser);
  await grouped(tests, browser);
  await hiddenFunctions(tests, browser);
  const names = new ProfileEncoder();
  for (const name of SUBJECTS)
    names.allocate([name], 1, 16, { category: 'cons', type: 'CONS' });
  const data = scratch(browser.folder, 'syntax.data', names);
  const page = await browser.open('syntax', data);
  await syntax(tests, page, data);
  await page.close();
  await addresses(tests, browser);
}
