#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Comparisons: tables as they are kept, who is compared with whom, and the
# outcome for scripts.
. "$(dirname "$0")/check.bash"

w=$golden/widgets.data
m=$golden/mixture.data
s=$golden/session.data
p=$golden/phases.data
cp "$golden"/{two-cycles,mixture}.data .

expect 'two profiles' 0 '' diff two-cycles.data mixture.data
cmp -s "$golden/diff.txt" out
result $? 'as it is kept'

# Nothing changed.
expect 'a profile and itself' 0 '' diff --no-legend "$m" "$m"
[ "$(grep -c '^Nothing changed\.$' out)" = 4 ] && ! grep -q '[+]' out
result $? 'nothing changed in four tables'
says 'all is left out' 'Left out: 8 unchanged functions; --verbose'
expect 'all of it' 0 '' diff --no-legend -verbose --tables=functions "$m" "$m"
says_not 'nothing is left out' 'Left out'
grep -q '5200  5200 .* 2    2 .*(FLET |a;b\\c d| :IN PARSE)$' out
result $? 'rows without a change'

# The other way round every change has the other sign.
changes() { # with the signs $1
  awk -v signs="$1" '/^[A-Z]/ { table = $0 }
    /^ *[+-][0-9]/ { sign = substr($1, 1, 1)
      if (signs != "as they are") sign = sign == "+" ? "-" : "+"
      print table, sign substr($1, 2), $NF }' out | sort
}
expect 'one way' 0 '' diff --no-legend -verbose "$m" "$p"
changes reversed >there
expect 'the other way' 0 '' diff --no-legend -verbose "$p" "$m"
changes 'as they are' >back
[ -s there ] && cmp -s there back
result $? 'signs are the other ones'
# Changes of functions, types and chains add up to that of all.
sums() { # of two profiles: the change of all, and those of each table
  "$MPROF" diff --no-legend -verbose "$@" | awk '
    $NF == "bytes" && !seen { seen = 1; all = $2 - $1 }
    /^[A-Z ]+$/ { table = $0 }
    /^ *[+-][0-9]/ { sum[table] += $1 }
    END { print seen ? all : "none", sum["FUNCTIONS"] + 0, sum["TYPES"] + 0,
                sum["CONTEXTS"] + 0 }'
}
for old in widgets recursion two-cycles mixture session phases unknown-calls; do
  for new in mixture phases unknown-calls two-cycles,widgets; do
    read -r total functions types contexts < <(
      sums "$golden/$old.data" "$golden/${new/,/.data,$golden/}.data")
    [ "$functions $types $contexts" = "$total $total $total" ]
    result $? "$old and $new: changes add up"
  done
done
# Old calls are normalised by those of the functions that both sides know: 68
# in the old one, 73 in the new one.
run diff -verbose --no-legend --normalize --tables=functions \
  "$golden/unknown-calls.data" "$golden/unknown-calls.data,$golden/recursion.data"
grep -Eq ' -3 +43 +40 +COMPARE$' out && grep -Eq ' 6 +6 +sort$' out
result $? 'calls are normalised by those that are known'

run diff -verbose --no-legend --tables=functions "$m" \
  "$golden/unknown-calls.data"
says 'calls that nobody counted are blank' \
  '   +96            0   96       +6           0    6             0        new  sort'
[ "$(tail -n 3 out | awk '{ print $NF }' | tr '\n' ' ')" = 'MAIN STEP start ' ]
result $? 'and are no change'

# A context is a distinct chain of functions that show, at whose end something
# was allocated: reports, comparisons and the table of them say as many.
contexts() { # what the three say of the profile $1, with options
  local file=$1
  shift
  run report "$@" "$file"
  sed -n 's/.*, \([0-9]*\) contexts\{0,1\}\(,.*\)\{0,1\}$/\1/p' out
  run diff "$@" "$file" "$file"
  awk '$NF == "contexts" { print $1; exit }' out
  run export --format=csv --tables=contexts "$@" "$file"
  tr -d '\r' <out | awk -F, '/,[0-9]+,[0-9]+,[0-9]*$/ &&
    $(NF - 1) + $(NF - 2) > 0 { n++ } END { print n }'
}
for each in 'widgets 2' 'mixture 7' 'recursion 1' 'phases 15' \
  'mixture 7 --system=show' 'two-cycles 4 --hide=^B$' \
  'packages 3 --by=package'; do
  # shellcheck disable=SC2086
  set -- $each
  [ "$(contexts "$golden/$1.data" "${@:3}" | tr '\n' ' ')" = "$2 $2 $2 " ]
  result $? "contexts: $each"
done

# Several files, and folders.
mkdir old new
cp "$s" "$p" old
cp "$m" new
expect 'lists' 0 '' diff --no-legend "$s,$p" "$m"
grep -v '^  old: ' out >expected
says 'says how many files' ', 2 files'
expect 'folders' 0 '' diff --no-legend old new/
grep -v '^  old: ' out | sed 's|new/|M|' >folders
sed -i "s|$m|M|" expected
cmp -s folders expected
result $? 'a folder is the profiles in it'
cp "$w" with,comma

