// SPDX-License-Identifier: LGPL-2.1-or-later

// Where the figures come from and whether they are all, and how to use the
// page.

function aboutView(model) {
  const { profile, profile: { terms } } = model;
  const heading = (text) => element('h2', {}, text);
  return element('article', { class: 'about' },
    heading('Completeness'),
    element('pre', {}, profile.reconciliation.trim()),
    heading('How to read it'),
    terms.reading.map((text) => element('p', {}, text)),
    element('p', {}, 'The figures are those of mprof report. With a filter, ' +
      'they are sums over the remaining chains. Focus, ignore and hide mean ' +
      'the same as the options of mprof report. Focus keeps the chains that ' +
      'have a frame whose name or file matches; ignore drops them; hide ' +
      'takes such frames out and charges the frame above. The address of ' +
      'the page contains all your choices.'),
    heading(terms.frames), legend(functionColumns(model)),
    heading('Types'), legend(typeColumns(model)),
    heading('Keys'), keysList(),
    element('p', { class: 'quiet' },
      `Written by ${profile.generator}, LGPL-2.1-or-later.`));
}
