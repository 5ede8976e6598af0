#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Lisp code outside of ECL's own program: in a library of a C program, shared
# or static, in a standalone program, in a joined .fas, compiled from the
# command line, with the user's own compiler flags, stripped.  Each profiles
# itself, and all chains with the code's functions are compared with what
# stands here.

set -u
cd "$(dirname "$0")" || exit 1
source=$PWD
: "${BUILD:=$source/../../build}"
: "${ECL:=$BUILD/bin/ecl}" "${MPROF:=$BUILD/bin/mprof}" "${CC:=gcc}"
work=$BUILD/embedding
failed=0
rm -rf "$work"
mkdir -p "$work" || exit 1
cd "$work" || exit 1
library=$(cd "$BUILD/ecl/lib" && pwd)

not_ok() {
  printf 'not ok - %s\n' "$1"
  sed 's/^/# /' | head -n 40
  failed=1
}

# lisp FORM...: evaluate these, then quit.
lisp() {
  local form arguments=()
  for form; do arguments+=(--eval "$form"); done
  timeout 120 "$ECL" --norc "${arguments[@]}" --eval '(ext:quit 0)' </dev/null
}

# chains FILE: chains with allocations and bytes; from the last form on that
# was evaluated, and without what belongs to reading and evaluating forms and
# to the profiler.
not_ours='EVAL-WITH-ENV\|MPROF:\|^EXT:SAFE-EVAL\|READ-FROM-STRING'
chains() {
  local value
  for value in allocs bytes; do
    "$MPROF" export --format=folded --value=$value "$1" |
      grep "${only:-}" |
      sed "s/.*(TOP-LEVEL-FORM);//; /$not_ours/d; s/\$/ $value/"
  done
}

# check TITLE FILE: compare its chains (with $only set: those that match it)
# with standard input, which has the chains with the
# number of objects and, where it is not 16 bytes for each, of bytes.
check() {
  local title=$1 expected difference
  expected=$(awk '{
    bytes = $NF
    if ($(NF - 1) ~ /^[0-9]+$/) { allocs = $(NF - 1); sub(/ [0-9]+$/, "") }
    else { allocs = bytes; bytes *= 16 }
    sub(/ [0-9]+$/, "")
    print $0, allocs, "allocs"; print $0, bytes, "bytes" }' | sort)
  if difference=$(diff <(echo "$expected") <(chains "$2" | sort) 2>&1); then
    echo "ok - $title"
  else
    not_ok "$title" <<<"$difference"
  fi
}

# compile NAME FLAGS...: a C program against ECL.
compile() {
  local output=$1
  shift
  # shellcheck disable=SC2086
  $CC -I"$library/../include" "$source/embedder.c" -o "$output" "$@" \
    -L"$library" -lecl -Wl,-rpath,"$library" -Wl,-rpath,"$work"
}

# What a program of Lisp code alone does in the end.
profile_itself='(progn (require :mprof)
  (funcall (find-symbol "START" :mprof))
  (embedded:run)
  (funcall (find-symbol "STOP" :mprof))
  (funcall (find-symbol "SAVE" :mprof) "itself.data")
  (ext:quit 0))'
# What ECL's headers want to know.
defines='-D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_THREAD_SAFE'
files='(list "embedded.o" "companion.o")'
built=$(lisp '(require :cmp)' "(defvar *files* $files)" \
  "(compile-file \"$source/embedded.lisp\" :output-file \"embedded.o\" :system-p t)" \
  "(compile-file \"$source/companion.lisp\" :output-file \"companion.o\" :system-p t)" \
  '(c:build-shared-library "embedded" :lisp-files *files* :init-name "init_embedded")' \
  '(c:build-static-library "embedded" :lisp-files *files* :init-name "init_embedded")' \
  '(c:build-fasl "joined" :lisp-files *files*)' \
  "(load \"$source/embedded.lisp\")" \
  "(c:build-program \"standalone\" :lisp-files *files* :epilogue-code '$profile_itself)" \
  2>&1)

# ---- in a C program ------------------------------------------------------

in_c() {
  cat <<'END'
main;call_consume;FUNCALL;EMBEDDED:CONSUME;EMBEDDED::LEAF 10
main;call_consume;FUNCALL;EMBEDDED:CONSUME;LIST 2
main;make_conses 5
main;descend;descend;call_consume;FUNCALL;EMBEDDED:CONSUME;EMBEDDED::LEAF 7
main;descend;descend;call_consume;FUNCALL;EMBEDDED:CONSUME;LIST 2
main;FUNCALL;EMBEDDED:CALL;(FLET EMBEDDED::BETWEEN :IN EMBEDDED:CALL);c_leaf 1
main;FUNCALL;EMBEDDED:CALL;(FLET EMBEDDED::BETWEEN :IN EMBEDDED:CALL);c_leaf;make_conses 4
main;sort_two;compare 1
END
}

