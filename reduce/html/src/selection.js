// SPDX-License-Identifier: LGPL-2.1-or-later

// Which chains count: focus and ignore, as the options of the command.  Both
// are compared with all functions on a chain, with those that hide takes out,
// too, and with those that do not show in this page at all (profile.unseen).

// A test of functions for TEST of names, as the command makes it: its name or
// its file.  A frame that stands for hidden chains does not count as one.
function functionTest(test) {
  return ({ raw, rawFile, matched }) => matched > 0 &&
    (test(raw) || (matched > 1 && rawFile !== '' && test(rawFile)));
}

const FOCUSED = 1;
const IGNORED = 2;

class ChainSelection {
  // FOCUS and IGNORE are tests of functions, or null.
  constructor({ nodes, functions, unseen }, focus, ignore) {
    const bits = (fn) => (focus === null || focus(fn) ? FOCUSED : 0) |
      (ignore?.(fn) ? IGNORED : 0);
    const none = focus === null ? FOCUSED : 0;
    const own = functions.map(bits);
    this.nodes = new Uint8Array(nodes.count);
    for (let node = 0; node < nodes.count; node++) {
      const above = nodes.parent[node];
      this.nodes[node] = own[nodes.functionOf[node]] |
        (above < 0 ? none : this.nodes[above]);
    }
    this.sets = [none];
    for (const { set, name, file } of unseen)
      this.sets.push(this.sets[set] |
        bits({ raw: name, rawFile: file, matched: 2 }));
  }

  // What is known of the chain to NODE, in GROUP.
  of(node, { unseen }) {
    return this.nodes[node] | this.sets[unseen];
  }

  allocates(node, group) {
    return this.of(node, group) === FOCUSED;
  }

  // Calls are counted for the functions that are left, whatever was allocated
  // below them.
  calls(node, group) {
    return (this.of(node, group) & IGNORED) === 0;
  }
}
