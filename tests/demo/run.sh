#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# run.sh: what `make demo' runs once everything is built.  Two programs are
# profiled, one small enough to check by hand and a real one; then the tables
# are printed with the command that anybody would type, and a finding.
#
# demo.lisp does the work, quietly; its output is in BUILD/demo/log.  CL-PPCRE
# and the programs are compiled by the ECL under BUILD, once for each build of
# it: compiled files hold what belongs to one build.

set -eu
cd "$(dirname "$0")/../.."
: "${BUILD:=$PWD/build}"
: "${ECL:=$BUILD/bin/ecl}" "${MPROF:=$BUILD/bin/mprof}"
: "${XDG_CACHE_HOME:=$BUILD/cache}"
out=$BUILD/demo
log=$out/log
ppcre=/usr/share/common-lisp/source/cl-ppcre/
texts=/usr/share/common-licenses/

die() {
  printf 'mprof demo: %s\n' "$*" >&2
  exit 1
}

[ -x "$ECL" ] || die "there is no patched ECL at $ECL; run make"
[ -x "$MPROF" ] || die "there is no command mprof at $MPROF; run make"
[ -f "${ppcre}cl-ppcre.asd" ] ||
  die "CL-PPCRE is not in $ppcre; run: apt-get install cl-ppcre"
[ -f "${texts}GPL-3" ] ||
  die "the licence texts are not in $texts; run: apt-get install base-files"
mkdir -p "$out" || die "cannot make the folder $out"

cache=$XDG_CACHE_HOME/demo
if [ ! "$cache/stamp" -nt "$(readlink -f "$ECL")" ]; then
  echo 'mprof demo: compiling CL-PPCRE, this once; it takes half a minute'
  rm -rf "$cache"
fi
rm -f "$out/headline" "$out/finding" "$out/residual" "$out/leak" "$out"/*.data
XDG_CACHE_HOME=$cache MPROF_DEMO_OUT=$out MPROF_DEMO_PPCRE=$ppcre \
  MPROF_DEMO_TEXTS=$texts "$ECL" --norc --load tests/demo/demo.lisp \
  </dev/null >"$log" 2>&1 || {
  why=$(sed -n 's/^mprof demo: //p' "$log" | tail -n 1)
  die "${why:-ECL ended with an error} (log: $log)"
}
[ -s "$out/headline" ] && [ -s "$out/finding" ] && [ -s "$out/leak" ] ||
  die "ECL ended without a result (log: $log)"
: >"$cache/stamp"

# Names as one would type them from here.
here() { echo "${1#"$PWD"/}"; }

heading() { printf '\n=== %s\n\n' "$*"; }

# table OPTION...: show the command, then what it prints.
table() {
  printf '$ %s report' "$(here "$MPROF")"
  for word; do
    case $word in
    *[\(\)\|\^\$]*) printf " '%s'" "$word" ;;
    *) printf ' %s' "$(here "$word")" ;;
    esac
  done
  printf '\n\n'
  "$MPROF" report "$@"
  echo
}

# How ECL gets from a generic function to its method, and from APPLY to the
# function: between all callers and all callees, and of no interest here.
ways='^APPLY$|^FUNCALL$|:IN CLOS::'

cat "$out/headline"

heading 'Where does it come from?  CL-PPCRE and the licence texts'
table --tables=direct --no-legend --limit=12 "$out/licences.data"

heading 'On whose behalf?  The top of the call graph'
table --tables=graph --no-legend --limit=7 "--hide=$ways" "$out/licences.data"

heading 'What is it?'
table --tables=types,bins --no-legend --limit=10 "$out/licences.data"

heading 'Does it add up?'
table --tables=reconciliation "$out/licences.data"
cat "$out/residual"

heading 'What is left, and what holds it?'
cat "$out/leak"
table --tables=held --no-legend --limit=4 "$out/licences-live.data"

heading 'The same on a small program, whose figures are known by hand'
cat <<EOF
10,000 structures WIDGET of 64 bytes and two slots of 8 bytes each: 800,000
bytes.  MAKE-WIDGET is called 5,000 times by MAKE-RED-WIDGET and 5,000 times
by MAKE-BLUE-WIDGET; CONSUME-WIDGET allocates nothing and so is not listed.

EOF
table --tables=direct,graph,types,reconciliation --no-legend "$out/widgets.data"

heading "The paper's own program, in C"
cat <<EOF
10,000 widgets of 204 bytes, of which the 5,019 red ones are never freed.

EOF
${CC:-gcc} -g -o "$out/producer-consumer" tests/demo/producer-consumer.c
printf '$ %s run -o %s %s\n' "$(here "$MPROF")" "$(here "$out/c.data")" \
  "$(here "$out/producer-consumer")"
"$MPROF" run -o "$(here "$out/c.data")" "$out/producer-consumer" 2>&1
echo
table --tables=leaks,bins,direct,graph --no-legend "$out/c.data"

heading 'What to change in the first program'
printf '$ %s advise --limit=3 %s\n\n' "$(here "$MPROF")" \
  "$(here "$out/licences.data")"
"$MPROF" advise --limit=3 "$out/licences.data"
echo
cat "$out/finding"

heading 'What to do next'
folder=$(here "$out")
for file in widgets licences licences-after licences-live; do
  printf '%7d bytes  %s\n' "$(wc -c <"$out/$file.data")" "$folder/$file.data"
done
cat <<EOF

Each is a gzip-compressed pprof profile, of 64 KiB at most.  All columns are
explained below each table without --no-legend, and by
$(here "$MPROF") help tables.  To go on:

  $(here "$MPROF") report $folder/licences.data
  $(here "$MPROF") advise --verbose $folder/licences.data
  $(here "$MPROF") report --focus=CLASSIFY $folder/licences.data
  $(here "$MPROF") flamegraph -o demo.html $folder/licences.data
  $(here "$MPROF") export --format=folded --frames=types $folder/licences.data
  $(here "$ECL") --eval '(require :mprof)'
  > (mprof:with-profiling () (mapcar #'list '(1 2 3)))
EOF
