// SPDX-License-Identifier: LGPL-2.1-or-later

// Elements and numbers.  Text gets into the page through textContent and
// attributes alone, never as markup: names may hold anything.

const get = (id) => document.getElementById(id);

// What CHILDREN, lists in lists, are without null and false.
const flat = (children) => children.flat(Infinity)
  .filter((child) => child !== null && child !== false);

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...flat(children));
  return made;
}

function replaceChildren(parent, ...children) {
  parent.replaceChildren(...flat(children));
}

function button(label, onclick, attributes = {}) {
  return element('button', { type: 'button', onclick, ...attributes }, label);
}

// A bar as wide as PART of WHOLE.
function bar(part, whole) {
  const made = element('span', { class: 'bar' });
  made.style.width = `${(100 * part) / (whole || 1)}%`;
  return made;
}

const separated = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

// Nothing for NaN, a number that is not known.
function number(value) {
  return Number.isNaN(value) ? '' : separated.format(value);
}

function plural(count, one, many) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

// PART of WHOLE with one decimal, never rounded up to all or down to nothing.
function percent(part, whole) {
  if (part === 0 || whole === 0) return '';
  const share = (100 * part) / whole;
  if (part === whole) return '100 %';
  if (share < 0.1) return '< 0.1 %';
  return `${(Math.floor(share * 10) / 10).toFixed(1)} %`;
}

// Three digits, for headings: 163 MB where MEASURE counts bytes.  Means are
// no whole numbers; and what three digits would round up to 1000 is of the
// next unit.
function brief(value, measure) {
  let step = 0;
  let rest = value;
  for (; rest >= 999.5 && step < 6; step++) rest /= 1000;
  const digits = Number.isInteger(value) && step === 0 ? String(rest)
    : rest.toPrecision(3);
  const unit = ['', 'k', 'M', 'G', 'T', 'P', 'E'][step];
  if (measure.bytes) return `${digits} ${unit}B`;
  return step === 0 ? digits : `${digits} ${unit}`;
}

// A strip whose parts are as wide as the bytes in FIGURES, by category; it says
// the same in words for those who cannot see it.
function categoryStrip(figures, categories) {
  const whole = figures('bytes');
  const parts = categories.map((_, i) => figures(i));
  const words = categories.map((category, i) =>
    parts[i] > 0 && `${category} ${percent(parts[i], whole)}`);
  const title = words.filter(Boolean).join(', ');
  const strip = element('span',
    { class: 'strip', role: 'img', title, 'aria-label': title });
  categories.forEach((_, i) => {
    if (parts[i] === 0) return;
    const piece = element('span', { class: `category category-${i}` });
    piece.style.width = `${(100 * parts[i]) / (whole || 1)}%`;
    strip.append(piece);
  });
  return strip;
}
