# SPDX-License-Identifier: LGPL-2.1-or-later
#
# functions.awk -- the instructions of each function itself, from files that
# callgrind wrote: lines `program function instructions', tabs between.
# (callgrind_annotate takes the trampoline for a recursion without end.)
#
# In such a file `fn=(number) name' begins the lines of a function; the name is
# there the first time only.  `fl=', `fi=' and `fe=' name the source file in the
# same way.  Other lines are `position instructions', and the one that follows a
# line `calls=' is the callee's.  What returns to the trampoline has not called
# it, so callgrind leaves it to the function that returned; its file tells.

function finish(  name) {
  for (name in own)
    printf "%s\t%s\t%d\n", program, name, own[name]
  split("", own)
  split("", names)
  split("", is_trampoline)
  in_trampoline = 0
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
/^f[lie]=/ {
  number = $1
  sub(/^f[lie]=/, "", number)
  if (NF > 1)
    is_trampoline[number] = $2 ~ /monitor\/arch\/.*\.S$/
  in_trampoline = is_trampoline[number]
}
/^calls=/ { callee = 1 }
/^[0-9+*-]/ {
  if (!callee)
    own[in_trampoline ? "(return trampoline)" : current] += $2
  callee = 0
}
END { finish() }
