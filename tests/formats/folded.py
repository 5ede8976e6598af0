# SPDX-License-Identifier: LGPL-2.1-or-later
"""Folded stacks: lines, split as flame graph programs split them."""

import figures


def read(text):
    chains = {}
    for line in text.decode().split('\n')[:-1]:
        chain, value = line.rsplit(' ', 1)
        chain = tuple(figures.unescape(n) for n in chain.split(';'))
        assert chain not in chains, chain
        chains[chain] = int(value)
    return chains


for label, profile in figures.profiles():
    expected = figures.of_profile(profile)
    for place, value in enumerate(('bytes', 'allocs')):
        figures.check('%s: %s of each chain' % (label, value),
                      read(figures.export('folded', profile,
                                          '--value=' + value)),
                      {chain: counts[place] for chain, counts
                       in expected.chains.items() if counts[place]})
figures.finish()
