#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The schema is the one that speedscope's own package has.
. "$(dirname "$0")/setup.bash"
install_node_packages
status=0
read_back speedscope.py || status=1
node_script schema.js \
  "$work/node/node_modules/speedscope/dist/release/file-format-schema.json" \
  "$work"/speedscope.py/*.json || status=1
exit "$status"
