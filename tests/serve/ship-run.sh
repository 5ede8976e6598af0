#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# mprof run --ship: what arrives is what the file says, however the program
# ends, and though the other side is not there all the time.
. "$(dirname "$0")/ship.bash"

cat >shipped.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *keep[4];

static void *
work(void *place)
{
  for (int i = 1; i <= 300; i++) {
    void **kept = place;
    free(malloc((size_t)i));
    if (i % 100 == 0)
      *kept = malloc((size_t)i);
    usleep(1000);
  }
  return NULL;
}

int
main(int argc, char **argv)
{
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, work, &keep[i]);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  if (argc > 1 && strcmp(argv[1], "crash") == 0)
    raise(SIGSEGV);
  if (argc > 1 && strcmp(argv[1], "exec") == 0)
    execl(argv[0], argv[0], (char *)NULL);
  return 0;
}
END
${CC:-gcc} -g -O0 -fno-builtin -o shipped shipped.c -lpthread || exit 1

for end in exit crash; do
  for path in ingest api/profiles/writeraw v1/pprof; do
    receive
    run run -q -o p.data --ship="http://127.0.0.1:$port/$path" --every=1 \
      --labels=host=h ./shipped $end
    case $end in exit) wanted=0 ;; *) wanted=139 ;; esac
    [ "$status" = $wanted ] && [ ! -s err ]
    result $? "$end, $path: the program's end"
    took "$end, $path" p.data
    [ "$(cat taken/series)" = 'host=h service_name=shipped' ]
    result $? "$end, $path: labels"
  done
done

receive 503
run run -q -o p.data --ship="http://127.0.0.1:$port/ingest" --every=1 \
  --labels=service_name=a ./shipped
took 'an answer of another kind' p.data

port=1
run run -q -o p.data --ship="http://127.0.0.1:1/ingest" --every=1 ./shipped
[ "$status" = 0 ]
result $? 'nobody is there: the end'
said 'what was dropped is said' \
  "not shipped: $(totals p.data | sed 's/ / allocations, /') bytes: Failed"

run top http://127.0.0.1:1
[ "$status" = 1 ] &&
  grep -q "^mprof: cannot get 'http://127.0.0.1:1/profile': Failed" err
result $? 'mprof top where nobody serves'
finish
