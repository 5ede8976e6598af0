#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The call graph against a computation of its own: every figure in bytes and in
# calls of ALLOCATION CALL GRAPH is worked out again, from the chains that the
# table of contexts has, by the definitions alone:
#
#   a function's bytes          those of all chains that it is on
#   a pair's bytes              those of all chains where one calls the other
#   calls                       of the last function of a chain, by the one
#                               before it; unknown where one of them is
#   a cycle                     functions that can all reach each other
#   a cycle's bytes             those of all chains with a member on them
#   a caller's of a cycle       those of all chains where it calls a member
#   a cycle's calls             those of members by others, and by members
. "$(dirname "$0")/check.bash"

# Lines "node NAME SELF BYTES OTHERS OWN", of which the last two are calls by
# others and by itself, "arc CALLER CALLEE BYTES CALLS", "cycle MEMBERS SELF
# BYTES OUTSIDE INSIDE", "into CALLER MEMBERS BYTES CALLS" and "out MEMBERS
# CALLEE BYTES CALLS" from contexts; fields are separated by tabs, members by
# commas.  Unknown calls are "?".
from_chains='
  function reach(from, node, next_node, i, stack, top) {
    top = 1; stack[1] = from
    while (top > 0) {
      node = stack[top--]
      for (i = 1; i <= degree[node]; i++) {
        next_node = callee[node, i]
        if (!((from, next_node) in reached)) {
          reached[from, next_node]; stack[++top] = next_node
        }
      }
    }
  }
  function plain(name) { # as tables write it
    gsub(/\\x3b/, ";", name); gsub(/\\\\/, "\\", name)
    return name
  }
  function add(table, key, calls) {
    if (calls == "?" || table[key] == "?") table[key] = "?"
    else table[key] += calls
  }
  function figure(calls) { return calls == "?" ? calls : calls + 0 }
  function pair_of(first, second) { # as tables have it, where 0 is blank, too
    if (first == "?") return "?\t?"
    return figure(first) "\t" (second == "?" ? 0 : figure(second))
  }
  NR == 1 { sub(/\r$/, "")
    n = split($0, head, ","); for (i = 1; i <= n; i++) place[head[i]] = i
    next }
  { sub(/\r$/, ""); sub(/^"/, "")
    end = match($0, /",[0-9,]*$/)
    split(substr($0, end + 2), cell, ",")
    bytes = cell[place["bytes"] - 1]; calls = cell[place["calls"] - 1]
    if (calls == "") calls = "?"
    $0 = substr($0, 1, end - 1); gsub(/""/, "\"")
    chain[NR] = $0; weight[NR] = bytes; called[NR] = calls
    n = split($0, f, ";")
    self[f[n]] += bytes
    if (n > 1 && f[n - 1] == f[n]) add(own_calls, f[n], calls)
    else add(other_calls, f[n], calls)
    if (n > 1) add(arc_calls, f[n - 1] ";" f[n], calls)
    split("", seen)
    for (i = 1; i <= n; i++) {
      if (!(f[i] in seen)) { seen[f[i]]; total[f[i]] += bytes }
      if (i == 1) continue
      pair = f[i - 1] ";" f[i]
      if (!(pair in arc)) arc[pair] = 0
      if (arc[pair] == 0 && bytes > 0)
        callee[f[i - 1], ++degree[f[i - 1]]] = f[i]
      if (!(pair in seen)) { seen[pair]; arc[pair] += bytes }
    } }
  END {
    for (node in total) reach(node)
    for (node in total) {
      count = 0
      for (g in total)
        if (node == g || ((node, g) in reached && (g, node) in reached))
          list[++count] = g
      if (count < 2) continue
      for (i = 2; i <= count; i++)       # by name
        for (j = i; j > 1 && list[j] < list[j - 1]; j--) {
          t = list[j]; list[j] = list[j - 1]; list[j - 1] = t
        }
      members = plain(list[1])
      for (i = 2; i <= count; i++) members = members "," plain(list[i])
      cycle[node] = members
      cycles[members] += self[node]
    }
    for (node in total)
      printf "node\t%s\t%d\t%d\t%s\n", plain(node), self[node],
        total[node], pair_of(other_calls[node], own_calls[node])
    for (pair in arc) {
      split(pair, f, ";")
      if (f[1] != f[2])
        printf "arc\t%s\t%s\t%d\t%s\n", plain(f[1]), plain(f[2]),
          arc[pair], figure(arc_calls[pair])
    }
    for (k = 2; k <= NR; k++) {
      n = split(chain[k], f, ";")
      split("", seen)
      members = cycle[f[n]]
      if (members != "") {
        if (n > 1 && cycle[f[n - 1]] == members)
          add(inside, members, called[k])
        else {
          add(outside, members, called[k])
          if (n > 1) add(into_calls, plain(f[n - 1]) "\t" members, called[k])
        }
      }
      if (n > 1 && cycle[f[n - 1]] != "" && cycle[f[n - 1]] != members)
        add(out_calls, cycle[f[n - 1]] "\t" plain(f[n]), called[k])
      for (i = 1; i <= n; i++) {
        members = cycle[f[i]]
        if (members != "" && !(members in seen)) {
          seen[members]; whole[members] += weight[k]
        }
        if (i == 1 || cycle[f[i - 1]] == members) continue
        pair = plain(f[i - 1]) "\t" members
        if (members != "" && !(("into" pair) in seen)) {
          seen["into" pair]; into[pair] += weight[k]
        }
        pair = cycle[f[i - 1]] "\t" plain(f[i])
        if (cycle[f[i - 1]] != "" && !(("out" pair) in seen)) {
          seen["out" pair]; out[pair] += weight[k]
        }
      }
    }
    for (m in cycles)
      printf "cycle\t%s\t%d\t%d\t%s\n", m, cycles[m], whole[m],
        pair_of(outside[m], inside[m])
    for (pair in into)
      printf "into\t%s\t%d\t%s\n", pair, into[pair], figure(into_calls[pair])
    for (pair in out)
      printf "out\t%s\t%d\t%s\n", pair, out[pair], figure(out_calls[pair])
  }'

# The same lines from the table.  Each relation of two functions stands there
# twice, and must be the same in both places; sums are checked here.
from_table='
  function bare(name) {
    sub(/^ */, "", name); sub(/ <cycle [0-9]+>$/, "", name)
    sub(/ \[[0-9]+\]$/, "", name)
    return name
  }
  function last_number(text, f, n) { n = split(text, f, " "); return f[n] }
  # What stands at column AT: calls, which are blank where they are unknown.
  function calls_at(at, text) {
    text = at ? substr($0, at, 6) : ""
    gsub(/[ +\/]/, "", text)
    return text == "" ? "?" : text
  }
  function note(line) { if (!(line in noted)) { noted[line]; print line } }
  function flush_entry(i, kind, line, other, left, right) {
    if (own == "") return
    for (i = 1; i <= relations; i++) {
      other = relation[i]
      left = side[i] == "caller" ? other : own
      right = side[i] == "caller" ? own : other
      kind = !merged ? "arc" : side[i] == "caller" ? "into" : "out"
      lines[++line_count] = kind "\t" left "\t" right "\t" amount[i] \
        "\t" calls[i]
    }
    for (i in sum)
      if (i in all && sum[i] != all[i])
        print "wrong sum of " i "s of " own ": " sum[i] ", not " all[i]
  }
  function start() {
    own = ""; relations = 0; merged = 0; listing = 0
    split("", sum); split("", all)
  }
  /^index / { name_at = index($0, "name"); self_end = index($0, "self") + 3
              called_at = index($0, "called"); total_at = index($0, "/total")
              in_graph = 1; start(); next }
  !in_graph || NF == 0 { if (in_graph && NF == 0) { flush_entry(); exit }
                         next }
  /^-+$/ { flush_entry(); start(); next }
  {
    name = substr($0, name_at)
    exact = last_number(substr($0, 1, name_at - 5))
    self = last_number(substr($0, 1, self_end))
    others = calls_at(called_at)
    recur = calls_at(total_at)
    if (recur == "?" && others != "?") recur = 0
    if ($1 ~ /^\[/) {
      where = "callee"
      if (name ~ /^members of /) {
        sub(/^members of <cycle /, "", name); sub(/>$/, "", name)
        listing = name; own = ""
        next
      }
      if (name ~ /^<cycle [0-9]+> as one/) {
        sub(/^<cycle /, "", name); sub(/>.*/, "", name)
        own = "<" name ">"; merged = 1
        lines[++line_count] = "cycle\t" own "\t" self "\t" exact "\t" \
          others "\t" recur
      } else {
        own = bare(name)
        note("node\t" own "\t" self "\t" exact "\t" others "\t" recur)
      }
      next
    }
    if (listing) {
      member[listing, ++member_count[listing]] = bare(name)
      next
    }
    kind = own == "" ? "caller" : "callee"
    if (name ~ /^    all$/) { all[kind] = exact; next }
    inside = substr($0, 1, self_end) ~ /\*/
    if (!inside) sum[kind] += exact
    if (name ~ /^    <root>$/) next
    relation[++relations] = bare(name); side[relations] = kind
    amount[relations] = exact; calls[relations] = others
  }
  END {
    for (k in member_count) {
      n = member_count[k]
      for (i = 2; i <= n; i++)
        for (j = i; j > 1 && member[k, j] < member[k, j - 1]; j--) {
          t = member[k, j]; member[k, j] = member[k, j - 1]
          member[k, j - 1] = t
        }
      text["<" k ">"] = member[k, 1]
      for (i = 2; i <= n; i++)
        text["<" k ">"] = text["<" k ">"] "," member[k, i]
    }
    for (i = 1; i <= line_count; i++) {
      n = split(lines[i], f, "\t")
      for (j = 2; j <= n; j++) if (f[j] in text) f[j] = text[f[j]]
      line = f[1]
      for (j = 2; j <= n; j++) line = line "\t" f[j]
      note(line)
    }
  }'

with_bytes() { awk -F'\t' '$4 != "0"' | LC_ALL=C sort; }

# compare NAME OPTION... FILE: both computations give the same.
compare() {
  local name=$1
  shift
  run export --format=csv --tables=contexts "$@"
  awk "$from_chains" out | with_bytes >wanted
  run report -verbose --no-legend --tables=graph "$@"
  awk "$from_table" out | with_bytes >found
  [ -s wanted ] && cmp -s wanted found
  result $? "$name: $(wc -l <wanted) figures, $(grep -c '^cycle' wanted) cycles"
  cmp -s wanted found || diff wanted found | sed 's/^/# /' | head -n 20
}

for profile in "$golden"/*.data; do
  name=$(basename "$profile" .data)
  case $name in long) continue ;; esac # its names are those of the others
  compare "$name" "$profile"
  compare "$name, with the runtime" --system=show "$profile"
  compare "$name, by package" --by=package "$profile"
done
compare 'two cycles without B' --hide='^B$' "$golden/two-cycles.data"
compare 'two cycles below C' --focus='^C$' "$golden/two-cycles.data"
compare 'two cycles from B on' --show-from='^B$' "$golden/two-cycles.data"
compare 'A, C and E of two cycles' --show='^[ACE]$' "$golden/two-cycles.data"
compare 'two cycles without D' --ignore='^D$' "$golden/two-cycles.data"
compare 'the body without EVAL' --system=hide "$golden/session.data"

# A profile of groups has them for functions: the same tables, calls included.
for profile in packages session two-cycles; do
  for by in package class file line; do
    expect "$profile by $by as a profile" 0 '' export --format=pprof --by=$by \
      -o grouped.data "$golden/$profile.data"
    run report -verbose --no-legend --tables=direct,graph grouped.data
    sed '1,/^$/d' out >found
    run report -verbose --no-legend --tables=direct,graph --by=$by \
      "$golden/$profile.data"
    sed '1,/^$/d' out >wanted
    [ -s wanted ] && cmp -s wanted found
    result $? "$profile by $by: the same tables"
  done
done

finish
