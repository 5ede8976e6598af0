#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The page of mprof export --format=html in a headless Chromium, which
# playwright-core drives (fetched once).
#
# Environment: MPROF, BUILD (set by make check-html).

set -eu
cd "$(dirname "$0")/../.."
: "${MPROF:?run me with: make check-html}" "${BUILD:?}"
work=$BUILD/check-html
mkdir -p "$work"
rm -rf "$work/pages"

if ! cmp -s tests/html/package.json "$work/fetched"; then
  cp tests/html/package.json tests/html/.npmrc "$work/"
  (cd "$work" && npm install --no-package-lock --prefer-offline \
    --loglevel=error) \
    >"$work/npm.log" 2>&1 </dev/null || {
    echo 'not ok - npm gets playwright-core'
    sed 's/^/# /' "$work/npm.log"
    exit 1
  }
  cp tests/html/package.json "$work/fetched"
fi

# Node finds packages from where a script lies.
cp tests/html/*.mjs "$work/"
GOLDEN=$PWD/tests/golden exec node "$work/main.mjs" "$work/pages"
