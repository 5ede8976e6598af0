# SPDX-License-Identifier: LGPL-2.1-or-later
#
# table.awk -- a table of lines `program configuration figure allocations', one
# for each round: the median of each program's first configuration, the others
# as multiples of that, and with PAIR the last one as one of that before it.
# Below stand the geometric means, and the worst, of the programs that allocate
# once in UNIT (1e-6 for seconds, 5000 for instructions) or oftener.

function median(program, configuration,  i, j, t, n, of) {
  n = rounds[program, configuration]
  for (i = 1; i <= n; i++) {
    t = figure[program, configuration, i]
    for (j = i; j > 1 && of[j - 1] > t; j--) of[j] = of[j - 1]
    of[j] = t
  }
  return (of[int((n + 1) / 2)] + of[int(n / 2) + 1]) / 2
}

# Of CONFIGURATION to OTHER, in column C.
function ratio(c, program, configuration, other, often,  r) {
  r = median(program, configuration) / median(program, other)
  if (often) { logs[c] += log(r); if (r > most[c]) most[c] = r }
  return r
}

!($1 in known) { known[$1]; programs[++program_count] = $1 }
!($2 in is) { is[$2]; configurations[++count] = $2 }
{ figure[$1, $2, ++rounds[$1, $2]] = $3 }
$4 > 0 { allocations[$1] = $4 }
END {
  base = configurations[1]
  columns = count - !pair
  printf "%-20s %12s %12s", "program", base, "allocations"
  for (c = 2; c <= count; c++) printf " %9s", configurations[c]
  print pair ? "    on/off" : ""
  for (i = 1; i <= program_count; i++) {
    p = programs[i]
    often = allocations[p] == 0 || median(p, base) / allocations[p] <= unit
    n += often
    printf "%-20s %12.6g %12d", p, median(p, base), allocations[p]
    for (c = 2; c <= count; c++)
      printf " %9.3f", ratio(c, p, configurations[c], base, often)
    if (pair)
      printf " %9.3f", ratio(c, p, configurations[count],
                             configurations[count - 1], often)
    print ""
  }
  printf "%-20s %25d", "mean of", n
  for (c = 2; c <= columns + 1; c++) printf " %9.3f", exp(logs[c] / n)
  printf "\n%-46s", "worst of these"
  for (c = 2; c <= columns + 1; c++) printf " %9.3f", most[c]
  print ""
}
