// SPDX-License-Identifier: LGPL-2.1-or-later

// The chart over time: what is selected with the mouse and the keyboard is what
// mprof report has for --from and --to, in every view, and in the address.

import { mprof, scratch } from './browser.mjs';
import { LENGTH, MADE, SLICES } from './made.mjs';

const start = (slice) => slice * LENGTH / 1e9;

const reported = (data, ...options) => JSON.parse(
  mprof('export', '--format=json', ...options, data));

export async function testTimeline(tests, browser) {
  const data = scratch(browser.folder, 'timeline.data', MADE.timeline());
  const page = await browser.open('timeline', data);
  const whole = reported(data).totals;
  const box = await page.page.evaluate(() => {
    const { left, top, width, height } =
      document.querySelector('.timeline').getBoundingClientRect();
    return { left, top, width, height };
  });
  const at = (slice) => [box.left + box.width * (slice + 0.5) / SLICES,
    box.top + box.height / 2];
  const drag = async (from, to) => {
    await page.page.mouse.move(...at(from));
    await page.page.mouse.down();
    await page.page.mouse.move(...at((from + to) / 2));
    await page.page.mouse.move(...at(to));
    await page.page.mouse.up();
  };
  const selected = () => page.text('#selection-text');
  const text = ({ bytes, allocations }, window) =>
    `Selected: ${bytes.toLocaleString('en-US')} of ${
      whole.bytes.toLocaleString('en-US')} bytes, ${
      allocations.toLocaleString('en-US')} of ${
      whole.allocations.toLocaleString('en-US')} allocations, from ${window}`;

  // Both lines have one axis, which shows in the legend what is at its top.
  const heights = (key) => page.page.$$eval(`.timeline polyline.${key}`, (lines) =>
    lines.flatMap((line) => line.getAttribute('points').split(',').map((point) =>
      Number(point.split(' ')[1]))));
  const drawn = (value, most) => Number((100 * (1 - value / most)).toFixed(2));
  const slices = Array.from({ length: SLICES }, (_, i) => i);
  const inUse = (most) => slices.map((i) => drawn(i === 3 ? 0 : 1000 + i, most));
  const axes = () => page.page.$$eval('.axes-of-time span', (spans) =>
    spans.map((its) => its.textContent).slice(0, 3));
  tests.equal([await heights('in_use'), await heights('resident'), await axes()],
    [inUse(1500), [], ['1.50 kB', '750 B', '0']], 'memory in use');
  await page.page.check('#resident');
  tests.equal([await heights('in_use'), await heights('resident'), await axes()],
    [inUse(6000), slices.map((i) => drawn(5000 + i, 6000)),
      ['6.00 kB', '3.00 kB', '0']], 'and resident memory');
  const names = reported(data).functions.filter((fn) => fn.self_bytes > 0)
    .sort((x, y) => y.self_bytes - x.self_bytes).map(({ name }) => name);
  tests.equal(await page.page.$$eval('.legend-of-time > span', (spans) =>
    spans.map((its) => its.textContent)), ['memory in use', 'memory resident',
    'most in use: 1.01 kB at 12.84 s', 'garbage was collected, first at 2.14 s',
    'bytes per second:', ...names], 'a legend');
  const rates = slices.filter((i) => i !== 5).map((i) => reported(data, `--from=${start(i)}`,
    ...i + 1 < SLICES ? [`--to=${start(i + 1)}`] : []).totals.bytes / 1.07);
  const top = await page.text('.axes-of-time span:nth-child(4)');
  tests.equal(top, `${[1.5, 2, 3, 4, 5].find((most) =>
    1000 * most >= Math.max(...rates)).toPrecision(3)} kB/s`, 'an axis of rates');

  await page.page.mouse.move(...at(3));
  const third = reported(data, `--from=${start(3)}`, `--to=${start(4)}`).totals;
  tests.equal(await page.text('.details-of-time'), `3.21 s to 4.28 s: ${
    third.bytes.toLocaleString('en-US')} bytes, memory resident 5.00 kB, 5 collections of garbage`,
  'the slice under the pointer');

  for (const [from, to] of [[2, 6], [9, 7], [0, 4], [8, SLICES - 1], [5, 5.3]]) {
    await drag(from, to);
    const [first, end] = [Math.min(from, to), Math.floor(Math.max(from, to)) + 1];
    if (first + 1 === end) { // a click: everything
      tests.equal(await page.page.isHidden('#selection'), true, 'a click: all');
      continue;
    }
    const options = [...first > 0 ? [`--from=${start(first)}`] : [],
      ...end < SLICES ? [`--to=${start(end)}s`] : []];
    const wanted = reported(data, ...options);
    tests.equal(await selected(), text(wanted.totals,
      `${start(first)} s to ${end < SLICES ? `${start(end)} s` : 'the end'}`),
    `dragged from ${from} to ${to}`);
  }

  await page.page.focus('.timeline');
  for (const key of ['ArrowRight', 'ArrowRight', 'Shift+ArrowRight', 'ArrowLeft'])
    await page.page.keyboard.press(key);
  tests.equal(await selected(),
    text(reported(data, `--to=${start(2)}`).totals, '0 s to 2.14 s'), 'by keys');
  const copy = await page.copy(browser, new URL(page.page.url()).hash);
  tests.equal(await copy.text('#selection-text'), await selected(),
    'the address has it');
  await copy.close();
  tests.equal(await page.page.isDisabled('#measure-live'), true,
    'what is alive has no time');
  await page.page.keyboard.press('Escape');
  tests.equal(await page.page.isHidden('#selection'), true, 'Escape: all');
  tests.equal(page.faults, [], 'no faults');
  await page.close();

  await testInUse(tests, browser);
  const narrowed = await browser.open('timeline-part', data, [`--from=${start(2)}`]);
  tests.equal((await narrowed.frames())[0].title.split('\n')[0], `all: ${
    reported(data, `--from=${start(2)}`).totals.bytes.toLocaleString('en-US')
  } bytes, 100 %`, 'a page of a part of time');
  await narrowed.close();
  const both = await browser.open('timeline-base', data, [`--base=${data}`]);
  tests.equal(await both.page.isVisible('.timeline'), false,
    'a comparison has none');
  tests.equal(both.faults, [], 'and no faults');
  await both.close();
}

