# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sourced by the tests here: waiting for events, and chains.

# until_true COMMAND...: waits until it is.  Nothing comes from the pipe that it
# reads, so no process is needed to pause.
until_true() {
  until "$@" 2>/dev/null; do read -rt 0.05 -u "$never"; done
}
exec {never}<> <(:)

# are STATE PID...: all these processes are in it (T: stopped, S: asleep).
are() {
  local state=$1 process line
  shift
  for process; do
    read -r line <"/proc/$process/stat" || return 1
    line=${line##*) }
    [ "${line:0:1}" = "$state" ] || return 1
  done
}

# is_gone PID: it has ended, and is no zombie.
is_gone() { ! kill -0 "$1"; }

# chains [OPTION...] FILE: what functions have allocated, by their callers.
chains() { "$MPROF" export --format=folded --value=allocs "$@" 2>&1; }
