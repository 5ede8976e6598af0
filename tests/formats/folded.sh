#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/setup.bash"
read_back folded.py
