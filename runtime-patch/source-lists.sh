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

# convert FORMAT FILTER FILES...: print the entries of FILES as deb-src.
convert() {
  format=$1 filter=$2
  shift 2
  awk -v format="$format" -v filter="$filter" -v codename="$codename" \
    -v replacement="$replacement" '
    function wanted(suite) {
      if (!filter)
        return 1
      if (replacement && suite ~ /[-\/]/)
        return 0
      sub(/[-\/].*/, "", suite)
      return suite == codename ||
        suite ~ /^(stable|oldstable|testing|unstable|sid)$/
    }

    # deb [options] uri suite components...: options may hold blanks.
    function one_line(line,    rest, options, part, n, i) {
      if (line !~ /^[ \t]*deb(-src)?[ \t]/)
        return
      sub(/#.*/, "", line)
      rest = line
      sub(/^[ \t]*deb(-src)?[ \t]+/, "", rest)
      options = ""
      if (match(rest, /^\[[^]]*\][ \t]*/)) {
        options = substr(rest, 1, RLENGTH)
        rest = substr(rest, RLENGTH + 1)
      }
      n = split(rest, part)
      if (n < 2 || part[1] ~ /^cdrom:/ || !wanted(part[2]))
        return
      if (replacement) {
        part[2] = replacement
        rest = part[1]
        for (i = 2; i <= n; i++)
          rest = rest " " part[i]
      }
      if (!seen[options rest]++)
        print "deb-src " options rest
    }

    # A deb822 stanza is taken whole when one of its suites is wanted.
    function stanza_end(    i, n, suite, take) {
      n = split(suites, suite)
      for (i = 1; i <= n; i++)
        if (wanted(suite[i]))
          take = 1
      if (take && is_deb && !disabled && uris !~ /cdrom:/)
        print "Types: deb-src\n" \
          (replacement ? "Suites: " replacement "\n" : "") text
      text = suites = uris = field = ""
      is_deb = disabled = 0
    }

    format == "list" { one_line($0); next }
    /^#/ { next }
    FNR == 1 || /^[ \t]*$/ { stanza_end() }
    /^[ \t]*$/ { next }
    /^[^ \t:]+:/ {
      field = tolower($0)
      sub(/:.*/, "", field)
    }
    {
      value = $0
      sub(/^[^ \t:]+:/, "", value)
      if (field == "types") { if (value ~ /deb/) is_deb = 1; next }
      if (field == "enabled") {
        if (tolower(value) ~ /no|false|off|0/) disabled = 1
        next
      }
      if (field == "suites") suites = suites " " value
      if (field == "uris") uris = uris " " value
      if (field != "suites" || !replacement)
        text = text $0 "\n"
    }
    END { if (format != "list") stanza_end() }
  ' "$@"
}

existing() {
  for file; do
    [ ! -f "$file" ] || printf '%s\n' "$file"
  done
}

for filter in 1 0; do
  # apt does not take blanks in these names either.
  lists=$(existing "$apt/sources.list" "$apt"/sources.list.d/*.list)
  stanzas=$(existing "$apt"/sources.list.d/*.sources)
  [ -z "$lists" ] ||
    convert list $filter $lists >"$out/mprof.list"
  [ -z "$stanzas" ] ||
    convert stanzas $filter $stanzas >"$out/mprof.sources"
  if cat "$out"/mprof.* 2>/dev/null | grep -q deb-src; then
    exit 0
  fi
done
echo "no package list in $apt names a Debian archive" >&2
exit 1
