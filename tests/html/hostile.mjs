// SPDX-License-Identifier: LGPL-2.1-or-later

// Names are text, whatever they hold: they show as in the report, nothing
// of them runs, loads or becomes an element.

import { readFileSync } from 'node:fs';
import { scratch, mprof } from './browser.mjs';
import { ProfileEncoder } from './encode_profile.mjs';

const names = [
  '</script><script>window.harm = 1</script>',
  '<img src=x onerror="window.harm = 2">',
  '<!-- <script>',
  ']]><svg onload="window.harm = 3">',
  `"'\`;window.harm=4;//`,
  'javascript:window.harm=5',
  '@PROFILE@ $& $1 ${window.harm=6}',
  '{{constructor.constructor("window.harm=7")()}}',
  'two\nlines\tand a tab',
  'bell\u0007 escape\u001b[31m delete\u007f',
  'line\u2028separator\u2029paragraph',
  'right \u202eto left',
  'GRÖSSE λ 漢字 😀',
  '&lt;b&gt; &amp;',
  ' blanks  around ',
  '__proto__',
  'constructor',
  'toString',
  '',
  'x'.repeat(5000),
];

const escapes = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };

// As the report writes a name: reduce/tables/text_table.h.
function shown(name) {
  return name
    .replace(/[\u0000-\u001f\u007f]/g, (c) =>
      escapes[c] ?? `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replace(/[\u0085\u2028\u2029]/g, (c) =>
      `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export async function testHostileNames(tests, browser) {
  const profile = new ProfileEncoder();
  profile.comment('mprof.program=<b onclick="window.harm=8">x</b>');
  const labels = names.map((name) => ({
    category: 'struct', type: name || 'T', class: name, thread: name,
  }));
  names.forEach((name, i) => {
    const other = names[(i + 1) % names.length];
    profile.allocate([name || 'ROOT', other || 'LEAF'], 1, 16, labels[i]);
    profile.activate([name || 'ROOT', other || 'LEAF'], 1, labels[i]);
  });
  const data = scratch(browser.folder, 'hostile.data', profile);
  const page = await browser.open('hostile', data);

  const source = readFileSync(page.file, 'utf8');
  const scripts = source.match(/<script/g).length;
  tests.equal([scripts, source.match(/<\/script>/g).length], [2, 2],
    'the file has its own two scripts');
  tests.check(!source.includes('window.harm'), 'no name is in the file as it is');

  await page.go('#/functions');
  const rows = await page.rows('.functions');
  const wanted = new Set(names.map(shown).filter((n) => n !== ''));
  wanted.add('ROOT');
  wanted.add('LEAF');
  tests.equal(rows.map((r) => r.function).sort(), [...wanted].sort(),
    'all names show as in the report');
  const report = mprof('report', '--tables=graph', '-verbose',
    '--no-legend', data);
  // A long name is cut in its middle there.
  tests.check([...wanted].every((name) => report.includes(name.slice(0, 400))),
    'and the report has them so');

  for (const view of ['', 'types', 'contexts', 'about']) {
    await page.go(`#/${view}`);
    tests.equal(await page.page.evaluate(() =>
      document.querySelectorAll('main img, main script, main b, main svg')
        .length), 0, `${view || 'overview'}: no name became an element`);
  }
  for (let i = 0; i < wanted.size; i++) await page.go(`#/function/${i}`);
  for (let i = 0; i < names.length; i++) await page.go(`#/type/${i}`);
  await page.go('#/');
  await page.tick('invert', true);
  await page.tick('program-only', true);
  await page.search('harm|<|\\\\');
  tests.equal(await page.page.evaluate(() => window.harm ?? null), null,
    'nothing ran');
  tests.equal(await page.page.title(),
    'Allocation profile of <b onclick="window.harm=8">x</b>',
    'the program is text too');
  tests.equal(page.faults, [], 'no request, no error, no dialog');

  // A script that got in by whatever way would not run.
  await page.page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.harm = 9';
    document.body.append(script);
    const frame = document.createElement('div');
    frame.innerHTML = '<img src="x" onerror="window.harm = 10">';
    document.body.append(frame);
  });
  await page.settle();
  tests.equal(await page.page.evaluate(() => window.harm ?? null), null,
    'the policy of the page lets no other script run');
  tests.check(page.faults.some((f) => /Content Security Policy/.test(f)),
    'and Chromium says so', page.faults.join('\n'));
  tests.equal(page.faults.filter((f) => f.startsWith('request: http')), [],
    'nor anything be loaded');
  await page.close();
}
