# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads profiles by pprof's own description, tests/foreign/profile.proto, and
checks rules of servers that take heap profiles."""

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
    rule(len(p['mapping']) == 1 and all(
        p['mapping'][0]['has_' + what]
        for what in ('functions', 'filenames', 'line_numbers')),
        'one mapping that has symbols')


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
