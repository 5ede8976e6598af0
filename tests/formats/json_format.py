# SPDX-License-Identifier: LGPL-2.1-or-later
"""mprof's own JSON: its parts add up, and names are what the profile with odd
names was made of.  Node checks it against its schema; ../html works out the
figures of functions and arcs again.
"""

import collections
import json
import os

import figures
import odd_profile


# What is exported is what these select, hide and group.
OPTIONS = ([], ['--by=package'], ['--by=line'], ['--system=hide'],
           ['--system=show'], ['--system=root'], ['--hide=A'],
           ['--ignore=A$|B'], ['--focus=A$|B'], ['--phase=run'],
           ['--thread=w'], ['--show=A'], ['--show-from=A$|S'],
           ['--region=load'], ['--value=allocs'])


def parts_of(rows):
    """Sums of allocations and bytes by type."""
    sums = collections.Counter()
    for row in rows:
        for part in row['types']:
            sums[part['type'], 'bytes'] += part['bytes']
            sums[part['type'], 'allocations'] += part['allocations']
    return dict(+sums)


def check_sums(label, data, narrowed):
    """The parts of DATA add up; NARROWED, calls need not: see the schema."""
    for count in figures.measures(data):
        for key in ('types', 'bins', 'phases', 'threads', 'contexts'):
            figures.check('%s: all %s of %s' % (label, count, key),
                          sum(row[count] for row in data[key]),
                          data['totals'][count])
        figures.check('%s: %s by function' % (label, count),
                      sum(f['self_' + count] for f in data['functions']),
                      data['totals'][count])
    types = {(i, count): t[count] for i, t in enumerate(data['types'])
             for count in ('bytes', 'allocations') if t[count]}
    figures.check(label + ': types by function',
                  parts_of(data['functions']), types)
    figures.check(label + ': types by bin', parts_of(data['bins']), types)
    figures.check(label + ': types by context', parts_of(data['contexts']),
                  types)
    figures.check(label + ': members of cycles', {
        f: i for i, cycle in enumerate(data['cycles'])
        for f in cycle['functions']},
        {i: f['cycle'] for i, f in enumerate(data['functions'])
         if f['cycle'] is not None})
    if narrowed:
        return
    calls = collections.Counter()
    for context in data['contexts']:
        calls[context['function']] = figures.added(
            calls[context['function']], context['calls'])
    figures.check(label + ': calls by context', [
        calls[i] for i in range(len(data['functions']))],
        [f['activations'] for f in data['functions']])


for label, profile in figures.profiles():
    for options in figures.matching(OPTIONS, profile):
        title = ' '.join((label, *options))
        path = figures.export_to(
            os.path.join(os.environ['WORK'], title + '.json'), 'json',
            profile, *options)
        with open(path, encoding='utf-8') as file:
            text = file.read()
        data = json.loads(text)
        figures.check(title + ': can stand in a page', [
            c for c in '<\u2028\u2029\x7f\x85' if c in text], [])
        check_sums(title, data, options and
                   options[0].startswith(('--focus', '--phase')))
    data = json.loads(figures.export('json', profile))
    if os.path.basename(profile) == odd_profile.FILE:
        expected = figures.of_odd_profile()
        found = figures.of_json(data)
        in_cycle = len(odd_profile.NAMES)
        figures.check(label + ': one cycle', [
            len(c['functions']) for c in data['cycles']], [in_cycle])
        figures.check(label + ': functions', {
            n: f._replace(file=f.file or '')
            for n, f in found.functions.items()}, expected.functions)
        figures.check(label + ': arcs', found.arcs, expected.arcs)
        figures.check(label + ': chains', found.chains, expected.chains)
        odd = {odd_profile.read_as(n) for n in odd_profile.NAMES}
        figures.check(label + ': classes', {
            t['class'] or '' for t in data['types']}, odd)
        figures.check(label + ': threads', {
            t['name'] for t in data['threads']}, (odd - {''}) | {'[unnamed]'})
        figures.check(label + ': comments', {
            c['key']: c['value'] for c in data['comments']
            if c['key'].startswith('odd')}, {
                'odd%d' % i: odd_profile.read_as(n)
                for i, n in enumerate(odd_profile.NAMES)})
figures.finish()
