# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sourced by the tests of a program that is told what to do while it runs by
# mprof run.

. "$(dirname "${BASH_SOURCE[0]}")/check.bash"

compile told -O1
mkfifo orders answers

name=told

# begin OPTION...: ./$name runs by mprof run with these options.
begin() {
  rm -f told.data*
  : >err
  "$MPROF" run "$@" -o told.data "./$name" <orders >answers 2>err &
  runner=$!
  exec 3>orders 4<answers
}

# tell WORD COUNT BYTES: the program does it; leaves its $answer.
tell() {
  echo "$*" >&3
  read -r answer <&4
}

# ask: now.data is the profile that --serve=0 serves, or says why there is none.
ask() {
  local port
  until port=$(sed -n 's/.*localhost:\([0-9]*\)\/.*/\1/p' err) &&
    [ -n "$port" ]; do
    kill -0 $runner 2>/dev/null || { cat err; exit 1; }
    sleep 0.02
  done
  exec 5<>"/dev/tcp/127.0.0.1/$port"
  printf 'GET /profile HTTP/1.0\r\n\r\n' >&5
  sed '1,/^\r$/d' <&5 >now.data
  exec 5>&-
}

# end: the program ends.
end() {
  exec 3>&- 4<&-
  wait $runner
}
