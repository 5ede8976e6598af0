#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# build-ecl.sh PREFIX WORK DOWNLOAD FACTS SERIES [STAGE]: get, patch, build and
# install ECL so that it runs from PREFIX.  The source and build tree is
# WORK/source, the log WORK/log, the downloaded source package DOWNLOAD.
# FACTS says which release (see fetch-source.sh), SERIES names the patches
# (see prepare-source.sh); empty means none.  With STAGE, the installed files
# are left in STAGE/PREFIX, to be copied from there.
#
# WORK/key is the record of what PREFIX was made from: a line for patches and
# options, a line for the source.  When nothing of it has changed this script
# does nothing and says nothing, so make may always run it.  Without ECL_SRC
# any source will do, so that ECL_SRC need be given only once.  PREFIX is
# replaced as a whole, at the very end.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/messages.sh"

prefix=$1 work=$2 download=$3 facts=$4 series=$5 stage=${6:-}
log=$work/log
result=${stage}$prefix

# The collector and the number library are the system's, so that the monitor
# and ECL share them; no X, no manual: nothing here needs them.
options='--enable-gmp=system --enable-boehm=system --enable-libatomic=system
  --with-dffi=system --enable-threads=yes --enable-rpath=yes
  --enable-manual=no --with-x=no'
# What the patches add is off unless asked for; check-off.sh asks for nothing.
[ -z "$series" ] || options="$options ${ECL_OPTIONS-\
  --enable-allocation-hooks --enable-frame-pointers --enable-frame-words}"

recipe() {
  echo "$prefix" $options
  [ -z "$series" ] || (
    cat "$series"
    parts=$(dirname "$facts")
    for name in $(cat "$series"); do
      cat "$here/$name" "$parts/$name" 2>/dev/null || :
    done
    cd "$here"
    find files -type f | LC_ALL=C sort | xargs cat
  )
}

origin() {
  if [ -d "$ECL_SRC" ]; then
    cd "$ECL_SRC" && pwd && find . -type f -printf '%p %s %T@\n' | sort
  elif [ -n "$ECL_SRC" ]; then
    sha256sum "$ECL_SRC"
  fi
}

up_to_date() {
  [ -f "$work/key" ] && [ -x "$result/bin/ecl" ] &&
    [ "$(sed -n 1p "$work/key")" = "$recipe" ] &&
    { [ -z "$ECL_SRC" ] || [ "$(sed -n 2p "$work/key")" = "$origin" ]; }
}

# write_octets: where a character of a file name is an octet, lets the path come
# out of ECL's sources as it comes from the system, if it is not ASCII.  They
# are read as UTF-8.
write_octets() {
  [ -n "$(. "$facts" && echo "$octets")" ] || return 0
  printf %s "$prefix$work" | LC_ALL=C grep -q '[^ -~]' || return 0
  run "$log" 'configure ECL' "$advice" \
    make -C build compile.lsp cmp/cmpdefs.lsp
  for file in bare.lsp compile.lsp cmp/cmpdefs.lsp lsp/config.lsp; do
    iconv -f latin1 -t utf-8 "build/$file" >"build/$file.octets"
    mv "build/$file.octets" "build/$file"
  done
}

ECL_SRC=${ECL_SRC:-}
case $ECL_SRC in
'' | /*) ;;
*) ECL_SRC=$(pwd)/$ECL_SRC ;;
esac
[ -z "$ECL_SRC" ] || [ -e "$ECL_SRC" ] ||
  die "ECL_SRC names no folder or tarball: $ECL_SRC"
export ECL_SRC
recipe=$(recipe | sha256sum)
origin=$(origin | sha256sum)
up_to_date && exit 0

mkdir -p "$work" || die "cannot create $work; check disk space, permissions"
if command -v flock >/dev/null; then
  exec 9>"$work/lock"
  flock -n 9 || {
    say "waiting for another make that is building ECL in $work"
    flock 9
  }
  up_to_date && exit 0
fi

# Looked at beforehand, because apt hangs when it cannot write.
needed_mb=300
free_mb=$(($(df -Pk "$work" | awk 'NR == 2 { print $4 }') / 1024))
[ "$free_mb" -ge "$needed_mb" ] ||
  die "the disk is nearly full: $free_mb MB free at $work, building ECL takes" \
    "$needed_mb; free some space and run make again"

rm -f "$work/key"
: >"$log" || die "cannot write $log; free some disk space, check permissions"
[ -n "$ECL_SRC" ] || "$here/fetch-source.sh" "$download" "$facts"
"$here/prepare-source.sh" "$work/source" "$download" "$facts" "$series" "$log"

# The same bytes each time (0015-reproducible-builds).
export SOURCE_DATE_EPOCH=0

# What make was told about mprof must not reach ECL's own makefiles.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL \
  CFLAGS CPPFLAGS LDFLAGS PREFIX DESTDIR B ECL ECL_SRC

jobs=$(nproc 2>/dev/null || echo 2)
say "building $([ -n "$series" ] && echo the patched || echo an unpatched) ECL" \
  "for $prefix; on two cores this takes about four minutes"
advice='see the end of the log'
cd "$work/source"
run "$log" 'configure ECL' "$advice" ./configure --prefix="$prefix" $options
write_octets
run "$log" 'build ECL' "$advice" make -j"$jobs"
rm -rf "$work/stage"
run "$log" 'install ECL' "$advice" make install DESTDIR="$work/stage"

rm -rf "$result"
mkdir -p "$(dirname "$result")"
mv "$work/stage$prefix" "$result"
rm -rf "$work/stage"
# One name for the library folder, whatever version the patches give it.
for library in "$result"/lib/ecl-*; do
  ln -sfn "lib/$(basename "$library")" "$result/library"
done

# Before its first operation ASDF replaces itself by any newer version that it
# finds, such as that of the Debian package cl-asdf, and this ECL does not
# live through that.  It looks here first, and finds the version it is.
mkdir "$result/library/asdf"
sed -n 's/.*(asdf-version \("[0-9.]*"\)).*/\1/p' contrib/asdf/asdf.lisp |
  head -n 1 >"$result/library/asdf/version.lisp-expr"
echo '(defsystem "asdf" :version (:read-file-form "version.lisp-expr"))' \
  >"$result/library/asdf/asdf.asd"

[ -n "$stage" ] ||
  run "$log" 'start the ECL just built' "$advice" \
    "$prefix/bin/ecl" --norc --eval '(ext:quit 0)' </dev/null
printf '%s\n' "$recipe" "$origin" >"$work/key"
