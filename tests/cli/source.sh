#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The source package that ECL is built from: what is said when the distribution
# has it no more, or when there is no network; and the lists that name where to
# look.  apt is a script here, which says what apt said.

. "$(dirname "$0")/check.bash"

mkdir bin
cat >bin/apt-get <<'EOF'
#!/bin/sh
case $* in
*update) ;;
*)
  echo "Err:1 http://mirror/debian forky/main ecl (tar)"
  echo "  $SAID"
  echo "E: Failed to fetch http://mirror/ecl.orig.tar.xz  $SAID"
  exit 100
  ;;
esac
EOF
cat >bin/apt-cache <<'EOF'
#!/bin/sh
echo "Version: $LISTED"
EOF
chmod +x bin/*
cat >facts <<'EOF'
name='ECL 1.2'
package=ecl
suite=forky
version=1.2-3
orig=ecl_1.2.orig.tar.xz
sums="00  $orig
00  ecl_1.2-3.debian.tar.xz"
EOF

# fetch LISTED SAID: the version that the list has, why there is no file.
fetch() {
  LISTED=$1 SAID=$2 PATH=$PWD/bin:$PATH V='' \
    "$top/runtime-patch/fetch-source.sh" "$PWD/download" "$PWD/facts" >out 2>err
  status=$?
}

# refuses NAME MESSAGE: one line, and nothing is left but the log.
refuses() {
  [ "$status" = 1 ] && [ "$(cat err)" = "$2 (log: $PWD/download.log)" ] &&
    [ ! -e download ]
  result $? "$1"
}

package='the source package ecl 1.2-3, or to its .orig tarball with the .debian'
otherwise="set ECL_SRC to the folder of $package one beside it"
gone="mprof: forky has no source package ecl 1.2-3 (any more); $otherwise"
fetch 1.2-4 ''
refuses 'another version is there' "$gone"
fetch 1.2-3 '404  Not Found [IP: 192.0.2.1 80]'
refuses 'the list is older than what is there' "$gone"
fetch 1.2-3 'Could not resolve host'
refuses 'there is no network' "mprof: cannot download the source of ECL 1.2: \
E: Failed to fetch http://mirror/ecl.orig.tar.xz  Could not resolve host; \
check the network and run make again, or $otherwise"

mkdir -p apt/sources.list.d
cat >apt/sources.list <<'EOF'
# deb http://commented/debian stable main
deb http://one/debian stable main contrib # twice
deb-src http://one/debian stable main contrib
  deb [arch=amd64 signed-by=/k.gpg] http://two/debian stable-updates main
deb cdrom:[Debian]/ stable main
deb http://other/apt packages main
deb http://flat/apt ./
EOF
cat >apt/sources.list.d/of.sources <<'EOF'
# Fields
Types: deb deb-src
URIs: http://three/debian
Suites: stable
 stable-updates
# in between
Signed-By:
 -----BEGIN
 .

Types: deb
URIs: http://four/debian
Suites: stable
Enabled: no

Types: deb
URIs: http://five/apt
Suites: packages
EOF

# lists SUITE: what is asked for, without empty lines.
lists() {
  rm -rf lists
  "$top/runtime-patch/source-lists.sh" lists "$1" apt && cat lists/* | sed '/^$/d'
}

signed=$'Signed-By:\n -----BEGIN\n .'
[ "$(lists '')" = "deb-src [arch=amd64 signed-by=/k.gpg] http://two/debian \
stable-updates main
deb-src http://one/debian stable main contrib
Types: deb-src
URIs: http://three/debian
Suites: stable
 stable-updates
$signed" ]
result $? 'entries of the distribution alone are asked for sources'
[ "$(lists forky)" = "deb-src http://one/debian forky main contrib
Types: deb-src
URIs: http://three/debian
Suites: forky
$signed" ]
result $? 'or another suite of it'
rm apt/sources.list.d/of.sources
sed -i /stable/d apt/sources.list
[ "$(lists '')" = "deb-src http://flat/apt ./
deb-src http://other/apt packages main" ]
result $? 'where there is none, all are'
finish
