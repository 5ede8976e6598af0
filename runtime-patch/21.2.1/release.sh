# SPDX-License-Identifier: LGPL-2.1-or-later
#
# ECL 21.2.1, the release in Debian 12, for the scripts above: where its
# source is, and what it is (see fetch-source.sh).

name='ECL 21.2.1'
release=21.2.1
package=ecl
suite=
version=21.2.1+ds-4
orig=ecl_21.2.1+ds.orig.tar.xz
sums="2dfdb1486c307184e7c9a431dfa3603252ba1373962126610a60f4f64217b9b1  $orig
caa5443159969e7f01d6b3cee0bbd53c3b9a4ce75301556c38f21e6024f6c4d1  ecl_21.2.1+ds-4.debian.tar.xz"

# It takes an octet of a file name for a character (see build-ecl.sh).
octets=yes

# What fails in ECL's own tests without our patches, too.
known_failures='CMP.0076.MAKE-LOAD-FORM-NON-EQ CMP.0079.INLINE-CLOSURE
  MIX.0016.FIFO-TESTS MUTEX-003-FAIRNESS'
