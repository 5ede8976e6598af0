/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* sender [OPTION...] URL STEP...: a program, or many, whose profile is
 * shipped. A STEP is a file, what its profile is from then on; `reset', after
 * which it has none; or `stop=FILE' to wait until there is FILE; FILE.waits says
 * that it does.  Each takes a while.
 *
 *   -n N  senders, each with a label of its own   -e N  every N milliseconds
 *   -w N  milliseconds for each step              -d N  for the end
 *   -l LABELS
 *
 * At the end it prints what the shippers counted, all together, then the
 * processor's time and memory.
 */

#include "serve/ship.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOST_SENDERS = 2000, MOST_STEPS = 1000 };

struct step {
  size_t length;
  char *octets;
};

static _Atomic(const struct step *) now; /* NULL: no figures */
static _Atomic uint64_t resets;
static struct shipper *shippers[MOST_SENDERS];
static pthread_t threads[MOST_SENDERS];

static void *
take_snapshot(void *closure, unsigned how, char *message)
{
  const struct step *step = now;
  (void)closure, (void)how;
  if (step == NULL) {
    snprintf(message, PROGRAM_MESSAGE_LENGTH, "nothing has been counted");
    return NULL;
  }
  return mprof_profile_open_octets(step->octets, step->length, NULL);
}

static void
get_status(void *closure, struct program_status *status)
{
  (void)closure;
  *status = (struct program_status){.counting = true,
                                    .since = now == NULL ? 0 : time(NULL),
                                    .resets = resets};
}

static void
rest(long milliseconds)
{
  nanosleep(
      &(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000},
      NULL);
}

static struct step *
read_step(const char *name)
{
  static struct step steps[MOST_STEPS];
  static int count;
  struct step *step = &steps[count++];
  FILE *file = fopen(name, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
    perror(name);
    exit(1);
  }
  step->length = (size_t)ftell(file);
  step->octets = malloc(step->length);
  rewind(file);
  if (fread(step->octets, 1, step->length, file) != step->length)
    exit(1);
  fclose(file);
  return step;
}

static void
take_step(const char *name, int senders, long milliseconds)
{
  if (strcmp(name, "reset") == 0) {
    for (int i = 0; i < senders; i++)
      mprof_ship_note(shippers[i]);
    now = NULL;
    resets++;
  } else if (strncmp(name, "stop=", 5) == 0) {
    char waits[100];
    snprintf(waits, sizeof waits, "%s.waits", name + 5);
    FILE *file = fopen(waits, "w");
    if (file != NULL)
      fclose(file);
    while (access(name + 5, F_OK) != 0)
      rest(10);
  } else {
    now = read_step(name);
    rest(milliseconds);
  }
}

static void *
run(void *shipper)
{
  mprof_ship_run(shipper);
  return NULL;
}

static void
print_counts(int senders)
{
  struct rusage usage;
  unsigned long long all[SHIP_COUNTS] = {0};
  for (int i = 0; i < senders; i++)
    for (unsigned j = 0; j < SHIP_COUNTS; j++)
      all[j] += mprof_ship_count(shippers[i], (enum ship_count)j);
  printf("allocations %llu bytes %llu\n"
         "requests %llu octets %llu failures %llu missed %llu\n"
         "dropped %llu allocations %llu bytes %llu\n",
         all[SHIP_ALLOCATIONS], all[SHIP_BYTES], all[SHIP_REQUESTS],
         all[SHIP_OCTETS], all[SHIP_FAILURES], all[SHIP_MISSED],
         all[SHIP_DROPPED_PARTS], all[SHIP_DROPPED_ALLOCATIONS],
         all[SHIP_DROPPED_BYTES]);
  getrusage(RUSAGE_SELF, &usage);
  printf("seconds %.2f kilobytes %ld\n",
         (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
             (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6,
         usage.ru_maxrss);
}

static void
open_shipper(int i, struct ship_options options, const char *labels,
             int senders)
{
  static const struct program program = {
      .name = "a sender", .snapshot = take_snapshot, .status = get_status};
  char message[PROGRAM_MESSAGE_LENGTH], all[1000];
  if (senders > 1)
    snprintf(all, sizeof all, "instance=%d\n%s", i, labels);
  options.labels = senders > 1 ? all : labels;
  shippers[i] = mprof_ship_open(&options, &program, message);
  if (shippers[i] == NULL ||
      pthread_create(&threads[i], NULL, run, shippers[i]) != 0) {
    fprintf(stderr, "%s\n", message);
    exit(2);
  }
}

int
main(int argc, char **argv)
{
  struct ship_options options = {.every = 50};
  const char *labels = "";
  int senders = 1, option;
  long milliseconds = 120;
  while ((option = getopt(argc, argv, "n:e:w:d:l:")) != -1)
    switch (option) {
    case 'n':
      senders = atoi(optarg);
      break;
    case 'e':
      options.every = strtoul(optarg, NULL, 10);
      break;
    case 'w':
      milliseconds = atol(optarg);
      break;
    case 'd':
      options.deadline = strtoul(optarg, NULL, 10);
      break;
    case 'l':
      labels = optarg;
      break;
    default:
      return 2;
    }
  options.url = argv[optind++];
  for (int i = 0; i < senders; i++)
    open_shipper(i, options, labels, senders);
  for (; optind < argc; optind++)
    take_step(argv[optind], senders, milliseconds);
  for (int i = 0; i < senders; i++)
    mprof_ship_stop(shippers[i]);
  for (int i = 0; i < senders; i++)
    pthread_join(threads[i], NULL);
  print_counts(senders);
  for (int i = 0; i < senders; i++)
    mprof_ship_close(shippers[i]);
  return 0;
}
