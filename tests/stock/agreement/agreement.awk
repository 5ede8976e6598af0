# SPDX-License-Identifier: LGPL-2.1-or-later
#
# agreement.awk: of two profiles of one program, exported as folded
# chains, how many of the bytes below CL-USER::ALL have the same function.
# The first is right: what another function has there is wrong in the second.
# What a local function allocates has the global one that it is in, methods
# are functions of their own.  Prints the share that is right, and the functions
# with wrong bytes: what they should have and what they have.  Each line begins
# with a number to sort them by, largest first.

function global(name) {
  while (name ~ /^\((LAMBDA|FLET|LABELS|MACROLET)[ ].*:IN /) {
    sub(/^\([^ ]+ ([^ ]+ )?:IN /, "", name)
    sub(/\)$/, "", name)
  }
  return name
}

{
  bytes = $NF
  sub(/ [0-9]+$/, "")
  depth = split($0, frames, ";")
  for (i = 1; i <= depth && frames[i] != "CL-USER::ALL"; i++)
    ;
  if (i > depth)
    next
  name = global(frames[depth])
  names[name]
  if (NR == FNR) {
    expected[name] += bytes
    total += bytes
  } else {
    found[name] += bytes
    other += bytes
  }
}

END {
  for (name in names) {
    right += expected[name] < found[name] ? expected[name] : found[name]
    wrong = expected[name] - found[name]
    if (wrong != 0)
      printf "%d %12d %12d  %s\n", wrong < 0 ? -wrong : wrong,
        expected[name], found[name], name
  }
  printf "%d %.2f %% of %d bytes have their function; the other has %d\n",
    2 * (total + other), total == 0 ? 0 : 100 * right / total, total, other
}
