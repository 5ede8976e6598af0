// SPDX-License-Identifier: LGPL-2.1-or-later

// The text about a frame, in its tooltip and in the line of details.

// VALUE with its sign.
function signed(value) {
  return value > 0 ? `+${number(value)}` : number(value);
}

// "1,000 before, 800 after, -200 (-20.0 %)": the figures KEY.
function comparison(figures, key) {
  const [old, now] = [figures(beforeOf(key)), figures(key)];
  const change = now - old;
  const share = old === 0 || change === 0 ? ''
    : ` (${change < 0 ? '-' : '+'}${percent(Math.abs(change), old)})`
      .replace(/[-+]</, '<');
  return `${number(old)} before, ${number(now)} after, ${signed(change)}${
    share}`;
}

// "8,000 bytes": a measure, in a comparison of both profiles.
function amount({ profile }, { key, noun }, figures) {
  return profile.compared ? `${noun} ${comparison(figures, key)}`
    : `${number(figures(key))} ${noun}`;
}

// "app.c:12": the place of FN.
function placeOf({ file, line }) {
  return file === '' ? '' : `${file}${line > 0 ? `:${line}` : ''}`;
}

function callsHere(model, { calls }) {
  const { names, compared } = model.profile;
  if (model.window !== null || model.profile.holders) return '';
  const nouns = callNouns(model);
  const all = names.reduce((sum, name) => sum + calls(name('calls')), 0);
  if (Number.isNaN(all)) return 'calls unknown';
  if (all === 0) return '';
  return compared ? `${nouns[1]} here ${comparison(calls, 'calls')}`
    : `${plural(all, ...nouns)} here`;
}

// The facts about FRAME, but for its name: the figure of it and everything
// below it, the share, its own figure, both in bytes, its calls, its place.  If
// it is inverted, its own figure is of chains that begin there.
function factsOf(model, frame) {
  const { measure, profile } = model;
  const bytes = profile.measures.find(({ key }) => key === 'bytes');
  const fn = model.tree.functions[frame.fn];
  const own = (m) => `${frame.inverted ? profile.terms.root : 'self'} ${
    amount(model, m, (key) => frame.own(key))}`;
  const all = (m) => amount(model, m, (key) => frame.all(key));
  return [
    all(measure),
    !profile.compared && percent(frame.value, model.widths.total),
    fn !== undefined && own(measure),
    measure !== bytes && all(bytes),
    measure !== bytes && fn !== undefined && own(bytes),
    callsHere(model, frame), fn !== undefined && placeOf(fn)]
    .filter(Boolean);
}
