# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sourced: the generated program of paths.lisp, compiled and profiled.  ECL and
# `work' say where.

# lisp FORM: evaluate it where the program and what profiles it are loaded.
lisp() {
  "$ECL" --norc --eval '(require :mprof)' --load "$work/paths.fas" \
    --load tests/growth/profile.lisp --eval "$1" --eval '(ext:quit 0)' \
    </dev/null
}

# compile_paths: once, in `work'.
compile_paths() {
  "$ECL" --norc --eval "(ext:quit (if (compile-file
    \"tests/growth/paths.lisp\" :output-file \"$work/paths.fas\") 0 1))" \
    >"$work/compile.log" 2>&1 </dev/null && return
  echo "not ok - paths.lisp compiles"
  sed 's/^/# /' "$work/compile.log"
  return 1
}
