#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Heap profiles of Go, tcmalloc and jemalloc (tests/foreign/make.sh): each
# function has the bytes that pprof gives it, itself and with all below it,
# and what the file does not say is left blank, in so many words.  The same of
# profiles by hand (tests/foreign/profiles.txt).
. "$(dirname "$0")/check.bash"

foreign=$top/tests/foreign

# What pprof's table says, a line a function: name, flat, cum.
pprof_says() {
  awk 'on { name = $6; for (i = 7; i <= NF; i++) name = name " " $i
      sub(/B$/, "", $1); sub(/B$/, "", $4); print name, $1, $4 }
    $1 == "flat" { on = 1 }' "$foreign/$1.top" | sort
}
# The same in ours, whose file names are as they stand in the profile.
we_say() { # NAME OPTION...
  "$MPROF" export --format=csv "$foreign/$1.pb.gz" "${@:2}" | tr -d '\r"' |
    awk -F, 'NR > 1 { print $1, $2, $4 }' | sed 's|^\./||; s| \./| |' | sort
}

for name in go go-sampled tcmalloc jemalloc jemalloc-live; do
  pprof_says "$name" >expected
  we_say "$name" >out
  [ "$(wc -l <expected)" -gt 5 ] && diff expected out >err
  result $? "$name: every function has the bytes that pprof gives it"
  total=$(sed -n 's/.* of \([0-9]*\)B total.*/\1/p' "$foreign/$name.top")
  expect "$name: report" 0 '' report "$foreign/$name.pb.gz"
  says "$name: the total" " $total bytes"
  says "$name: leaks" 'MEMORY LEAKS'
  says "$name: bins" 'ALLOCATION BINS'
  says_not "$name: no calls, none shown" '  0  main.main'
done

for name in go jemalloc; do
  for granularity in line file; do
    pprof_says "$name-${granularity}s" >expected
    we_say "$name" --by=$granularity >out
    [ "$(wc -l <expected)" -gt 3 ] && diff expected out >err
    result $? "$name: and so has every $granularity"
  done
done

for option in focus=main\\.tree ignore=main\\.tree hide=main\\.text \
  show-from=main\\.waste; do
  pprof_says "go-${option%=*}" >expected
  we_say go "--$option" >out
  [ "$(wc -l <expected)" -gt 1 ] && diff expected out >err
  result $? "go: and so it has with --$option"
done

tells <<'END'
report --no-legend -verbose $foreign/go.pb.gz|!estimates
|    48     509 27    24432  1      1   24384  8
|296160 **    1875  1842752 **   1309  1546592 **  <TOTAL>
| main.leaf
report $foreign/go-sampled.pb.gz|Sampled, one allocation in about 4096 bytes: figures are estimates
report --no-legend $foreign/jemalloc-live.pb.gz|The profile has only memory that was live
|340320 **     101  340320 **                   <TOTAL>
|[libjemalloc.so.2]
END

echo 'leak:*' >suppressions
expect 'suppressions of the user' 0 '' report --no-legend --tables=leaks \
  --suppressions=suppressions "$foreign/go.pb.gz"
says 'hold here, too' 'Suppressed: 296160 bytes in 566 objects'

expect 'a CPU profile' 1 "mprof: cannot read '$foreign/cpu.pb.gz': is a CPU profile: none of its sample types counts bytes (samples/count, cpu/nanoseconds) (offset 10 of the inflated data)" \
  report "$foreign/cpu.pb.gz"
expect 'goroutines' 1 "mprof: cannot read '$foreign/goroutine.pb.gz': is not a heap profile: none of its sample types counts bytes (goroutine/count) (offset 8 of the inflated data)" \
  report "$foreign/goroutine.pb.gz"

# Merged and compared like any other.
for name in go jemalloc-live tcmalloc; do
  file=$foreign/$name.pb.gz
  run report -verbose --system=show "$file" "$file"
  cp out expected
  expect "$name merged" 0 '' merge -o merged "$file" "$file"
  run report -verbose --system=show merged
  cmp -s expected out
  result $? "$name: merged, says what both say"
