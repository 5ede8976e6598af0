#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# upstream-series.sh OUT WORK DOWNLOAD FACTS SERIES: write the patches of one
# release into OUT as git sends them by mail, for ECL's maintainers, with the
# new files and an entry in CHANGELOG, without what is mprof's alone
# (`Forwarded: not-needed').  BUILD_EACH=1 builds and tests ECL after each one.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/messages.sh"

out=$1 work=$2 download=$3 facts=$4 series=$5
log=$work/log tree=$work/source
parts=$(dirname "$facts")
rm -rf "$work" "$out" && mkdir -p "$work" "$out" || die "cannot create $work; check disk space"
git config user.email >/dev/null ||
  die 'git does not know who you are; say git config --global user.email ...'
"$here/fetch-source.sh" "$download" "$facts"
"$here/prepare-source.sh" "$tree" "$download" "$facts" '' "$log"
cd "$tree" && git init -q .
commit() {
  git add -A -f . && git commit -q -F -
}

subject() { sed -n 's/^Description: //p' "$1"; }
body() {
  sed -n '/^Description:/,/^Origin:/ { s/^ \.$//p; s/^ //p; }' "$1"
}

# new_files PATCH: those in files/ that come with it.
new_files() (
  case $1 in
  *-allocation-hooks.patch)
    echo src/c/allocation_hooks.c src/c/malloc_hooks.c \
      src/h/allocation_monitor.h \
      src/doc/manual/extensions/allocation_hooks.txi
    cd "$here/files" && find src/tests -type f
    ;;
  *-frame-names.patch) echo src/c/frame_names.d src/cmp/cmpprofile.lsp ;;
  *-frame-words.patch) echo src/c/no_frame_word.h ;;
  esac
)

echo 'The release' | commit
base=$(git rev-parse HEAD)
for name in $(sed 's/#.*//' "$series"); do
  # The description is in the part for all releases, if there is one.
  header=$(grep -ls '^Origin:' "$here/$name" "$here"/*/"$name" | head -n 1)
  ! grep -q '^Forwarded: not-needed' "$header" || continue
  for patch in "$here/$name" "$parts/$name"; do
    [ ! -f "$patch" ] ||
      run "$log" "apply $name" 'see the end of the log' \
        patch -p1 --fuzz=0 --no-backup-if-mismatch -i "$patch"
  done
  [ -n "$(git status --porcelain)" ] || continue # not of this release
  for file in $(new_files "$name"); do
    mkdir -p "$(dirname "$file")" && cp "$here/files/$file" "$file"
  done
  awk -v entry="$(echo "- $(subject "$header")" | fold -s -w 72 |
    sed '2,$s/^/  /')" '
    { print }
    /^\* Pending changes since/ && !done { print "\n" entry; done = 1 }
  ' CHANGELOG >"$work/changes" && mv "$work/changes" CHANGELOG
  { subject "$header" && echo && body "$header"; } | commit
  if [ "${BUILD_EACH:-}" = 1 ]; then
    # configure ignores an option that does not exist yet
    run "$log" "build after $name" 'see the end of the log' \
      sh -c 'export MAKEFLAGS= && autoreconf -f -i src/ &&
        ./configure --prefix="$1" --enable-gmp=system --enable-boehm=system \
        --enable-libatomic=system --with-dffi=system --enable-manual=no \
        --enable-allocation-hooks --enable-frame-pointers \
        --enable-frame-words && make -j"$(nproc)" && make install' sh "$work/ecl"
    MAKEFLAGS='' make check </dev/null >"$work/tests" 2>&1 || :
    grep -q '^Did ' "$work/tests" || die "ECL's tests do not run; see $work/tests"
    say "$name: ECL is built. " $(sed -n '/^Did /,/Fail:/p' "$work/tests")
    git clean -q -f -d -x && git checkout -q .
  fi
done
git format-patch -q -o "$out" "$base"
say "wrote $(ls "$out" | wc -l) patches to $out"
