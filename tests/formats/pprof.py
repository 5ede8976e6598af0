# SPDX-License-Identifier: LGPL-2.1-or-later
"""pprof: samples as Go's library reads them, both from what mprof exports and
from the profile itself; and the table of `go tool pprof -top'."""

import collections
import json
import os
import re

import figures
import odd_profile


def read(path):
    return json.loads(figures.run(os.environ['PPROF_SAMPLES'], path))


def chains_of(data):
    """By chain: [bytes, allocs], and calls of the leaf."""
    own = collections.defaultdict(lambda: [0, 0])
    calls = collections.Counter()
    column = {t: i for i, t in enumerate(data['types'])}
    for sample in data['samples']:
        chain = tuple(sample['chain'] or ())
        values = sample['values']
        own[chain][0] += values[column['alloc_space/bytes']]
        own[chain][1] += values[column['alloc_objects/count']]
        if 'activations/count' in column:
            calls[chain[-1:]] += values[column['activations/count']]
    return ({chain: tuple(v) for chain, v in own.items() if any(v)},
            {name[0]: n for name, n in calls.items() if n})


def labels_of(data, key):
    """Sums of bytes by the label KEY and by the sizes of objects."""
    sums = collections.Counter()
    column = data['types'].index('alloc_space/bytes')
    for sample in data['samples']:
        labels = sample['labels'] or {}
        sums[(labels.get(key, [''])[0], *(sample['sizes'] or [None]))] += (
            sample['values'][column])
    return dict(+sums)


def odd_labels(key):
    """The same of the profile with odd names, from what it was made of."""
    sums = collections.Counter()
    for i, sample in enumerate(odd_profile.samples()):
        name = odd_profile.read_as(
            odd_profile.NAMES[i % len(odd_profile.NAMES)])
        value = {'type': 'INSTANCE', 'category': 'struct'}.get(key, name)
        sums[value, odd_profile.OBJECT] += (sample.allocs *
                                            odd_profile.OBJECT)
    return dict(+sums)


def top(path, index):
    """Flat and cumulative figures of `go tool pprof -top'."""
    text = figures.run('go', 'tool', 'pprof', '-top', '-unit=B',
                       '-nodecount=100000000', '-nodefraction=0',
                       '-edgefraction=0', '-sample_index=' + index,
                       path).decode()
    line = re.compile(r' *(\d+)B? +[0-9.e-]+% +[0-9.e-]+% +(\d+)B? +'
                      r'[0-9.e-]+% +'
                      r'(.*)')
    rows = {}
    for match in map(line.fullmatch, text.split('\n')):
        if match:
            rows[match.group(3)] = (int(match.group(1)), int(match.group(2)))
    return rows


for label, profile in figures.profiles():
    expected = figures.of_profile(profile)
    path = figures.export_to(
        os.path.join(os.environ['WORK'], label + '.pb.gz'), 'pprof', profile)
    data = read(path)
    chains, calls = chains_of(data)
    figures.check(label + ': chains', chains, expected.chains)
    figures.check(label + ': calls', calls, {
        n: f.calls for n, f in expected.functions.items() if f.calls})
    figures.check(label + ': files', {
        n: f for s in data['samples']
        for n, f in zip(s['chain'] or [], s['files'] or [])},
        {n: f.file or '' for n, f in expected.functions.items()
         if any(n in s['chain'] for s in data['samples'])})
    figures.check(label + ': sample type shown first', data['default'],
                  'alloc_space')
    figures.check(label + ': samples differ', len({
        json.dumps([s['chain'], s['places'], s['labels'], s['sizes'],
                    s['values'][:2] == [0, 0]]) for s in data['samples']}),
        len(data['samples']))

    # A file as the monitor, or mprof merge, writes it has the functions, too.
    merged = os.path.join(os.environ['WORK'], label + '-merged.data')
    figures.run(os.environ['MPROF'], 'merge', '-o', merged, profile)
    placeholders = {'[runtime]', '[session]', '[hidden]', '[unknown]'}
    lisp = 'mprof.language=lisp' in read(profile)['comments']
    if lisp and not odd_profile.FILE == os.path.basename(profile) and (
            not placeholders & set(expected.functions)):
        shown_there = top(merged, 'alloc_space')
        figures.check(label + ': go tool pprof -top of the file itself',
                      shown_there, {
                          n.split('\n')[0]: (f[0], f[2])
                          for n, f in expected.functions.items() if f[2]})

    # In a heap profile functions have the flat figures.
    if os.path.basename(profile) != odd_profile.FILE:
        heap = figures.export_to(
            os.path.join(os.environ['WORK'], label + '-heap.pb.gz'), 'heap',
            profile)
        figures.check(label + ': go tool pprof -top of a heap profile',
                      top(heap, 'alloc_space'), {
                          n.split('\n')[0]: (f[0], f[2])
                          for n, f in expected.functions.items() if f[2]})

    # Labels come through as they are, whatever the chains have lost.
    odd = os.path.basename(profile) == odd_profile.FILE
    for key in ('type', 'class', 'category', 'thread'):
        figures.check('%s: bytes by %s and size' % (label, key),
                      labels_of(data, key),
                      odd_labels(key) if odd else labels_of(read(profile),
                                                            key))

    if odd:
        figures.check(label + ': comments', sorted(
            c for c in data['comments'] if c.startswith('odd')), sorted(
                'odd%d=%s' % (i, odd_profile.read_as(n))
                for i, n in enumerate(odd_profile.NAMES)))
        continue  # names with line ends are no lines of a table
    live = json.loads(figures.export('json', profile))
    for key, index in (('live_bytes', 'inuse_space'),
                       ('live_allocations', 'inuse_objects')):
        if key not in live['totals']:
            continue
        figures.check('%s: go tool pprof -top, %s' % (label, index),
                      top(path, index), {
                          f['name'].split('\n')[0]: (f['self_' + key],
                                                     f['inclusive_' + key])
                          for f in live['functions']
                          if f['inclusive_' + key]})
    for place, index in enumerate(('alloc_space', 'alloc_objects')):
        figures.check('%s: go tool pprof -top, %s' % (label, index),
                      top(path, index), {
                          n.split('\n')[0]: (f[place], f[place + 2])
                          for n, f in expected.functions.items()
                          if f[place + 2]})
figures.finish()
