// SPDX-License-Identifier: LGPL-2.1-or-later

// What is said of a frame, where it is seen, and the keys that lead to it.
//
//   main ── parse (app.c:7)    100 objects, 1,600 bytes, 100 calls
//     └──── leaf through 80 functions, 10 objects, 80 bytes

import { scratch } from './browser.mjs';
import { ProfileEncoder } from './encode_profile.mjs';

function profile() {
  const p = new ProfileEncoder(['mprof.version=1', 'mprof.language=c']);
  const parse = { name: 'parse', file: '/src/app.c', line: 9, start: 7 };
  const deep = Array.from({ length: 80 }, (_, i) => `f${i}`);
  p.allocate(['main', parse], 100, 1600, {});
  p.activate(['main', parse], 100);
  p.allocate(['main', ...deep], 10, 80, {});
  return p;
}

const details = (page) => page.page.evaluate(() =>
  [...document.querySelector('.details').children].map((e) => e.textContent));

// Whether the line of details is in the window, whole.
const inView = (page) => page.page.evaluate(() => {
  const { top, bottom } = document.querySelector('.details')
    .getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
});

async function line(tests, page) {
  tests.equal(await inView(page), true, 'details: in view at the beginning');
  tests.equal((await page.frames()).find((f) => f.name === 'parse').title,
    'parse: 1,600 bytes, 95.2 %\nself 1,600 bytes\n100 allocations here\n' +
    '/src/app.c:7', 'details: a frame has them under the pointer');
  await page.page.hover('.frame >> text="parse"');
  tests.equal((await details(page)).slice(0, 6), ['parse', '1,600 bytes',
    '95.2 %', 'self 1,600 bytes', '100 allocations here', '/src/app.c:7'],
  'details: of the frame under the pointer');
  await page.page.click('label:has(#measure-allocs)');
  await page.page.hover('.frame >> text="parse"');
  tests.equal((await details(page)).slice(0, 6), ['parse', '100 allocations',
    '90.9 %', 'self 100 allocations', '1,600 bytes', 'self 1,600 bytes'],
  'details: with bytes whatever is measured');
  await page.page.evaluate(() => scrollTo(0, 600));
  tests.equal(await inView(page), true, 'details: in view further down');
  await page.page.evaluate(() => scrollTo(0, 0));
  await page.page.click('label:has(#measure-bytes)');
}

async function keys(tests, page) {
  const press = async (...pressed) => {
    for (const key of pressed) await page.page.keyboard.press(key);
    await page.settle();
  };
  await page.page.evaluate(() => document.activeElement.blur());
  await press('ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight');
  tests.equal((await details(page))[0], 'f0',
    'keys: arrows move among frames wherever the focus is');
  await press('ArrowLeft', 'f');
  tests.equal(await page.text('.function-page h1'), 'parse',
    'keys: f opens the function');
  await page.page.goBack();
  await page.settle();
  await press('ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight');
  await press(...Array(60).fill('ArrowDown'));
  tests.equal([(await details(page))[0], await inView(page)], ['f60', true],
    'keys: details of the frame stay in view');
  tests.equal(await page.page.evaluate(() => {
    const { top, bottom } = document.querySelector('.frame.chosen')
      .getBoundingClientRect();
    const line = document.querySelector('.details').getBoundingClientRect();
    return top >= 0 && bottom <= line.top;
  }), true, 'keys: and so does the frame, above them');
  await press('Enter');
  tests.equal((await page.frames()).find((f) => f.name === 'f60').share, 1,
    'keys: Enter zooms');
  await press('Escape', 'Escape');
  tests.equal((await page.frames()).find((f) => f.name === 'f58').share, 1,
    'keys: Escape zooms out');
  await press('?');
  tests.equal([await page.page.isVisible('#keys'),
    (await page.text('#keys dl')).includes('Escape')], [true, true],
  'keys: ? shows them');
  await press('Escape');
  tests.equal([await page.page.isVisible('#keys'), (await page.frames())
    .find((f) => f.name === 'f58').share], [false, 1],
  'keys: Escape closes them, and no more');
  await press('/');
  tests.equal(await page.page.evaluate(() => document.activeElement.id),
    'search', 'keys: / goes to the search');
  await page.page.keyboard.type('?/b');
  tests.equal([await page.page.isVisible('#keys'),
    await page.page.inputValue('#search')], [false, '?/b'],
  'keys: in a field they are text');
}

// The matches of a search: a frame that is not drawn is zoomed to.
async function matches(tests, page) {
  await page.open('#/');
  await page.page.mouse.move(0, 0);
  await page.search('^f[67]9?$');
  const press = async (key) => {
    await page.page.keyboard.press(key);
    return [(await details(page))[0], await page.text('#match')];
  };
  const found = ['f6', 'f7', 'f69', 'f79'];
  const at = (i) => [found[i], `${i + 1} of 4`];
  tests.equal([await press('Enter'), await press('Enter'),
    await press('Shift+Enter'), await press('Shift+Enter')],
  [0, 1, 0, 3].map(at), 'matches: Enter and Shift-Enter in the search');
  await page.page.evaluate(() => document.activeElement.blur());
  tests.equal([await press('n'), await press('n'), await press('N')],
    [0, 1, 0].map(at), 'matches: n and N');
  tests.equal(await page.page.evaluate(() => {
    const { top, bottom } = document.querySelector('.frame.chosen')
      .getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  }), true, 'matches: the frame is in the window');
  await page.open('#/?inverted=1&search=^f[67]9%3F$');
  tests.equal(await press('n'), ['f79', '1 of 4'],
    'matches: in the inverted graph, too');
  await page.open('#/types?search=^f[67]9%3F$');
  tests.equal([await page.text('#match'), await press('n')], ['', at(0)],
    'matches: from another view');
  await page.search('parse');
  tests.equal(await page.text('#match'), '', 'matches: another search');
  await page.page.keyboard.press('Enter');
  tests.equal(await page.text('#match'), '1 of 1', 'matches: the only one');
  await page.search('');
}

