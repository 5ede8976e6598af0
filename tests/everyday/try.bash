#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# try.bash SURROUNDING USE: try the one in the other, in a folder of its own
# below $SCRATCH, which holds the program to profile.  Prints a line of TAP,
# and below it what was different from what it should be.

set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
golden=$(dirname "$here")/golden
. "$here/surroundings.bash"
. "$here/uses.bash"
. "$here/waiting.bash"
surrounding=$1 use=$2

# same WHAT WANTED GOT: prints how they differ, if they do.
same() {
  [ "$2" != "$3" ] || return 0
  echo "# $1:"
  diff <(echo "$2") <(echo "$3") | sed 's/^/#   /'
}

# printed OUT ERR: compares what the last command has printed.
printed() {
  case $streams in
  both) same 'standard output' "$1" "$(<out)"; same errors "$2" "$(<err)" ;;
  out) same 'standard output' "$1" "$(<out)" ;;
  err) same errors "$2" "$(<err)" ;;
  terminal) same 'the terminal' "$1${1:+${2:+$'\n'}}$2" "$(<out)" ;;
  esac
}

# here COMMAND...: runs it in the surrounding, with standard input; leaves
# out, err and status.
here() {
  "in_$surrounding" "$@" >out 2>err
  status=$?
  return "$status"
}

# files: all that there are, but for this script's own.
files() {
  find . -type f ! -name out ! -name err ! -name wanted -printf '%P\n' | sort
}

# socket PID: the file of the socket at which the process listens; fails if it
# does at none.
socket() {
  local inode
  inode=$(find "/proc/$1/fd" -lname 'socket:*' -printf '%l\n' 2>/dev/null |
    sed 's/[^0-9]//g')
  awk -v inodes="$inode" '
    BEGIN { split(inodes, list, "\n"); for (i in list) of[list[i]] }
    $4 == "0A" && $10 in of { print $2; found = 1; exit }
    END { exit !found }' "/proc/$1/net/tcp" "/proc/$1/net/tcp6"
}
listens() { socket "$1" >/dev/null; }

# port PID: the number of its port.
port() {
  local address
  address=$(socket "$1")
  echo $((0x${address##*:}))
}

# get PORT PATH: prints what a server answers.
get() {
  local answer
  exec 4<>"/dev/tcp/127.0.0.1/$1"
  printf 'GET %s HTTP/1.0\r\n\r\n' "$2" >&4
  while IFS= read -r answer <&4 && [ "$answer" != $'\r' ]; do :; done
  cat <&4
  exec 4>&-
}

mkdir -p "$SCRATCH/$surrounding/$use" && cd "$_" || exit 1
mprof=$MPROF ecl=$ECL
name=program seconds=0 streams=both look='' mode=644
! declare -F "settle_$surrounding" >/dev/null || "settle_$surrounding"
ln "$SCRATCH/program" "$name"
differences=$("use_$use")
if [ -z "$differences" ]; then
  echo "ok - $use, $surrounding"
else
  printf 'not ok - %s, %s\n%s\n' "$use" "$surrounding" "$differences"
  sed "10q; s/^/# stderr: /" err
fi
exit 0
