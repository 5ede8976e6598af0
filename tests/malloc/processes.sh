#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Processes: each has a file of its own, and so has each program that one
# process becomes by exec; the last one of the first process has the file
# asked for.  They are told by their totals.

. "$(dirname "$0")/check.bash"

# run CASE TITLE LINE...: the case leaves these files.
run() {
  run_root processes "$1"
  files "${@:2}"
}

# room FILE: whether it takes what mprof-run(1) says that a small program does;
# its pages have 64 KiB on AArch64.
most=40
[ "$(uname -m)" != aarch64 ] || most=256
room() { [ "$(du -k "$1" | cut -f 1)" -le $most ] && echo 40 KB || du -k "$1"; }

compile processes -O1
run leaf 'one process' '7 77 7 77'
same 'the image of a small program' '40 KB' "$(room processes.data)"
run wide_fork 'a child that counts less' '2000 2059000 2000 2059000' '1 60 1 60'
same 'its image is none of its parent' '40 KB' \
  "$(room "$(echo processes.data.*)")"
run fork 'parent and child' '3 160 3 160' '3 60 3 60'
run vfork 'vfork, exec and _exit' '3 41 3 41' '7 77 7 77'
run failing_exec 'exec that fails' '10 95 10 95'
for form in execl execlp execle execv execvp execvpe execve fexecve execveat
do
  run $form "$form" '7 77 7 77' '5 45 5 45'
done
run chain 'a chain of programs' '7 77 7 77' '1 100 1 100' '5 45 5 45'
same 'the first one has the first name' '1 100 1 100' \
  "$(totals "$(find . -regex '.*data\.[0-9]*')")"
run failing_chain 'the second one stays' '10 95 10 95' '1 100 1 100'
run forking_chain 'the second one forks' '3 160 3 160' '1 100 1 100' '3 60 3 60'
run unmonitored 'a program without mprof follows' '5 45 5 45'
run nothing_follows 'a program that allocates nothing follows' '5 45 5 45'
run_root processes daemon
until totals processes.data.* 2>/dev/null | grep -q '^1 '; do
  sleep 0.02 # it is not waited for
done
files daemon '4 164 4 164' '1 43 1 43'
run moved_environment 'an environment that moves' '2 60 2 60' '3 60 3 60'

# Without the others: what is forked counts nothing, nor does what is spawned;
# what the first process becomes does.
export MPROF_CHILDREN=no
run fork 'only the parent' '3 160 3 160'
run vfork 'only the parent of vfork' '3 41 3 41'
run chain 'the programs of one process' '7 77 7 77' '1 100 1 100' '5 45 5 45'
run moved_environment 'only the parent, whose environment moves' '2 60 2 60'
unset MPROF_CHILDREN

# By name: no file is for the first process alone.
mkdir named && cp processes named/others
export MPROF_ONLY=others
run fork 'another name' ''
export MPROF_ONLY=others,proc*
run vfork 'both, the first that begins has the name' '3 41 3 41' '7 77 7 77'
run moved_environment 'both, whose environment moves' '2 60 2 60' '3 60 3 60'
unset MPROF_ONLY

# The rights of the file are those that the user gives to new files.
for mask in 022 077 002; do
  old=$(umask)
  umask $mask
  run_root processes umask
  : >mine
  umask "$old"
  same "umask $mask" "$(stat -c %a mine)" "$(stat -c %a processes.data)"
  rm mine
done

echo precious >victim
run_root processes link
same 'a link by the name of a child: its file has another' '3 60 3 60' \
  "$(totals "$(echo processes.data.*.2)")"
same 'a link: what it leads to' precious "$(cat victim)"

# spawned CASE N: what posix_spawn and system allocate themselves has other
# sizes.
spawned() {
  run_root processes "$1"
  check_sizes "$1: who spawned" 41:4:164:4:164
  same "$1: those that were spawned" "$2" "$(for file in processes.data.*; do
    totals "$file"
  done | grep -cx '7 77 7 77')"
}

spawned spawn 2
spawned system 1
spawned popen 1

run_root processes busy
same 'forks while threads allocate' 40 "$(for file in processes.data.*; do
  totals "$file"
done | grep -cx '5 85 5 85')"
finish
