/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ended_threads.c -- a thread that ends leaves its tree and its counters.
 *
 * Model.  The first threads that end keep a tree of their own, by label; a
 * program that makes threads without end would keep as many, so from then on
 * all that have one name share a tree.  A thread's figures are added to the
 * tree, and its counters to one sum of all ended threads.
 *
 * Nothing is lost: leaves that find no room in a shared tree go to its
 * overflow, and a thread for which there is no memory stays in the list of
 * those that live (see threads.c).
 */
#include "threads/ended_threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "balance/free_lists.h"
#include "monitor_internal.h"
#include "threads/thread_labels.h"
#include "threads/threads.h"

enum {
  ENDED_TREES = 256 /* ended threads that keep a tree of their own */
};

/* The tree of all ended threads with this label; made when it is new. */
static struct context_tree *
ended_tree(const char *label)
{
  struct ended_threads *e = monitor.ended;
  while (e != NULL && strcmp(e->label, label) != 0)
    e = e->next;
  if (e == NULL) {
    e = calloc(1, sizeof *e);
    if (e == NULL || (e->label = strdup(label)) == NULL ||
        thread_tree_init(&e->tree) != 0) {
      if (e != NULL)
        free(e->label);
      free(e);
      return NULL;
    }
    e->next = monitor.ended;
    monitor.ended = e;
    monitor.ended_count++;
  }
  return &e->tree;
}

/* Where the figures of a thread go that ends. */
static struct context_tree *
tree_for_ended(const struct thread_state *t)
{
  struct context_tree *tree = NULL;
  char *name, *label;
  if (t->label != NULL && monitor.ended_count < ENDED_TREES)
    return ended_tree(t->label);
  name = thread_name(t->env);
  if (name != NULL && asprintf(&label, "%s (more)", name) >= 0) {
    tree = ended_tree(label);
    free(label);
  }
  free(name);
  return tree;
}

static void
count_leaf_requests(struct thread_state *t, cl_index bytes, uint64_t count)
{
  cl_index granules = classify_granules(bytes);
  if (granules < CLASSIFY_GRANULES)
    t->granules[granules] += count;
  else
    t->large_bytes += count * granules * CLASSIFY_GRANULE_BYTES;
}

/* A leaf of an ended thread finds no room where all sizes share one: count
 * its requests with those of the thread.  (Those of large objects and of
 * objects in pieces are there already.) */
static void
no_room(void *thread, const struct leaf *leaf, const struct kind *kind)
{
  struct thread_state *t = thread;
  cl_index size = kind->size;
  if (leaf->count == 0 || size == LEAF_LARGE ||
      (kind->what & LEAF_PIECES) != 0)
    return;
  if ((kind->what & ECL_ALLOCATED_SPLIT) != 0) {
    size -= sizeof(struct ecl_instance);
    count_leaf_requests(t, sizeof(struct ecl_instance), leaf->count);
  }
  count_leaf_requests(t, size, leaf->count);
}

void
ended_threads_add(cl_env_ptr env)
{
  struct thread_state **p = &monitor.threads, *t;
  env->allocation_hooks = NULL;
  monitor_lock_for_event();
  while (*p != NULL && (*p)->env != env)
    p = &(*p)->next;
  t = *p;
  if (t != NULL) {
    struct context_tree *tree = NULL;
    int64_t listed = free_lists_bytes(t->thread);
    /* The collector gives its lists to the other threads, and counts what is
       on them once more when one takes it. */
    if (listed >= 0)
      monitor.ended_list_bytes += listed;
    else
      monitor.lists_read = false;
    if (thread_has_counted(t))
      tree = tree_for_ended(t);
    if (tree != NULL && !context_tree_merge(tree, &t->tree, no_room, t))
      tree = NULL;
    if (tree != NULL || !thread_has_counted(t)) {
      thread_add_counters(&monitor.ended_figures, t);
      *p = t->next;
      thread_free(t);
    } else {
      t->env = NULL; /* no memory to merge: it stays where it is */
    }
  }
  pthread_mutex_unlock(&monitor.lock);
}

void
ended_threads_forget(void)
{
  while (monitor.ended != NULL) {
    struct ended_threads *e = monitor.ended;
    monitor.ended = e->next;
    context_tree_release(&e->tree);
    free(e->label);
    free(e);
  }
  monitor.ended_count = 0;
  memset(&monitor.ended_figures, 0, sizeof monitor.ended_figures);
}
