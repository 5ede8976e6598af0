#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Files that cannot be read or written: one line, exit 1, nothing left behind.
. "$(dirname "$0")/check.bash"

w=$golden/widgets.data

truncate -s 3G long.data
expect 'one that is too long is not read' 1 \
  "mprof: cannot read 'long.data': holds more than 2147483648 bytes of data \
(offset 3221225472 of the file)" report long.data
expect 'missing file' 1 \
  "mprof: cannot open 'nothing': No such file or directory" report nothing
expect 'missing default file' 1 \
  "mprof: cannot open 'mprof.data': No such file or directory" report
mkdir folder
expect 'a folder' 1 "mprof: no profile in the folder 'folder': no file name ends in .data or .pb.gz" \
  report folder
expect 'a device' 1 "mprof: cannot read '/dev/zero': is a device" \
  report /dev/zero
mkfifo pipe
cat "$w" >pipe &
expect 'a pipe' 0 '' report pipe
cp out expected
expect 'a file' 0 '' report "$w"
cmp -s expected out
result $? 'a pipe is read like a file'
: >empty
expect 'empty file' 1 \
  "mprof: cannot read 'empty': the file is empty (offset 0 of the file)" \
  report empty
expect 'an ELF file' 1 \
  "mprof: cannot read '$MPROF': is an ELF file, not a profile (offset 0 of the file)" \
  report "$MPROF"
echo '(defun f (x) x)' >f.lisp
expect 'a text file' 1 \
  "mprof: cannot read 'f.lisp': is a text file, not a profile (offset 0 of the file)" \
  report f.lisp
head -c 100 "$w" >short
expect 'truncated file' 1 \
  "mprof: cannot read 'short': compressed data is cut short (offset 100 of the compressed file)" \
  report short
echo 'more text than a profile would hold' | gzip -n >text.gz
run report text.gz
[ "$status" = 1 ] && [ "$(wc -l <err)" = 1 ] &&
  grep -q "^mprof: cannot read 'text.gz': is not a profile.* of the inflated data)$" err
result $? 'compressed text'
gzip -dc "$w" >plain
expect 'a plain profile' 0 '' report plain
cp out expected
expect 'the same compressed' 0 '' report "$w"
cmp -s out expected
result $? 'plain and compressed profiles give one report'
head -c 100000000 /dev/zero | gzip -n >bomb
run report bomb
[ "$status" = 1 ] && grep -q 'expands more than any profile does (offset' err
result $? 'gzip bomb'
# 20 kB that would decode to 2 GB of empty messages, and little memory.
head -c 10000000 /dev/zero | tr '\0' x | sed 's/x/\x1a\x00/g' | gzip -n >many
run report many
[ "$status" = 1 ] && grep -q 'decodes to more than [0-9]* bytes (offset' err
result $? 'a bomb of messages'
if (ulimit -v 200000 && "$MPROF" --version >/dev/null 2>&1); then
  for file in bomb many; do
    (ulimit -v 600000 && exec "$MPROF" report "$file" >out 2>err)
    [ $? = 1 ] && grep -q '(offset' err
    result $? "$file: in 600 MB of memory"
  done
  # Too little for anything: said, and no crash.
  for limit in 8000 10000 12000 15000 20000; do
    (ulimit -v "$limit" && "$MPROF" --version >/dev/null 2>&1) || continue
    (ulimit -v "$limit" && exec "$MPROF" report "$w" >out 2>err)
    status=$?
    [ "$status" = 0 ] ||
      { [ "$status" = 1 ] && [ "$(cat err)" = 'mprof: out of memory' ]; }
    result $? "$limit kB of memory: $(cat err)"
  done
fi
expect 'bad file among good ones' 1 \
  "mprof: cannot read 'empty': the file is empty (offset 0 of the file)" \
  report "$w" empty "$w"
printf 'x' >$'two\nlines'
expect 'newline in a file name' 1 \
  "mprof: cannot read 'two\\nlines': is a text file, not a profile (offset 0 of the file)" \
  report $'two\nlines'
# Nothing in a name reaches a terminal as what it would do there; letters do.
odd=$'\e]0;t\a\302\233m\233\342\200\250\177\303\251λ'
shown='\x1b]0;t\x07\u009bm\x9b\u2028\x7féλ'
printf 'x' >"$odd"
expect 'controls in a file name' 1 \
  "mprof: cannot read '$shown': is a text file, not a profile (offset 0 of the file)" \
  report "$odd"
expect 'controls in an option' 2 "mprof: unknown option '-$shown'" \
  report "-$odd"
MPROF_LIB=$odd expect 'controls in the environment' 1 "mprof: cannot find the\
 monitor '$shown/libmprof-malloc.so': Not a directory (MPROF_LIB can\
 name its folder)" run true
