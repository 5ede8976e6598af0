#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Images that are none, or were damaged: one clear line, or a profile that can
# be read, and never a crash.

. "$(dirname "$0")/check.bash"
damages=${DAMAGES:-30}

$CC -O1 -o damage "$programs/damage.c" &&
  $CC -g -O1 -fno-optimize-sibling-calls -o busy "$programs/busy.c" \
    -lpthread || exit 1
cp "$programs/busy.lisp" .

MPROF_OUT=c.data LD_PRELOAD=$MPROF_LIB/libmprof-malloc.so \
  ./busy log 3 9 500 2>/dev/null
"$ECL" --norc --eval '(compile-file "busy.lisp")' --eval '(ext:quit 0)' \
  </dev/null >/dev/null 2>&1
"$ECL" --norc --load busy.fas --eval '(mprof:start :file "lisp.data")' \
  --eval '(mapc (function mp:process-join) (start-workers 2 3000))' \
  --eval '(fault)' </dev/null >/dev/null 2>&1
same 'a program is killed' 139 $?

# A snapshot, which also has what is alive and what refers to what.
"$ECL" --norc --eval '(require :mprof)' --eval '(mprof:start :live t)' \
  --eval '(defvar *kept* (list (make-array 10) "a" (make-hash-table)))' \
  --eval '(defun c (name type types &rest arguments)
            (si:call-cfun (si:find-foreign-symbol name :default :pointer-void 0)
                          type types arguments))' \
  --eval '(let* ((s (mprof::take-snapshot (list 2)))
                 (file (c "creat" :int (list :cstring :int)
                          "snapshot.data" #o644)))
            (c "write" :long (list :int :unsigned-long :unsigned-long) file
               (mprof::snapshot-octets s)
               (mprof::snapshot-length s)))' \
  --eval '(ext:quit 3)' </dev/null >/dev/null 2>&1
same 'and another ends' 3 $?

for language in c lisp snapshot; do
  run report $language.data
  same "$language: what is whole is read" 0 "$status"
  case $language in snapshot) word=HASH-TABLE ;; *) word=worker ;; esac
  cp --sparse=always $language.data x.data && ./damage x.data $word
  run export --format=folded --frames=threads x.data
  same "$language: a name is changed" 0 "$status"
  says "$language: which shows" "X${word:1}"
  wrong=0
  for ((i = 1; i <= damages; i++)); do
    cp --sparse=always $language.data x.data && ./damage x.data "$i"
    timeout 60 "$MPROF" merge -o y.data x.data >out 2>err
    case $? in
    0) timeout 60 "$MPROF" report y.data >out 2>err ;;
    1) [ "$(wc -l <err)" = 1 ] && grep -q '^mprof: ' err && [ ! -s out ] ;;
    *) false ;;
    esac || {
      wrong=$((wrong + 1))
      echo "# damage $i:"
      head -n 5 err | sed 's/^/# /'
    }
  done
  same "$language: $damages damaged ones" 0 $wrong
done

cp --sparse=always c.data cut.data
truncate -s $(($(stat -c %s c.data) / 2 + 100)) cut.data
expect 'one that is cut short' 1 \
  "mprof: 'cut.data' is damaged: an array is invalid or cut short" report cut.data
cp c.data old.data
printf '9.9\0' | dd of=old.data bs=1 seek=24 conv=notrunc 2>/dev/null
expect 'an image of another version' 1 \
  "mprof: 'old.data' is an image of mprof 9.9, but this is $("$MPROF" --version)" \
  report old.data
finish
