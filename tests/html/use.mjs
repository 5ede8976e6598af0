// SPDX-License-Identifier: LGPL-2.1-or-later

// What one does with the page: zoom, search, sort, filter, turn it upside
// down, go from function to function and back, switch to dark.  Figures are known by hand:
//
//   MAIN ── PARSE ── READ-TOKEN      200 conses, 3,200 bytes, 10 calls
//     │       └───── INTERN           50 strings, 4,800 bytes, 50 calls
//     ├──── PRINT ── READ-TOKEN      100 conses, 1,600 bytes,  5 calls
//     └──── itself                    10 floats,   160 bytes
//                               in all 360 objects, 9,760 bytes

import { scratch } from './browser.mjs';
import { ProfileEncoder } from './encode_profile.mjs';

const cons = { category: 'cons', type: 'CONS' };
const string = { category: 'struct', type: 'STRING' };
const float = { category: 'float', type: 'DOUBLE-FLOAT' };

function profile() {
  const p = new ProfileEncoder();
  p.allocate(['A::MAIN', 'A::PARSE', 'A::READ-TOKEN'], 200, 3200, cons);
  p.allocate(['A::MAIN', 'A::PARSE', 'INTERN'], 50, 4800, string);
  p.allocate(['A::MAIN', 'A::PRINT', 'A::READ-TOKEN'], 100, 1600, cons);
  p.allocate(['A::MAIN'], 10, 160, float);
  p.activate(['A::MAIN'], 1);
  p.activate(['A::MAIN', 'A::PARSE'], 2);
  p.activate(['A::MAIN', 'A::PRINT'], 1);
  p.activate(['A::MAIN', 'A::PARSE', 'A::READ-TOKEN'], 10);
  p.activate(['A::MAIN', 'A::PARSE', 'INTERN'], 50);
  p.activate(['A::MAIN', 'A::PRINT', 'A::READ-TOKEN'], 5);
  return p;
}

const near = (a, b) => Math.abs(a - b) < 1e-3;
const layout = (frames) => frames.map((f) => `${f.row} ${f.name}`);

async function flameGraph(tests, page) {
  const frames = await page.frames();
  tests.equal(layout(frames).sort(), ['0 all', '1 A::MAIN', '2 A::PARSE',
    '2 A::PRINT', '3 A::READ-TOKEN', '3 A::READ-TOKEN', '3 INTERN'],
  'a frame for each chain');
  tests.equal(frames.find((f) => f.name === 'A::PARSE').title,
'A::PARSE: 8,000 bytes, 81.9 %\nself 0 bytes\n2 calls here',
  'frames say what they are');
  tests.check(near(frames.find((f) => f.name === 'A::PARSE').share,
    8000 / 9760), 'and are as wide as their bytes');
  tests.check(near(frames.find((f) => f.name === 'INTERN').x, 0),
    'the heaviest stands first');

  tests.equal(await page.text('.hint'),
    '81.9 % of the bytes are allocated in or below A::PARSE: 2 calls × ' +
    '4.00 kB.',
    'and a hint says where half of it goes');

  await page.clickFrame('A::PARSE');
  const zoomed = await page.frames();
  tests.equal(layout(zoomed).sort(), ['0 all', '1 A::MAIN', '2 A::PARSE',
    '3 A::READ-TOKEN', '3 INTERN'], 'zoom: callers, and what is below');
  tests.check(near(zoomed.find((f) => f.name === 'A::PARSE').share, 1) &&
    near(zoomed.find((f) => f.name === 'INTERN').share, 0.6),
  'zoom: shares of what is zoomed to');
  tests.equal(await page.text('.details'),
    'A::PARSE8,000 bytes81.9 %self 0 bytes2 calls hereA', 'zoom: figures of the frame');
  await page.clickFrame('all');
  tests.equal((await page.frames()).length, 7, 'zoom: out by the whole');

  await page.tick('invert', true);
  const inverted = await page.frames();
  tests.equal(inverted.map((f) => `${f.row} ${f.name} ${
    /: ([\d,]+)/.exec(f.title)[1]}`).sort(),
  ['0 all 9,760', '1 A::MAIN 160', '1 A::READ-TOKEN 4,800', '1 INTERN 4,800',
    '2 A::PARSE 3,200', '2 A::PARSE 4,800', '2 A::PRINT 1,600',
    '3 A::MAIN 1,600', '3 A::MAIN 3,200', '3 A::MAIN 4,800'],
  'inverted: callers below what allocates');
  await page.clickFrame('A::READ-TOKEN');
  tests.check(near((await page.frames()).find((f) => f.name === 'A::PRINT')
    .share, 1 / 3), 'inverted: zoom');
  await page.clickFrame('all');
  await page.tick('invert', false);

  await page.page.click('label:has(#measure-allocs)');
  await page.settle();
  tests.check(near((await page.frames()).find((f) => f.name === 'A::PARSE')
    .share, 250 / 360), 'allocations instead of bytes');
  await page.page.click('label:has(#measure-bytes)');
  await page.tick('by-category', true);
  const fills = new Map((await page.frames()).map((f) => [f.name, f.fill]));
  tests.check(fills.get('INTERN') !== fills.get('A::READ-TOKEN'),
    'colours by category');
  await page.tick('by-category', false);
}

