# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sourced by run.sh and instructions.sh: build and start what is measured.
# Expects BUILD, here, work, and what the configurations need of ECL and
# ECL_REFERENCE (without patches).

export BENCH_LIBRARIES=$work

die() {
  printf '\nbench: %s\n' "$*" >&2
  exit 1
}

# All begin with the same heap, one of some size.  ECL's own is that of an
# empty process, which even the loading of mprof makes larger by an eighth, so
# that the collector runs at other moments: for ten million conses 60 times
# instead of 52, whether or not anything is counted.  From 32 MiB it is 5
# times in both.
if [ "${HEAP:=33554432}" != default ]; then
  export GC_INITIAL_HEAP_SIZE=$HEAP
fi

# The deepest programs need some hundred bytes for each of 100,000 frames.
ulimit -S -s 1048576 2>/dev/null ||
  die 'the stack may not grow to 1 GiB; run: ulimit -H -s unlimited'

# ecl_of CONFIGURATION, compiled_for CONFIGURATION: the ECL, and the folder
# with what it has compiled.
ecl_of() {
  case $1 in
  reference) echo "${ECL_REFERENCE:-}" ;;
  *) echo "$ECL" ;;
  esac
}

compiled_for() {
  case $1 in
  reference) echo "$work/unpatched" ;;
  *) echo "$work/patched" ;;
  esac
}

# run_ecl CONFIGURATION GROUP... FORM: load groups of programs, evaluate FORM.
# RUNNER stands before it, if it is set.
run_ecl() {
  local configuration=$1 form=${*: -1} folder arguments group
  folder=$(compiled_for "$configuration")
  arguments=(--norc --load "$folder/harness.fas")
  for group in "${@:2:$#-2}"; do
    [ "$group" != text ] || arguments+=(--load "$folder/ppcre.fas")
    arguments+=(--load "$folder/$group.fas")
  done
  case $configuration in
  stopped | mprof)
    arguments+=(--eval '(require :mprof)')
    ;;
  esac
  ${RUNNER:-} "$(ecl_of "$configuration")" "${arguments[@]}" --eval "$form" \
    </dev/null
}

shared_object() { # NAME
  # HEADER_FLAGS has quotes in it.  ECL closes all libraries when it exits,
  # and hooks must outlive that.
  eval "$CC $HEADER_FLAGS -fvisibility=default -O2 -shared -Wl,-z,nodelete" \
    -o '"$work/$1.so" "$here/$1.c"' || die "cannot compile tests/bench/$1.c"
}

# compile_with CONFIGURATION: what is new since the last time, and everything
# for a new build of its ECL.
compile_with() {
  local folder ecl
  folder=$(compiled_for "$1")
  ecl=$(ecl_of "$1")
  if [ ! "$folder/done" -nt "$(readlink -f "$ecl")" ]; then
    rm -rf "$folder"
  elif [ -z "$(find "$here"/{harness,compile}.lisp "$here/programs" -type f \
    -newer "$folder/done")" ]; then
    return
  fi
  echo "bench: compiling the programs with $ecl" >&2
  mkdir -p "$folder"
  rm -f "$folder/done"
  BENCH_OUT=$folder BENCH_PPCRE=$ppcre "$ecl" --norc \
    --load "$here/compile.lisp" </dev/null >"$folder/log" 2>&1 ||
    die "cannot compile the programs, see $folder/log"
  : >"$folder/done"
}

# prepare CONFIGURATION...: all that these need.
prepare() {
  local configuration ecl
  [ -f "$ppcre/api.lisp" ] ||
    die "CL-PPCRE is not in $ppcre; run: apt-get install cl-ppcre"
  mkdir -p "$work"
  shared_object region
  for configuration; do
    ecl=$(ecl_of "$configuration")
    [ -x "$ecl" ] ||
      die "there is no ECL for configuration $configuration; see make help"
    compile_with "$configuration"
  done
}

groups() {
  local file
  for file in "$here"/programs/*.lisp; do
    basename "$file" .lisp
  done
}

# list_programs [NAME...]: a line `name group' for each program, or for those
# that are named.
list_programs() {
  local group name all
  all=$(for group in $(groups); do
    run_ecl patched "$group" '(progn(bench:print-names)(ext:quit 0))' |
      sed -n "s/^program \(.*\)/\1 $group/p"
  done)
  if [ $# = 0 ]; then
    printf '%s\n' "$all"
  fi
  for name; do
    printf '%s\n' "$all" | grep "^$name " ||
      die "there is no program $name; there are:" \
        $(printf '%s\n' "$all" | sed 's/ .*//')
  done
}
