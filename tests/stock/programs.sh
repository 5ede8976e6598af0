#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Programs of an ECL without patches: byte-compiled functions by their names,
# threads, an ECL in a C program and in the child of its fork; both heaps.

. "$(dirname "$0")/check.bash"

# ---- byte-compiled functions ----

# self FILE REGEX: the allocations that functions below ALL make themselves.
self() {
  "$MPROF" export --format=folded --frames=types --value=allocs "$1" 2>&1 |
    awk -v name="^($2)\$" '
      /;CL-USER::ALL;/ { n = $NF; sub(/ [0-9]*$/, ""); depth = split($0, frames, ";")
        if (frames[depth - 1] ~ name)
          sum[frames[depth - 1] " " frames[depth]] += n }
      END { for (key in sum) print key, sum[key] }' | LC_ALL=C sort
}

functions='CL-USER::F-.*|\\(SETF CL-USER::F-.*|CL-USER::ALL|\\(LAMBDA.*'
functions+='|\\(METHOD .*CL-USER::F-.*'
profile forms --load "$tests/programs/forms.lisp" --eval '(all)' \
  --eval '(ext:quit 0)'
same 'what is byte-compiled ends as it did' 0 "$status"
reconciles forms
patched patched "$tests/programs/forms.lisp" '(all)'
same 'byte-compiled functions have what they have in the patched ECL' \
  "$(self patched.data "$functions" | sed 's/(LAMBDA [^)]*)/(LAMBDA)/')" \
  "$(self forms.data "$functions")"
same 'byte-compiled methods have names' \
  '(METHOD (SETF CL-USER::F-SIZE) (T STRING))
(METHOD CL-USER::F-AREA (INTEGER))
(METHOD CL-USER::F-AREA (STRING))
(METHOD CL-USER::F-AREA :AROUND ((EQL 2)))' \
  "$(self forms.data '\\(METHOD .*CL-USER::F-.*' | sed 's/ CONS.*//')"
chains() {
  "$MPROF" export --format=folded --value=allocs "$1" 2>&1 |
    sed -n 's/^.*;\(CL-USER::F-ROWS;.*\)/\1/p'
}
same 'they are on chains' "$(chains patched.data)" "$(chains forms.data)"

# ---- threads ----

compile "$STOCK_ECL" threads
profile threads --load threads.fas --eval '(all)' --eval '(ext:quit 0)'
same 'threads end as they did' 0 "$status"
reconciles threads
same 'conses of twenty threads' 'CL-USER::F-WORK CONS 202000' \
  "$(types threads.data allocs CL-USER::F-WORK)"

# ---- ECL in a C program ----

if $CC -g -o embedder "$tests/programs/embedder.c" -lecl -lgc -lpthread \
  >compile.out 2>&1; then
  ./embedder >plain
  same 'an embedded ECL, without mprof' 5 $?
  timeout 100 "$MPROF" run -q -o embedder.data ./embedder >out 2>err
  same 'the exit status of the program' 5 $?
  same 'what it prints' "$(cat plain)" "$(cat out)"
  reconciles embedder
  same 'conses by C functions' 'conses CONS 1300' \
    "$(types embedder.data allocs conses)"
  child=$(echo embedder.data.*)
  same 'conses of the child' 'conses CONS 70' \
    "$(types "$child" allocs conses)"
  same 'blocks of malloc are a type of the default' \
    'blocks malloc 500' "$(types embedder.data allocs blocks)"
  $CC -g -o importer "$tests/programs/importer.c" -lecl -lgc -lpthread
  timeout 100 "$MPROF" run -q -o importer.data ./importer >out 2>err
  same 'the exit status of a program that imports threads' 6 $?
  reconciles importer
  same 'conses of imported threads' 'conses CONS 4050' \
    "$(types importer.data allocs conses)"
  $CC -g -o leaver "$tests/programs/leaver.c" -lecl -lgc -lpthread
  ./leaver >plain
  timeout 100 "$MPROF" run -q -o leaver.data ./leaver >out 2>err
  same 'the exit status of a program whose threads leave' 7 $?
  same 'threads leave as they did' "$(cat plain)" "$(cat out)"
  reconciles leaver
  same 'conses of threads that leave' 'conses CONS 1050' \
    "$(types leaver.data allocs conses)"
  # what is not counted
  for name in collector opener; do
    $CC -g -w -o $name "$tests/programs/$name.c" -lgc -ldl -lpthread
    ./$name >plain
    status=$?
    timeout 100 "$MPROF" run -q -o $name.data ./$name >out 2>err
    same "$name: the exit status" $status $?
    same "$name: what it prints" "$(cat plain)" "$(cat out)"
  done
  same 'that an ECL is not counted is said once' 1 \
    "$(grep -c 'Lisp objects are not counted' err)"
else
  echo 'ok - ECL in a C program # skip there is no libecl-dev'
fi

# ---- a library that only has the name ----

name=libecl.so.${RELEASE%.*}
if $CC -shared -fPIC -Wl,-soname,$name -o $name "$tests/programs/fake.c" &&
  $CC -DPROGRAM -o fake "$tests/programs/fake.c" ./$name -l:libgc.so.1 \
    -Wl,-rpath,"$work" >compile.out 2>&1; then
  ./fake >plain
  same 'a library of that name, without mprof' 8 $?
  timeout 100 "$MPROF" run -q -o fake.data ./fake >out 2>err
  same 'a library of that name: exit status' 8 $?
  same 'a library of that name: output' "$(cat plain)" "$(cat out)"
  same 'a library of that name: it says so' 'mprof: this ECL was built with'\
' options that mprof does not know: Lisp objects are not counted' "$(cat err)"
fi

# ---- both heaps ----

# all HEAP [NAME]: allocations and bytes.
all() {
  "$MPROF" report --heap="$1" "${2:-embedder}.data" 2>&1 |
    sed -n '2s/^\([0-9]*\) allocations, \([0-9]*\) bytes.*/\1 \2/p'
}
if [ -e embedder.data ]; then
  same 'calls, which are not known, are not shown' '' \
    "$("$MPROF" report --tables=direct,graph,types --no-legend \
      embedder.data 2>&1 | grep -w -e calls -e called)"
  same 'the heaps add up' "$(all both)" \
    "$({ all lisp; all malloc; } | awk '{ n += $1; bytes += $2 }
                                          END { print n, bytes }')"
  "$MPROF" merge -o merged.data embedder.data importer.data
  for heap in lisp malloc both; do
    same "heap $heap of two files that are merged" "$({
      all $heap embedder
      all $heap importer
    } | awk '{ n += $1; bytes += $2 } END { print n, bytes }')" \
      "$(all $heap merged)"
  done
  same 'what is alive of the Lisp heap is not known, and not shown' '' \
    "$("$MPROF" report --no-legend embedder.data | grep -wi -e alive -e live)"
  same 'the heap of malloc is reported as that of a C program' 1 \
    "$("$MPROF" report --heap=malloc embedder.data | grep -c '^MEMORY LEAKS')"
  same 'the Lisp heap has no blocks' '' \
    "$("$MPROF" export --heap=lisp --format=folded embedder.data |
      grep ';blocks ')"
fi

# Its heap is no root, so nothing is said.
"$MPROF" run -q --reachable -o asked.data "$STOCK_ECL" --eval '(ext:quit 0)' \
  >out 2>err
same 'what is lost is not told' "mprof: cannot find what is lost in \
'$work/asked.data': the program has Lisp objects" "$(cat err)"
finish
