// SPDX-License-Identifier: LGPL-2.1-or-later

// Where the figures come from and whether they are all, how to use the page,
// and whose work is in it.

import { functionColumns, typeColumns } from './lists.js';
import { element, number, plural } from './dom.js';
import { legend } from './table.js';

const keys = [
  ['/', 'search'],
  ['b', 'the next measure: bytes, allocations, ...'],
  ['1 to 6', 'overview, functions, types, contexts, regions if there are ' +
    'some, about'],
  ['Tab', 'on to the next; Enter presses it'],
  ['in the flame graph: arrows', 'move among frames'],
  ['Enter', 'zoom to the frame'],
  ['Escape', 'zoom out by one caller'],
  ['f', 'open the function'],
];

export function aboutView(model, check, licences) {
  const { profile } = model;
  return element('article', { class: 'about' },
    element('h2', {}, 'Is it all of it?'),
    element('p', { id: 'check' }, check.different === 0
      ? `The sums that this page makes of ${plural(profile.nodes.count,
        'chain', 'chains')} equal the reducer's figures: ${
        number(check.compared)} comparisons, no difference.`
      : `${number(check.different)} of ${number(check.compared)} figures ` +
        'differ from what the reducer computed. That is a bug of mprof.'),
    element('pre', {}, profile.reconciliation.trim()),
    element('h2', {}, 'How to read it'),
    element('p', {}, 'Every allocation is counted, none is sampled. In the ' +
      'flame graph a frame is as wide as what it and all below it ' +
      'allocated; its callers are above it. Width that no callee takes is ' +
      'what the function itself allocated. Look for wide frames of your ' +
      'own packages; ask why they are called so often, or why they need ' +
      'what is below them.'),
    element('p', {}, 'Figures are those of mprof report. Under a filter ' +
      'they are sums over the chains that are left, in which a function ' +
      'counts once a chain.'),
    element('h3', {}, 'Functions'),
    legend(functionColumns(model)),
    element('h3', {}, 'Types'),
    legend(typeColumns(model)),
    element('h2', {}, 'Keys'),
    element('dl', { class: 'keys' }, keys.map(([key, what]) =>
      [element('dt', {}, key), element('dd', {}, what)])),
    element('h2', {}, 'Whose work'),
    element('p', {}, `Written by mprof ${profile.version}, ` +
      'LGPL-2.1-or-later. The page holds these libraries:'),
    element('pre', { class: 'licences' }, licences));
}
