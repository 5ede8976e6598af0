// SPDX-License-Identifier: LGPL-2.1-or-later

// Where the figures come from and whether they are all, and how to use the
// page.

function aboutView(model) {
  const { profile, check } = model;
  const heading = (text) => element('h2', {}, text);
  return element('article', { class: 'about' },
    heading('Is it all of it?'),
    element('p', { id: 'check' }, check.different === 0
      ? `The sums that this page makes of ${plural(profile.contexts,
        'context', 'contexts')} equal the reducer's figures: ${
        number(check.compared)} comparisons, no difference.`
      : `${number(check.different)} of ${number(check.compared)} figures ` +
        'differ from what the reducer computed. That is a bug of mprof.'),
    element('pre', {}, profile.reconciliation.trim()),
    heading('How to read it'),
    element('p', {}, 'Every allocation is counted, none is sampled. In the ' +
      'flame graph a frame is as wide as what it and all below it ' +
      'allocated; its callers are above it. Width that no callee takes is ' +
      'what the function itself allocated. Look for wide frames of your ' +
      'own packages; ask why they are called so often, or why they need ' +
      'what is below them.'),
    element('p', {}, 'A context is a distinct chain of functions that show, ' +
      'at whose end something was allocated. Figures are those of mprof ' +
      'report. Under a filter they are sums over the contexts that are left, ' +
      'in which a function counts once a chain. Focus, ignore and hide are ' +
      'the options of mprof report with these names: focus shows only what ' +
      'was allocated below functions whose name or file matches, ignore ' +
      'nothing of that, and hide charges such functions to their callers. ' +
      'The address of the page holds all that is chosen.'),
    heading('Functions'), legend(functionColumns(model)),
    heading('Types'), legend(typeColumns(model)),
    heading('Keys'), keysList(),
    element('p', { class: 'quiet' },
      `Written by ${profile.generator}, LGPL-2.1-or-later.`));
}
