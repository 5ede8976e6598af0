#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The schema of JSON is mprof's own.  That of speedscope is in its package, which
# npm gets once.
. "$(dirname "$0")/setup.bash"
node=$work/node
if ! cmp -s tests/formats/package.json "$node/installed"; then
  rm -rf "$node"
  mkdir -p "$node"
  cp tests/formats/package.json "$node/"
  (cd "$node" && npm install --no-package-lock --ignore-scripts --no-audit \
    --no-fund) >"$work/npm.log" 2>&1 || { cat "$work/npm.log"; exit 1; }
  cp tests/formats/package.json "$node/installed"
fi

# schema SCRIPT FILE: what SCRIPT has left is as the schema FILE says.
schema() {
  read_back "$1" || status=1
  NODE_PATH=$node/node_modules node tests/formats/schema.js "$2" \
    "$work/$1"/*.json || status=1
}
status=0
schema json_format.py reduce/tables/mprof-profile.schema.json
schema speedscope.py \
  "$node/node_modules/speedscope/dist/release/file-format-schema.json"
exit "$status"
