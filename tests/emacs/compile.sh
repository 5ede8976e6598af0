#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The byte compiler has nothing to say about what runs in Emacs.

set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$BUILD/emacs/compile
rm -rf "$work" && mkdir -p "$work" || exit 1
cp "$here"/../../lisp/emacs/* "$work" && cd "$work" || exit 1
export HOME=$work

. "$here/find-sly" || { rm sly-mprof.el; echo 'ok - sly-mprof.el # SKIP no Sly'; }
for file in *.el; do
  if emacs --batch -f package-initialize "${sly[@]}" -L . \
    --eval '(setq byte-compile-error-on-warn t)' -f batch-byte-compile "$file"
  then
    echo "ok - $file"
  else
    echo "not ok - $file"
  fi
done
