#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# (mprof:ship): what a program with threads counts arrives, whatever its end.
. "$(dirname "$0")/ship.bash"

cp "$serve/shipping.lisp" .
"$ECL" --norc --eval '(require :mprof)' --eval '(compile-file "shipping.lisp")' \
  --eval '(ext:quit 0)' </dev/null >compile.log 2>&1

# program END: how it goes; its output is in out, errors in err.
program() {
  RECEIVER="http://127.0.0.1:$port/ingest" END=$1 timeout 100 "$ECL" --norc \
    --load shipping.fas </dev/null >out 2>err
  status=$?
}

receive 503
program stop
took 'stopped' counted-1.data counted-2.data
[ "$status $(tail -n 1 out)" = \
  "0 T $(totals counted-1.data counted-2.data) NIL" ]
result $? 'what has become of it'
[ "$(cat taken/series)" = 'host=h service_name=shop shop_version=1.2' ]
result $? 'labels'
! "$MPROF" report --verbose counted-1.data | grep -i -e shipper -e ship-
result $? 'the shipper is not in the profile'

receive
program exit
took 'ended' counted-1.data counted-2.data
[ "$status" = 0 ] && [ ! -s err ]
result $? 'without a word'

# The shipper is always late; the end of the program reaches it none the less.
receive
program late
took 'an interval that is too short' counted-1.data counted-2.data
[ "$status" = 0 ]
result $? 'the program ends'

receive
program again
took 'a second shipper' counted-1.data counted-2.data
[ "$(cat taken/series)" = 'host=h service_name=ecl shop_version=1.2' ]
result $? 'the service is called like the program'
says 'is refused' 'a shipper is already running; call (mprof:stop-shipping)'

receive
program fork
took 'a fork' counted-1.data counted-2.data
says 'the child ships nothing' 'child: NIL'

# Nobody is there.
port=1
program exit
[ "$status" = 0 ]
result $? 'the end comes'
said 'what was dropped is said' "not shipped: $(
  totals counted-1.data counted-2.data |
    sed 's/ / allocations, /') bytes: Failed to connect"
finish
