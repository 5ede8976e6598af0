#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# run.sh: make MUTANTS [80] small faults in monitor/ and reduce/, chosen by
# SEED [1], one after the other, and say of each which suite fails then.  The
# suites that cover a file's folder run, the slow ones last, until one fails.
#
# The faults are made in copies of the tree, one a processor, each of which is
# mounted in the place of the tree in a namespace of its own: programs find
# their ECL by its path.  The list stays in build/mutants/result, with one line
# a fault; those that nothing catches are printed at the end.  A fault that does
# not compile is replaced by another one.

set -u
cd "$(dirname "$0")/../.." || exit 1
tree=$PWD
work=$BUILD/mutants
mutate=$tree/tests/mutants/mutate.pl
wanted=${MUTANTS:-80}
result=$work/result
export TEST_TIMEOUT=300

slow=$(printf '%s\n' c/test_corrupt lisp/live malloc/{failing,allocators,memory} \
  cli/{targets,attach} c/test_file_bounds {random,exact,html}/run)

# Print the suites that cover the file $1, one a line, the slow ones last.
suites() {
  all_suites "$1" | grep -vxF "$slow"
  grep -xF "$(all_suites "$1")" <<<"$slow"
}

# Print the same in any order.
all_suites() {
  local kinds kind
  case $1 in
  monitor/c/*) kinds='c malloc everyday recover/c' ;;
  monitor/lisp/*) kinds='c lisp exact embedding random recover/lisp' ;;
  monitor/*) kinds='c malloc lisp exact recover embedding' ;;
  reduce/advice/* | reduce/common/*) kinds='c cli advice exact lisp' ;;
  reduce/export/*) kinds='c cli formats html serve' ;;
  reduce/serve/*) kinds='c cli serve lisp' ;;
  reduce/images/* | reduce/symbols/*) kinds='c cli recover malloc lisp' ;;
  reduce/leak_search/* | reduce/holders/*) kinds='c cli malloc lisp' ;;
  *) kinds='c cli lisp html malloc' ;;
  esac
  for kind in $kinds; do
    case $kind in
    c) tr ' ' '\n' <<<"$TESTS" | sed 's/.*\//c\//' ;;
    lisp) printf '%s\n' lisp/run lisp/live lisp/file lisp/interrupted ;;
    */*) echo "$kind" ;;
    *) printf '%s\n' tests/"$kind"/*.sh | sed 's/^tests\///; s/\.sh$//' ;;
    esac
  done
}

# Build the tree with the fault $1 FILE, $2 LINE and $3 KIND; print one line:
# what was done, and the suite that failed, `nothing' or `compiler'.
try() {
  local file=$1 line=$2 kind=$3 suite change caught=nothing
  cp -p "$file" "$work/$BASHPID.before"
  change=$("$mutate" apply "$file" "$line" "$kind" | tr '\n' ' ')
  if ! timeout 600 make -s all tests >"$work/$BASHPID.log" 2>&1; then
    caught=compiler
  else
    for suite in $(suites "$file"); do
      if ! grep -qxF "$suite" "$work/broken" && ! tests/run-tests.sh "$suite" >/dev/null 2>&1; then
        caught=$suite
        break
      fi
    done
  fi
  printf '%s:%s\t%s\t%s\t%s\n' "$file" "$line" "$kind" "$caught" "$change"
  cp "$work/$BASHPID.before" "$file"
}

# Try faults of the list until enough were.
worker() {
  local place
  while place=$(flock "$work/list.lock" sed -i -e '1{w /dev/stdout' -e 'd}' \
    "$work/list" | head -n 1) && [ -n "$place" ]; do
    [ "$(grep -vc $'\tcompiler\t' "$result")" -lt "$wanted" ] || break
    # shellcheck disable=SC2086
    try $place >>"$result"
  done
}

# Write the suites that fail without a fault, as where a package is missing.
find_broken() {
  # shellcheck disable=SC2046
  tests/run-tests.sh $(for file in $(git ls-files 'monitor/*.c' 'reduce/*.c'); do
    suites "$file"; done | sort -u) 2>&1 |
    awk '/ [1-9][0-9]* failed, [0-9.]* s/ { print $1 }' >"$work/broken"
}

# In the namespace of a worker: the copy takes the tree's place, with the
# folder of results in it.
if [ "${1:-}" = worker ]; then
  mount --bind "$work" "$2/${work#"$tree"/}" && mount --rbind "$2" "$tree" &&
    cd "$tree" && worker
  exit
fi

rm -rf "$work"
mkdir -p "$work" && : >"$result" || exit 1
git ls-files 'monitor/*.c' 'reduce/*.c' |
  xargs "$mutate" list "${SEED:-1}" $((wanted * 2)) >"$work/list" || exit 1
find_broken
[ ! -s "$work/broken" ] || echo "left out: $(tr '\n' ' ' <"$work/broken")"
own=-r
[ "$(id -u)" != 0 ] || own=
for worker in $(seq "$(nproc)"); do
  mkdir "$work/tree-$worker"
  tar -cS --exclude=./build/mutants . | tar -x -C "$work/tree-$worker" || exit 1
  mkdir -p "$work/tree-$worker/${work#"$tree"/}"
  unshare -m $own "$tree/tests/mutants/run.sh" worker "$work/tree-$worker" &
done
wait
grep $'\tnothing\t' "$result"
awk -F '\t' '$3 != "compiler" { n++; if ($3 == "nothing") missed++ }
  END { printf "%d faults, %d caught\n", n, n - missed }' "$result"
