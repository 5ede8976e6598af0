#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# build.sh OUT: make the page of the format html in the folder OUT, in two
# pieces, page-head.html and page-tail.html; what mprof writes between them
# are the data.
#
# All files of src are one script, and those of style one style.  The page may run nothing but that and load
# nothing at all: its Content-Security-Policy has the hashes of script and
# style.

set -eu
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")"

{
  printf "'use strict';\n{\n"
  cat src/*.js
  echo '}'
} >"$out/page.js"
cat style/*.css >"$out/page.css"
if grep -iE '</(script|style)|<!--' "$out/page.js" "$out/page.css"; then
  echo 'build.sh: this would end its element' >&2
  exit 1
fi

# An element's text begins with the end of the line of its tag.
hash() {
  { echo && cat "$1"; } | sha256sum | cut -c 1-64 | tr a-f A-F |
    basenc --base16 -d | base64
}

sed -e "s|@SCRIPT-HASH@|sha256-$(hash "$out/page.js")|" \
  -e "s|@STYLE-HASH@|sha256-$(hash "$out/page.css")|" \
  -e "/^@SCRIPT@\$/{r $out/page.js" -e 'd}' \
  -e "/^@STYLE@\$/{r $out/page.css" -e 'd}' page.html >"$out/page.html"
sed '/^@PROFILE@$/,$d' "$out/page.html" >"$out/page-head.html"
sed '1,/^@PROFILE@$/d' "$out/page.html" >"$out/page-tail.html"
