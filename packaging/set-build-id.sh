#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# set-build-id.sh FILE: the build id of FILE, an ELF file, becomes a hash of all
# else that it holds.  One without an id stays as it is.

set -eu
readelf -SW "$1" | grep -qF .note.gnu.build-id || exit 0
note=$(mktemp)
trap 'rm -f "$note"' EXIT

# set_id ID: 40 hexadecimal digits, in a note of GNU's type 3.
set_id() {
  printf '%b' '\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0' \
    "$(sed 's/../\\x&/g' <<<"$1")" >"$note"
  objcopy --update-section .note.gnu.build-id="$note" "$2"
}

set_id "$(printf '%040d' 0)" "$1"
set_id "$(sha1sum "$1" | cut -c 1-40)" "$1"
