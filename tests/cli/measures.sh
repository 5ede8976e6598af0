#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What C programs have beside bytes and allocations, and Lisp programs whose
# objects were followed: the same figures in the tables, in whatever --value
# counts, and in every format, by equality.
. "$(dirname "$0")/check.bash"

c=$golden/regions.data
w=$golden/widgets-c.data
l=$golden/live.data
lisp=$golden/widgets.data

# same NAME: the files wanted and found are equal.
same() {
  [ -s wanted ] && diff wanted found >err
  result $? "$1"
}

# Which column each VALUE of --value is; in Lisp live_ stands for kept_.
declare -A keys=([bytes]=bytes [allocs]=allocations [kept]=kept_bytes
  [kept-allocs]=kept_allocations [peak]=peak_bytes
  [peak-allocs]=peak_allocations [temporary]=temporary_allocations
  [live]=kept_bytes [live-allocs]=kept_allocations)

# column NAME KEY FILE: the cells of two columns of a CSV file, sorted.
column() {
  awk -F , -v name="$1" -v key="$2" 'NR == 1 {
      sub(/\r$/, ""); for (i = 1; i <= NF; i++) at[$i] = i; next }
    { sub(/\r$/, ""); gsub(/"/, "")
      if ($at[key] != 0) print $at[name], $at[key] }' "$3" | sort
}

# ---- the tables say what the exports say --------------------------------

# rows PLACE: the rows of the table in out: the name, and the word at PLACE.
rows() {
  awk -v at="$1" '/^-+$/ { body = 1; next } body && !NF { exit }
    body && $NF != "<TOTAL>" && $at != 0 { print $NF, $at }' out | sort
}

"$MPROF" export --format=csv -o all.csv "$c"
run report -verbose --no-legend --tables=peak "$c"
rows 2 >wanted
column function self_peak_bytes all.csv >found
same 'PEAK, bytes'
rows 3 >wanted
column function self_peak_allocations all.csv >found
same 'PEAK, objects'
run report -verbose --no-legend --tables=temporary "$c"
rows 1 >wanted
column function self_temporary_allocations all.csv >found
same 'TEMPORARY OBJECTS'

for profile in "$c" "$w" "$l"; do
  label=$(basename "$profile" .data)
  "$MPROF" export --format=csv -o all.csv "$profile"
  for value in "${!keys[@]}"; do
    key=${keys[$value]}
    [ "$label" != live ] || key=${key/kept/live}
    case $label:$value in widgets-c:peak* | widgets-c:temp* | live:peak* | \
      live:temp*)
      expect "$label: $value is not known" 1 \
        "mprof: --value=$value: the profile does not record what was $(
          case $value in
          peak*) echo "live at the peak$(
            [ "$label" != live ] || echo ': start with (mprof:start :live t)')" ;;
          *) echo 'freed soon after it was allocated' ;; esac)" \
        export --format=folded --value="$value" "$profile"
      continue
      ;;
    esac
    column function "self_$key" all.csv >wanted

    run export --format=folded --value="$value" "$profile"
    awk '{ n = split($1, f, ";"); sum[f[n]] += $2 }
      END { for (i in sum) print i, sum[i] }' out | sort >found
    same "$label: folded, $value"

    case $value in *allocs | temporary) at=self_allocations ;;
    *) at=self_bytes ;; esac
    run export --format=dot --min-percent=0 --value="$value" "$profile"
    sed -n "s/^  function=\"\\([^\"]*\\)\".* $at=\\([0-9]*\\) .*/\\1 \\2/p" out |
      grep -v ' 0$' | sort >found
    same "$label: dot, $value"
    run export --format=csv --value="$value" "$profile"
    sort out >sorted
    sort all.csv | cmp - sorted >err
    result $? "$label: csv has all of it, whatever the order"
    awk -F , -v key="inclusive_$key" 'NR == 1 {
        for (i = 1; i <= NF; i++) if ($i == key) at = i; next }
      { if (NR > 2 && $at > last) exit 1; last = $at }' out
    result $? "$label: csv is in order of $value"

    run export --format=callgrind --value="$value" "$profile"
    awk '/^events:/ { print $2 }' out | tr 'A-Z' 'a-z' |
      tr -d '\n' >event
    [ "$(cat event)" = "$(tr -d _ <<<"${key/allocations/allocs}")" ]
    result $? "$label: callgrind begins with $value"
    total=$(awk '/^summary:/ { print $2 }' out)
    [ "$total" = "$(awk '{ s += $2 } END { print s + 0 }' wanted)" ]
    result $? "$label: callgrind: all of $value"

    run report --tables=direct -verbose --no-legend --value="$value" \
      "$profile"
    case $value in *allocs | temporary) at=3 ;; *) at=2 ;; esac
    rows "$at" >found
    same "$label: DIRECT ALLOCATION counts $value"

    # Shares are of what is counted, and so is the call graph.
    wrong=$(awk -v at="$at" '/^-+$/ { body = 1; next } body && !NF { exit }
      body && $NF == "<TOTAL>" { all = $at }
      body && $2 ~ /^[0-9]+$/ && $at > 0 { share = int(100 * $at / all)
        text = share == 100 ? "**" : share == 0 ? "." : share
        if ($1 != text) print; n++ } END { if (!n) print "nothing" }' out)
    [ -z "$wrong" ]
    result $? "$label: shares are of $value"
    run report --tables=graph -verbose --no-legend --value="$value" "$profile"
    awk '$1 ~ /^\[/ && $NF ~ /^\[/ {
        for (i = NF - 2; i > 1; i--)
          if ($i ~ /^[0-9]+$/ && $(i + 1) ~ /^(\*\*|[0-9]+|\.)$/) {
            print $(NF - 1), $i; break } }' out | sort >found
    column function "inclusive_$key" all.csv >wanted
    same "$label: the call graph is of $value"
  done
