# SPDX-License-Identifier: LGPL-2.1-or-later
"""A profile as protobuf, read by its field numbers alone.

The numbers are those of profile.proto (google/pprof, proto/profile.proto).
"""

import gzip


def fields(octets):
    """The fields of a message: pairs of number and value."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            octet = octets[at]
            at += 1
            value |= (octet & 127) << shift
            shift += 7
            if octet < 128:
                return value

    while at < len(octets):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            assert key & 7 == 2, "a wire type that profiles do not have"
            length = varint()
            yield key >> 3, octets[at:at + length]
            at += length


def packed(octets):
    """Numbers one after the other."""
    return [value for _, value in fields(b"".join(
        b"\x08" + piece for piece in split(octets)))]


def split(octets):
    piece = bytearray()
    for octet in octets:
        piece.append(octet)
        if octet < 128:
            yield bytes(piece)
            piece.clear()


def signed(number):
    return number - (1 << 64) if number >> 63 else number


class Message:
    """Fields by number, in lists."""

    def __init__(self, octets):
        self.all = {}
        for number, value in fields(octets):
            self.all.setdefault(number, []).append(value)

    def number(self, field):
        return self.all.get(field, [0])[-1]

    def messages(self, field):
        return [Message(value) for value in self.all.get(field, [])]

    def numbers(self, field):
        return [number for value in self.all.get(field, [])
                for number in (packed(value) if isinstance(value, bytes)
                               else [value])]


class Profile:
    """What a server of profiles looks at, and what it asks of it."""

    def __init__(self, octets):
        message = Message(gzip.decompress(octets))
        self.message = message
        self.strings = [text.decode("utf-8") for text in message.all[6]]
        text = self.strings.__getitem__
        self.sample_types = [(text(t.number(1)), text(t.number(2)))
                             for t in message.messages(1)]
        self.functions = {f.number(1): text(f.number(2))
                          for f in message.messages(5)}
        self.locations = {}
        self.addresses = {}
        for location in message.messages(4):
            lines = location.messages(4)
            assert len(lines) == 1
            number = location.number(1)
            self.locations[number] = self.functions[lines[0].number(1)]
            self.addresses[number] = location.number(3)
        self.samples = [
            (tuple(self.locations[i] for i in sample.numbers(1)),
             tuple(signed(v) for v in sample.numbers(2)),
             {text(label.number(1)): text(label.number(2))
              for label in sample.messages(3)})
            for sample in message.messages(2)]
        self.stacks = [(tuple(sample.numbers(1)), labels)
                       for sample, (_, _, labels)
                       in zip(message.messages(2), self.samples)]
        self.time = message.number(9)
        self.duration = message.number(10)
        self.default_type = text(message.number(14))

    def check(self, types_are_labels):
        """What FLEET asks of a served profile; see heap_profile.h."""
        message, text = self.message, self.strings.__getitem__
        assert self.strings[0] == ""
        assert self.sample_types == [
            ("alloc_objects", "count"), ("alloc_space", "bytes"),
            ("inuse_objects", "count"), ("inuse_space", "bytes")]
        period = message.messages(11)[0]
        assert (text(period.number(1)), text(period.number(2)),
                message.number(12)) == ("space", "bytes", 1)
        mappings = message.messages(3)
        assert len(mappings) == 1 and mappings[0].number(1) == 1
        assert all(mappings[0].number(flag) == 1 for flag in (7, 8, 9))
        for field in (4, 5):
            ids = [m.number(1) for m in message.messages(field)]
            assert ids == list(range(1, len(ids) + 1))
        assert all(l.number(2) == 1 for l in message.messages(4))
        addresses = list(self.addresses.values())
        assert len(set(addresses)) == len(addresses) and 0 not in addresses
        for chain, values, labels in self.samples:
            assert 0 < len(chain) <= 1000
            assert len(values) == 4 and any(values)
            assert set(labels) <= ({"type"} if types_are_labels else set())
        stacks = [(stack, *labels.values()) for stack, labels in self.stacks]
        assert len(set(stacks)) == len(stacks)
        return self

    def totals(self):
        return [sum(values[i] for _, values, _ in self.samples)
                for i in range(4)]

    def of(self, function):
        """Sums over the samples with FUNCTION on their chain."""
        return [sum(values[i] for chain, values, _ in self.samples
                    if function in chain) for i in range(4)]

    def addresses_by_name(self):
        """The addresses of each function: one for each of its lines."""
        addresses = {}
        for location, address in self.addresses.items():
            addresses.setdefault(self.locations[location], set()).add(address)
        return addresses
