// SPDX-License-Identifier: LGPL-2.1-or-later

// The words of a page, of functions that allocate, or of holders and the live
// objects that they retain (--value=held).

const TERMS = {
  calls: {
    title: 'Allocation profile', of: 'of', frame: ['function', 'functions'],
    frames: 'Functions', chain: ['context', 'contexts'], chains: 'Contexts',
    path: 'chain of calls', end: 'Allocated by the last function of the chain',
    inclusive: 'inclusive', self: 'Allocated by the function itself',
    all: 'Allocated by the function and everything below it. Recursion does ' +
      'not count twice',
    through: 'are allocated in or below', types: 'it allocates itself',
    users: 'Functions that allocate it', root: 'with no caller',
    inverted: 'Start at the functions that allocate, with their callers below',
    above: { label: 'caller', caption: 'Callers', nouns: ['caller', 'callers'],
      who: 'The calling function; <root>: no caller is shown',
      what: 'Allocated below the calls from this caller' },
    below: { label: 'callee', caption: 'Callees', nouns: ['callee', 'callees'],
      who: 'The function that is called',
      what: 'Allocated below the calls of this callee' },
    reading: ['Every allocation is counted; nothing is sampled. In the flame ' +
      'graph, the width of a frame shows what the function and everything ' +
      'below it allocated. Its callers are above it. The part that no callee ' +
      'covers is what the function allocated itself. Look for wide frames of ' +
      'your own packages. Ask why they are called so often, or why they need ' +
      'what is below them.',
    'A context is a distinct chain of visible functions with an allocation ' +
      'at its end.'],
  },
  holders: {
    title: 'Holders of live objects', of: 'in', frame: ['holder', 'holders'],
    frames: 'Holders', chain: ['chain', 'chains'], chains: 'Chains',
    path: 'chain of holders', end: 'Objects of the last holder of the chain',
    inclusive: 'retained', self: 'Objects of the holder itself',
    all: 'Objects that would become garbage without the holder, its own ' +
      'among them',
    through: 'are retained by', types: 'of its own objects',
    users: 'Holders of its objects', root: 'as a root',
    inverted: 'Start at the objects, with their holders below',
    above: { label: 'held by', caption: 'Held by',
      nouns: ['holder', 'holders'], who: 'What holds it; <root>: it is a root',
      what: 'Retained for this holder' },
    below: { label: 'holds', caption: 'Holds', nouns: ['holder', 'holders'],
      who: 'What it holds', what: 'Retained by it for this holder' },
    reading: ['In the flame graph, the width of a frame shows what the ' +
      'holder retains: the objects that would become garbage without it. ' +
      'What holds it is above it, up to a root: a variable, a package, a ' +
      'class, or the stack of a thread. The part that no frame below covers ' +
      "is the holder's own objects. \"CONS by F\" are all conses that F " +
      'allocated; "(from before)" are objects that were not counted.',
    'A chain leads from a root to objects. Each object has one chain.'],
  },
};
