# SPDX-License-Identifier: LGPL-2.1-or-later
"""A Lisp program that serves its profile: what clients get, and what clients
that mean ill do not.

Usage: server.py ECL MPROF PROGRAM.  Prints TAP.
"""

import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from pprof import Profile, check, done, equal

ECL, MPROF, PROGRAM = sys.argv[1:4]


class Program:
    def __init__(self):
        self.process = subprocess.Popen(
            [ECL, "--norc", "--load", PROGRAM],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, encoding="utf-8")
        while True:
            line = self.process.stdout.readline()
            if line.strip().isdigit():
                self.port = int(line)
                break
            assert line, "the program has ended"

    def do(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def counters(self, line):
        return [int(word) for word in self.do(line).split()]


program = Program()
descriptors = int(program.do("fds"))


def descriptors_left(wanted):
    """How many are open, when what clients have closed is closed here, too."""
    end = time.monotonic() + 60
    while (left := int(program.do("fds"))) > wanted:
        if time.monotonic() > end:
            break
        time.sleep(0.02)
    return left


def get(path, method="GET", headers={}, body=None):
    client = http.client.HTTPConnection("127.0.0.1", program.port, timeout=60)
    client.request(method, path, body, headers)
    answer = client.getresponse()
    octets = answer.read()
    client.close()
    return answer, octets


def profile(path):
    answer, octets = get(path)
    assert answer.status == 200, (answer.status, octets)
    assert answer.getheader("Content-Type") == "application/octet-stream"
    return Profile(octets).check()


# ---- profiles ----

equal("before anything was counted there is nothing", [0, 0, 0, 0],
      profile("/debug/pprof/allocs").totals())
check("... also in a file", get("/profile")[0].status == 200)
counters = program.counters("pairs 1000")
allocs = profile("/debug/pprof/allocs")
equal("what was allocated", counters, allocs.totals()[:2])
equal("... by MAKE-PAIRS", [2000, 32000],
      allocs.of("APP::MAKE-PAIRS")[:2])
equal("bytes allocated come first", "alloc_space", allocs.default_type)
equal("a sum has no duration", 0, allocs.duration)
check("it is as of now", abs(allocs.time / 1e9 - time.time()) < 60)

counters = program.counters("strings 500")
again = profile("/debug/pprof/allocs")
equal("what was allocated until now", counters, again.totals()[:2])

heap = profile("/debug/pprof/heap?gc=1")
equal("what is in use of MAKE-PAIRS", [2000, 32000],
      heap.of("APP::MAKE-PAIRS")[2:])
equal("bytes in use come first", "inuse_space", heap.default_type)
program.do("forget")
program.counters("pairs 10")
equal("... after they were dropped", [20, 320],
      profile("/debug/pprof/heap?gc=1").of("APP::MAKE-PAIRS")[2:])


def in_seconds(seconds, work):
    """A difference over SECONDS, with WORK done meanwhile."""
    client = http.client.HTTPConnection("127.0.0.1", program.port, timeout=60)
    client.request("GET", f"/debug/pprof/allocs?seconds={seconds}")
    # Who is answered twice comes later than that.
    get("/")
    get("/")
    done = program.counters(work)
    answer = client.getresponse()
    return done, Profile(answer.read()).check()


before = program.counters("pairs 1")
after, difference = in_seconds(2, "pairs 123")
equal("a difference over two seconds",
      [a - b for a, b in zip(after, before)], difference.totals()[:2])
check("... has a duration of two", 1.9e9 < difference.duration < 10e9)

counters = program.counters("deep 3000")
deep = profile("/debug/pprof/allocs")
equal("chains of 3,000 calls: all is there", counters, deep.totals()[:2])
# ---- other pages ----

with tempfile.TemporaryDirectory() as folder:
    path = f"{folder}/x.data"
    with open(path, "wb") as file:
        file.write(get("/profile")[1])
    said = subprocess.getoutput(f"'{MPROF}' report {path}")
    check("/profile is a file for mprof",
          f"{counters[0]} allocations, {counters[1]} bytes" in said, said)
answer, text = get("/debug/pprof/allocs?debug=1")
check("?debug=1 is the report", b"DIRECT ALLOCATION" in text and
      answer.getheader("Content-Type").startswith("text/plain"))
answer, text = get("/flamegraph?refresh=5")
check("/flamegraph is the page", text.startswith(b"<!DOCTYPE html>") and
      answer.getheader("Refresh") == "5")
for path in ("/", "/debug/pprof/"):
    check(f"{path} lists the pages",
          b"href=/debug/pprof/allocs" in get(path)[1])
answer, text = get("/debug/pprof/allocs", "HEAD")
check("HEAD", (answer.status, text) == (200, b""))

# ---- what is refused ----

for path, status, text in (
        ("/debug/pprof/allocs?seconds=0", 400, b"seconds"),
        ("/debug/pprof/allocs?seconds=-1", 400, b"seconds"),
        ("/debug/pprof/allocs?seconds=99999999999999999999", 400, b"seconds"),
        ("/debug/pprof/allocs?seconds=x", 400, b"seconds"),
        ("/debug/pprof/allocs?seconds=1&debug=1", 400, b"incompatible"),
        ("/debug/pprof/heap?gc=2", 400, b"gc"),
        ("/flamegraph?refresh=x", 400, b"refresh"),
        ("/nowhere", 404, b"no such page"),
        ("/debug/pprof/../../etc/passwd", 404, b"no such page")):
    answer, said = get(path)
    check(f"GET {path}: {status}",
          answer.status == status and text in said and
          answer.getheader("X-Go-Pprof") == "1" and
          answer.getheader("Content-Type").startswith("text/plain"),
          answer.status, said)
for method, path in (("POST", "/debug/pprof/allocs"), ("DELETE", "/"),
                     ("PUT", "/profile")):
    answer, said = get(path, method, body="x" * 1000000)
    check(f"{method} {path}: 405", answer.status == 405 and
          answer.getheader("Allow") == "GET")
equal("a name that is made up: 421", 421,
      get("/", headers={"Host": "evil.example"})[0].status)

# ---- clients that mean ill ----

def still_serves(name):
    begin = time.monotonic()
    answer, _ = get("/")
    check(f"{name}: others are served at once",
          answer.status == 200 and time.monotonic() - begin < 5)


def connect(text=b""):
    client = socket.create_connection(("127.0.0.1", program.port), timeout=60)
    client.sendall(text)
    return client


def ends(client):
    """Whether the server closes the connection."""
    try:
        while client.recv(65536):
            pass
        return True
    except ConnectionError:
        return True
    except socket.timeout:
        return False


for name, text in (
        ("rubbish", bytes(range(256)) * 100),
        ("no line end", b"G" * 100000),
        ("huge headers", b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 100000),
        ("a huge header", b"GET / HTTP/1.1\r\nX: " + b"y" * 1000000)):
    client = connect()
    try:
        client.sendall(text)
    except ConnectionError:
        pass
    check(f"{name}: is cut off", ends(client))
    client.close()
still_serves("after rubbish")

slow = connect(b"GET / HTTP/1.1\r\n")
begin = time.monotonic()
try:
    for _ in range(60):
        time.sleep(1)
        slow.sendall(b"X: y\r\n")
    cut = False
except ConnectionError:
    cut = True
check("a header each second is cut off after ten",
      cut and 9 < time.monotonic() - begin)

with connect(b"GET /debug/pprof/allocs?seconds=1 HTTP/1.1\r\n"
             b"Host: localhost\r\nConnection: close\r\n\r\n") as client:
    client.shutdown(socket.SHUT_WR)
    answer = b"".join(iter(lambda: client.recv(65536), b""))
check("a client that has said all it will is answered",
      answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 "))
stalled = connect(b"GET /flamegraph HTTP/1.1\r\nHost: localhost\r\n\r\n")
still_serves("a client that does not read")
waiting = [connect(b"GET /debug/pprof/allocs?seconds=600 HTTP/1.1\r\n"
                   b"Host: localhost\r\n\r\n") for _ in range(10)]
still_serves("ten that wait ten minutes")
crowd = []
for _ in range(1000):
    try:
        crowd.append(connect())
    except OSError:
        break
equal("a thousand connections", 1000, len(crowd))
for client in crowd + waiting + [stalled]:
    client.close()
still_serves("after a thousand connections")
counters = program.counters("pairs 5")
equal("what was counted meanwhile", counters,
      profile("/debug/pprof/allocs").totals()[:2])
equal("no descriptor is lost", descriptors, descriptors_left(descriptors))


def resident():
    with open(f"/proc/{program.process.pid}/statm", encoding="ascii") as sizes:
        return int(sizes.read().split()[1]) * os.sysconf("SC_PAGESIZE")


for _ in range(10):
    get("/flamegraph")
before = resident()
octets = sum(len(get("/flamegraph")[1]) for _ in range(100))
grown = resident() - before
check(f"answers are freed: {grown} bytes more after {octets}",
      grown < octets / 4)

# ---- counting and reading at once ----

program.do("start")
sums = [profile("/debug/pprof/allocs").totals()[0] for _ in range(20)]
check("sums never become less", sums == sorted(sums))
counters = program.counters("stop")
equal("and end at the program's own", counters,
      profile("/debug/pprof/allocs").totals()[:2])

# ---- go tool pprof ----


def read_when_there(url):
    """What is at URL, as soon as somebody listens there."""
    end = time.monotonic() + 30
    while True:
        try:
            return urllib.request.urlopen(url).read()
        except urllib.error.URLError:
            if time.monotonic() > end:
                return b""
            time.sleep(0.1)


if shutil.which("go"):
    url = f"http://127.0.0.1:{program.port}/debug/pprof/allocs"
    environment = dict(os.environ, PPROF_TMPDIR=tempfile.gettempdir())

    def pprof(*arguments):
        return subprocess.run(
            ["go", "tool", "pprof", *arguments], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, env=environment).stdout

    program.counters("pairs 1000000")
    said = pprof("-top", "-unit=B", url)
    check("go tool pprof -top: a function is first",
          re.search("cum%\n.* APP::MAKE-PAIRS\n", said), said)
    said = pprof("-top", "-sample_index=alloc_objects", url)
    check("go tool pprof -sample_index", "Type: alloc_objects" in said, said)
    said = pprof("-top", "-seconds=1", url)
    check("go tool pprof -seconds", "Duration: 1" in said, said)
    said = pprof("-top", "-base", url, url)
    check("go tool pprof -base: nothing is left", "of 0 total" in said, said)
    with socket.create_server(("127.0.0.1", 0)) as free:
        web_port = free.getsockname()[1]
    web = subprocess.Popen(["go", "tool", "pprof",
                            f"-http=127.0.0.1:{web_port}", "-no_browser",
                            url], stderr=subprocess.DEVNULL, env=environment,
                           start_new_session=True)
    page = read_when_there(f"http://127.0.0.1:{web_port}/top")
    check("go tool pprof -http", b"APP::MAKE-PAIRS" in page, page[:500])
    os.killpg(web.pid, signal.SIGTERM)
    web.wait()
else:
    print("ok - go tool pprof # SKIP there is no go")

# ---- a browser ----

if shutil.which("chromium-headless-shell"):
    program.counters("strings 12345")
    with tempfile.TemporaryDirectory() as folder:
        page = subprocess.run(
            ["chromium-headless-shell", "--no-sandbox", "--disable-gpu",
             "--hide-scrollbars", f"--user-data-dir={folder}",
             "--virtual-time-budget=10000", "--dump-dom",
             f"http://localhost:{program.port}/flamegraph"],
            capture_output=True, text=True).stdout
    check("Chromium shows the flame graph", "APP::MAKE-STRINGS" in page,
          page[-500:])
else:
    print("ok - a browser # SKIP there is no chromium")

# ---- errors, and the end ----

check("a second server", "a server is already running" in program.do("again"))
taken = socket.create_server(("127.0.0.1", 0))
said = program.do(f"port {taken.getsockname()[1]}")
check("a port that is in use", "in use" in said, said)
program.process.stdin.write("end\n")
program.process.stdin.close()
equal("it ends", 0, program.process.wait(30))
done()
