#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# source-lists.sh DIR [SUITE [APT-DIR]]: write into DIR the deb-src twin of
# every deb entry in this machine's own package lists (APT-DIR, normally
# /etc/apt), so that the source package comes from where its packages come from
# and no host is written down in this project.  Options, keys and components
# are kept.  SUITE takes the place of the machine's own suite, if it is not
# empty; entries for anything else are left out then.
#
# Left out: disabled entries, CD-ROMs, and suites of other publishers, which
# are known by not being named after a Debian release: asking them for
# sources could only fail.  Should nothing remain, every entry is taken.

set -eu

out=$1
replacement=${2:-}
apt=${3:-/etc/apt}
codename=$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-}") || :

mkdir -p "$out"
rm -f "$out"/*.list "$out"/*.sources

# one_line SUITE FILE: the entries of SUITE, a pattern, in one-line style.
one_line() {
  entry='deb(-src)?[ \t]+(\[[^]]*\][ \t]*)?[^] \t[]+[ \t]+'
  sed -nE "/cdrom:/d; s/^[ \t]+//; s/[ \t]*(#.*)?$//
    /^$entry($1)([ \t]|$)/!d
    ${replacement:+s!^($entry)[^ \t]+!\\1$replacement!}
    s/^deb(-src)?/deb-src/p" "$2" | sort -u
}

# stanzas SUITE FILE: the same for paragraphs of fields.
stanzas() {
  awk -v RS= -v suite="$1" -v replacement="$replacement" '
    { text = "\n" $0 "\n"
      gsub(/\n#[^\n]*/, "", text)
      fields = tolower(text) }
    fields !~ /\ntypes:[^\n]*deb/ || fields ~ /cdrom:/ ||
      fields ~ /\nenabled:[ \t]*(no|false|off|0)/ ||
      fields !~ "\nsuites:([^\n]|\n[ \t])*[ \t](" suite ")[ \t\n]" { next }
    { sub(/\n[Tt]ypes:[^\n]*/, "\nTypes: deb-src", text)
      if (replacement)
        sub(/\n[Ss]uites:([^\n]|\n[ \t])*/, "\nSuites: " replacement, text)
      print text }' "$2"
}

ours="$codename|stable|oldstable|testing|unstable|sid"
[ -n "$replacement" ] || ours="($ours)([-/][^ \t\n]*)?"
for suite in "$ours" '[^ \t\n]+'; do
  for file in "$apt/sources.list" "$apt"/sources.list.d/*.list; do
    [ ! -f "$file" ] || one_line "$suite" "$file"
  done >"$out/mprof.list"
  for file in "$apt"/sources.list.d/*.sources; do
    [ ! -f "$file" ] || stanzas "$suite" "$file"
  done >"$out/mprof.sources"
  ! cat "$out"/mprof.* | grep -q deb-src || exit 0
done
echo "no package list in $apt names a Debian archive" >&2
exit 1