for pointers in omit no-omit; do
  for kind in shared static; do
    name=$kind-$pointers
    case $kind in
    shared) libraries=(-L. -lembedded) ;;
    static) libraries=(libembedded.a) ;;
    esac
    if output=$(compile "$name" -O2 -f$pointers-frame-pointer \
      "${libraries[@]}" 2>&1 &&
      timeout 60 ./"$name" "$name.data" 2>&1); then
      in_c | check "$kind library in a C program, -f$pointers-frame-pointer" \
        "$name.data"
    else
      not_ok "$kind library in a C program, -f$pointers-frame-pointer" \
        <<<"$built$output"
    fi
  done
done
# Stripped: C functions are without names, and are called by the program's; the
# Lisp functions have theirs in a table of their own.  Equal chains are added up.
if cp static-omit stripped && strip stripped &&
  output=$(timeout 60 ./stripped stripped.data 2>&1); then
  check 'a C program with Lisp code, stripped' stripped.data <<'END'
[stripped];[stripped] 5
[stripped];[stripped];FUNCALL;EMBEDDED:CONSUME;EMBEDDED::LEAF 10
[stripped];[stripped];FUNCALL;EMBEDDED:CONSUME;LIST 2
[stripped];[stripped];[stripped];[stripped];FUNCALL;EMBEDDED:CONSUME;EMBEDDED::LEAF 7
[stripped];[stripped];[stripped];[stripped];FUNCALL;EMBEDDED:CONSUME;LIST 2
[stripped];FUNCALL;EMBEDDED:CALL;(FLET EMBEDDED::BETWEEN :IN EMBEDDED:CALL);[stripped] 1
[stripped];FUNCALL;EMBEDDED:CALL;(FLET EMBEDDED::BETWEEN :IN EMBEDDED:CALL);[stripped];[stripped] 4
[stripped];[stripped];[stripped] 1
END
else
  not_ok 'a C program with Lisp code, stripped' <<<"$output"
fi

# ---- C code that uses the frame pointer for anything ---------------------

built+=$(lisp '(require :cmp)' \
  "(compile-file \"$source/loops.lisp\" :output-file \"loops.fas\")" 2>&1)

# objects FILE: of each way to the loops, and each loop, what an expression
# made, which was executed 20 times with 14 values of the register, in 3 threads.
objects() {
  "$MPROF" export --format=folded --value=allocs "$1" |
    sed -n 's/^.*with_pointer;//p' | awk '
      {
        match($0, /^.*all_loops/)
        way = substr($0, 1, RLENGTH)
        split(substr($0, RLENGTH + 2), loop, /[ ;]/)
        sum[way " " loop[1]] += $NF
      }
      END { for (row in sum) print row, sum[row] / (20 * 14 * 3) }' | sort
}

# What that is.  Where releases of ECL differ, it is as much on each way.
expected_objects() {
  local way times row
  while read -r way times; do
    for row in arrays:1 atomic_memory:1 bignums:1 bits:1 callbacks:3 closures:1 \
      complexes:1 conses:1 conses_by_name:1 doubles:1 foreign:1 functions:1 \
      instances:1 lisp_calls:3 lists:3 lists_of_one:1 lists_with_tail:2 \
      memory:1 ratios:1 string_copies:1 strings:1 strings_by_name:1 \
      structures:1 sums:1 symbols:$symbols tables:$tables vectors:1 \
      vectors_by_name:$vectors; do
      echo "$way;all_loops ${row%:*} $((${row#*:} * times))"
    done
  done <<'END' | sort
alone 1
called;FUNCALL;CL-USER::CALL;from_lisp 1
from_lisp 1
recursive 1
recursive;recursive 2
sorted;compare 1
END
}

# of LOOP FILE: what it made where it was alone.
of() { objects "$2" | sed -n "s/^alone;all_loops $1 //p"; }

for with in 'gcc -O2' 'gcc -O3 -fomit-frame-pointer' 'gcc -O0' \
  'gcc -O2 -fno-omit-frame-pointer' 'clang -O2'; do
  name=loops-${with//[^a-zA-Z0-9]/_} difference=
  # shellcheck disable=SC2086
  if output=$($with -pthread -I"$library/../include" "$source/loops.c" \
    -o "$name" -L"$library" -lecl -Wl,-rpath,"$library" 2>&1 &&
    timeout 60 "./$name" "$name.data" 2>&1) &&
    symbols=$(of symbols "$name.data") tables=$(of tables "$name.data") \
      vectors=$(of vectors_by_name "$name.data") &&
    difference=$(diff <(expected_objects) <(objects "$name.data")); then
    echo "ok - loops in C with anything in the frame pointer, $with"
  else
    not_ok "loops in C with anything in the frame pointer, $with" \
      <<<"$built$output$difference"
  fi
done

# ---- Lisp code alone -----------------------------------------------------

# RUN makes a function object for its lambda: see harness.lisp.
case $("$ECL" --version) in
*' 21.'*) object=56 ;;
*) object=48 ;;
esac
alone() {
  cat <<END
EMBEDDED:RUN 1 $object
EMBEDDED:RUN;EMBEDDED:CONSUME;EMBEDDED::LEAF 10
EMBEDDED:RUN;EMBEDDED:CONSUME;LIST 2
EMBEDDED:RUN;EMBEDDED:CALL;(FLET EMBEDDED::BETWEEN :IN EMBEDDED:CALL);(LAMBDA :IN EMBEDDED:RUN);EMBEDDED::LEAF 3
END
}

