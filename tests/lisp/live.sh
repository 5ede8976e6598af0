#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What is alive, what was at the peak, and what holds it.
. "$(dirname "$0")/check.bash"
run_program following.lisp live.lisp peak.lisp
run_program following.lisp holders.lisp
finish
