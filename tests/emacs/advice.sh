#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Advice in SLIME, in the distribution's Emacs.
exec "$(dirname "$0")/session" advice-tests
