/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * thread_labels.c -- what tells a thread from all others in the profile: its
 * name, with a number where that is not unique.  Once given, a label stays
 * until the next reset: that of an ended thread is not given again.
 *
 * A program that makes threads without end would leave as many states, so
 * from a number of ended ones on, those with one name share a state and its
 * label, and when there are as many names all others do: a thread that begins
 * goes on with the tree of one that has ended.
 */
#include "lisp/threads/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/image.h"
#include "lisp/names/lisp_printer.h"

enum {
  ENDED_STATES = 256, /* threads that keep theirs when they end */
  SHARED_STATES = 256 /* names of which those that follow share one */
};

/* The name of the thread; NULL when memory ran out. */
static char *
name_of(cl_env_ptr env)
{
  cl_object process = env->own_process;
  char *name;
  if (process == OBJNULL || Null(process))
    return strdup("?");
  name = lisp_printer_copy(process->process.name, NAMED_THREAD);
  if (name != NULL && name[0] == '\0') {
    free(name);
    return strdup("[unnamed]");
  }
  return name;
}

char *
thread_label_new(cl_env_ptr env)
{
  char *name = name_of(env), *label;
  const uint32_t number =
      name == NULL ? 0 : intern_text(&monitor.names, name);
  uint32_t *count;
  count = number == 0
              ? NULL
              : arena_record(&monitor.name_counts, number, sizeof *count);
  if (count == NULL || ++*count == 1)
    return name;
  if (asprintf(&label, "%s#%u", name, *count) < 0)
    label = NULL;
  free(name);
  return label;
}

void
thread_label_note(const struct thread_state *t)
{
  if (t->label != NULL)
    image_note(NOTE_THREAD, t->tree.owner, 0, 0, t->label);
}

void
threads_renew_labels(void)
{
  intern_table_release(&monitor.names);
  arena_release(&monitor.name_counts);
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next) {
    free(t->label);
    t->label = thread_label_new(t->env);
    t->shared = false;
    thread_label_note(t);
  }
}

/* ---- threads that end ---- */

/* Returns a state with that label, `ended' or of any thread, or NULL. */
static struct thread_state *
find(const char *label, bool ended)
{
  struct thread_state *t = monitor.threads;
  while (t != NULL && (!t->shared || (ended && t->env != NULL) ||
                       strcmp(t->label, label) != 0))
    t = t->next;
  return t;
}

/* Returns the label that it shares when it ends, or NULL without memory. */
static char *
shared_label(cl_env_ptr env)
{
  char *const name = name_of(env);
  char *label = NULL;
  if (name == NULL || asprintf(&label, "%s (more)", name) < 0)
    label = NULL;
  free(name);
  if (label == NULL || find(label, false) != NULL ||
      monitor.ended_count < ENDED_STATES + SHARED_STATES)
    return label;
  free(label);
  return strdup("[other threads]");
}

void
thread_label_end(struct thread_state *t)
{
  char *shared;
  if (t->shared)
    return;
  if (t->label != NULL && monitor.ended_count < ENDED_STATES) {
    monitor.ended_count++;
    return;
  }
  shared = shared_label(t->env);
  if (shared == NULL)
    return;
  monitor.ended_count += find(shared, false) == NULL;
  free(t->label);
  t->label = shared;
  t->shared = true;
}

struct thread_state *
thread_label_shared(cl_env_ptr env)
{
  char *const shared =
      monitor.ended_count < ENDED_STATES ? NULL : shared_label(env);
  struct thread_state *const t = shared == NULL ? NULL : find(shared, true);
  free(shared);
  return t;
}
