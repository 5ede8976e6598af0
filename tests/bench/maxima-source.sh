# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The source of Maxima that the figures are for (see fetch-source.sh).

name='Maxima 5.46.0'
package=maxima
suite=
version=5.46.0-11
orig=maxima_5.46.0.orig.tar.gz
sums="7390f06b48da65c9033e8b2f629b978b90056454a54022db7de70e2225aa8b07  $orig"
