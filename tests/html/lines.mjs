// SPDX-License-Identifier: LGPL-2.1-or-later

// Lines of source beside what was allocated there, and sizes as a chart.  The
// figures of lines, same.mjs has.

import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mprof, scratch } from './browser.mjs';
import { ProfileEncoder } from './encode_profile.mjs';

const shown = (page) => page.page.evaluate(() =>
  [...document.querySelectorAll('.source tbody tr')].map((tr) =>
    [...tr.cells].map((td) => td.textContent)));

const MADE = 1795258066n; // when the profile was, in seconds

// A function in FILE that allocates at the lines at PLACES.
function written(folder, file, places) {
  const profile = new ProfileEncoder(['mprof.version=1', 'mprof.language=c']);
  profile.time(MADE * 1000000000n);
  for (const line of places)
    profile.allocate(['main', { name: 'make', file, line }], line, 8 * line,
      {});
  return scratch(folder, 'source.data', profile);
}

async function sources(tests, browser) {
  const file = join(browser.folder, 'odd name.c');
  const texts = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`);
  texts[11] = '</script><script>window.harm = 1</script>';
  texts[12] = `\tx = "${'é'.repeat(300)}";`;
  writeFileSync(file, texts.join('\n'));
  const data = written(browser.folder, file, [12, 29]);
  utimesSync(file, Number(MADE), Number(MADE));
  const page = await browser.open('source', data);
  const place = await page.page.evaluate(() => [...document
    .querySelectorAll('.bars a')].find((a) => a.textContent === 'make')
    .getAttribute('href'));
  await page.go(place);
  const rows = await shown(page);
  const cut = `\tx = "${'é'.repeat(197)}`;
  tests.equal(rows.map((row) => row.slice(-2)), [
    ...[8, 9, 10, 11].map((n) => [String(n), `line ${n}`]),
    ['12', texts[11]], ['13', cut],
    ...[14, 15, 16].map((n) => [String(n), `line ${n}`]), ['⋮'],
    ...[25, 26, 27, 28, 29, 30].map((n) => [String(n), `line ${n}`])],
  'source: lines with figures, and those around them');
  tests.equal(rows.filter((row) => row[0] !== '' && row.length > 1).map((row) =>
    row.slice(0, 5)), [['96', '12', '96', '12', '12'],
    ['232', '29', '232', '29', '29']], 'source: their figures');
  tests.equal(await page.page.evaluate(() => window.harm ?? null), null,
    'source: nothing of it runs');
  tests.equal(await page.text('.source p'), file,
    'source: a file that is as it was');
  tests.equal(page.faults, [], 'source: no request, nothing said');
  await page.close();
  utimesSync(file, Number(MADE) + 1, Number(MADE) + 1);
  const later = await browser.open('source', data);
  await later.go(place.split('?')[0]);
  tests.equal(await later.text('.source p'), `${file}; it has changed since ` +
    'the profile was made, and its lines may have moved',
  'source: a file that was changed since');
  await later.close();
  const about = async (...options) => {
    const page = await browser.open('about', data, options);
    await page.go('#/about');
    const text = await page.text('.about');
    await page.close();
    return /This page contains [^.]*\./.exec(text)[0];
  };
  const contains = 'This page contains names of functions, paths of files and ';
  tests.equal([await about(), await about('--no-source')],
    [`${contains}lines of 1 source file.`,
      `${contains}no lines of source files.`], 'source: what About says');
  await leftOut(tests, browser, file, data);
}

// What is read is named like source, is text, and is wanted.
async function leftOut(tests, browser, file, data) {
  const has = (...options) => {
    const out = join(browser.folder, 'left-out.html');
    mprof('export', '--format=html', '-o', out, ...options, data);
    return readFileSync(out).length;
  };
  const whole = has();
  const none = has('--no-source');
  tests.check(none < whole, 'source: --no-source leaves it out',
    `${none} ${whole}`);
  writeFileSync(file, 'text\n'.repeat(20) + '\0');
  tests.equal(has(), none, 'source: no file with a zero byte');
  const secret = join(browser.folder, 'secret.key');
  writeFileSync(secret, 'text\n'.repeat(30));
  data = written(browser.folder, secret, [12, 29]);
  tests.equal(has(), has('--no-source'), 'source: no file of another kind');
  const named = (name) => {
    const path = join(browser.folder, name);
    writeFileSync(path, 'text\n'.repeat(30));
    data = written(browser.folder, path, [12, 29]);
    return has() > has('--no-source');
  };
  const secrets = ['Secrets.c', 'db_PASSWORD.h', 'my-credentials.lisp',
    'passwd.c', 'private_key.h', 'api_key.c', 'id_rsa.h', 'id_ed25519.h',
    '.env.c', 'server.pem.h', 'tls.key.c'];
  tests.equal(secrets.filter(named), [], 'source: no file of secrets');
  const others = ['key.c', 'environment.c', 'private.h'];
  tests.equal(others.filter(named), others, 'source: others are there');
  data = written(browser.folder, browser.folder, [12, 29]);
  tests.equal(has(), has('--no-source'), 'source: no folder');
  data = written(browser.folder, '/nowhere/gone.c', [12, 29]);
  tests.equal(has(), has('--no-source'), 'source: no file at all');
}

// Powers of two: each column is the sum of the sizes that belong to it.
async function chart(tests, browser) {
  const p = new ProfileEncoder(['mprof.version=1', 'mprof.language=c']);
  for (const [count, size] of [[4, 1], [8, 2], [5, 40], [10, 64], [1, 2000]])
    p.allocate(['main', ...size > 2 ? ['read', 'grow'] : []], count,
      count * size, { bytes: size });
  p.allocate(['main', 'read', 'open', 'read'], 3, 120, { bytes: 40 });
  p.allocate(['main', 'open'], 3, 120, { bytes: 40 });
  const data = scratch(browser.folder, 'chart.data', p);
  const page = await browser.open('chart', data);
  for (const [word, wanted] of [
    ['bytes', [['1', '4 B', '0.1 %'], ['2', '16 B', '0.5 %'],
      ['33 to 64', '1.08 kB', '34.8 %'], ['> 1024', '2.00 kB', '64.5 %']]],
    ['allocs', [['1', '4', '11.7 %'], ['2', '8', '23.5 %'],
      ['33 to 64', '21', '61.7 %'], ['> 1024', '1', '2.9 %']]]]) {
    await page.open(`#/types?value=${word}`);
    tests.equal(await page.page.$$eval('.bars li', (all) => all.map((li) =>
      ['who', 'note', 'value'].map((name) =>
        li.querySelector(`.${name}`).textContent))), wanted,
    `sizes: a chart of ${word}`);
  }
  // Those of a function, with all below it, are the command's table with a focus.
  await page.open('#/functions');
  for (const [name, id] of await page.read('functions')) {
    await page.open(`#/function/${id}`);
    const { bins } = JSON.parse(mprof('export', '--format=json',
      `--focus=^${name}$`, data));
    tests.equal((await page.rows('.sizes')).map((row) =>
      [row.size, row.bytes, row.allocs]), bins.map((bin) =>
      [bin.size ?? '> 1024', bin.bytes, bin.allocations])
      .sort((a, b) => b[1] - a[1]), `sizes: in and below ${name}`);
  }
  await page.close();
}

export async function testLines(tests, browser) {
  await sources(tests, browser);
  await chart(tests, browser);
}
