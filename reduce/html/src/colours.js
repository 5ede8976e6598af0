// SPDX-License-Identifier: LGPL-2.1-or-later

// Colours of frames: by package, so that the program's own code stands out
// from what ECL brings, or by what was allocated.

export const CATEGORY_HUES = [211, 32, 150, 288];

function hash(text) {
  let value = 2166136261;
  for (let i = 0; i < text.length; i++)
    value = Math.imul(value ^ text.charCodeAt(i), 16777619) >>> 0;
  return value;
}

// Neighbours in a picture should differ, and none look like a match.
const HUES = [205, 150, 42, 262, 18, 95, 178, 232, 66, 345];

// Each package has a hue of its own, out of its name, so that it has the same
// in most profiles; where it is taken, the package that comes later in
// PACKAGES, an array of names, gets the next that is free.
export function hueOfPackages(packages) {
  const hues = new Map();
  const taken = new Array(HUES.length).fill(0);
  for (const name of packages) {
    let place = hash(name) % HUES.length;
    const least = Math.min(...taken);
    while (taken[place] > least) place = (place + 1) % HUES.length;
    taken[place]++;
    hues.set(name, HUES[place]);
  }
  return hues;
}

// Whether FN is nobody's: ECL's own, of COMMON-LISP, C, or no function.
export function isForeign(fn) {
  return fn.system || fn.package === '';
}

// The light ones are those of mprof flamegraph.
function shade(hue, saturation, variation, dark) {
  return dark
    ? `hsl(${hue} ${saturation}% ${30 + variation}%)`
    : `hsl(${hue} ${saturation + 12}% ${77 + variation}%)`;
}

// HUES is of hueOfPackages.
export function packageColour(fn, hues, dark) {
  const variation = (hash(fn.name) % 5) * 2 - 4;
  if (isForeign(fn) || !hues.has(fn.package))
    return shade(215, dark ? 9 : 3, variation, dark);
  return shade(hues.get(fn.package), 48, variation, dark);
}

// That of the category with most of CATEGORIES' bytes.
export function categoryColour(categories, dark) {
  let most = 0;
  for (let i = 1; i < 4; i++) if (categories[i] > categories[most]) most = i;
  return shade(CATEGORY_HUES[most], 48, 0, dark);
}

export function wholeColour(dark) {
  return dark ? 'hsl(215 8% 24%)' : 'hsl(215 14% 88%)';
}

export function matchColour(dark) {
  return dark ? 'hsl(318 72% 48%)' : 'hsl(318 92% 74%)';
}