async function search(tests, page) {
  await page.search('^a::(parse|read)');
  tests.equal(await page.text('#found'), '2 matches, with everything ' +
    'below: 9,600 bytes, 98.3 %', 'search: each chain counts once');
  const frames = await page.frames();
  const matching = frames.filter((f) => /^A::(PARSE|READ)/.test(f.name));
  tests.check(new Set(matching.map((f) => f.fill)).size === 1 &&
    frames.every((f) => matching.includes(f) ||
      f.fill !== matching[0].fill), 'search: matching frames stand out');
  await page.go('#/functions');
  tests.equal((await page.rows('.functions')).map((r) => r.function).sort(),
    ['A::PARSE', 'A::READ-TOKEN'], 'search: narrows the tables');
  await page.search('(');
  tests.equal(await page.page.getAttribute('#search', 'aria-invalid'), 'true',
    'search: an invalid regular expression is marked');
  tests.equal(await page.text('#fault'), "search: '(': Invalid regular " +
    'expression: /(/i: Unterminated group', 'search: and what is wrong is said');
  await page.search('nowhere');
  await page.go('#/');
  tests.equal(await page.text('#found'),
    'No match', 'search: nothing found');
  await page.search('');
  tests.equal(await page.text('#found'), null, 'search: gone');
}

async function sorting(tests, page) {
  await page.go('#/functions');
  const names = async () =>
    (await page.rows('.functions')).map((r) => r.function);
  tests.equal(await names(),
    ['A::READ-TOKEN', 'INTERN', 'A::MAIN', 'A::PARSE', 'A::PRINT'],
    'sorted by self bytes, ties by name');
  tests.equal(await page.page.$$eval('.functions th .key', (keys) =>
    keys.map(({ textContent }) => textContent)),
  ['cons', 'float', 'struct', 'other'], 'the heading has the categories in words');
  const press = (label) => page.page.click(`th button:text-is("${label}")`);
  await press('calls');
  tests.equal(await names(),
    ['INTERN', 'A::READ-TOKEN', 'A::PARSE', 'A::MAIN', 'A::PRINT'],
    'sorted by calls, largest first');
  await press('calls');
  tests.equal(await names(),
    ['A::MAIN', 'A::PRINT', 'A::PARSE', 'A::READ-TOKEN', 'INTERN'],
    'and smallest first');
  tests.equal(await page.page.evaluate(() =>
    document.querySelector('th[aria-sort="ascending"]').textContent),
  'calls', 'which the heading says');
  await page.page.keyboard.press('Enter');
  tests.equal((await names())[0], 'INTERN',
    'the heading keeps the focus: Enter turns it');
  await press('function');
  tests.equal((await names())[0], 'A::MAIN', 'sorted by name');
  tests.equal(await page.page.evaluate(() =>
    [...document.querySelectorAll('.functions .legend dt')].length),
  await page.page.evaluate(() =>
    [...document.querySelectorAll('.functions th')].length),
  'each column is explained');
}

