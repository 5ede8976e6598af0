// SPDX-License-Identifier: LGPL-2.1-or-later

// Elements and numbers.  Names may contain anything, so text enters the page
// only by textContent and attributes, never as markup.

const get = (id) => document.getElementById(id);

// Returns the items of CHILDREN, which may be nested lists, without null, false
// and undefined.
const flat = (children) => children.flat(Infinity)
  .filter((child) => (child ?? false) !== false);

const element = (tag, ...parts) =>
  fill(document.createElement(tag), ...parts);
const svg = (tag, ...parts) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), ...parts);

// Gives MADE attributes, of which on... are listeners, and children.
function fill(made, attributes = {}, ...children) {
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

// Returns NAME beside a square, which has classes KIND.
function chip(kind, name) {
  return element('span', { class: 'key' },
    element('span', { class: `chip ${kind}` }), name);
}

// Returns a bar for the share of PART in WHOLE.
function bar(part, whole) {
  const made = element('span', { class: 'bar' });
  made.style.width = `${(100 * part) / (whole || 1)}%`;
  return made;
}

// Lets the style sheet colour MADE by a change: more is red and less is blue, the
// stronger the larger SHARE is, at most 1.
function paintChange(made, old, now, share) {
  made.classList.add(now > old ? 'grew' : now < old ? 'shrank' : 'same');
  made.style.setProperty('--part', `${20 + 80 * share}%`);
  return made;
}

const separated = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

// Formats a number; NaN stands for an unknown one, which is blank.
function number(value) {
  return Number.isNaN(value) ? '' : separated.format(value);
}

function plural(count, one, many) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

// Formats the share of PART in WHOLE.  A share below 100 % is not rounded up to
// it, nor a positive one down to nothing.
function percent(part, whole) {
  if (part === 0 || whole === 0) return '';
  const share = (100 * part) / whole;
  if (part === whole) return '100 %';
  if (share < 0.1) return '< 0.1 %';
  return `${(Math.floor(share * 10) / 10).toFixed(1)} %`;
}

// Formats VALUE with three digits, for headings: 163 MB if MEASURE counts
// bytes.  A mean may be no integer.  999.5 would round up to 1000, so it gets
// the next unit.
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

// Returns a strip with a part for each category in the bytes of FIGURES, and a
// text that says the same.
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
