# SPDX-License-Identifier: LGPL-2.1-or-later
"""speedscope: the JSON as Python reads it, put together as speedscope does.
Node checks the same files against speedscope's own schema."""

import collections
import json
import os

import figures

files = []
for label, profile in figures.profiles():
    expected = figures.of_profile(profile)
    path = figures.export_to(
        os.path.join(os.environ['WORK'], label + '.speedscope.json'),
        'speedscope', profile)
    files.append(path)
    with open(path, encoding='utf-8') as file:
        data = json.load(file)
    names = [f['name'] for f in data['shared']['frames']]
    figures.check(label + ': files', {
        f['name']: f.get('file') for f in data['shared']['frames']},
        {n: f.file or None for n, f in expected.functions.items()})
    totals = json.loads(figures.export('json', profile))['totals']
    figures.check(label + ': a profile for each measure',
                  [sum(one['weights']) for one in data['profiles']],
                  [totals[key] for key in figures.MEASURES if key in totals])
    for place, one in enumerate(data['profiles'][:2]):
        chains = collections.Counter()
        for sample, weight in zip(one['samples'], one['weights']):
            chains[tuple(names[i] for i in sample)] += weight
        figures.check('%s: %s of each chain' % (label, one['name']),
                      dict(chains),
                      {chain: counts[place] for chain, counts
                       in expected.chains.items() if counts[place]})
        figures.check('%s: %s in all' % (label, one['name']),
                      (len(one['samples']), sum(one['weights']),
                       one['endValue'] - one['startValue']),
                      (len(one['weights']),) +
                      ((expected.bytes, expected.allocs)[place],) * 2)
        figures.check('%s: %s has a unit' % (label, one['name']),
                      one['unit'], ('bytes', 'none')[place])
figures.finish()
