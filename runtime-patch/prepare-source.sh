#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# prepare-source.sh DEST DOWNLOAD FACTS SERIES LOG: make DEST the source tree
# of ECL with the distribution's patches, our new files and the patches that
# the file SERIES names (empty: neither, for a reference to measure against),
# ready for configure.  FACTS says which release (see fetch-source.sh).  A patch
# has a part for all releases, beside this script, a part for this release, in
# its folder, or both.
#
# The tree comes from ECL_SRC, a folder (copied, never changed) or a tarball,
# or else from the distribution's source package in the folder DOWNLOAD.  Both
# the upstream source and Debian's stripped tree will do.  DEST appears
# only when it is complete.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/messages.sh"

dest=$1 download=$2 series=$4 log=$5
. "$3"
tree=$dest.tmp
source=${ECL_SRC:-}
unpack_advice='free some disk space or check the file, then run make again'

rm -rf "$tree" "$dest"
mkdir -p "$tree" || die "cannot create $tree; check disk space, permissions"

unpack() {
  run "$log" "unpack $1" "$unpack_advice" \
    tar -x -f "$1" -C "$tree" --strip-components=1
}

# The other half of a Debian source package, if it lies beside its .orig.
unpack_debian_folder() {
  for tarball in "$(dirname "$1")"/ecl_*.debian.tar.xz; do
    [ ! -f "$tarball" ] || run "$log" "unpack $tarball" "$unpack_advice" \
      tar -x -f "$tarball" -C "$tree"
  done
}

if [ -z "$source" ]; then
  unpack "$download/$orig"
  unpack_debian_folder "$download/$orig"
elif [ -d "$source" ]; then
  run "$log" "copy $source" "$unpack_advice" cp -R "$source/." "$tree"
  # What a build in that folder left behind names that folder.
  rm -rf "$tree/build" "$tree/Makefile" "$tree/src/autom4te.cache"
elif [ -f "$source" ]; then
  unpack "$source"
  unpack_debian_folder "$source"
else
  die "ECL_SRC names no folder or tarball: $source"
fi

grep -q "^AC_INIT(\[ecl\],\[$release\]" "$tree/src/configure.ac" 2>/dev/null ||
  die "this is no source of ECL $release: ${source:-$download};" \
    "set ECL_SRC to the folder or tarball of one"

# apply PATCH WHAT: apply one patch exactly, or stop.
apply() {
  run "$log" "apply $2 to ECL $release" \
    'use the unchanged source of that release' \
    patch -d "$tree" -p1 --fuzz=0 --forward --no-backup-if-mismatch -i "$1"
}

is_applied() {
  patch -d "$tree" -p1 --fuzz=0 --force --dry-run --reverse -i "$1" \
    >/dev/null 2>&1
}

# patches_in SERIES: the file names in it, one a line, without comments.
patches_in() { sed -e 's/#.*//' -e 's/[ \t].*//' -e '/^$/d' "$1"; }

# A tree of `apt-get source' has the distribution's patches, one that was
# unpacked by hand has not.
distribution=$tree/debian/patches
if [ -f "$distribution/series" ]; then
  for name in $(patches_in "$distribution/series"); do
    is_applied "$distribution/$name" ||
      apply "$distribution/$name" "the distribution's patch $name"
  done
elif [ ! -d "$tree/src/gmp" ] &&
  grep -q '^AC_CONFIG_AUX_DIR(\[gmp\])' "$tree/src/configure.ac"; then
  die "$source is Debian's source without Debian's patches; give the" \
    "ecl_*.debian.tar.xz beside it, or the folder that apt-get source made"
fi

if [ -n "$series" ]; then
  run "$log" 'copy the new files' "$unpack_advice" cp -R "$here/files/." "$tree"
  for name in $(patches_in "$series"); do
    [ -n "$(find "$here" -maxdepth 2 -name "$name")" ] ||
      die "$series names a patch that is missing: $name"
    for part in "$name" "$release/$name"; do
      [ ! -f "$here/$part" ] || apply "$here/$part" "$part"
    done
  done
fi

run "$log" 'generate configure with autoreconf' \
  'check that autoconf is installed' \
  autoreconf -f -i "$tree/src/"
mv "$tree" "$dest"