async function navigation(tests, page) {
  await page.go('#/functions');
  await page.follow('.functions a:text-is("A::READ-TOKEN")');
  await page.settle();
  tests.equal(await page.text('.function-page h1'), 'A::READ-TOKEN',
    'a click opens the function');
  const figures = await page.page.evaluate(() =>
    [...document.querySelectorAll('.figure strong')].map((s) =>
      s.textContent));
  tests.equal(figures, ['4,800', '300', '4,800', '300', '15'],
    'with its figures');
  tests.equal((await page.rows('.callers')).map((r) => [r.caller, r['%']]),
    [['A::PARSE', '66.6 %'], ['A::PRINT', '33.3 %']], 'and its callers');
  await page.follow('.callers a:text-is("A::PARSE")');
  await page.settle();
  await page.follow('.callers a:text-is("A::MAIN")');
  await page.settle();
  tests.equal((await page.rows('.callers')).map((r) => [r.caller,
    r.bytes, r.calls]), [['<root>', 9760, 1]], 'up to the root');
  await page.page.goBack();
  await page.page.goBack();
  await page.settle();
  tests.equal(await page.text('.function-page h1'), 'A::READ-TOKEN',
    'and back twice');
  await page.page.click('text=Find in the flame graph');
  await page.settle();
  tests.equal(await page.text('#found'), '1 match, with everything ' +
    'below: 4,800 bytes, 49.1 %', 'it is found in the flame graph');
  await page.search('');
  await page.go('#/types');
  await page.follow('.types a:text-is("CONS")');
  await page.settle();
  tests.equal((await page.rows('.type')).map((r) =>
    [r.function, r.bytes, r.allocs]), [['A::READ-TOKEN', 4800, 300]],
  'a type knows its functions');
  await page.page.click('text=Show only this type everywhere');
  await page.go('#/');
  tests.equal((await page.frames())[0].title, 'all: 4,800 bytes, 100 %',
    'and can be the only one');
  tests.equal(await page.text('#selection-text'),
    'Selected: 4,800 of 9,760 bytes, 300 of 360 allocations',
    'which is said');
  await page.page.click('#reset');
}

async function schemes(tests, browser, page, data) {
  const ground = (p) => p.page.evaluate(() =>
    getComputedStyle(document.body).backgroundColor);
  const light = await ground(page);
  await page.go('#/');
  const fill = (await page.frames())[1].fill;
  await page.page.click('#scheme');
  await page.settle();
  tests.check(light === 'rgb(246, 247, 249)' &&
    (await ground(page)) === 'rgb(20, 23, 27)', 'the switch makes it dark');
  tests.check((await page.frames())[1].fill !== fill, 'the flame graph too');
  await page.page.click('#scheme');
  tests.equal(await ground(page), light, 'and light again');
  const dark = await browser.open('dark', data, [], { colorScheme: 'dark' });
  tests.equal(await ground(dark), 'rgb(20, 23, 27)',
    'dark where the system is dark');
  await dark.page.click('#scheme');
  tests.equal(await ground(dark), light, 'which the switch overrides');
  await dark.close();
}

// Means that are no whole numbers, and figures that three digits round up.
async function digits(tests, browser) {
  const p = new ProfileEncoder();
  p.allocate(['A::MAIN', 'A::MANY'], 7000, 999999, string);
  p.allocate(['A::MAIN', 'A::FEW'], 1, 998, string);
  p.activate(['A::MAIN'], 1);
  p.activate(['A::MAIN', 'A::MANY'], 7000);
  p.activate(['A::MAIN', 'A::FEW'], 1);
  const page = await browser.open('digits',
    scratch(browser.folder, 'digits.data', p));
  tests.equal(await page.page.evaluate(() =>
    [...document.querySelectorAll('.bars .note')].map((n) => n.textContent)),
  ['1 call × 1.00 MB', '7,000 calls × 143 B', '1.00 MB', '998 B', '1.00 MB'],
  'three digits, and the unit that suits them');
  await page.close();
}

