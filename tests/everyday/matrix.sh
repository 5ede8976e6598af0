#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What people do with mprof (uses.bash), each in all the surroundings in which
# they do it (surroundings.bash).  Most of them wait most of the time, so
# several are tried at once.
#
#     SURROUNDINGS, USES  these alone

. "$(dirname "$0")/../cli/check.bash"
here=$top/tests/everyday
. "$here/surroundings.bash"
. "$here/uses.bash"

# The surroundings say what is different from this.
unset COLUMNS NO_COLOR LANG LANGUAGE "${!LC_@}" "${!MPROF_@}"
export MPROF ECL BUILD SCRATCH=$scratch LC_ALL=C.UTF-8 TERM=xterm \
  SHELL=/bin/bash
umask 022

localedef -i tr_TR -f UTF-8 ./tr_TR.UTF-8 || exit 1
"${CC:-gcc}" -g -O1 -o program "$here/program.c" || exit 1
cat >page.lisp <<'END'
(require :mprof)
(mprof:with-profiling (:report nil :file "page.data") (make-list 1000))
(mprof:save "page.html")
END
"$ECL" --norc --shell page.lisp >log 2>&1 </dev/null

for surrounding in ${SURROUNDINGS:-${surroundings[*]}}; do
  for use in ${USES:-${uses[*]}}; do
    impossible "$surrounding" "$use" || echo "$surrounding $use"
  done
done >pairs
echo "1..$(wc -l <pairs)"
# It prints only what is whole.
try() {
  local printed
  printed=$(timeout -k 5 "${LIMIT:-200}" "$try" "$@" 2>&1) ||
    printed="not ok - $2, $1: it does not end"
  printf '%s\n' "$printed"
}
export -f try
export try=$here/try.bash
# shellcheck disable=SC2016
xargs -a pairs -P 8 -n 2 bash -c 'try "$@"' - | tee results
! grep -q '^not ok' results
