#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Merged profiles: whatever is asked of the merged file, the answer is, to
# the byte, that of all files read at once.
. "$(dirname "$0")/check.bash"

# same NAME FILE...: the files merged, and read at once.
same() {
  local name=$1 what
  shift
  expect "$name: merged" 0 '' merge -o merged.data "$@"
  [ ! -s out ]
  result $? "$name: nothing is printed"
  for what in 'report -verbose' 'report --system=show --sort=allocs' \
    'report -leaktable -offsets --min-percent=0 --tables=leaks' \
    'export --format=folded --frames=types,phases,threads --system=show' \
    'export --format=folded --value=allocs --system=root' \
    'export --format=lisp'; do
    # shellcheck disable=SC2086
    run $what "$@"
    cp out expected
    # shellcheck disable=SC2086
    run $what merged.data
    [ "$status" = 0 ] && [ -s out ] && cmp -s expected out
    result $? "$name: $what"
  done
}

same 'one file' "$golden/mixture.data"
same 'a file twice' "$golden/widgets.data" "$golden/widgets.data"
same 'all Lisp files' "$golden"/{widgets,recursion,two-cycles,mixture}.data \
  "$golden"/{session,phases}.data
same 'unknown calls' "$golden"/{unknown-calls,recursion,unknown-calls}.data
[ "$(gzip -dc merged.data | grep -a -o 'mprof\.calls_unknown=' | wc -l)" = 5 ]
result $? 'unknown calls: a function is named once'
same 'live objects' "$golden"/live{,-before,}.data
same 'C files' "$golden/widgets-c.data" "$golden/widgets-c.data"
same 'live objects and none' "$golden"/{live,widgets,live-before}.data
same 'none and live objects' "$golden"/{widgets,live,widgets}.data

# What is said of a file of the program is said once, however often it is
# merged.
unnamed=$top/tests/fuzz/no-names.data
same 'a program that is not there' "$unnamed" "$unnamed"
cp merged.data first.data
same 'and merged again' "$unnamed" "$unnamed" first.data
run report merged.data
[ "$(grep -c 'go-heap cannot be read' out)" = 1 ]
result $? 'it is said once'

# Regions are comments, of which equal ones add up.
same 'regions' "$golden/regions.data" "$golden/regions.data"
run report --no-legend --tables=regions -verbose merged.data
[ "$(awk '/ (load|run)/ { print $1, $2, $3, $NF }' out)" = \
'2 0.000 30 load
2 0.000 42 run
10 0.000 10 load;lex
2 0.000 2 run;lex' ]
result $? 'regions: entered twice as often'

# Merging merged files is merging all.
# Calls that one file counts and another does not are unknown.
cat >known.txt <<'END'
profile known lisp
cons 1: MAIN;sort
calls 1: MAIN
calls 5: MAIN;sort
END
"$BUILD/tests/write_profile" known.txt known known.data
for files in "known.data $golden/unknown-calls.data" \
  "$golden/unknown-calls.data known.data"; do
  # shellcheck disable=SC2086
  run export --format=csv $files
  [ "$(sed -n 's/^"\(MAIN\|sort\)",\([^,]*,\)\{4\}\([^,]*\),.*/\1 \3/p' out |
    sort)" = $'MAIN 2\nsort ' ]
  result $? 'unknown to one of two files'
done

run merge -o two.data "$golden/session.data" "$golden/mixture.data"
run merge -o three.data two.data "$golden/phases.data"
run report -verbose three.data
cp out expected
run report -verbose "$golden/session.data" "$golden/mixture.data" \
  "$golden/phases.data"
cmp -s expected out && grep -q ', 3 files' out
result $? 'merged twice: three files'

# Adding to what there is.
cp two.data all.data
run merge -o all.data all.data "$golden/phases.data"
cmp -s all.data three.data
result $? 'a file that is named may be written'

# A folder.
mkdir run run/below none
cp "$golden/session.data" run/b.data
gzip -dc "$golden/mixture.data" >run/a.pb.gz # any name, any content
cp "$golden/phases.data" run/below/c.data
mkdir run/d.data
mkfifo run/e.data
echo text >run/notes.txt
cp "$golden/phases.data" run/.hidden.data
for what in 'report -verbose' 'export --format=folded'; do
  # shellcheck disable=SC2086
  run $what run/a.pb.gz run/b.data
  cp out expected
  # shellcheck disable=SC2086
  run $what run
  [ "$status" = 0 ] && cmp -s expected out
  result $? "$what: a folder is the profiles in it, by name"
done
same 'a folder' run/ "$golden/phases.data"
expect 'nothing to merge in it' 1 "mprof: no profile in the folder 'none': no file name ends in .data or .pb.gz" \
  merge -o merged.data none
expect 'into a folder that is read' 0 '' merge -o run/all.data run
cp run/all.data kept.data
expect 'again' 1 "mprof: cannot write 'run/all.data': it is one of the files to merge, in the folder 'run'" \
  merge -o run/all.data run
cmp -s run/all.data kept.data
result $? 'what was there is as it was'

# The same input gives the same bytes.
run merge -o once.data "$golden"/{session,phases,two-cycles}.data
run merge -o again.data "$golden"/{session,phases,two-cycles}.data
cmp -s once.data again.data
result $? 'output is the same each time'

# Many files: one after the other, so that few descriptors do.
mkdir many
for i in {1..1000}; do
  ln "$golden/widgets.data" "many/$i.data" 2>/dev/null ||
    cp "$golden/widgets.data" "many/$i.data"
done
(
  ulimit -n 8
  run merge -o many.data many
  exit "$status"
)
result $? '1,000 files with eight descriptors'
run report --no-legend many.data
says '1,000 files are added up' ', 1000 files'
says 'all of them' '10000000 allocations, 480000000 bytes'
cp out expected
(
  ulimit -n 8
  run report --no-legend many
  exit "$status"
)
result $? '1,000 files are read with eight descriptors'
cmp -s expected out
result $? 'and say the same'
[ "$(stat -c %s many.data)" -lt 100000 ]
result $? 'equal samples are one'

# What does not fit together.
w=$golden/widgets.data
expect 'nothing named' 2 'mprof: no files to merge given' merge -o x
expect 'no output' 2 'mprof: no file to write given; use -o OUT' merge "$w"
run merge -o merged.data "$w" "$golden/widgets-c.data"
[ "$status" = 1 ] && grep -q 'cannot be combined' err
result $? 'Lisp and C'
expect 'a bad file' 1 \
  "mprof: cannot open 'missing.data': No such file or directory" \
  merge -o merged.data "$w" missing.data
echo old >old.data
head -c 200 "$w" >short.data
run merge -o old.data "$w" short.data
[ "$status" = 1 ] && [ "$(cat old.data)" = old ]
result $? 'a bad file leaves what there was'

finish
