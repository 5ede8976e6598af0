# SPDX-License-Identifier: LGPL-2.1-or-later
"""A profile in which every name is odd: of functions, files, types, classes,
threads, and in comments.  It is encoded here, by hand, so that no code of
mprof has a part in it.  Run as a program it writes the file that it is told.

MAIN calls each function, and each calls the next; each call allocates another
number of objects.
"""

import collections
import gzip
import sys

FILE = 'odd-names.data'
OBJECT = 16  # bytes of each object

# What is no UTF-8 stands here as lone surrogates.
NAMES = [
    'PLAIN', 'two words', ' before', 'after ', ' both ', '', ' ',
    'a;b', ';', 'a|b', "it's", "'quoted'", 'say "hi"', '"', '"";x',
    'back\\slash', 'end\\', '\\', '\\x41', '\\n', '\\\\n', '\\e', '\\N\\G\\l',
    'new\nline', '\n', 'cr\rlf\r\nend', 'tab\there', '\ttab',
    '\x01\x02\x1b[31mred\x1b[0m', 'delete\x7f', 'next\u0085line', '\u009b',
    'gr\u00f6\u00dfe', '\u65e5\u672c\u8a9e', '\U0001f600', '\u00a0blank',
    'e\u0301', '\u202eright to left', '\ufeffmark', 'line\u2028sep',
    'par\u2029sep', 'bad\udcff', '\udcc3(', 'cut\udce2\udc82',
    '</script><script>alert(1)</script>', '<!-- x', ']]>', '<b>bold</b>',
    '&amp;', '&lt;b&gt;', '&#60;', '<TABLE>', '<', '>',
    '"]; evil [label="x', '"; node -> node; "', '{a|b}', '// x', '/* x */',
    '=1+1', '=HYPERLINK("x")', '+1', '-1', '@SUM(1)', "'=1", '+', '-',
    'a,b', ',', 'x\r\ny,z', '(1)', '(2) x', '(3', '(1)(2)', 'fn=(3)',
    'cfn=(1) x', 'calls=1 2', '10 20', '+3 4', '*', 'totals: 1', '# x', '???',
    'a:b', 'fl=x', '<root>', '[root]', '<cycle 1>', 'all', 'name 12', '12',
    '%s%n%d', '$(touch x)', '`id`', '${HOME}', '../../x', 'nil', 'NIL',
    'null', 'true', '|a b|', '#.(quit)', '#|x', '(SETF |a b|)', 'x' * 3000,
    'C:\\x\\new', '0x12', '[brackets]', 'root;leaf 5',
]

Sample = collections.namedtuple('Sample', 'chain allocs calls')


def read_as(name):
    """NAME as mprof reads it: bytes that are no UTF-8 as \\xNN."""
    return ''.join('\\x%02x' % (ord(c) - 0xdc00) if 0xdc80 <= ord(c) <= 0xdcff
                   else c for c in name)


def by_read_name():
    return {read_as(name): name for name in NAMES}


def file_of(name):
    """The file of the function that is read as NAME."""
    if name == 'MAIN':
        return 'main.lisp'
    place = NAMES.index(by_read_name()[name])
    return NAMES[(place + 7) % len(NAMES)]


def samples():
    found = [Sample(('MAIN',), 0, 1)]
    for i, name in enumerate(NAMES):
        found.append(Sample(('MAIN', name), i + 1, 2 * i + 1))
        found.append(Sample(('MAIN', name, NAMES[(i + 1) % len(NAMES)]),
                            3 * i + 2, i + 5))
    return found


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def packed(field, values):
    return data(field, b''.join(varint(v) for v in values))


def encode():
    strings = {'': 0}

    def text(string):
        return strings.setdefault(string, len(strings))

    out = b''
    for kind, unit in (('alloc_objects', 'count'), ('alloc_space', 'bytes'),
                       ('activations', 'count')):
        out += data(1, number(1, text(kind)) + number(2, text(unit)))
    functions = ['MAIN'] + NAMES
    for i, name in enumerate(functions):
        out += data(5, number(1, i + 1) + number(2, text(name)) +
                    number(4, text(file_of(read_as(name)))) +
                    number(5, 10 * i))
        out += data(4, number(1, i + 1) + data(4, number(1, i + 1)))

    def label(key, string):
        return data(3, number(1, text(key)) + number(2, text(string)))

    for i, sample in enumerate(samples()):
        chain = packed(1, [functions.index(n) + 1
                           for n in reversed(sample.chain)])
        odd = NAMES[i % len(NAMES)]
        if sample.allocs:
            out += data(2, chain + packed(2, [sample.allocs,
                                              OBJECT * sample.allocs, 0]) +
                        label('type', 'INSTANCE') + label('class', odd) +
                        label('category', 'struct') + label('thread', odd) +
                        data(3, number(1, text('bytes')) +
                             number(3, OBJECT)))
        out += data(2, chain + packed(2, [0, 0, sample.calls]) +
                    label('thread', odd))
    comments = ['mprof.version=1', 'mprof.language=lisp'] + [
        'odd%d=%s' % (i, name) for i, name in enumerate(NAMES)]
    comments.append('mprof.program=' + NAMES[44] + '\n"\\' + NAMES[8])
    out += packed(13, [text(c) for c in comments])
    for string in strings:
        out += data(6, string.encode('utf-8', 'surrogateescape'))
    return out


if __name__ == '__main__':
    with gzip.GzipFile(sys.argv[1], 'wb', mtime=0) as file:
        file.write(encode())
