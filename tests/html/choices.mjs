// SPDX-License-Identifier: LGPL-2.1-or-later

// Expressions in the fields of the page, whose faults are said, and all that is
// chosen in its address.  What they leave, same.mjs has.

import { scratch } from './browser.mjs';
import { ProfileEncoder, program } from './encode_profile.mjs';

const { GOLDEN } = process.env;

const address = (path, choices) =>
  `#/${path}?${new URLSearchParams(choices)}`;

// Groups have no functions to choose among, and a function that the page does not
// have is not matched.
async function unknownFunctions(tests, browser) {
  const names = async (page) =>
    (await page.rows('.functions')).map((r) => r.function);
  const grouped = await browser.open('grouped', `${GOLDEN}/packages.data`,
    ['--by=package']);
  await grouped.open(address('functions', { focus: 'A' }));
  tests.equal([await grouped.text('#fault'),
    await grouped.page.isVisible('#focus'), (await names(grouped)).sort()],
  ["focus: 'A': this page shows groups, not functions", false,
    ['APP', 'CL-PPCRE', 'COMMON-LISP']],
  'a page of groups says that it has no functions');
  await grouped.close();
  const page = await browser.open('unknown', `${GOLDEN}/session.data`,
    ['--hide=EVAL']);
  await page.go('#/functions');
  const all = await names(page);
  for (const [key, wanted] of [['focus', []], ['ignore', all]]) {
    await page.open(address('functions', { [key]: 'EVAL' }));
    tests.equal(await names(page), wanted,
      `${key} knows no functions that the page does not have`);
  }
  tests.check(all.length > 3, 'there are functions', all);
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
  const copy = await browser.show(page.file);
  for (const [name, act] of steps) {
    await act();
    await page.settle();
    states.push(await state(page));
    const { hash } = states[states.length - 1];
    tests.check(hash !== states[states.length - 2].hash,
      `address: ${name} is in it`, hash);
    await copy.page.goto('about:blank');
    await copy.load(hash);
    tests.equal(await state(copy), states[states.length - 1],
      `address: a copied link shows ${name}`);
  }
  await copy.close();
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
  await page.open('#/functions');
  const { length } = await page.rows('.functions');
  await page.open('#/functions?focus=(&value=nothing&type=999&sort=x:y');
  tests.equal([await page.text('#fault'), (await state(page)).selection,
    (await page.rows('.functions')).length],
  ["focus: '(': Invalid regular expression: /(/: Unterminated group", null,
    length],
  'address: what makes no sense is said, and counts for nothing');
  tests.equal(page.faults, [], 'address: no request, nothing said');
  await page.close();
}

export async function testChoices(tests, browser) {
  await unknownFunctions(tests, browser);
  await syntax(tests, browser);
  await addresses(tests, browser);
}
