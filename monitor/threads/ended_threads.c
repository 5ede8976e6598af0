/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ended_threads.c -- see ended_threads.h.
 */
#include "threads/ended_threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/live_collection.h"
#include "live/live_entries.h"
#include "threads/thread_labels.h"
#include "threads/threads.h"
#include "tree/image.h"

enum {
  ENDED_STATES = 256, /* threads that keep theirs when they end */
  SHARED_STATES = 256 /* names of which those that follow share one */
};

static struct thread_state *
find_ended(const char *label)
{
  struct thread_state *t = monitor.threads;
  while (t != NULL && (t->env != NULL || t->label == NULL ||
                       strcmp(t->label, label) != 0))
    t = t->next;
  return t;
}

/* The label of the state that a thread with that name shares when it ends;
 * NULL when memory ran out. */
static char *
shared_label(cl_env_ptr env)
{
  char *const name = thread_label_name(env);
  char *label = NULL;
  if (name == NULL || asprintf(&label, "%s (more)", name) < 0)
    label = NULL;
  free(name);
  if (label == NULL || find_ended(label) != NULL ||
      monitor.ended_count < ENDED_STATES + SHARED_STATES)
    return label;
  free(label);
  return strdup("[other threads]");
}

static void
no_room(void *requests, const struct leaf *leaf, const struct kind *kind)
{
  requests_add_leaf(requests, leaf, kind);
}

/* The paths of `from' are also those of `into'.  False when memory ran out. */
static bool
merge(struct thread_state *into, struct thread_state *from)
{
  uint32_t *leaf_of = NULL;
  bool merged;
  if (live_table_is_open(&from->live)) {
    leaf_of = calloc(from->tree.leaf_count, sizeof *leaf_of);
    if (leaf_of == NULL)
      return false;
  }
  merged = context_tree_merge(&into->tree, &from->tree, no_room,
                              &from->requests, leaf_of);
  if (merged && leaf_of != NULL) {
    live_collection_remove(&from->live);
    live_entries_merge(&into->live, &from->live, leaf_of);
  }
  free(leaf_of);
  return merged;
}

bool
ended_thread_keeps_state(struct thread_state *t)
{
  char *shared;
  struct thread_state *s;
  /* What is merged is for a moment in both trees of an image, or in none. */
  if (image_is_open() ||
      (t->label != NULL && monitor.ended_count < ENDED_STATES)) {
    monitor.ended_count++;
    return true;
  }
  shared = shared_label(t->env);
  if (shared == NULL)
    return true;
  s = find_ended(shared);
  if (s == NULL) { /* the first of them: its state is theirs */
    free(t->label);
    t->label = shared;
    monitor.ended_count++;
    return true;
  }
  free(shared);
  return !merge(s, t);
}