# Built by C:BUILD-PROGRAM, where the profiler comes by REQUIRE; the same without
# symbols; and by ASDF, which links the profiler in.
cp standalone standalone-stripped && strip standalone-stripped
cp "$source/embedded.lisp" embedded.lisp
echo '(defsystem "linked-in" :depends-on ("mprof")
  :components ((:file "embedded")))' >linked-in.asd
built+=$(XDG_CACHE_HOME=$work/cache lisp '(require :asdf)' \
  '(push (truename "./") asdf:*central-registry*)' \
  "(load \"$source/embedded.lisp\")" \
  "(asdf:make-build \"linked-in\" :type :program :move-here \"./\" :epilogue-code '$profile_itself)" \
  2>&1)
for name in standalone standalone-stripped linked-in; do
  output=$(timeout 60 ./$name 2>&1 </dev/null)
  if [ -e itself.data ]; then
    mv itself.data $name.data
    alone | check "a program that ECL built: $name" $name.data
  else
    not_ok "a program that ECL built: $name" <<<"$built$output"
  fi
done

# The first of its files starts the profiler: the names of the others become
# known while it counts.
cat >early.lisp <<'END'
(require :mprof)
(funcall (find-symbol "START" :mprof))
END
built+=$(lisp '(require :cmp)' "(load \"$source/embedded.lisp\")" \
  '(compile-file "early.lisp" :system-p t)' \
  "(c:build-program \"early\" :lisp-files (cons \"early.o\" $files) :epilogue-code '(progn
    (embedded:run)
    (funcall (find-symbol \"STOP\" :mprof))
    (funcall (find-symbol \"SAVE\" :mprof) \"early.data\")
    (ext:quit 0)))" 2>&1)
output=$(timeout 60 ./early 2>&1 </dev/null)
alone | only=EMBEDDED:RUN check 'a program that starts the profiler early' \
  early.data

# profile FAS FORM...: load it, profile the forms.
profile() {
  local fas=$1
  shift
  lisp '(require :mprof)' "(load \"$fas\")" '(mprof:start)' "$@" \
    '(mprof:stop)' "(mprof:save \"$(basename "$fas" .fas).data\")" 2>&1
}

output=$(profile joined.fas '(embedded:run)' '(embedded::second-consume 6)')
{
  alone
  echo 'EMBEDDED::SECOND-CONSUME;(FLET EMBEDDED::BETWEEN :IN EMBEDDED::SECOND-CONSUME);EMBEDDED::SECOND-LEAF 6'
} | check 'two files joined in one .fas' joined.data

cp "$source/embedded.lisp" command-line.lisp
output=$("$ECL" --norc --compile command-line.lisp </dev/null 2>&1
  profile command-line.fas '(embedded:run)')
alone | check 'compiled from the command line' command-line.data

# ---- with flags of the user's --------------------------------------------

# flags NAME FORM: compile after FORM has set flags, and profile.
flags() {
  lisp '(require :cmp)' "$2" \
    "(compile-file \"$source/embedded.lisp\" :output-file \"$1.fas\")" 2>&1
  profile "$1.fas" '(embedded:run)'
}

# Without frame pointers chains are whole all the same.  Functions that the C
# compiler inlines, as CALL, leave no trace.  The report says first that there
# may be such.
output=$(flags user '(setf c::*user-cc-flags* "-O3 -funroll-loops")')
alone | check "with the user's -O3" user.data
output=$(flags omit '(setf c::*user-cc-flags* "-O3 -fomit-frame-pointer")')
alone | check "with the user's -fomit-frame-pointer" omit.data
output=$(flags own "(setf c::*cc-flags* \"-O2 -fPIC $defines\")")
check "with flags in place of ECL's" own.data <<END
EMBEDDED:RUN 1 $object
EMBEDDED:RUN;EMBEDDED:CONSUME;EMBEDDED::LEAF 10
EMBEDDED:RUN;EMBEDDED:CONSUME;LIST 2
EMBEDDED:RUN;(FLET EMBEDDED::BETWEEN :IN EMBEDDED:CALL);(LAMBDA :IN EMBEDDED:RUN);EMBEDDED::LEAF 3
END

# says NAME: does the report say that callers may be missing?
says() {
  "$MPROF" report --tables=direct "$1.data" | grep -q "^  $1.fas was not compiled"
}

for name in user:no omit:yes own:yes; do
  said=no
  says ${name%:*} && said=yes
  if [ $said = "${name#*:}" ]; then
    echo "ok - warning of missing callers, ${name%:*}: $said"
  else
    echo "warned: $said" | not_ok "warning of missing callers, ${name%:*}"
  fi
done
exit $failed
