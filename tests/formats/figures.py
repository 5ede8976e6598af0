# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the readers of the formats have to find, and how that is compared.

Figures hold what a profile says by function, arc and chain.  Those of the
profile with odd names come from what it was made of (odd_profile.py), those
of all others from mprof's own JSON, which json.sh checks by itself.
"""

import collections
import json
import os
import subprocess
import sys

import odd_profile

Function = collections.namedtuple(
    'Function', 'self_bytes self_allocs inclusive_bytes inclusive_allocs '
    'calls cycle file')
Arc = collections.namedtuple('Arc', 'calls bytes allocs')

failures = 0


# The measures of JSON, in their order; a profile has some of them.
MEASURES = ('bytes', 'allocations', 'kept_bytes', 'kept_allocations',
            'peak_bytes', 'peak_allocations', 'temporary_allocations',
            'live_bytes', 'live_allocations')


def measures(data):
    """Those that the JSON DATA has."""
    return [key for key in MEASURES if key in data['totals']]


def check(name, got, expected):
    """Print one test: GOT has to equal EXPECTED."""
    global failures
    if got == expected:
        print('ok - ' + name)
        return
    failures += 1
    print('not ok - ' + name)
    if isinstance(got, dict) and isinstance(expected, dict):
        keys = [k for k in {**expected, **got}
                if got.get(k) != expected.get(k)]
        for key in keys[:5]:
            print('# %r: %r instead of %r' %
                  (key, got.get(key), expected.get(key)))
    else:
        print('# %.300r instead of %.300r' % (got, expected))


def finish():
    sys.exit(failures != 0)


def run(*command, **options):
    """What COMMAND prints."""
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, **options)
    if done.returncode != 0:
        print('not ok - %s ends with %d' % (' '.join(command)[:200],
                                            done.returncode))
        print('# ' + done.stderr.decode(errors='replace')[:500])
        sys.exit(1)
    return done.stdout


def export(kind, profile, *options):
    """The text of PROFILE in the format KIND."""
    return run(os.environ['MPROF'], 'export', '--format=' + kind, *options,
               profile)


def matching(lists, profile):
    """Those of LISTS of options that leave something of PROFILE; mprof refuses
    the others."""
    return [options for options in lists if subprocess.run(
        [os.environ['MPROF'], 'export', '--format=json', *options, profile],
        capture_output=True, check=False).returncode == 0]


def export_to(path, kind, profile, *options):
    run(os.environ['MPROF'], 'export', '--format=' + kind, '-o', path,
        *options, profile)
    return path


class Figures:
    """By name: functions, arcs, and chains (root first) with their own
    (bytes, allocs)."""

    def __init__(self):
        self.functions = {}
        self.arcs = {}
        self.chains = {}
        self.roots = {}  # what chains that start there allocated
        self.bytes = self.allocs = 0


def of_json(data):
    figures = Figures()
    names = [f['name'] for f in data['functions']]
    for f in data['functions']:
        figures.functions[f['name']] = Function(
            f['self_bytes'], f['self_allocations'], f['inclusive_bytes'],
            f['inclusive_allocations'], f['activations'], f['cycle'],
            f['file'])
    for a in data['arcs']:
        figures.arcs[names[a['caller']], names[a['callee']]] = Arc(
            a['calls'], a['bytes'], a['allocations'])
    chains = []
    for c in data['contexts']:
        chain = (() if c['parent'] is None else chains[c['parent']]) + (
            names[c['function']],)
        chains.append(chain)
        add_chain(figures, chain, c['bytes'], c['allocations'], c['calls'])
    figures.bytes = data['totals']['bytes']
    figures.allocs = data['totals']['allocations']
    return figures


def add_chain(figures, chain, size, allocs, calls):
    if size or allocs:
        figures.chains[chain] = (size, allocs)
    root = figures.roots.get(chain[0], Arc(0, 0, 0))
    figures.roots[chain[0]] = Arc(
        added(root.calls, calls if len(chain) == 1 else 0),
        root.bytes + size, root.allocs + allocs)


def added(a, b):
    """The calls A and B together; None stands for unknown ones."""
    return None if None in (a, b) else a + b


def of_profile(profile):
    """What has to be found in PROFILE."""
    if os.path.basename(profile) == odd_profile.FILE:
        return of_odd_profile()
    return of_json(json.loads(export('json', profile)))


def of_odd_profile():
    figures = Figures()
    functions = collections.defaultdict(lambda: [0] * 5)
    arcs = collections.defaultdict(lambda: [0] * 3)
    for sample in odd_profile.samples():
        names = [odd_profile.read_as(n) for n in sample.chain]
        size = sample.allocs * odd_profile.OBJECT
        for name in set(names):
            functions[name][2] += size
            functions[name][3] += sample.allocs
        functions[names[-1]][0] += size
        functions[names[-1]][1] += sample.allocs
        functions[names[-1]][4] += sample.calls
        for pair in set(zip(names, names[1:])):
            arcs[pair][1] += size
            arcs[pair][2] += sample.allocs
        if len(names) > 1:
            arcs[names[-2], names[-1]][0] += sample.calls
        add_chain(figures, tuple(names), size, sample.allocs, sample.calls)
        figures.bytes += size
        figures.allocs += sample.allocs
    for name, values in functions.items():
        figures.functions[name] = Function(
            *values, None if name == 'MAIN' else 0,
            odd_profile.read_as(odd_profile.file_of(name)))
    figures.arcs = {pair: Arc(*values) for pair, values in arcs.items()}
    return figures


def shown(name, extra=''):
    """NAME on one line, as in tables; a character of EXTRA is doubled."""
    out = ''
    for c in name:
        if c in '\n\t\r':
            out += {'\n': '\\n', '\t': '\\t', '\r': '\\r'}[c]
        elif c < ' ' or c == '\x7f':
            out += '\\x%02x' % ord(c)
        elif '\x80' <= c < '\xa0' or c in '\u2028\u2029':
            out += '\\u%04x' % ord(c)
        else:
            out += c + c if c in extra else c
    return out


def unescape(text):
    """Undo what the manual page calls escaping."""
    out = []
    i = 0
    while i < len(text):
        if text[i] != '\\':
            out.append(text[i])
            i += 1
            continue
        code = text[i + 1]
        if code in 'xu':
            digits = 2 if code == 'x' else 4
            out.append(chr(int(text[i + 2:i + 2 + digits], 16)))
            i += 2 + digits
        else:
            out.append({'n': '\n', 't': '\t', 'r': '\r', '\\': '\\',
                        'e': ''}[code])
            i += 2
    return ''.join(out)


def profiles():
    """(label, path) of each profile that the command line names."""
    for path in sys.argv[1:]:
        yield os.path.basename(path).rsplit('.', 1)[0], path
