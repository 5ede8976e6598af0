#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# run.sh [NAME...]: how many bytes of the demo and of libraries at work have
# their own function in a profile of the distribution's ECL: that which they
# have in one of the patched ECL.
#
# Environment: BUILD, ECL, MPROF (set by make bench-stock-names); STOCK_ECL;
# ROWS, how many functions that have other bytes are listed (0).

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${ECL:?run me with: make bench-stock-names}" "${BUILD:?}" "${MPROF:?}"
: "${STOCK_ECL:=/usr/bin/ecl}"
work=$BUILD/stock-names
texts=/usr/share/common-licenses
unset ECLDIR LD_PRELOAD

# systems NAME: what the program NAME.lisp needs; packages are the Debian
# packages of all of them.
packages='cl-ppcre cl-alexandria cl-trivial-gray-streams cl-yason cl-chipz
  cl-salza2 cl-esrap'
systems() {
  case $1 in
  demo) echo mprof-demo ;;
  *) echo "$1" ;;
  esac
}

die() {
  printf 'mprof: %s\n' "$*" >&2
  exit 1
}

[ -x "$STOCK_ECL" ] || die "there is no ECL at $STOCK_ECL"
mkdir -p "$work"
# shellcheck disable=SC2086 # names have no blanks
"$here/../../libraries/fetch.sh" "$work" $packages
export AGREEMENT_SOURCES="\"$work/root/usr/share/common-lisp/source/\"
  \"$here/../../demo/\""

# count NAME KIND COMMAND...: the profile NAME-KIND.data.
count() {
  local name=$1 kind=$2
  shift 2
  mkdir -p "$work/$kind"
  export XDG_CACHE_HOME=$work/$kind AGREEMENT_SYSTEMS AGREEMENT_PROGRAM
  export AGREEMENT_FAS=$work/$kind/$name.fas
  export AGREEMENT_DATA=$work/$name-$kind.data
  AGREEMENT_SYSTEMS=$(systems "$name")
  AGREEMENT_PROGRAM=$here/$name.lisp
  gzip -9n <"$texts/GPL-3" >"$AGREEMENT_FAS.gz"
  "$@" --norc --load "$here/driver.lisp" </dev/null \
    >"$work/$name-$kind.log" 2>&1 ||
    die "$name failed, see $work/$name-$kind.log"
}

chains() {
  "$MPROF" export --format=folded --value=bytes --heap=lisp "$1" ||
    die "cannot read $1"
}

[ $# != 0 ] || set -- demo yason chipz salza2 esrap
for name; do
  # what is compiled is not to be counted; names of files are equally long
  count "$name" right "$ECL"
  count "$name" stock "$STOCK_ECL"
  count "$name" right "$ECL"
  count "$name" stock "$MPROF" run -q -o "$work/$name-stock.data" "$STOCK_ECL"
  rm -f "$work/$name-stock.data".*
  printf '%s: ' "$name"
  awk -f "$here/agreement.awk" <(chains "$work/$name-right.data") \
    <(chains "$work/$name-stock.data") | LC_ALL=C sort -k1,1nr -k4 |
    sed "s/^[0-9]* //; $((${ROWS:-0} + 1))q"
done
