# SPDX-License-Identifier: LGPL-2.1-or-later
"""dot: attributes of nodes and edges and the text that it draws, by dot
-Tjson; and the pictures of mprof graph, which have to be XML."""

import json
import os

import figures

# What is drawn does not depend on where; dot takes long to find that out.
QUICK = ('-Gsplines=line', '-Gnslimit=1', '-Gnslimit1=1', '-Gmclimit=0.1')


def function(node):
    # dot keeps the backslashes that were doubled for it, and names no
    # attribute that is empty.
    return figures.unescape(node.get('function', '').replace('\\\\', '\\'))


def drawn(thing):
    """The lines of text of a node or edge."""
    return [op['text'] for op in thing.get('_ldraw_', []) if op['op'] == 'T']


def share(part, whole):
    tenths = part * 1000 // whole if whole else 0
    return '%d bytes (%d.%d %%)' % (part, tenths // 10, tenths % 10)


def number(text):
    return int(text) if text else None


def check_graph(label, expected, path, minimum):
    """MINIMUM: the smallest share that is drawn, in parts of a hundred."""
    data = json.loads(figures.run('dot', '-Tjson', *QUICK, path))
    nodes = {n['_gvid']: n for n in data.get('objects', [])}

    def large(count):
        return count * 100 >= expected.bytes * minimum

    wanted = {n: f for n, f in expected.functions.items()
              if large(f.inclusive_bytes)}
    figures.check(label + ': nodes', {
        function(n): tuple(number(n.get(key)) for key in (
            'self_bytes', 'self_allocations', 'inclusive_bytes',
            'inclusive_allocations', 'calls')) for n in nodes.values()},
        {n: f[:5] for n, f in wanted.items()})
    arcs = {pair: arc for pair, arc in expected.arcs.items()
            if large(arc.bytes) and set(pair) <= set(wanted)}
    edges = {(function(nodes[e['tail']]), function(nodes[e['head']])): e
             for e in data.get('edges', [])}
    figures.check(label + ': edges', {
        pair: (number(e.get('calls')), int(e['bytes']),
               int(e['allocations']))
        for pair, e in edges.items()}, {
            pair: tuple(arc) for pair, arc in arcs.items()})
    figures.check(label + ': text of nodes', {
        function(n): drawn(n) for n in nodes.values()}, {
            n: [line for line in (
                figures.shown(n), '' if f.cycle is None else
                '<cycle %d>' % (f.cycle + 1),
                'self ' + share(f.self_bytes, expected.bytes),
                'inclusive ' + share(f.inclusive_bytes, expected.bytes))
                if line]
            for n, f in wanted.items()})
    figures.check(label + ': text of edges', {
        pair: drawn(e) for pair, e in edges.items()}, {
            pair: [' %d bytes ' % arc.bytes,
                   ' calls unknown ' if arc.calls is None
                   else ' %d calls ' % arc.calls]
            for pair, arc in arcs.items()})
    missing = [f.self_bytes for n, f in expected.functions.items()
               if n not in wanted]
    figures.check(label + ': what is left out', tuple(
        int(data[key]) for key in ('left_out_functions', 'left_out_bytes',
                                   'left_out_arcs')),
        (len(missing), sum(missing), len(expected.arcs) - len(arcs)))
    figures.check(label + ': cycles', {
        function(n): int(n.get('cycle') or 0) for n in nodes.values()},
        {n: 0 if f.cycle is None else f.cycle + 1 for n, f in wanted.items()})


for name, profile in figures.profiles():
    figures_of = figures.of_profile(profile)
    for percent in ('0', '5'):
        dot = figures.export_to(
            os.path.join(os.environ['WORK'], name + percent + '.dot'), 'dot',
            profile, '--min-percent=' + percent)
        check_graph('%s from %s %%' % (name, percent), figures_of, dot,
                    int(percent))
    svg = os.path.join(os.environ['WORK'], name + '.svg')
    figures.run(os.environ['MPROF'], 'graph', '--min-percent=5', '-o', svg,
                profile)
    text = figures.run('xmllint', '--nonet', '--xpath',
                       'name(/*)', svg).decode().strip()
    figures.check(name + ': the picture is an SVG', text, 'svg')
    unsafe = figures.run(
        'xmllint', '--nonet', '--xpath',
        'count(//*[local-name()="script"] | //@*[starts-with(name(), "on")])',
        svg).decode().strip()
    figures.check(name + ': the picture holds no script', unsafe, '0')
    count = figures.run(
        'xmllint', '--nonet', '--xpath',
        'count(//*[local-name()="g"][@class="node"])', svg).decode().strip()
    figures.check(name + ': the picture has all nodes', int(count), sum(
        f.inclusive_bytes * 20 >= figures_of.bytes
        for f in figures_of.functions.values()))
figures.finish()
