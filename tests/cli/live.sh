#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What of a Lisp program was alive: what says it, as of when, and what does
# not.  Reports as a whole are in golden/; measures.sh has --value.
. "$(dirname "$0")/check.bash"

l=$golden/live.data
b=$golden/live-before.data
no='the profile does not record what was alive at the last collection: start '\
'with (mprof:start :live t), and save with :collect t'

# The monitor of a program that is not followed writes no such columns.
run export --format=pprof -o plain.data "$golden/widgets.data"
! gzip -dc plain.data | grep -aq inuse_
result $? 'columns that say nothing are not written'
for profile in plain.data "$golden/widgets.data" "$golden/live-unknown.data"; do
  for value in live:live kept:live live-allocs:live-allocs; do
    for what in report 'export --format=folded' 'export --format=json' \
      flamegraph "diff $l"; do
      # shellcheck disable=SC2086
      expect "$what of $(basename "$profile"), ${value%:*}" 1 \
        "mprof: --value=${value#*:}: $no" $what --value="${value%:*}" \
        "$profile"
    done
  done
done

# ---- as of when ---------------------------------------------------------

# head_says NAME LINE FILE...: a report of the files says LINE, and nothing else of
# what is alive before its first table.
head_says() {
  local name=$1 line=$2
  shift 2
  expect "$name" 0 '' report --no-legend --tables=direct "$@"
  [ "$(sed '/^$/q' out | grep -iE 'alive|live')" = "$line" ]
  result $? "$name: '$line'"
}
head_says 'one file' 'Alive as of collection 7: 46 objects, 3560 bytes' "$l"
head_says 'without a collection' \
  'No collection took place: live objects are unknown' \
  "$golden/live-unknown.data"
head_says 'two files' \
  'Alive at the last collection of each file: 62 objects, 4960 bytes' "$l" "$b"
run merge -o both.data "$l" "$b"
head_says 'merged' \
  'Alive at the last collection of each file: 62 objects, 4960 bytes' both.data
head_says 'one of two files' 'Alive at the last collection of each file: 46 '\
'objects, 3560 bytes (1 of 2 files)' "$l" plain.data
run export --format=pprof -o again.data both.data
head_says 'as one file' 'Alive as of collection 7: 62 objects, 4960 bytes' \
  again.data
head_says 'not followed' '' plain.data
gzip -dc "$l" | sed 's/mprof\.live_collection=/other.live_collection=/' |
  gzip -c >bare.data # as a program leaves it that does not know the comment
head_says 'rewritten' 'Alive at the last collection: 46 objects, 3560 bytes' \
  bare.data
head_says 'a C program' '' "$golden/widgets-c.data"

# ---- tables and formats -------------------------------------------------

# table NAME [OPTION...]: the CSV table NAME is standard input.
table() {
  local name=$1
  shift
  run export --format=csv --tables="$name" "$@" "$l"
  tr -d '\r' <out >found
  diff - found >err
  result $? "csv: $name $*"
}
table types <<'END'
category,type,class,bytes,allocations,live_bytes,live_allocations
"cons","CONS","",3200,200,80,5
"struct","INSTANCE","APP::ENTRY",3200,100,1280,40
"other","HASH-TABLE","",3000,1,2200,1
"float","DOUBLE-FLOAT","",800,50,0,0
END
table types --value=live <<'END'
category,type,class,bytes,allocations,live_bytes,live_allocations
"other","HASH-TABLE","",3000,1,2200,1
"struct","INSTANCE","APP::ENTRY",3200,100,1280,40
"cons","CONS","",3200,200,80,5
"float","DOUBLE-FLOAT","",800,50,0,0
END
table bins <<'END'
size,category,type,class,bytes,allocations,live_bytes,live_allocations
16,"cons","CONS","",3200,200,80,5
16,"float","DOUBLE-FLOAT","",800,50,0,0
32,"struct","INSTANCE","APP::ENTRY",3200,100,1280,40
600,"other","HASH-TABLE","",600,1,600,1
"grown","other","HASH-TABLE","",2400,0,1600,0
END
table arcs <<'END'
caller,callee,calls,bytes,allocations,live_bytes,live_allocations
"APP::MAIN","APP::CACHE",100,6200,101,3480,41
"APP::MAIN","APP::PARSE",20,4000,250,80,5
"APP::PARSE","APP::READ",50,800,50,0,0
END
table contexts --focus=PARSE <<'END'
chain,bytes,allocations,calls,live_bytes,live_allocations
"APP::MAIN",0,0,1,0,0
"APP::MAIN;APP::PARSE",3200,200,20,80,5
"APP::MAIN;APP::PARSE;APP::READ",800,50,50,0,0
END

tells <<'END'
export --format=json $l|"totals":{"bytes":10200,"allocations":351,"live_bytes":3560,
export --format=callgrind $l|events: Bytes Allocs LiveBytes LiveAllocs
|totals: 10200 351 3560 46
export --format=speedscope --value=live $l|"activeProfileIndex":2
|"name":"live bytes","unit":"bytes","startValue":0,"endValue":3560
export --format=dot --value=live-allocs $l|46 allocations, 3560 bytes, alive at the last
report --tables=leaks $l|what was freed; --value=live shows what is alive.
report $l|!LEAKS
END
run report --sort=kept --no-legend "$l"
cp out expected
run report --sort=live --no-legend "$l"
cmp -s expected out
result $? 'two words for one order'

# A part of it, as a profile again.
for options in --focus=CACHE --type=ENTRY '--value=live --ignore=READ'; do
  # shellcheck disable=SC2086
  run export --format=pprof -o part.data $options "$l"
  gzip -dc part.data | grep -aoE '(alloc|inuse)_(objects|space)|activations' |
    head -n 5 | paste -sd ' ' >found
  echo alloc_objects alloc_space activations inuse_objects inuse_space |
    cmp -s - found
  result $? "pprof: $options, all columns"
  # shellcheck disable=SC2086
  run export --format=csv $options "$l"
  sort out >expected
  run export --format=csv part.data
  sort out | cmp -s expected -
  result $? "pprof: $options, the same figures"
done

# ---- diff ---------------------------------------------------------------

# beyond LIMIT SAID OPTION...: the growth is beyond LIMIT, an option, as SAID.
beyond() {
  local limit=$1 said=$2
  shift 2
  run diff "$limit" "$@" -o /dev/null "$b" "$l"
  [ "$status $(cat err)" = "3 mprof: grew from $said, beyond $limit" ]
  result $? "$* $limit"
}
beyond --limit-growth=2159 '1400 to 3560 live bytes' --value=live
beyond --limit-growth=29allocs '16 to 46 live objects' --value=live
beyond --limit-growth=function:2159 '1320 to 3480 live bytes in APP::CACHE' \
  --value=live
beyond --limit-growth=kept:2159 '1400 to 3560 live bytes'
beyond --limit-growth=kept:29allocs '16 to 46 live objects'
expect 'no more than allowed' 0 '' diff --value=live \
  --limit-growth=2160,30allocs -o /dev/null "$b" "$l"
expect 'no more than allowed, beside the rest' 0 '' diff \
  --limit-growth=kept:2160,kept:30allocs -o /dev/null "$b" "$l"

finish
