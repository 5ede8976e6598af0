#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# mprof push ships a file; and what is sent how: size, TLS, tokens, names.
. "$(dirname "$0")/ship.bash"

for path in ingest api/profiles/writeraw v1/pprof; do
  receive
  run push --labels=version=1,host=h,service_name=shop step-3.data \
    "http://127.0.0.1:$port/$path"
  took "push to $path" step-3.data
  [ "$status" = 0 ] && [ ! -s err ] &&
    [ "$(cat taken/series)" = 'host=h service_name=shop version=1' ] &&
    [ "$(cat out)" = "shipped $(totals step-3.data |
      sed 's/ / allocations, /') bytes, to http://127.0.0.1:$port/$path in 1 \
requests; failed: 0, without an answer: 0" ]
  result $? "what is said of it"
done

receive
run push step-3.data "parca+http://127.0.0.1:$port/"
took 'push by name' step-3.data
grep -q 'service_name=step-3$' taken/series
result $? 'the service is called like the file'

# A program of C, which says how long it took.
printf '#include <stdlib.h>\nint main(void) { for (int i = 1; i < 100; i++)
  if (!malloc((size_t)i)) return 1; return 0; }\n' >c.c
${CC:-gcc} -O0 -fno-builtin -o c c.c && "$MPROF" run -q -o c.data ./c
receive
run push c.data "http://127.0.0.1:$port/ingest"
took 'a C program' c.data

# large FUNCTIONS DEPTH PARTS: that it arrives in parts of so many samples.
large() {
  FUNCTIONS=$1 DEPTH=$2 timeout 100 "$ECL" --norc --load "$serve/deep.lisp" \
    --eval '(ext:quit 0)' </dev/null >deep.log 2>&1 || cat deep.log
  receive
  run push deep.data "http://127.0.0.1:$port/ingest"
  took "$1 functions $2 deep" deep.data
  grep -qx "$3" <(awk '{ printf "%d ", $2 / 1000 }' taken/log)
  result $? 'parts'
}
# More than 16,000 samples; and more than 4 MiB of fewer.
large 90 200 '16 2 '
large 30 600 '8 10 '

openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out ca.pem \
  -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
  2>/dev/null
cat key.pem ca.pem >server.pem
receive --tls=server.pem --token=secret
ship -d 300 "https://localhost:$port/ingest" step-3.data
[ "$(figure allocations)" = 0 ]
result $? 'nothing is shipped to who has no known certificate'
counted 'it is counted as dropped' step-3.data
said 'it is said' certificate
CURL_CA_BUNDLE=ca.pem ship -d 300 "https://localhost:$port/ingest" step-3.data
[ "$(figure allocations)" = 0 ]
result $? 'nor without a token'
said 'the status is said' 'status 401: no token'
! grep -q . taken/sums 2>/dev/null
result $? 'nothing was taken'
CURL_CA_BUNDLE=ca.pem MPROF_SHIP_TOKEN=secret \
  ship "https://u:p@localhost:$port/ingest" $steps
took 'TLS and a token' step-3.data
receive --token=secret
MPROF_SHIP_HEADERS=$'X-Scope-OrgID: 1\nAuthorization: Bearer secret' \
  ship "http://127.0.0.1:$port/ingest" $steps
took 'more headers' step-3.data
port=1
MPROF_SHIP_TOKEN=secret ship -d 100 'http://u:pass@127.0.0.1:1/ingest' \
  step-1.data
! grep -qE 'secret|pass' err counts
result $? 'no password is in what is said'

port=1
for case in \
  "the URL does not imply a protocol; its path must end in /ingest (pyroscope), \
/profiles/writeraw (parca), or /v1/pprof (otel)|http://127.0.0.1:1/other" \
  "'ftp://127.0.0.1/ingest' is not an HTTP URL|ftp://127.0.0.1/ingest" \
  "'no url' is not an HTTP URL|no url" \
  "there is no protocol 'x'; use pyroscope, parca or otel|x+http://127.0.0.1:1/" \
  "'a b' is not a service name: use only letters, digits, and \
_ . - /|--labels=service_name=a b|http://127.0.0.1:1/ingest" \
  "the label 'a' is given twice|--labels=a=1,a=2|http://127.0.0.1:1/ingest" \
  "the label 'service_name' is given twice|--labels=service_name=1,service_name=1|\
http://127.0.0.1:1/ingest"; do
  IFS='|' read -ra words <<<"$case"
  set -- "${words[@]:1}"
  expect "refused: ${words[0]:0:40}" 1 "mprof: ${words[0]}" \
    push "${@:1:$#-1}" step-1.data "${@: -1}"
done
for label in a a= 1=2 -a=1 __a=1 'a=b}' 'a b=1'; do
  expect "no label: $label" 1 \
    "mprof: '$label' is not a label: write NAME=VALUE, with only letters, \
digits and underscores in NAME, and no comma or '}' in VALUE" push \
    --labels="$label" step-1.data http://127.0.0.1:1/ingest
done
finish
