#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A program that gives up what it may do does and ends as without the monitor,
# and has its profile.

. "$(dirname "$0")/check.bash"

# possible CASE...: whether it can be done here at all.
possible() {
  rm -rf jail folder away && mkdir jail folder
  ./rights jail "$@" <input >/dev/null
}

# gives CASE...: the profile has all.
gives() {
  local folder=jail place=folder
  [ "$1" != moved ] || folder=folder place=away
  rm -rf jail folder away
  mkdir jail folder
  echo mine >input
  timeout -k 1 60 env MPROF_OUT="$work/folder/x.data" LD_PRELOAD="$monitor" \
    ./rights $folder "$@" 2>&1 >out <>input | cat >err
  same "$*: exit status" 0 "${PIPESTATUS[0]}"
  same "$*: what is said" "$said" "$(sed "s/data\.[0-9]*'/data.PID'/" err)"
  same "$*: objects before" "$counted" "$(objects $place/x.data 10)"
  same "$*: objects after" "$more" "$(objects $place/x.data 100)"
  same "$*: its own files" mine "$(cat input)"
  same "$*: no part of a file is left" '' "$(find . -name '*.tmp')"
}

# objects FILE SIZE: allocations of that size, and their bytes.
objects() { [ ! -e "$1" ] || sizes "$1" "$2" | cut -d: -f 2,3; }

# others OBJECTS...: those of 30 and 100 bytes in the files of other processes.
others() {
  local file got=''
  for file in folder/x.data.*; do
    [ ! -e "$file" ] || got+="$(objects "$file" 30) $(objects "$file" 100);"
  done
  same 'other processes' "$1" "$got"
}

counted=5:50 more=1:100 said=
compile rights -O1
echo mine >input
gives none fork
same 'the file of a child is named after it' "folder/x.data.$(cat out)" \
  "$(echo folder/x.data.*)"
gives closed
gives moved
said="mprof: cannot write '$work/folder/x.data.PID': Too many open files"
gives EMFILE fork
said=
others ''

if possible chroot && possible setuid; then
  gives chroot setuid closed
  same 'no file in another root' '' "$(ls jail)"
  said="mprof: cannot write '$work/folder/x.data.PID': No such file or directory"
  gives chroot fork
  said=
  others ''
  gives workers
  others '2:60 1:100;'

  rm -rf folder && mkdir folder && mkfifo -m 666 go ended
  "$MPROF" run -q -o folder/x.data ./rights jail daemon 2>err
  echo >go
  cat ended
  same 'it goes on when mprof run has ended: what is said' '' "$(cat err)"
  others '2:60 1:100;'
else
  echo 'ok - another root, another user # SKIP for root alone'
fi

if possible filter_nothing; then
  gives filter_nothing filter_calls EMFILE
  gives filter_asked fork
  others '2:60 ;'
  gives filter_wrong fork
  others '2:60 ;'
  gives filter_nothing fork
  others ''
  gives filter_signals
  gives filter_thread
  gives strict
  same 'strict: to its end' done "$(cat out)"
  gives filter_calls fork
  others ''
  gives filter_signals library
  gives filter_most sizes
  same 'after a filter: new paths' 16:32000 "$(objects folder/x.data 2000)"
  same 'after a filter: all have room' 'comment unattributed_allocations 0' \
    "$(rows folder/x.data comment | grep unattributed_allocations)"
  more=240001:24000100 gives filter_calls threads
  MPROF_CHILDREN=no gives child filter_signals library
  counted='' more=''
  said="mprof: cannot write '$work/folder/x.data': Cannot allocate memory"
  MPROF_COUNT=off gives poor filter_signals rich library
else
  echo 'ok - filters of system calls # SKIP the kernel has none'
fi

# A program that is root's whoever calls it takes nothing from its caller's
# environment, and writes nothing but what it names itself.
# shellcheck disable=SC2086
compile secure -O1 $linked

# secured FILE...: another user calls it in a folder of his own, with all that
# the monitor takes from the environment.
secured() {
  rm -rf theirs && mkdir -m 777 theirs
  echo precious >precious.data
  (cd theirs && umask 0 && exec timeout 60 setpriv --reuid=65534 \
    --regid=65534 --clear-groups env MPROF_OUT="$work/precious.data" \
    MPROF_REACHABLE=$$ MPROF_WATCHED=1 MPROF_SIGNAL=USR1 MPROF_BUDGET=1 \
    MPROF_ONLY=secure MPROF_ROOT_PID=1 "$work/secure" "$@") >out 2>err
  status=$?
}

if [ "$(id -u)" = 0 ] && chmod 4755 secure && secured &&
  [ "$(cat out)" = rights ]; then
  same 'rights of root: exit status' 0 "$status"
  same 'rights of root: what is said' '' "$(cat err)"
  same 'rights of root: a file of root' precious "$(cat precious.data)"
  same 'rights of root: the caller gets no file' '' "$(ls theirs)"
  secured "$work/named.data"
  same 'rights of root, a file that it names: exit status' 0 "$status"
  same 'rights of root, a file that it names: figures' 3:60 \
    "$(objects named.data 20)"
  same 'rights of root, a file that it names: whose' 'root 600' \
    "$(stat -c '%U %a' named.data)"
  same 'rights of root, a file that it names: another one' precious \
    "$(cat precious.data)"
  chmod 755 secure
else
  echo 'ok - a program that has rights of root # SKIP for root alone'
fi
rm -f precious.data named.data
MPROF_OUT="$work/secure.data" ./secure >out
same 'no rights of root: figures' 5:50 "$(objects secure.data 10)"
finish
