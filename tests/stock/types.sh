#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Objects of all kinds, in compiled code: those of each function by number,
# bytes, type and class, as they are known by hand, and as the patched ECL has
# them.

. "$(dirname "$0")/check.bash"

compile "$STOCK_ECL" types
profile types --load types.fas --eval '(all)' --eval '(ext:quit 7)'
same 'the exit status is that of the program' 7 "$status"
reconciles types
# MAPCAR's list has a head of its own while it is made
same 'counts that are known by hand' \
  'CL-USER::F-CONSES CONS 100
CL-USER::F-LIST CONS 300
CL-USER::F-MAPCAR CONS 400
CL-USER::F-STRUCTS CL-USER::POINT 100
CL-USER::F-VECTORS (SIMPLE-ARRAY T) 100' \
  "$(types types.data allocs |
    grep -E '::F-(CONSES|LIST|MAPCAR|STRUCTS|VECTORS) ')"
# header of 64 and two slots; header of 48 and ten elements
same 'bytes that are known by hand' \
  'CL-USER::F-CONSES CONS 1600
CL-USER::F-LARGE (SIMPLE-ARRAY T) 4004800
CL-USER::F-STRUCTS CL-USER::POINT 8000
CL-USER::F-VECTORS (SIMPLE-ARRAY T) 12800' \
  "$(types types.data bytes |
    grep -E '::F-(CONSES|LARGE|STRUCTS|VECTORS) ')"

stock_allocs=$(types types.data allocs)
stock_bytes=$(types types.data bytes)
compile "$ECL" types
patched patched types.fas '(all)'
same 'all counts are those of the patched ECL' \
  "$(types patched.data allocs)" "$stock_allocs"
same 'all bytes are those of the patched ECL' \
  "$(types patched.data bytes)" "$stock_bytes"
finish
