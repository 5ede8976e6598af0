#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# fetch-source.sh DIR FACTS: have the tarballs of a source package of Debian's
# in DIR, complete and verified.  What is there already is verified again and
# not downloaded again.
#
# FACTS is a file for the shell, which sets: `name' for messages, `package' and
# `version' of the source package, `suite' that has it (empty: that of this
# machine), and `sums', the tarballs' SHA-256 checksums, a line each; `orig'
# is the one from upstream.
#
# apt does the download, with package lists of its own under DIR (see
# source-lists.sh), so that the machine's configuration is neither changed nor
# in need of deb-src lines.  apt checks signatures; the checksums tie the
# result to the one source that the patches are made for.

set -eu
here=$(dirname "$0")
. "$here/messages.sh"

dir=$1
. "$2"
work=$dir.tmp
log=$dir.log
otherwise="set ECL_SRC to the folder of the source package $package"
otherwise="$otherwise $version, or to its .orig tarball with the .debian"
otherwise="$otherwise one beside it"
instead="or $otherwise"

verify() {
  echo "$sums" | while read -r sum file; do
    [ -f "$1/$file" ] ||
      die "$1 has no $file; delete $1 and run make again, $instead"
    found=$(sha256 "$1/$file")
    [ "$found" = "$sum" ] ||
      die "$1/$file has the wrong SHA-256 checksum $found" \
        "(not $sum); delete $1 and run make again, $instead"
  done
}

if [ -d "$dir" ]; then
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
  "$here/source-lists.sh" "$work/sources.list.d" "$suite"

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
versions=$(apt-cache -c "$work/apt.conf" showsrc --only-source "$package" \
  2>/dev/null | awk '/^Version:/ { print $2 }')
if [ -z "$versions" ]; then
  die "cannot download the list of source packages$(why "$log");" \
    "$advice (log: $log)"
fi
gone() {
  die "${suite:-this distribution} has no source package $package $version" \
    "(any more); $otherwise (log: $log)"
}
echo "$versions" | grep -qxF -e "$version" || gone

# What upstream made, and the rest, but not the .dsc: it says nothing that the
# checksums do not, and may be gone.
download() {
  cd "$work"
  for part in --tar-only --diff-only; do
    apt-get -q -c "$work/apt.conf" source --download-only "$part" \
      "$package=$version" || return 1
  done
}
(run "$log" "download the source of $name" "$advice" download) \
  2>"$work/said" || {
  # The list can have a version for some time after its files are gone.
  grep -q '^ *404 ' "$log" && gone
  cat "$work/said" >&2
  exit 1
}

verify "$work"
rm -rf "$work/said" "$work/lists" "$work/archives" "$work/sources.list.d" "$work/apt.conf"
mv "$work" "$dir"
