# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sourced by the tests of an ECL without mprof's patches, the distribution's:
# runs it under `mprof run', and compares what the profile says with what is
# known, or with what the patched ECL says.  Prints `ok - ...' or `not ok -
# ...' for each comparison; the script ends with `finish'.

set -u
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$tests/../.." && pwd)
: "${BUILD:=$top/build}" "${STOCK_ECL:=/usr/bin/ecl}"
: "${MPROF:=$BUILD/bin/mprof}" "${ECL:=$BUILD/bin/ecl}" "${CC:=gcc}"
work=$BUILD/stock/$(basename "$0" .sh)
failures=0
unset ECLDIR LD_PRELOAD MPROF_OUT MPROF_COUNT
if ! [ -x "$STOCK_ECL" ]; then
  echo "ok - the distribution's ECL # skip there is none"
  exit 0
fi
rm -rf "$work"
mkdir -p "$work" && cd "$work" || exit 1
ulimit -c 0

# result STATUS TITLE: one test, good when STATUS is 0.
result() {
  if [ "$1" = 0 ]; then
    echo "ok - $2"
  else
    echo "not ok - $2"
    failures=$((failures + 1))
  fi
}

finish() {
  [ "$failures" = 0 ]
  exit
}

# same TITLE EXPECTED GOT
same() {
  if [ "$2" = "$3" ]; then
    result 0 "$1"
  else
    result 1 "$1"
    diff <(echo "$2") <(echo "$3") | sed 's/^/# /'
    [ ! -s err ] || sed 's/^/# stderr: /' err | head -5
  fi
}

# compile ECL NAME: programs/NAME.lisp becomes NAME.fas here.
compile() {
  "$1" --norc --eval "(ext:quit (if (compile-file \"$tests/programs/$2.lisp\"
    :output-file \"$work/$2.fas\") 0 1))" >compile.out 2>&1 ||
    result 1 "$2 compiles"
}

# profile NAME ARGUMENT...: run the stock ECL; leaves $status, the profile
# NAME.data, and what it printed in out and err.
profile() {
  local name=$1
  shift
  timeout 100 "$MPROF" run -q -o "$name.data" "$STOCK_ECL" --norc "$@" \
    >out 2>err </dev/null
  status=$?
}

# patched NAME FILE FORM: what the patched ECL says of FORM, with FILE loaded.
patched() {
  timeout 100 "$ECL" --norc --eval '(require :mprof)' --load "$2" \
    --eval '(mprof:start)' --eval "$3" --eval '(mprof:stop)' \
    --eval "(mprof:save \"$1.data\")" --eval '(ext:quit 0)' >out 2>err \
    </dev/null
}

# types FILE VALUE [REGEX]: how much each function whose name matches, or what
# it calls, has of each type.
types() {
  "$MPROF" export --format=folded --frames=types --value="$2" "$1" 2>&1 |
    awk -v name="^(${3:-CL-USER::F-.*})\$" '
      { n = $NF; sub(/ [0-9]*$/, ""); depth = split($0, frames, ";")
        for (i = depth - 1; i > 0; i--)
          if (frames[i] ~ name) {
            sum[frames[i] " " frames[depth]] += n
            break
          } }
      END { for (key in sum) print key, sum[key] }' | LC_ALL=C sort
}

# reconciles NAME: whether the collector counted the same.
reconciles() {
  same "$1: the collector counted the same" 0 "$("$MPROF" report \
    "$1.data" 2>&1 | sed -n 's/^ *\(-*[0-9]*\)  residual.*/\1/p')"
}

# Objects are told by the headers of one release.
case $("$STOCK_ECL" --version) in
"ECL ${RELEASE:-21.2.1}"*) ;;
*)
  profile other --eval '(ext:quit 7)'
  same 'Lisp objects of another release are not counted' "7 mprof: this ECL is \
not the release that mprof was built for: Lisp objects are not counted" \
    "$status $(cat err)"
  finish
  ;;
esac
