#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Functions of all kinds, in compiled code: each has in the distribution's ECL
# the bytes that it has in the patched one.

. "$(dirname "$0")/check.bash"

# direct FILE: what each function below ALL allocates itself, that of a local
# one being in the function that it is in.
direct() {
  "$MPROF" export --format=folded --value=bytes "$1" |
    awk '/;CL-USER::ALL;/ { n = $NF; sub(/ [0-9]+$/, ""); sub(/.*;/, "")
                            while (sub(/^\([A-Z]+ ([^ ]+ )?:IN /, ""))
                              sub(/\)$/, "")
                            sum[$0] += n }
         END { for (name in sum) print name, sum[name] }' | LC_ALL=C sort
}

compile "$STOCK_ECL" names
profile names --load names.fas --eval '(all)' --eval '(ext:quit 0)'
same 'the program ends as it did' 0 "$status"
reconciles names
stock=$(direct names.data)
compile "$ECL" names
patched patched names.fas '(all)'
same 'each function has the bytes that it has in the patched ECL' \
  "$(direct patched.data)" "$stock"
finish
