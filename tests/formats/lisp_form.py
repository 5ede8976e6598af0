# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Lisp form, read by the Lisp reader (lisp.lisp), says what the JSON says:
all of it but the contexts, in the same order.  Bins add up to the types."""

import collections
import json
import os

import figures


def type_row(types, part):
    of = types[part['type']]
    return [of['category'], of['type'], of['class'], part['allocations'],
            part['bytes']]


for label, profile in figures.profiles():
    path = figures.export_to(
        os.path.join(os.environ['WORK'], label + '.lisp'), 'lisp', profile)
    text = figures.run(os.environ['ECL'], '--norc', '--shell',
                       'tests/formats/lisp.lisp', '--', path).decode()
    (totals, kept, functions, arcs, types, bins, regions, phases, threads,
     comments) = [part or [] for part in json.loads(text)]
    data = json.loads(figures.export('json', profile))
    names = [f['name'] for f in data['functions']]
    more = figures.measures(data)[2:]
    figures.check(label + ': all totals', kept,
                  [data['totals'][key] for key in more])
    figures.check(label + ': totals', totals, [
        data['totals']['allocations'], data['totals']['bytes'],
        data['language']])
    figures.check(label + ': functions', functions, [
        [f['name'], f['self_allocations'], f['self_bytes'],
         f['inclusive_allocations'], f['inclusive_bytes'], f['activations'],
         None if f['cycle'] is None else f['cycle'] + 1, f['file'],
         f['line'],
         [f['self_' + key] for key in more] +
         [f['inclusive_' + key] for key in more] or None] + [type_row(data['types'], p) for p in f['types']]
        for f in data['functions']])
    figures.check(label + ': arcs', arcs, [
        [names[a['caller']], names[a['callee']], a['calls'],
         a['allocations'], a['bytes']] for a in data['arcs']])
    figures.check(label + ': types', types, [
        [t['category'], t['type'], t['class'], t['allocations'], t['bytes']]
        for t in data['types']])
    sums = collections.defaultdict(lambda: [0, 0])
    for size, allocs, total, *parts in bins:
        figures.check('%s: bin of %s' % (label, size), [allocs, total], [
            sum(part[place] for part in parts) for place in (3, 4)])
        for part in parts:
            sums[tuple(part[:3])][0] += part[3]
            sums[tuple(part[:3])][1] += part[4]
    figures.check(label + ': types by bin', dict(sums), {
        tuple(row[:3]): row[3:] for row in types})
    figures.check(label + ': by region', regions, [
        [r['path'], r['allocations'], r['bytes']] + r['category_bytes'] +
        [r[key] for key in ('entered', 'nanoseconds', 'first_entered',
                            'last_left', 'held_bytes')]
        for r in data['regions']])
    for found, key, rows in ((phases, 'phase', data['phases']),
                             (threads, 'name', data['threads'])):
        figures.check('%s: by %s' % (label, key), found, [
            [r[key], r['allocations'], r['bytes']] + r['category_bytes']
            for r in rows])
    figures.check(label + ': comments', comments, [
        [c['key'], c['value']] for c in data['comments']])
figures.finish()
