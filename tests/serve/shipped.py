# SPDX-License-Identifier: LGPL-2.1-or-later
"""Profiles by pprof's own description, tests/foreign/profile.proto: what is
in one, which rules it breaks, and sums."""

import collections
import gzip
import os
import re

Message = collections.namedtuple('Message', 'name fields')


def read_schema(path):
    """By message and field number: name, type, whether repeated."""
    messages, fields = {}, None
    for line in open(path):
        begin = re.match(r'message (\w+) \{', line)
        field = re.match(r' +(repeated )?(\w+) (\w+) = (\d+);', line)
        if begin:
            fields = messages[begin[1]] = {}
        elif field:
            fields[int(field[4])] = (field[3], field[2], bool(field[1]))
    return messages


SCHEMA = read_schema(os.path.join(os.path.dirname(__file__), '..', 'foreign',
                                  'profile.proto'))


def varint(octets, i):
    value = shift = 0
    while True:
        value |= (octets[i] & 127) << shift
        shift += 7
        i += 1
        if octets[i - 1] < 128:
            return value, i


def number(value, kind):
    return value - (1 << 64) if kind == 'int64' and value >> 63 else value


def decode(octets, kind='Profile'):
    """A dictionary of the fields; those that are repeated are lists."""
    schema = SCHEMA[kind]
    message = {name: [] if repeated else {} if type in SCHEMA
               else '' if type == 'string' else 0
               for name, type, repeated in schema.values()}
    i = 0
    while i < len(octets):
        key, i = varint(octets, i)
        name, type, repeated = schema[key >> 3]
        if key & 7 == 0:
            value, i = varint(octets, i)
            values = [number(value, type)]
        else:
            assert key & 7 == 2, 'a wire type that pprof does not have'
            length, i = varint(octets, i)
            part, i = octets[i:i + length], i + length
            assert len(part) == length, 'the profile is cut off'
            if type in SCHEMA:
                values = [decode(part, type)]
            elif type == 'string':
                values = [part.decode('utf-8')]  # or an error
            elif part.isascii():  # a byte each
                values = list(part)
            else:
                values, j = [], 0
                while j < len(part):
                    value, j = varint(part, j)
                    values.append(number(value, type))
        if repeated:
            message[name] += values
        else:
            message[name] = values[-1]
    return message


TYPES = [('alloc_objects', 'count'), ('alloc_space', 'bytes'),
         ('inuse_objects', 'count'), ('inuse_space', 'bytes')]


class Broken(Exception):
    """A rule, and where it comes from."""


def rule(holds, text):
    if not holds:
        raise Broken(text)


def check(octets):
    """The profile in OCTETS, which keeps the rules of all who take it."""
    # All take gzip by its first bytes: google/pprof profile.Parse;
    # pyroscope pkg/pprof RawFromBytes; parca pkg/normalizer.
    rule(octets[:2] == b'\x1f\x8b', 'gzip')
    plain = gzip.decompress(octets)
    # pyroscope pkg/validation/limits.go: max-profile-size-bytes,
    # max-profile-stacktrace-samples.
    rule(len(plain) <= 4 << 20, '4 MiB uncompressed')
    p = decode(plain)
    rule(len(p['sample']) <= 16000, '16,000 samples')
    check_tables(p)
    check_samples(p)
    check_header(p)
    return p


def check_tables(p):
    strings = p['string_table']
    # parca pkg/normalizer/validate.go; pyroscope validateStringTableAccess
    rule(strings and strings[0] == '', 'string 0 is empty')
    # parca pkg/normalizer/validate.go: "id is not sequential"
    for table in 'mapping', 'location', 'function':
        rule([row['id'] for row in p[table]] ==
             list(range(1, len(p[table]) + 1)), table + ' ids are 1..n')
    for f in p['function']:
        rule(0 < f['name'] < len(strings) and f['filename'] < len(strings) and
             f['system_name'] < len(strings), 'strings of functions')
    for location in p['location']:
        # open-telemetry pkg/translator/pprof follows it; google/pprof
        # internal/symbolizer looks for symbols without the flags.
        rule(location['mapping_id'] == 1, 'each location is in the mapping')
        rule(location['line'] and all(
            0 < line['function_id'] <= len(p['function'])
            for line in location['line']), 'functions of locations')
    # DataDog/go-fastdelta knows samples by addresses.
    addresses = [location['address'] for location in p['location']]
    rule(0 not in addresses and len(set(addresses)) == len(addresses),
         'an address for each location')
    rule(len(p['mapping']) == 1 and all(
        p['mapping'][0]['has_' + what]
        for what in ('functions', 'filenames', 'line_numbers')),
        'one mapping that has symbols')
    # pyroscope pkg/validation: max-profile-symbol-value-length
    rule(all(len(s.encode()) <= 65535 for s in strings), 'length of strings')


def check_samples(p):
    for sample in p['sample']:
        # pyroscope ValidateProfile; parca ValidatePprofProfile
        rule(len(sample['value']) == len(TYPES), 'a value for each type')
        rule(all(0 < i <= len(p['location'])
                 for i in sample['location_id']), 'locations of samples')
        # pyroscope max-profile-stacktrace-depth cuts off the leaf.
        rule(0 < len(sample['location_id']) <= 1000, 'depth')
        # pyroscope pkg/distributor makes a series of each.
        rule(sample['label'] == [], 'no labels')
        # pyroscope pkg/pprof Normalize leaves out those that do not.
        rule(min(sample['value']) >= 0 and max(sample['value']) > 0,
             'values count something')


def check_header(p):
    def name(value_type):
        return tuple(p['string_table'][value_type[which]]
                     for which in ('type', 'unit'))
    rule([name(column) for column in p['sample_type']] == TYPES,
         'the sample types')
    # open-telemetry pkg/translator/pprof uses it without asking.
    rule(name(p['period_type']) == ('space', 'bytes') and p['period'] == 1,
         'the period')
    rule(p['time_nanos'] > 0 and p['duration_nanos'] >= 0, 'times')


def chains(p):
    """Each sample as its chain, the root first, and its values."""
    strings = p['string_table']
    functions = {f['id']: strings[f['name']] for f in p['function']}
    locations = {l['id']: '%s:%d' % (functions[l['line'][0]['function_id']],
                                     l['line'][0]['line'])
                 for l in p['location']}
    for sample in p['sample']:
        # A type that is a label is a last frame where it was shipped.
        types = [strings[label['str']] + ':0' for label in sample['label']]
        frames = [locations[i] for i in reversed(sample['location_id'])]
        yield ';'.join(frames + types), sample['value']


def write_sums(sums, file):
    """SUMS by chain, those that are not 0, in order."""
    for chain in sorted(sums):
        if any(sums[chain]):
            print(*sums[chain], chain, file=file)


if __name__ == '__main__':
    import sys
    total = collections.defaultdict(lambda: [0] * len(TYPES))
    for path in sys.argv[1:]:
        for chain, values in chains(decode(gzip.open(path).read())):
            total[chain] = [a + b for a, b in zip(total[chain], values)]
    write_sums(total, sys.stdout)
