#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Each target of the makefile makes what it needs, in a clone in which `make'
# has run and nothing else.  Compilers stand in here that only preprocess, so
# what is made is empty, and no test or benchmark is run: only the files that
# its scripts name are looked for.
. "$(dirname "$0")/check.bash"

ecl=$(cd "$(dirname "$ECL")/../ecl" && pwd)
gcc=$(command -v gcc)
export CCACHE_PATH=$PATH # what ccache, if that is gcc, looks for it in
export gcc errors=$scratch/errors seen=$scratch/seen
mkdir tools seen
cat >tools/gcc <<'END'
#!/bin/bash
# Compiler, linker and archiver: leaves an empty file.  A source is
# preprocessed the first time, those of one target alone each time.
for argument; do
  case $argument in
  -print-file-name=*) exit ;;
  -fsanitize*) ;;
  *) arguments+=("$argument") ;;
  esac
  case $previous in
  -o | rcs) output=$argument ;;
  esac
  previous=$argument
done
case " $* " in
*' -c '*)
  seen=$seen/${previous//\//-}
  if [ ! -e "$seen" ]; then
    if "$gcc" "${arguments[@]}" -E 2>&1 >/dev/null |
      grep -m 1 error: >>"$errors"
    then exit 1; fi
    case $previous in tests/[!c]*) ;; *) : >"$seen" ;; esac
  fi ;;
esac
: >"$output"
END
printf '#!/bin/sh\n' >tools/objcopy
cp tools/objcopy tools/nm
chmod +x tools/*
ln -s gcc tools/ar
ln -s gcc tools/clang

# build TARGET...: make them, in a folder of their own.
top_b=$scratch/b
[ "${RELEASE:=21.2.1}" = 21.2.1 ] || top_b+=/$RELEASE
old=()
build() {
  env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u MAKEOVERRIDES -u CCACHE \
    PATH="$scratch/tools:$PATH" make -s -C "$top" --no-print-directory \
    B="$scratch/b" ECL="$RELEASE" CC=gcc MAKE="make ${old[*]}" "${old[@]}" \
    "$@" 2>err
}

# Without ECL: what does not wait for its header does not include it.
mkdir -p "$top_b/ecl/include/ecl"
echo '#error there is no ECL yet' >"$top_b/ecl/include/ecl/ecl.h"
build -k ECL_SRC=/nonexistent all tests >/dev/null
objects=$(find b -name '*.o' | wc -l)
[ ! -s errors ] && [ "$objects" -gt 150 ]
result $? 'what includes the header of ECL waits for it'
[ ! -s errors ] || sed 's/^/# /' errors
rm -rf b errors

# With ECL and all packages.  Fuzzing has a compiler with headers of its own.
mkdir -p "$top_b/ecl/library"
ln -s "$ecl/bin" "$ecl/include" "$top_b/ecl"
old=(-o "$scratch/b/packages" -o "$top_b/ecl/library/mprof.fas")
for work in ecl reference; do old+=(-o "$top_b/$work-work/key"); done
for list in $(sed -n "/<<'END'/,/^END/s/^  \([a-z,-]*\) .*/\1/p" \
  "$top/runtime-patch/packages.sh" | tr , '\n' | sort -u); do
  old+=(-o "$scratch/b/packages-$list")
done
build all >out && [ ! -s errors ]
result $? 'make'
find b >made

# named KIND...: the files that the scripts of these kinds of test name, or
# what they source.
named() {
  local word files=/dev/null
  for word; do
    case $word in
    tests/*.sh) files+=" $word" ;;
    *) files+=" $(find "tests/${word%/*}" -maxdepth 1 -name '*.*sh' 2>/dev/null)" ;;
    esac
  done
  # shellcheck disable=SC2086
  { grep -ho '[^=]\$BUILD/\(bin\|lib\|tests\)/[a-z_.-]*' $files
    for source in $(grep -ho '\.\./[a-z]*/[a-z]*\.bash' $files); do
      grep -ho '[^=]\$BUILD/\(bin\|lib\|tests\)/[a-z_.-]*' "tests/${source#../}"
    done; } | sed 's/.*\$BUILD/$BUILD/' | sort -u
}

targets=$(sed -n 's/^\(check[a-z-]*\|soak\|demo\|bench[a-z-]*\):.* ##.*/\1/p' \
  "$top/tests/tests.mk" | grep -vx 'check-off\|check-folder\|check-fuzz\|check-long')
for target in $targets; do
  build test_env='echo BUILD=$(O)' "$target" >out
  status=$?
  BUILD=$(sed -n 's/^BUILD=\([^ ]*\).*/\1/p' out)
  # shellcheck disable=SC2046
  for file in $(cd "$top" && named $(sed -n 's/^BUILD=.*run-tests.sh//p;
    s/^BUILD=.* \(tests[^ ]*\.sh\).*/\1/p' "$scratch/out")); do
    [ -e "${file/\$BUILD/$BUILD}" ] ||
      { echo "# there is no $file"; status=1; }
  done
  [ "$status" = 0 ] && [ ! -s errors ] && [ -n "$BUILD" ]
  result $? "make $target"
  [ ! -s errors ] || sed 's/^/# /' errors
  rm -f errors
  find b | sort | comm -13 <(sort made) - | sort -r | xargs -d '\n' rm -rf
done

finish
