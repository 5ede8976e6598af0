#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What is shipped adds up to what was counted: in each protocol, when the other
# side refuses, is slow, goes away and comes back, and when figures are
# forgotten meanwhile.
. "$(dirname "$0")/ship.bash"

for path in ingest api/profiles/writeraw v1/pprof; do
  receive
  ship -l $'service_name=shop/app\nversion=1.2\nnode=a b' "http://127.0.0.1:$port/$path" \
    $steps
  took "$path" step-3.data
  counted "$path: all is counted" step-3.data
  [ "$(figure dropped) $(figure failures)" = '0 0' ] && [ ! -s err ] &&
    [ "$(cat taken/series)" = \
      "host=$(hostname) node=a b service_name=shop/app version=1.2" ]
  result $? "$path: labels"
done

for protocol in pyroscope parca otel; do
  receive
  ship -l host=h "$protocol+http://127.0.0.1:$port" $steps
  took "$protocol by name" step-3.data
  [ "$(cat taken/series)" = 'host=h service_name=a_sender' ]
  result $? "$protocol: the name of the program, another host"
done

receive
ship "http://127.0.0.1:$port/ingest" $steps reset step-4.data step-5.data
took 'figures that are forgotten' step-3.data step-5.data

receive 500 503:1 401 404 cut 422 429:1 302
ship "http://127.0.0.1:$port/ingest" $steps stop=go &
await taken taken/log
touch go
wait $!
took 'answers of all kinds' step-3.data
[ "$(figure failures)" = 8 ]
result $? 'each is counted'
said 'the first is said' 'status 500: as told; trying again'

receive endless
ship "http://127.0.0.1:$port/ingest" $steps
took 'an answer without an end' step-3.data
[ "$(figure failures) $(figure missed)" = '0 0' ] &&
  grep -qx 'endless answer stopped' taken/log
result $? 'it is read no further than it matters'

receive late
rm -f err
ship -d 60000 "http://127.0.0.1:$port/ingest" step-1.data stop=failed \
  step-2.data step-3.data &
await 'trying again' err
touch failed
wait $!
took 'an answer that does not come' step-3.data
[ "$(figure failures) $(figure missed)" = '1 1' ]
result $? 'it is counted as missed'

# Figures are forgotten while nobody answers.
receive late
ship -d 60000 "http://127.0.0.1:$port/ingest" step-3.data reset step-4.data \
  step-5.data
took 'forgotten meanwhile' step-3.data step-5.data

receive large:40 large:20 large:20 large:10
ship "http://127.0.0.1:$port/ingest" $steps
took 'smaller parts' step-3.data
[ "$(figure failures)" = 0 ]
result $? 'that is no failure'

# Refused for good, but only what was in the part.
# refused ANSWER...: ships more when the ANSWERs have been given.
refused() {
  rm -f refused err
  receive "$@"
  ship -d 60000 "http://127.0.0.1:$port/ingest" step-1.data stop=refused \
    step-2.data step-3.data &
  await refused: err
  touch refused
  wait $!
}
refused one:3
counted 'a sample that is refused is counted' step-3.data
[ "$(figure dropped) $(figure failures)" = '1 3' ]
result $? 'a sample is refused three times'
said 'it is said' 'refused: status 413: as told'
taken_is_shipped 'and the others are there'

refused 400 400 400
counted 'a part that is refused is counted' step-3.data
taken_is_shipped 'and others are there'

# Away, and back at the same place.
receive
first=$port
ship -d 60000 "http://127.0.0.1:$port/ingest" step-1.data stop=down \
  step-2.data reset step-4.data stop=up step-5.data &
sender=$!
await taken taken/log
end_receiver
touch down
until [ -e up.waits ]; do sleep 0.02; done
await 'trying again' err
receive_again --port="$first"
touch up
wait $sender
took 'away for a time, forgotten meanwhile' step-2.data step-5.data
said 'it is said that it goes on' "shipping to http://127.0.0.1:$first/ingest again"

# Away for ever: the end does not wait for its deadline, which is longer than
# the sender may run, and all is accounted for.
resets=
for _ in {1..20}; do
  resets="$resets step-1.data reset"
done
ship -d 900000 -e 20 -w 30 "http://127.0.0.1:$first/ingest" $resets step-4.data
result $? 'the end does not wait for who is away'
counted 'what is dropped is counted' \
  $(printf 'step-1.data %.0s' {1..20}) step-4.data
[ "$(figure allocations)" = 0 ]
result $? 'nothing was shipped'
finish
