#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Throws out of forms of mprof at random moments.
. "$(dirname "$0")/check.bash"
run_program thrown.lisp
finish
