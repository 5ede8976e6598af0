// SPDX-License-Identifier: LGPL-2.1-or-later

// The table of contexts: distinct chains of visible functions with something
// allocated at their end.

const CHAIN_ENDS = 4;

// The functions on the chain of NODE.  A button stands for the middle of a long
// chain.
function chainCell(tree, node) {
  const chain = chainOf(tree, node).map((id) => tree.functions[id]);
  const links = (part) => part.flatMap((fn, i) =>
    i === 0 ? [functionLink(fn)] : [' › ', functionLink(fn)]);
  const cell = element('span');
  const middle = chain.length - CHAIN_ENDS - 1;
  if (middle < CHAIN_ENDS) cell.append(...links(chain));
  else cell.append(...links(chain.slice(0, 1)), ' › ',
    button(`${number(middle)} more`,
      () => cell.replaceChildren(...links(chain)), { class: 'middle' }),
    ' › ', ...links(chain.slice(-CHAIN_ENDS)));
  return cell;
}

function contextsView(shell) {
  const { model, model: { tree, sums: { self }, profile: { terms } } } = shell;
  const marks = markChains(tree, tree.functions.map((fn) =>
    model.matches(fn.name)));
  const rows = [];
  for (let node = 1; node < tree.count; node++)
    if (marks[node] && model.shows(figuresAt(self, node))) rows.push(node);
  const figures = (node) => figuresAt(self, node);
  return table(shell, 'contexts', { caption: terms.chains, rows,
    nouns: terms.chain, tie: (node) => node,
    columns: [
      ...measureColumns(model, terms.end, figures, { categories: true }),
      ...callColumns(model, figures,
        'Calls of the last function along this chain',
        'Allocations whose chain is this one or begins with it'),
      { key: 'chain', label: terms.path, left: true,
        help: 'From the root to the end',
        value: (node) => tree.functions[tree.functionOf[node]].name,
        cell: (node) => chainCell(tree, node) },
    ] });
}