done

# ---- the total of calls -------------------------------------------------

# It is one number, whichever rows there are: all calls of all functions.
calls_of() {
  run report --tables=direct --no-legend --width=0 "$@"
  awk '$NF == "<TOTAL>" { print $(NF - 1) }' out
}

for name in widgets two-cycles session live mixture unknown-calls; do
  profile=$golden/$name.data
  "$MPROF" export --format=csv --system=show "$profile" >all.csv
  all=$(column function calls all.csv |
    awk '{ s += $2 } END { print s + 0 }')
  # the REPL's calls outside of the profiled body do not count
  [ "$name" != session ] || all=87
  for options in --sort=inclusive --system=hide --system=show --system=root \
    --hide=. --limit=1 --sort=calls --value=allocs -verbose; do
    same_calls=$(calls_of "$options" "$profile")
    [ "$same_calls" = "$all" ]
    result $? "$name: the total of calls with $options is $all"
  done
done
for options in -verbose --sort=inclusive --value=kept --value=allocs --limit=1; do
  [ "$(calls_of "$options" "$c")" = 37 ]
  result $? "C: the total is of all allocations with $options"
done

# ---- what is left out, and what is not known ----------------------------

run report --no-legend --tables=peak --limit=1 "$c"
tr -s ' \n' ' ' <out | grep -qF 'Left out: 2 of 3 functions below 1 % of the '\
'bytes at the peak or beyond the limit of 1, with 6 objects of 300 bytes.'
result $? 'PEAK: what is left out'
cc=${CC:-gcc}
cat >twice.c <<'END'
#include <stdlib.h>
void *volatile made;
#define MAKES(name, n) __attribute__((noinline)) void name(void) \
  { for (int i = 0; i < n; i++) { made = malloc(9); free(made); } }
MAKES(thrice, 3)
MAKES(twice, 2)
int main(void) { thrice(); twice(); }
END
"$cc" -O0 -o twice twice.c && run run -q -o twice.data ./twice
run report --no-legend --tables=temporary --limit=1 twice.data
tr -s ' \n' ' ' <out | grep -qF 'Left out: 1 of 2 functions below 1 % of the '\
'temporary objects or beyond the limit of 1, with 2 temporary objects.'
result $? 'TEMPORARY OBJECTS: what is left out has no bytes'
run export --format=csv --region=lex "$c"
awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "calls") at = i; next }
  { rows++; sum += $at } END { exit !(rows == 4 && sum == 0) }' out
