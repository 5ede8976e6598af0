# SPDX-License-Identifier: LGPL-2.1-or-later
#
# ECL 24.5.10 with the development up to September 2025, the release in Debian
# testing, for the scripts above: where its source is, and what it is (see
# fetch-source.sh).

name='ECL 24.5.10'
release=24.5.10
package=ecl
suite=forky
version=24.5.10.20250914.git294da20+dfsg-3
orig=ecl_24.5.10.20250914.git294da20+dfsg.orig.tar.xz
sums="6a06bbd5248ba9128b84b7a25833f9db7f6df0ad3795b63574c328192755b6c4  $orig
df75f90c23c634bf7a3e3899fa9e35689f670e1a858f2ffa475349ca042aeef1  ecl_$version.debian.tar.xz"

# It encodes file names.
octets=

# What fails in ECL's own tests without our patches, too.
known_failures=
