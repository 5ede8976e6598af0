/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ended_threads.c -- see ended_threads.h.
 */
#include "threads/ended_threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "threads/thread_labels.h"
#include "threads/threads.h"

enum {
  ENDED_STATES = 256, /* threads that keep theirs when they end */
  SHARED_STATES = 256 /* names of which those that follow share one */
};

/* A state with that label, `ended' or of any thread; NULL: there is none. */
static struct thread_state *
find(const char *label, bool ended)
{
  struct thread_state *t = monitor.threads;
  while (t != NULL && (!t->shared || (ended && t->env != NULL) ||
                       strcmp(t->label, label) != 0))
    t = t->next;
  return t;
}

/* The label that a thread with that name shares when it ends; NULL when memory
 * ran out. */
static char *
shared_label(cl_env_ptr env)
{
  char *const name = thread_label_name(env);
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
ended_thread_keep(struct thread_state *t)
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
ended_thread_for(cl_env_ptr env)
{
  char *const shared =
      monitor.ended_count < ENDED_STATES ? NULL : shared_label(env);
  struct thread_state *const t = shared == NULL ? NULL : find(shared, true);
  free(shared);
  return t;
}