# Nor in a profile.
name=$'\e]0\a\302\233m\342\200\250\177λ'
cat >odd.txt <<END
profile odd c
mprof.program=p$name
mprof.allocations=2
mprof.bytes=20
function f$name d$name/f.c 7
2 20 2 20 2 bytes=10 type=t$name thread=n$name region=r$name: main;f$name
END
"$BUILD/tests/write_profile" odd.txt odd odd.data
tables=$(run help report
  sed -n '/^Tables/,$s/^  \([a-z-]*\)  .*/\1/p' out | paste -sd,)
for command in "report --tables=$tables" advise "diff $golden/widgets-c.data" \
  "export --format="{folded,json,dot,callgrind,html}; do
  # shellcheck disable=SC2086
  run $command odd.data
  [ "$status" = 0 ] && [ -s out ] &&
    ! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xa8' out
  result $? "controls in a profile: $command"
done
run run "$odd"
[ "$status" = 127 ] &&
  [ "$(cat err)" = "mprof: cannot run '$shown': command not found" ]
result $? 'controls in a command'

for file in "$top"/tests/corrupt/*.data; do
  run report "$file"
  [ "$status" = 1 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] &&
    grep -qE "^mprof: cannot read '.*': .* \(offset [0-9]+ of the (inflated data|compressed file|file)\)$" err
  result $? "corrupt/$(basename "$file")"
done

expect 'a Lisp and a C profile' 1 "mprof: cannot read '$golden/widgets-c.data': profiles of a Lisp program and a C program cannot be combined (offset 468 of the inflated data)" \
  report "$w" "$golden/widgets-c.data"

# Figures of a sample that contradict each other, one at a time.
while IFS='|' read -r values said; do
  cat >contradicts.txt <<END
profile p c
more columns peak_objects count peak_space bytes temporary_objects count
more columns lost_objects count lost_space bytes
more columns indirectly_lost_objects count indirectly_lost_space bytes
$values: main
END
  "$BUILD/tests/write_profile" contradicts.txt p contradicts.data
  run report contradicts.data
  [ "$(sed 's/.*sample 0 \(.*\) (offset.*/\1/' err)" = "$said" ]
  result $? "a sample of $values: ${said:-it is good}"
done <<'END'
4 40 3 30 0 4 40 4 2 20 1 10|
4 40 5 30 0 4 40 4 2 20 1 10|keeps more than it allocated
4 40 3 41 0 4 40 4 2 20 1 10|keeps more than it allocated
4 40 3 30 0 4 40 4 3 20 1 10|has lost more than it kept
4 40 3 30 0 4 40 4 2 21 1 10|has lost more than it kept
4 40 3 30 0 5 40 4 2 20 1 10|has more objects at the peak, or more temporary ones, than it allocated
4 40 3 30 0 4 41 4 2 20 1 10|has more objects at the peak, or more temporary ones, than it allocated
4 40 3 30 0 4 40 5 2 20 1 10|has more objects at the peak, or more temporary ones, than it allocated
END

# Output.
"$MPROF" report "$w" 2>err >&-
[ $? = 1 ] && [ "$(cat err)" = \
  'mprof: cannot write standard output: Bad file descriptor' ]
result $? 'closed standard output'
# unread COMMAND...: run it with a pipe that nobody reads any more; leaves
# status, err.
unread() {
  exec 3> >(:)
  wait $!
  "$@" >&3 3>&- 2>err
  status=$?
  exec 3>&-
}
unread sh -c "trap '' PIPE; exec \"\$@\"" - "$MPROF" report "$w"
[ "$status" = 141 ] && [ ! -s err ]
result $? 'a pipe that nobody reads, and SIGPIPE that is ignored'

expect 'output file' 0 '' export --format=folded -o new "$w"
[ ! -s out ] && [ "$(wc -l <new)" = 2 ] && [ "$(stat -c %a new)" = \
  "$(printf '%o' $((0666 & ~$(umask))))" ]
result $? 'output goes to the file, with the usual mode'
echo old >kept
chmod 640 kept
ln -s kept link
expect 'bad input' 1 \
  "mprof: cannot read 'empty': the file is empty (offset 0 of the file)" \
  export --format=folded -o kept empty
[ "$(cat kept)" = old ]
result $? 'bad input leaves the old file'
expect 'output by a link' 0 '' export --format=folded -o link "$w"
[ -L link ] && [ "$(wc -l <kept)" = 2 ] && [ "$(stat -c %a kept)" = 640 ]
result $? 'a link stays a link, a mode stays a mode'
expect 'output to a device' 0 '' export --format=folded -o /dev/null "$w"
[ -c /dev/null ] && "$MPROF" report -o /dev/stdout "$w" | grep TOTAL >out
result $? 'a device stays a device, and a pipe is one'
expect 'missing folder' 1 \
  "mprof: cannot write 'no/such': No such file or directory" \
  export --format=folded -o no/such "$w"