done
# The later of two values of a field counts: drop_frames, the string 1.
{ gzip -dc "$foreign/go.pb.gz" && printf '\x38\x01'; } >drops
run report -verbose --system=show "$foreign/go.pb.gz" drops
cp out expected
expect 'merged: other frames to drop' 0 '' merge -o merged \
  "$foreign/go.pb.gz" drops
run report -verbose --system=show merged
cmp -s expected out
result $? 'other frames to drop: says what both say'
{ gzip -dc "$foreign/go.pb.gz" | sed 's/main\.leaf/main\x00leaf/g'; } >nul
expect 'a name with a NUL' 0 '' report --no-legend nul
says 'has another character there' $'main\xef\xbf\xbdleaf'
run merge -o merged "$golden/widgets-c.data" "$foreign/go.pb.gz"
[ "$status" = 1 ] && grep -q 'only one is mprof' err
result $? 'of mprof and of another program'
expect 'compared' 0 '' diff --no-legend "$foreign/jemalloc-live.pb.gz" \
  "$foreign/jemalloc.pb.gz"
says 'the bytes of both' '340320  735520  +395200 +116.1  bytes'
says 'and what they are' 'The profile has only memory that was live'

# Profiles by hand.
for name in $(sed -n 's/^profile \([^ ]*\) .*/\1/p' "$foreign/profiles.txt"); do
  "$BUILD/tests/write_profile" "$foreign/profiles.txt" "$name" "$name"
done
tells <<'END'
report --no-legend -verbose bytes-alone|4096 bytes, 3 functions, 2 contexts
|!allocations
|The profile has only memory that was live
|The profile does not count objects: their numbers and sizes are blank
|4096 **           4096 **                   <TOTAL>
|4000 97           4000 97
| **   4096                        4096                  **  <TOTAL>
| 97   4000                        4000                  97  f
|unknown              4096 **         4096 **
report --tables=bins bytes-alone|unknown              4096 **
export --format=json bytes-alone|{"kind":"unknown","size":null,
export --format=lisp bytes-alone|((:size :unknown :bytes 4096 
export --format=csv --tables=bins bytes-alone|"unknown","
export --format=lisp --tables=contexts bytes-alone|:size :unknown :phase "run"
export --format=csv any-order|"f",3072,4,3072,4,1024,2,1024,2,,
export --format=json any-order|"activations":null
|!"activations":0
|!"calls":0
export --format=lisp any-order|:activations nil
|!:calls 0
export --format=suppressions any-order|# 1024 bytes in 2 objects
report --no-legend nothing-allocated|3 allocations, 48 bytes, 2 functions, 1 context
|The profile has only memory that was live
export --format=csv unknown-names|"f",100,1,100,1,
export --format=csv unknown-names-shown|"f",400,2,400,2,
export --format=folded no-functions|[unknown];0x1010;0x1020;[libfoo.so.1] 16
export --format=folded runtime-files|[maxima+0x1000];[maxima.fas+0x1010];[libmine.so+0x1060] 16
report --no-legend -verbose interval|1200 **      10   1000 **                   <TOTAL>
| 700 58       0      0                      main>g
|         0       0                 700     58               g
|as in a difference of profiles: frees are blank
export --format=folded --value=kept interval|main;g 700
report --no-legend interval-bytes|frees are blank
report --no-legend change|11 allocations, 1024 bytes, 3 functions, 2 contexts
|as in a difference of two profiles
|!kept
END
run merge -o merged interval
run merge -o twice change change
tells <<'END'
export --format=csv merged|"g",0,0,0,0,700,7,700,7,
report --no-legend twice|22 allocations, 2048 bytes
END
for name in negative negative-live; do
  run report $name
  [ "$status" = 1 ] && grep -q 'sample 0 has the negative value' err
  result $? "$name: refused"
done
for name in no-heap no-columns beyond-64-bits beyond-63-bits; do
  run report $name
  cat err
done >refused
[ "$(grep -o 'is not a heap[^()]*([^)]*)\|the sums overflow at sample 0' \
  refused)" = 'is not a heap profile: none of its sample types counts bytes '\
'(contentions/count, delay/nanoseconds)
is not a heap profile: none of its sample types counts bytes (there are none)
the sums overflow at sample 0
the sums overflow at sample 0' ]
result $? 'what is no heap profile, or too much, is refused'

finish
