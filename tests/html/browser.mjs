// SPDX-License-Identifier: LGPL-2.1-or-later

// A headless Chromium, pages in it, and what the tests ask of them.  Each
// page notes what it must not do: requests, errors, words on the console.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const MPROF = process.env.MPROF;

export class Tests {
  constructor() {
    this.failures = 0;
  }

  // One test; DETAIL says what was found when it is not GOOD.
  check(good, name, detail = '') {
    console.log(`${good ? 'ok' : 'not ok'} - ${name}`);
    if (good) return;
    this.failures++;
    console.log(String(detail).replace(/^/gm, '# ').slice(0, 2000));
  }

  equal(found, wanted, name) {
    const a = JSON.stringify(found);
    const b = JSON.stringify(wanted);
    let at = 0;
    while (at < a?.length && a[at] === b[at]) at++;
    this.check(a === b, name,
      `found  ...${String(a).slice(Math.max(0, at - 100), at + 150)}\n` +
      `wanted ...${String(b).slice(Math.max(0, at - 100), at + 150)}`);
  }
}

export function mprof(...args) {
  return execFileSync(MPROF, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
}

// What is read of a page; these functions run in it.
const readers = {
  // All rows of the table in SELECTOR: an object a row, by the headings;
  // numbers as numbers.
  rows(selector) {
    const section = document.querySelector(selector);
    if (section === null) return null;
    for (;;) {
      const more = section.querySelector('.more button');
      if (more === null) break;
      more.click();
    }
    const heads = [...section.querySelectorAll('th')].map((th) =>
      th.textContent.trim());
    return [...section.querySelectorAll('tbody tr')].map((tr) => {
      const row = {};
      [...tr.cells].forEach((td, i) => {
        const text = td.textContent;
        const before = heads.slice(0, i).filter((head) => head === heads[i]).length;
        row[heads[i] + (before > 0 ? before + 1 : '')] = /^-?[\d,]+$/.test(text)
          ? Number(text.replaceAll(',', '')) : text;
      });
      return row;
    });
  },

  // The functions in the table of functions: [name, number].
  functions() {
    readers.rows('.functions');
    return [...document.querySelectorAll('.functions tbody a')].map((a) =>
      [a.textContent, /\d+/.exec(a.getAttribute('href'))[0]]);
  },

  // The contexts, their chains in full.
  contexts() {
    readers.rows('.contexts');
    for (const more of document.querySelectorAll('.contexts .middle'))
      more.click();
    return readers.rows('.contexts');
  },

  // The lines of a function that have figures: file, line and these.
  lines() {
    return [...document.querySelectorAll('.source p')].flatMap((file) => {
      const table = file.nextElementSibling;
      const heads = [...table.querySelectorAll('th')].map((th) => th.textContent);
      return [...table.querySelectorAll('.counted')].map((tr) => ({
        file: file.textContent.split(';')[0],
        ...Object.fromEntries([...tr.cells].map((td, i) =>
          [heads[i], td.textContent || '0'])) }));
    });
  },

  // The frames of the graph on the page of a function: row below it, name, bytes.
  sandwich() {
    const top = (made) => parseFloat(made.style.top) / 20;
    const chosen = document.querySelector('.sandwich .chosen');
    return [...document.querySelectorAll('.sandwich .frame')].map((made) => {
      const [, name, bytes] = /^([^]*): ([\d,]+) bytes/.exec(made.title);
      return [top(made) - top(chosen), name, Number(bytes.replaceAll(',', ''))];
    });
  },

  // All tables of the address of each of WORDS, measures, with CHOICES: by word,
  // as {all, TABLE: rows, pages: [function, tables of its page]}; GRAPHED: with
  // its graph in bytes.
  everything(words, choices, graphed) {
    const go = (path, more = {}) => {
      history.replaceState(null, '', `#/${path}?${new URLSearchParams(
        { ...choices, ...more })}`);
      dispatchEvent(new Event('hashchange'));
    };
    go('functions');
    const functions = readers.functions();
    const pageOf = (value, id) => {
      go(`function/${id}`, { value });
      return { callers: readers.rows('.callers'), callees: readers.rows('.callees'),
        lines: readers.lines(), graph: graphed && value === 'bytes'
          ? readers.sandwich() : [] };
    };
    return words.map((value) => {
      const found = {};
      for (const view of ['', 'functions', 'types', 'contexts', 'threads',
        'regions']) {
        go(view, { value });
        if (view === '') found.all = document.querySelector('.frame').title;
        else found[view] = readers[view === 'contexts' ? view : 'rows'](`.${view}`);
        if (view === 'types') found.sizes = readers.rows('.sizes');
      }
      return { ...found, pages: functions.map(([name, id]) =>
        [name, pageOf(value, id)]) };
    });
  },
};

export class Browser {
  static async start(folder) {
    mkdirSync(folder, { recursive: true });
    const browser = new Browser();
    browser.folder = folder;
    browser.chromium = await chromium.launch({
      executablePath: '/usr/bin/chromium-headless-shell',
      args: [
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        ...(process.getuid() === 0 ? ['--no-sandbox'] : []),
      ],
    });
    return browser;
  }

  async stop() {
    await this.chromium.close();
  }

  // The page for the profile DATA, with options for mprof export.
  async open(name, data, options = [], settings = {}) {
    const file = join(this.folder, `${name}.html`);
    mprof('export', '--format=html', '-o', file, ...options, data);
    return this.show(file, settings);
  }

  // The same in PAGE, which was opened under that NAME.
  async openIn(page, data, options) {
    mprof('export', '--format=html', '-o', page.file, ...options, data);
    await page.page.goto('about:blank');
    await page.load('');
  }

  // The page that is in FILE.
  async show(file, settings = {}) {
    const page = await this.chromium.newPage({
      viewport: { width: 1280, height: 900 },
      ...settings,
    });
    await page.addInitScript(`window.readers = {${
      Object.values(readers).join(',\n')}}`);
    const faults = [];
    page.on('console', (message) => faults.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
    page.on('dialog', (dialog) => {
      faults.push(`dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    page.on('request', (request) => {
      if (request.url().split('#')[0] !== `file://${file}`)
        faults.push(`request: ${request.url()}`);
    });
    const made = new ProfilePage(page, faults, file);
    await made.load('');
    return made;
  }
}

export class ProfilePage {
  constructor(page, faults, file) {
    this.page = page;
    this.faults = faults;
    this.file = file;
  }

  async close() {
    await this.page.close();
  }

  // Opens its file, at HASH.
  async load(hash) {
    await this.page.goto(`file://${this.file}${hash}`);
    await this.page.waitForSelector('html[data-ready]', {
      state: 'attached',
      timeout: 60000,
    });
  }

  // Another page of the same file, opened by a link with HASH.
  async copy(browser, hash) {
    const page = await browser.show(this.file);
    await page.page.goto('about:blank');
    await page.load(hash);
    return page;
  }

  // Goes to HASH as a link does, with what is chosen, until it is shown: the
  // page's listener, which was there before, has drawn it when this one is
  // called.
  async go(hash) {
    await this.open(await this.page.evaluate((to) =>
      to + (/\?.*/.exec(location.hash)?.[0] ?? ''), hash));
  }

  // Shows the address HASH.
  async open(hash) {
    await this.page.evaluate((to) => new Promise((done) => {
      if (location.hash === to) {
        done();
        return;
      }
      addEventListener('hashchange', () => done(), { once: true });
      location.hash = to;
    }), hash);
  }

  // Clicks the link SELECTOR, until where it leads is shown, as above.
  async follow(selector) {
    await this.page.evaluate(() => {
      window.followed = new Promise((done) =>
        addEventListener('hashchange', () => done(), { once: true }));
    });
    await this.page.click(selector);
    await this.page.evaluate(() => window.followed);
  }

  // Until what was typed or clicked is shown: the search waits a little.
  async settle() {
    await this.page.evaluate(
      () => new Promise((done) => setTimeout(done, 200))
    );
  }

  async search(text) {
    await this.page.fill('#search', text);
    await this.settle();
  }

  text(selector) {
    return this.page.evaluate(
      (s) => document.querySelector(s)?.textContent ?? null,
      selector
    );
  }

  // Calls the reader NAME (below) in the page.
  read(name, ...args) {
    return this.page.evaluate(([its, given]) => readers[its](...given),
      [name, args]);
  }

  rows(selector) {
    return this.read('rows', selector);
  }

  sandwich() {
    return this.read('sandwich');
  }

  // The frames that are drawn: name, row, and the share of the width.
  frames() {
    return this.page.evaluate(() =>
      [...document.querySelectorAll('.frame')].map((made) => ({
        name: made.title.slice(0, made.title.lastIndexOf(': ')),
        title: made.title,
        row: parseFloat(made.style.top) / 20,
        x: parseFloat(made.style.left) / 100,
        share: parseFloat(made.style.width) / 100,
        fill: getComputedStyle(made).backgroundColor,
      })));
  }

  // Clicks the first frame called NAME.
  async clickFrame(name) {
    await this.page.evaluate((n) =>
      [...document.querySelectorAll('.frame')].find((made) =>
        made.title.startsWith(`${n}: `)).click(), name);
    await this.settle();
  }

  tick(id, on) {
    return this.page.setChecked(`#${id}`, on, { force: true });
  }
}

export function scratch(folder, name, encoder) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  encoder.write(path);
  return path;
}
