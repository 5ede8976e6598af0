# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a server of profiles looks at in a profile that is served, and checks
that print TAP."""

import gzip
import sys

import message

failures = 0


def check(name, good, *said):
    global failures
    print(f"{'ok' if good else 'not ok'} - {name}", flush=True)
    if not good:
        failures += 1
        for line in said:
            print(f"# {line}", flush=True)


def equal(name, expected, found):
    check(name, expected == found, f"expected {expected}, found {found}")


def done():
    sys.exit(1 if failures else 0)


class Profile:
    def __init__(self, octets):
        self.message = p = message.decode(gzip.decompress(octets))
        text = p["string_table"].__getitem__
        functions = {f["id"]: text(f["name"]) for f in p["function"]}
        self.locations = {l["id"]: functions[l["line"][0]["function_id"]]
                          for l in p["location"]}
        self.samples = [
            (tuple(self.locations[i] for i in sample["location_id"]),
             sample["value"],
             {text(label["key"]): text(label["str"])
              for label in sample["label"]})
            for sample in p["sample"]]
        self.time = p["time_nanos"]
        self.duration = p["duration_nanos"]
        self.default_type = text(p["default_sample_type"])

    def check(self):
        """A heap profile as Go writes it: see mprof-formats(5)."""
        p = self.message
        message.check_tables(p)
        message.check_header(p)
        assert all(len(l["line"]) == 1 for l in p["location"])
        stacks = []
        for sample, (chain, values, labels) in zip(p["sample"], self.samples):
            assert len(chain) > 0 and not labels
            assert len(values) == 4 and any(values)
            stacks.append(tuple(sample["location_id"]))
        assert len(set(stacks)) == len(stacks)
        return self

    def totals(self):
        return [sum(values[i] for _, values, _ in self.samples)
                for i in range(4)]

    def of(self, function):
        """Sums over the samples with FUNCTION on their chain."""
        return [sum(values[i] for chain, values, _ in self.samples
                    if function in chain) for i in range(4)]
