// SPDX-License-Identifier: LGPL-2.1-or-later

// How complete the figures are, and how to use the page.

// What the page gives away to whoever gets it.
function contents({ sides }) {
  const files = new Set(sides.flatMap(({ sources }) => sources)
    .filter(({ lines }) => lines.length > 0).map(({ file }) => file));
  return 'This page contains names of functions, paths of files and ' +
    `${files.size === 0 ? 'no lines of source files'
      : `lines of ${plural(files.size, 'source file', 'source files')}`}.`;
}

function aboutView({ model }) {
  const { profile, profile: { terms } } = model;
  const heading = (text) => element('h2', {}, text);
  return element('article', { class: 'about' },
    heading('Completeness'),
    element('pre', {}, profile.reconciliation.trim()),
    heading('How to read it'),
    terms.reading.map((text) => element('p', {}, text)),
    element('p', {}, 'The figures are those of mprof report. With a filter, ' +
      'they are sums over the remaining chains. Focus, ignore and hide mean ' +
      'what mprof-report(1) says of these options, but take regular ' +
      'expressions of JavaScript: \\d in place of [[:digit:]], \\b in place ' +
      'of \\< and \\>, {0,3} in place of {,3}. The address of the page ' +
      'contains all your choices.'),
    heading('Contents'), element('p', {}, contents(profile)),
    heading(terms.frames), legend(functionColumns(model)),
    heading('Types'), legend(typeColumns(model)),
    heading('Keys'), keysList(),
    element('p', { class: 'quiet' },
      `Written by ${profile.generator}, LGPL-2.1-or-later.`));
}