// What the file has that the page saves, as rows of cells.
async function saved(page) {
  const [download] = await Promise.all([page.page.waitForEvent('download'),
    page.page.click('#csv')]);
  const { createReadStream } = await import('node:fs');
  const stream = createReadStream(await download.path());
  let text = '';
  for await (const part of stream) text += part;
  return text.trim().split('\r\n').map((line) =>
    line.split(',').map((cell) => JSON.parse(cell)));
}

// The functions with most in use over all slices, and what each slice has of
// them, are those that mprof export has for --at; a click selects a time.
async function testInUse(tests, browser) {
  const data = scratch(browser.folder, 'in-use.data', MADE['in-use']());
  const page = await browser.open('in-use', data);
  await page.open('#/?value=kept');
  const at = Array.from({ length: SLICES }, (_, i) =>
    new Map(reported(data, `--at=${(start(i) + 1e-9).toFixed(9)}`).functions.map((fn) =>
      [fn.name, fn.self_bytes])));
  const all = (name) => at.reduce((sum, its) => sum + (its.get(name) ?? 0), 0);
  const names = [...new Set(at.flatMap((its) => [...its.keys()]))].sort((a, b) =>
    all(b) - all(a));
  const shown = names.slice(0, 5);
  const [head, ...rows] = await saved(page);
  tests.equal(head, ['from', 'to', 'bytes in use', 'bytes resident', 'collections',
    ...[...shown, 'other functions'].map((name) => `bytes in use: ${name}`)],
  'the functions with most in use');
  tests.equal(rows, at.map((its, i) => {
    const whole = [...its.values()].reduce((sum, value) => sum + value, 0);
    const parts = shown.map((name) => its.get(name) ?? 0);
    return [start(i), start(i + 1), whole, 20000 + i, 0, ...parts,
      whole - parts.reduce((sum, value) => sum + value, 0)];
  }), 'the numbers of the charts');
  const selection = async () => {
    const { left, top, width } = await page.page.evaluate(() =>
      document.querySelector('.timeline').getBoundingClientRect().toJSON());
    await page.page.mouse.click(left + width * 4.5 / SLICES, top + 20);
    return page.text('#selection-text');
  };
  const { bytes } = reported(data, `--at=${start(4)}`).totals;
  tests.equal((await selection()).split(' of ')[0],
    `Selected: ${bytes.toLocaleString('en-US')}`, 'a click selects a time');
  tests.equal((await page.text('#selection-text')).split(', ').at(-1),
    'in use at 5.35 s', 'and says which');
  tests.equal((await page.frames())[0].title.split('\n')[0],
    `all: ${bytes.toLocaleString('en-US')} bytes in use, 100 %`,
    'in the flame graph, too');
  tests.equal((await page.text('.bars .note')).split(' ').slice(1, 3),
    ['objects', '×'], 'averages are of objects');
  await page.go('#/functions');
  tests.equal((await page.page.$$eval('.functions th', (all) =>
    all.map((th) => th.textContent))).filter((name) => name.includes('/')),
  ['bytes / object'], 'in the table, too');
  await page.go('#/');
  await selection();
  tests.equal(await page.page.isHidden('#selection'), true, 'once more: all');
  tests.equal(page.faults, [], 'no faults');
  await page.close();
}
