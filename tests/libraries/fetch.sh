#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# fetch.sh DIR PACKAGE...: have the files of Debian packages below DIR/root,
# without installing them: some depend on cl-asdf, which this release of ECL
# does not live through.  What is there already is not downloaded again.
# Needs no root; apt checks the signatures.

set -eu
. "$(dirname "$0")/../../runtime-patch/messages.sh"

dir=$1
shift
log=$dir/fetch.log
mkdir -p "$dir/debs" "$dir/root"
dir=$(cd "$dir" && pwd)
: >"$log"

missing=
for package; do
  [ -e "$dir/debs/$package.done" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

command -v apt-get >/dev/null ||
  die "without apt-get the libraries cannot be downloaded"
say "downloading$missing"
download() { cd "$dir/debs" && apt-get -q download $missing; }
unpack() {
  for package in $missing; do
    for file in "$dir/debs/${package}"_*.deb; do
      dpkg-deb -x "$file" "$dir/root" || return 1
    done
    : >"$dir/debs/$package.done"
  done
}
run "$log" 'download the libraries' \
  'check the network, or update the package lists with: apt-get update' \
  download
run "$log" 'unpack the libraries' 'free some disk space' unpack
