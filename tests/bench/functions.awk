# SPDX-License-Identifier: LGPL-2.1-or-later
#
# functions.awk -- the instructions of each function itself, from files that
# callgrind wrote: lines `program function instructions', tabs between.
#
# In such a file `fn=(number) name' begins the lines of a function; the name is
# there the first time only.  Other lines are `position instructions', and the
# one that follows a line `calls=' is the callee's.

function finish(  name) {
  for (name in own)
    printf "%s\t%s\t%d\n", program, name, own[name]
  split("", own)
  split("", names)
}

FNR == 1 { finish() }
/^desc: Trigger: Client Request:/ { program = $NF }
/^c?fn=/ {
  number = $1
  sub(/^c?fn=/, "", number)
  if (NF > 1) {
    name = substr($0, index($0, " ") + 1)
    sub(/'[0-9]+$/, "", name)
    names[number] = name
  }
  if ($0 ~ /^fn=/)
    current = names[number]
}
/^calls=/ { callee = 1 }
/^[0-9+*-]/ {
  if (!callee)
    own[current] += $2
  callee = 0
}
END { finish() }
