#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# build.sh OUT: make the page of the format html in the folder OUT, with the
# packages that package-lock.json pins.  They are fetched when the lock file
# has changed, never else.
#
# Without npm, or without a network, the two pieces are made empty, OUT/missing
# says that they are, and mprof is built without the format: everything else
# in it needs neither.  The next make tries again.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../runtime-patch/messages.sh"
mkdir -p "$1"
out=$(cd "$1" && pwd)
log=$out/log

# leave_out WHY: go on without the page.
leave_out() {
  say "$1, so mprof is built without the format html; once that works," \
    'make builds it' >&2
  for piece in page-head.html page-tail.html; do
    [ -e "$out/$piece" ] && [ ! -s "$out/$piece" ] || : >"$out/$piece"
  done
  : >"$out/missing"
  exit 0
}

command -v node >/dev/null && command -v npm >/dev/null ||
  leave_out 'there is no node or no npm'

if ! cmp -s "$here/package-lock.json" "$out/fetched"; then
  cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$out/"
  (cd "$out" && timeout 300 npm ci --prefer-offline --fetch-retries=1 \
    --fetch-timeout=30000 --loglevel=error) >"$log" 2>&1 </dev/null ||
    leave_out "npm cannot get the packages of the page (log: $log)"
  cp "$here/package-lock.json" "$out/fetched"
fi

# Node finds packages from where a script lies, and they are in OUT.
cp "$here/build.mjs" "$out/"
node "$out/build.mjs" "$here" "$out" >"$log" 2>&1 || {
  cat "$log" >&2
  die "the page cannot be built (log: $log)"
}
rm -f "$out/missing"
touch "$out/page-head.html"
