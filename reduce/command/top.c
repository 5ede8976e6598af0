/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* mprof top: who allocates now.  The profile of a running program is read
 * again and again, and what each function allocated from one reading to the
 * next is shown, most first.  The program is one that `mprof run' runs, by
 * its number or its file, or a Lisp program that counts in a file.
 *
 * On a terminal the table is written over the one before, and keys choose its
 * order, as in top(1); elsewhere each table follows the last.
 */

#include "command/top.h"

#include "base/array.h"
#include "base/clock.h"
#include "common/pprof_format.h"
#include "recover/image_hold.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- which program ---- */

/* Sets PATH to the image that the process PID counts in. */
static void
find_image(const char *pid, char path[PATH_MAX])
{
  char line[PATH_MAX + 128];
  struct image_head head;
  snprintf(line, sizeof line, "/proc/%s/maps", pid);
  FILE *maps = fopen(line, "re");
  if (maps == NULL)
    fail_with(MPROF_CANNOT_READ, "cannot look at process %s: %s", pid,
              strerror(errno));
  *path = '\0';
  while (*path == '\0' && fgets(line, sizeof line, maps) != NULL) {
    char *name = strchr(line, '/');
    line[strcspn(line, "\n")] = '\0';
    if (name != NULL && strstr(line, " rw-s ") != NULL &&
        image_read_head(name, &head) &&
        head.process == strtoul(pid, NULL, 10))
      snprintf(path, PATH_MAX, "%s", name);
  }
  fclose(maps);
  if (*path == '\0')
    fail_with(
        MPROF_CANNOT_READ,
        "process %s counts in no file; start the program with mprof "
        "run, attach by mprof run --pid=%s, or in Lisp use the :file of "
        "mprof:start",
        pid, pid);
}

static void
find_program(struct top *top)
{
  const char *name = top->options->files[0];
  struct image_head head;
  if (name[strspn(name, "0123456789")] == '\0')
    find_image(name, top->path);
  else
    snprintf(top->path, sizeof top->path, "%s", name);
  if (!image_read_head(top->path, &head))
    fail_with(MPROF_CANNOT_READ,
              "'%s' is no file that a running program counts in", top->path);
}

/* ---- a reading ---- */

int
top_compare_names(const void *left, const void *right)
{
  const struct top_row *a = left, *b = right;
  return strcmp(a->name, b->name);
}

double
top_time(void)
{
  return (double)clock_nanos(CLOCK_MONOTONIC) / 1e9;
}

static void
take(void *closure)
{
  struct top *top = closure;
  struct program_reading *now = top->now;
  struct profile profile;
  struct reduction reduction;
  now->time = top_time();
  control_snapshot(&top->control, false, &profile);
  reduction_init(&reduction, &profile, &top->options->view);
  const struct call_graph *graph = &reduction.graph;
  now->rows = pool_zeroed(graph->node_count, sizeof *now->rows);
  for (size_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    now->rows[now->count++] =
        (struct top_row){.name = node->name,
                         .bytes = node->self.bytes,
                         .allocs = node->self.allocs,
                         .inclusive = node->inclusive.bytes};
  }
  now->total = reduction.selection.total;
  now->program = profile_comment(&profile, PPROF_COMMENT_PROGRAM);
  array_sort(now->rows, now->count, sizeof *now->rows, top_compare_names);
}

/* ---- the command ---- */

static const enum top_key keys_of_sorts[] = {
    [SORT_ALLOCS] = KEY_ALLOCS,
    [SORT_INCLUSIVE] = KEY_INCLUSIVE,
    [SORT_NAME] = KEY_NAME,
};

static void
release_readings(void *closure)
{
  struct top *top = closure;
  for (int i = 0; i < 2; i++)
    pool_release(&top->readings[i].pool);
  close(top->signals);
  control_close(&top->control);
}

void
run_top(const struct options *options, struct sink *sink,
        struct outcome *outcome)
{
  struct top *top = pool_zeroed(1, sizeof *top);
  struct mprof_error error;
  top->options = options;
  top->sink = sink;
  if (options->view.sort < sizeof keys_of_sorts / sizeof *keys_of_sorts)
    top->key = keys_of_sorts[options->view.sort];
  find_program(top);
  control_open(&top->control, top->path, NULL);
  pool_on_release(release_readings, top);
  top_take_terminal(top);
  for (int i = 0;; i++) {
    top->now = &top->readings[i % 2];
    top->old = &top->readings[1 - i % 2];
    pool_release(&top->now->pool);
    *top->now = (struct program_reading){.rows = NULL};
    if (!attempt(&top->now->pool, take, top, &error)) {
      if (i == 0)
        fail_again(&error);
      mprof_line(outcome->remark, "the program has ended");
      return;
    }
    if (i > 0)
      top_show(top);
    if (!top_rest(top))
      return;
  }
}
