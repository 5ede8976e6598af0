#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# fetch-source.sh DIR [PACKAGE]: have the distribution's source package of ECL
# in DIR, complete and verified: the .dsc, the .orig and the .debian tarball.
# Of the package maxima, which only a benchmark needs, the .orig alone.  What
# is there already is verified again and not downloaded again.
#
# apt does the download, with package lists of its own under DIR (see
# source-lists.sh), so that the machine's configuration is neither changed nor
# in need of deb-src lines.  apt checks signatures; the checksum below ties
# the result to the one source that the patches (the figures) are made for.

set -eu
here=$(dirname "$0")
. "$here/messages.sh"

dir=$1
package=${2:-ecl}
work=$dir.tmp
log=$dir.log

case $package in
ecl)
  name='ECL 21.2.1' files=
  upstream=21.2.1+ds
  orig=ecl_$upstream.orig.tar.xz
  orig_sha256=2dfdb1486c307184e7c9a431dfa3603252ba1373962126610a60f4f64217b9b1
  otherwise="set ECL_SRC to the folder or tarball of an $name source"
  ;;
maxima)
  name='Maxima 5.46.0' files=--tar-only
  upstream=5.46.0
  orig=maxima_$upstream.orig.tar.gz
  orig_sha256=7390f06b48da65c9033e8b2f629b978b90056454a54022db7de70e2225aa8b07
  otherwise="put the files of Debian's source package into $dir"
  ;;
*)
  die "fetch-source.sh: no such package: $package"
  ;;
esac
instead="or $otherwise"

# verify DIR: .orig against the checksum above, the rest, if any, against the
# .dsc.
verify() {
  found=$(sha256 "$1/$orig")
  [ "$found" = "$orig_sha256" ] ||
    die "$1/$orig has the wrong SHA-256 checksum $found" \
      "(not $orig_sha256); delete $1 and run make again, $instead"
  [ -z "$files" ] || return 0
  awk '/^Checksums-Sha256:/ { on = 1; next } /^[^ ]/ { on = 0 }
       on { print $1 "  " $3 }' "$1/${package}_"*.dsc >"$1/SHA256SUMS"
  (cd "$1" && [ -s SHA256SUMS ] && sha256sum --quiet -c SHA256SUMS) \
    >/dev/null 2>&1 ||
    die "a file in $1 has not the SHA-256 checksum that its .dsc gives;" \
      "delete $1 and run make again, $instead"
}

if [ -d "$dir" ]; then
  [ -f "$dir/$orig" ] ||
    die "$dir has no $orig; delete $dir and run make again, $instead"
  verify "$dir"
  exit 0
fi

command -v apt-get >/dev/null ||
  die "without apt-get the source of $name cannot be downloaded; $otherwise"

say "downloading the source of $name"
rm -rf "$work"
mkdir -p "$work/lists/partial" "$work/archives/partial" ||
  die "cannot create $work; free some disk space or check permissions"
work=$(cd "$work" && pwd)
: >"$log"
run "$log" 'derive source lists from /etc/apt' \
  "$otherwise" \
  "$here/source-lists.sh" "$work/sources.list.d"

# Lists, caches and lock files of our own need no root.  The machine's hooks
# after an update are not for these lists.
cat >"$work/apt.conf" <<EOF
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "$work/sources.list.d";
Dir::State::Lists "$work/lists";
Dir::Cache "$work";
Dir::Cache::Archives "$work/archives";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::http::Timeout "60";
Acquire::https::Timeout "60";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
EOF
advice="check the network and run make again, $instead"

# One list that cannot be had is no failure as long as another has the source.
timeout 600 apt-get -q -c "$work/apt.conf" update >>"$log" 2>&1 || :
version=$(apt-cache -c "$work/apt.conf" showsrc --only-source "$package" \
  2>/dev/null | awk '/^Version:/ { print $2 }' | sort -V)
if [ -z "$version" ]; then
  die "cannot download the list of source packages$(why "$log");" \
    "$advice (log: $log)"
fi
version=$(echo "$version" | grep -F "$upstream-" | tail -n 1) ||
  die "this distribution has no source package of $name; $otherwise" \
    "(log: $log)"

download() {
  cd "$work" && apt-get -q -c "$work/apt.conf" source --download-only $files \
    "$package=$version"
}
run "$log" "download the source of $name" "$advice" download

[ -f "$work/$orig" ] || die "apt-get brought no $orig; $instead (log: $log)"
verify "$work"
rm -rf "$work/lists" "$work/archives" "$work/sources.list.d" "$work/apt.conf"
mv "$work" "$dir"
