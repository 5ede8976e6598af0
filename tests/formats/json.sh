#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/setup.bash"
install_node_packages
status=0
read_back json_format.py || status=1
node_script schema.js reduce/tables/mprof-profile.schema.json \
  "$work"/json_format.py/*.json || status=1
exit "$status"
