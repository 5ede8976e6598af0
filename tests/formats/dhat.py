# SPDX-License-Identifier: LGPL-2.1-or-later
"""DHAT: the tree that valgrind's viewer makes of a file, and the fields that
its documentation asks for."""

import json
import os

import figures

# By the description of version 2 of the format: what has to be there without
# life times and accesses ("bklt" and "bkacc" false), and nothing else.
FIELDS = {'dhatFileVersion': int, 'mode': str, 'verb': str, 'bklt': bool,
          'bkacc': bool, 'tu': str, 'Mtu': str, 'cmd': str, 'pid': int,
          'te': int, 'pps': list, 'ftbl': list}
POINT = {'tb': int, 'tbk': int, 'fs': list}


def frame(name, function, line):
    place = function.file or ''
    if place and line:
        place += ':%d' % line
    return '%s (%s)' % (name, place) if place else name


def chains_of(tree, names):
    """By chain, root first: (bytes, allocs) of the leaves of TREE."""
    found = {}
    waiting = [(tree, ())]
    while waiting:
        node, above = waiting.pop()
        chain = above + tuple(node['frames'])
        for child in node['children']:
            waiting.append((child, chain))
        if not node['children']:
            found[tuple(names[f] for f in reversed(chain[1:]))] = (
                node['bytes'], node['blocks'])
        else:
            assert (node['bytes'], node['blocks']) == tuple(
                sum(c[key] for c in node['children'])
                for key in ('bytes', 'blocks')), chain
    return found


for label, profile in figures.profiles():
    expected = figures.of_profile(profile)
    lines = {f['name']: f['line']
             for f in json.loads(figures.export('json', profile))['functions']}
    path = figures.export_to(
        os.path.join(os.environ['WORK'], label + '.dhat.json'), 'dhat',
        profile)
    with open(path, encoding='utf-8') as file:
        data = json.load(file)
    figures.check(label + ': fields',
                  {key: type(value) for key, value in data.items()}, FIELDS)
    figures.check(label + ': fields of program points', [
        point for point in data['pps']
        if {k: type(v) for k, v in point.items()} != POINT], [])
    figures.check(label + ': values', (
        data['dhatFileVersion'], data['bklt'], data['bkacc'], data['ftbl'][0],
        data['te']), (2, False, False, '[root]', expected.allocs))
    names = {frame(n, f, lines[n]): n for n, f in expected.functions.items()}
    figures.check(label + ': frames', sorted(data['ftbl'][1:]),
                  sorted(names))
    tree = json.loads(figures.run('node', 'tests/formats/dhat.js',
                                  os.environ['DH_VIEW'], path))
    figures.check(label + ': all of the tree',
                  (tree['bytes'], tree['blocks'], tree['frames'][0]),
                  (expected.bytes, expected.allocs, '[root]'))
    figures.check(label + ': chains', chains_of(tree, names) if data['pps']
                  else {}, expected.chains)
figures.finish()
