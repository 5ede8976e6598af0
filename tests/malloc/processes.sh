#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Processes: each has a file of its own, and so has each program that one
# process becomes by exec; the last one of the first process has the file
# asked for.  They are told by their totals.

. "$(dirname "$0")/check.bash"

# run CASE: like `mprof run', which names the process that the file is for.
run() {
  rm -f processes.data*
  # shellcheck disable=SC2016
  timeout 100 env MPROF_OUT="$work/processes.data" sh -c \
    'MPROF_ROOT_PID=$$ LD_PRELOAD=$0 exec "$@"' "$monitor" \
    "$work/processes" "$1" >out 2>err </dev/null
  same "$1: exit status" 0 "$?"
}

# files TITLE LINE...: a line for each profile of this program (ALLOCS BYTES
# KEPT BYTES), the first one that of the file asked for, the others in order.
files() {
  local title=$1 file got=''
  shift
  for file in processes.data processes.data.*; do
    [ -e "$file" ] || continue
    rows "$file" comment | grep -q "^comment program .*/processes\$" ||
      continue
    got+="$(rows "$file" all | cut -d' ' -f 3-6)"$'\n'
  done
  same "$title" "$(printf '%s\n' "$@")" \
    "$(head -n 1 <<<"$got"; tail -n +2 <<<"$got" | sed '/^$/d' | sort -n)"
}

# room FILE: whether it takes what mprof-run(1) says that a small program does.
room() { [ "$(du -k "$1" | cut -f 1)" -le 40 ] && echo 40 KB || du -k "$1"; }

compile processes -O1
run leaf
files 'one process' '7 77 7 77'
same 'the image of a small program' '40 KB' "$(room processes.data)"
run wide-fork
files 'a child that counts less' '2000 2059000 2000 2059000' \
  '1 60 1 60'
same 'its image is none of its parent' '40 KB' \
  "$(room "$(echo processes.data.*)")"
run fork
files 'parent and child' '3 160 3 160' '3 60 3 60'
run grandchildren
files 'grandchildren' '2 30 2 30' '1 1000 1 1000' '2 300 2 300'
run vfork
files 'vfork, exec and _exit' '3 41 3 41' '7 77 7 77'
run failing-exec
files 'exec that fails' '10 95 10 95'
for form in execl execlp execle execv execvp execvpe execve fexecve execveat
do
  run $form
  files "$form" '7 77 7 77' '5 45 5 45'
done
run chain
files 'a chain of programs' '7 77 7 77' '1 100 1 100' '5 45 5 45'
same 'the first one has the first name' '1 100' \
  "$(rows "$(find . -regex '.*data\.[0-9]*')" all | cut -d' ' -f 3-4)"
run failing-chain
files 'the second one stays' '10 95 10 95' '1 100 1 100'
run forking-chain
files 'the second one forks' '3 160 3 160' '1 100 1 100' '3 60 3 60'
run unmonitored
files 'a program without mprof follows' '5 45 5 45'
run nothing-follows
files 'a program that allocates nothing follows' '5 45 5 45'
run daemon
for _ in {1..600}; do # it is not waited for
  [ "$(rows processes.data.* all 2>/dev/null | cut -d' ' -f 3)" = 1 ] && break
  sleep 0.1
done
files daemon '4 164 4 164' '1 43 1 43'

run moved-environment
files 'an environment that moves' '2 60 2 60' '3 60 3 60'

# Without the others: what is forked counts nothing, nor does what is spawned;
# what the first process becomes does.
export MPROF_CHILDREN=no
run fork
files 'only the parent' '3 160 3 160'
run vfork
files 'only the parent of vfork' '3 41 3 41'
run chain
files 'the programs of one process' '7 77 7 77' '1 100 1 100' '5 45 5 45'
run moved-environment
files 'only the parent, whose environment moves' '2 60 2 60'
unset MPROF_CHILDREN

# By name: no file is for the first process alone.
mkdir named && cp processes named/others
export MPROF_ONLY=others
run fork
files 'another name' ''
export MPROF_ONLY=others,proc*
run vfork
files 'both, the first that begins has the name' '3 41 3 41' '7 77 7 77'
run moved-environment
files 'both, whose environment moves' '2 60 2 60' '3 60 3 60'
unset MPROF_ONLY

# The rights of the file are those that the user gives to new files.
for mask in 022 077 002; do
  old=$(umask)
  umask $mask
  run umask
  : >mine
  umask "$old"
  same "umask $mask" "$(stat -c %a mine)" "$(stat -c %a processes.data)"
  rm mine
done

# Under the name that a child's file is to have somebody else has put a link.
# shellcheck disable=SC2016
rm -f processes.data* victim
echo precious >victim
cat >linked.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
  char name[100];
  pid_t child = fork();
  if (child == 0) {
    snprintf(name, sizeof name, "processes.data.%d", (int)getpid());
    if (symlink("victim", name) != 0)
      _exit(1);
    free(malloc(7777));
    _exit(0);
  }
  waitpid(child, NULL, 0);
  return 0;
}
END
$CC -w -O0 -o linked linked.c
MPROF_OUT="$work/processes.data" LD_PRELOAD=$monitor ./linked
same 'a link by the name of a child: its file has another' '1 7777' \
  "$(rows "$(echo processes.data.*.2)" all | cut -d' ' -f 3-4)"
same 'a link: what it leads to' precious "$(cat victim)"

# spawned N TITLE: what posix_spawn and system allocate themselves has other
# sizes.
spawned() {
  local file got=''
  for file in processes.data.*; do
    [ "$(rows "$file" all | cut -d' ' -f 3-6)" = '7 77 7 77' ] && got+=.
  done
  same "$2: those that were spawned" "$1" "${#got}"
  same "$2: who spawned" 'size 41 4 164 4 164' \
    "$(rows processes.data size | grep '^size 41 ' | cut -d' ' -f 1-6)"
}

run spawn
spawned 2 posix_spawn
run system
spawned 1 system
run popen
spawned 1 popen

run busy
children=0
for file in processes.data.*; do
  [ "$(rows "$file" all | cut -d' ' -f 3-6)" = '5 85 5 85' ] &&
    children=$((children + 1))
done
same 'forks while threads allocate' 40 "$children"
finish
