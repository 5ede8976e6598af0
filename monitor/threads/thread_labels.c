/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * thread_labels.c -- names of threads, numbered where they are not unique.
 *
 * Model.  A list of the names that were used since the last reset, each with
 * how many threads have had it.  A label, once given, stays until the next
 * reset: that of an ended thread is not given again.
 *
 * Not done here: what becomes of the labels of many short-lived threads
 * (threads.c).
 */
#include "threads/thread_labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hook/thread_state.h"
#include "names/lisp_name.h"
#include "threads/monitor_state.h"

/* How many threads with one name there have been since the last reset. */
struct used_name {
  struct used_name *next;
  unsigned count;
  char name[];
};

char *
thread_name(cl_env_ptr env)
{
  cl_object process = env->own_process;
  char *name;
  if (process == OBJNULL || Null(process))
    return strdup("?");
  name = lisp_name_of_thread(process->process.name);
  if (name != NULL && name[0] == '\0') {
    free(name);
    return strdup("[unnamed]");
  }
  return name;
}

char *
thread_label(cl_env_ptr env)
{
  char *name = thread_name(env), *label;
  struct used_name *n = monitor.names;
  if (name == NULL)
    return NULL;
  while (n != NULL && strcmp(n->name, name) != 0)
    n = n->next;
  if (n != NULL) {
    if (asprintf(&label, "%s#%u", name, ++n->count) < 0)
      label = NULL;
    free(name);
    return label;
  }
  n = malloc(sizeof *n + strlen(name) + 1);
  if (n != NULL) {
    n->next = monitor.names;
    n->count = 1;
    strcpy(n->name, name);
    monitor.names = n;
  }
  return name;
}

static void
forget_names(void)
{
  while (monitor.names != NULL) {
    struct used_name *n = monitor.names;
    monitor.names = n->next;
    free(n);
  }
}

void
thread_labels_renew(void)
{
  forget_names();
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next) {
    free(t->label);
    t->label = thread_label(t->env);
  }
}