result $? 'nobody counts calls by region'

# ---- diff ---------------------------------------------------------------

expect 'leaks did not grow' 0 '' diff --limit-growth=kept:0 "$w" "$w"
run diff --limit-growth=kept:0 "$c" "$w"
[ "$status $(cat err)" = "3 mprof: grew from 308 to 1023876 bytes kept, \
beyond --limit-growth=kept:0" ]
result $? 'leaks grew'
run diff --limit-growth=kept:5012allocs "$c" "$w"
[ "$status" = 0 ]
result $? 'and by so many objects as allowed'
run diff --limit-growth=kept:5011allocs "$c" "$w"
[ "$status $(cat err)" = "3 mprof: grew from 7 to 5019 objects kept, \
beyond --limit-growth=kept:5011allocs" ]
result $? 'and by one more'
run diff --value=kept --limit-growth=1023567 "$c" "$w"
[ "$status $(cat err)" = "3 mprof: grew from 308 to 1023876 bytes kept, \
beyond --limit-growth=1023567" ]
result $? 'the same by --value'
expect 'a limit on what is not known' 1 "mprof: --limit-growth=kept:0: the \
profiles do not record what was alive at the last collection: start with \
(mprof:start :live t), and save with :collect t" \
  diff --limit-growth=kept:0 -o /dev/null "$lisp" "$lisp"
rm -f table
run diff -verbose --limit-growth=kept:0 -o table "$lisp" "$lisp"
[ "$status" = 1 ] && [ ! -e table ]
result $? 'and no table before that'
run diff --no-legend --tables=functions -verbose "$c" "$w"
awk '$NF == "bytes" || $NF == "kept" && /bytes kept/ { print $1, $2, $3, $NF }' \
  out >found
printf '%s\n' '10628 2040000 +2029372 bytes' '308 1023876 +1023568 kept' \
  >wanted
same 'totals of bytes kept'
run diff --sort=peak --no-legend --tables=functions -verbose "$c" "$c"
says 'the column of what rows are in order of' 'bytes at the peak'

# A leak alone: as much is allocated, and one object more is kept.
cat >leak.c <<'END'
#include <stdlib.h>
void *made;
__attribute__((noinline)) void make(void) { made = malloc(100); }
int main(int argc, char **argv) { make(); if (argc < 2) free(made); }
END
"$cc" -O0 -o leak leak.c && run run -q -o before.data ./leak &&
  run run -q -o after.data ./leak more
run diff --no-legend --tables=functions,contexts --limit-growth=kept:99 \
  before.data after.data
[ "$status $(cat err)" = "3 mprof: grew from 0 to 100 bytes kept, beyond \
--limit-growth=kept:99" ]
result $? 'a leak, and nothing else'
[ "$(grep -cE '^ +100 +100 +1 +1 +\+100 +0 +100 ' out)" = 2 ]
result $? 'shows in the tables'

# Averages: 160 / 7 is 22.9; nothing for calls that nobody counts.
for line in 'unknown-calls| 13    160      10      16  13              13      7     23  WORK' \
  'unknown-calls|  8     96       6      16   8              61                sort' \
  'widgets-c|10,000 **  2,040,000 **     204  medium    struct widget'; do
  expect "averages of ${line%%|*}" 0 '' report --no-legend \
    --width=100 --tables=direct,types "$golden/${line%%|*}.data"
  says 'of a row' "${line#*|}"
done

# What is held takes the place of what was allocated: other formats begin with
# it, too.
for value in held:3712:0 held-allocs:92:1; do
  IFS=: read -r word total at <<<"$value"
  run export --format=callgrind --value="$word" "$golden/held.data"
  [ "$(awk '/^summary:/ { print $2 }' out)" = "$total" ]
  result $? "held: callgrind: all of $word"
  run export --format=speedscope --value="$word" "$golden/held.data"
  says "held: speedscope shows $word first" "\"activeProfileIndex\":$at,"
done

finish
