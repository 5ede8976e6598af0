# SPDX-License-Identifier: LGPL-2.1-or-later
#
# awk -f manual.awk COLUMNS PAGE: PAGE with what `mprof help tables' prints,
# which is in COLUMNS.  A line `.\" COLUMNS leaks' becomes the part that begins
# with `Table leaks:'.

function put(line) { parts[name] = parts[name] "\n" line }

NR == FNR { gsub(/-/, "\\-") }
NR == FNR && /^(All t|T)able.*:$/ { name = $NF; next }
NR == FNR && /^  [^ ]/ {
  term = substr($0, 3, 12)
  sub(/ *$/, "", term)
  put(".TP 14\n.B " term "\n" substr($0, 16))
  next
}
NR == FNR && /^ / { # goes on with the line before
  sub(/^ */, "")
  parts[name] = parts[name] " " $0
  next
}
NR == FNR {
  if (NF > 0)
    put((last == "" ? ".PP\n" : "") $0)
  last = $0
  next
}
/^\.\\" COLUMNS / { print substr(parts[$3 ":"], 2); next }
{ print }
