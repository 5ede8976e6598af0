# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sourced by the tests of Lisp programs that print `ok' and `not ok' themselves.

. "$(dirname "${BASH_SOURCE[0]}")/../cli/check.bash"

# run_program FILE...: compile these, as one file, and load them.  That the
# program has come to its end is said by the status 3: ECL has 0 when its
# debugger reads the end of the input.  $preloaded is a library.
run_program() {
  (cd "$top/tests/lisp" && cat "$@") >program.lisp
  "$ECL" --norc --eval '(require :cmp)' --eval '(require :mprof)' \
    --eval '(compile-file "program.lisp")' --eval '(ext:quit 0)' \
    </dev/null >log 2>&1 || sed 's/^/# /' log
  LD_PRELOAD=${preloaded:-} timeout 600 "$ECL" --norc --load program.fas \
    --eval '(ext:quit 3)' </dev/null >out 2>err
  [ $? = 3 ]
  result $? "$* end" || sed 's/^/# /' err | tail
  grep '^ok\|^not ok\|^#' out
}
