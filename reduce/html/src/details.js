// SPDX-License-Identifier: LGPL-2.1-or-later

// What is said of a frame, under the pointer and in the line of details.

// With its sign, for differences.
function signed(value) {
  return value > 0 ? `+${number(value)}` : number(value);
}

// "1,000 before, 800 after, -200 (-20.0 %)": of WORD, by what GET(word) says.
function comparison(get, word) {
  const [old, now] = [get(beforeOf(word)), get(word)];
  const change = now - old;
  const share = old === 0 || change === 0 ? ''
    : ` (${change < 0 ? '-' : '+'}${percent(Math.abs(change), old)})`
      .replace(/[-+]</, '<');
  return `${number(old)} before, ${number(now)} after, ${signed(change)}${
    share}`;
}

// "8,000 bytes" of MEASURE; of both profiles where two are compared.
function amount({ profile }, { word, noun }, get) {
  return profile.compared ? `${noun} ${comparison(get, word)}`
    : `${number(get(word))} ${noun}`;
}

// The place of FN: "app.c:12".
function placeOf({ file, line }) {
  return file === '' ? '' : `${file}${line > 0 ? `:${line}` : ''}`;
}

function callsHere(model, { calls, callsBefore = 0 }) {
  const nouns = callNouns(model);
  if (Number.isNaN(calls + callsBefore)) return 'calls unknown';
  if (calls + callsBefore === 0) return '';
  return model.profile.compared
    ? `${nouns[1]} here ${comparison((word) =>
      (word === 'calls' ? calls : callsBefore), 'calls')}`
    : `${plural(calls, ...nouns)} here`;
}

// The facts of FRAME, without its name: the figure of it and all below it, the
// share, its own figure, both in bytes too, its calls, its place.  INVERTED: its
// own are chains that begin there.
function factsOf(model, frame, inverted) {
  const { measure, profile } = model;
  const bytes = profile.measures.find(({ word }) => word === 'bytes');
  const fn = model.tree.functions[frame.fn];
  const own = (m) => `${inverted ? profile.terms.root : 'self'} ${
    amount(model, m, (word) => frame.own(word))}`;
  const all = (m) => amount(model, m, (word) => frame.all(word));
  return [
    all(measure),
    !profile.compared && percent(frame.value, model.widths.total),
    fn !== undefined && own(measure),
    measure !== bytes && all(bytes),
    measure !== bytes && fn !== undefined && own(bytes),
    callsHere(model, frame), fn !== undefined && placeOf(fn)]
    .filter(Boolean);
}
