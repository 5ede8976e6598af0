# SPDX-License-Identifier: LGPL-2.1-or-later
"""mprof run --serve: a program in C is asked for its profile while it runs.

Usage: run.py MPROF PROGRAM.  Prints TAP.
"""

import http.client
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from pprof import Profile, check, done, equal

MPROF, PROGRAM = sys.argv[1:3]

folder = tempfile.TemporaryDirectory()
file = f"{folder.name}/worker.data"
process = subprocess.Popen(
    [MPROF, "run", "--serve=0", "-o", file, PROGRAM], stdin=subprocess.PIPE,
    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=0)
port = int(re.search(r"localhost:(\d+)/", process.stderr.readline())[1])


def do(line):
    process.stdin.write(line + "\n")
    return process.stdout.readline().strip()


def get(path):
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    client.request("GET", path)
    answer = client.getresponse()
    octets = answer.read()
    client.close()
    return answer.status, octets


def profile(path):
    status, octets = get(path)
    assert status == 200, octets
    return Profile(octets).check()


def child_of(parent):
    """The process that PARENT has started."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                if int(file.read().rpartition(")")[2].split()[1]) == parent:
                    return int(name)
        except OSError:
            pass
    raise ProcessLookupError(parent)


equal("it works", "done", do("keep 1000"))
do("drop 500")
allocs = profile("/debug/pprof/allocs")
equal("what was allocated, and is in use", [1500, 150000, 1000, 100000],
      allocs.of("make_object"))
equal("... by caller", [1000, 100000, 1000, 100000], allocs.of("keep"))
equal("... of a chain", ("make_object", "keep", "main"),
      next(chain[:3] for chain, values, _ in allocs.samples
           if values[0] == 1000))
equal("heap has bytes in use first", "inuse_space",
      profile("/debug/pprof/heap").default_type)

do("drop 20")
do("keep 3")

client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
client.request("GET", "/debug/pprof/heap?seconds=2")
# Who is answered twice comes later than that.
get("/")
get("/")
do("keep 77")
equal("a difference over two seconds", [77, 7700, 77, 7700],
      Profile(client.getresponse().read()).check().of("make_object"))
client.close()

with open(f"{folder.name}/now.data", "wb") as now:
    now.write(get("/profile")[1])
said = subprocess.run([MPROF, "report", "--verbose", "--tables=direct",
                       now.name], capture_output=True, text=True).stdout
check("/profile is a file for mprof",
      re.search(r"\b160000\b.*\b1600\b.*make_object", said), said)
check("/flamegraph is the page",
      get("/flamegraph")[1].startswith(b"<!DOCTYPE html>"))

child = child_of(process.pid)
os.kill(child, signal.SIGSTOP)
while open(f"/proc/{child}/stat").read().rpartition(")")[2].split()[0] != "T":
    time.sleep(0.01)
status, said = get("/debug/pprof/allocs")
check("a program that is stopped: what it has counted", status == 200,
      status, said)
os.kill(child, signal.SIGCONT)
equal("it goes on", "done", do("keep 1"))
equal("... and answers", [1601, 160100],
      profile("/debug/pprof/allocs").of("make_object")[:2])

do("end")
equal("its status", 7, process.wait(30))
said = process.stderr.read()
check("the file", "wrote" in said, said)
said = subprocess.run([MPROF, "run", "--serve=x", PROGRAM],
                      capture_output=True, text=True)
check("a port that is none", said.returncode == 2 and
      "--serve takes a port" in said.stderr, said.stderr)
said = subprocess.run([MPROF, "run", "--serve=1.2.3.4:0", PROGRAM],
                      capture_output=True, text=True)
check("an address that is not ours", said.returncode != 0 and
      "cannot serve at 1.2.3.4" in said.stderr, said.stderr)
done()
