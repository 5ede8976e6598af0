// SPDX-License-Identifier: LGPL-2.1-or-later

// Elements and numbers.  Text gets into the page through textContent and
// attributes alone, never as markup: names may hold anything.

import { MEASURES } from './measures.js';

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, '');
    else made.setAttribute(key, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null));
  return made;
}

export function replaceChildren(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child !== null));
}

// Nothing for NaN, a number that is not known.
export function number(value) {
  return Number.isNaN(value) ? '' : value.toLocaleString('en-US');
}

// PART of WHOLE with one decimal, never rounded up to all or down to nothing.
export function percent(part, whole) {
  if (part === 0 || whole === 0) return '';
  const share = (100 * part) / whole;
  if (part === whole) return '100 %';
  if (share < 0.1) return '< 0.1 %';
  return `${(Math.floor(share * 10) / 10).toFixed(1)} %`;
}

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'];

// Three digits, for headings: 163 MB.  Means are no whole numbers; and what
// three digits would round up to 1000 is of the next unit.
export function brief(value, measure) {
  let step = 0;
  let rest = value;
  while (rest >= 999.5 && step < units.length - 1) {
    rest /= 1000;
    step++;
  }
  const digits = Number.isInteger(value) && step === 0 ? String(rest)
    : rest.toPrecision(3);
  if (MEASURES[measure].bytes) return `${digits} ${units[step]}`;
  return digits + ['', ' k', ' M', ' G', ' T', ' P', ' E'][step];
}

export function plural(count, one, many) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

// A strip whose parts are as wide as PARTS, their classes category-0 to -3,
// of WHOLE; it says the same in words for those who cannot see it.
export function categoryStrip(parts, whole, categories) {
  const strip = element('span', {
    class: 'strip',
    role: 'img',
    title: categories
      .map((c, i) => [c, parts[i]])
      .filter(([, part]) => part > 0)
      .map(([c, part]) => `${c.name} ${percent(part, whole)}`)
      .join(', '),
  });
  strip.setAttribute('aria-label', strip.title);
  parts.forEach((part, i) => {
    if (part === 0) return;
    const piece = element('span', { class: `category-${i}` });
    piece.style.width = `${(100 * part) / whole}%`;
    strip.append(piece);
  });
  return strip;
}