# Every command that writes: the same on a full disk, in a folder that must
# not be written, and where something else is in the way.
mkdir disk
writers=(
  "report -o disk/old $w"
  "export --format=lisp -o disk/old $w"
  "export --format=pprof -o disk/old $w"
  "export --format=json -o disk/old $w"
  "diff -verbose -o disk/old $w $golden/mixture.data"
  "flamegraph -o disk/old $w"
  "merge -o disk/old $w $golden/mixture.data $golden/phases.data"
)
! command -v dot >/dev/null || writers+=("graph -o disk/old.svg $w")

# in_disk MOUNT-OPTIONS COMMAND...: run it with a small disk of its own at
# disk; 125 when this may not be done here.
in_disk() {
  local options=$1
  shift
  unshare -m sh -c 'options=$1; shift
    mount -t tmpfs -o size=8k none disk || exit 125
    echo old >disk/old; cp disk/old disk/old.svg
    mount -o "remount,$options" none disk || exit 125
    "$@"; status=$?
    [ "$(cat disk/old)$(cat disk/old.svg)" = oldold ] || exit 124
    [ "$(ls disk | wc -l)" = 2 ] || exit 123
    exit $status' sh "$options" "$@"
}
in_disk rw true 2>/dev/null
may_mount=$?
for writer in "${writers[@]}"; do
  name=$(sed 's/^\([a-z]*\) --format=\([a-z]*\).*/\1 \2/; t; s/ .*//' \
    <<<"$writer")
  if [ "$may_mount" = 0 ]; then
    # The disk has two pages, which the old files fill.
    # shellcheck disable=SC2086
    in_disk rw "$MPROF" $writer >out 2>err
    [ $? = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -qE \
      "^mprof: cannot write 'disk/old(\.svg)?': No space left on device$" err
    result $? "$name: a full disk"
    # shellcheck disable=SC2086
    in_disk ro "$MPROF" $writer >out 2>err
    [ $? = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -qE \
      "^mprof: cannot write 'disk/old(\.svg)?': Read-only file system$" err
    result $? "$name: a folder that must not be written"
  else
    echo "ok - $name: disks # SKIP may not mount"
  fi
  if [ "${writer%% *}" != graph ]; then # dot needs files of its own
    echo old >old
    # shellcheck disable=SC2086
    said=$( (ulimit -f 0; exec "$MPROF" ${writer//disk/.}) 2>&1)
    [ $? = 1 ] && [ "$(cat old) $(echo old*)" = 'old old' ] &&
      [ "$said" = "mprof: cannot write './old': File too large" ]
    result $? "$name: beyond the limit to files"
  fi
  # shellcheck disable=SC2086
  said=$("$MPROF" ${writer//disk\/old/$w\/old} 2>&1)
  [ $? = 1 ] && [[ $said == "mprof: cannot write '$w/old"*"': Not a directory" ]]
  result $? "$name: something else is in the way"
done
for writer in "${writers[@]}"; do
  case $writer in graph*) continue ;; esac
  # shellcheck disable=SC2086
  expect "${writer%% *}: full device" 1 \
    "mprof: cannot write '/dev/full': No space left on device" \
    ${writer/disk\/old//dev/full}
done
mkdir quick # a dot that takes no time
printf '#!/bin/sh\ncat\n' >quick/dot
chmod +x quick/dot
for writer in "report $w" "export --format=json $w" "diff $w $w" \
  "flamegraph $w" "graph $w" help --version; do
  # shellcheck disable=SC2086
  PATH=$PWD/quick:$PATH "$MPROF" $writer 2>err >/dev/full
  [ $? = 1 ] && [ "$(cat err)" = \
    'mprof: cannot write standard output: No space left on device' ]
  result $? "${writer%% *}: full standard output"
  # shellcheck disable=SC2086
  PATH=$PWD/quick:$PATH unread "$MPROF" $writer
  [ "$status" = 141 ] && [ ! -s err ]
  result $? "${writer%% *}: nobody reads"
done
[ -z "$(find . -name '*.tmp.*')" ]
result $? 'no temporary file is left'
# A compressed profile whose end is that of a piece that is inflated: a field
# that nobody knows fills it up.
zcat <"$golden/widgets.data" >plain
"$MPROF" report "$golden/widgets.data" >expected
for size in 16384 65536 131072; do
  fill=$((size - $(wc -c <plain) - 5))
  { cat plain
    printf '\x9a\x06'
    printf "\\x$(printf %x $((fill % 128 + 128)))"
    printf "\\x$(printf %x $((fill / 128 % 128 + 128)))"
    printf "\\x$(printf %x $((fill / 16384)))"
    head -c "$fill" /dev/zero; } >filled
  [ "$(wc -c <filled)" = "$size" ] && gzip -c filled >filled.data &&
    "$MPROF" report filled.data 2>err | cmp -s - expected
  result $? "a profile of $size bytes, compressed"
done
(trap '' XFSZ; ulimit -f 1 && exec "$MPROF" export --format=json "$w") >out 2>err
[ $? = 1 ] &&
  [ "$(cat err)" = 'mprof: cannot write standard output: File too large' ]
result $? 'standard output beyond the limit to files, where the signal is ignored'

finish