# Choices of report hold here; C programs have no types.
c=$golden/widgets-c.data
tells <<'END'
diff --no-legend --min-percent=99.5 two-cycles.data $m|No function changed by 99.5 % of the total or more.
diff --no-legend with,comma $w|Nothing changed.
diff --no-legend --focus=PARSE $m $m|Selected by the options
|6392  6392            bytes
diff --no-legend --tables=types $s $m|TYPES
|!FUNCTIONS
diff --no-legend --by=package $s $p|PACKAGES WITH ALL BELOW THEM
diff --no-legend $c $c|!TYPES
diff --help|  contexts             by context, 
END
expect 'order and number of rows' 0 '' \
  diff --no-legend --sort=name --limit=2 --min-percent=0 --tables=functions \
  "$golden/two-cycles.data" "$m"
[ "$(sed -n '/^---/,/^$/p' out | awk '/gone|new/ { print $NF }' | tail -n 2 |
  tr '\n' ' ')" = 'PARSE) A ' ]
result $? 'by name, two rows'
run diff "$w" "$golden/widgets-c.data"
[ "$status" = 1 ] && [ "$(cat err)" = 'mprof: profiles of a Lisp program and a C program cannot be compared' ]
result $? 'Lisp and C'

# Outcomes for scripts: 3 is growth, and nothing else is.
tc=$golden/two-cycles.data # 336 bytes, 21 allocations; mixture: 6944, 61
grew() {
  local limit=$1 wanted=$2 message=$3
  run diff --no-legend "$limit" "$tc" "$m"
  [ "$status" = "$wanted" ] && [ "$(cat err)" = "$message" ] && [ -s out ]
  result $? "$limit: $wanted"
}
bytes='mprof: grew from 336 to 6944 bytes, beyond'
allocs='mprof: grew from 21 to 61 allocations, beyond'
for limits in 6608:6607 6608B:6607.999999B 6.608kB:6.607kB 6.453125KiB:6.453124KiB \
  0.006608MB:0.006607MB 0.006302MiB:0.006301MiB 0.000007GB:0.000006GB \
  0.000007GiB:0.000006GiB 1966.666667%:1966.666666%; do
  grew "--limit-growth=${limits%:*}" 0 ''
  grew "--limit-growth=${limits#*:}" 3 "$bytes --limit-growth=${limits#*:}"
done
grew --limit-growth=1967% 0 ''
grew --limit-growth=40allocs 0 ''
grew --limit-growth=39allocs 3 "$allocs --limit-growth=39allocs"
grew --limit-growth=191%allocs 0 ''
grew --limit-growth=190%allocs 3 "$allocs --limit-growth=190%allocs"
grew --limit-growth=1GiB,39allocs 3 "$allocs --limit-growth=1GiB,39allocs"
f='(FLET |a;b\c d| :IN PARSE)'
grew --limit-growth=function:5200 0 ''
grew --limit-growth=function:5199 3 \
  "mprof: grew from 0 to 5200 bytes in $f, beyond --limit-growth=function:5199"
grew --limit-growth=function:20allocs 0 ''
grew --limit-growth=function:19allocs 3 \
  'mprof: grew from 0 to 20 allocations in GRÖSSE, beyond --limit-growth=function:19allocs'
for bytes in 4611686018427387903 9223372036854775806 9223372036854775807; do
  printf 'profile p lisp\n1 %s type=STRING: F\n' "$bytes" >text
  "$BUILD/tests/write_profile" text p "$bytes.data"
done
run diff --limit-growth=100% 4611686018427387903.data 9223372036854775806.data
[ "$status" = 0 ]
result $? 'twice as much, of the most there can be'
run diff --limit-growth=100% 4611686018427387903.data 9223372036854775807.data
[ "$status" = 3 ]
result $? 'and more'
run diff --limit-growth=0 "$m" "$tc"
[ "$status" = 0 ] && [ ! -s err ]
result $? 'less is no growth'
run diff --limit-growth=0 "$tc" "$tc"
[ "$status" = 0 ]
result $? 'the same is no growth'
run diff --limit-growth=0 -o table "$tc" "$m"
[ "$status" = 3 ] && [ -s table ] && [ ! -s out ]
result $? 'the table is written all the same'
"$MPROF" diff --limit-growth=0 "$tc" "$m" 2>err >/dev/full
[ $? = 1 ] && [ "$(cat err)" = \
  'mprof: cannot write standard output: No space left on device' ]
result $? 'failure comes before growth'
run diff --limit-growth=0 "$tc" nothing
[ "$status" = 1 ]
result $? 'a missing file is failure'
for limit in '' % -1 +1 ' 1' '1 ' 1. .5% 1e3 0x10 1kb 1kib 5%% 1allocs% 1, ,1 5%, \
  1.1234567% 1TB 18446744073709551616 99999999999999999999% 18446744073710GiB \
  allocs 1alloc kept: kept:kept:1 all:1; do
  expect "limit '$limit'" 2 \
    "mprof: --limit-growth takes N%, Nallocs, N%allocs, or N with a unit such as KiB or MiB, each with function: or kept: in front or not, not '$limit'" \
    diff "--limit-growth=$limit" "$tc" "$m"
done
expect 'normalised growth' 2 'mprof: --normalize cannot be combined with a limit of the total: it makes the totals equal' \
  diff --normalize --limit-growth=1 "$tc" "$m"
for files in '' "$tc" "$tc $tc $tc"; do
  # shellcheck disable=SC2086
  expect "files: ${files//$golden\//}" 2 \
    'mprof: diff takes two profiles, OLD and NEW; join several files of one with commas' \
    diff $files
done
expect 'table of another command' 2 \
  "mprof: --tables takes functions, inclusive, types and contexts, not 'bins'" \
  diff --tables=bins "$tc" "$m"

finish
