#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/setup.bash"
DH_VIEW=$(dirname "$(readlink -f "$(command -v valgrind)")")/../libexec/valgrind/dh_view.js
[ -e "$DH_VIEW" ] || DH_VIEW=$(dpkg -L valgrind | grep '/dh_view\.js$')
export DH_VIEW
read_back dhat.py
