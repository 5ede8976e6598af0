#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# build-module.sh ECL FAS LOG: let ECL compile the system "mprof", which lies
# in its library folder, file by file for ASDF and as one FAS for REQUIRE.

set -eu
here=$(dirname "$0")
. "$here/messages.sh"

ecl=$1 fas=$2 log=$3
: >"$log"
rm -f "$fas"
# Nothing but ECL's own folder: other copies of ASDF must not be seen.
CL_SOURCE_REGISTRY='(:source-registry :ignore-inherited-configuration)'
MPROF_FAS=$fas
SOURCE_DATE_EPOCH=0 # the same bytes each time
export CL_SOURCE_REGISTRY MPROF_FAS SOURCE_DATE_EPOCH
run "$log" 'compile the Lisp side' 'see the end of the log' \
  "$ecl" --norc --load "$here/build-module.lisp" </dev/null
