# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sourced by the tests of what is shipped: a receiver, a sender, and whether
# the one took what the other counted.

. "$(dirname "${BASH_SOURCE[0]}")/../cli/check.bash"
: "${ECL:=$BUILD/bin/ecl}"
case $ECL in /*) ;; *) ECL=$top/$ECL ;; esac
serve=$top/tests/serve
receiver=
trap '[ -z "$receiver" ] || kill $receiver; rm -rf "$scratch"' EXIT
unset http_proxy HTTP_PROXY https_proxy HTTPS_PROXY all_proxy ALL_PROXY \
  MPROF_SHIP_TOKEN MPROF_SHIP_HEADERS CURL_CA_BUNDLE

# receive ARGUMENT...: a new receiver, which listens to $port.
receive() {
  rm -rf taken && mkdir taken && receive_again "$@"
}
receive_again() {
  rm -f taken/port
  python3 "$serve/receiver.py" taken "$@" 2>>receiver.err &
  receiver=$!
  until [ -e taken/port ]; do
    kill -0 $receiver 2>/dev/null || break
    sleep 0.02
  done
  port=$(cat taken/port)
}
end_receiver() {
  kill $receiver && wait $receiver
  receiver=
}

# ship ARGUMENT...: the sender's counts are in `counts', errors in `err'.
ship() {
  timeout 100 "$BUILD/tests/sender" "$@" >counts 2>err
}

# await TEXT FILE: until it is there.
await() {
  until grep -q -e "$1" "$2" 2>/dev/null; do sleep 0.02; done
}

# figure NAME: of the counts.
figure() {
  awk -v name="$1" '{ for (i = 1; i < NF; i++) if ($i == name) {
    print $(i + 1); exit } }' counts
}

# sums FILE...: as the receiver has them.  in_use: of the first alone.
sums() {
  local file
  for file; do
    "$MPROF" export --format=heap -o "heap-$(basename "$file").pb.gz" "$file"
  done
  python3 "$serve/shipped.py" $(printf 'heap-%s.pb.gz ' \
    $(basename -a "$@"))
}

same() {
  cmp -s "$2" "$3"
  result $? "$1"
  cmp -s "$2" "$3" || diff "$2" "$3" | head -n 5 | sed 's/^/# /'
}

# took NAME FILE...: no rule was broken; the receiver has taken what the FILEs
# say together, and in use is what the last one says.
took() {
  local name=$1
  shift
  end_receiver
  if grep broken taken/log; then
    echo "not ok - $name: rules" && failures=$((failures + 1))
  fi
  sums "$@" | sed 's/^\([0-9]* [0-9]*\) [0-9]* [0-9]*/\1/' >allocated
  sums "${@: -1}" | sed -n '/^[0-9]* [0-9]* 0 0 /!s/^[0-9]* [0-9]* //p' >used
  awk '$1 || $2' taken/sums |
    sed 's/^\([0-9]* [0-9]*\) [0-9]* [0-9]*/\1/' >allocated.taken
  sed -n '/^[0-9]* [0-9]* 0 0 /!s/^[0-9]* [0-9]* //p' taken/sums >used.taken
  [ -s allocated ] || echo "not ok - $name: nothing was allocated"
  same "$name" allocated allocated.taken
  same "$name, and what is in use" used used.taken
}

# totals FILE...: allocations and bytes.
totals() {
  sums "$@" | awk '{ a += $1; b += $2 } END { print a, b }'
}

# counted NAME FILE...: what was shipped and what was dropped is that together.
counted() {
  local name=$1
  shift
  [ "$(totals "$@")" = "$(awk '/^(dropped)?/ {
    for (i = 1; i < NF; i++) {
      if ($i == "allocations") a += $(i + 1)
      if ($i == "bytes") b += $(i + 1) } } END { print a, b }' counts)" ]
  result $? "$name"
}

# said NAME TEXT: on standard error.
said() {
  grep -qF -e "$2" err
  result $? "$1"
}

# taken_is_shipped NAME: what the receiver has is what was shipped.
taken_is_shipped() {
  end_receiver
  [ "$(awk '{ a += $1; b += $2 } END { print a + 0, b + 0 }' taken/sums)" = \
    "$(figure allocations) $(figure bytes)" ]
  result $? "$1"
}

timeout 100 "$ECL" --norc --load "$serve/steps.lisp" \
  --eval '(ext:quit 0)' </dev/null >steps.log 2>&1 || cat steps.log
steps='step-1.data step-2.data step-3.data'
