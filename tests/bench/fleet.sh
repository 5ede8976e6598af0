#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# fleet.sh: what it costs to ship the profiles of SENDERS programs (1000) each
# EVERY seconds (15), for ROUNDS of these (4); and to merge as many files.  All
# of them run here, with a receiver that checks each profile, so that the time
# is the machine's: it says how much of a processor each takes.

set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
: "${BUILD:=$top/build}" "${SENDERS:=1000}" "${EVERY:=15}" "${ROUNDS:=4}"
case $ECL in /*) ;; *) ECL=$top/$ECL ;; esac
work=$BUILD/bench/fleet
rm -rf "$work" && mkdir -p "$work/taken" "$work/many" && cd "$work" || exit 1
ulimit -n 8192 2>/dev/null || ulimit -n "$(ulimit -Hn)"

"$ECL" --norc --load "$top/tests/bench/fleet.lisp" --eval '(ext:quit 0)' \
  </dev/null >log 2>&1 || { cat log; exit 1; }

python3 "$top/tests/serve/receiver.py" taken --later=1 &
receiver=$!
trap 'kill $receiver 2>/dev/null' EXIT
until [ -e taken/port ]; do sleep 0.1; done
"$BUILD/tests/sender" -n "$SENDERS" -e $((EVERY * 1000)) \
  -w $((EVERY * 1000)) -d 60000 -s fleet -l host=h \
  "http://127.0.0.1:$(cat taken/port)/ingest" \
  $(seq -f 'fleet-%.0f.data' 0 "$ROUNDS") >counts || exit 1
kill $receiver && wait $receiver || exit 1
cat counts

# What has arrived is what all have counted.
"$MPROF" export --format=heap -o last.pb.gz "fleet-$ROUNDS.data"
python3 "$top/tests/serve/shipped.py" last.pb.gz |
  awk -v n="$SENDERS" '{ printf "%.0f %.0f\n", n * $1, n * $2 }' >wanted
awk '{ print $1, $2 }' taken/sums | cmp - wanted || exit 1

awk -v senders="$SENDERS" -v every="$EVERY" -v samples="$(wc -l <wanted)" \
  -v series="$(sort -u taken/series | wc -l)" '
  { for (i = 1; i < NF; i++) is[$i] = $(i + 1) }
  END {
    per = is["octets"] / is["requests"]
    printf "%d samples a program, %d series of 4 types\n", samples, series
    printf "%d bytes a request, %.1f requests a second, %d bytes a second\n",
      per, senders / every, per * senders / every
    printf "%.1f ms of a processor a request, %d kB of memory a shipper\n",
      1000 * is["seconds"] / is["requests"], is["kilobytes"] / senders
  }' counts

for i in $(seq "$SENDERS"); do
  cp fleet-$((i % (ROUNDS + 1))).data "many/$i.data"
done
python3 - "$MPROF" "$(du -sk many | cut -f 1)" <<'END'
import resource, subprocess, sys, time
start = time.time()
subprocess.run([sys.argv[1], 'merge', '-o', 'all.data', 'many'], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print('merge: %s kB of files, %.1f s of a processor, %.1f s, %d kB' % (
    sys.argv[2], used.ru_utime + used.ru_stime, time.time() - start,
    used.ru_maxrss))
END
