# SPDX-License-Identifier: LGPL-2.1-or-later
"""CSV: each table, read by Python's csv in its strict mode."""

import csv
import io
import json

import figures


def read(profile, table):
    text = figures.export('csv', profile, '--tables=' + table).decode()
    rows = list(csv.reader(io.StringIO(text, newline=''), strict=True))
    widths = {len(row) for row in rows}
    # What the text begins with is no formula, whatever the name.
    formulas = [cell for row in rows for cell in row
                if cell[:1] in tuple('=+-@\t\r\n')]
    return rows[0], rows[1:], (len(widths), formulas, text.endswith('\r\n'))


def name(cell):
    return cell[1:] if cell.startswith("'") else cell


def number(cell):
    return int(cell) if cell else None


def times(row):
    """What a region has beside its figures."""
    return [row[key] for key in ('entered', 'nanoseconds', 'first_entered',
                                 'last_left', 'held_bytes')
            ] if 'path' in row else []


for label, profile in figures.profiles():
    expected = figures.of_profile(profile)
    data = json.loads(figures.export('json', profile))

    head, rows, form = read(profile, 'functions')
    figures.check(label + ': functions, form', form, (1, [], True))
    found = [dict(zip(head, row)) for row in rows]
    figures.check(label + ': functions', {
        name(f['function']): (int(f['self_bytes']),
                              int(f['self_allocations']),
                              int(f['inclusive_bytes']),
                              int(f['inclusive_allocations']),
                              number(f['calls']), name(f['file']))
        for f in found}, {
            n: (f.self_bytes, f.self_allocs, f.inclusive_bytes,
                f.inclusive_allocs, f.calls, f.file or '')
            for n, f in expected.functions.items()})
    figures.check(label + ': functions, all measures', [
        {key: int(value) for key, value in f.items()
         if key.startswith(('self_', 'inclusive_'))} for f in found],
        [{key: value for key, value in f.items()
          if key.startswith(('self_', 'inclusive_')) and
          key != 'self_category_bytes'} for f in data['functions']])
    figures.check(label + ': cycles', [f['cycle'] for f in found], [
        '' if f['cycle'] is None else str(f['cycle'] + 1)
        for f in data['functions']])

    head, rows, form = read(profile, 'arcs')
    figures.check(label + ': arcs, form', form, (1, [], True))
    figures.check(label + ': arcs', {
        (name(r[0]), name(r[1])): figures.Arc(*map(number, r[2:5]))
        for r in rows}, expected.arcs)

    head, rows, form = read(profile, 'contexts')
    figures.check(label + ': contexts, form', form, (1, [], True))
    figures.check(label + ': contexts', {
        tuple(figures.unescape(n) for n in name(r[0]).split(';')):
        (int(r[1]), int(r[2])) for r in rows if r[1:3] != ['0', '0']},
        expected.chains)

    head, rows, form = read(profile, 'types')
    figures.check(label + ': types, form', form, (1, [], True))
    figures.check(label + ': types', [
        [r[0], name(r[1]), name(r[2]), int(r[3]), int(r[4])] for r in rows],
        [[t['category'], t['type'] or '', t['class'] or '', t['bytes'],
          t['allocations']] for t in data['types']])

    head, rows, form = read(profile, 'bins')
    figures.check(label + ': bins, form', form, (1, [], True))
    kinds = {'size': '', 'large': 'large', 'grown': 'grown',
             'unknown': 'unknown'}
    types = data['types']
    figures.check(label + ': bins', [
        [r[0], r[1], name(r[2]), name(r[3]), int(r[5]), int(r[4])]
        for r in rows],
        [[kinds[b['kind']] or str(b['size']), types[p['type']]['category'],
          types[p['type']]['type'] or '', types[p['type']]['class'] or '',
          p['allocations'], p['bytes']]
         for b in data['bins'] for p in b['types']])

    measures = figures.measures(data)
    more = measures[2:]
    for table, key in (('phases', 'phase'), ('threads', 'name'),
                       ('regions', 'path')):
        head, rows, form = read(profile, table)
        figures.check('%s: %s, form' % (label, table), form, (1, [], True))
        figures.check('%s: %s' % (label, table), [
            [name(r[0])] + [number(n) for n in r[1:]]
            for r in rows],
            [[t[key], t['bytes'], t['allocations']] + t['category_bytes'] +
             [t[m] for m in more] + times(t) for t in data[table]])
figures.finish()
