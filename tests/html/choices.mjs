// SPDX-License-Identifier: LGPL-2.1-or-later

// Focus, ignore and hide in the page are those of the command: they leave the
// same, by one table of cases for both.  And all that is chosen is in the
// address.

import { readFileSync } from 'node:fs';
import { scratch } from './browser.mjs';
import { GOLDEN, arcsOfExport, arcsOfPage, byName, chainOf, contextsOfExport,
  contextsOfPage, exported, functionsOfExport, functionsOfPage, sizesOfExport,
  sizesOfPage, typesOfExport, typesOfPage } from './compare.mjs';
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

// The cases of left.txt: {data, options, chains: [chain, bytes], calls:
// [function, calls]}.
function readCases() {
  const cases = [];
  for (const line of readFileSync(`${GOLDEN}/left.txt`, 'utf8').split('\n')) {
    const { chains, calls } = cases.at(-1) ?? {};
    const [, number, name] = /^ *(?:calls )?([\d-]+) (.*)/.exec(line) ?? [];
    if (line.startsWith('  calls ')) calls.push([name, number]);
    else if (line.startsWith('  ')) chains.push([chainOf(name), Number(number)]);
    else if (/^[a-z]/.test(line)) {
      const [data, ...options] = line.split(' ');
      cases.push({ data, options, chains: [], calls: [] });
    }
  }
  return cases;
}

// What is a field of the page is chosen there; what it has no field for, such as
// the name of a C function of the runtime, and everything where that is a page of
// groups, is an option of the export.
async function left(tests, browser) {
  const RUNTIME = ['--focus=cl_list', '--focus=apply'];
  const fields = /^--(focus|ignore|hide|system=hide|phase|thread)\b(?!-)=?(.*)/;
  for (const { data, options, chains, calls } of readCases()) {
    const grouped = options.some((option) => option.startsWith('--by'));
    const chosen = grouped ? []
      : options.filter((option) => !RUNTIME.includes(option))
        .map((option) => fields.exec(option)).filter(Boolean);
    const page = await browser.open('left', `${GOLDEN}/${data}.data`,
      options.filter((option) => !chosen.some(([all]) => all === option)));
    await page.open(address('functions', chosen.map(([, key, value]) =>
      (key === 'system=hide' ? ['program', '1'] : [key, value]))));
    for (const [, key, label] of chosen)
      if (key === 'phase' || key === 'thread')
        await page.page.selectOption(`#${key}`,
          { label: key === 'phase' ? `${label} time`
            : label.replace(/\W/g, '') });
    const name = `${data} ${options.join(' ')}`;
    tests.equal((await functionsOfPage(page)).map((f) =>
      [f[0], f[5] === '' ? '-' : String(f[5])]).filter(([, n]) => n !== '0')
      .sort(byName), calls.sort(byName), `left: calls of ${name}`);
    tests.equal((await contextsOfPage(page)).map(([chain, bytes]) =>
      [chain, bytes]), chains.sort(byName), `left: chains of ${name}`);
    tests.equal(page.faults, [], `left: nothing said of ${name}`);
    await page.close();
  }
}

// Random chains, against the command.
async function random(tests, browser) {
  const data = scratch(browser.folder, 'choices.data', program(60, 400, 12, 5));
  const page = await browser.open('choices', data);
  for (const choices of [{ focus: 'PARSER::F1' }, { ignore: 'SI::F' },
    { hide: ':F[0-9]*[13579]$' },
    { focus: '^NET|^SI', ignore: 'F1[0-9]$', hide: '^APP::F' }])
    await same(tests, page, data, choices, 'random');
  tests.equal(page.faults, [], 'random: no request, nothing said');
  await page.close();
}

// A call counts for what the functions are in that it was inlined into.  The
// chains of the page do not say then what else was inlined on it.
async function inlined(tests, browser) {
  const profile = new ProfileEncoder(['mprof.version=1', 'mprof.language=c']);
  for (const [chain, count] of [[['main', ['allocate', 'make', 'outer']], 7],
    [['main', ['format', 'outer']], 5], [['main', 'outer'], 3]]) {
    profile.allocate(chain, count, 8 * count, {});
    profile.activate(chain, count);
  }
  const data = scratch(browser.folder, 'inlined.data', profile);
  const page = await browser.open('inlined', data);
  for (const choices of [{}, { hide: 'outer' }])
    await same(tests, page, data, choices, 'inlined');
  for (const choices of [{ ignore: 'make' }, { focus: 'format' }]) {
    await page.open(address('functions', choices));
    tests.check((await page.rows('.functions')).every((row) =>
      !('calls' in row)), 'inlined: calls are not known', choices);
  }
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

// A function that the page does not have is not matched.
async function hiddenFunctions(tests, browser) {
  const data = `${GOLDEN}/session.data`;
  const page = await browser.open('unknown', data, ['--hide=READ']);
  const all = functionsOfExport(exported(data, '--hide=READ'));
  for (const [key, wanted] of [['focus', []], ['ignore', all]]) {
    await page.open(address('functions', { [key]: 'READ' }));
    tests.equal(await functionsOfPage(page), wanted,
      `${key} knows no functions that the page does not have`);
  }
  await page.close();
}

// Expressions are JavaScript's; what these read otherwise than the command's,
// or not at all, is said, and nothing else changes.
async function syntax(tests, browser) {
  const names = new ProfileEncoder();
  for (const name of ['a', 'aab', 'A::B', 'é', '(a)', 'a.b'])
    names.allocate([name], 1, 16, { category: 'cons', type: 'CONS' });
  const page = await browser.open('syntax',
    scratch(browser.folder, 'syntax.data', names));
  const posix = 'this is POSIX; in JavaScript, [[:digit:]] is \\d, \\< is ' +
    '\\b, and {,3} is {0,3}';
  for (const [pattern, wanted] of [['^.$', ['a', 'é']], ['\\.', ['a.b']],
    ['(?<=:)B', ['A::B']], ['(a)\\1', ['aab']], ['a{2}|\\W$', ['(a)', 'aab', 'é']],
    ['[[:alpha:]]', posix], ['\\<a', posix], ['a{,2}$', posix],
    ['(', 'Invalid regular expression: /(/: Unterminated group'],
    ['*', 'Invalid regular expression: /*/: Nothing to repeat']]) {
    await page.open(address('functions', {}));
    await page.page.fill('#focus', pattern);
    await page.page.press('#focus', 'Enter');
    const fault = typeof wanted === 'string';
    tests.equal([await page.text('#fault'),
      (await page.rows('.functions')).map((r) => r.function).sort()], fault
      ? [`focus: '${pattern}': ${wanted}`, ['(a)', 'A::B', 'a', 'a.b', 'aab',
        'é']] : ['', wanted], `syntax: ${pattern}`);
  }
  await page.close();
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
    ['view', () => page.follow('nav a[data-view=functions]')],
    ['sorting', () => page.page.click('th button:text-is("calls")')],
    ['sorting the other way', () =>
      page.page.click('th button:text-is("calls")')],
    ['a function', () => page.follow('.functions tbody a')],
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
  ["focus: '(': Invalid regular expression: /(/: Unterminated group", null,
    exported(data).functions.length],
  'address: what makes no sense is said, and counts for nothing');
  tests.equal(page.faults, [], 'address: no request, nothing said');
  await page.close();
}

export async function testChoices(tests, browser) {
  await left(tests, browser);
  await random(tests, browser);
  await inlined(tests, browser);
  await grouped(tests, browser);
  await hiddenFunctions(tests, browser);
  await syntax(tests, browser);
  await addresses(tests, browser);
}
