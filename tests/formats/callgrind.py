# SPDX-License-Identifier: LGPL-2.1-or-later
"""callgrind_annotate: costs of functions, with and without what they call,
callers and callees with their calls.

What it calls inclusive is what the calls of a function cost together: the
exact figure where no recursion makes arcs overlap, as is checked, too.
"""

import collections
import os
import re

import figures

ROOT = '<root>'


def escape(name):
    """NAME as the manual page says that it is written."""
    text = figures.shown(name, '\\') or '\\e'
    if name == ROOT:
        return '\\x3c' + text[1:]
    if text[0] == ' ':
        text = '\\x20' + text[1:]
    if text[-1] == ' ' and len(text) > 1:
        text = text[:-1] + '\\x20'
    return text


def annotate(path, *options):
    """The lines of callgrind_annotate with costs: ((bytes, allocs), rest)."""
    with open(path, 'rb') as file:
        events = len(re.search(rb'\nevents:(.*)', file.read()).group(1).split())
    text = figures.run('callgrind_annotate', '--threshold=100', '--auto=no',
                       *options, path, cwd=os.environ['WORK']).decode()
    cell = r'([0-9,]+)(?: \( *[0-9.]+%\))? +'
    for line in text.split('\n'):
        match = re.match(' *' + cell * events, line)
        if match:
            counts = [int(n.replace(',', '')) for n in match.groups()[:2]]
            yield counts, re.sub(r' \[\]$', '', line[match.end():])


def strip_calls(text):
    """'NAME (12x)' -> NAME, 12"""
    match = re.fullmatch(r'(.*) \(([0-9,]+)x\)', text)
    return match.group(1), int(match.group(2).replace(",", ""))


for label, profile in figures.profiles():
    expected = figures.of_profile(profile)
    path = figures.export_to(
        os.path.join(os.environ['WORK'], label + '.callgrind'), 'callgrind',
        profile)
    shown = {}
    for name, f in expected.functions.items():
        shown[name] = '%s:%s' % (escape(f.file) if f.file else '???',
                                 escape(name))
    back = {text: name for name, text in shown.items()}
    back['???:' + ROOT] = None
    figures.check(label + ': shown names differ', len(back),
                  len(shown) + 1)

    def read(*options):
        rows = {}
        for counts, text in annotate(path, *options):
            if text == 'PROGRAM TOTALS':
                rows['totals'] = tuple(counts[:2])
            elif text in back:
                rows[back[text]] = tuple(counts[:2])
            else:
                rows['?' + text] = tuple(counts[:2])
        return rows

    totals = (expected.bytes, expected.allocs)
    own = {n: (f.self_bytes, f.self_allocs)
           for n, f in expected.functions.items()
           if f.self_bytes or f.self_allocs}
    figures.check(label + ': self', {n: c for n, c in read().items()
                                     if c != (0, 0)},
                  {**own, 'totals': totals} if own else {})
    into = collections.defaultdict(lambda: [0, 0])
    recursive = {n for n, f in expected.functions.items()
                 if f.cycle is not None}
    arcs = dict(expected.arcs)
    for name, root in expected.roots.items():
        arcs[None, name] = root
    for (caller, callee), arc in arcs.items():
        into[callee][0] += arc.bytes
        into[callee][1] += arc.allocs
        if caller == callee:
            recursive.add(callee)
    found = {n: c for n, c in read('--inclusive=yes').items() if c != (0, 0)}
    figures.check(label + ': inclusive', found, {
        **{n: tuple(c) for n, c in into.items() if c != [0, 0]},
        None: totals, 'totals': totals} if own else {})
    figures.check(label + ': inclusive, where nothing is recursive', {
        n: c for n, c in found.items()
        if n not in recursive and n not in (None, 'totals')}, {
            n: (f.inclusive_bytes, f.inclusive_allocs)
            for n, f in expected.functions.items()
            if n not in recursive and
            (f.inclusive_bytes or f.inclusive_allocs)})

    # Callers ("<"), then the function ("*"), then callees (">").
    callers, callees = {}, {}
    waiting, current = [], None
    for counts, text in annotate(path, '--inclusive=yes', '--tree=both'):
        mark, text = text[:1], text[1:].lstrip(' ')
        if mark == '*':
            current = back.get(text, '?' + text)
            for other, calls, costs in waiting:
                callers[other, current] = (calls, *costs)
            waiting = []
        elif mark in ('<', '>'):
            other, calls = strip_calls(text)
            other = back.get(other, '?' + other)
            if mark == '<':
                waiting.append((other, calls, counts[:2]))
            else:
                callees[current, other] = (calls, *counts[:2])
    wanted = {pair: (arc.calls or 1, arc.bytes, arc.allocs)
              for pair, arc in arcs.items() if any(arc)}
    if own:
        figures.check(label + ': callers', callers, wanted)
        figures.check(label + ': callees', callees, wanted)
figures.finish()
