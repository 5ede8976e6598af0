// SPDX-License-Identifier: LGPL-2.1-or-later

// build.mjs SOURCE OUT: bundles SOURCE/src into one page and writes it to OUT
// in two pieces, page-head.html and page-tail.html; what mprof writes between
// them are the data.
//
// The page may run nothing but this one script and load nothing at all: its
// Content-Security-Policy has the hashes of script and style.  The licence
// texts of all packages that are bundled go into the page.

import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [source, out] = process.argv.slice(2).map((path) => resolve(path));

const common = {
  bundle: true,
  minify: true,
  write: false,
  target: ['chrome97', 'firefox113', 'safari16.4'],
  charset: 'utf8',
  logLevel: 'warning',
  metafile: true,
  absWorkingDir: out,
  nodePaths: [join(out, 'node_modules')],
};

const script = await build({
  ...common,
  entryPoints: [join(source, 'src/main.js')],
  format: 'iife',
  legalComments: 'inline',
  loader: { '.css': 'empty' },
});
const style = await build({
  ...common,
  entryPoints: [join(source, 'src/style.css')],
});

// The packages that something in the bundle comes from.
const packages = new Set();
for (const path of Object.keys(script.metafile.inputs)) {
  const match = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
  if (match !== null) packages.add(match[1]);
}

const licences = [...packages].sort().map((name) => {
  const folder = join(out, 'node_modules', name);
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((f) => /^licen[cs]e/i.test(f));
  if (file === undefined)
    throw new Error(`the package ${name} has no licence text`);
  const text = readFileSync(join(folder, file), 'utf8').trim();
  return `${name} ${about.version}, ${about.license}\n\n${text}\n`;
});

const hash = (text) =>
  `sha256-${createHash('sha256').update(text).digest('base64')}`;
const pieces = {
  STYLE: style.outputFiles[0].text,
  SCRIPT: script.outputFiles[0].text,
  LICENCES: licences.join(`\n${'-'.repeat(72)}\n\n`),
};
for (const [name, text] of Object.entries(pieces))
  if (/<\/(?:script|style)|<!--/i.test(text))
    throw new Error(`${name} has something that would end its element`);
pieces['STYLE-HASH'] = hash(pieces.STYLE);
pieces['SCRIPT-HASH'] = hash(pieces.SCRIPT);

const page = readFileSync(join(source, 'src/page.html'), 'utf8');
const [head, tail] = page
  .split('@PROFILE@')
  .map((part) => part.replace(/@([A-Z-]+)@/g, (_, name) => pieces[name]));
for (const [name, text] of [['page-head.html', head], ['page-tail.html', tail]])
  if (!existsSync(join(out, name)) ||
      readFileSync(join(out, name), 'utf8') !== text)
    writeFileSync(join(out, name), text);
