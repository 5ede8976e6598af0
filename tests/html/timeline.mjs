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

  // Each line reaches its own highest point, and the legend says which it is.
  const heights = (key) => page.page.$eval(`.timeline polyline.${key}`, (line) =>
    line.getAttribute('points').split(',').map((point) =>
      Number(point.split(' ')[1])));
  const drawn = (value, most) => Number((100 * (1 - 0.96 * value / most))
    .toFixed(2));
  const slices = Array.from({ length: SLICES }, (_, i) => i);
  tests.equal(await heights('in_use'), slices.map((i) =>
    drawn(i === 3 ? 0 : 1000 + i, 1011)), 'memory in use has its own scale');
  tests.equal(await heights('resident'), slices.map((i) =>
    drawn(5000 + i, 5011)), 'and so has resident memory');
  tests.equal(await page.page.$$eval('.legend-of-time > span', (spans) =>
    spans.map((its) => its.textContent)), ['cons', 'float', 'struct', 'other',
    'memory in use, up to 1.01 kB on its own scale',
    'memory resident, up to 5.01 kB on its own scale',
    'garbage was collected'], 'a legend');
  const rates = slices.filter((i) => i !== 5).map((i) => reported(data, `--from=${start(i)}`,
    ...i + 1 < SLICES ? [`--to=${start(i + 1)}`] : []).totals.bytes / 1.07);
  const rate = `${(Math.max(...rates) / 1000).toPrecision(3)} kB`;
  tests.equal([await page.text('.chart-of-time .top'),
    await page.text('.chart-of-time .bottom'),
    (await page.text('.details-of-time')).split(',')[0]],
  [`${rate}/s`, '0', `at most ${rate} a second`], 'an axis');

  await page.page.mouse.move(...at(3));
  const third = reported(data, `--from=${start(3)}`, `--to=${start(4)}`).totals;
  tests.equal(await page.text('.details-of-time'), `3.21 s to 4.28 s: ${
    third.bytes.toLocaleString('en-US')} bytes, resident 5.00 kB, 5 collections of garbage`,
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
  tests.equal(await page.page.$$eval('.phases-of-time span', (spans) =>
    spans.map(({ textContent, style }) => [textContent,
      Math.round(parseFloat(style.left) * 0.12)])),
  [['load time', 0], ['run time', 4]], 'phases');
  tests.equal(page.faults, [], 'no faults');
  await page.close();

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
