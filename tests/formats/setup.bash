# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sourced by the tests of the formats: makes the profiles that are exported,
# and says what is read back by whom.  Each test reads what mprof exports with
# a program that is not ours, and compares its figures for equality with those
# of mprof's own formats; names with odd characters have to come back.

set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
: "${MPROF:?run me with: make check-formats}" "${BUILD:?}" "${ECL:?}"
work=$BUILD/formats
mkdir -p "$work"
export PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8

# The demonstration program, the profiles made by hand, and odd names.
[ -e "$BUILD/demo/licences.data" ] ||
  tests/demo/run.sh >"$work/demo.log" 2>&1 ||
  { cat "$work/demo.log"; exit 1; }
python3 tests/formats/odd_profile.py "$work/odd-names.data.$$"
mv "$work/odd-names.data.$$" "$work/odd-names.data"
profiles=("$BUILD/demo/licences.data" tests/golden/*.data
  "$work/odd-names.data")

# read_back SCRIPT: run SCRIPT on all profiles, in a folder of its own.
read_back() {
  local folder=$work/$1
  rm -rf "$folder"
  mkdir -p "$folder"
  WORK=$folder python3 "tests/formats/$1" "${profiles[@]}"
}
