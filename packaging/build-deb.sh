#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# build-deb.sh OUT: the Debian packages mprof and mprof-ecl, in the folder OUT.
#
# A small source tree with debian/ alone is made, whose rules call `make install'
# of this one.  Versions and dates are those of VERSION and of the last change of
# the sources, so that two builds have the same bytes.  DEBFULLNAME and DEBEMAIL
# name who builds them, as for all tools of Debian.

set -eu -o pipefail
cd "$(dirname "$0")/.."
top=$PWD
out=$(realpath -m "$1")
source=$(dirname "$out")/ecl-work/source
version=$(cat VERSION)
maintainer="${DEBFULLNAME:-mprof} <${DEBEMAIL:-mprof@example.org}>"
date=$(git log -1 --format=%cI 2>/dev/null || date -Is -r NEWS)
SOURCE_DATE_EPOCH=$(date -d "$date" +%s)
MPROF_SOURCE=$top
export SOURCE_DATE_EPOCH MPROF_SOURCE LC_ALL=C.UTF-8

work=$out/mprof-$version
rm -rf "$out"
mkdir -p "$work"
cp -r packaging/debian "$work"
cp NEWS README.md "$work"
cd "$work/debian"
sed -i "s/@MAINTAINER@/$maintainer/" control
mkdir source
echo '3.0 (native)' >source/format
cat >changelog <<END
mprof ($version) unstable; urgency=medium

  * See /usr/share/doc/mprof/NEWS.gz.

 -- $maintainer  $(date -R -u -d "$date")
END
# ECL has licences of its own.
cp "$source/debian/copyright" mprof-ecl.copyright
sed -n '/^Files:/,$p' copyright |
  sed 's|^Files: .*|\nFiles: debian/*|' >>mprof-ecl.copyright
cd ..

# steps: the long steps in the log, as it comes in, and what make says in it, such
# as that it builds ECL for its place in the package.
steps() {
  sed -un '/^mprof: /p
    s/^ *debian\/rules override_dh_auto_install$/mprof: collecting the files/p
    s/^ *debian\/rules override_dh_strip$/mprof: removing debug information/p
    s/^ *debian\/rules override_dh_shlibdeps$/mprof: looking for what they need/p
    s/^ *dh_builddeb$/mprof: compressing the packages/p'
}

echo "mprof: building two packages; the log is $out/build.log"
if ! dpkg-buildpackage -b -us -uc --no-check-builddeps 2>&1 |
  tee ../build.log | steps; then
  grep -E 'error|Error' ../build.log | cut -c1-200 | tail -n 5 >&2
  echo "mprof: the packages cannot be built; see $out/build.log" >&2
  exit 1
fi
cd ..
rm -rf "$work"
ls ./*.deb
