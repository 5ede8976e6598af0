#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""receiver.py FOLDER [ANSWER...]: takes what is shipped, as Pyroscope, Parca
and the OpenTelemetry collector do, and refuses with status 400 what breaks a
rule of theirs.

It listens to a port of its own, or that of --port=N, and writes it to
FOLDER/port.  At SIGTERM it writes what it has taken: FOLDER/sums by chain,
FOLDER/log with a line for each request, FOLDER/series.  Sums that are there
already are added to.  The first requests get the ANSWERs, a status, or

    STATUS:N      with `Retry-After: N'
    late          the whole request is read and nothing said until the end
    cut           the connection is closed before the body is read
    large:N       413 if there are more than N samples; for this one alone
    one:N         413 until N requests with a single sample have had it
    ok            what is due

--later=1 checks and adds up at the end: all is taken at once.
--tls=FILE has a certificate and its key; --token=T wants it."""

import base64
import collections
import gzip
import http.server
import json
import os
import signal
import ssl
import sys
import threading
import time
import urllib.parse

import shipped
from shipped import Broken, rule


def check_ingest(request, query, octets):
    """pyroscope pkg/ingester/pyroscope/ingest_handler.go."""
    query = dict(urllib.parse.parse_qsl(query, strict_parsing=True))
    rule(query['format'] == 'pprof', 'format')
    rule(query['spyName'] == 'mprof', 'spyName')
    # pkg/og/util/attime: 19 digits are nanoseconds.
    rule(len(query['from']) == len(query['until']) == 19 and
         int(query['from']) <= int(query['until']), 'from and until')
    labels = parse_name(query['name'])
    p = shipped.check(octets)
    # pkg/validation/limits.go: reject-older-than, reject-newer-than.
    age = time.time() - p['time_nanos'] / 1e9
    rule(-600 < age < 3600, 'in the ingestion window')
    rule(p['duration_nanos'] > 0, 'a difference')
    return labels, [p], 200, b''


def parse_name(name):
    """api/model/labelset: SERVICE{NAME=VALUE,...}."""
    service, _, rest = name.partition('{')
    labels = {'service_name': service}
    rule(rest.endswith('}') and '}' not in rest[:-1], 'name')
    for label in rest[:-1].split(','):
        key, _, value = label.partition('=')
        labels[key] = value
    check_labels(labels)
    rule(all(c.isalnum() or c in '_.-/' for c in service), 'service name')
    return labels


def check_labels(labels):
    """pyroscope pkg/validation/validate.go, of which pkg/og/convert/pprof adds
    four; prometheus model.LabelName for parca."""
    rule(len(labels) + 4 <= 30, 'how many labels')
    for key, value in labels.items():
        rule(key.isascii() and key.replace('_', 'a').isalnum() and
             not key[0].isdigit() and not key.startswith('__'), 'label name')
        rule(0 < len(value.encode()) <= 2048, 'label value')


def check_write_raw(request, query, octets):
    """parca pkg/normalizer NormalizeWriteRawRequest, proto/parca/profilestore;
    JSON as google.golang.org/protobuf/encoding/protojson reads it."""
    rule(request.headers['Content-Type'] == 'application/json', 'type')
    message = json.loads(octets)
    rule(set(message) == {'series', 'normalized'}, 'fields')
    [series] = message['series']
    rule(set(series) == {'labels', 'samples'}, 'fields of a series')
    labels = {}
    for label in series['labels']['labels']:
        rule(label['name'] not in labels, 'labels are there once')
        labels[label['name']] = label['value']
    # "missing __name__ label"; pkg/profilestore wants it to be a metric's.
    rule(labels.pop('__name__') == 'memory', 'the name')
    check_labels(labels)
    profiles = [shipped.check(base64.b64decode(sample['rawProfile'],
                                             validate=True))
                for sample in series['samples']]
    # pkg/profilestore: with a duration all types are deltas.
    for p, delta in zip(profiles, (True, False), strict=False):
        rule((p['duration_nanos'] > 0) == delta, 'delta, then instant')
        for sample in p['sample']:
            rule(sample['value'][2 if delta else 0:][:2] == [0, 0],
                 'no sums of what is in use')
    return labels, profiles, 200, b'{}'


def check_pprof(request, query, octets):
    """open-telemetry receiver/pprofreceiver/internal/http_server.go."""
    rule(query == '', 'no query')
    p = shipped.check(octets)
    rule(p['duration_nanos'] > 0, 'a difference')
    labels = dict(p['string_table'][i].split('=', 1) for i in p['comment'])
    check_labels(labels)
    return labels, [p], 204, b''


PATHS = {'/ingest': check_ingest, '/api/profiles/writeraw': check_write_raw,
         '/v1/pprof': check_pprof}


class Taken:
    """What has been taken, by all threads."""

    def __init__(self, folder):
        self.lock = threading.Lock()
        self.sums = collections.defaultdict(lambda: [0] * len(shipped.TYPES))
        self.in_use = -1  # as of when
        self.series = set()
        self.log = open(folder + '/log', 'a')
        if os.path.exists(folder + '/sums'):
            for line in open(folder + '/sums'):
                *values, chain = line.rstrip('\n').split(
                    ' ', len(shipped.TYPES))
                self.sums[chain] = [int(value) for value in values]

    def add(self, labels, profiles):
        self.series.add(tuple(sorted(labels.items())))
        for p in profiles:
            if p['time_nanos'] > self.in_use:  # older values do not count
                self.in_use = p['time_nanos']
                for values in self.sums.values():
                    values[2:] = [0, 0]
            now = p['time_nanos'] == self.in_use
            for chain, values in shipped.chains(p):
                sums = self.sums[chain]
                for i, value in enumerate(values):
                    if i < 2 or now:
                        sums[i] += value


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass

    def answer(self, status, body, after=None):
        self.send_response(status)
        self.send_header('Content-Length', str(len(body)))
        if after:
            self.send_header('Retry-After', after)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        server = self.server
        with server.taken.lock:
            if server.ends:
                self.close_connection = True
                return
            server.busy += 1
            answer = server.answers[0] if server.answers else 'ok'
            if not answer.startswith('one:'):
                del server.answers[:1]
        try:
            self.do_as_told(answer)
        finally:
            self.wfile.flush()
            with server.taken.lock:
                server.busy -= answer != 'late'

    def do_as_told(self, answer):
        server = self.server
        if answer == 'cut':
            self.log_line(answer)
            self.close_connection = True
            return
        octets = self.rfile.read(int(self.headers['Content-Length']))
        what, _, extra = answer.partition(':')
        if what == 'late':
            self.log_line(answer)
            self.close_connection = True
            with server.taken.lock:
                server.busy -= 1
            self.rfile.read(1)
        elif what == 'ok':
            self.take(octets, None)
        elif what == 'endless':
            self.endless(octets)
        elif what == 'large':
            self.take(octets, int(extra))
        elif what == 'one':
            self.refuse_single(octets, int(extra))
        else:
            self.log_line(answer)
            self.answer(int(what), b'as told', extra)

    def refuse_single(self, octets, times):
        """How many samples come before is not known to the test."""
        with self.server.taken.lock:
            if len(shipped.check(octets)['sample']) == 1:
                self.server.answers[:1] = (
                    ['one:%d' % (times - 1)] if times > 1 else [])
        self.log_line('413')
        self.answer(413, b'as told')

    def endless(self, octets):
        """An answer of status 200 without an end, until nobody reads it."""
        self.take(octets, None, end=False)
        sent = 0
        try:
            while sent < 1 << 30:
                sent += self.wfile.write(b'x' * 4096)
        except OSError:
            pass
        self.log_line('endless answer %s' % (
            'stopped' if sent < 1 << 25 else 'read'))

    def take(self, octets, most, end=True):
        server = self.server
        path, _, query = self.path.partition('?')
        if server.later is not None:
            server.later.append((self, path, query, octets))
            return self.answer(200, b'')
        if server.token and \
                self.headers['Authorization'] != 'Bearer ' + server.token:
            self.log_line('401')
            return self.answer(401, b'no token')
        try:
            labels, profiles, status, body = PATHS[path](self, query, octets)
        except (Broken, KeyError, ValueError, AssertionError) as broken:
            self.log_line('broken: %r' % broken)
            return self.answer(400, repr(broken).encode())
        samples = sum(len(p['sample']) for p in profiles)
        if most is not None and samples > most:
            self.log_line('413')
            return self.answer(413, b'too many samples')
        with server.taken.lock:
            server.taken.add(labels, profiles)
        self.log_line('taken %d samples %d octets' % (samples, len(octets)))
        if end:
            return self.answer(status, body)
        self.send_response(status)
        self.end_headers()

    def log_line(self, text):
        with self.server.taken.lock:
            print(text, file=self.server.taken.log, flush=True)


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 2048
    daemon_threads = True

    def handle_error(self, request, client):
        pass


def main():
    options = dict(a[2:].split('=', 1) for a in sys.argv[1:]
                   if a.startswith('--'))
    folder, *answers = [a for a in sys.argv[1:] if not a.startswith('--')]
    server = Server(('127.0.0.1', int(options.get('port', 0))), Handler)
    server.taken, server.answers = Taken(folder), answers
    server.token = options.get('token')
    server.busy, server.ends = 0, False
    server.later = [] if 'later' in options else None
    if 'tls' in options:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options['tls'])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    # Before there are other threads, which would end by it.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with open(folder + '/port.tmp', 'w') as file:
        print(server.server_address[1], file=file)
    os.rename(folder + '/port.tmp', folder + '/port')
    signal.sigwait({signal.SIGTERM})
    # What has been taken is answered: else it would be sent again.
    with server.taken.lock:
        server.ends = True
    while server.busy:
        time.sleep(0.01)
    for request, path, query, octets in server.later or []:
        server.taken.add(*PATHS[path](request, query, octets)[:2])
    with server.taken.lock, open(folder + '/sums', 'w') as file:
        shipped.write_sums(server.taken.sums, file)
        with open(folder + '/series', 'a') as series:
            for labels in sorted(server.taken.series):
                print(*('%s=%s' % label for label in labels), file=series)
    os._exit(0)


main()