// A function that calls itself, and is called from two places: what is said
// of it first is what its page says.
async function recursion(tests, browser) {
  const p = new ProfileEncoder();
  const main = 'A::MAIN';
  const walk = 'B::WALK';
  p.allocate([main, walk], 10, 1000, cons);
  p.allocate([main, walk, walk], 30, 3000, cons);
  p.allocate([main, 'B::OTHER', walk], 5, 500, cons);
  p.activate([main], 1);
  p.activate([main, walk], 2);
  p.activate([main, walk, walk], 3);
  p.activate([main, 'B::OTHER'], 1);
  p.activate([main, 'B::OTHER', walk], 1);
  const page = await browser.open('recursion',
    scratch(browser.folder, 'recursion.data', p));
  tests.equal(await page.text('.hint'), '100 % of the bytes are allocated in ' +
    'or below B::WALK: 6 calls × 750 B, for A::MAIN (1 call × 4.50 kB).',
  'recursion: the hint has all calls of the function');
  tests.equal(await page.page.evaluate(() =>
    [...document.querySelectorAll('.bars')][0].innerText.split('\n')
      .filter((line) => line.includes('×'))),
  ['1 call × 4.50 kB', '2 calls × 2.00 kB', '3 calls × 1.00 kB'],
  'recursion: the path has the calls of each frame');
  await page.follow('.hint a:text-is("B::WALK")');
  await page.settle();
  tests.equal(await page.page.evaluate(() => {
    const figure = [...document.querySelectorAll('.figure')].pop();
    return [...figure.children].map((part) => part.textContent);
  }), ['calls', '6', '750 inclusive bytes per call'], 'recursion: as its page says');
  await page.close();
}

// What is said names the program's own code, though ECL's passes all on.
async function ownCode(tests, browser) {
  const p = new ProfileEncoder();
  p.allocate(['A::MAIN', 'APPLY', 'A::STEP', 'MAPCAR', 'LIST'], 9, 900, cons);
  p.allocate(['A::MAIN', 'SORT'], 1, 100, cons);
  const page = await browser.open('own-code',
    scratch(browser.folder, 'own-code.data', p));
  tests.check((await page.text('.hint')).startsWith(
    '90.0 % of the bytes are allocated in or below A::STEP'),
  'own code: the hint names it');
  tests.equal(await page.page.$$eval('.bars', ([path]) =>
    [...path.querySelectorAll('.who')].map((who) => who.textContent)),
  ['A::MAIN', 'A::STEP'], 'own code: so does the path');
  await page.close();
}

// Calls of C functions are not known: blank, and last in either order.
async function unknownCalls(tests, browser) {
  const data = `${process.env.GOLDEN}/unknown-calls.data`;
  const page = await browser.open('unknown-calls', data);
  await page.go('#/functions');
  for (const order of ['largest', 'smallest']) {
    await page.page.click('th button:text-is("calls")');
    tests.equal((await page.rows('.functions')).slice(-4).map((r) =>
      [r.function, r.calls, r['bytes / call']]).sort(),
    ['each', 'sort', 'start', 'visit'].map((name) => [name, '', '']),
    `unknown calls are last, ${order} first`);
  }
  await page.follow('.functions a:text-is("sort")');
  await page.settle();
  tests.equal((await page.page.evaluate(() =>
    [...document.querySelectorAll('.figure strong')].map((s) =>
      s.textContent))).slice(-1), ['unknown'], 'its page says so');
  tests.equal(page.faults, [], 'unknown calls: no request, nothing said');
  await page.close();
}

// No page is wider than its window; only wide tables scroll, by themselves.
async function narrow(tests, browser, data) {
  for (const width of [320, 480, 800]) {
    const page = await browser.open('narrow', data, [],
      { viewport: { width, height: 800 } });
    const wide = [];
    for (const view of ['', 'functions', 'types', 'contexts', 'about',
      'function/1']) {
      await page.go(`#/${view}`);
      if (await page.page.evaluate(() =>
        document.documentElement.scrollWidth > innerWidth)) wide.push(view);
    }
    tests.equal(wide, [], `no view is wider than ${width} pixels`);
    await page.close();
  }
}

export async function testUse(tests, browser) {
  const data = scratch(browser.folder, 'use.data', profile());
  const page = await browser.open('use', data);
  for (const test of [flameGraph, search, sorting, navigation])
    await test(tests, page);
  await schemes(tests, browser, page, data);
  for (const test of [narrow, digits, recursion, ownCode, unknownCalls])
    await test(tests, browser, data);
  tests.equal(page.faults, [], 'use: no request, nothing said');
  await page.close();
}