// Frames that their colour is the package of have names without it.
async function labels(tests, browser) {
  const p = new ProfileEncoder();
  const names = ['APP::MAIN', '(METHOD APP::DRAW (APP::PEN MYAPP::APP T))',
    '(LAMBDA :IN LIB:RUN)', '(SETF LIB::X)', 'SI:MAKE-VECTOR'];
  p.allocate(names, 1, 16, { category: 'cons', type: 'CONS' });
  const page = await browser.open('labels',
    scratch(browser.folder, 'labels.data', p));
  const texts = () => page.page.evaluate(() =>
    [...document.querySelectorAll('.frame')].map((f) => f.textContent));
  tests.equal(await texts(), ['all', 'MAIN', 'DRAW (PEN MYAPP::APP T)',
    '(LAMBDA :IN RUN)', '(SETF X)', 'SI:MAKE-VECTOR'],
  'labels: without the package that the colour says, and without METHOD');
  tests.equal((await page.frames()).map((f) => f.name), ['all', ...names],
    'labels: the name is whole under the pointer');
  await page.page.hover('.frame >> text="DRAW (PEN MYAPP::APP T)"');
  tests.equal((await details(page))[0], names[1],
    'labels: and in the line of details');
  await page.tick('by-category', true);
  const long = ['all', names[0], 'APP::DRAW (APP::PEN MYAPP::APP T)',
    ...names.slice(2)];
  tests.equal(await texts(), long,
    'labels: with the package where the colour is the category');
  await page.tick('by-category', false);
  await page.search('^.METHOD app::draw');
  tests.equal([await page.text('#found'), await texts()],
    ['1 match, with everything below: 16 bytes, 100 %', long],
    'labels: the search is for the whole name');
  await page.close();

  const cxx = new ProfileEncoder();
  const string = 'std::__cxx11::basic_string<char, std::char_traits<char>, ' +
    'std::allocator<char> >';
  cxx.allocate([`app::read(${string} const&, ${string})`], 1, 16,
    { category: 'other', type: 'T' });
  const other = await browser.open('strings',
    scratch(browser.folder, 'strings.data', cxx));
  tests.equal(await other.page.textContent('.frame:last-child'),
    'read(std::string const&, std::string)', 'labels: strings of C++');
  await other.close();
}

// On a phone a table shows few columns, until others are chosen.
async function columns(tests, browser, data) {
  const page = await browser.open('columns', data, [],
    { viewport: { width: 390, height: 844 } });
  const heads = (of) => of.page.$$eval('th', (all) => all.map((th) =>
    th.textContent));
  await page.open('#/functions');
  const few = ['function', 'self bytes', '%'];
  const seen = [await heads(page)];
  await page.page.click('.legend summary');
  await page.page.check('.legend input[value=calls]');
  seen.push(await heads(page));
  await page.page.uncheck('.legend input[value=self-bytes-share]');
  seen.push(await heads(page));
  tests.equal(seen, [few, [...few, 'calls'], ['function', 'self bytes', 'calls']],
    'columns: few on a phone, and those that are chosen');
  const copy = await page.copy(browser, new URL(page.page.url()).hash);
  tests.equal(await heads(copy), seen[2], 'columns: the address has them');
  await copy.close();
  await page.open('#/functions');
  await page.page.setViewportSize({ width: 1280, height: 900 });
  tests.equal((await heads(page)).length, await page.page.locator(
    '.legend input').count(), 'columns: all in a wide window');
  await page.close();
}

// On a phone filters are folded, and the flame graph is seen at once.
async function phone(tests, browser, data) {
  const page = await browser.open('phone', data, ['--base=' + data],
    { viewport: { width: 390, height: 844 } });
  const seen = () => page.page.isVisible('#focus');
  tests.equal([await seen(), await page.page.evaluate(() => document
    .querySelector('.flame').getBoundingClientRect().top < innerHeight * 2 / 3)],
  [false, true], 'phone: filters are folded, and the flame graph is seen');
  await page.page.click('#filters summary');
  tests.equal(await seen(), true, 'phone: a click unfolds them');
  await page.page.setViewportSize({ width: 1280, height: 900 });
  tests.equal([await seen(), await page.page.isVisible('#filters summary')],
    [true, false], 'phone: a wide window has them all');
  tests.equal(page.faults, [], 'phone: no request, nothing said');
  await page.close();
}

export async function testDetails(tests, browser) {
  const data = scratch(browser.folder, 'details.data', profile());
  const page = await browser.open('details', data);
  for (const test of [line, keys, matches]) await test(tests, page);
  for (const test of [labels, phone, columns])
    await test(tests, browser, data);
  tests.equal(page.faults, [], 'details: no request, nothing said');
  await page.close();
}
