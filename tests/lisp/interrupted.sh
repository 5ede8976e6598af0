#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Counting, and finalizers, while a thread is interrupted.
. "$(dirname "$0")/check.bash"
run_program interrupted.lisp
finish
